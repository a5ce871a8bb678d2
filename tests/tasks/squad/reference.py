"""The reference files of tests/golden/squad, and files of our own in their layout."""

import functools
import gzip
import json
import pathlib

import numpy as np

from bert_keras.tasks.squad.packing import WindowSizes
from bert_keras.tasks.squad.predictions import AnswerSettings
from bert_keras.tasks.squad.reading import SquadFile, read_squad
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer

GOLDEN = pathlib.Path(__file__).parent.parent.parent / "golden"
VERSIONS = ("v1.1", "v2.0")
SMALL_VOCABULARY = """
[PAD] [UNK] [CLS] [SEP] [MASK] : ? . , ' " ( ) - 1895 1943 12 km by river route the port ship sail
##s 10 a b c d e f g h ##b ##c 東 京 で す cafe x
"""


@functools.cache
def tokenizer() -> WordPieceTokenizer:
    return WordPieceTokenizer(GOLDEN / "vocab" / "bert-base-uncased-vocab.txt")


def small_tokenizer() -> WordPieceTokenizer:
    return WordPieceTokenizer({token: id_ for id_, token in enumerate(SMALL_VOCABULARY.split())})


def read_json(version: str, name: str):
    return json.loads((GOLDEN / "squad" / version / name).read_text(encoding="utf-8"))


def unpacked(version: str, name: str) -> str:
    return gzip.decompress((GOLDEN / "squad" / version / name).read_bytes()).decode()


def rows(version: str, name: str) -> list[dict]:
    return [json.loads(line) for line in unpacked(version, f"{name}.jsonl.gz").splitlines()]


def golden_file(version: str) -> SquadFile:
    return read_squad(str(GOLDEN / "squad" / version / "input.json"))


def contents(file: SquadFile) -> tuple:
    """What features are made of: contexts and questions."""
    return file.contexts, file.questions


def golden_sizes(version: str) -> WindowSizes:
    settings = read_json(version, "settings.json")
    return WindowSizes(*(settings[name] for name in WindowSizes._fields))


def golden_answer_settings(version: str) -> AnswerSettings:
    settings = read_json(version, "settings.json")
    names = ("n_best_size", "max_answer_length", "version_2_with_negative")
    return AnswerSettings(*(settings[name] for name in names), 0.0, "alignment")


def golden_logits(version: str) -> dict[str, np.ndarray]:
    with np.load(GOLDEN / "squad" / version / "logits.npz") as file:
        logits = (file["logits"] / 1000).astype(np.float32)
    return {"start_logits": logits[:, 0], "end_logits": logits[:, 1]}


def question(text="the ship?", answers=(), question_id="q", **more) -> dict:
    """A question as a file has it; answers are pairs of text and offset."""
    answers = [{"text": text, "answer_start": start} for text, start in answers]
    return {"id": question_id, "question": text, "answers": answers} | more


def content(*paragraphs) -> dict:
    """A file as JSON, of pairs of context and questions."""
    paragraphs = [{"context": context, "qas": [*qas]} for context, qas in paragraphs]
    return {"version": "1.1", "data": [{"title": "t", "paragraphs": paragraphs}]}


def write(path, *paragraphs) -> str:
    path.write_text(json.dumps(content(*paragraphs)), encoding="utf-8")
    return str(path)
