"""A model answers: raw text in, answers out, in Python and in an exported graph.

model_tasks: which task a model is for, by the names of both
load: a folder -> config, tokenizer, task and model
predictor: texts -> answers in Python
json_forms: inputs and answers as JSON
demo: a page to try a model
in_graph, twins: the tasks in a graph
signatures: what an exported model can be asked
saved_model, manual: the folder of an export, and the pages in it
warm_up, deployment: what a server finds in it and beside it
clients: how a server is asked
litert, onnx: a folder with the model, from ids to outputs, in another format; and what runs it
converted_folder, token_batches: what both share
agreement: how far such a model agrees with Keras', on data with answers
"""

import importlib

_MODULES = {"LiteRTModel": "litert", "OnnxModel": "onnx", "Predictor": "predictor"}

__all__ = ["LiteRTModel", "OnnxModel", "Predictor"]


def __getattr__(name: str):
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from bert_keras.backend import check_backend, import_tensorflow_quietly

    check_backend()
    import_tensorflow_quietly()
    return getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)
