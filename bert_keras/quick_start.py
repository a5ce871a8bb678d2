"""The run without flags: from the sample corpus to a tiny trained BERT, and what to type next.

It shows in about two minutes on two cores that the parts work on real text. The number of steps and
the seed are fixed, so that it gives the same numbers again on the same machine.
"""

import importlib.resources
import os
import shlex
from collections.abc import Callable, Iterator
from typing import Any

import tensorflow as tf

from bert_keras.config import BertConfig
from bert_keras.errors import InputError
from bert_keras.pretraining import baselines
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer
from bert_keras.training import run_folder
from bert_keras.training.cluster import cluster_of
from bert_keras.training.stop import StopRequest
from tfrecord_tools import create_pretraining_data

OUTPUT_DIR = "pretraining_output"
SAMPLE = importlib.resources.files("bert_keras") / "sample"
MAX_SEQ_LENGTH = 64
MAX_PREDICTIONS_PER_SEQ = 10
DUPE_FACTOR = 10
BATCH_SIZE = 32
NUM_TRAIN_STEPS = 1000
LEARNING_RATE = 1e-3

SUMMARY = """\
What this run made, in {folder}:

    data/                      the sample corpus as TFRecords, to train on and held out
    bert_model.ckpt.*          the model, with config.json and vocab.txt:
                               bert_keras.from_pretrained({folder!r})
    train_log.jsonl            the course of the training; also: tensorboard --logdir={quoted}
    eval_results.txt           the numbers below
    README.md                  all this, to read later

On {num_predictions:,} masked tokens of chapters that the model has not seen:

    masked-LM loss   {masked_lm_loss:.3f} nats of the model
                     {unigram_loss:.3f} nats of a unigram model, which knows how frequent each word
                     piece is in the training text and nothing else
    next sentence    {next_sentence_accuracy:.1%} right by the model
                     {majority_share:.1%} right by always giving the more frequent answer; after so
                     few steps a model of this size stays near that

What to type next:

- look at the records

      python -m tfrecord_tools.show_records {data}/held_out.tfrecord \\
          --vocab_file={vocab_file}

- train longer, in a new folder

      python -m bert_keras.run_pretraining --do_train \\
          {model_flags} \\
          --input_file={data}/train.tfrecord --learning_rate={learning_rate} \\
          --num_train_steps={num_longer_steps} --num_warmup_steps={num_longer_warmup_steps} \\
          --output_dir={longer}

- and see what that brings on the held-out chapters

      python -m bert_keras.run_pretraining --do_eval \\
          {model_flags} \\
          --input_file={data}/held_out.tfrecord --max_eval_steps=0 \\
          --output_dir={longer}

- make records from your own text (one sentence a line, an empty line between documents), and go on
  from this model with them

      python -m tfrecord_tools.create_pretraining_data --input_file='my_texts/*.txt' \\
          --output_file=my_records.tfrecord --vocab_file={vocab_file} \\
          {lengths}
      python -m bert_keras.run_pretraining --do_train \\
          {model_flags} \\
          --init_checkpoint={quoted}/bert_model.ckpt --input_file=my_records.tfrecord \\
          --learning_rate=1e-4 --num_train_steps=1000 --num_warmup_steps=100 \\
          --output_dir=my_bert
"""


def run(folder: str, pretrain: Callable[..., dict | None], stop: StopRequest) -> None:
    """Makes records, trains, evaluates and explains, in `folder`; ends early on a stop request.

    `pretrain` does what `run_pretraining` does; its arguments are the program's flags.
    """
    workers = cluster_of(os.environ)
    if workers and len(workers.addresses) > 1:
        raise InputError(
            "The run without flags is one process; TF_CONFIG describes "
            f"{len(workers.addresses)} workers. Unset it, or give the flags of a training."
        )
    data = os.path.join(folder, "data")
    run_folder.make(data)
    tokenizer = WordPieceTokenizer(str(SAMPLE / "vocab.txt"))
    run_folder.write_text(data, "bert_config.json", config(tokenizer).to_json_string())
    for name, text in (("train", "corpus.txt"), ("held_out", "held_out.txt")):
        _make_records(str(SAMPLE / text), os.path.join(data, f"{name}.tfrecord"))
    pretrain(**training_flags(folder))
    if stop.received:
        return
    results = pretrain(**evaluation_flags(folder))
    if stop.received:
        return
    ids, labels = baselines.masked_ids_and_labels(
        [os.path.join(data, "held_out.tfrecord")], MAX_SEQ_LENGTH, MAX_PREDICTIONS_PER_SEQ
    )
    summary = SUMMARY.format(
        **results,
        **_paths(folder),
        num_predictions=len(ids),
        unigram_loss=baselines.unigram_loss(_corpus_ids(tokenizer), ids, tokenizer.vocab_size),
        majority_share=baselines.majority_share(labels),
    )
    run_folder.write_text(folder, run_folder.README_NAME, f"# A first BERT\n\n{summary}")
    print(f"\n{summary}")


