r"""Makes pre-training records from text: masked LM, and next sentence or what its successors do.

    python -m tfrecord_tools.create_pretraining_data --input_file='texts/*.txt' \
        --output_file=train.tfrecord --vocab_file=vocab.txt --max_seq_length=128

makes the records of create_pretraining_data.py of google-research/bert, in its order, from its
flags: one process draws one stream of random numbers, and the corpus is held in memory.

    python -m tfrecord_tools.create_pretraining_data --input_file='wiki/*/wiki_*' \
        --input_format=wikiextractor --output_file=train.tfrecord --num_shards=64 --num_workers=16 \
        --vocab_file=vocab.txt

With --num_workers or --num_shards, or with a flag that asks for what the original cannot do, the
corpus is built in buckets: in bounded memory, by any number of processes, always with the same
result. A build that was stopped is continued by the same command.

Beside the first output file a summary is written, NAME.summary.json.
"""

import dataclasses

from bert_keras import flags
from bert_keras.backend import import_tensorflow_quietly
from tfrecord_tools.record_settings import RecordSettings, resolved
from tfrecord_tools.summary import Summary

# Of these the original has one value each; another one needs the bucketed builder.
ORIGINAL_SETTINGS = {
    "num_workers": (None,),
    "num_shards": (None,),
    "tokens_per_bucket": (1 << 22,),
    "work_dir": (None,),
    "pairs": ("next_sentence",),
    "masking": ("token", "whole_word"),
    "whole_word_decision": ("piece",),
    "mask_share": (0.8,),
    "keep_share": (0.1,),
    "random_share": (0.1,),
    "segmenter": (None,),
}


@dataclasses.dataclass(frozen=True, kw_only=True)
class Settings(RecordSettings):
    num_workers: int | None = flags.setting(
        None,
        "Processes; builds in buckets, into one file without --num_shards. Without it a build in "
        "buckets takes one for each processor. No record depends on it.",
        minimum=1,
        maximum=1024,
    )
    work_dir: str | None = flags.setting(
        None,
        "Local folder for what is unfinished, about twice the size of the records; by default "
        "that of the output.",
    )


def create_pretraining_data(settings: Settings) -> Summary:
    """Reads the corpus, writes the records and the summary.

    Raises:
      InputError: settings, files or corpus cannot work. No output file is left behind then.
    """
    flags.check_numbers(settings)
    settings = resolved(settings)
    if all(getattr(settings, name) in values for name, values in ORIGINAL_SETTINGS.items()):
        import_tensorflow_quietly()
        from tfrecord_tools.single_stream import creation

        return creation.create(settings)
    from tfrecord_tools.bucketed import creation as in_buckets

    return in_buckets.create(settings, settings.num_workers, settings.work_dir)


def main(settings: Settings) -> None:
    print(create_pretraining_data(settings))


if __name__ == "__main__":
    flags.run(main, Settings)
