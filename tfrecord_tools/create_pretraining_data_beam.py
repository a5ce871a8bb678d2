r"""The bucketed builder of create_pretraining_data on a cluster, as an Apache Beam pipeline.

    python -m tfrecord_tools.create_pretraining_data_beam --input_file='gs://my/wiki/*' \
        --input_format=wikiextractor --output_file=gs://my/train.tfrecord --num_shards=256 \
        --vocab_file=gs://my/vocab.txt \
        --runner=DataflowRunner --project=... --region=... --temp_location=gs://my/tmp \
        --setup_file=./setup.py

Flags that are not of this program go to Beam (Dataflow, Flink, Spark; without --runner Beam's own
on this machine). The records are those of create_pretraining_data --num_shards with the same
settings, file for file. A file is read by one worker, and a worker holds a bucket of documents or
a shard of records at a time, so give many files and ask for many shards.

Needs the extra `beam`.
"""

import dataclasses
import difflib
import logging
import sys

from bert_keras import flags
from bert_keras.errors import InputError
from bert_keras.notices import notify
from tfrecord_tools.record_settings import RecordSettings, resolved
from tfrecord_tools.summary import Summary


@dataclasses.dataclass(frozen=True, kw_only=True)
class Settings(RecordSettings):
    beam_flags: list[str] = flags.arguments("BEAM_FLAG", "Flags of Beam and of its runner.")


def main(settings: Settings) -> None:
    print(create_pretraining_data(settings))


def create_pretraining_data(settings: Settings) -> Summary:
    """Runs the pipeline and waits for its end.

    Raises:
      InputError: Beam is not installed, or settings, files or corpus cannot work.
    """
    logging.disable(logging.WARNING)  # what Beam says of Google's libraries when they are missing
    try:
        from tfrecord_tools.bucketed import beam_pipeline
    except ModuleNotFoundError as error:
        if error.name != "apache_beam":
            raise
        raise InputError(
            "Apache Beam is not installed. Install it: pip install 'bert_keras[beam]'"
        ) from error
    finally:
        logging.disable(logging.NOTSET)
    return beam_pipeline.create(resolved(settings), settings.beam_flags)


def split_flags(command_line: list[str]) -> list[str]:
    """Puts the flags that are not of this program behind `--`, where they are words for Beam.

    Raises:
      InputError: a flag that is nearly one of this program.
    """
    own_names = {field.name for field in dataclasses.fields(Settings)}
    own: list[str] = []
    beams: list[str] = []
    side = own
    for word in command_line:
        if word.startswith("-"):
            name = word.lstrip("-").partition("=")[0]
            is_own = name in own_names or name.removeprefix("no") in own_names
            side = own if is_own or word in flags.HELP_FLAGS else beams
            if side is beams and (near := difflib.get_close_matches(name, own_names, 1, 0.85)):
                raise InputError(f"There is no flag --{name}. The nearest: --{near[0]}.")
        side.append(word)
    if beams:
        notify(f"passed on to Beam: {' '.join(beams)}")
    return [*own, "--", *beams]


if __name__ == "__main__":
    try:
        words = split_flags(sys.argv[1:])
    except InputError as error:
        sys.exit(f"error: {error}")
    flags.run(main, Settings, command_line=words)
