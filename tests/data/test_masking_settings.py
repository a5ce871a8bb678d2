"""Settings of masks that cannot work are refused before a record is read."""

import pytest

from bert_keras.data.masking_settings import MaskingSettings, masking_for
from bert_keras.errors import InputError

VOCABULARY = {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3, "[MASK]": 4, "ship": 5}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"masking": "words"}, "--masking must be one of .* Received: words"),
        ({"whole_word_decision": "span"}, "--whole_word_decision must be one of piece, word"),
        ({"masked_lm_prob": 15}, "--masked_lm_prob must be at least 0 and at most 1"),
        ({"max_predictions_per_seq": 0}, "--max_predictions_per_seq must be at least 1"),
        ({"mask_share": 0.9}, "--mask_share, --keep_share and --random_share must sum to 1"),
        ({"mask_share": 1.2, "random_share": -0.3}, "--mask_share must be at least 0"),
    ],
)
def test_settings_that_cannot_work(settings, message):
    with pytest.raises(InputError, match=message):
        masking_for(MaskingSettings(**settings), VOCABULARY, "vocab.txt")


def test_a_masking_knows_the_tokens_of_its_vocabulary():
    masking = masking_for(MaskingSettings(), VOCABULARY, "vocab.txt")
    assert (masking.mask_id, masking.vocab_size, masking.special_ids) == (4, 6, (2, 3))
