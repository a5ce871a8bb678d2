"""The steps of show_records --audit: files -> arrays -> rules and measures -> report."""

from collections.abc import Iterator, Sequence

from bert_keras.errors import InputError
from bert_keras.tokenizers.vocabulary import SPECIAL_TOKENS
from tfrecord_tools.audit.checksum import Checksum
from tfrecord_tools.audit.duplicates import Duplicates
from tfrecord_tools.audit.invariants import Invariants
from tfrecord_tools.audit.leakage import HeldOut, Leakage
from tfrecord_tools.audit.masks import Masks
from tfrecord_tools.audit.near_duplicates import NearDuplicates
from tfrecord_tools.audit.parsing import Batch, Layout, Parser
from tfrecord_tools.audit.problems import Problems
from tfrecord_tools.audit.reading import SerializedBatch, read_batches
from tfrecord_tools.audit.report import Report, report
from tfrecord_tools.audit.restoration import Text, restore
from tfrecord_tools.audit.shards import ShardSizes, check_shard_names
from tfrecord_tools.audit.statistics import Labels, Lengths, Predictions, Words
from tfrecord_tools.audit.token_ids import TokenIds

Shares = tuple[float, float, float]  # of [MASK], kept and random tokens


def audit(
    files: Sequence[str], held_out_files: Sequence[str], ids: TokenIds | None, shares: Shares
) -> Report:
    """Reads a set of records once and reports.

    Args:
      files: TFRecord files, plain or GZIP.
      held_out_files: records that are looked for in the set; may be none.
      ids: of the vocabulary; without them nothing is said of special tokens, masks and words.
      shares: of the masked tokens, which are expected to be [MASK], kept and random.

    Raises:
      InputError: a file does not exist, or no held-out record is sound. Everything else that is
        wrong stands in the report.
    """
    problems = Problems()
    check_shard_names(files, problems)
    leakage = _held_out(held_out_files, ids, problems) if held_out_files else None
    sizes, checksum = ShardSizes(files), Checksum()
    parser, invariants = Parser(problems), Invariants(ids, problems)
    measures = []
    for serialized in read_batches(files, "auditing", problems):
        sizes.add(serialized.file, len(serialized.records))
        checksum.add(serialized)
        for batch, text in _sound(serialized, parser, invariants):
            measures = measures or _measures(parser.layout, ids, shares, leakage)
            for measure in measures:
                measure.add(batch, text)
    about = [sizes, checksum, _Kind(parser.layout, ids)]
    return report([*about, *measures], problems)


def _held_out(files: Sequence[str], ids: TokenIds | None, problems: Problems) -> Leakage:
    held_out, parser, invariants = HeldOut(), Parser(problems), Invariants(ids, problems)
    for serialized in read_batches(files, "held-out", problems):
        for batch, text in _sound(serialized, parser, invariants):
            held_out.add(batch, text)
    if not held_out.num_records:
        raise InputError(
            f"--held_out_file must hold sound records; {', '.join(files)} hold none. Audit them "
            "by themselves to see what is wrong."
        )
    return Leakage(held_out)


def _sound(
    serialized: SerializedBatch, parser: Parser, invariants: Invariants
) -> Iterator[tuple[Batch, Text]]:
    """Yields the records that keep all rules, or nothing."""
    batch = parser.parse(serialized)
    if batch is None:
        return
    text = restore(batch)
    is_sound = invariants.check(batch, text)
    if not is_sound.all():
        batch, text = batch.where(is_sound), text.where(is_sound)
    if len(batch.numbers):
        yield batch, text


def _measures(
    layout: Layout, ids: TokenIds | None, shares: Shares, leakage: Leakage | None
) -> list:
    measures = [Lengths(layout), Labels()]
    if layout.is_masked:
        measures.append(Predictions(layout))
    if layout.is_masked and ids:
        measures.append(Masks(ids, shares))
    if ids:
        measures.append(Words(ids))
    measures += [Duplicates(layout), NearDuplicates()]
    if leakage:
        measures.append(leakage)
    return measures


class _Kind:
    """What the records are, and what could not be looked at: a measure that counts nothing."""

    def __init__(self, layout: Layout | None, ids: TokenIds | None):
        self._layout = layout
        self._ids = ids

    def values(self) -> dict:
        return self._layout._asdict() if self._layout else {}

    def lines(self, values: dict) -> list[tuple[str, str]]:
        lines = [("layout", str(self._layout or "unknown: no record is sound"))]
        if not self._ids:
            tokens = ", ".join(SPECIAL_TOKENS)
            lines.append(("not looked at", f"ids, {tokens} and words: --vocab_file is needed"))
        return lines

    def findings(self, values: dict) -> list[str]:
        return []
