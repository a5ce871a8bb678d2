"""The benchmark of SQuAD's features compares like with like."""

import importlib.resources

import pytest

from bert_keras.tasks.squad.features import training_features
from bert_keras.tasks.squad.reading import read_squad
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer
from experiments import answer_features, plain_answer_features

SAMPLE = importlib.resources.files("bert_keras") / "sample"


@pytest.fixture(scope="module")
def questions(tmp_path_factory):
    path = tmp_path_factory.mktemp("questions") / "squad.json"
    answer_features.write_questions(path, SAMPLE / "corpus.txt", num_contexts=6)
    return path


def test_both_builders_make_the_same(questions):
    tokenizer = WordPieceTokenizer(SAMPLE / "vocab.txt")
    sizes = answer_features.SIZES._replace(max_seq_length=96, doc_stride=32)
    file = read_squad(str(questions))
    found = training_features(file.contexts, file.questions, tokenizer, sizes).examples
    expected = [
        feature
        for example in plain_answer_features.read_examples(str(questions))
        for feature in plain_answer_features.features(example, tokenizer.vocab, True, 96, 32, 64)
    ]
    assert [ids.tolist() for ids in found.tokens["input_ids"]] == [f.input_ids for f in expected]
    starts = found.values["start_positions"].tolist()
    assert starts == [feature.start_position for feature in expected]
    assert any(starts)


def test_rates_and_their_ratio(questions):
    rates = answer_features.rates(questions, SAMPLE / "vocab.txt")
    assert rates["ratio"] == rates["questions_per_second"] / rates["plain_questions_per_second"]
    assert rates["prediction_questions_per_second"] > 0
