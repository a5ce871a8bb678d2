"""BERT (Devlin et al. 2018, arXiv:1810.04805) in TensorFlow and Keras 3, from raw text to a model.

The names below are imported when they are first used: `import bert_keras` loads no TensorFlow.
"""

import importlib
import os
import sys

from bert_keras.backend import check_backend, import_tensorflow_quietly

__version__ = "0.1.0"

# Before TensorFlow is imported: errors only, and Keras on TensorFlow whatever ~/.keras says.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
os.environ.setdefault("KERAS_BACKEND", "tensorflow")

_MODULES = {
    "BertConfig": "config",
    "InputError": "errors",
    "WordPieceTokenizer": "tokenizers.wordpiece",
    "InGraphTokenizer": "tokenizers.in_graph",
    "pretraining_dataset": "data.pipeline",
    "evaluation_dataset": "data.pipeline",
    "dynamic_pretraining_dataset": "data.dynamic_pipeline",
    "dynamic_evaluation_dataset": "data.dynamic_pipeline",
    "MaskingSettings": "data.masking_settings",
    "masking_for": "data.masking_settings",
    "EncodedExamples": "data.encoded",
    "length_batches": "data.length_batches",
    "longest_first_batches": "data.length_batches",
    "for_fit": "data.fit",
    "encode": "tasks.sequences",
    "pack": "tokenizers.packing",
    "packed_pretraining_dataset": "data.packed_pipeline",
    "packed_evaluation_dataset": "data.packed_pipeline",
    "bert": "models.bert",
    "unpooled_bert": "models.bert",
    "pretrainer": "models.pretrainer",
    "masked_lm": "models.masked_lm",
    "next_sentence": "models.next_sentence",
    "classifier": "models.classifier",
    "token_classifier": "models.token_classifier",
    "multiple_choice": "models.multiple_choice",
    "question_answering": "models.question_answering",
    "sentence_encoder": "models.sentence_encoder",
    "packed_bert": "models.packed_bert",
    "packed_pretrainer": "models.packed_pretrainer",
    "AdamWeightDecay": "optimizers.adam_weight_decay",
    "Lamb": "optimizers.lamb",
    "WarmupPolynomialDecay": "optimizers.schedules",
    "ContinuousWarmupPolynomialDecay": "optimizers.schedules",
    "WarmupConstant": "optimizers.schedules",
    "Trainer": "training.trainer",
    "from_pretrained": "checkpoints.pretrained",
    "save_pretrained": "checkpoints.pretrained",
    "config_of": "checkpoints.builders",
}
_WITHOUT_KERAS = (
    "BertConfig",
    "InputError",
    "WordPieceTokenizer",
    "MaskingSettings",
    "masking_for",
    "EncodedExamples",
    "encode",
    "pack",
)

__all__ = sorted(_MODULES)


def __getattr__(name: str):
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name not in _WITHOUT_KERAS:
        check_backend()
        if "tensorflow" not in sys.modules:
            import_tensorflow_quietly()
    value = getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
