"""What lies beside an export for those who call it: `signature.json` and `README.md`."""

import json
from collections.abc import Mapping
from typing import Any

import tensorflow as tf
from tensorflow.core.protobuf import saved_model_pb2

import bert_keras
from bert_keras.checkpoints.files.json_files import read_json, write_json
from bert_keras.checkpoints.formats.native import CARD_FILE
from bert_keras.checkpoints.formats.saved_model import GRAPH_FILE
from bert_keras.files import read_bytes, write_text
from bert_keras.notices import notify
from bert_keras.serving.load import LoadedModel
from bert_keras.tasks.classification.task import Classification
from bert_keras.tasks.fill_mask.task import FillMask
from bert_keras.tasks.multiple_choice.task import MultipleChoice
from bert_keras.tasks.tagging.task import Tagging
from bert_keras.tasks.task import description
from bert_keras.tokenizers.vocabulary import MASK

SIGNATURE_FILE = "signature.json"
# Name of an input or output -> what it is; the first dimension of each is that of the inputs.
MEANINGS = {
    "text": "texts, UTF-8; bad bytes are dropped",
    "text_b": 'the second texts of pairs; "" is none',
    "context": "contexts",
    "choices": "continuations of each context, of all as many",
    "examples": "serialized tf.train.Example with the int64 features that the signature tokens has "
    "as inputs; input_mask and segment_ids may be missing",
    "input_ids": "ids of tokens, [CLS] and [SEP] among them",
    "input_mask": "1 for a token, 0 for padding; one value for all will do; by default 1",
    "segment_ids": "0 up to the first [SEP], 1 after it; one value for all will do; by default 0",
    "masked_lm_positions": "places of the tokens that are sought, filled up with 0",
    "label": "the likeliest label",
    "is_label": "whether the probability of each label is at least 0.5",
    "labels": "the names of the labels, in each row the same",
    "probabilities": "of each label",
    "score": "how probable the answer is",
    "embedding": "a vector for each text",
    "tokens": 'the tokens of each text, filled up with ""',
    "features": "a vector for each token, filled up with 0",
    "num_tokens": "how many of them are no filling",
    "token": 'the likeliest pieces for each [MASK], best first, filled up with ""',
    "token_id": "their ids, filled up with 0",
    "num_masks": "how many [MASK] each text has that were filled",
    "choice": "the most probable choice, from 0",
    "logits": "one number for each label",
    "sequence_output": "a vector for each token",
    "pooled_output": "a vector for each text, made for the prediction of the next sentence",
    "sentence_embedding": "a vector for each text",
    "masked_lm_logits": "one number for each id of the vocabulary",
    "next_sentence_logits": "two numbers: b follows a; it does not",
    "question": "questions",
    "words": 'the words of each text, filled up with ""; an empty last word is such filling',
    "word_start": "where they begin in the text, in characters",
    "word_end": "where they end",
    "word_label": "their labels",
    "word_score": "the probabilities of these",
    "num_words": "how many words each text has",
    "entity_text": 'the entities of each text, filled up with ""',
    "entity_type": "their types",
    "entity_start": "where they begin in the text, in characters",
    "entity_end": "where they end",
    "entity_score": "how probable they are",
    "num_entities": "how many entities each text has",
    "answer": 'the best answer; "" is none',
    "start": "where it begins in the context, in characters",
    "end": "where it ends",
    "null_odds": "how much more likely it is that there is no answer",
    "n_best_answer": 'the best answers, best first, filled up with ""',
    "n_best_start": "where they begin in the context, in characters",
    "n_best_end": "where they end",
    "n_best_score": "how probable they are",
    "num_answers": "how many answers there are",
    "start_logits": "one number for each token, that the answer starts there",
    "end_logits": "one number for each token, that the answer ends there",
}
# The same where it is something else, by the name of the task.
MEANINGS_OF_TASK = {
    (Classification.name, "score"): "the number that the text, or pair, gets",
    (FillMask.name, "score"): "how probable they are",
    (MultipleChoice.name, "probabilities"): "of each choice",
    (MultipleChoice.name, "logits"): "one number for each choice",
    (Tagging.name, "logits"): "one number for each token and label",
}
OPTIONAL = "; a server fills it in if it is left out, Python by `model.tokens(ids)`"
_EXAMPLES = {1: ["A text."], 2: [["One.", "Two."]]}  # rank of an input -> a value of it
_EXAMPLES_WITH_MARK = _EXAMPLES | {1: [f"A {MASK} text."]}
_IMPORT_TEXT = """\
    import tensorflow_text  # registers the operations of the tokenizer
"""
_PAGE = """\
# A model of bert_keras for TensorFlow Serving

Task: {task}. {num_layers} layers, {hidden_size} wide, at most {max_seq_length} tokens.{labels}

Put the folder that this one, `{version}`, lies in on a server:

    tensorflow_model_server --rest_api_port=8501 --model_name=bert --model_base_path=FOLDER
    curl -d '{{"inputs": {request}}}' localhost:8501/v1/models/bert:predict

In Python, where `bert_keras` need not be:

    import tensorflow as tf
{import_text}
    model = tf.saved_model.load("FOLDER/{version}")
    model.signatures["serving_default"]({arguments})

`bert_keras.from_pretrained("FOLDER/{version}")` gives the model with the same weights, to be
trained further.

{signatures}
"""


