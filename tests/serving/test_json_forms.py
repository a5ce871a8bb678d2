import json

import numpy as np
import pytest

from bert_keras.errors import InputError
from bert_keras.serving.json_forms import input_of, plain
from bert_keras.tasks.classification.single_label import Label
from bert_keras.tasks.fill_mask.task import Candidate, Filled
from bert_keras.tasks.vectors.embedding import Vector


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"text": "a"}, "a"),
        ({"text_a": "a", "text_b": "b"}, ("a", "b")),
        ({"text": "a", "text_b": "b"}, ("a", "b")),
        ({"question": "q", "context": "c"}, ("q", "c")),
        ({"context": "c", "choices": ["a", "b"]}, ("c", ["a", "b"])),
        ({"words": ["a", "b"], "id": 7}, ["a", "b"]),
    ],
)
def test_the_keys_say_what_is_asked(values, expected):
    assert input_of(values, "Line 1") == expected


@pytest.mark.parametrize("values", [{}, {"txt": "a"}, {"question": "q"}, ["a"], "a", None])
def test_what_asks_nothing_is_refused_by_its_place(values):
    with pytest.raises(InputError, match="Line 1: an object has the keys question and context; "):
        input_of(values, "Line 1")


def test_answers_become_objects():
    label = Label("yes", {"no": 0.25, "yes": 0.75})
    assert plain(label) == label._asdict()
    filled = Filled([[Candidate("\u4eac", 7, 0.5)]])
    assert plain(filled) == {"masks": [[{"token": "\u4eac", "id": 7, "score": 0.5}]]}
    vector = Vector(np.array([1.5, 2], np.float32))
    assert json.loads(json.dumps(plain(vector))) == {"embedding": [1.5, 2]}
