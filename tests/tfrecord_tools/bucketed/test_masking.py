"""Which tokens are hidden, and behind what: against the papers' rules, one row at a time."""

import random

import numpy as np
import pytest
from hypothesis import given, settings

from bert_keras.data.masking_settings import RUN_LENGTH_SHARES, unit_of_decision
from tests.masking_cases import MASK, MODES, VOCAB_SIZE, cases, masking, rows_of
from tfrecord_tools.bucketed.masking import Draws, UnmaskedRows, hide, mask_rows
from tfrecord_tools.single_stream.static_masking import StaticMasking, mask_tokens


def reference(row, masking, draws):
    """One row, by the papers' rules in plain Python: (tokens, positions, labels).

    `row` and `draws` hold the values of that row.
    """
    settings = masking.settings
    limit = max(1, round(int(row.num_tokens) * settings.masked_lm_prob))
    limit = min(limit, settings.max_predictions_per_seq)
    sentences, words = split(row)
    word_of = {piece: number for number, word in enumerate(words) for piece in word}
    decision_of = {}  # chosen piece -> which of the dice
    if settings.masking == "token":
        words = [[piece] for word in words for piece in word]
        sentences = [words]
    order = sorted(words, key=lambda word: draws.order[word[0]])
    for number, word in enumerate(order):
        most = num_words(settings.masking, draws.lengths[number])
        sentence = next(sentence for sentence in sentences if word in sentence)
        begin = sentence.index(word)
        run = chosen_run(sentence[begin : begin + most], decision_of, limit, settings.masking)
        decision_of |= dict.fromkeys(run, number)
    if unit_of_decision(settings) == "piece":
        decision_of = {piece: piece for piece in decision_of}
    if unit_of_decision(settings) == "word":
        decision_of = {piece: word_of[piece] for piece in decision_of}
    tokens, positions = list(row.tokens), sorted(decision_of)
    for index, position in enumerate(positions):
        dice = draws.dice[decision_of[position]]
        if dice < np.float32(settings.mask_share):
            tokens[position] = masking.mask_id
        elif dice >= np.float32(settings.mask_share + settings.keep_share):
            tokens[position] = draws.random_ids[index]
    return tokens, positions, [row.tokens[position] for position in positions]


def split(row):
    """Sentences between tokens that are no candidates, each a list of words; and all the words."""
    sentences = [[]]
    for position in range(len(row.tokens)):
        if not row.is_candidate[position]:
            sentences.append([])
        elif row.starts_word[position] or not sentences[-1]:
            sentences[-1].append([position])
        else:
            sentences[-1][-1].append(position)
    return sentences, [word for sentence in sentences for word in sentence]


def num_words(mode, number):
    """The number of words of a run, for a number from 0 to 1."""
    sums = np.cumsum(RUN_LENGTH_SHARES.get(mode, [1.0]), dtype=np.float32)
    return next((words for words, total in enumerate(sums, 1) if number < total), len(sums))


def chosen_run(words, chosen, limit, mode):
    """The pieces of a run that are chosen, of the words it would like to have."""
    pieces = [piece for word in words for piece in word]
    if mode == "span":
        free = []
        for piece in pieces:
            if piece in chosen:
                break
            free.append(piece)
        return free[: limit - len(chosen)]
    while words and len(chosen) + len(pieces) > limit:
        words = words[:-1]
        pieces = [piece for word in words for piece in word]
    return [] if chosen.keys() & set(pieces) else pieces


@settings(max_examples=200)
@given(cases())
def test_many_rows_at_a_time_are_masked_as_one_by_one(case):
    rows, case_masking, draws = case
    masked = hide(rows, case_masking, draws)
    for index, count in enumerate(masked.num_predictions):
        row = UnmaskedRows(*(values[index] for values in rows))
        expected = reference(row, case_masking, Draws(*(values[index] for values in draws)))
        assert masked.tokens[index].tolist() == expected[0]
        assert masked.positions[index][:count].tolist() == expected[1]
        assert masked.labels[index][:count].tolist() == expected[2]
        assert not masked.positions[index][count:].any()
        assert not masked.labels[index][count:].any()


