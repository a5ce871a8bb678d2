"""Large numbers as people read them."""

import pytest

from bert_keras.training import units


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (999.6, "1 kB"),
        (1000, "1 kB"),
        (1_321_277_136, "1.32 GB"),
        (999_600_000, "1 GB"),
        (12_345_678_901_234, "12.3 TB"),
        (1e27, "1e+03 YB"),
    ],
)
def test_prefixes(number, shown):
    assert units.with_prefix(number, "B") == shown


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0.2, "0 seconds"),
        (1, "1 second"),
        (59.9, "1 minute"),
        (61, "1 minute 1 second"),
        (3600, "1 hour"),
        (7260, "2 hours 1 minute"),
        (86_400 + 59, "1 day"),
        (86_400 * 2 + 3600 * 3 + 62, "2 days 3 hours"),
    ],
)
def test_durations(seconds, shown):
    assert units.duration(seconds) == shown
