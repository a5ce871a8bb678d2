"""The flags that say which text to read, the same for every program that reads text."""

import dataclasses

from bert_keras import flags
from bert_keras.errors import InputError
from bert_keras.file_patterns import expand_input_files
from bert_keras.files import file_size
from tfrecord_tools.corpus.decoding import POLICIES
from tfrecord_tools.corpus.formats import FORMATS
from tfrecord_tools.corpus.sentence_splitting import check_language

STDIN = "-"


@dataclasses.dataclass(frozen=True, kw_only=True)
class CorpusSettings:
    """Text to read. The settings of a program inherit these."""

    input_file: list[str] = flags.setting(
        (),
        "Text files: paths or globs, separated by commas; plain, gz, bz2, xz or zst. "
        "- is standard input.",
    )
    tfds: str | None = flags.setting(
        None,
        "Data set of TensorFlow Datasets to read instead of files, such as "
        "wikipedia/20230601.en. It is downloaded if --tfds_data_dir does not hold it. "
        "--input_format has no effect.",
    )
    tfds_split: str = flags.setting("train", "Split of --tfds.")
    tfds_data_dir: str | None = flags.setting(
        None, "Folder of the prepared data sets; ~/tensorflow_datasets if none is given."
    )
    input_format: str = flags.setting(
        "sentences",
        "sentences: one a line, an empty line between documents. paragraphs: running text, an "
        "empty line between documents. files: running text, a file is a document. wikiextractor: "
        "what WikiExtractor writes. jsonl: a JSON object a line, a document in its --text_field.",
    )
    text_field: str = flags.setting("text", "Field that holds the text, in JSON and in --tfds.")
    language: str = flags.setting("en", "Language by whose rules running text is split.")
    keep_lines: bool = flags.setting(
        False, "Take the lines of running text for its sentences: nothing is split."
    )
    min_passage_length: int = flags.setting(
        40,
        "Shorter lines of wikiextractor, in characters, are taken for headings and list items; "
        "15 suits Chinese and Japanese.",
        minimum=0,
    )
    encoding_errors: str = flags.setting(
        "fail",
        "What to do about bytes that are not UTF-8. fail: stop and name the line. replace: put "
        "U+FFFD, which the tokenizer drops. skip: leave the line out.",
    )


def check_corpus(settings: CorpusSettings) -> None:
    """Raises InputError for settings that name no corpus, or no way to read it."""
    flags.check_numbers(settings)
    if bool(settings.input_file) == bool(settings.tfds):
        received = "both" if settings.tfds else "neither"
        raise InputError(f"Give --input_file or --tfds; received {received}.")
    if STDIN in settings.input_file and len(settings.input_file) > 1:
        raise InputError(
            f"- (standard input) is read alone; received {','.join(settings.input_file)}. "
            "Send the files through it: cat FILES | ..."
        )
    for name, choices in (("input_format", FORMATS), ("encoding_errors", POLICIES)):
        if getattr(settings, name) not in choices:
            received = getattr(settings, name)
            raise InputError(f"--{name} must be one of {', '.join(choices)}. Received: {received}")
    check_language(settings.language)


def input_files(settings: CorpusSettings) -> list[str]:
    """Returns the files to read, in order; none for a TFDS data set, `-` for standard input.

    Raises:
      InputError: the settings make no sense, or a name leads to no file.
    """
    check_corpus(settings)
    if settings.tfds or settings.input_file == [STDIN]:
        return list(settings.input_file)
    return expand_input_files(settings.input_file)


def num_input_bytes(settings: CorpusSettings) -> int | None:
    """Returns the size of the files as they lie on the disk; None where it is not known before."""
    files = input_files(settings)
    return None if settings.tfds or files == [STDIN] else sum(map(file_size, files))


def corpus_name(settings: CorpusSettings) -> str:
    """What messages call the whole corpus."""
    return ", ".join(settings.input_file) or f"the data set {settings.tfds}"
