r"""Turns Wikipedia and Project Gutenberg text into BERT's input format.

The input format of google-research/bert is one sentence a line and an empty line between documents.
This program reads two kinds of files and tells them apart by their first characters:

- what WikiExtractor writes: `<doc …>`, the title, a paragraph or heading a line, `</doc>`;
- plain-text books, hard-wrapped, as Project Gutenberg publishes them: a chapter is a document.

As in section 3.1 of the BERT paper (arXiv:1810.04805) only the running text of Wikipedia is kept.

    python -m experiments.prepare_corpus --input_file='wiki/*/wiki_*,books/*.txt' \
        --output_dir=corpus
"""

import hashlib
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tqdm import tqdm

from bert_keras import flags
from bert_keras.errors import InputError
from bert_keras.file_patterns import expand_input_files
from bert_keras.files import read_text
from tfrecord_tools.corpus.formats import wikiextractor
from tfrecord_tools.corpus.sentence_splitting import check_language, split_sentences


@dataclass(frozen=True)
class Settings:
    input_file: list[str] = flags.required("Files to read: names or globs, separated by commas.")
    output_dir: str = flags.required("Folder for train.txt and held_out.txt.")
    language: str = flags.setting("en", "Language code for the sentence splitter.")
    held_out_share: float = flags.setting(0.03, "Share of the documents to hold out.")
    min_sentences: int = flags.setting(3, "Documents with fewer sentences are dropped.", minimum=1)
    min_passage_length: int = flags.setting(
        40,
        "Shorter lines of Wikipedia, in characters, are taken for headings and list items.",
        minimum=0,
    )


@dataclass
class Summary:
    """What was written; one of these for train.txt and one for held_out.txt."""

    documents: int = 0
    sentences: int = 0
    characters: int = 0

    def add(self, document: list[str]) -> None:
        self.documents += 1
        self.sentences += len(document)
        self.characters += sum(map(len, document))


# --- Project Gutenberg -------------------------------------------------------------------------

_START = re.compile(r"^\*\*\* ?START OF .*$", re.MULTILINE)
_END = re.compile(r"^\*\*\* ?END OF .*$", re.MULTILINE)
# Books leave three or more empty lines before a chapter; fewer separate paragraphs and scenes.
_CHAPTER_BREAK = re.compile(r"\n(?:[ \t]*\n){3,}")
_PARAGRAPH_BREAK = re.compile(r"\n(?:[ \t]*\n)+")
_ITALIC = re.compile(r"_([^_]+)_")


def book_documents(text: str) -> Iterator[list[str]]:
    """Yields the paragraphs of every chapter of one plain-text book."""
    start, end = _START.search(text), _END.search(text)
    text = text[start.end() if start else 0 : end.start() if end else len(text)]
    for chapter in _CHAPTER_BREAK.split(text):
        paragraphs = (_join_lines(block) for block in _PARAGRAPH_BREAK.split(chapter))
        yield [paragraph for paragraph in paragraphs if _is_prose(paragraph)]


def _join_lines(block: str) -> str:
    return _ITALIC.sub(r"\1", " ".join(block.split()))


def _is_prose(paragraph: str) -> bool:
    """Tells prose from captions, and from headings and tables of contents in capitals."""
    return bool(paragraph) and not paragraph.isupper() and not paragraph.startswith("[Illustration")


# --- documents of sentences --------------------------------------------------------------------


def documents(text: str, settings: Settings, name: str) -> Iterator[list[str]]:
    """Yields every document of one file's text as a list of sentences; `name` is for errors."""
    if text.startswith("<doc "):
        articles = wikiextractor.doc_articles(text, name)
        found = (wikiextractor.passages(body, settings.min_passage_length) for _, body in articles)
    else:
        found = book_documents(text)
    for paragraphs in found:
        document = split_sentences(paragraphs, settings.language)
        if len(document) >= settings.min_sentences:
            yield document


def is_held_out(document: list[str], share: float) -> bool:
    """Depends on the text alone: not on other documents, on file names or on a seed.

    So the held-out set stays what it is when the corpus grows, and copies of an article never
    stand on both sides.
    """
    digest = hashlib.sha256("\n".join(document).encode()).digest()
    return int.from_bytes(digest[:8], "big") < share * 2**64


# --- program -----------------------------------------------------------------------------------


def prepare_corpus(settings: Settings) -> dict[str, Summary]:
    """Writes `train.txt` and `held_out.txt`; returns what each of them holds."""
    if not 0 <= settings.held_out_share < 1:
        raise InputError(f"--held_out_share must lie in [0, 1): received {settings.held_out_share}")
    check_language(settings.language)
    names = expand_input_files(settings.input_file)
    folder = Path(settings.output_dir)
    outputs = {(folder / name).resolve() for name in ("train.txt", "held_out.txt")}
    if own := [name for name in names if Path(name).resolve() in outputs]:
        raise InputError(
            "--output_dir must not hold a file of --input_file under a name that is written: "
            f"received {own[0]}; give another folder"
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"--output_dir must be a folder to write to: {error}") from error
    with tempfile.TemporaryDirectory(dir=folder, prefix=".partial-") as partial:
        summaries = write_corpus(names, Path(partial), settings)
        for part in summaries:
            Path(partial, f"{part}.txt").replace(folder / f"{part}.txt")
    return summaries


def write_corpus(names: list[str], folder: Path, settings: Settings) -> dict[str, Summary]:
    summaries = {"train": Summary(), "held_out": Summary()}
    with (
        open(folder / "train.txt", "w", encoding="utf-8") as train,
        open(folder / "held_out.txt", "w", encoding="utf-8") as held_out,
    ):
        files = {"train": train, "held_out": held_out}
        for name in tqdm(names, desc="preparing", unit="file"):
            for document in documents(_clean_text(read_text(name)), settings, name):
                part = "held_out" if is_held_out(document, settings.held_out_share) else "train"
                files[part].write("\n".join(document) + "\n\n")
                summaries[part].add(document)
    if not summaries["train"].documents:
        raise InputError(
            f"the corpus must hold a document of at least {settings.min_sentences} sentences: "
            f"received none in {len(names)} files; lower --min_sentences, or check that they hold "
            "running text"
        )
    return summaries


def _clean_text(text: str) -> str:
    """Without byte order mark, blanks at the start and the line ends of Windows."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").lstrip()


def main(settings: Settings) -> None:
    for part, summary in prepare_corpus(settings).items():
        print(
            f"{Path(settings.output_dir, part)}.txt: {summary.documents:,} documents, "
            f"{summary.sentences:,} sentences, {summary.characters:,} characters"
        )


if __name__ == "__main__":
    flags.run(main, Settings)
