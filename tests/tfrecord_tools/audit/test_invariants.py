"""Every rule is broken once: the audit names it, the record and what stands there."""

import pytest

from tests.tfrecord_tools.audit.hand_made import (
    CLS,
    LENGTH,
    MASK,
    PAD,
    SEP,
    TOKENS,
    A,
    B,
    C,
    audited,
    batch_of,
    masked,
    padded,
    token_ids,
    unmasked,
    with_changes,
)
from tfrecord_tools.audit.invariants import MAX_NUM_IDS, Invariants
from tfrecord_tools.audit.problems import Problems
from tfrecord_tools.audit.restoration import restore

LAST = LENGTH - 1

# [CLS] a b ##x [SEP] c d [SEP], padding of 4; positions 1 and 6 are to be predicted, one slot free
BROKEN = {
    "mask with a gap": ({"input_mask": {2: 0}}, "input_mask is ones", "input_mask[2] is 0"),
    "mask of another value": ({"input_mask": {7: 2}}, "input_mask is ones", "input_mask[7] is 2"),
    "padding holds an id": ({"input_ids": {9: A}}, "are 0 in the padding", "input_ids[9] is 5"),
    "segment in the padding": ({"segment_ids": {9: 1}}, "segment_ids are 0", "segment_ids[9] is 1"),
    "segment goes back": ({"segment_ids": {1: 1}}, "segment_ids are 0", "segment_ids[1] is 1"),
    "segment of another value": ({"segment_ids": {3: 2}}, "segment_ids", "segment_ids[3] is 2"),
    "label": ({"next_sentence_labels": {0: 2}}, "labels are 0 or 1", "labels[0] is 2"),
    "weight": ({"masked_lm_weights": {1: 0.5}}, "weights are 1.0", "weights[1] is 0.5"),
    "weight after none": ({"masked_lm_weights": {0: 0.0}}, "weights are 1.0", "weights[0] is 0.0"),
    "position in the padding": (
        {"masked_lm_positions": {1: 9}},
        "within the record",
        "positions[1] is 9",
    ),
    "position below 0": ({"masked_lm_positions": {0: -1}}, "within the record", "[0] is -1"),
    "position beyond the end": (
        {"masked_lm_positions": {1: LENGTH}},
        "within the record",
        f"positions[1] is {LENGTH}",
    ),
    "position twice": ({"masked_lm_positions": {1: 1}}, "ascend and differ", "positions[1] is 1"),
    "positions descend": ({"masked_lm_positions": {0: 6, 1: 1}}, "ascend and differ", "[1] is 1"),
    "mask on [CLS]": ({"masked_lm_positions": {0: 0}}, "never masked", "positions[0] is 0"),
    "mask on the first [SEP]": ({"masked_lm_positions": {0: 4}}, "never masked", "[0] is 4"),
    "mask on the last [SEP]": ({"masked_lm_positions": {1: 7}}, "never masked", "[1] is 7"),
    "position without weight": ({"masked_lm_positions": {2: 5}}, "positions without", "[2] is 5"),
    "id without weight": ({"masked_lm_ids": {2: A}}, "ids without weight", "ids[2] is 5"),
    "id beyond the vocabulary": (
        {"input_ids": {2: len(TOKENS)}},
        "input_ids are in the vocabulary",
        f"input_ids[2] is {len(TOKENS)}",
    ),
    "id below 0": ({"input_ids": {2: -1}}, "input_ids are in the vocabulary", "input_ids[2] is -1"),
    "predicted id": ({"masked_lm_ids": {0: 99}}, "masked_lm_ids are in the", "ids[0] is 99"),
    "[PAD] to be predicted": ({"masked_lm_ids": {1: PAD}}, "no special token", "ids[1] is 0"),
    "[MASK] to be predicted": ({"masked_lm_ids": {1: MASK}}, "no special token", "ids[1] is 4"),
    "no [CLS]": ({"input_ids": {0: A}}, "stand as [CLS] a", "restored text[0] is 5"),
    "no [SEP] after a": ({"input_ids": {4: A}}, "stand as [CLS] a", "restored text[4] is 5"),
    "no [SEP] after b": ({"input_ids": {7: A}}, "stand as [CLS] a", "restored text[7] is 5"),
    "[PAD] within a": ({"input_ids": {2: PAD}}, "within a text", "restored text[2] is 0"),
    "[CLS] within b": ({"input_ids": {5: CLS}}, "within a text", "restored text[5] is 2"),
    "[SEP] within a": ({"input_ids": {3: SEP}}, "within the texts of a pair", "text[3] is 3"),
    "[SEP] within b": ({"input_ids": {5: SEP}}, "within the texts of a pair", "text[5] is 3"),
    "[MASK] without prediction": ({"input_ids": {2: MASK}}, "within a text", "text[2] is 4"),
}
BROKEN_WITHOUT_MASKS = {
    "[MASK]": ({"input_ids": {2: MASK}}, "within a text", "restored text[2] is 4"),
    "word starts at [CLS]": ({"starts_word": {0: 1}}, "starts_word is 1", "starts_word[0] is 1"),
    "word starts at [SEP]": ({"starts_word": {4: 1}}, "starts_word is 1", "starts_word[4] is 1"),
    "word starts in padding": ({"starts_word": {LAST: 1}}, "starts_word is 1", f"[{LAST}] is 1"),
    "word start of 2": ({"starts_word": {1: 2}}, "starts_word is 1", "starts_word[1] is 2"),
    "label": ({"next_sentence_labels": {0: -1}}, "labels are 0 or 1", "labels[0] is -1"),
}


