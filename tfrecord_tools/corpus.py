"""Text files in BERT's input format -> documents of token ids.

One sentence a line, an empty line between documents. As in the original (google-research/bert,
create_training_instances) the end of a file does not end a document: a file that shall not run on
into the next one ends with an empty line.
"""

from collections.abc import Callable, Iterable, Iterator

from bert_keras.errors import InputError
from bert_keras.files import named_errors, open_bytes
from bert_keras.notices import notify
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer
from tfrecord_tools.single_stream.instances import Document


def read_corpus_lines(
    paths: list[str], drop_invalid_bytes: bool, report_bytes: Callable[[int], None]
) -> Iterator[str]:
    """Yields the lines of UTF-8 files, one file after another, without the blanks around them.

    Only a line feed ends a line, and carriage returns are removed wherever they stand: so does
    TensorFlow's file reader, which the original uses.

    Args:
      paths: the files; those without text or without an empty line at the end are reported
        as notices.
      drop_invalid_bytes: leave out bytes that are not UTF-8, as the original does.
      report_bytes: is told the size of each line.

    Raises:
      InputError: bytes that are not UTF-8, in which file and line, or a file is not readable.
    """
    num_open = 0
    line = ""
    for path in paths:
        num_open += bool(line)
        is_blank = True
        for number, raw_line in enumerate(_raw_lines(path), start=1):
            report_bytes(len(raw_line))
            raw_line = raw_line.replace(b"\r", b"")
            line = _decode(raw_line, drop_invalid_bytes, path, number).strip()
            is_blank = is_blank and not line
            yield line
        if is_blank:
            notify(f"{path} holds no text")
    if num_open:
        notify(
            f"{num_open} of {len(paths)} input files do not end with an empty line; their last "
            "document runs on into the next file, as in the original program"
        )


def read_documents(lines: Iterable[str], tokenizer: WordPieceTokenizer) -> list[Document]:
    """Groups lines into documents; sentences and documents that have no token are left out."""
    documents: list[Document] = [[]]
    for line in lines:
        if not line:
            documents.append([])
        elif tokens := tokenizer.tokenize(line):
            documents[-1].append(tokenizer.convert_tokens_to_ids(tokens))
    return [document for document in documents if document]


def _raw_lines(path: str) -> Iterator[bytes]:
    with named_errors(path, "read"), open_bytes(path) as file:
        while raw_line := file.readline():
            yield raw_line


def _decode(raw_line: bytes, drop_invalid_bytes: bool, path: str, number: int) -> str:
    try:
        return raw_line.decode("utf-8", "ignore" if drop_invalid_bytes else "strict")
    except UnicodeDecodeError as error:
        raise InputError(
            f"Input must be UTF-8; {path}, line {number}, holds the byte "
            f"0x{raw_line[error.start]:02x} (number {error.start + 1} of the line). Convert the "
            "file, for instance with iconv, or leave such bytes out with --drop_invalid_bytes."
        ) from error
