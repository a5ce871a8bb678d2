"""An export answers as Python does, wherever it lies and whoever loads it."""

import os
import shutil

import numpy as np
import pytest
import tensorflow as tf

import bert_keras
from bert_keras.config import MULTI_LABEL
from bert_keras.errors import InputError
from bert_keras.serving import Predictor
from bert_keras.serving.in_graph import length_groups
from bert_keras.serving.load import load_model
from bert_keras.serving.saved_model import export
from tests.serving.exports import LENGTH, ask, write_export, write_model

TEXTS = ["abc de", "", "a " * 5000, b"b\xffc \xe4", "[MASK] x [MASK]", "Ä", "b"]
# name -> the model, its config, the task
EXPORTS = {
    "labels": ("classifier", {}, "classification"),
    "sets": ("classifier", {"problem_type": MULTI_LABEL}, "classification"),
    "score": ("classifier", {"labels": ("score",)}, "classification"),
    "marks": ("masked_lm", {}, "fill_mask"),
    "choices": ("multiple_choice", {}, "multiple_choice"),
    "vector": ("bert", {}, "embedding"),
    "vectors": ("bert", {}, "features"),
    "tags": ("token_classifier", {"labels": ("O", "B-X", "I-X")}, "tagging"),
    "spans": ("question_answering", {}, "question_answering"),
}
TEXT_EXPORTS = [name for name in EXPORTS if name != "choices"]
FIELDS = {"spans": {"max_query_length": 4, "doc_stride": 3}}
QUESTION = "a b?"


def test_an_export_holds_all_that_is_known_of_the_model(exported):
    assert sorted(os.listdir(exported)) == [
        "README.md",
        "assets",
        "assets.extra",
        "config.json",
        "fingerprint.pb",
        "saved_model.pb",
        "signature.json",
        "task.json",
        "tokenizer_config.json",
        "variables",
        "vocab.txt",
        "weight_names.json",
    ]
    for name in ("vocab.txt", "assets/vocab.txt"):
        with open(f"{exported}/{name}") as file:
            assert file.read().startswith("[PAD]\n[UNK]\n")


def test_a_model_comes_back_from_its_export_bit_for_bit(model, exported):
    ours, theirs = load_model(exported), load_model(model, max_seq_length=LENGTH)
    assert (ours.task, ours.config) == (theirs.task, theirs.config)
    assert len(ours.model.weights) == len(theirs.model.weights)
    for one, other in zip(ours.model.weights, theirs.model.weights, strict=True):
        np.testing.assert_array_equal(one, other, strict=True)
    built, tokenizer = bert_keras.from_pretrained(exported, bert_keras.classifier)
    assert tokenizer.vocab == theirs.tokenizer.vocab
    np.testing.assert_array_equal(built.weights[-1], theirs.model.weights[-1])


def test_the_pooling_of_vectors_comes_back_too(model, tmp_path):
    folder = write_export(model, tmp_path, "embedding")
    assert load_model(folder).pooling.modes == ("mean",)
    assert load_model(folder).task == load_model(model, "embedding").task


def test_a_version_more_is_written_beside_the_others(exported):
    parent = os.path.dirname(exported)
    os.makedirs(f"{parent}/7/x")
    os.makedirs(f"{parent}/notes")
    assert write_export(exported, parent) == f"{parent}/8"


def test_what_cannot_be_written_leaves_nothing(model, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError):
        export(load_model(model), str(tmp_path / "file"))
    assert os.listdir(tmp_path) == ["file"]


def text_inputs(texts):
    return {"text": (texts, {"dtype": "string"})}


