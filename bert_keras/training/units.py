"""Large numbers as people read them."""

import math

PREFIXES = ("", "k", "M", "G", "T", "P", "E", "Z", "Y")
# The two largest that are not 0 are shown.
DURATIONS = (("day", 86_400), ("hour", 3600), ("minute", 60), ("second", 1))


def with_prefix(number: float, unit: str) -> str:
    """1_321_000_000, "B" -> "1.32 GB": at least 0, three digits, a prefix of the SI."""
    power = min(int(math.log10(max(number, 1)) / 3), len(PREFIXES) - 1)
    if number / 1000**power >= 999.5 and power + 1 < len(PREFIXES):
        power += 1  # what rounds to 1000 takes the next prefix
    return f"{number / 1000**power:.3g} {PREFIXES[power]}{unit}"


def duration(seconds: float) -> str:
    """183_845 seconds -> "2 days 3 hours"."""
    rest, parts = round(seconds), []
    for name, length in DURATIONS:
        count, rest = divmod(rest, length)
        if parts or count:
            parts.append(f"{count} {name}{'s' * (count != 1)}")
    return " ".join(part for part in parts[:2] if not part.startswith("0 ")) or "0 seconds"
