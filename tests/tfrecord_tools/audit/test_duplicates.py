"""Repeated texts against counts by Python's sets."""

import random

import pytest

from tests.examples import serialized
from tests.tfrecord_tools.audit.hand_made import (
    MASK,
    A,
    B,
    C,
    audited,
    drawn,
    masked,
    unmasked,
)
from tfrecord_tools.audit import duplicates

OTHER_MASKS = masked(predictions=((2, MASK),))
OTHER_TEXT = masked((A, B), (C,), ())


def test_same_text_with_other_masks_and_same_bytes(tmp_path):
    report = audited(tmp_path, [masked(), OTHER_MASKS, OTHER_TEXT], [masked()])
    assert report.values["repeated_text_share"] == 1 / 4
    assert report.values["identical_share"] == 1 / 4
    (finding,) = [finding for finding in report.findings if "to the byte" in finding]
    first, second = tmp_path / "0.tfrecord", tmp_path / "1.tfrecord"
    assert f"2 times: {first}, record 1 and {second}, record 1" in finding
    assert report.status == 0


def test_other_masks_alone_are_no_finding(tmp_path):
    report = audited(tmp_path, [masked(), OTHER_MASKS])
    assert report.values["repeated_text_share"] == 1 / 2
    assert not any("to the byte" in finding for finding in report.findings)


def test_equal_unmasked_records_are_a_finding_with_a_way_out(tmp_path):
    report = audited(tmp_path, [unmasked()] * 2)
    assert report.values["identical_share"] == 1 / 2
    (finding,) = [finding for finding in report.findings if "to the byte" in finding]
    assert "record 1 and" in finding and "record 2. If --dupe_factor made them, 1 is" in finding
    masked_findings = audited(tmp_path, [masked()] * 2).findings
    assert not any("--dupe_factor" in finding for finding in masked_findings)


def test_shares_are_those_of_a_count(tmp_path):
    rng = random.Random(1)
    records = [drawn(rng, length=7) for _ in range(3000)]
    num_records = len({serialized(record) for record in records})
    num_texts = len({text(record) for record in records})
    assert len(records) > num_records > num_texts
    values = audited(tmp_path, records).values
    assert values["identical_share"] == pytest.approx(1 - num_records / 3000)
    assert values["repeated_text_share"] == pytest.approx((num_records - num_texts) / 3000)


def test_a_sample_estimates_the_shares(tmp_path, monkeypatch):
    monkeypatch.setattr(duplicates, "MAX_RECORDS", 500)
    rng = random.Random(2)
    records = [masked(tuple(rng.choices(range(A, 30), k=3)), predictions=()) for _ in range(2000)]
    report = audited(tmp_path, records + records[:1000])
    assert report.values["identical_share"] == pytest.approx(1 / 3, abs=0.05)
    assert "sample" in dict(report.lines)["repeated text"]


def text(record):
    ids = list(record["input_ids"])
    for place, id_, weight in zip(
        record["masked_lm_positions"],
        record["masked_lm_ids"],
        record["masked_lm_weights"],
        strict=True,
    ):
        if weight:
            ids[place] = id_
    return tuple(ids)
