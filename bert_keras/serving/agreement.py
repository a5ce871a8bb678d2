"""How far a converted model agrees with the one that it was made of, on data with answers.

Compared are the outputs, what they choose, and the official scores of both.
"""

import dataclasses
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import numpy as np

from bert_keras.checkpoints.files.json_files import write_json
from bert_keras.config import MULTI_LABEL, REGRESSION, BertConfig
from bert_keras.data.encoded import EncodedExamples, Outputs
from bert_keras.errors import InputError
from bert_keras.notices import notify
from bert_keras.progress import unseen
from bert_keras.serving.model_tasks import WITH_OFFSETS
from bert_keras.tasks.classification.kinds import problem_type_of
from bert_keras.tasks.classification.task import Classification
from bert_keras.tasks.multiple_choice.task import MultipleChoice
from bert_keras.tasks.squad.task import QuestionAnswering
from bert_keras.tasks.tagging.task import Tagging

AGREEMENT_FILE = "agreement.json"
USUAL_MAX_DROP = 1.0
# Runs a model: examples, batch size, what is told of progress -> outputs.
OutputsOf = Callable[[EncodedExamples, int, Callable[[int], None]], Outputs]
Choices = list[np.ndarray]  # of each example what is chosen: an array of any shape


class LabeledSet(Protocol):
    """Examples with answers, such as `fine_tuning.assignment.Evaluation`.

    Attributes:
        examples: what the model is to be run on.
        score: function of its outputs -> the official scores, name -> value.
    """

    examples: EncodedExamples
    score: Callable[[Outputs], dict[str, float]]


@dataclasses.dataclass(frozen=True)
class SetAgreement:
    """On one set.

    Attributes:
        num_examples: those that the model was run on.
        num_answers: what was chosen: labels of examples, of tokens, ends of spans; of a regression
            nothing is.
        answers_equal: the share of answers that both give; 1 where there are none.
        largest_difference: name of an output -> the most by which a number of it differs.
        before, after: the scores, name -> value.
    """

    num_examples: int
    num_answers: int
    answers_equal: float
    largest_difference: dict[str, float]
    before: dict[str, float]
    after: dict[str, float]


@dataclasses.dataclass(frozen=True)
class Agreement:
    """On all sets.

    Attributes:
        task: its name.
        metric: the score that decides.
        drop: by how many points of a hundred it is lower afterwards.
        sets: name -> on that set.
    """

    task: str
    metric: str
    drop: float
    sets: dict[str, SetAgreement]

    def write(self, path: str) -> None:
        """Writes it as JSON; raises InputError if that fails."""
        write_json(path, dataclasses.asdict(self))

    def check(self, max_drop: float) -> None:
        """Raises InputError if the score falls by more points of a hundred."""
        if not self.drop <= max_drop:  # nor is one that is no number
            shares = {name: round(one.answers_equal, 4) for name, one in self.sets.items()}
            raise InputError(
                f"{self.metric} must not fall by more than --max_drop={max_drop:g} points of a "
                f"hundred through the conversion. Received: {self.drop:.4g}; the share of equal "
                f"answers is {json.dumps(shares)}. Take a higher --precision."
            )


def compare(
    task: str,
    config: BertConfig,
    sets: Mapping[str, LabeledSet],
    metric: str,
    before: OutputsOf,
    after: OutputsOf,
    batch_size: int = 32,
    advance: Callable[[int], None] = unseen,
) -> Agreement:
    """Runs two models on the same examples.

    Args:
        task: the name of what they do; a key of `CHOICES`.
        config: of both.
        sets: name -> examples with answers.
        metric: the score that decides, of those of the sets.
        before: the model.
        after: what was made of it.
        batch_size: the most examples of a batch.
        advance: is told how many examples more are done, by each of the two.

    Raises:
        InputError: there is nothing to compare with.
    """
    if task not in CHOICES or not sets:
        raise InputError(
            f"A converted model is compared on data with answers, of {', '.join(CHOICES)}. "
            f"Received: {task} with {len(sets)} sets"
        )
    found = {}
    for name, one in sets.items():
        outputs = [run(one.examples, batch_size, advance) for run in (before, after)]
        found[name] = _of_set(task, config, one, *outputs)
    scores = {key: one.before[key] - one.after[key] for one in found.values() for key in one.before}
    points = 1.0 if task == QuestionAnswering.name else 100.0  # SQuAD's scores are percents
    return Agreement(task, metric, points * scores[metric], found)


