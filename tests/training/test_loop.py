"""The loop, with a step that does nothing: when it reports, saves and stops."""

import math
import os
import signal

import pytest
import tensorflow as tf

from bert_keras.errors import InputError
from bert_keras.objectives.mean import Mean
from bert_keras.training import loop
from bert_keras.training.stop import StopRequest
from bert_keras.training.visits import NoVisits


class Record:
    """A log and a saver that note what they are asked."""

    def __init__(self):
        self.reports, self.saved, self.num_steps = {}, [], 0

    def advance(self, num_steps):
        self.num_steps += num_steps

    def restart_clock(self):
        pass

    def report(self, step, values):
        self.reports[step] = values


def run(losses, plan, stop=None, norms=None, visits=None):
    """Runs the loop on a list of losses, one a step; returns the record and the steps done."""
    record = Record()
    norms = norms or [1.0] * len(losses)

    steps = iter(range(plan.start_step, len(losses)))

    def take_steps(num_steps):
        taken = [next(steps) for _ in range(num_steps)]
        totals = tf.constant([losses[index] * 2.0 for index in taken])
        means = {"masked_lm_loss": Mean(totals, tf.fill(totals.shape, 2.0))}
        return loop.Steps(means, tf.constant([norms[index] for index in taken]), tf.zeros([]))

    done = loop.train(
        take_steps,
        plan,
        learning_rate=lambda step: step / 10,
        losses=["masked_lm_loss"],
        save=record.saved.append,
        log=record,
        stop=stop or StopRequest(),
        visits=visits or NoVisits(),
    )
    return record, done


def test_reports_means_and_saves_the_last_step():
    plan = loop.Plan(0, 7, save_checkpoints_steps=4, report_steps=2)
    record, done = run([1, 3, 5, 7, 9, 11, 13], plan)
    assert done == 7
    assert record.saved == [4, 7]
    assert {step: values["loss"] for step, values in record.reports.items()} == {
        2: 2.0,
        4: 6.0,
        6: 10.0,
        7: 13.0,
    }
    assert record.reports[4]["learning_rate"] == pytest.approx(0.3)  # that of step 4 itself
    assert record.num_steps == 7


class VisitsUntil:
    """Visits that find a training to be over from a step on."""

    every_steps = 2

    def __init__(self, last_step):
        self.last_step = last_step
        self.steps = []

    @property
    def is_over(self):
        return bool(self.steps) and self.steps[-1] >= self.last_step

    def begin(self, start_step):
        self.start_step = start_step

    def visit(self, step):
        self.steps.append(step)


def test_visits_may_end_a_training():
    plan = loop.Plan(0, 7, save_checkpoints_steps=10, report_steps=10, visit_steps=2)
    visits = VisitsUntil(4)
    record, done = run([1, 3, 5, 7, 9, 11, 13], plan, visits=visits)
    assert done == 4
    assert visits.steps == [2, 4]
    assert record.saved == [2, 4]  # what is looked at can be gone back to
    assert list(record.reports) == [2, 4]


def test_a_visit_that_a_stop_came_before_is_made_first():
    plan = loop.Plan(4, 7, save_checkpoints_steps=10, report_steps=10, visit_steps=2)
    visits = VisitsUntil(6)
    _, done = run([1, 3, 5, 7, 9, 11, 13], plan, visits=visits)
    assert (done, visits.start_step, visits.steps) == (6, 4, [4, 6])


def test_weights_that_are_not_finite_are_not_looked_at():
    plan = loop.Plan(0, 4, save_checkpoints_steps=10, report_steps=10, visit_steps=2)
    visits = VisitsUntil(4)
    with pytest.raises(InputError, match="must stay finite: at step 2"):
        run([1, math.nan, 3, 4], plan, visits=visits)
    assert visits.steps == []


def test_goes_on_from_a_step():
    plan = loop.Plan(4, 7, save_checkpoints_steps=4, report_steps=2)
    record, _ = run([1, 3, 5, 7, 9, 11, 13], plan)
    assert record.saved == [7]
    assert list(record.reports) == [6, 7]


@pytest.mark.parametrize(
    "losses, norms, cause",
    [
        ([1, 1, math.nan, 1], None, "at step 3 masked_lm_loss is nan"),
        ([1, 1, 1, math.inf], None, "at step 4 masked_lm_loss is inf"),
        ([1, 1, 1, 1], [1, math.inf, 1, 1], "at step 2 the gradient norm is inf"),
    ],
)
def test_a_number_that_is_not_finite_stops_before_the_save(losses, norms, cause):
    plan = loop.Plan(0, 4, save_checkpoints_steps=4, report_steps=100)
    with pytest.raises(InputError, match=cause):
        run(losses, plan, norms=norms)


@pytest.mark.parametrize("number, status", [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_a_signal_ends_the_loop_with_a_save(number, status):
    plan = loop.Plan(0, 100, save_checkpoints_steps=50, report_steps=50)
    with StopRequest() as stop:
        losses = [1.0] * 100
        os.kill(os.getpid(), number)
        record, done = run(losses, plan, stop)
        assert done == 0 and record.saved == []  # nothing new to save
    assert stop.received == number
    assert stop.exit_status == status


def test_a_signal_within_a_step_saves_that_step():
    plan = loop.Plan(0, 100, save_checkpoints_steps=50, report_steps=50)
    with StopRequest() as stop:

        def losses_with_signal(index):
            if index == 2:
                os.kill(os.getpid(), signal.SIGTERM)
            return 1.0

        losses = type("Losses", (list,), {"__getitem__": lambda self, i: losses_with_signal(i)})
        record, done = run(losses([0.0] * 100), plan, stop)
    assert done == 3 and record.saved == [3] and list(record.reports) == [3]


def test_a_signal_between_report_and_next_step_saves_what_is_done():
    plan = loop.Plan(0, 100, save_checkpoints_steps=50, report_steps=1)
    with StopRequest() as stop:
        report = Record.report

        def report_with_signal(self, step, values):
            report(self, step, values)
            if step == 2:
                os.kill(os.getpid(), signal.SIGTERM)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Record, "report", report_with_signal)
            record, done = run([1.0] * 100, plan, stop)
    assert done == 2 and record.saved == [2] and list(record.reports) == [1, 2]


def test_handlers_are_put_back():
    before = signal.getsignal(signal.SIGTERM)
    with StopRequest():
        assert signal.getsignal(signal.SIGTERM) != before
    assert signal.getsignal(signal.SIGTERM) == before
