"""A corpus -> documents of token ids, held in memory.

In BERT's input format, as in the original (google-research/bert, create_training_instances), the
end of a file does not end a document: a file that shall not run on into the next one ends with an
empty line.
"""

from collections.abc import Callable, Iterable, Iterator

from bert_keras.notices import notify
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer
from tfrecord_tools.corpus.blocks import read_blocks
from tfrecord_tools.corpus.decoding import notify_of_invalid_lines
from tfrecord_tools.corpus.documents import block_text, documents_of
from tfrecord_tools.corpus.formats.blank_lines import sentence_lines
from tfrecord_tools.corpus.settings import CorpusSettings
from tfrecord_tools.single_stream.instances import Document


def read_lines(settings: CorpusSettings, report_bytes: Callable[[int], None]) -> Iterator[str]:
    """Yields the sentences of the corpus, and an empty line where a document ends.

    Args:
      settings: those of the program. Files in BERT's format that do not end with an empty line, and
        lines that are not UTF-8, are reported as notices.
      report_bytes: is told how many bytes were read.

    Raises:
      InputError: the corpus cannot be read; the file, and where it helps the line, is named.
    """
    is_as_original = settings.input_format == "sentences" and not settings.tfds
    num_invalid: list[int] = []
    read = _lines_of_files if is_as_original else _lines_of_documents
    yield from read(settings, report_bytes, num_invalid.append)
    notify_of_invalid_lines(sum(num_invalid), settings.encoding_errors)


def _lines_of_files(settings, report_bytes, report_invalid_lines) -> Iterator[str]:
    num_files = num_open = 0
    line = ""
    for block in read_blocks(settings, report_bytes):
        if block.first_line == 1:
            num_files += 1
            num_open += bool(line)
        for line in sentence_lines(block_text(block, settings, report_invalid_lines)):
            yield line
    if num_open:
        notify(
            f"{num_open} of {num_files} input files do not end with an empty line; their last "
            "document runs on into the next file, as in the original program"
        )


def _lines_of_documents(settings, report_bytes, report_invalid_lines) -> Iterator[str]:
    for block in read_blocks(settings, report_bytes):
        for document in documents_of(block, settings, report_invalid_lines):
            yield from document.sentences
            yield ""


def read_documents(lines: Iterable[str], tokenizer: WordPieceTokenizer) -> list[Document]:
    """Groups lines into documents; sentences and documents that have no token are left out."""
    documents: list[Document] = [[]]
    for line in lines:
        if not line:
            documents.append([])
        elif tokens := tokenizer.tokenize(line):
            documents[-1].append(tokenizer.convert_tokens_to_ids(tokens))
    return [document for document in documents if document]
