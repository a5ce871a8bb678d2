"""Runs that train nothing: each saves a tiny marked model, and has the scores it is told."""

import contextlib
import functools
from unittest import mock

import tensorflow as tf

import bert_keras
from bert_keras.fine_tuning import comparison
from bert_keras.fine_tuning.setup import Setup
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer
from tests.fine_tuning import letters

STEPS = 12
CONFIG = bert_keras.BertConfig(
    vocab_size=len(letters.TOKENS),
    hidden_size=4,
    num_hidden_layers=1,
    num_attention_heads=1,
    intermediate_size=4,
    max_position_embeddings=24,
    labels=letters.LABELS,
)


def setup(score, tokenizer_file):
    """Returns a `Setup` and the list that its runs are noted in.

    Args:
        score: function of settings -> the score of a run; None: it is stopped.
        tokenizer_file: vocabulary of the models.
    """
    made = []
    classifier()  # what a run makes is freed after it
    assignment = letters.read_assignment(letters.settings({}, "unused"), letters.CONFIG, None)

    def run(settings, start):
        made.append(settings)
        if not settings.do_train or score(settings) is None:
            return None
        save(settings.output_dir, score(settings), tokenizer_file)
        return {"eval_accuracy": score(settings), "other": 1.0, "global_step": STEPS}

    return Setup(tf.distribute.get_strategy(), None, assignment, run), made


def nothing_to_free():
    """While this lasts, no garbage is sought after a run: scripted ones leave none."""
    return mock.patch.object(comparison, "freed_variables", contextlib.nullcontext)


def save(folder, mark, tokenizer_file):
    model = classifier()
    bias = model.get_layer("classifier").weights[-1]
    bias.assign(tf.fill(bias.shape, mark))
    bert_keras.save_pretrained(model, WordPieceTokenizer(tokenizer_file), folder)


def mark(folder):
    """The mark of the model in a folder."""
    reader = tf.train.load_checkpoint(str(folder / "bert_model.ckpt"))
    return float(reader.get_tensor("output_bias")[0])


@functools.cache
def classifier():
    return bert_keras.classifier(CONFIG)
