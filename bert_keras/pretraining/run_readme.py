"""The page of a finished pre-training run: what was done, what it gave, how the model is loaded."""

import dataclasses
from collections.abc import Sequence
from typing import Any

from bert_keras import command_line
from bert_keras.config import BertConfig

README = """\
# A BERT, pre-trained

{num_layers} layers, {hidden_size} wide, {vocab_size} word pieces; {step} steps of
{train_batch_size} examples x {max_seq_length} positions. Made by

    {command}

## Results

`eval_results.txt` holds the last evaluation, if there was one. Together with `--do_train` that is
one on the records that were trained on. On records that were held out:

    python -m bert_keras.run_pretraining --do_eval --input_file=HELD_OUT.tfrecord {flags}

## Use it

{missing}    import bert_keras
    import numpy as np

    encoder, tokenizer = bert_keras.from_pretrained({folder!r})
    tokens = ["[CLS]", *tokenizer.tokenize("Here is a sentence."), "[SEP]"]
    ids = np.array([tokenizer.convert_tokens_to_ids(tokens)])
    inputs = {{"input_ids": ids, "input_mask": ids * 0 + 1, "segment_ids": ids * 0}}
    encoder(inputs)["sequence_output"]  # [1, number of tokens, {hidden_size}]

## Files

| file | what it is |
|---|---|
| config.json, vocab.txt, tokenizer_config.json, bert_model.ckpt.* | the model |
| model.ckpt-N.*, checkpoint | the run at step N: the same command goes on from the newest |
| run_settings.json | the settings that the weights depend on |
| train_log.jsonl | a JSON line for each report of the training |
| events.out.tfevents.*, eval/ | the same for `tensorboard --logdir=.` |
| eval_results.txt | the last evaluation |
"""

MISSING_VOCABULARY = """\
The run was not told its vocabulary (--vocab_file). Put it here as vocab.txt, then:

"""


def page(settings: Any, config: BertConfig, step: int, flags_of_records: Sequence[str]) -> str:
    """Returns the page.

    Args:
        settings: the `Settings` of `run_pretraining` that the run was made with.
        config: the model.
        step: the steps done.
        flags_of_records: names of the flags that it takes to read records of this kind.
    """
    return README.format(
        num_layers=config.num_hidden_layers,
        hidden_size=config.hidden_size,
        vocab_size=config.vocab_size,
        step=step,
        train_batch_size=settings.train_batch_size,
        max_seq_length=settings.max_seq_length,
        command=command_line.command(settings),
        flags=command_line.flags_of(_evaluation_of(settings, flags_of_records)),
        folder=settings.output_dir,
        missing="" if settings.vocab_file else MISSING_VOCABULARY,
    )


def _evaluation_of(settings, flags_of_records):
    """The settings that evaluate the model of these settings, but for its input."""
    defaults = type(settings)()
    kept = ("output_dir", "bert_config_file", "max_seq_length", "max_predictions_per_seq")
    kept += tuple(flags_of_records)
    return dataclasses.replace(
        defaults, max_eval_steps=0, **{name: getattr(settings, name) for name in kept}
    )