def _of_set(
    task: str, config: BertConfig, labeled: LabeledSet, before: Outputs, after: Outputs
) -> SetAgreement:
    has_positions = task in WITH_OFFSETS  # others: one row an example
    lengths = labeled.examples.lengths if has_positions else [None] * len(labeled.examples.lengths)
    chosen = [CHOICES[task](outputs, labeled.examples, config) for outputs in (before, after)]
    is_equal = np.concatenate(
        [np.ravel(ours == theirs) for ours, theirs in zip(*chosen, strict=True)] or [[]]
    )
    return SetAgreement(
        num_examples=len(labeled.examples.lengths),
        num_answers=is_equal.size,
        answers_equal=float(np.mean(is_equal)) if is_equal.size else 1.0,
        largest_difference={
            name: _largest_difference(before[name], after[name], lengths) for name in before
        },
        before=labeled.score(before),
        after=labeled.score(after),
    )


def _largest_difference(
    before: Sequence[np.ndarray], after: Sequence[np.ndarray], lengths: Sequence[int | None]
) -> float:
    """Over the first numbers of each output, or all: what padding gets means nothing.

    A number that is none (NaN) makes it NaN.
    """
    differences = [
        np.max(np.abs(ours[:length] - theirs[:length]), initial=0.0)
        for ours, theirs, length in zip(before, after, lengths, strict=True)
    ]
    return float(np.max(differences, initial=0.0))


def _labels(outputs: Outputs, examples: EncodedExamples, config: BertConfig) -> Choices:
    """The label of each example; of a multi-label problem whether it has each of them."""
    problem_type = problem_type_of(config)
    if problem_type == REGRESSION:
        return []
    if problem_type == MULTI_LABEL:
        return [logits >= 0 for logits in outputs["logits"]]
    return [np.argmax(logits, axis=-1) for logits in outputs["logits"]]


def _labels_of_tokens(outputs: Outputs, examples: EncodedExamples, config: BertConfig) -> Choices:
    rows = zip(outputs["logits"], examples.lengths, strict=True)
    return [np.argmax(logits[:length], axis=-1) for logits, length in rows]


def _ends_of_spans(outputs: Outputs, examples: EncodedExamples, config: BertConfig) -> Choices:
    rows = zip(outputs["start_logits"], outputs["end_logits"], examples.lengths, strict=True)
    return [np.array([np.argmax(one[:length]) for one in (s, e)]) for s, e, length in rows]


def _choices(outputs: Outputs, examples: EncodedExamples, config: BertConfig) -> Choices:
    """A choice without tokens is missing."""
    masks = examples.tokens["input_mask"]
    return [
        np.argmax(np.where(mask.any(axis=-1), logits[: len(mask)], -np.inf))
        for logits, mask in zip(outputs["logits"], masks, strict=True)
    ]


# Task -> what its outputs choose.
CHOICES: dict[str, Callable[[Outputs, EncodedExamples, BertConfig], Choices]] = {
    Classification.name: _labels,
    Tagging.name: _labels_of_tokens,
    QuestionAnswering.name: _ends_of_spans,
    MultipleChoice.name: _choices,
}


def agreement_check(
    load: Callable[[str], OutputsOf],
    measure: Callable[[OutputsOf], Agreement],
    max_drop: float = USUAL_MAX_DROP,
) -> Callable[[str], None]:
    """A check for `export_litert` and `export_onnx`: measures, refuses, writes `agreement.json`.

    It says what the scores were and are.

    Args:
        load: function of a folder -> what runs the model in it.
        measure: function of that -> how far it agrees.
        max_drop: the most points of a hundred that the score may fall by.
    """

    def check(folder: str) -> None:
        found = measure(load(folder))
        found.check(max_drop)
        found.write(f"{folder}/{AGREEMENT_FILE}")
        for name, one in found.sets.items():
            scores = one.before[found.metric], one.after[found.metric]
            notify(f"{name}: {found.metric} was {scores[0]:.4g} and is {scores[1]:.4g}")

    return check