def config(tokenizer: WordPieceTokenizer) -> BertConfig:
    """A BERT that two cores can train while one waits."""
    return BertConfig(
        vocab_size=tokenizer.vocab_size,
        hidden_size=128,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=512,
        max_position_embeddings=MAX_SEQ_LENGTH,
    )


def training_flags(folder: str) -> dict[str, Any]:
    """The flags of `run_pretraining` for the training."""
    return dict(
        input_file=[os.path.join(folder, "data", "train.tfrecord")],
        output_dir=folder,
        bert_config_file=os.path.join(folder, "data", "bert_config.json"),
        vocab_file=str(SAMPLE / "vocab.txt"),
        max_seq_length=MAX_SEQ_LENGTH,
        max_predictions_per_seq=MAX_PREDICTIONS_PER_SEQ,
        do_train=True,
        train_batch_size=BATCH_SIZE,
        learning_rate=LEARNING_RATE,
        num_train_steps=NUM_TRAIN_STEPS,
        num_warmup_steps=NUM_TRAIN_STEPS // 10,
        save_checkpoints_steps=500,
    )


def evaluation_flags(folder: str) -> dict[str, Any]:
    """The flags of `run_pretraining` for the evaluation on the held-out chapters."""
    return dict(
        input_file=[os.path.join(folder, "data", "held_out.tfrecord")],
        output_dir=folder,
        bert_config_file=os.path.join(folder, "data", "bert_config.json"),
        max_seq_length=MAX_SEQ_LENGTH,
        max_predictions_per_seq=MAX_PREDICTIONS_PER_SEQ,
        do_eval=True,
        eval_batch_size=BATCH_SIZE,
        max_eval_steps=0,
    )


def _make_records(text_file, record_file):
    """Makes the records of a text, if an earlier run has not."""
    if tf.io.gfile.exists(record_file):
        return
    create_pretraining_data.create_pretraining_data(
        create_pretraining_data.Settings(
            input_file=[text_file],
            output_file=[record_file],
            vocab_file=str(SAMPLE / "vocab.txt"),
            max_seq_length=MAX_SEQ_LENGTH,
            max_predictions_per_seq=MAX_PREDICTIONS_PER_SEQ,
            dupe_factor=DUPE_FACTOR,
        )
    )


def _corpus_ids(tokenizer: WordPieceTokenizer) -> Iterator[int]:
    lines = (SAMPLE / "corpus.txt").read_text(encoding="utf-8").splitlines()
    for line in lines:
        yield from tokenizer.convert_tokens_to_ids(tokenizer.tokenize(line))


def _paths(folder):
    """The paths and numbers in the commands of the summary, ready for a shell."""
    quoted = shlex.quote(folder)
    lengths = (
        f"--max_seq_length={MAX_SEQ_LENGTH} --max_predictions_per_seq={MAX_PREDICTIONS_PER_SEQ}"
    )
    model_flags = (
        f"--bert_config_file={quoted}/config.json --vocab_file={quoted}/vocab.txt "
        f"\\\n          {lengths}"
    )
    return {
        "folder": folder,
        "quoted": quoted,
        "data": f"{quoted}/data",
        "vocab_file": f"{quoted}/vocab.txt",
        "longer": shlex.quote(f"{folder.rstrip('/')}_longer"),
        "lengths": lengths,
        "model_flags": model_flags,
        "learning_rate": LEARNING_RATE,
        "num_longer_steps": 4 * NUM_TRAIN_STEPS,
        "num_longer_warmup_steps": 4 * NUM_TRAIN_STEPS // 10,
    }
