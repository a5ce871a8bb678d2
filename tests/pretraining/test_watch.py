"""Live checks: runs that went well are silent, and each fault is named once."""

import json
import math
from pathlib import Path

import pytest

from bert_keras.config import BertConfig
from bert_keras.pretraining import watch

MINI = Path(__file__).parents[2] / "experiments" / "results" / "pretrain_mini.json"
# The run without flags, every 100 steps: masked-LM loss and accuracy, next-sentence accuracy,
# gradient norm, learning rate. The entropy of its words is 6.07, the share of the label 1 is 0.63.
QUICK_START = [
    (6.5828, 0.0614, 0.6134, 1.1992, 0.0009),
    (5.9789, 0.0984, 0.6359, 0.8594, 0.0008),
    (5.8575, 0.1178, 0.6284, 1.2699, 0.0007),
    (5.7752, 0.1284, 0.6288, 0.8447, 0.0006),
    (5.7163, 0.1304, 0.6316, 0.8875, 0.0005),
    (5.6644, 0.1382, 0.6328, 1.0346, 0.0004),
    (5.6208, 0.1406, 0.6203, 1.0451, 0.0003),
    (5.5449, 0.1434, 0.6244, 1.5338, 0.0002),
    (5.5192, 0.1451, 0.6181, 1.5726, 0.0001),
    (5.5104, 0.1453, 0.6331, 1.3150, 1e-6),
]
USUAL = {
    "loss": 7.0,
    "masked_lm_loss": 6.4,
    "masked_lm_accuracy": 0.1,
    "next_sentence_accuracy": 0.6,
    "gradient_norm": 2.0,
    "learning_rate": 1e-4,
}


def said(check, reports):
    """What a check says of reports of (step, values that differ from the usual): step -> words."""
    sentences = {step: check(step, USUAL | values) for step, values in reports}
    return {step: sentence for step, sentence in sentences.items() if sentence}


def test_the_committed_curve_of_mini_is_silent():
    run = json.loads(MINI.read_text())
    checks = watch.pretraining_checks(
        BertConfig.from_dict(run["config"]),
        num_train_steps=run["training"]["num_train_steps"],
        num_warmup_steps=run["training"]["num_warmup_steps"],
        unigram_entropy=run["baselines"]["masked_lm_loss"],
        majority_share=run["baselines"]["next_sentence_accuracy"],
    )
    assert len(checks) == 6
    sentences = [check(report["step"], report) for report in run["loss_curve"] for check in checks]
    assert set(sentences) == {None}


def test_the_run_without_flags_is_silent():
    checks = watch.pretraining_checks(BertConfig.named("tiny", 4000), 1000, 100, 6.07, 0.63)
    names = [name for name in USUAL if name != "loss"]
    for number, report in enumerate(QUICK_START, start=1):
        values = dict(zip(names, report, strict=True))
        values["loss"] = values["masked_lm_loss"] + 0.65
        assert [check(100 * number, values) for check in checks] == [None] * len(checks)


def test_a_loss_above_that_of_guessing():
    guessing = math.log(30522)
    reports = [(step, {"masked_lm_loss": guessing + 0.01}) for step in range(100, 2000, 100)]
    sentences = said(watch.WorseThanGuessing(30522, num_warmup_steps=1000), reports)
    assert list(sentences) == [1000]  # said once, after the warm-up
    assert "10.34; guessing evenly among the 30522 word pieces" in sentences[1000]
    below = [(step, {"masked_lm_loss": guessing - 0.01}) for step in range(100, 2000, 100)]
    assert not said(watch.WorseThanGuessing(30522, num_warmup_steps=1000), below)


def test_a_model_that_knows_frequencies_only():
    """The course of experiments/README.md with a warm-up of 40 steps, and that with 600."""
    short = {100: 6.90, 200: 6.80, 300: 6.81, 350: 6.79, 400: 6.77}
    reports = [(step, {"masked_lm_loss": loss}) for step, loss in short.items()]
    sentences = said(watch.FrequenciesOnly(6.78, num_warmup_steps=40), reports)
    assert list(sentences) == [400]
    assert "nothing else (6.78). If it stays there" in sentences[400]
    long = {200: 6.79, 300: 6.74, 400: 6.62, 500: 6.55, 600: 6.48, 700: 6.42, 1250: 6.26}
    reports = [(step, {"masked_lm_loss": loss}) for step, loss in long.items()]
    assert not said(watch.FrequenciesOnly(6.78, num_warmup_steps=600), reports)


def next_sentences(accuracies, first_step=100, **values):
    """Reports every 100 steps."""
    return [
        (first_step + 100 * index, {"next_sentence_accuracy": accuracy} | values)
        for index, accuracy in enumerate(accuracies)
    ]


def test_next_sentences_that_are_told_apart_at_once():
    reports = next_sentences([0.6, 0.9, 0.99, 1.0, 0.99, 1.0, 1.0, 1.0])
    sentences = said(watch.NextSentenceLeak(num_warmup_steps=0), reports)
    assert list(sentences) == [700]  # the mean of five reports, said once
    assert "next_sentence_accuracy is 0.996 already" in sentences[700]


@pytest.mark.parametrize(
    "reports",
    [
        next_sentences([1.0, 1.0, 1.0, 0.5, 1.0, 1.0, 1.0]),  # of few examples, by chance
        next_sentences([1.0] * 9, masked_lm_accuracy=0.7),  # known by heart, or trained before
        next_sentences([1.0] * 9, first_step=5000),  # no more the start
    ],
)
def test_next_sentences_that_are_no_leak(reports):
    assert not said(watch.NextSentenceLeak(num_warmup_steps=100), reports)


def test_labels_of_one_kind_are_no_leak():
    checks = watch.pretraining_checks(BertConfig.base(), 1000, 100, 7.0, majority_share=0.95)
    assert not any(isinstance(check, watch.NextSentenceLeak) for check in checks)
