import pytest

from experiments.loading import conversion_memory, loading


def test_loading_is_timed_in_both_formats():
    figures = loading("L-2_H-128", num_rounds=1)
    assert figures.keys() == {
        f"{name}_{figure}" for name in ("hugging_face", "tf1") for figure in ("seconds", "ratio")
    }
    assert min(figures.values()) > 0


@pytest.mark.slow
def test_the_memory_of_a_conversion_is_measured_both_ways():
    figures = conversion_memory("L-2_H-128")
    assert figures.keys() == {"hugging_face_to_tf1_ratio", "tf1_to_hugging_face_ratio"}
    assert min(figures.values()) > 1  # the weights themselves, and the libraries
