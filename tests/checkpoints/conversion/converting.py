"""The job of the program, for tests."""

from bert_keras.checkpoints.conversion import job
from bert_keras.run_conversion import Settings


def convert(source, target, format_name, **settings):
    settings = Settings(input=str(source), output=str(target), format=format_name, **settings)
    return job.run(settings, "a command")
