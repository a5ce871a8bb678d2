"""The official scores of GLUE, and those for data that have none, by scikit-learn and SciPy.

GLUE: Wang et al. 2018, arXiv:1804.07461, table 1. The libraries are imported when a score is
computed: they take a second. Their warnings are not shown: what is not defined is 0.
"""

import math
import warnings
from collections.abc import Callable, Sequence

import numpy as np

POSITIVE = "1"  # the class of MRPC and QQP whose F1 counts


def accuracy(answers: Sequence[str], predicted: Sequence[str]) -> float:
    """Share of the names that are equal."""
    from sklearn.metrics import accuracy_score

    return accuracy_score(answers, predicted)


def f1(answers: Sequence[str], predicted: Sequence[str]) -> float:
    """F1 of the class "1"; 0 where it is neither an answer nor predicted."""
    from sklearn.metrics import f1_score

    is_positive = [np.array(names) == POSITIVE for names in (answers, predicted)]
    return f1_score(*is_positive, zero_division=0)


def macro_f1(answers: Sequence[str], predicted: Sequence[str]) -> float:
    """The mean of the F1 of every class that is an answer or predicted."""
    from sklearn.metrics import f1_score

    return f1_score(answers, predicted, average="macro", zero_division=0)


def matthews_correlation(answers: Sequence[str], predicted: Sequence[str]) -> float:
    """Matthews' correlation (R_k for more than two classes); 0 where it is not defined."""
    from sklearn.metrics import matthews_corrcoef

    return matthews_corrcoef(answers, predicted)


def pearson(answers: np.ndarray, predicted: np.ndarray) -> float:
    """Pearson's correlation of two lists [N]; 0 where it is not defined (one is constant)."""
    from scipy.stats import pearsonr

    return _correlation(pearsonr, answers, predicted)


def spearman(answers: np.ndarray, predicted: np.ndarray) -> float:
    """Spearman's rank correlation of two lists [N]; 0 where it is not defined."""
    from scipy.stats import spearmanr

    return _correlation(spearmanr, answers, predicted)


def exact_match(answers: np.ndarray, predicted: np.ndarray) -> float:
    """Share of the rows of two arrays [N, L] that are equal in all columns."""
    from sklearn.metrics import accuracy_score

    return accuracy_score(answers, predicted)


def micro_f1(answers: np.ndarray, predicted: np.ndarray) -> float:
    """F1 of all marks of two arrays [N, L] taken together."""
    from sklearn.metrics import f1_score

    return f1_score(answers, predicted, average="micro", zero_division=0)


def _correlation(function: Callable, answers: np.ndarray, predicted: np.ndarray) -> float:
    if not all(np.ptp(values) > 0 for values in (answers, predicted)):
        return 0.0
    found = function(answers, predicted).statistic
    return found if math.isfinite(found) else 0.0


METRICS = {
    metric.__name__: metric
    for metric in (
        accuracy,
        f1,
        macro_f1,
        matthews_correlation,
        pearson,
        spearman,
        exact_match,
        micro_f1,
    )
}


def scores(names: Sequence[str], answers, predicted) -> dict[str, float]:
    """Name of a metric -> its value, for answers and predictions as that metric takes them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {name: float(METRICS[name](answers, predicted)) for name in names}
