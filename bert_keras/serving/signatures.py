"""What an exported model can be asked, as functions of a TensorFlow graph.

serving_default: strings -> answers; a model that has learned pairs takes pairs
pairs: the same of pairs of texts, of tasks that take both
words: the same of words, of taggers
tokens: numbers -> what the model makes of them
token_ids: the same of ids alone, for servers that want all inputs of a signature
examples: serialized `tf.train.Example` with the numbers of `tokens`
"""

from collections.abc import Callable

import keras
import tensorflow as tf

from bert_keras.checkpoints.loading import named_variables
from bert_keras.config import BertConfig
from bert_keras.data.encoded import INPUTS
from bert_keras.layers.embeddings import check_range
from bert_keras.serving.in_graph.length_groups import Call, run_in_groups
from bert_keras.serving.in_graph.rows import Rows, Tensors
from bert_keras.serving.load import LoadedModel
from bert_keras.serving.twins import PAIRED, Twin
from bert_keras.tasks.tagging.task import Tagging
from bert_keras.tasks.task import Task

WORDS = "words"
Signature = Callable[..., Tensors]


class ServedModel(tf.Module):
    """The weights of a model and its signatures, as they are saved.

    Args:
        loaded: the model and its task.
        twin: the task in a graph.
        is_compiled: the model is compiled by XLA, anew for every shape of its inputs.

    Attributes:
        weights: the variables of the model.
        weight_names: their names in the original, in this order.
        twin: the task in a graph.
        tokens: the signature of this name, of which Python may leave out mask and segments.
        functions: name of a signature -> function of tensors by name -> outputs by name.
    """

    def __init__(self, loaded: LoadedModel, twin: Twin, is_compiled: bool = False):
        super().__init__(name="served_model")
        variables = named_variables(loaded.model)
        self.weight_names = tuple(variables)
        self.weights = [variable.value for variable in variables.values()]
        self.twin = twin
        call = _call(loaded.model, is_compiled)
        self.tokens = _tokens(loaded.model, loaded.config, call)
        functions = {
            name: _answers(twin, _encode(twin, name), loaded.model, call, strings)
            for name, strings in strings_of(loaded.task, twin).items()
        }
        if loaded.task.name in PAIRED:
            functions.setdefault("pairs", functions["serving_default"])
        functions["tokens"] = self.tokens
        functions["token_ids"] = _token_ids(loaded.model, self.tokens)
        if _rank(loaded.model) == 2:
            functions["examples"] = _examples(loaded.model, self.tokens)
        # Complete: what is added to the attribute of a tf.Module later cannot always be saved.
        self.functions = functions


def strings_of(task: Task, twin: Twin) -> dict[str, dict[str, tf.TensorSpec]]:
    """Name of a signature that takes text -> its inputs by name, strings."""
    found = {"serving_default": twin.signature}
    if task.name in PAIRED and "text_b" not in twin.signature:
        found["pairs"] = twin.signature | {"text_b": tf.TensorSpec([None], tf.string)}
    if task.name == Tagging.name:
        found[WORDS] = twin.signature_of_words
    return found


def _encode(twin: Twin, name: str) -> Callable[..., Rows]:
    return twin.encode_words if name == WORDS else twin.encode


def _call(model: keras.Model, is_compiled: bool) -> Call:
    """The model as one function that all signatures share; its outputs are float32."""

    def infer(inputs):
        outputs = model(inputs, training=False)
        return {name: tf.cast(values, tf.float32) for name, values in outputs.items()}

    inputs = {
        name: tf.TensorSpec([None] * len(tensor.shape), tf.int32, name)
        for name, tensor in model.input.items()
    }
    return tf.function(
        infer, input_signature=[inputs], autograph=False, jit_compile=is_compiled or None
    )


def _answers(
    twin: Twin,
    encode: Callable[..., Rows],
    model: keras.Model,
    call: Call,
    inputs: dict[str, tf.TensorSpec],
) -> Signature:
    def answers(**texts):
        texts = {name: tf.ensure_shape(text, inputs[name].shape) for name, text in texts.items()}
        rows = encode(**texts)
        return twin.decode(rows, run_in_groups(model, rows, call))

    return _concrete(answers, inputs)


