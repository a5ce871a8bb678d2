"""Numbers to plan with, as people read them."""

from types import SimpleNamespace

import pytest

from bert_keras.config import BertConfig
from bert_keras.pretraining import dry_run, estimates

SETTINGS = SimpleNamespace(
    train_batch_size=256,
    max_seq_length=128,
    max_predictions_per_seq=20,
    num_train_steps=900_000,
    gradient_accumulation_steps=1,
    precision="float32",
    rematerialize=False,
)


def values(text):
    return dict(line.split("  ", 1) for line in text.splitlines())


def test_the_first_phase_of_the_paper():
    """Base on 8 replicas: 900,000 steps of 256 examples of 128 positions."""
    rows = {name: value.strip() for name, value in values(described()).items()}
    assert rows["parameters"] == "110,106,428"
    assert rows["tokens seen"] == "29.5 Gtokens, padding included"
    assert rows["a checkpoint"] == "1.32 GB"
    flops = estimates.step_flops(BertConfig.base(), 256, 128, 20)
    assert rows["arithmetic of a step"] == f"{flops / 1e12:.3g} TFLOP"
    assert rows["arithmetic of the run"] == f"{flops * 900_000 / 1e18:.3g} EFLOP"
    memory = estimates.training_memory(BertConfig.base(), 32, 128, 20)
    assert rows["memory of a replica"] == (
        f"about {sum(memory) / 1e9:.3g} GB: 440 MB weights, 881 MB moments, "
        f"{memory.gradients / 1e6:.3g} MB gradients, {memory.activations / 1e9:.3g} GB activations"
    )


def described(**changes):
    return dry_run.describe(SimpleNamespace(**vars(SETTINGS) | changes), BertConfig.base(), 8)


@pytest.mark.parametrize(
    "changes",
    [{"precision": "bfloat16"}, {"rematerialize": True}, {"gradient_accumulation_steps": 4}],
)
def test_what_saves_memory_is_shown(changes):
    usual, changed = values(described()), values(described(**changes))
    assert [name for name in usual if usual[name] != changed[name]] == ["memory of a replica"]


def test_a_measurement_leaves_the_compiling_steps_out(monkeypatch):
    """The clock counts seconds: 100 for the first two steps together, then 3 for each."""
    now, lengths = [0.0], iter([99.0, 1.0] + [3.0] * 10)
    monkeypatch.setattr(dry_run.time, "perf_counter", lambda: now[0])

    def take_step():
        now[0] += next(lengths)

    assert dry_run.measure(take_step) == 3
    assert next(lengths, None) is None  # 12 steps in all


def test_the_time_to_finish():
    text = dry_run.time_to_finish(0.5, SETTINGS, num_steps_done=100_000)
    assert "0.5 s, 512 examples/s" in text
    assert "4 days 15 hours for 800,000 steps, checkpoints and evaluation apart" in text
    assert "0 seconds for 0 steps" in dry_run.time_to_finish(0.5, SETTINGS, 900_000)
