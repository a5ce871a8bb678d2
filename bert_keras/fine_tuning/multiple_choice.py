"""What `run_multiple_choice` learns: which of several continuations of a text is right."""

import dataclasses
from typing import Any

import numpy as np

from bert_keras.config import BertConfig
from bert_keras.file_patterns import expand_input_files
from bert_keras.fine_tuning.assignment import Assignment, Evaluation, Prediction
from bert_keras.fine_tuning.encoding import encode_set
from bert_keras.models import multiple_choice as models
from bert_keras.objectives.classification import ACCURACIES, LOSSES
from bert_keras.objectives.multiple_choice import multiple_choice
from bert_keras.tasks.multiple_choice.reading import read_examples
from bert_keras.tasks.multiple_choice.scoring import accuracy, table
from bert_keras.tasks.multiple_choice.task import MultipleChoice
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer
from bert_keras.training import preflight

PREDICTIONS_NAME = "test_results.tsv"


def read_assignment(settings: Any, config: BertConfig, tokenizer: WordPieceTokenizer) -> Assignment:
    """Reads the files of `run_multiple_choice.Settings`.

    Raises:
        InputError: a file is missing or damaged, or an example breaks a rule of its layout.
    """
    task = MultipleChoice(settings.max_seq_length)

    def examples_of(name: str, is_labeled: bool = True):
        preflight.check_given(settings, (f"{name}_file",))
        files = expand_input_files(getattr(settings, f"{name}_file"))
        examples = read_examples(files, is_labeled)
        encoded = encode_set(task, [example.texts for example in examples], tokenizer, name)
        labels = [example.label for example in examples]
        values = {"label_ids": np.array(labels, np.int32)} if is_labeled else {}
        return examples, encoded.examples._replace(values=values)

    evaluations, predictions = {}, {}
    train = examples_of("train")[1] if settings.do_train else None
    if settings.needs_evaluation:
        dev, encoded = examples_of("dev")
        evaluations["dev"] = Evaluation(
            encoded, lambda outputs: {"accuracy": accuracy(dev, outputs["logits"])}
        )
    if settings.do_predict:
        test, encoded = examples_of("test", is_labeled=False)
        predictions["test"] = Prediction(
            encoded,
            lambda outputs: {PREDICTIONS_NAME: table(test, outputs["logits"])},
        )
    return Assignment(
        task=task,
        config=dataclasses.replace(config, labels=(), problem_type=""),  # of another task
        build=models.multiple_choice,
        objective=multiple_choice,
        losses=LOSSES,
        accuracies=ACCURACIES,
        train=train,
        evaluations=evaluations,
        predictions=predictions,
        metric="accuracy",
    )
