"""Which weights are kept, when a training ends, and what a run that was stopped still knows."""

import math

import pytest

from bert_keras.errors import InputError
from bert_keras.fine_tuning.early_stopping import (
    LOG_NAME,
    EarlyStopping,
    Evaluated,
)

NONE = math.nan


class Training:
    """A training whose model scores what is written down, visited every 10 steps."""

    def __init__(self, folder, scores, patience=2, examples="dev"):
        self.scores = iter(scores)
        self.kept = []
        self.step = 0
        self.early_stopping = EarlyStopping(
            str(folder),
            Evaluated("f1", examples),
            every_steps=10,
            patience=patience,
            score=lambda: next(self.scores),
            keep=self.kept.append,
            is_chief=True,
        )

    def go_on(self, step=0):
        """Returns the step at which it is over, or None."""
        self.early_stopping.begin(step)
        for self.step in range(step + 10, 1000, 10):
            try:
                self.early_stopping.visit(self.step)
            except StopIteration:
                return None
            if self.early_stopping.is_over:
                return self.step


@pytest.mark.parametrize(
    ("scores", "end", "best", "kept"),
    [
        ([1, 2, 3, 2, 2, 9], 50, 30, [10, 20, 30]),
        ([3, 2, 2], 30, 10, [10]),
        ([3, 3, 3], 30, 10, [10]),  # an equal score is not a better one
        ([1, 2, 1, 3, 1, 1], 60, 40, [10, 20, 40]),
        ([NONE, 0.5, 0.4, 0.3], 40, 20, [10, 20]),  # any number is better than none
        ([0.5, NONE, NONE], 30, 10, [10]),
    ],
)
def test_the_best_is_kept_until_patience_ends(tmp_path, scores, end, best, kept):
    training = Training(tmp_path, scores)
    assert training.go_on() == end
    assert training.early_stopping.best_step == best
    assert training.kept == kept


def test_a_run_that_was_stopped_knows_what_it_found(tmp_path):
    assert Training(tmp_path, [1, 3, 2]).go_on() is None
    rest = Training(tmp_path, [2])
    assert rest.go_on(step=30) == 40
    assert (rest.kept, rest.early_stopping.best_step) == ([], 20)


def test_what_lies_ahead_of_the_checkpoint_is_found_again(tmp_path):
    assert Training(tmp_path, [1, 3, 2]).go_on() is None
    rest = Training(tmp_path, [3, 2, 2])
    assert rest.go_on(step=10) == 40
    assert rest.kept == [20]


def test_a_visit_is_made_once(tmp_path):
    training = Training(tmp_path, [1])
    training.early_stopping.visit(10)
    training.early_stopping.visit(10)
    assert training.kept == [10]


def test_a_stop_in_an_evaluation_leaves_no_trace(tmp_path):
    training = Training(tmp_path, [None])
    training.early_stopping.visit(10)
    assert training.early_stopping.best_step is None and not (tmp_path / LOG_NAME).exists()


def test_scores_of_other_examples_are_not_compared(tmp_path):
    Training(tmp_path, [1]).go_on()
    with pytest.raises(InputError, match="the metric and the examples that it was begun with"):
        Training(tmp_path, [1], examples="others")