def example_request(task: str, ranks: Mapping[str, int]) -> dict[str, Any]:
    """Name of an input of strings of a task -> a value of so many dimensions."""
    examples = _EXAMPLES_WITH_MARK if task == FillMask.name else _EXAMPLES
    return {name: examples[rank] for name, rank in ranks.items()}


def write_manual(loaded: LoadedModel, folder: str, version: str) -> None:
    """Writes both files.

    Args:
        loaded: the model and its task.
        folder: where the graph of its export lies.
        version: what the folder will be called.
    """
    graph = _read_graph(folder)
    signatures = {
        name: _described(loaded.task.name, signature)
        for name, signature in sorted(graph.signature_def.items())
        if not name.startswith("__")  # of TensorFlow's own
    }
    ops = graph.meta_info_def.stripped_op_list.op
    others = sorted(op.name for op in ops if not hasattr(tf.raw_ops, op.name))
    content = {
        "bert_keras": bert_keras.__version__,
        "tensorflow": tf.__version__,
        **description(loaded.task),
        "labels": list(loaded.config.labels),
        "ops_of_tensorflow_text": others,
        "signatures": signatures,
    }
    write_json(tf.io.gfile.join(folder, SIGNATURE_FILE), content)
    write_text(
        tf.io.gfile.join(folder, CARD_FILE), _page(loaded, signatures, version, bool(others))
    )


def notify_of_change(before: str, after: str) -> None:
    """Says so if a version is of another task than the one before, or has other labels.

    A server takes it all the same, at once.
    """
    path = tf.io.gfile.join(before, SIGNATURE_FILE)
    if not tf.io.gfile.exists(path):
        return
    old, new = read_json(path, dict), read_json(tf.io.gfile.join(after, SIGNATURE_FILE), dict)
    for name in ("task", "labels"):
        if old.get(name) != new[name]:
            notify(
                f"{after} is another model than {before}, whose place it takes on a server: {name} "
                f"was {old.get(name)!r:.200} and is {new[name]!r:.200}"
            )


def _read_graph(folder: str) -> Any:
    """The one graph of a SavedModel, a MetaGraphDef."""
    path = tf.io.gfile.join(folder, GRAPH_FILE)
    saved = saved_model_pb2.SavedModel.FromString(read_bytes(path))
    return saved.meta_graphs[0]


def _described(task: str, signature: Any) -> dict[str, Any]:
    """Inputs and outputs: name -> type, shape, meaning, and whether it may be left out."""
    sides = {"inputs": signature.inputs, "outputs": signature.outputs}
    described = {
        side: {name: _entry(task, name, tensor) for name, tensor in sorted(tensors.items())}
        for side, tensors in sides.items()
    }
    for name in signature.defaults:
        described["inputs"][name]["optional"] = True
    return described


def _entry(task: str, name: str, tensor: Any) -> dict[str, Any]:
    """A null in a shape is any length."""
    meaning = MEANINGS_OF_TASK.get((task, name), MEANINGS[name])
    shape = tf.TensorShape(tensor.tensor_shape).as_list()
    dtype = tf.dtypes.as_dtype(tensor.dtype).name
    return {"dtype": dtype, "shape": shape, "meaning": meaning}


def _page(loaded: LoadedModel, signatures: dict[str, Any], version: str, needs_text: bool) -> str:
    inputs = signatures["serving_default"]["inputs"]
    values = example_request(
        loaded.task.name, {name: len(entry["shape"]) for name, entry in inputs.items()}
    )
    labels = loaded.config.labels
    return _PAGE.format(
        task=loaded.task.name,
        num_layers=loaded.config.num_hidden_layers,
        hidden_size=loaded.config.hidden_size,
        max_seq_length=loaded.task.max_seq_length,
        labels=f" Labels: {', '.join(labels)}." if labels else "",
        version=version,
        import_text=_IMPORT_TEXT if needs_text else "",
        request=json.dumps(values),
        arguments=", ".join(f"{name}=tf.constant({value})" for name, value in values.items()),
        signatures="\n\n".join(_table(*item) for item in signatures.items()),
    )


def _table(name: str, signature: dict[str, Any]) -> str:
    lines = [f"## {name}", "", "| | name | type | shape | |", "|---|---|---|---|---|"]
    for side, entries in signature.items():
        for of, entry in entries.items():
            shape = ", ".join("any" if size is None else str(size) for size in entry["shape"])
            optional = OPTIONAL if entry.get("optional") else ""
            cells = [side.removesuffix("s"), of, entry["dtype"], f"[{shape}]"]
            lines.append(f"| {' | '.join(cells)} | {entry['meaning']}{optional} |")
    return "\n".join(lines)