@pytest.mark.parametrize(("changes", "rule", "received"), BROKEN.values(), ids=BROKEN)
def test_a_broken_record_is_named(changes, rule, received, tmp_path):
    assert_named(masked(), changes, rule, received, tmp_path)


@pytest.mark.parametrize(
    ("changes", "rule", "received"), BROKEN_WITHOUT_MASKS.values(), ids=BROKEN_WITHOUT_MASKS
)
def test_a_broken_record_without_masks_is_named(changes, rule, received, tmp_path):
    assert_named(unmasked(), changes, rule, received, tmp_path)


def assert_named(features, changes, rule, received, folder):
    batch = batch_of([features, with_changes(features, **changes), features])
    problems = Problems()
    is_sound = Invariants(token_ids(folder), problems).check(batch, restore(batch))
    assert is_sound.tolist() == [True, False, True]
    problem = next(problem for problem in problems if rule in problem.rule)
    assert problem.count == 1
    assert problem.examples[0].startswith("set.tfrecord, record 2: ")
    assert received in problem.examples[0]


@pytest.mark.parametrize(
    "record",
    [
        masked(),
        masked(predictions=()),
        masked(predictions=((1, MASK), (2, SEP), (5, CLS))),  # random tokens may be special
        masked(text_b=(), predictions=((1, MASK),)),
        masked((A,) * 5, (B,) * 4, ((1, A),)),  # no padding
        unmasked(),
        unmasked(text_b=()),
        masked((A, SEP, B, SEP, B), (), ((1, MASK),)),  # the ends of three documents
        masked((A,), (B,), ()),
    ],
)
def test_a_sound_record_breaks_nothing(record, tmp_path):
    batch, problems = batch_of([record]), Problems()
    assert Invariants(token_ids(tmp_path), problems).check(batch, restore(batch)).all()
    assert not len(problems)


def test_a_broken_record_ends_the_audit_with_status_1(tmp_path):
    broken = with_changes(masked(), next_sentence_labels={0: 2})
    report = audited(tmp_path, [masked()] * 2, [masked(), broken])
    assert report.status == 1
    assert report.problems[0].examples == [
        f"{tmp_path / '1.tfrecord'}, record 2: next_sentence_labels[0] is 2"
    ]


NO_TOKENS = {name: [type(value)(0) for value in of_name] for name, of_name in masked().items()}


def two_texts(text_a, text_b):
    """`[CLS] a [SEP] b [SEP]`, be a or b empty or not."""
    ids = [CLS, *text_a, SEP, *text_b, SEP]
    features = masked((A, B), (C,), ()) | padded(len(ids), len(text_a) + 2, 0, LENGTH)
    return features | {"input_ids": ids + [0] * (LENGTH - len(ids))}


