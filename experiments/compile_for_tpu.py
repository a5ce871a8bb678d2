r"""How much memory of a TPU core a training step of Base and Large takes, without a TPU.

Claim    The paper trains Base on 4 Cloud TPUs (16 chips) and Large on 16 (64 chips), 256 sequences
         a step (appendix A.2), first of 128 positions, then of 512. A core of TPU v2 has 8 GiB:
         what a core has to hold there must fit.
Cost     Six minutes on 2 cores for the four rows, of which the compiler takes one each.
Command  pip install jax==0.10.2 libtpu==0.0.52
         python -m experiments.compile_for_tpu
         python -m experiments.compile_for_tpu --model=base --rows_per_core=32 --topology=v5e:4x4
Found    experiments/results/compile_for_tpu.json, and the lines that are printed.

The step is the one that the program runs, with static shapes, dropout on. XLA's form of it is taken
from TensorFlow, and compiled by libtpu, the compiler of the real thing, for one core of a topology
that is only named. Nothing is run. The sums over cores are not in it: they are made in place, on
gradients that are counted.
"""

import dataclasses
import json
import os
import time
from pathlib import Path
from typing import Any, NamedTuple

from bert_keras import flags
from bert_keras.backend import import_tensorflow_quietly
from experiments import machine

RESULTS = Path(__file__).parent / "results" / "compile_for_tpu.json"
VOCAB_SIZE = 30522
GIB = 2**30
# libtpu asks the machine what it is, and waits for an answer that only a TPU VM gives.
NO_TPU_VM = {
    "TPU_SKIP_MDS_QUERY": "1",
    "TPU_ACCELERATOR_TYPE": "v2-8",  # of no importance: the topology says what is compiled for
    "TPU_WORKER_HOSTNAMES": "localhost",
}


class Row(NamedTuple):
    """A step on a core: which model, which part of the batch, which chip."""

    model: str
    topology: str
    rows_per_core: int
    max_seq_length: int
    max_predictions_per_seq: int


# 16 chips are 32 cores, 64 chips 128: 8 and 2 of the 256 sequences for each.
PAPER = (
    Row("base", "v2:4x4", 8, 128, 20),
    Row("base", "v2:4x4", 8, 512, 77),
    Row("large", "v2:8x8", 2, 128, 20),
    Row("large", "v2:8x8", 2, 512, 77),
)


@dataclasses.dataclass(frozen=True)
class Settings:
    model: str | None = flags.setting(None, "`base` or `large`; else the paper's four steps.")
    topology: str = flags.setting("v2:4x4", "Kind of TPU, and how many chips in which shape.")
    rows_per_core: int = flags.setting(8, "Examples of a core.", minimum=1)
    max_seq_length: int = flags.setting(128, "Positions of an example.", minimum=8)
    max_predictions_per_seq: int = flags.setting(20, "Predictions of an example.", minimum=1)
    precision: str = flags.setting("float32", "`float32` or `mixed_bfloat16`.")
    output_file: str = flags.setting(str(RESULTS), "Where the figures go, as JSON.")


def main(settings: Settings) -> None:
    os.environ.update(NO_TPU_VM)
    import_tensorflow_quietly()
    import keras

    keras.config.set_dtype_policy(settings.precision)
    found = []
    for row in rows_of(settings):
        found.append(row._asdict() | memory_of(row))
        print(" | ".join(f"{name} {shown(value)}" for name, value in found[-1].items()), flush=True)
        keras.utils.clear_session()
    results = {"machine": machine.describe(), "precision": settings.precision, "rows": found}
    Path(settings.output_file).write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


def rows_of(settings: Settings) -> tuple[Row, ...]:
    if settings.model is None:
        return PAPER
    return (Row(*(getattr(settings, name) for name in Row._fields)),)


def memory_of(row: Row) -> dict[str, Any]:
    """Compiles the step; returns GiB of a core and the seconds that the compiler took."""
    module = stablehlo_of(row)
    start = time.perf_counter()
    device_kind, statistics = compiled_for_tpu(module, row.topology)
    arguments = statistics.argument_size_in_bytes
    # What a step returns and does not write over its arguments is new memory.
    outputs = statistics.output_size_in_bytes - statistics.alias_size_in_bytes
    temporary, code = statistics.temp_size_in_bytes, statistics.generated_code_size_in_bytes
    return {
        "device_kind": device_kind,
        "weights_moments_and_batch_gib": arguments / GIB,
        "other_outputs_gib": outputs / GIB,
        "activations_and_gradients_gib": temporary / GIB,
        "program_gib": code / GIB,
        "all_gib": (arguments + outputs + temporary + code) / GIB,
        "seconds_to_compile": time.perf_counter() - start,
    }


def stablehlo_of(row: Row) -> str:
    """The step of a core, forward, backward and update, in the language that XLA compiles."""
    import tensorflow as tf

    from bert_keras.config import BertConfig
    from bert_keras.models.pretrainer import pretrainer
    from bert_keras.objectives.pretraining import LOSSES, pretraining
    from bert_keras.optimizers.adam_weight_decay import AdamWeightDecay
    from bert_keras.training import step

    model = pretrainer(BertConfig.named(row.model, VOCAB_SIZE))
    optimizer = AdamWeightDecay(1e-4)
    optimizer.build(model.trainable_variables)

    @tf.function(jit_compile=True, autograph=False)
    def take_step(features):
        return step.train_step(model, pretraining, LOSSES, optimizer, features)

    return take_step.experimental_get_compiler_ir(features_of(row))(stage="stablehlo")


def features_of(row: Row) -> dict[str, Any]:
    """Features of the right shapes."""
    import tensorflow as tf

    ids = tf.zeros([row.rows_per_core, row.max_seq_length], tf.int32)
    predictions = tf.zeros([row.rows_per_core, row.max_predictions_per_seq], tf.int32)
    return {
        "input_ids": ids,
        "input_mask": ids,
        "segment_ids": ids,
        "masked_lm_positions": predictions,
        "masked_lm_ids": predictions,
        "masked_lm_weights": tf.cast(predictions, tf.float32),
        "next_sentence_labels": ids[:, :1],
        "next_sentence_weights": tf.ones([row.rows_per_core, 1]),
    }


def compiled_for_tpu(module: str, topology: str) -> tuple[str, Any]:
    """Compiles a module for a core of a topology; returns its kind and the sizes in memory."""
    # JAX offers compilers without devices by names that may change: hence the pinned version.
    from jax._src.interpreters.mlir import make_ir_context
    from jax.experimental import topologies
    from jax.extend.mlir import ir
    from jaxlib import _jax, xla_client

    device = topologies.get_topology_desc(topology, "tpu").devices[0]
    with make_ir_context():
        parsed = ir.Module.parse(module)
        drop_copies(parsed, ir)
        executable = device.client.compile(
            parsed,
            executable_devices=_jax.DeviceList((device,)),
            compile_options=xla_client.CompileOptions(),
        )
    return device.device_kind, executable.get_compiled_memory_stats()


def drop_copies(module: Any, ir: Any) -> None:
    """Takes out what TensorFlow puts before a result and no other compiler knows."""
    copies = []

    def note(operation):
        if operation.name == "mhlo.copy":
            copies.append(operation)
        return ir.WalkResult.ADVANCE

    module.operation.walk(note)
    for copy in copies:
        copy.result.replace_all_uses_with(copy.operands[0])
        copy.erase()


def shown(value: Any) -> str:
    return f"{value:,.3g}" if isinstance(value, float) else str(value)


if __name__ == "__main__":
    flags.run(main, Settings)