def question_inputs(contexts):
    of = {"dtype": "string"}
    return {"question": ([QUESTION] * len(contexts), of), "context": (contexts, of)}


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """Name of an export -> Python's answers, those of a batch, of its rows, and of no texts.

    The texts of a batch are run in groups of about one length, although they are short.
    """
    models, exports = tmp_path_factory.mktemp("models"), tmp_path_factory.mktemp("exports")
    moved = tmp_path_factory.mktemp("moved") / "a folder"
    expected, requests = {}, []
    for name, (model, config, task) in EXPORTS.items():
        folder = write_model(models / name, model, **config)
        fields = {"max_seq_length": LENGTH} | FIELDS.get(name, {})
        predictor = Predictor(folder, task, **fields)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(length_groups, "PADDING_AT_A_TIME", 2)
            version = write_export(folder, exports / name, task, **fields)
            if name == "labels":  # saved, loaded and saved again
                version = write_export(version, exports / name)
        version = f"{moved}/{name}/{os.path.basename(version)}"
        if name == "choices":
            expected[name] = predictor.predict([("abc d", ["a", "", "b c"]), ("e", ["f"] * 3)])
            inputs = [{"context": ["abc d", "e"], "choices": [["a", "", "b c"], ["f"] * 3]}]
            inputs += [{"context": ["e"], "choices": [["f"] * 3]}]
            requests += [
                (version, "serving_default", {key: (value, {}) for key, value in one.items()})
                for one in inputs
            ]
            continue
        texts = [text if isinstance(text, str) else text.decode(errors="ignore") for text in TEXTS]
        is_asked = name == "spans"
        expected[name] = [predictor.predict((QUESTION, one) if is_asked else one) for one in texts]
        batches = [TEXTS, [], *([text] for text in TEXTS)]
        inputs_of = question_inputs if is_asked else text_inputs
        requests += [(version, "serving_default", inputs_of(batch)) for batch in batches]
    shutil.rmtree(models)
    exports.rename(moved)
    found = iter(ask(requests, moved))
    return {
        name: (of_name, [next(found) for _ in range(2 if name == "choices" else 2 + len(TEXTS))])
        for name, of_name in expected.items()
    }


def close(ours, theirs):
    np.testing.assert_allclose(ours, theirs, atol=1e-5)


def assert_label(answer, expected):
    assert answer["label"].decode() == expected.label
    close(answer["probabilities"], [*expected.probabilities.values()])


def assert_labels(answer, expected):
    labels = np.array([name.decode() for name in answer["labels"]])
    assert [*labels[answer["is_label"]]] == expected.labels
    close(answer["probabilities"], [*expected.probabilities.values()])


def assert_score(answer, expected):
    close(answer["score"], expected.score)


def assert_marks(answer, expected):
    assert answer["num_masks"] == len(expected.masks)
    for place, candidates in enumerate(expected.masks):
        tokens, ids, scores = zip(*candidates, strict=True)
        assert [token.decode() for token in answer["token"][place]] == [*tokens]
        assert answer["token_id"][place].tolist() == [*ids]
        close(answer["score"][place], scores)


def assert_vector(answer, expected):
    close(answer["embedding"], expected.embedding)


def assert_vectors(answer, expected):
    num_tokens = answer["num_tokens"]
    assert [token.decode() for token in answer["tokens"][:num_tokens]] == expected.tokens
    close(answer["features"][:num_tokens], expected.features)
    assert not answer["features"][num_tokens:].any()


def texts_of(values):
    return [value.decode() for value in values]


def assert_tagged(answer, expected):
    for name, rows in (("word", expected.words), ("entity", expected.entities)):
        number = answer["num_words" if name == "word" else "num_entities"]
        assert number == len(rows)
        found = {key: values[:number] for key, values in answer.items() if key.startswith(name)}
        assert found[f"{name}_start"].tolist() == [row.start for row in rows]
        assert found[f"{name}_end"].tolist() == [row.end for row in rows]
        close(found[f"{name}_score"], [row.score for row in rows])
    assert texts_of(answer["words"][: len(expected.words)]) == [row.word for row in expected.words]
    assert texts_of(answer["word_label"][: len(expected.words)]) == [
        row.label for row in expected.words
    ]
    assert texts_of(answer["entity_type"][: len(expected.entities)]) == [
        row.type for row in expected.entities
    ]


def assert_answer(answer, expected):
    assert answer["answer"].decode() == expected.text
    assert (answer["start"], answer["end"]) == (expected.start, expected.end)
    close([answer["score"], answer["null_odds"]], [expected.score, expected.null_odds])
    number = answer["num_answers"]
    assert texts_of(answer["n_best_answer"][:number]) == [one.text for one in expected.n_best]
    close(answer["n_best_score"][:number], [one.score for one in expected.n_best])


CHECKS = {
    "labels": assert_label,
    "sets": assert_labels,
    "score": assert_score,
    "marks": assert_marks,
    "vector": assert_vector,
    "vectors": assert_vectors,
    "tags": assert_tagged,
    "spans": assert_answer,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", TEXT_EXPORTS)
def test_an_export_answers_as_python_does_in_a_batch_and_alone(answers, name):
    expected, (batch, none, *alone) = answers[name]
    for index, one in enumerate(expected):
        CHECKS[name]({key: values[index] for key, values in batch.items()}, one)
        CHECKS[name]({key: values[0] for key, values in alone[index].items()}, one)
    assert {len(values) for values in none.values()} == {0}
    shapes = {key: values.ndim for key, values in batch.items()}
    assert {key: values.ndim for key, values in none.items()} == shapes


@pytest.mark.slow
def test_an_export_chooses_as_python_does(answers):
    expected, (batch, alone) = answers["choices"]
    assert batch["choice"].tolist() == [answer.choice for answer in expected]
    close(batch["probabilities"], [answer.probabilities for answer in expected])
    close(alone["probabilities"], [expected[1].probabilities])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["labels", "tags"])
