"""The features of a record: the contract between those who write TFRecords and those who read them.

Plain Python: whoever writes records needs no Keras, whoever reads them needs no tokenizer. Names
and meaning are those of create_pretraining_data.py in google-research/bert.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from bert_keras.errors import InputError

# A plain TFRecord file begins so only if its first record has 559,903 bytes.
GZIP_SIGNATURE = b"\x1f\x8b\x08"
KINDS = {"int64": "int64_list", "float32": "float_list"}  # dtype -> kind of tf.train.Feature


class Feature(NamedTuple):
    """What one record holds under a name."""

    dtype: str  # "int64" or "float32"
    shape: tuple[int, ...]


def pretraining_features(max_seq_length: int, max_predictions_per_seq: int) -> dict[str, Feature]:
    """Returns name -> feature of a pre-training record.

    input_ids: `[CLS] a [SEP] b [SEP]`, or `[CLS] a [SEP]` where there is one text, with the masks
      in place, then zeros.
    input_mask: 1 for a token, 0 for padding.
    segment_ids: 0 for `[CLS] a [SEP]` and for padding, 1 for `b [SEP]`; 0 where there is one text.
    masked_lm_positions: where a token is to be predicted, ascending, then zeros.
    masked_lm_ids: the tokens to be predicted there, then zeros.
    masked_lm_weights: 1.0 for a prediction, 0.0 for padding.
    next_sentence_labels: 0 if b follows a in the text, 1 if b was drawn at random or a and b are
      swapped; 0 where there is one text.
    """
    tokens = Feature("int64", (max_seq_length,))
    predictions = Feature("int64", (max_predictions_per_seq,))
    return {
        "input_ids": tokens,
        "input_mask": tokens,
        "segment_ids": tokens,
        "masked_lm_positions": predictions,
        "masked_lm_ids": predictions,
        "masked_lm_weights": Feature("float32", (max_predictions_per_seq,)),
        "next_sentence_labels": Feature("int64", (1,)),
    }


def unmasked_features(max_seq_length: int) -> dict[str, Feature]:
    """Returns name -> feature of a record whose masks are made anew in every epoch.

    input_ids: as in `pretraining_features`, without masks.
    starts_word: 1 for the first piece of a word, 0 for its other pieces, [CLS], [SEP] and padding.
    input_mask, segment_ids, next_sentence_labels: as in `pretraining_features`.
    """
    tokens = Feature("int64", (max_seq_length,))
    return {
        "input_ids": tokens,
        "input_mask": tokens,
        "segment_ids": tokens,
        "starts_word": tokens,
        "next_sentence_labels": Feature("int64", (1,)),
    }


def compression_type(beginning: bytes) -> str:
    """How TensorFlow has to read a TFRecord file that begins so: "" or "GZIP"."""
    return "GZIP" if beginning.startswith(GZIP_SIGNATURE) else ""


def stored_values(stored: Mapping) -> dict[str, Sequence]:
    """Returns name -> values of a pre-training record, from the map of a `tf.train.Features`.

    Features that are missing, empty or of another type are left out.
    """
    values = {}
    for name, feature in (pretraining_features(0, 0) | unmasked_features(0)).items():
        if name in stored and stored[name].WhichOneof("kind") == KINDS[feature.dtype]:
            values[name] = getattr(stored[name], KINDS[feature.dtype]).value
    return {name: of_name for name, of_name in values.items() if of_name}


def is_masked(values: Mapping[str, Sequence]) -> bool:
    """Whether a record is one of `pretraining_features`, not of `unmasked_features`."""
    return "masked_lm_positions" in values or "starts_word" not in values


def missing_features(values: Mapping[str, Sequence]) -> list[str]:
    """The names of features that a record of its kind must have, and that it lacks."""
    features = pretraining_features(0, 0) if is_masked(values) else unmasked_features(0)
    return [name for name in features if name not in values]


def _features_of(values: Mapping[str, Sequence]) -> dict[str, Feature]:
    """The features that a record must have, its lengths being those of two of them."""
    if is_masked(values):
        return pretraining_features(len(values["input_ids"]), len(values["masked_lm_positions"]))
    return unmasked_features(len(values["input_ids"]))


def check_values(values: Mapping[str, Sequence], source: str) -> None:
    """Raises InputError, which names `source`, for a number that its feature cannot hold."""
    limits = {
        "input_mask": 2,
        "masked_lm_positions": len(values["input_ids"]),
        "masked_lm_weights": 2,
        "starts_word": 2,
        "next_sentence_labels": 2,
    }
    for name in _features_of(values):
        limit = limits.get(name, 2**31)
        wrong = [
            value for value in values[name] if not (0 <= value < limit and value == int(value))
        ]
        if wrong:
            raise InputError(
                f"Expected {name} from 0 to {limit - 1}; {source} holds {wrong[0]}. "
                "Make its records again."
            )


def check_lengths(values: Mapping[str, Sequence], source: str) -> None:
    """Raises InputError, which names `source`, if the lengths of the features contradict others.

    How long a record is, and how many predictions it has, is read off `input_ids` and
    `masked_lm_positions`.
    """
    for name, feature in _features_of(values).items():
        (expected,) = feature.shape
        if len(values[name]) != expected:
            raise InputError(
                f"Expected {expected} values of {name}; {source} holds {len(values[name])}. "
                "Make its records again."
            )
