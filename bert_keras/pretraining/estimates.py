"""Numbers to plan a pre-training with, from its configuration alone: nothing is built or run.

Letters: B batch, T positions, H width, I intermediate width, N heads, P predictions, V vocabulary.
"""

from typing import NamedTuple

from bert_keras.config import BertConfig

FLOAT32 = 4  # bytes: of weights, moments, gradients, and of softmax in every precision
RANDOM_BITS = 2  # bytes that dropout keeps for each element
ACTIVATION_BYTES = {"float32": 4, "bfloat16": 2}  # --precision
TENSORFLOW_BYTES = 850_000_000  # with its compiled functions, in a process on a CPU


class Memory(NamedTuple):
    """Bytes that a replica holds at the peak of a training step, TensorFlow itself apart.

    The sum and `TENSORFLOW_BYTES` were compared with the largest memory of processes on a CPU, from
    Tiny to Base, 1 to 64 examples of 128 and 512 positions. In float32, with and without
    rematerialization, they are within 10 %; in bfloat16 and with micro-batches within 20 %, mostly
    too little. On a GPU or TPU nothing was measured.
    """

    weights: int
    moments: int
    gradients: int
    activations: int


def num_parameters(config: BertConfig) -> int:
    """The weights of a pretrainer: encoder, pooler and both heads."""
    width, wide, vocab_size = config.hidden_size, config.intermediate_size, config.vocab_size
    layer_norm = 2 * width
    dense = width * width + width
    tables = (vocab_size + config.max_position_embeddings + config.type_vocab_size) * width
    block = 4 * dense + (width * wide + wide) + (wide * width + width) + 2 * layer_norm
    masked_lm_head = dense + layer_norm + vocab_size  # the output matrix is the word table
    next_sentence_head = 2 * width + 2
    encoder = tables + layer_norm + config.num_hidden_layers * block + dense
    return encoder + masked_lm_head + next_sentence_head


def step_flops(config: BertConfig, batch_size: int, length: int, num_predictions: int) -> int:
    """Arithmetic of a step: forward and twice that backward, two for a multiplication and a sum.

    6 for each weight of the layers and token, the two products of attention, and the masked-LM
    head at the masked positions only. What rematerialization computes again does not count.

    Args:
        config: the model.
        batch_size: B, over all replicas.
        length: T.
        num_predictions: P of an example.
    """
    width, layers = config.hidden_size, config.num_hidden_layers
    num_tokens = batch_size * length
    layer_weights = layers * (4 * width**2 + 2 * width * config.intermediate_size)
    attention = layers * 2 * num_tokens * length * width
    head = batch_size * num_predictions * (width**2 + width * config.vocab_size)
    return 6 * (layer_weights * num_tokens + attention + head)


def checkpoint_bytes(config: BertConfig) -> int:
    """The size of a checkpoint: each weight with its two moments."""
    return 3 * FLOAT32 * num_parameters(config)


def training_memory(
    config: BertConfig,
    batch_size: int,
    length: int,
    num_predictions: int,
    precision: str = "float32",
    rematerialize: bool = False,
    num_micro_batches: int = 1,
) -> Memory:
    """What a replica needs for a training step.

    Args:
        config: the model.
        batch_size: B of one replica, all its micro-batches together.
        length: T.
        num_predictions: P of an example.
        precision: a key of `ACTIVATION_BYTES`.
        rematerialize: whether only the inputs of the blocks are kept for the backward pass.
        num_micro_batches: how many parts the B examples come in, one after the other.
    """
    size = ACTIVATION_BYTES[precision]
    num_weights = num_parameters(config)
    # Products take copies of the weights in a lower precision.
    copies = size * num_weights if size < FLOAT32 else 0
    # The gradients of the word table, as input and as output, stand beside their sum.
    gradients = num_weights + 2 * config.vocab_size * config.hidden_size
    if num_micro_batches > 1:
        gradients += num_weights  # the sum so far
    num_examples = -(-batch_size // num_micro_batches)
    return Memory(
        weights=FLOAT32 * num_weights + copies,
        moments=2 * FLOAT32 * num_weights,
        gradients=FLOAT32 * gradients,
        activations=_activations(
            config, num_examples, length, num_predictions, size, rematerialize
        ),
    )


def _activations(config, num_examples, length, num_predictions, size, rematerialize):
    """Bytes of what the forward pass keeps for the backward pass."""
    hidden = num_examples * length * config.hidden_size  # elements of [B, T, H]
    block = _block_activations(config, num_examples, length, size)
    if rematerialize:
        blocks = config.num_hidden_layers * size * hidden + block
    else:
        blocks = config.num_hidden_layers * block
    # The sum that is normalized, and the last output.
    embeddings = (2 * size + RANDOM_BITS) * hidden
    # Before and after the activation, and the LayerNorm; the logits and their gradient.
    predictions = num_examples * num_predictions
    head = size * predictions * (6 * config.hidden_size + 2 * config.vocab_size)
    return blocks + embeddings + head


def _block_activations(config, num_examples, length, size):
    """Bytes that a block keeps: the inputs of its products and of its compiled chains."""
    hidden = num_examples * length * config.hidden_size
    wide = num_examples * length * config.intermediate_size
    probs = num_examples * config.num_attention_heads * length**2  # elements of [B, N, T, T]
    # Its input, query, key, value, context, two products before a residual sum, and the first sum.
    residual_stream = (8 * size + 2 * RANDOM_BITS) * hidden
    feed_forward = 2 * size * wide  # before and after the activation
    attention = (FLOAT32 + RANDOM_BITS + size) * probs  # the softmax, and what dropout left of it
    return residual_stream + feed_forward + attention
