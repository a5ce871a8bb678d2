import dataclasses

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given
from hypothesis import strategies as st

from bert_keras.checkpoints.names import OUTPUT_BIAS, POSITIONS, WORDS, is_state
from bert_keras.checkpoints.surgery.vocabulary import change_vocabulary, truncated_normal
from bert_keras.errors import InputError
from bert_keras.models.pretrainer import pretrainer
from bert_keras.tokenizers.vocabulary import SPECIAL_TOKENS
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer
from tests import golden_model
from tests.checkpoints.surgery import models

WAYS = ("mean", "random")
OLD = [*SPECIAL_TOKENS, "[unused0]", "sea", "port", "par", "a", "##is", "##s", "##t", "##ty"]
RELEASED = golden_model.FOLDER.parent / "vocab"


@pytest.fixture
def stored():
    return models.of_arrays(models.tokenizer(OLD))


def tables(stored) -> tuple[np.ndarray, np.ndarray]:
    return stored.weights.read(WORDS), stored.weights.read(OUTPUT_BIAS)


def rows(stored, *tokens) -> list[np.ndarray]:
    """The rows of each table that belong to the tokens."""
    ids = stored.tokenizer.convert_tokens_to_ids(tokens)
    return [table[ids] for table in tables(stored)]


def assert_equal_rows(new, old, tokens):
    for actual, expected in zip(rows(new, *tokens), rows(old, *tokens), strict=True):
        np.testing.assert_array_equal(actual.view(np.int32), expected.view(np.int32))


def assert_same(new, old):
    assert new.config == old.config
    expected = models.values(old)
    assert new.weights.shapes == old.weights.shapes
    for name, value in models.values(new).items():
        np.testing.assert_array_equal(value.view(np.int32), expected[name].view(np.int32))


words = st.text("ab#", min_size=1, max_size=4)
vocabularies = st.lists(words, max_size=20, unique=True).flatmap(
    lambda tokens: st.permutations(["[UNK]", "[PAD]", "a", *(set(tokens) - {"a"})])
)


@given(vocabularies, vocabularies, st.sampled_from(WAYS), st.integers(0, 5))
def test_token_of_both_vocabularies_keeps_its_rows(old_tokens, new_tokens, way, num_padding):
    tokenizer = models.tokenizer(old_tokens)
    old = models.of_arrays(tokenizer, tokenizer.vocab_size + num_padding)
    new = change_vocabulary(old, models.tokenizer(new_tokens), way)
    assert_equal_rows(new, old, sorted(set(old_tokens) & set(new_tokens)))
    assert [len(table) for table in tables(new)] == [len(new_tokens)] * 2
    assert all(np.isfinite(table).all() for table in tables(new))
    assert new.config.vocab_size == len(new_tokens)


@given(vocabularies, vocabularies, st.sampled_from(WAYS), st.randoms())
def test_grown_and_shrunk_again_it_is_the_original(old_tokens, added, way, random):
    old = models.of_arrays(models.tokenizer(old_tokens))
    grown = sorted({*old_tokens, *added})
    random.shuffle(grown)
    between = change_vocabulary(old, models.tokenizer(grown), way)
    assert_same(change_vocabulary(between, old.tokenizer, way), old)


@given(vocabularies, vocabularies)
def test_random_row_depends_on_seed_and_token_alone(first, second):
    old = models.of_arrays(models.tokenizer(["[UNK]", "a"]))
    one = change_vocabulary(old, models.tokenizer(first), "random", seed=3)
    other = change_vocabulary(old, models.tokenizer(second), "random", seed=3)
    assert_equal_rows(one, other, sorted(set(first) & set(second)))


