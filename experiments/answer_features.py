"""How fast the features of SQuAD are built.

Claim: at least 10 times as many questions a second as plain Python
(`experiments.plain_answer_features`), with all that training and prediction need.

The contexts are runs of sentences of the sample, about as long as those of SQuAD 1.1, with five
questions each, as there: sentences from anywhere, with a word of the context as the answer.
"""

import functools
import json
import random
import time
import timeit
from collections.abc import Callable
from pathlib import Path

from bert_keras.tasks.squad.features import prediction_features, training_features
from bert_keras.tasks.squad.packing import WindowSizes
from bert_keras.tasks.squad.reading import read_squad, with_answers
from bert_keras.tasks.windows import windows
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer
from experiments import plain_answer_features
from experiments.plain_data_creation import read_vocabulary

SIZES = WindowSizes(max_seq_length=384, doc_stride=128, max_query_length=64)  # the original's
QUESTIONS_A_CONTEXT = 5
CONTEXT_CHARACTERS = 750  # the mean of SQuAD 1.1
NUM_PARTS = 4  # both are timed in turns, so that what else the machine does meets both


def rates(squad_file: Path, vocab_file: Path) -> dict[str, float]:
    """Questions a second: features for training, for prediction, and by the yardstick.

    Args:
        squad_file: in SQuAD's layout; each question has an answer, or is impossible.
        vocab_file: a vocabulary in lower case.
    """
    vocabulary = read_vocabulary(str(vocab_file))
    examples = plain_answer_features.read_examples(str(squad_file))
    file = with_answers(read_squad(str(squad_file)), version_2=True)
    seconds: dict[Callable, float] = dict.fromkeys((training_features, prediction_features), 0.0)
    plain_seconds = 0.0
    for turn in range(NUM_PARTS):
        part = examples[turn::NUM_PARTS]
        plain_seconds += _seconds(lambda part=part: _build_plainly(part, vocabulary))
        for build in seconds:
            tokenizer = WordPieceTokenizer(vocab_file)  # a new one: it remembers words
            windows.cache_clear()
            arguments = (file.contexts, file.questions, tokenizer, SIZES)
            seconds[build] += _seconds(functools.partial(build, *arguments))
    plain_rate = len(examples) / plain_seconds
    training_rate, prediction_rate = (NUM_PARTS * len(examples) / s for s in seconds.values())
    return {
        "questions_per_second": training_rate,
        "prediction_questions_per_second": prediction_rate,
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


def _build_plainly(examples: list[plain_answer_features.Example], vocabulary: dict[str, int]):
    for example in examples:
        plain_answer_features.features(
            example,
            vocabulary,
            True,
            SIZES.max_seq_length,
            SIZES.doc_stride,
            SIZES.max_query_length,
        )


def _seconds(function: Callable) -> float:
    """Of the processor, which means the same on a busy machine."""
    return timeit.timeit(function, timer=time.process_time, number=1)
