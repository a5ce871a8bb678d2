"""Devices by flags, the original's among them."""

import pytest
import tensorflow as tf

from bert_keras.errors import InputError
from bert_keras.training.devices import DeviceSettings
from bert_keras.training.strategy import describe, strategy_for, tpu_of


@pytest.mark.parametrize(
    "flags, tpu",
    [
        ({}, None),
        ({"tpu": "node", "tpu_name": "old"}, "node"),
        ({"use_tpu": True, "tpu_name": "old"}, "old"),
        ({"use_tpu": True, "master": "grpc://host:8470"}, "grpc://host:8470"),
        ({"use_tpu": True}, "local"),
        ({"tpu": "node"}, "node"),
    ],
)
def test_which_tpu_the_flags_name(flags, tpu):
    assert tpu_of(DeviceSettings(**flags)) == tpu


@pytest.mark.parametrize("name", ["tpu_name", "master"])
def test_a_tpu_that_is_named_but_not_to_be_used(name):
    with pytest.raises(InputError, match=f"--{name}=old. Add --use_tpu, or .* --tpu"):
        tpu_of(DeviceSettings(**{name: "old"}))


def test_one_device_is_described():
    line = describe(strategy_for(DeviceSettings()), batch_size=8)
    assert line in (
        f"devices: 1 x {kind}; 1 replica, global batch 8, 8 for each replica"
        for kind in ("CPU", "GPU")
    )


def test_any_strategy_is_described_by_its_devices():
    assert "devices: 1 x CPU; " in describe(tf.distribute.MirroredStrategy(["CPU:0"]), 8)


def test_devices_in_use_are_left_as_they_are(monkeypatch):
    def refuse(device, enable):
        raise RuntimeError("Physical devices cannot be modified after being initialized")

    monkeypatch.setattr(tf.config, "list_physical_devices", lambda kind: ["GPU:0"])
    monkeypatch.setattr(tf.config.experimental, "set_memory_growth", refuse)
    assert strategy_for(DeviceSettings()).num_replicas_in_sync == 1
