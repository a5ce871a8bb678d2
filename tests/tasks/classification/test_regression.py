import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr

from bert_keras.errors import InputError
from bert_keras.tasks.classification import regression
from bert_keras.tasks.classification.reading import Example
from bert_keras.tasks.tables import Row


def examples(*answers):
    return [Example("", "a", "b", answer, "dev.tsv, line 2") for answer in answers]


def test_numbers_are_read_as_they_are_written():
    for value, number in (("4.750", 4.75), (" -1e2", -100.0), (3, 3.0), ("0", 0.0)):
        assert regression.read(Row("dev.tsv", 2, {"score": value}), ("score",)) == number


@pytest.mark.parametrize("value", ["high", "", "nan", "inf", "1e39", "4,5", "1_0", True])
def test_what_is_no_number_is_refused_by_its_place(value):
    with pytest.raises(InputError, match="dev.tsv, line 2: the column 'score' must hold a number"):
        regression.read(Row("dev.tsv", 2, {"score": value}), ("score",))


def test_what_is_learned_is_shown():
    assert regression.describe(examples(0.5, 5, -1)) == "numbers from -1 to 5"


def test_correlations_are_those_of_scipy():
    answers, logits = [0.0, 2.5, 2.5, 5.0], np.array([[0.3], [0.1], [2.0], [4.0]], np.float32)
    scores = regression.score(logits, examples(*answers), ("score",), regression.ANSWERS.metrics)
    assert scores == {
        "spearman": pytest.approx(spearmanr(answers, logits[:, 0]).statistic),
        "pearson": pytest.approx(pearsonr(answers, logits[:, 0]).statistic),
    }


@pytest.mark.parametrize(
    "answers",
    [
        [1_700_000_001.0, 1_700_000_060.0, 1_700_000_020.0, 1_700_000_040.0],  # one in float32
        [-1e38, 3e38, 0.0, 1e38],  # their squares are infinite in float32
    ],
)
def test_large_answers_are_compared_as_they_were_read(answers):
    logits = np.array([[0.1], [0.4], [0.3], [0.2]], np.float32)
    scores = regression.score(logits, examples(*answers), ("score",), ("spearman", "pearson"))
    moved = np.array(answers) / 1e6 - answers[0] / 1e6
    assert scores == {
        "spearman": pytest.approx(0.8),  # 1 - 6 (0 + 0 + 1 + 1) / (4 (16 - 1))
        "pearson": pytest.approx(np.corrcoef(moved, logits[:, 0])[0, 1]),
    }


def test_a_constant_model_has_no_correlation_and_is_said_to_have_collapsed(capsys):
    scores = regression.score(np.full([3, 1], 2.5), examples(1, 2, 3), ("score",), ("spearman",))
    assert scores == {"spearman": 0.0}
    assert "collapsed: all 3 predictions are 2.5" in capsys.readouterr().err
