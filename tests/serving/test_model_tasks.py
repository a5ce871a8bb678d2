import dataclasses

import pytest

from bert_keras.checkpoints.builders import BUILDERS
from bert_keras.errors import InputError
from bert_keras.serving.model_tasks import (
    MODELS,
    TASKS,
    VECTORS,
    check_fields,
    check_model,
    usual_task,
)
from bert_keras.tasks.task import description


def test_every_task_has_models_and_every_model_a_task():
    assert {*MODELS, *VECTORS} == {*TASKS}
    assert {model for models in MODELS.values() for model in models} <= {*BUILDERS}
    assert {usual_task(model) for model in BUILDERS} <= {*TASKS}
    assert usual_task("classifier") == "classification"
    assert usual_task("bert") == usual_task("next_sentence") == "embedding"


def test_every_task_comes_back_from_its_description():
    for name, kind in TASKS.items():
        described = description(dataclasses.replace(kind(), max_seq_length=100))
        assert described.pop("task") == name
        check_fields(name, described, "task.json")
        assert kind(**described) == kind(max_seq_length=100)


@pytest.mark.parametrize(
    ("name", "fields", "message"),
    [
        ("tagging", {"length": 3}, "task.json: the task tagging has max_seq_length. Received: 'le"),
        ("tagging", {"max_seq_length": "3"}, "max_seq_length must be like 128. Received: '3'"),
        ("tagging", {"max_seq_length": True}, "max_seq_length must be like 128. Received: True"),
        ("fill_mask", {"top_k": 0}, "top_k must be like 5. Received: 0"),
        ("question_answering", {"n_best_size": 2**31}, "n_best_size must be like 20. Received"),
        (
            "question_answering",
            {"null_score_diff_threshold": float("inf")},
            "null_score_diff_threshold must be like 0.0. Received: inf",
        ),
    ],
)
def test_a_field_that_is_none_or_of_another_kind_is_refused(name, fields, message):
    with pytest.raises(InputError, match=message):
        check_fields(name, fields, "task.json")


def test_a_number_without_point_is_a_number():
    check_fields("question_answering", {"null_score_diff_threshold": -1}, "task.json")


def test_a_task_needs_its_head_and_vectors_need_none():
    with pytest.raises(InputError, match="needs a model with the head of a token_classifier. Rec"):
        check_model("tagging", "classifier", "folder")
    with pytest.raises(InputError, match="--task must be one of classification, .*Received: ner"):
        check_model("ner", "classifier", "folder")
    check_model("embedding", "classifier", "folder")
    check_model("fill_mask", "pretrainer", "folder")
