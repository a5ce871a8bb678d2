"""What the flags of `run_classifier` say of its data: a task by name, or columns of other files."""

from typing import Any

from bert_keras.config import MULTI_LABEL, SINGLE_LABEL, BertConfig
from bert_keras.errors import InputError
from bert_keras.tasks.classification.description import TaskDescription
from bert_keras.tasks.classification.glue import known_task
from bert_keras.tasks.classification.kinds import ANSWERS

# The flags that say of other data what --task_name says of the tasks that it knows.
FLAGS_OF_COLUMNS = ("text_a_column", "text_b_column", "label_column", "id_column", "problem_type")


def described(settings: Any, config: BertConfig) -> TaskDescription:
    """What `run_classifier.Settings` describe.

    Raises:
        InputError: they describe nothing, or two things.
    """
    description = _known_task(settings) if settings.task_name else _other_data(settings, config)
    if settings.glue_submission and not description.submission:
        raise InputError(
            "--glue_submission is for a task of GLUE. "
            f"Received: --task_name={settings.task_name or ''}"
        )
    return description


def _known_task(settings: Any) -> TaskDescription:
    given = [f"--{name}" for name in FLAGS_OF_COLUMNS if getattr(settings, name)]
    if given or not settings.header:
        raise InputError(
            f"--task_name={settings.task_name} says what its columns mean. Received: also "
            f"{', '.join(given or ['--noheader'])}. Leave out one or the other."
        )
    return known_task(settings.task_name)


def _other_data(settings: Any, config: BertConfig) -> TaskDescription:
    if not settings.text_a_column:
        raise InputError(
            "Say what is to be read: --task_name, or, for other data, --text_a_column, the column "
            "that holds the text. Received: neither"
        )
    problem_type = settings.problem_type or _default_problem_type(settings, config)
    if problem_type not in ANSWERS:
        raise InputError(
            f"--problem_type must be one of {', '.join(ANSWERS)}. Received: {problem_type}"
        )
    return TaskDescription(
        text_a=(settings.text_a_column,),
        text_b=(settings.text_b_column,) if settings.text_b_column else (),
        label=tuple(settings.label_column or ["label"]),
        labels=(),
        problem_type=problem_type,
        metrics=ANSWERS[problem_type].metrics,
        submission={},
        id=(settings.id_column,) if settings.id_column else (),
        is_numbered=not settings.id_column,
        without_header=() if settings.header else ("train", "dev", "test"),
    )


def _default_problem_type(settings: Any, config: BertConfig) -> str:
    if len(settings.label_column) > 1:
        return MULTI_LABEL
    return (not settings.do_train and config.problem_type) or SINGLE_LABEL
