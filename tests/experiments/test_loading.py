"""The experiment runs, and its figures are those that arithmetic gives."""

import pytest

from experiments import loading, machine

NUM_WEIGHTS_OF_TINY = 4_385_920  # of Google's uncased_L-2_H-128_A-2


def test_the_fastest_round_of_each_counts(monkeypatch):
    """Two rounds a format, each of loading, reading and copying, and `from_pretrained`."""
    clock = iter([0.5, 0.125, 9.0, 0.25, 0.5, 8.0, 4.0, 2.0, 6.0, 3.0, 1.0, 7.0])

    def seconds(function):
        function()
        return next(clock)

    monkeypatch.setattr(machine, "seconds", seconds)
    assert loading.loading("L-2_H-128", num_rounds=2) == {
        "hugging_face_seconds": 0.25,
        "hugging_face_ratio": 2.0,
        "hugging_face_from_pretrained_seconds": 8.0,
        "tf1_seconds": 3.0,
        "tf1_ratio": 3.0,
        "tf1_from_pretrained_seconds": 6.0,
    }


@pytest.mark.slow
def test_the_memory_of_a_conversion_is_counted_in_what_it_reads(monkeypatch):
    measured, peaks = machine.peak_memory_gb, []

    def recorded(command):
        peaks.append(measured(command))
        return peaks[-1]

    monkeypatch.setattr(machine, "peak_memory_gb", recorded)
    names = ("tf1_to_hugging_face", "slots")
    conversions = {name: loading.CONVERSIONS[name] for name in names}
    monkeypatch.setattr(loading, "CONVERSIONS", conversions)
    figures = loading.conversion_memory("L-2_H-128")
    weights_gb = 4 * NUM_WEIGHTS_OF_TINY / 2**30
    to_hugging_face, with_slots = peaks
    assert figures == pytest.approx(
        {
            "tf1_to_hugging_face_ratio": to_hugging_face / weights_gb,
            "slots_ratio": with_slots / (3 * weights_gb),
        }
    )
