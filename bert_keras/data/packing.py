"""Several short sequences in one row, where padding would be (Krell et al. 2021, arXiv:2107.02027).

    places = first_fit(sizes(features), limits, max_sequences)
    rows = pack(features, places, num_rows(places), limits, max_sequences)

`packed_pretrainer` computes for every sequence of a row what `pretrainer` computes for the sequence
alone. For the outputs of an encoder no predictions are needed:

    places = first_fit(num_tokens[:, tf.newaxis], [length], max_sequences)
    rows = pack_tokens(features, places, num_rows(places), length, max_sequences)
    outputs = packed_bert(config)(rows)
    sequence_output = unpack(outputs["sequence_output"], rows, places, features["input_mask"])
    pooled_output = tf.gather_nd(outputs["pooled_output"], places)

All of this runs in a tf.Graph.

Letters of shapes: N examples, R rows, T positions of an example or a row, P predictions of an
example or a row, S places of a row: the most sequences that it may hold.
"""

from collections.abc import Mapping, Sequence

import tensorflow as tf

Features = Mapping[str, tf.Tensor]


def sizes(features: Features) -> tf.Tensor:
    """Features of pre-training examples -> numbers of tokens and of predictions, int32 [N, 2]."""
    return tf.stack([_num_tokens(features), _num_predictions(features)], axis=1)


def first_fit(sizes: tf.Tensor, limits: Sequence[int], max_sequences: int) -> tf.Tensor:
    """Lays each example, the largest first, into the first row that has room for it.

    Args:
        sizes: int32 [N, K], what an example takes of each of K things; the first one is what
            "largest" is about.
        limits: what a row has of each of the K things.
        max_sequences: S.

    Returns:
        int32 [N, 2]: the row of each example and its place there, 0 to S - 1. No row is empty.

    Raises:
        tf.errors.InvalidArgumentError: an example takes more than a row has.
    """
    rule = "No example may be larger than a row."
    with tf.control_dependencies([tf.debugging.assert_less_equal(sizes, list(limits), rule)]):
        sizes = tf.pad(sizes, [[0, 0], [0, 1]], constant_values=1)  # a place is a thing, too
    num_examples = tf.shape(sizes)[0]
    order = tf.argsort(sizes[:, 0], direction="DESCENDING", stable=True)

    def lay(step, room, places):
        example = order[step]
        fits = tf.reduce_all(room >= sizes[example], axis=1)
        row = tf.argmax(fits, output_type=tf.int32)
        place = tf.stack([row, max_sequences - room[row, -1]])
        room = tf.tensor_scatter_nd_sub(room, [[row]], sizes[tf.newaxis, example])
        return step + 1, room, places.write(example, place)

    room = tf.tile([[*limits, max_sequences]], [num_examples, 1])
    places = tf.TensorArray(tf.int32, num_examples, element_shape=[2])
    _, _, places = tf.while_loop(lambda step, *_: step < num_examples, lay, (0, room, places))
    return places.stack()


def num_rows(places: tf.Tensor) -> tf.Tensor:
    """Places [N, 2] -> the number of rows that they need."""
    return tf.reduce_max(tf.concat([places[:, 0], [-1]], axis=0)) + 1


def pack(
    features: Features, places: tf.Tensor, num_rows, limits: Sequence[int], max_sequences: int
) -> dict[str, tf.Tensor]:
    """Features of pre-training examples -> those of rows, for `packed_pretrainer`.

    Args:
        features: name -> [N, …], the names and shapes of `pretraining_dataset`.
        places: int32 [N, 2], where each example goes.
        num_rows: R.
        limits: positions and predictions of a row.
        max_sequences: S.

    Returns:
        What `pack_tokens` returns; masked_lm_positions (counted in the row) and masked_lm_ids int32
        [R, P], masked_lm_weights float32 [R, P]; next_sentence_labels int32 and
        next_sentence_weights float32 [R, S], both 0 where there is no sequence.
    """
    length, num_predictions = limits
    packed = pack_tokens(features, places, num_rows, length, max_sequences)
    starts = tf.gather_nd(packed["first_token_positions"], places)  # [N]
    predictions = {
        "masked_lm_positions": features["masked_lm_positions"] + starts[:, tf.newaxis],
        "masked_lm_ids": features["masked_lm_ids"],
        "masked_lm_weights": features["masked_lm_weights"],
    }
    counts = _num_predictions(features)
    firsts = tf.gather_nd(_firsts(counts, places, [num_rows, max_sequences]), places)
    packed |= _laid(predictions, counts, places[:, 0], firsts, [num_rows, num_predictions])
    labels = features["next_sentence_labels"][:, 0]
    shape = [num_rows, max_sequences]
    return packed | {
        "next_sentence_labels": tf.scatter_nd(places, labels, shape),
        "next_sentence_weights": tf.scatter_nd(places, tf.ones_like(labels, tf.float32), shape),
    }


