"""Which tokens are hidden, and behind what."""

import random

import pytest

from tfrecord_tools.single_stream.static_masking import StaticMasking, mask_tokens

CLS, SEP, MASK, SAIL, S, THE = 2, 3, 4, 16, 17, 14


def masking(**changes):
    settings = {
        "mask_id": MASK,
        "vocabulary_ids": range(1000, 2000),
        "masked_lm_prob": 0.15,
        "max_predictions_per_seq": 20,
    }
    return StaticMasking(**{**settings, **changes})


def test_labels_are_what_stood_at_the_positions_and_the_rest_is_untouched():
    tokens = [CLS, *range(100, 150), SEP, *range(200, 270), SEP]
    for seed in range(50):
        masked = mask_tokens(tokens, 52, masking(), random.Random(seed))
        assert masked.positions == sorted(set(masked.positions))
        assert not {0, 51, len(tokens) - 1} & set(masked.positions)
        assert masked.labels == [tokens[position] for position in masked.positions]
        untouched = set(range(len(tokens))) - set(masked.positions)
        assert all(masked.tokens[position] == tokens[position] for position in untouched)


@pytest.mark.parametrize(
    ("num_tokens", "share", "most", "expected"),
    [(5, 0.15, 20, 1), (123, 0.15, 20, 18), (123, 0.15, 10, 10), (123, 0.0, 10, 1)],
)
def test_number_of_predictions(num_tokens, share, most, expected):
    tokens = [CLS, *range(100, 97 + num_tokens), SEP]
    tokens.insert(2, SEP)
    limits = masking(masked_lm_prob=share, max_predictions_per_seq=most)
    assert len(mask_tokens(tokens, 3, limits, random.Random(1)).positions) == expected


def test_eight_in_ten_become_mask_one_stays_one_is_random():
    tokens = [CLS, *range(100, 150), SEP, *range(200, 270), SEP]
    rng = random.Random(0)
    shown = []
    for _ in range(500):
        masked = mask_tokens(tokens, 52, masking(), rng)
        pairs = zip(masked.positions, masked.labels, strict=True)
        shown += [(masked.tokens[position], label) for position, label in pairs]
    assert sum(token == MASK for token, _ in shown) / len(shown) == pytest.approx(0.8, abs=0.02)
    assert sum(token == label for token, label in shown) / len(shown) == pytest.approx(
        0.1, abs=0.02
    )
    assert sum(token >= 1000 for token, _ in shown) / len(shown) == pytest.approx(0.1, abs=0.02)


def test_whole_words_are_predicted_together_but_each_piece_throws_its_own_dice():
    tokens = [CLS, SAIL, S, SEP, THE, SEP]
    settings = masking(continuation_ids=frozenset([S]), masked_lm_prob=0.3)
    num_both, num_mixed = 0, 0
    for seed in range(4000):
        masked = mask_tokens(tokens, 4, settings, random.Random(seed))
        assert masked.positions in ([1, 2], [4])
        if masked.positions == [1, 2]:
            num_both += 1
            kinds = {
                "mask" if token == MASK else "kept" if token == label else "random"
                for token, label in zip(masked.tokens[1:3], masked.labels, strict=True)
            }
            num_mixed += len(kinds) > 1
    assert num_both > 1500
    assert num_mixed / num_both == pytest.approx(1 - (0.8**2 + 0.1**2 + 0.1**2), abs=0.03)


def test_a_word_with_too_many_pieces_is_passed_over():
    tokens = [CLS, SAIL, S, S, S, SEP, THE, SEP]
    settings = masking(continuation_ids=frozenset([S]), max_predictions_per_seq=2)
    for seed in range(20):
        assert mask_tokens(tokens, 6, settings, random.Random(seed)).positions == [6]


def test_a_continuation_at_the_front_of_b_belongs_to_the_last_word_of_a():
    tokens = [CLS, SAIL, SEP, S, SEP]
    settings = masking(continuation_ids=frozenset([S]), masked_lm_prob=0.4)
    assert mask_tokens(tokens, 3, settings, random.Random(0)).positions == [1, 3]