@pytest.mark.parametrize("has_vocabulary", [False, True])
@pytest.mark.parametrize(
    ("record", "place"),
    [
        (NO_TOKENS, 0),
        (masked((), (), ()), 1),
        (two_texts((), (A,)), 1),
        (two_texts((A,), ()), 3),
        (two_texts((), ()), 1),
        (with_changes(two_texts((A,), (B,)), segment_ids={1: 1, 2: 1}), 0),
    ],
)
def test_an_empty_text_is_named(record, place, has_vocabulary, tmp_path):
    report = audited(tmp_path, [masked(), record], has_vocabulary=has_vocabulary)
    (problem,) = [p for p in report.problems if p.rule == "each text has at least 1 token"]
    assert problem.count == 1
    assert f"record 2: restored text[{place}] is " in problem.examples[0]


@pytest.mark.parametrize(
    ("text", "place"),
    [((SEP, A), 1), ((A, SEP), 3), ((A, SEP, SEP, B), 3), ((SEP,), 1)],
)
def test_an_empty_document_of_a_record_of_one_text_is_named(text, place, tmp_path):
    one_text = masked((A, B), (), ())
    (problem,) = audited(tmp_path, [one_text, masked(text, (), ())]).problems
    assert problem.rule == "between two [SEP] of one text is at least 1 token"
    assert f"record 2: restored text[{place}] is 3" in problem.examples[0]


def test_one_text_in_a_set_of_pairs_is_named_wherever_it_stands(tmp_path):
    one_text = masked(text_b=(), predictions=((1, MASK),))
    for number in (1, 3):
        records = [masked()] * 2
        records.insert(number - 1, one_text)
        (problem,) = audited(tmp_path, records).problems
        assert problem.rule == "where one record has two texts, all have"
        assert problem.examples == [
            f"{tmp_path}/0.tfrecord, record {number}: segment_ids are all 0"
        ]
    report = audited(tmp_path, [one_text] * 2, [masked()], [one_text])
    assert [problem.count for problem in report.problems] == [3]


def test_a_set_of_single_texts_is_sound_and_stays_so_beside_a_broken_pair(tmp_path):
    one_text = masked(text_b=(), predictions=((1, MASK),))
    assert not audited(tmp_path, [one_text] * 3).problems
    report = audited(tmp_path, [one_text, two_texts((), (A,)), one_text])
    assert [problem.count for problem in report.problems] == [1]


def test_label_1_needs_a_second_text(tmp_path):
    records = [masked(text_b=(), predictions=(), label=label) for label in (0, 1)]
    (problem,) = audited(tmp_path, records).problems
    assert problem.rule == "next_sentence_labels are 0 where there is one text"
    assert "record 2: next_sentence_labels[0] is 1" in problem.examples[0]


@pytest.mark.parametrize("feature", ["input_ids", "masked_lm_ids"])
@pytest.mark.parametrize("id_", [-1, MAX_NUM_IDS])
def test_without_vocabulary_ids_that_none_can_have_are_named(feature, id_, tmp_path):
    records = [masked(), with_changes(masked(), **{feature: {1: id_}})]
    (problem,) = audited(tmp_path, records, has_vocabulary=False).problems
    assert problem.rule == f"{feature} are in the vocabulary"
    assert f"record 2: {feature}[1] is {id_}" in problem.examples[0]


def test_without_vocabulary_the_structure_is_checked_all_the_same(tmp_path):
    broken = with_changes(masked(), masked_lm_positions={0: 4})
    report = audited(tmp_path, [masked(), broken], has_vocabulary=False)
    assert [problem.count for problem in report.problems] == [1]
    assert any("--vocab_file is needed" in text for _, text in report.lines)


def test_the_first_few_records_are_listed_and_all_are_counted(tmp_path):
    broken = with_changes(masked(), next_sentence_labels={0: 7})
    (problem,) = audited(tmp_path, [broken] * 2000).problems
    assert problem.count == 2000
    assert [example.split(":")[0].split()[-1] for example in problem.examples] == list("12345")


def test_broken_records_are_left_out_of_the_statistics(tmp_path):
    broken = with_changes(masked(label=1), masked_lm_positions={1: 99}, masked_lm_ids={0: 99})
    report = audited(tmp_path, [masked(), broken])
    assert report.values["label_histogram"] == [1, 0]
    assert report.values["num_records"] == 2