@pytest.mark.parametrize(
    ("token", "pieces"),
    [
        ("paris", ["par", "##is"]),
        ("party", ["par", "##ty"]),  # the longest piece first
        ("PARIS", ["par", "##is"]),  # by the case setting of the model's tokenizer
        ("pâris", ["par", "##is"]),
        ("Sea", ["sea"]),
        ("##ists", ["##is", "##t", "##s"]),
        ("##TYS", ["##ty", "##s"]),
    ],
)
def test_new_token_is_the_mean_of_its_old_pieces(stored, token, pieces):
    new = change_vocabulary(stored, models.tokenizer(["[UNK]", "a", token], do_lower_case=False))
    for table, of_pieces in zip(tables(new), rows(stored, *pieces), strict=True):
        expected = np.float64(of_pieces).sum(axis=0) / len(pieces)
        np.testing.assert_allclose(table[-1], expected, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize(
    "token", ["seaport", "##sea", "par-is", "##", "[unused1]", "[sea]", "\u0301", "a" * 201]
)
def test_token_without_old_pieces_is_random_and_counted(stored, token, capsys):
    """Of "seaport" the end is unknown; "sea" is a piece at the start of a word alone."""
    new = change_vocabulary(stored, models.tokenizer(["[UNK]", "a", token]), "mean", seed=7)
    row = truncated_normal(token, 7, models.WIDTH, 0.02).astype(np.float32)
    np.testing.assert_array_equal(tables(new)[0][-1], row)
    assert tables(new)[1][-1] == 0
    assert (
        "2 rows are kept, 0 begin with the mean of their old pieces, 1 at random; 12 old ones"
        in (capsys.readouterr().err)
    )


def test_vocabulary_without_continuations_has_pieces_all_the_same():
    old = models.of_arrays(models.tokenizer(["[UNK]", "sea", "a"]))
    new = change_vocabulary(old, models.tokenizer(["[UNK]", "a", "SEA", "##a"]))
    np.testing.assert_array_equal(tables(new)[0][2], rows(old, "sea")[0][0])
    np.testing.assert_array_equal(
        tables(new)[0][3], np.float32(truncated_normal("##a", 0, 3, 0.02))
    )


def test_marks_are_no_words_though_they_had_pieces():
    old = models.of_arrays(models.tokenizer(["[UNK]", "a", "[", "##a", "##]"]))
    new = change_vocabulary(old, models.tokenizer(["[UNK]", "a", "[a]", "[a"]))
    mark, word = tables(new)[0][2:]
    np.testing.assert_array_equal(mark, np.float32(truncated_normal("[a]", 0, 3, 0.02)))
    np.testing.assert_allclose(word, rows(old, "[", "##a")[0].mean(axis=0), rtol=1e-6)


def test_random_rows_do_not_look_at_pieces(stored):
    new = change_vocabulary(stored, models.tokenizer([*OLD, "paris"]), "random", seed=1)
    row = truncated_normal("paris", 1, models.WIDTH, 0.02).astype(np.float32)
    np.testing.assert_array_equal(tables(new)[0][-1], row)
    assert tables(new)[1][-1] == 0


def test_random_rows_are_normal_numbers_cut_at_two_deviations():
    sample = np.concatenate([truncated_normal(f"t{i}", 0, 100, 0.02) for i in range(500)])
    assert np.abs(sample).max() <= 0.04
    deviation = 0.02 * 0.87963  # of a normal number between -2 and 2
    np.testing.assert_allclose(sample.std(), deviation, rtol=0.01)
    np.testing.assert_allclose(sample.mean(), 0, atol=4 * deviation / np.sqrt(len(sample)))
    assert not np.array_equal(truncated_normal("t", 0, 9, 1.0), truncated_normal("t", 1, 9, 1.0))


def test_rows_that_pad_the_table_are_left_out(stored, capsys):
    padded = models.of_arrays(stored.tokenizer, num_rows=16)
    new = change_vocabulary(padded, models.tokenizer([*OLD, "seas"]))
    assert new.config.vocab_size == len(OLD) + 1
    assert "14 rows are kept" in (notice := capsys.readouterr().err)
    assert "2 old ones are left out" in notice


def test_id_without_a_token_in_either_vocabulary_keeps_its_row(stored):
    padded = models.of_arrays(stored.tokenizer, num_rows=16)
    gap = {**stored.tokenizer.vocab, "seas": 15}  # 14 has none
    new = change_vocabulary(padded, WordPieceTokenizer(gap))
    np.testing.assert_array_equal(tables(new)[0][14], tables(padded)[0][14])


def test_new_id_without_a_token_takes_no_row_of_a_token():
    """Its name inside is not to be read as text: 3 is a token."""
    old = models.of_arrays(models.tokenizer(["[UNK]", "a", "3"]))
    new = change_vocabulary(old, WordPieceTokenizer({"[UNK]": 0, "a": 1, "3": 2, "b": 4}))
    assert not (tables(new)[0][3] == tables(old)[0][2]).any()


def test_blank_lines_at_other_places_are_not_matched(tmp_path):
    vocabularies = tmp_path / "old.txt", tmp_path / "new.txt"
    for path, lines in zip(vocabularies, ("[UNK]\n\na\n\n", "[UNK]\n\na\n"), strict=True):
        path.write_text(lines)
    old = models.of_arrays(WordPieceTokenizer(vocabularies[0]))
    new = change_vocabulary(old, WordPieceTokenizer(vocabularies[1]))
    np.testing.assert_array_equal(tables(new)[0], tables(old)[0][:3])


def test_blank_and_repeated_lines_keep_their_rows(tmp_path):
    path = tmp_path / "vocab.txt"
    path.write_text("[UNK]\n\na\nb\n\na\n")
    old = models.of_arrays(WordPieceTokenizer(path))
    assert_same(change_vocabulary(old, WordPieceTokenizer(path)), old)


def test_ids_of_a_config_follow_their_tokens(stored):
    new = change_vocabulary(stored, models.tokenizer(OLD[::-1]))
    assert new.config.other_keys == {"pad_token_id": len(OLD) - 1, "bos_token_id": None}
    without = change_vocabulary(stored, models.tokenizer(OLD[1:]))
    assert without.config.other_keys["pad_token_id"] is None


def test_nothing_is_read_before_it_is_asked_for_and_the_rest_is_not_touched(stored):
    asked = []

    def read(name):
        asked.append(name)
        return stored.weights.read(name)

    weights = dataclasses.replace(stored.weights, read=read)
    new = change_vocabulary(
        dataclasses.replace(stored, weights=weights), models.tokenizer([*OLD, "seas"])
    )
    assert not asked
    assert new.weights.read(POSITIONS) is stored.weights.read(POSITIONS)
    assert asked == [POSITIONS]


@pytest.fixture(scope="module")
def grown():
    """The golden model, with 40 more tokens and all of them in another order."""
    tokens = [*models.golden_tokens(), *(f"{letter}zebu" for letter in models.LETTERS)]
    tokens += [f"##{letter}zo" for letter in models.LETTERS[:14]]
    order = np.random.default_rng(1).permutation(len(tokens))
    return change_vocabulary(models.golden(), models.tokenizer([tokens[i] for i in order]))


@pytest.fixture(scope="module")
def grown_model(grown):
    return models.loaded(grown, pretrainer)


def new_ids(grown) -> np.ndarray:
    return np.array(grown.tokenizer.convert_tokens_to_ids(models.golden_tokens()), np.int32)


def test_old_tokens_give_what_they_gave_wherever_their_ids_are(grown, grown_model):
    text = "Baba dedi, cucafi xyz"
    assert grown.tokenizer.tokenize(text) == models.golden().tokenizer.tokenize(text)
    model, inputs = grown_model[0], golden_model.inputs()
    moved = {**inputs, "input_ids": tf.gather(new_ids(grown), inputs["input_ids"])}
    expected, actual = golden_model.model()(inputs), model(moved)
    np.testing.assert_allclose(
        tf.gather(actual["masked_lm_logits"], new_ids(grown), axis=-1),
        expected["masked_lm_logits"],
        rtol=0,
        atol=1e-6,
    )
    np.testing.assert_array_equal(actual["next_sentence_logits"], expected["next_sentence_logits"])


def test_every_weight_has_a_place_and_the_tied_table_is_one(grown, grown_model):
    _, report = grown_model
    assert (report.missing, report.unused) == ([], [])
    assert grown.weights.shapes.keys() == models.golden().weights.shapes.keys()
    tables_of_words = [s for s in grown.weights.shapes.values() if s[0] == grown.config.vocab_size]
    assert sorted(tables_of_words) == [(200,), (200, 32)]


def test_it_trains_with_its_new_tokens(grown):
    model, _ = models.loaded(grown, pretrainer)
    batch = golden_model.features()
    first_new = grown.tokenizer.vocab["azebu"]
    batch["masked_lm_ids"] = tf.fill(tf.shape(batch["masked_lm_ids"]), first_new)
    losses = []
    for _ in range(4):
        with tf.GradientTape() as tape:
            loss = golden_model.loss(model, batch)
        losses.append(float(loss))
        gradients = tape.gradient(loss, model.trainable_variables)
        for variable, gradient in zip(model.trainable_variables, gradients, strict=True):
            variable.assign_sub(0.1 * tf.convert_to_tensor(gradient))
    assert losses == sorted(losses, reverse=True)


def test_state_of_a_training_is_left_out_and_said(capsys):
    stored = models.golden("trained_model.ckpt-8")
    new = change_vocabulary(stored, models.tokenizer([*models.golden_tokens(), "zebu"]))
    assert not any(map(is_state, new.weights.shapes))
    assert "the state of its training" in capsys.readouterr().err


def test_other_case_setting_is_said(stored, capsys):
    change_vocabulary(stored, models.tokenizer(OLD, do_lower_case=False, strip_accents=True))
    assert "were True and True, and are False and True" in capsys.readouterr().err


def test_released_uncased_model_takes_the_cased_vocabulary():
    uncased, cased = (
        WordPieceTokenizer(RELEASED / f"bert-base-{case}-vocab.txt", do_lower_case=lower)
        for case, lower in (("uncased", True), ("cased", False))
    )
    old = models.of_arrays(uncased)
    new = change_vocabulary(old, cased)
    common = sorted(uncased.vocab.keys() & cased.vocab.keys())
    assert len(common) > 15_000
    assert_equal_rows(new, old, common)
    for table, of_old in zip(
        rows(new, "Paris", "José", "##ING"), rows(old, "paris", "jose", "##ing"), strict=True
    ):
        np.testing.assert_array_equal(table, of_old)


def test_vocabularies_must_share_a_word(stored):
    with pytest.raises(InputError, match=r"besides marks.*Received: 7 tokens.*'мо'.*'##ty'"):
        change_vocabulary(stored, models.tokenizer([*SPECIAL_TOKENS, "[unused0]", "мо"]))


def test_blank_lines_are_no_common_word():
    blank = WordPieceTokenizer({"[UNK]": 0, "": 1, "a": 2})
    with pytest.raises(InputError, match="must share tokens"):
        change_vocabulary(models.of_arrays(blank), WordPieceTokenizer({"[UNK]": 0, "": 1, "b": 2}))


def test_unknown_way_is_an_error(stored):
    with pytest.raises(InputError, match="one of mean, random. Received: 'zeros'"):
        change_vocabulary(stored, stored.tokenizer, "zeros")


def test_model_must_have_a_vocabulary_that_fits_its_table(stored):
    with pytest.raises(InputError, match=r"Received: arrays without one. Put its vocab.txt"):
        change_vocabulary(dataclasses.replace(stored, tokenizer=None), stored.tokenizer)
    longer = models.tokenizer([*OLD, "seas"])
    with pytest.raises(InputError, match="larger than vocab_size=14.*Received: 15 entries"):
        change_vocabulary(dataclasses.replace(stored, tokenizer=longer), longer)


def test_output_bias_must_have_an_entry_for_each_row():
    stored = models.of_arrays(models.tokenizer(OLD), **{OUTPUT_BIAS: np.zeros(9, np.float32)})
    with pytest.raises(InputError, match=r"output_bias has the shape \[9\].*vocab_size=14"):
        change_vocabulary(stored, stored.tokenizer)