def pack_tokens(
    features: Features, places: tf.Tensor, num_rows, length: int, max_sequences: int
) -> dict[str, tf.Tensor]:
    """Inputs of `bert` -> inputs of `packed_bert`.

    Args:
        features: input_ids, input_mask (ones, then zeros) and segment_ids, int32 [N, T].
        places: int32 [N, 2], where each example goes.
        num_rows: R.
        length: T of a row.
        max_sequences: S.

    Returns:
        int32 [R, T]: input_ids, segment_ids, position_ids (from 0 on in each sequence) and
        sequence_ids (1 for the first sequence of a row, 2 for the second …), all 0 where there is
        padding; int32 [R, S]: first_token_positions, 0 where there is no sequence.
    """
    counts = _num_tokens(features)
    shape = tf.shape(features["input_ids"])
    tokens = {
        "input_ids": features["input_ids"],
        "segment_ids": features["segment_ids"],
        "position_ids": tf.broadcast_to(tf.range(shape[1]), shape),
        "sequence_ids": tf.broadcast_to(places[:, 1:] + 1, shape),
    }
    firsts = _firsts(counts, places, [num_rows, max_sequences])
    starts = tf.gather_nd(firsts, places)
    packed = _laid(tokens, counts, places[:, 0], starts, [num_rows, length])
    return packed | {"first_token_positions": firsts}


def unpack(
    sequence_output: tf.Tensor, rows: Features, places: tf.Tensor, input_mask: tf.Tensor
) -> tf.Tensor:
    """The output of `packed_bert` [R, T, H] -> that of each example [N, T, H], 0 at padding.

    Args:
        sequence_output: what the model made of `rows`.
        rows: what `pack` or `pack_tokens` returned.
        places: where each example is.
        input_mask: int32 [N, T] of the examples.
    """
    tokens = tf.where(input_mask == 1)  # [number of tokens, 2] example and position
    starts = tf.gather_nd(rows["first_token_positions"], places)
    examples, positions = tokens[:, 0], tf.cast(tokens[:, 1], tf.int32)
    row = tf.gather(places[:, 0], examples)
    column = tf.gather(starts, examples) + positions
    values = tf.gather_nd(sequence_output, tf.stack([row, column], axis=1))
    width = tf.shape(sequence_output, tf.int64)[-1:]
    return tf.scatter_nd(tokens, values, tf.concat([tf.shape(input_mask, tf.int64), width], axis=0))


def _num_tokens(features: Features) -> tf.Tensor:
    return tf.math.count_nonzero(features["input_mask"], axis=1, dtype=tf.int32)


def _num_predictions(features: Features) -> tf.Tensor:
    return tf.math.count_nonzero(features["masked_lm_weights"], axis=1, dtype=tf.int32)


def _firsts(counts: tf.Tensor, places: tf.Tensor, shape) -> tf.Tensor:
    """Where in its row each example begins if it takes `counts` [N] of it: [R, S], 0 if nowhere."""
    taken = tf.scatter_nd(places, counts, shape)
    return tf.where(taken > 0, tf.cumsum(taken, axis=1, exclusive=True), 0)


def _laid(values: Features, counts, rows, firsts, shape) -> dict[str, tf.Tensor]:
    """Lays the first `counts` values of each example, [N, …], into a row, from `firsts` on.

    `counts`, `rows` and `firsts` are [N]; what is laid nowhere is 0 in the result.
    """
    length = tf.shape(next(iter(values.values())))[1]
    taken = tf.where(tf.sequence_mask(counts, length))  # [number of values, 2] example and index
    examples, index = taken[:, 0], tf.cast(taken[:, 1], tf.int32)
    targets = tf.stack([tf.gather(rows, examples), tf.gather(firsts, examples) + index], axis=1)
    return {
        name: tf.scatter_nd(targets, tf.gather_nd(value, taken), shape)
        for name, value in values.items()
    }
