"""Word, position and segment embeddings, summed (paper, section 3 and figure 2).

`embedding_lookup` and `embedding_postprocessor` of google-research/bert.
"""

import keras
import tensorflow as tf

from bert_keras.config import BertConfig
from bert_keras.errors import InputError
from bert_keras.layers.compiled import compiled
from bert_keras.layers.dropout import Dropout, drop
from bert_keras.layers.initializers import truncated_normal
from bert_keras.layers.layer_norm import LayerNorm, layer_norm


@keras.saving.register_keras_serializable("bert_keras")
class Embeddings(keras.layers.Layer):
    """input_ids [B, T], segment_ids [B, T] -> embeddings [B, T, H] and the word table [V, H].

    The table is an output so that the masked-LM head of a functional model can share it. Looked
    up and summed in float32 whatever the precision: the gradient of a frequent word has thousands
    of addends, of which bfloat16 would lose all after some hundred.

    Raises:
        InputError: T exceeds the position table.
        tf.errors.InvalidArgumentError: an id lies outside its table, or T is too long and was not
            known before.
    """

    def __init__(self, config: BertConfig | dict, **kwargs):
        super().__init__(**kwargs)
        self.config = BertConfig.of(config)
        self.layer_norm = LayerNorm(
            self.config.layer_norm_epsilon, name="LayerNorm", dtype="float32"
        )
        self.dropout = Dropout(
            self.config.hidden_dropout_prob, name="dropout", dtype=self.dtype_policy
        )

    def build(self, input_ids_shape, segment_ids_shape):
        config = self.config
        self.word_embeddings = self._add_table("word_embeddings", config.vocab_size)
        self.token_type_embeddings = self._add_table(
            "token_type_embeddings", config.type_vocab_size
        )
        self.position_embeddings = self._add_table(
            "position_embeddings", config.max_position_embeddings
        )
        self.layer_norm.build((*input_ids_shape, config.hidden_size))

    def _add_table(self, name: str, num_rows: int):
        return self.add_weight(
            name=name,
            shape=(num_rows, self.config.hidden_size),
            initializer=truncated_normal(self.config.initializer_range),
            autocast=False,
        )

    def call(self, input_ids, segment_ids, training=False):
        self._check_length(input_ids)
        length = tf.shape(input_ids)[1]
        short_enough = tf.debugging.assert_less_equal(
            length,
            self.config.max_position_embeddings,
            "A sequence must not be longer than max_position_embeddings.",
        )
        with tf.control_dependencies([short_enough]):
            positions = tf.convert_to_tensor(self.position_embeddings)[:length]  # [T, H]
        return self._sum(input_ids, segment_ids, positions, training)

    def _sum(self, input_ids, segment_ids, positions, training):
        """Positions [T, H] or [B, T, H] and the two lookups -> the outputs of the layer."""
        config = self.config
        with tf.control_dependencies(
            [
                check_range(input_ids, config.vocab_size, "input_ids", "vocab_size"),
                check_range(segment_ids, config.type_vocab_size, "segment_ids", "type_vocab_size"),
            ]
        ):
            table = tf.convert_to_tensor(self.word_embeddings)
        words = tf.gather(table, input_ids)  # [B, T, H]
        # A product with one-hot rows, as in the original: on every device faster than a gather
        # where the table has two rows.
        segments = tf.one_hot(segment_ids, config.type_vocab_size, dtype=words.dtype)
        segments = tf.tensordot(segments, tf.convert_to_tensor(self.token_type_embeddings), 1)
        embeddings = self._norm_and_drop(words + segments, positions, training)
        return tf.cast(embeddings, self.compute_dtype), table

    def _norm_and_drop(self, tokens, positions, training):
        if not training or self.dropout.rate == 0:
            return self.layer_norm(tokens + positions)
        return norm_and_drop(
            tokens,
            positions,
            tf.convert_to_tensor(self.layer_norm.gamma),
            tf.convert_to_tensor(self.layer_norm.beta),
            self.dropout.random_bits(tf.shape(tokens)),
            rate=self.dropout.rate,
            epsilon=self.layer_norm.epsilon,
        )

    def _check_length(self, input_ids) -> None:
        length = input_ids.shape[1]
        if length is not None and length > self.config.max_position_embeddings:
            raise InputError(
                "A sequence must not be longer than max_position_embeddings. "
                f"Received: {length} positions, max_position_embeddings="
                f"{self.config.max_position_embeddings}"
            )

    def compute_output_spec(self, input_ids, *others, training=False):
        width = self.config.hidden_size
        return (
            keras.KerasTensor((*input_ids.shape, width), self.compute_dtype),
            keras.KerasTensor((self.config.vocab_size, width), self.variable_dtype),
        )

    def get_config(self):
        return super().get_config() | {"config": self.config.to_dict()}


@compiled
def norm_and_drop(tokens, positions, gamma, beta, random_bits, rate: float, epsilon: float):
    """Tokens [B, T, H] and positions, [T, H] or the like -> their normalized sum, some dropped."""
    return drop(layer_norm(tokens + positions, gamma, beta, epsilon), random_bits, rate)


def check_range(ids, size, name: str, limit: str):
    """An assertion that every id lies in [0, size): a GPU would read zeros without a word.

    XLA has no operation that fails: a step that it compiles as a whole goes without the check.
    """
    return tf.debugging.Assert(
        tf.reduce_all((ids >= 0) & (ids < size)),
        [
            f"{name} must be at least 0 and less than {limit} =",
            size,
            "Received: smallest and largest",
            tf.reduce_min(ids),
            tf.reduce_max(ids),
        ],
    )
