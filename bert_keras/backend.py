"""How TensorFlow and Keras start: the right backend, and no lines that say nothing to a user."""

import os
import sys
import tempfile

from bert_keras.errors import InputError

NVIDIA_DRIVER = "/proc/driver/nvidia"


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


def import_tensorflow_quietly() -> None:
    """Imports TensorFlow without the lines that its libraries print whatever their log level.

    They print to file descriptor 2, past Python. They are shown after all if the import fails, and
    on a machine with an NVIDIA driver, where they may say why TensorFlow finds no GPU.
    """
    visible = os.dup(2)
    with tempfile.TemporaryFile() as hidden:
        os.dup2(hidden.fileno(), 2)
        is_noise = False
        try:
            import tensorflow as tf

            tf.config.list_physical_devices()  # makes it look for GPUs
            is_noise = not os.path.exists(NVIDIA_DRIVER)
        finally:
            os.dup2(visible, 2)
            os.close(visible)
            if not is_noise:
                hidden.seek(0)
                os.write(2, hidden.read())
