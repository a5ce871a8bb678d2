"""The rule that Keras runs on TensorFlow here, checked before Keras is imported."""

import os
import sys

from bert_keras.errors import InputError


def check_backend() -> None:
    """Raises InputError if this process is set up for another backend or for Keras 2.

    Keras reads these settings once, at its first import, and a wrong one fails far from its cause.
    """
    backend = os.environ.get("KERAS_BACKEND", "tensorflow")
    if "keras" in sys.modules and backend == "tensorflow":
        backend = sys.modules["keras"].config.backend()
    if backend != "tensorflow":
        raise InputError(
            f"Keras must run on TensorFlow; its backend is {backend!r}. "
            "Unset KERAS_BACKEND or set it to 'tensorflow', and start a new process."
        )
    legacy = os.environ.get("TF_USE_LEGACY_KERAS", "")
    if legacy.lower() in ("1", "true"):
        raise InputError(
            f"Keras 3 is needed; TF_USE_LEGACY_KERAS={legacy} asks for Keras 2. "
            "Unset it and start a new process."
        )