def _tokens(model: keras.Model, config: BertConfig, call: Call) -> Signature:
    """Ids, mask and segments, of the last two of which one value for all is enough.

    They have the values 1 and 0 where they are left out: a server reads this off the signature, but
    not `loaded.signatures` in Python; `loaded.tokens(ids)` does.
    """
    ids = tf.TensorSpec([None] * _rank(model), tf.int32)
    ones = tf.ones([1] * _rank(model), tf.int32)

    def tokens(input_ids, input_mask=ones, segment_ids=ones - 1):
        return outputs(input_ids, input_mask, segment_ids, {})

    def tokens_with_marks(input_ids, masked_lm_positions, input_mask=ones, segment_ids=ones - 1):
        marks = {"masked_lm_positions": masked_lm_positions}
        return outputs(input_ids, input_mask, segment_ids, marks)

    def outputs(input_ids, input_mask, segment_ids, others):
        with tf.control_dependencies(_checks(input_ids, segment_ids, config)):
            shape = tf.shape(input_ids)
            mask, segments = (tf.broadcast_to(one, shape) for one in (input_mask, segment_ids))
        return call(dict(zip(INPUTS, (input_ids, mask, segments), strict=True)) | others)

    function = tokens_with_marks if len(model.input) > len(INPUTS) else tokens
    signature = [ids] * len(model.input)
    return tf.function(function, input_signature=signature, autograph=False)


def _checks(input_ids, segment_ids, config: BertConfig) -> list[tf.Operation]:
    """What the layers check too, but not when XLA compiles them."""
    return [
        tf.debugging.assert_less_equal(
            tf.shape(input_ids)[-1],
            config.max_position_embeddings,
            "A sequence must not be longer than max_position_embeddings.",
        ),
        check_range(input_ids, config.vocab_size, "input_ids", "vocab_size"),
        check_range(segment_ids, config.type_vocab_size, "segment_ids", "type_vocab_size"),
    ]


def _token_ids(model: keras.Model, tokens: Signature) -> Signature:
    ids = tf.TensorSpec([None] * _rank(model), tf.int32)
    names = [name for name in model.input if name not in INPUTS[1:]]
    return _concrete(lambda **given: tokens(**given), dict.fromkeys(names, ids))


def _examples(model: keras.Model, tokens: Signature) -> Signature:
    """Rows as the tools write them; mask and segments may be missing in any of them."""

    def examples(examples):
        features = {name: tf.io.RaggedFeature(tf.int64) for name in model.input}
        rows = tf.io.parse_example(examples, features)
        rows = {name: tf.cast(of_name, tf.int32) for name, of_name in rows.items()}
        lengths = rows["input_ids"].row_lengths()
        with tf.control_dependencies(_length_checks(rows, lengths)):
            longest = tf.maximum(tf.reduce_max(lengths), 1)  # of no rows too
            shape = tf.stack([tf.shape(lengths)[0], longest])
        inputs = {name: of_name.to_tensor() for name, of_name in rows.items()}
        for name in INPUTS:
            inputs[name] = rows[name].to_tensor(shape=shape)
        has_mask = rows["input_mask"].row_lengths() > 0
        is_token = tf.sequence_mask(lengths, shape[1], tf.int32)
        inputs["input_mask"] = tf.where(has_mask[:, tf.newaxis], inputs["input_mask"], is_token)
        return tokens(**inputs)

    return _concrete(examples, {"examples": tf.TensorSpec([None], tf.string)})


def _length_checks(rows: dict[str, tf.RaggedTensor], lengths: tf.Tensor) -> list[tf.Operation]:
    """All have ids, and of each other input as many values or none."""
    checks = [tf.debugging.assert_positive(lengths, "An example must have input_ids.")]
    for name in INPUTS[1:]:
        found = rows[name].row_lengths()
        fits = tf.reduce_all((found == lengths) | (found == 0))
        rule = f"An example must have as many {name} as input_ids, or none. Received:"
        checks.append(tf.debugging.Assert(fits, [rule, found, "of", lengths]))
    return checks


def _concrete(function: Signature, inputs: dict[str, tf.TensorSpec]) -> Signature:
    """A function of inputs by name; only a concrete one may take any names."""
    named = {name: tf.TensorSpec(spec.shape, spec.dtype, name) for name, spec in inputs.items()}
    return tf.function(function, autograph=False).get_concrete_function(**named)


def _rank(model: keras.Model) -> int:
    """2 of a model of sequences, 3 of one of choices."""
    return len(model.input["input_ids"].shape)
