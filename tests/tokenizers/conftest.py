"""Vocabularies that the tests of both engines read."""

import json
import pathlib

import pytest

# A line's number from 0 is its token's id.
SMALL_VOCABULARY = """
[PAD] [UNK] [CLS] [SEP] [MASK] [ ] ! . , - + $ '
the ship sail ##s ##ed port price hotel cafe uber istanbul isparta
mask sep cl a b river gr ##een ##ing 東 京 x ##x
alpha beta alphabeta и мо ##и ##й й
"""


@pytest.fixture(scope="session")
def golden() -> pathlib.Path:
    """Folder of reference files."""
    return pathlib.Path(__file__).parent.parent / "golden"


@pytest.fixture(scope="session")
def small_vocabulary(tmp_path_factory) -> pathlib.Path:
    """File of 47 tokens, small enough to know each id."""
    path = tmp_path_factory.mktemp("vocabulary") / "vocab.txt"
    path.write_text("\n".join(SMALL_VOCABULARY.split()), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def golden_rows(golden):
    """(file, do_lower_case) -> texts and the ids that the original gave them."""

    def read(name: str, lower: bool) -> tuple[list[str], list[list[int]]]:
        with open(golden / "tokenization" / f"{name}.jsonl", encoding="utf-8") as file:
            rows = [row for row in map(json.loads, file) if row["lower"] == lower]
        return [row["text"] for row in rows], [row["ids"] for row in rows]

    return read
