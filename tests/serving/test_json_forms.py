import json

import numpy as np
import pytest

from bert_keras.errors import InputError
from bert_keras.serving.json_forms import FORMS, input_of, plain
from bert_keras.serving.model_tasks import TASKS
from bert_keras.tasks.classification.single_label import Label
from bert_keras.tasks.fill_mask.task import Candidate, Filled
from bert_keras.tasks.vectors.embedding import Vector


@pytest.mark.parametrize(
    ("values", "task", "expected"),
    [
        ({"text": "a"}, "classification", "a"),
        ({"text_a": "a", "text_b": "b"}, "classification", ("a", "b")),
        ({"text": "a", "text_b": "b"}, "features", ("a", "b")),
        ({"question": "q", "context": "c"}, "question_answering", ("q", "c")),
        ({"context": "c", "choices": ["a", "b"]}, "multiple_choice", ("c", ["a", "b"])),
        ({"words": ["a", "b"], "id": 7}, "tagging", ["a", "b"]),
    ],
)
def test_the_keys_say_what_is_asked(values, task, expected):
    assert input_of(values, task, "Line 1") == expected


@pytest.mark.parametrize("values", [{}, {"txt": "a"}, {"words": ["q"]}, ["a"], "a", None])
def test_what_asks_nothing_is_refused_by_its_place(values):
    rule = "Line 1: for classification an object has the keys text_a and text_b, or text and text_b"
    with pytest.raises(InputError, match=f"{rule}, or text. Received"):
        input_of(values, "classification", "Line 1")


def test_every_task_has_a_form():
    assert {*FORMS} == {*TASKS}


def test_answers_become_objects():
    label = Label("yes", {"no": 0.25, "yes": 0.75})
    assert plain(label) == label._asdict()
    filled = Filled([[Candidate("\u4eac", 7, 0.5)]])
    assert plain(filled) == {"masks": [[{"token": "\u4eac", "id": 7, "score": 0.5}]]}
    vector = Vector(np.array([1.5, 2], np.float32))
    assert json.loads(json.dumps(plain(vector))) == {"embedding": [1.5, 2]}
