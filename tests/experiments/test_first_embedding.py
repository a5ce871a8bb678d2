"""Both programs run, and the figures are those of the same rounds."""

import pytest

from experiments import first_embedding


@pytest.mark.parity
def test_our_share_is_that_of_the_fastest_rounds(monkeypatch):
    timed, rounds = first_embedding._timed, {"ours": [], "in_transformers": []}

    def recorded(name):
        rounds[name].append(timed(name))
        return rounds[name][-1]

    monkeypatch.setattr(first_embedding, "_timed", recorded)
    monkeypatch.setattr(first_embedding, "NUM_ROUNDS", 1)
    figures = first_embedding.first_embedding()
    (ours,), (theirs,) = rounds.values()
    assert figures == {
        "process_seconds": ours[0],
        "process_ratio": ours[0] / theirs[0],
        "after_imports_seconds": ours[1],
        "after_imports_ratio": ours[1] / theirs[1],
    }
    assert all(process > after for process, after in (ours, theirs))  # imports are counted there