def test_core_operations_give_the_same_answers_where_there_is_nothing_else(name, tmp_path):
    model, config, task = EXPORTS[name]
    folder = write_model(tmp_path / "model", model, **config)
    loaded = load_model(folder, task, max_seq_length=LENGTH)
    version = export(loaded, str(tmp_path / "served"), core_ops_only=True)
    expected = Predictor(folder, task, max_seq_length=LENGTH).predict(["abc de", "", "Ä b"])
    request = (version, "serving_default", text_inputs(["abc de", "", "Ä b"]))
    [batch] = ask([request], tmp_path, packages=())
    for index, one in enumerate(expected):
        CHECKS[name]({key: values[index] for key, values in batch.items()}, one)


def test_a_model_that_has_learned_pairs_answers_them(tmp_path):
    folder = write_model(tmp_path / "model", "classifier")
    version = write_export(folder, tmp_path / "served", max_seq_length=LENGTH, is_pair=True)
    pairs = [("abc", "e"), ("d", "a b c d")]
    signatures = tf.saved_model.load(version).signatures
    for name in ("serving_default", "pairs"):
        text, text_b = (tf.constant(column) for column in zip(*pairs, strict=True))
        batch = signatures[name](text=text, text_b=text_b)
        for index, one in enumerate(Predictor(version).predict(pairs)):
            assert_label({key: values[index].numpy() for key, values in batch.items()}, one)


@pytest.mark.slow
def test_a_tagger_takes_words_as_they_are(tmp_path):
    model, config, task = EXPORTS["tags"]
    folder = write_model(tmp_path / "model", model, **config)
    version = write_export(folder, tmp_path / "served", max_seq_length=LENGTH)
    rows = [["a.b", "\u200b", "c"], ["d"]]
    expected = Predictor(folder, max_seq_length=LENGTH).predict(rows)
    request = (version, "words", {"words": ([rows[0], ["d", "", ""]], {"dtype": "string"})})
    [batch] = ask([request], tmp_path, packages=())
    for index, one in enumerate(expected):
        found = {key: values[index] for key, values in batch.items()}
        assert_tagged(found | {"words": [word.word.encode() for word in one.words]}, one)


@pytest.mark.slow
def test_the_other_signatures_compute_what_keras_does(tmp_path):
    folder = write_model(tmp_path / "model", "classifier")
    version = write_export(folder, tmp_path / "a folder", max_seq_length=LENGTH)
    inputs = {
        "input_ids": [[2, 5, 6, 3], [2, 7, 3, 0]],
        "input_mask": [[1, 1, 1, 1], [1, 1, 1, 0]],
        "segment_ids": [[0, 0, 1, 1], [0, 0, 0, 0]],
    }
    inputs = {name: np.array(rows, np.int32) for name, rows in inputs.items()}
    given = {name: (rows, {}) for name, rows in inputs.items()}
    features = {
        name: tf.train.Feature(int64_list=tf.train.Int64List(value=rows[0]))
        for name, rows in inputs.items()
    }
    example = tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString()
    of = {"dtype": "string"}
    requests = [
        (version, "tokens", given),
        (version, "token_ids", {"input_ids": given["input_ids"]}),
        (version, "examples", {"examples": ([example], {})}),
        (version, "pairs", {"text": (["abc", "d"], of), "text_b": (["e", ""], of)}),
    ]
    *numbers, pairs = ask(requests, tmp_path)
    tokens, token_ids, examples = (answer["logits"] for answer in numbers)
    loaded = load_model(folder, max_seq_length=LENGTH)
    close(tokens, loaded.model(inputs)["logits"])
    close(examples, tokens[:1])
    ones = np.ones_like(inputs["input_ids"])
    of_ids = inputs | {"input_mask": ones, "segment_ids": ones - 1}
    close(token_ids, loaded.model(of_ids)["logits"])
    expected = Predictor(folder, max_seq_length=LENGTH).predict([("abc", "e"), "d"])
    for probabilities, one in zip(pairs["probabilities"], expected, strict=True):
        close(probabilities, [*one.probabilities.values()])


def test_an_export_with_another_vocabulary_is_refused(exported, tmp_path):
    copy = shutil.copytree(exported, tmp_path / "copy")
    (copy / "vocab.txt").write_text("[PAD]\n")
    with pytest.raises(InputError, match="A model has one vocabulary. Received: .*copy/vocab.txt"):
        load_model(str(copy))
