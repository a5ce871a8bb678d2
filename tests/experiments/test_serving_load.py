"""The load on a tiny model: every request is answered."""

import random

import pytest

from bert_keras.serving.load import load_model
from bert_keras.serving.saved_model import export
from tests.checkpoints import stored_models

pytest.importorskip("tensorflow_serving.apis.predict_pb2")
from experiments import serving_load  # noqa: E402


def test_texts_are_empty_short_and_long_and_of_many_scripts():
    rng = random.Random(1)
    texts = [serving_load.text(rng) for _ in range(300)]
    lengths = sorted(len(text.split(" ")) if text else 0 for text in texts)
    assert lengths[0] == 0 and lengths[-1] > 3000 and lengths[150] < 500
    assert len({ord(text[0]) >> 8 for text in texts if text}) > 5


def test_requests_have_one_text_or_several():
    rng = random.Random(1)
    assert {len(serving_load.texts(rng)) for _ in range(30)} == {1, 6}


@pytest.mark.slow
def test_every_request_is_answered(tmp_path):
    stored_models.write(stored_models.stored("classifier"), tmp_path / "model", "bert_keras")
    version = export(load_model(str(tmp_path / "model")), str(tmp_path / "served"))
    settings = serving_load.Settings(
        version=version, num_clients=4, num_requests=25, num_settling=50
    )
    found = serving_load.load(settings)
    assert (found["num_requests"], found["num_errors"]) == (100, 0)
    assert found["p99_ms"] >= found["p50_ms"] > 0
    assert [*found["resident_mb_after_requests"]] == [50, 100]
