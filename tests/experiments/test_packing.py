"""The experiment runs, and its figures are those that arithmetic gives."""

import json

import pytest

from experiments import packing


def test_documents_of_so_many_sentences():
    lines = ["a", "b", "", "c", "d", "e"]
    assert list(packing.documents(lines, 2)) == ["a", "b", "", "c", "d", "", "e", ""]
    assert list(packing.documents(lines, 0)) == lines


def test_rates_are_those_of_the_fastest_step():
    assert packing.rates([(0.5, 30), (0.25, 50)]) == {
        "seconds": 0.25,
        "examples_of_a_step": 40,
        "examples_per_second": 160,
    }


@pytest.mark.slow
def test_packed_rows_are_fewer_and_hold_all_examples(tmp_path):
    lines = (packing.SAMPLE / "corpus.txt").read_text(encoding="utf-8").splitlines()[:100]
    (tmp_path / "text.txt").write_text("\n".join(lines), encoding="utf-8")
    settings = packing.Settings(
        input_file=str(tmp_path / "text.txt"),
        batch_size=2,
        num_steps=1,
        output_file=str(tmp_path / "result.json"),
    )
    packing.main(settings)
    rows = json.loads((tmp_path / "result.json").read_text())["rows"]
    tokens = {name: row["num_rows"] * (1 - row["share_of_padding"]) for name, row in rows.items()}
    assert tokens["packed"] == pytest.approx(tokens["unpacked"])
    assert rows["packed"]["num_rows"] < 0.8 * rows["unpacked"]["num_rows"]
