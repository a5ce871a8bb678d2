"""What every fine-tuning program does once its flags are read. Importing it loads no TensorFlow."""

import importlib
from collections.abc import Callable
from typing import Any, NamedTuple

from bert_keras.backend import check_backend, import_tensorflow_quietly


class Program(NamedTuple):
    """A fine-tuning program.

    Attributes:
        settings_class: its flags.
        module: the module of `fine_tuning` whose `read_assignment` says what is learned.
    """

    settings_class: type
    module: str

    def read_assignment(self, *arguments: Any) -> Any:
        """`ReadAssignment` of `fine_tuning.job`; loads TensorFlow."""
        module = importlib.import_module(f"bert_keras.fine_tuning.{self.module}")
        return module.read_assignment(*arguments)

    def run(self, settings: Any, make_runs: Callable | None = None) -> int:
        """Does what the settings say; `make_runs` as of `fine_tuning.job.run`, by default its own.

        Returns the exit status: 0 also after SIGTERM, 130 after Ctrl-C.
        """
        check_backend()  # before the modules below load Keras
        import_tensorflow_quietly()
        from bert_keras.fine_tuning import job
        from bert_keras.fine_tuning.seeds import run_seeds
        from bert_keras.training.stop import StopRequest

        with StopRequest() as stop:
            job.run(settings, self.read_assignment, stop, make_runs or run_seeds)
        return stop.exit_status
