"""How fast the features of SQuAD are built.

Claim: at least 10 times as many questions a second as plain Python
(`experiments.plain_answer_features`), with all that training and prediction need.

The contexts are paragraphs of the sample, five questions each, as in SQuAD 1.1: sentences of the
paragraph, with words of it as answers. `--squad_file` names a file of SQuAD's instead.
"""

import json
import random
import time
from collections.abc import Callable
from pathlib import Path

from bert_keras.tasks.squad.features import prediction_features, training_features
from bert_keras.tasks.squad.packing import WindowSizes
from bert_keras.tasks.squad.reading import read_squad, with_answers
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer
from experiments import plain_answer_features
from experiments.plain_data_creation import read_vocabulary

SIZES = WindowSizes(max_seq_length=384, doc_stride=128, max_query_length=64)  # the original's
QUESTIONS_A_CONTEXT = 5
CONTEXT_CHARACTERS = 750  # the mean of SQuAD 1.1
NUM_PARTS = 4  # both are timed in turns, so that what else the machine does meets both


def rates(squad_file: Path, vocab_file: Path) -> dict[str, float]:
    """Questions a second, of building features for training, and of both kinds by ours alone.

    Args:
        squad_file: in SQuAD's layout; each question has an answer, or is impossible.
        vocab_file: a vocabulary in lower case.
    """
    vocabulary = read_vocabulary(str(vocab_file))
    examples = plain_answer_features.read_examples(str(squad_file))
    sizes = (SIZES.max_seq_length, SIZES.doc_stride, SIZES.max_query_length)

    file = with_answers(read_squad(str(squad_file)), version_2=True)

    def plain(part: list[plain_answer_features.Example]):
        for example in part:
            plain_answer_features.features(example, vocabulary, True, *sizes)

    def ours(build: Callable, tokenizer: WordPieceTokenizer):
        build(file, tokenizer, SIZES)

    plain_seconds, training_seconds, prediction_seconds = 0.0, [], []
    for turn in range(NUM_PARTS):
        plain_seconds += _seconds(plain, examples[turn::NUM_PARTS])
        for build, seconds in (
            (training_features, training_seconds),
            (prediction_features, prediction_seconds),
        ):
            tokenizer = WordPieceTokenizer(vocab_file)  # a new one: it remembers words
            seconds.append(_seconds(ours, build, tokenizer))
    plain_rate = len(examples) / plain_seconds
    training_rate = NUM_PARTS * len(examples) / sum(training_seconds)
    return {
        "questions_per_second": training_rate,
        "prediction_questions_per_second": NUM_PARTS * len(examples) / sum(prediction_seconds),
        "plain_questions_per_second": plain_rate,
        "ratio": training_rate / plain_rate,
    }


def write_questions(path: Path, sample: Path, num_contexts: int, seed: int = 0) -> None:
    """Writes questions on the sample's text in SQuAD's layout."""
    rng = random.Random(seed)
    sentences = [line for line in sample.read_text(encoding="utf-8").splitlines() if line]
    paragraphs = []
    for _ in range(num_contexts):
        first = rng.randrange(len(sentences) - 50)
        context = ""
        while len(context) < CONTEXT_CHARACTERS:
            context += sentences[first] + " "
            first += 1
        questions = [_question(context, sentences, rng) for _ in range(QUESTIONS_A_CONTEXT)]
        paragraphs.append({"context": context, "qas": questions})
    content = {"version": "1.1", "data": [{"title": "sample", "paragraphs": paragraphs}]}
    path.write_text(json.dumps(content), encoding="utf-8")


def _question(context: str, sentences: list[str], rng: random.Random) -> dict:
    words = context.split()
    first = rng.randrange(len(words) - 3)
    answer = words[first + rng.randrange(3)]
    return {
        "id": f"{rng.getrandbits(64):016x}",
        "question": " ".join(rng.choice(sentences).split()[:12]) + "?",
        "answers": [{"text": answer, "answer_start": context.index(answer)}],
    }


def _seconds(function: Callable, *arguments) -> float:
    """Of the processor: means the same on a busy machine."""
    start = time.process_time()
    function(*arguments)
    return time.process_time() - start
