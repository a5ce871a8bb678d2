"""The features of a record: the contract between those who write TFRecords and those who read them.

Plain Python: whoever writes records needs no Keras, whoever reads them needs no tokenizer. Names
and meaning are those of create_pretraining_data.py in google-research/bert.
"""

from typing import NamedTuple


class Feature(NamedTuple):
    """What one record holds under a name."""

    dtype: str  # "int64" or "float32"
    shape: tuple[int, ...]


def pretraining_features(max_seq_length: int, max_predictions_per_seq: int) -> dict[str, Feature]:
    """Returns name -> feature of a pre-training record.

    input_ids: `[CLS] a [SEP] b [SEP]` with the masks in place, then zeros.
    input_mask: 1 for a token, 0 for padding.
    segment_ids: 0 for `[CLS] a [SEP]` and for padding, 1 for `b [SEP]`.
    masked_lm_positions: where a token is to be predicted, ascending, then zeros.
    masked_lm_ids: the tokens to be predicted there, then zeros.
    masked_lm_weights: 1.0 for a prediction, 0.0 for padding.
    next_sentence_labels: 0 if b follows a in the text, 1 if b was drawn at random.
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
