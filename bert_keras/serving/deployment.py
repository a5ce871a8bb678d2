"""The files that a server of an export is started with, beside its versions."""

import json
from collections.abc import Mapping
from importlib import resources
from typing import Any

import tensorflow as tf

from bert_keras.files import exists, write_text

NAME = "bert"  # of the model, in requests
REQUEST = "{request}"  # stands in a template for the inputs of one
FILES = (
    "models.config",
    "batching_parameters.txt",
    "monitoring.config",
    "Dockerfile",
    ".dockerignore",
    "compose.yaml",
    "DEPLOY.md",
)


def write(output_dir: str, request: Mapping[str, Any]) -> list[str]:
    """Writes those that are not there: an operator may have changed them.

    Args:
        output_dir: the folder of the versions.
        request: name of an input -> an example of its values, for the page.

    Returns:
        The names of the files that were written.

    Raises:
        InputError: one cannot be written.
    """
    new = [name for name in FILES if not exists(tf.io.gfile.join(output_dir, name))]
    for name in new:
        template = resources.files("bert_keras.serving").joinpath("deploy", name.lstrip("."))
        text = template.read_text(encoding="utf-8").replace(REQUEST, json.dumps(request))
        write_text(tf.io.gfile.join(output_dir, name), text)
    return new
