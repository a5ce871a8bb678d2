"""Windows as inputs of a model, against the original's and the plain builder's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bert_keras.tasks.squad.features import prediction_features, training_features
from bert_keras.tasks.squad.packing import WindowSizes
from bert_keras.tasks.squad.reading import read_squad
from experiments import plain_answer_features
from tests.tasks.squad import reference
from tests.tasks.squad.reference import contents, question, write

# Ten pieces; beside a question of one piece a window shows five, and the next begins two later.
LETTERS = "a b c d e f g h . ?"
SIZES = WindowSizes(max_seq_length=9, doc_stride=2, max_query_length=2)


def rows_of(features, ids):
    """The examples as the reference files have them."""
    tokens = features.examples.tokens
    names = ("input_ids", "input_mask", "segment_ids")
    columns = [[row.tolist() for row in tokens[name]] for name in names]
    return [
        dict(zip(("qas_id", *names), values, strict=True))
        for values in zip(ids, *columns, strict=True)
    ]


@pytest.fixture
def letters(tmp_path):
    """A question on the letters, whose answer has this text and start."""

    def letters(*answer, **more):
        paragraph = (LETTERS, [question("x", [answer], **more)])
        return contents(read_squad(write(tmp_path / "letters.json", paragraph)))

    return letters


@pytest.mark.parametrize("version", reference.VERSIONS)
@pytest.mark.parametrize("name", ["features_predict", "features_train"])
def test_features_are_those_of_the_original(version, name):
    file, sizes = reference.golden_file(version), reference.golden_sizes(version)
    expected = reference.rows(version, name)
    predicted = prediction_features(*contents(file), reference.tokenizer(), sizes)
    features = predicted
    if name == "features_train":
        features = training_features(*contents(file), reference.tokenizer(), sizes)
        columns = (features.examples.values[f"{end}_positions"] for end in ("start", "end"))
        positions = [(row["start_position"], row["end_position"]) for row in expected]
        assert [*zip(*(column.tolist() for column in columns), strict=True)] == positions
    ids = [file.questions[placed.question].id for placed in predicted.windows]
    names = ("qas_id", "input_ids", "segment_ids")
    ones = [{"input_mask": [1] * len(row["input_ids"])} for row in expected]
    assert rows_of(features, ids) == [
        {key: row[key] for key in names} | mask for row, mask in zip(expected, ones, strict=True)
    ]
    assert [max_context(placed) for placed in predicted.windows] == [
        row["max_context"] for row in expected
    ]


def max_context(placed):
    return (np.flatnonzero(placed.window.has_max_context) + placed.offset).tolist()


@given(
    context=st.lists(st.sampled_from([*"abcdefgh.,", "ab", "abc"]), min_size=1, max_size=30),
    query=st.text(st.sampled_from("abc ?"), max_size=8),
    first=st.integers(0, 29),
    num_words=st.integers(1, 3),
    sizes=st.builds(WindowSizes, st.integers(8, 20), st.integers(1, 20), st.integers(0, 4)),
)
def test_features_are_those_of_the_plain_builder(
    tmp_path_factory, context, query, first, num_words, sizes
):
    first = min(first, len(context) - 1)
    start = len(" ".join([*context[:first], ""]))
    answer = " ".join(context[first : first + num_words])
    path = tmp_path_factory.getbasetemp() / "plain.json"
    write(path, (" ".join(context), [question(query, [(answer, start)])]))
    tokenizer = reference.small_tokenizer()
    (example,) = plain_answer_features.read_examples(str(path))
    expected = plain_answer_features.features(example, tokenizer.vocab, True, *sizes)
    features = training_features(*contents(read_squad(str(path))), tokenizer, sizes)
    predicted = prediction_features(*contents(read_squad(str(path))), tokenizer, sizes)
    tokens, values = features.examples
    found = zip(
        tokens["input_ids"],
        tokens["segment_ids"],
        map(max_context, predicted.windows),
        values["start_positions"],
        values["end_positions"],
        strict=True,
    )
    for (ids, segment_ids, places, *positions), feature in zip(found, expected, strict=True):
        assert ids.tolist() == feature.input_ids
        assert segment_ids.tolist() == feature.segment_ids
        assert places == feature.max_context
        assert positions == [feature.start_position, feature.end_position]


def test_windows_without_the_answer_are_learned_as_having_none(letters):  # bert#801
    features = training_features(*letters("g", 12), reference.small_tokenizer(), SIZES)
    assert features.examples.values["start_positions"].tolist() == [0, 7, 5, 3]
    assert features.examples.values["start_positions"].dtype == np.int32


def test_they_can_be_left_out(letters):
    features = training_features(*letters("g", 12), reference.small_tokenizer(), SIZES, False)
    assert features.examples.values["start_positions"].tolist() == [7, 5, 3]
    assert len(features.examples.lengths) == 3


def test_windows_of_an_impossible_question_stay(letters):
    questions = letters("g", 12, is_impossible=True)
    features = training_features(*questions, reference.small_tokenizer(), SIZES, False)
    assert features.examples.values["end_positions"].tolist() == [0, 0, 0, 0]


def test_a_question_whose_answer_is_lost_is_left_out_and_named(tmp_path):
    lost, moved = question("x", [("b", 7)], "lost"), question("x", [("a", 1)], "moved")
    path = write(tmp_path / "f.json", (LETTERS, [lost, moved]))
    features = training_features(*contents(read_squad(path)), reference.small_tokenizer(), SIZES)
    assert (features.lost, features.moved) == (["lost"], ["moved"])
    assert features.examples.values["start_positions"].tolist() == [3, 0, 0, 0]


def test_of_several_answers_the_first_is_learned(tmp_path):
    path = write(tmp_path / "f.json", ("a b", [question("x", [("b", 2), ("a", 0)])]))
    features = training_features(*contents(read_squad(path)), reference.small_tokenizer(), SIZES)
    assert features.examples.values["start_positions"].tolist() == [4]


@pytest.mark.parametrize(
    ("context", "query", "pieces"),
    [
        ("a", "", [["[CLS]", "[SEP]", "a", "[SEP]"]]),
        ("a", "x x x x", [["[CLS]", "x", "x", "[SEP]", "a", "[SEP]"]]),
        ("", "x", []),
        (" \u200b ", "x", []),
    ],
)
def test_empty_and_long_texts(tmp_path, context, query, pieces):
    path = write(tmp_path / "f.json", (context, [question(query)]))
    tokenizer = reference.small_tokenizer()
    examples = prediction_features(*contents(read_squad(path)), tokenizer, SIZES).examples
    assert [*map(tokenizer.convert_ids_to_tokens, examples.tokens["input_ids"])] == pieces


def test_the_longest_question_leaves_room_for_a_piece(tmp_path):  # google-research/bert#29
    path = write(tmp_path / "f.json", (LETTERS, [question(" ".join(["x"] * 64))]))
    sizes = WindowSizes(max_seq_length=68, doc_stride=128, max_query_length=64)
    features = prediction_features(*contents(read_squad(path)), reference.small_tokenizer(), sizes)
    assert features.examples.lengths.tolist() == [68] * 10


def test_masks_and_segments_share_their_memory(letters):
    tokens = prediction_features(*letters("g", 12), reference.small_tokenizer(), SIZES).examples[0]
    for name in ("input_mask", "segment_ids"):
        assert all(np.shares_memory(row, tokens[name][0]) for row in tokens[name])
        with pytest.raises(ValueError, match="read-only"):
            tokens[name][0][0] = 7
