"""The map in the docstring of each room."""

import importlib
import pkgutil
import re

import pytest

ROOMS = [
    "feature_extraction",
    "fine_tuning",
    "serving",
    "serving.clients",
    "serving.in_graph",
    "tasks",
    "tasks.classification",
    "tasks.fill_mask",
    "tasks.multiple_choice",
    "tasks.squad",
    "tasks.tagging",
    "tasks.vectors",
]


@pytest.mark.parametrize("room", ROOMS)
def test_the_map_of_a_room_shows_its_modules_and_no_others(room):
    package = importlib.import_module(f"bert_keras.{room}")
    lines = re.findall(r"^([\w, ]+): ", package.__doc__.partition("\n\n")[2], re.MULTILINE)
    shown = [name for line in lines for name in line.split(", ")]
    assert sorted(shown) == sorted(module.name for module in pkgutil.iter_modules(package.__path__))
