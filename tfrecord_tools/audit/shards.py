"""Files of a set: NAME-00000-of-00004 and its like, all there and of like size."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from tfrecord_tools.audit.problems import Problems

SHARD = re.compile(r"(?P<name>.+)-(?P<index>\d{5})-of-(?P<num_shards>\d{5})(?P<ending>.*)")
ONE_NAME_ONCE = "every file is named once"
WHOLE_SET = "of NAME-00000-of-0000N every number from 0 to N - 1 is there"
ONE_NUMBER = "the shards of a name agree on their number"
MAX_IMBALANCE = 0.05
MAX_SHOWN = 5


def check_shard_names(files: Sequence[str], problems: Problems) -> None:
    """Adds what the names show: shards that are missing, too many, or of another set."""
    for path, count in sorted(Counter(files).items()):
        if count > 1:
            problems.add(ONE_NAME_ONCE, f"{path} is named {count} times")
    sets: dict[tuple[str, str], dict[int, set[int]]] = defaultdict(lambda: defaultdict(set))
    for path in files:
        if match := SHARD.fullmatch(path):
            numbers = sets[match["name"], match["ending"]][int(match["num_shards"])]
            numbers.add(int(match["index"]))
    for (name, ending), of_number in sets.items():
        if len(of_number) > 1:
            counts = ", ".join(f"{len(of)} of {num}" for num, of in sorted(of_number.items()))
            problems.add(ONE_NUMBER, f"{name}-*{ending} has {counts}")
        for num_shards, numbers in sorted(of_number.items()):
            if wrong := sorted(set(range(num_shards)) ^ numbers):
                shown = ", ".join(f"{index:05d}" for index in wrong[:MAX_SHOWN])
                more = f" and {len(wrong) - MAX_SHOWN} more" if len(wrong) > MAX_SHOWN else ""
                what = f"{name}-*-of-{num_shards:05d}{ending}"
                problems.add(WHOLE_SET, f"{what}: missing or not below {num_shards}: {shown}{more}")


class ShardSizes:
    """How many records each file has; bytes that are damaged have none."""

    def __init__(self, files: Sequence[str]):
        self._num_records = dict.fromkeys(files, 0)

    def add(self, file: str, num_records: int) -> None:
        self._num_records[file] += num_records

    def values(self) -> dict:
        counts = self._num_records.values()
        return {
            "num_files": len(counts),
            "num_records": sum(counts),
            "smallest_file": min(counts),
            "largest_file": max(counts),
        }

    def lines(self, values: dict) -> list[tuple[str, str]]:
        records = f"{values['num_records']:,}"
        if values["num_files"] > 1:
            smallest, largest = values["smallest_file"], values["largest_file"]
            records += f" in {values['num_files']:,} files of {smallest:,} to {largest:,}"
        return [("records", records)]

    def findings(self, values: dict) -> list[str]:
        smallest, largest = values["smallest_file"], values["largest_file"]
        if largest <= max(smallest + 1, (1 + MAX_IMBALANCE) * smallest):
            return []
        path = max(self._num_records, key=self._num_records.get)
        return [
            f"the files differ by more than {MAX_IMBALANCE:.0%}: from {smallest:,} to {largest:,} "
            f"records ({path}). Workers that share the files get shares as unequal"
        ]
