"""The experiment runs, and its figures are those that arithmetic gives."""

import pytest

from experiments import loading, machine

NUM_WEIGHTS_OF_TINY = 4_385_920  # of Google's uncased_L-2_H-128_A-2


def test_the_fastest_round_of_each_counts(monkeypatch):
    """Two rounds a format; in each round first the loading, then reading and copying."""
    clock = iter([0.5, 0.125, 0.25, 0.5, 4.0, 2.0, 3.0, 1.0])

    def seconds(function):
        function()
        return next(clock)

    monkeypatch.setattr(machine, "seconds", seconds)
    assert loading.loading("L-2_H-128", num_rounds=2) == {
        "hugging_face_seconds": 0.25,
        "hugging_face_ratio": 2.0,
        "tf1_seconds": 3.0,
        "tf1_ratio": 3.0,
    }


@pytest.mark.slow
def test_the_memory_of_a_conversion_is_counted_in_its_weights(monkeypatch):
    measured, peaks = machine.peak_memory_gb, []

    def recorded(command):
        peaks.append(measured(command))
        return peaks[-1]

    monkeypatch.setattr(machine, "peak_memory_gb", recorded)
    figures = loading.conversion_memory("L-2_H-128")
    to_tf1, to_hugging_face = (peak * 2**30 / (4 * NUM_WEIGHTS_OF_TINY) for peak in peaks)
    assert figures == pytest.approx(
        {"hugging_face_to_tf1_ratio": to_tf1, "tf1_to_hugging_face_ratio": to_hugging_face}
    )
