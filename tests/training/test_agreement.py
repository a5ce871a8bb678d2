"""How workers part; what two real ones agree on: tests/run_pretraining/test_workers.py."""

import pytest
import tensorflow as tf

from bert_keras.errors import InputError
from bert_keras.training import agreement


def break_meeting(number, monkeypatch):
    """The connection to another worker breaks in the meeting of this number."""
    meetings = []

    def meet(strategy):
        meetings.append(strategy)
        if len(meetings) == number:
            raise InputError("Worker 0 of 2 lost another one")

    monkeypatch.setattr(agreement, "meet", meet)
    return meetings


def test_a_worker_that_ends_before_all_are_there_is_lost(monkeypatch):
    break_meeting(1, monkeypatch)
    with pytest.raises(InputError, match="lost another one"):
        agreement.part(tf.distribute.get_strategy())


def test_a_worker_that_ends_as_soon_as_it_knows_that_all_are_there_is_not(monkeypatch):
    meetings = break_meeting(2, monkeypatch)
    agreement.part(tf.distribute.get_strategy())
    assert len(meetings) == 2


def test_one_worker_alone_agrees_with_itself():
    strategy = tf.distribute.get_strategy()
    agreement.check_same(strategy, "the flags", {"seed": 1})
    assert agreement.of_chief(strategy, 0.1) == 0.1
