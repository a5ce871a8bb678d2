import numpy as np
import pytest

import bert_keras
from bert_keras.checkpoints.pretrained import from_pretrained
from bert_keras.errors import InputError
from bert_keras.serving import Predictor
from tests.checkpoints import stored_models

TEXTS = ["a b c", "", "d", "a b c d e f g h", "b a"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Name of a model -> its folder."""
    root = tmp_path_factory.mktemp("models")

    def write(model):
        if not (root / model).exists():
            stored_models.write(stored_models.stored(model), root / model, "bert_keras")
        return root / model

    return write


def plain(answer):
    """The numbers of an answer, in the order in which they stand there."""
    if isinstance(answer, dict):
        answer = [*answer.values()]
    if isinstance(answer, list | tuple):
        return [number for one in answer for number in plain(one)]
    return [] if isinstance(answer, str) else np.ravel(answer).tolist()


@pytest.mark.parametrize(
    ("model", "task", "inputs"),
    [
        ("classifier", None, [*TEXTS, ("a b", "c")]),
        ("token_classifier", None, [*TEXTS, ["a", "b c"]]),
        ("question_answering", None, [("a", text) for text in TEXTS]),
        ("multiple_choice", None, [("a", ["b", text]) for text in TEXTS]),
        ("pretrainer", "fill_mask", [f"{text} [MASK]" for text in TEXTS]),
        ("bert", "embedding", TEXTS),
        ("bert", "features", TEXTS),
    ],
)
def test_each_input_has_the_answer_that_it_has_alone(folder, model, task, inputs):
    fields = {}
    if model == "question_answering":
        fields = {"max_seq_length": 12, "max_query_length": 4, "doc_stride": 3}
    predictor = Predictor(folder(model), task, **fields)
    together = predictor.predict(inputs, batch_size=2)
    assert len(together) == len(inputs)
    for one, answer in zip(inputs, together, strict=True):
        [alone] = predictor.predict([one])
        np.testing.assert_allclose(plain(answer), plain(alone), atol=1e-5)
    assert predictor.predict([]) == []


def test_answers_are_what_the_model_of_the_folder_computes(folder):
    model, tokenizer = from_pretrained(folder("classifier"), bert_keras.classifier)
    examples = bert_keras.encode(tokenizer, ["a b c"])
    inputs = {name: rows[0][np.newaxis] for name, rows in examples.tokens.items()}
    logits = model(inputs, training=False)["logits"].numpy()[0].astype(np.float64)
    answer = Predictor(folder("classifier")).predict("a b c")
    expected = np.exp(logits) / np.exp(logits).sum()
    np.testing.assert_allclose([*answer.probabilities.values()], expected, rtol=1e-5)
    assert answer.label == stored_models.CONFIG.labels[int(np.argmax(logits))]


def test_progress_is_told(folder):
    done = []
    Predictor(folder("classifier")).predict(TEXTS, 2, done.append)
    assert sum(done) == len(TEXTS)


def test_one_text_and_a_list_of_one_are_told_apart(folder):
    predictor = Predictor(folder("classifier"))
    single = predictor.predict("a")
    assert predictor.predict(["a"]) == [single]
    assert predictor.predict(("a", "b")) == predictor.predict([("a", "b")])[0]


def test_what_is_no_list_is_refused(folder):
    with pytest.raises(InputError, match="inputs must be a list, or one text. Received: 3"):
        Predictor(folder("classifier")).predict(3)


def test_other_names_are_none_of_the_package():
    with pytest.raises(AttributeError, match="no attribute 'Oracle'"):
        bert_keras.serving.Oracle  # noqa: B018
