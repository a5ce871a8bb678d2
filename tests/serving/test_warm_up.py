import numpy as np
import pytest
import tensorflow as tf

from bert_keras.serving import warm_up

serving = pytest.importorskip("tensorflow_serving.apis.prediction_log_pb2")
TEXT = tf.TensorSpec([None], tf.string)
CHOICES = tf.TensorSpec([None, None], tf.string)


def test_requests_are_few_and_many_short_and_long():
    found = [*warm_up.requests({"context": TEXT, "choices": CHOICES}, 16)]
    assert [len(one["context"]) for one in found] == [1, 1, 8, 8, 32, 32, 2]
    assert {one["choices"].shape[1] for one in found} == {warm_up.NUM_CHOICES}
    lengths = [{len(text.split()) for text in one["context"]} for one in found]
    assert lengths == [{2}, {17}] * 3 + [{1, 17}]
    assert {text.split()[0] for one in found for text in one["context"]} == {"[MASK]"}


def test_the_file_holds_prediction_logs(tmp_path):
    signatures = {"serving_default": {"text": TEXT}, "pairs": {"text": TEXT, "text_b": TEXT}}
    warm_up.write(str(tmp_path), signatures, 16)
    records = tf.data.TFRecordDataset(str(tmp_path / warm_up.WARM_UP_FILE))
    logs = [serving.PredictionLog.FromString(record.numpy()) for record in records]
    *of_default, of_pairs = (log.predict_log.request for log in logs)
    assert of_pairs.model_spec.signature_name == "pairs" and len(of_pairs.inputs) == 2
    expected = [one["text"] for one in warm_up.requests({"text": TEXT}, 16)]
    for request, texts in zip(of_default, expected, strict=True):
        assert request.model_spec.signature_name == "serving_default"
        found = tf.make_ndarray(request.inputs["text"])
        np.testing.assert_array_equal(found.astype(str), texts.astype(str))