def outcomes(rows, settings):
    """The positions that are chosen in any of the rows, as strings of 0 and 1."""
    masked = mask_rows(rows, settings, np.random.default_rng(0))
    marks = np.zeros(rows.tokens.shape, int)
    for index, count in enumerate(masked.num_predictions):
        marks[index, masked.positions[index, :count]] = 1
    return {"".join(map(str, row)) for row in marks}


@pytest.mark.parametrize(
    ("mode", "layout", "limit", "expected"),
    [
        ("token", "|ww|w|", 1, {"010000", "001000", "000010"}),
        ("token", "|wc|w|", 2, {"011000", "010010", "001010"}),
        ("token", "|||...", 1, {"000000"}),
        # the pieces of a word together; one that does not fit is passed over
        ("whole_word", "|wc|w|", 2, {"011000", "000010"}),
        ("whole_word", "|wccc|w|", 2, {"00000010"}),
        ("whole_word", "|wc|wc|", 1, {"0000000"}),
        # a piece behind [SEP] begins a word, also if its beginning is missing
        ("whole_word", "|w|c|", 1, {"01000", "00010"}),
        # 1 to 3 words that do not go past [SEP] ...
        ("ngram", "|www|w|", 3, {"0111000", "0110010", "0011010", "0101010"}),
        # ... shortened by whole words
        ("ngram", "|wwc|", 2, {"01000", "00110"}),
        # a span is cut so that it fits, and met exactly
        ("span", "|wccc|", 2, {"011000"}),
        ("span", "|wcc|wcc|", 4, {"011101000", "010001110"}),
        ("span", "|ww|ww|", 4, {"0110110"}),
    ],
)
def test_all_that_can_be_chosen(mode, layout, limit, expected):
    settings = masking(mode, masked_lm_prob=1.0, max_predictions_per_seq=limit)
    assert outcomes(rows_of(layout, num_rows=500), settings) == expected


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("share", [0.0, 0.1, 0.15, 0.5])
def test_the_limit_is_that_of_the_original(mode, share):
    """Python's rounding, to even: 5 tokens at 0.5 are 2, and 15 at 0.1 are 2."""
    for length in range(3, 60):
        rows = rows_of("|" + "w" * (length - 2) + "|")
        settings = masking(mode, masked_lm_prob=share, max_predictions_per_seq=20)
        count = mask_rows(rows, settings, np.random.default_rng(0)).num_predictions[0]
        original = StaticMasking(MASK, range(VOCAB_SIZE), share, 20)
        expected = mask_tokens(list(rows.tokens[0]), length, original, random.Random(0))
        assert count == len(expected.positions)


@pytest.mark.parametrize(
    "shares", [(1, 0, 0), (0, 0, 1), (0, 1, 0), (0.8, 0, 0.2), (0.8, 0.2, 0), (0, 0.2, 0.8)]
)
def test_a_share_of_0_never_happens(shares):
    """The splits of the paper's ablation (Devlin et al. 2018, appendix C.2) and the whole ones."""
    names = ("mask_share", "keep_share", "random_share")
    settings = masking("token", **dict(zip(names, shares, strict=True)))
    rows = rows_of("|" + "w" * 126 + "|", num_rows=100)
    masked = mask_rows(rows, settings, np.random.default_rng(0))
    shown = np.take_along_axis(masked.tokens, masked.positions, axis=1)
    shown, labels = shown[:, :19].ravel(), masked.labels[:, :19].ravel()
    found = [shown == MASK, shown == labels, shown < VOCAB_SIZE]
    assert [bool(kind.any()) for kind in found] == [share > 0 for share in shares]


def test_no_rows():
    rows = UnmaskedRows(*(values[:0] for values in rows_of("|w|")))
    masked = mask_rows(rows, masking("span"), np.random.default_rng(0))
    assert [values.shape for values in masked] == [(0, 3), (0, 20), (0, 20), (0,)]


def test_the_rows_given_stay_as_they_are():
    rows = rows_of("|wwwwww|")
    before = rows.tokens.copy()
    mask_rows(rows, masking("token"), np.random.default_rng(0))
    np.testing.assert_array_equal(rows.tokens, before)
