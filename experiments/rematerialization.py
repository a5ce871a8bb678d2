r"""How much memory and time a training step takes whose backward pass computes activations again.

Claim    BERT-Base at 4 x 512 keeps the activations of one block instead of those of twelve: what
         a step holds besides weights and moments falls to less than half. A second forward
         pass of the blocks makes it a third longer (Chen et al. 2016, arXiv:1604.06174, abstract:
         the price is one more forward pass).
Cost     Two minutes on 2 quiet cores, 6 GB of memory.
Command  python -m experiments.rematerialization
         python -m experiments.rematerialization --size=large --batch_size=2
Found    experiments/results/rematerialization.json, and the lines that are printed: 3.3 GB become
         1.3 in float32 and a step takes 1.32 times as long; 2.6 GB become 1.4 in bfloat16, more
         than half, and it takes 1.33 times as long.

Each row runs in a process of its own, so that its peak of memory is its own. A GPU's memory is not
looked at: run it where TensorFlow finds none.
"""

import concurrent.futures
import dataclasses
import json
import multiprocessing
import os
import time
from pathlib import Path

from bert_keras import flags
from bert_keras.backend import import_tensorflow_quietly
from experiments import machine
from experiments.training_step import random_batch

RESULTS = Path(__file__).parent / "results" / "rematerialization.json"
# name of a row -> precision, and whether blocks compute their activations again
ROWS = {
    "float32": ("float32", False),
    "float32_rematerialized": ("float32", True),
    "bfloat16": ("bfloat16", False),
    "bfloat16_rematerialized": ("bfloat16", True),
}


@dataclasses.dataclass(frozen=True)
class Settings:
    size: str = flags.setting("base", "A released size of BERT, as in the table of its README.")
    batch_size: int = flags.setting(4, "Rows of a training step.", minimum=1)
    max_seq_length: int = flags.setting(512, "Positions of a row.", minimum=8)
    num_steps: int = flags.setting(2, "Steps to time; the fastest one counts.", minimum=1)
    output_file: str = flags.setting(str(RESULTS), "Where the figures go, as JSON.")


def main(settings: Settings) -> None:
    rows = {}
    for name, row in ROWS.items():
        context = multiprocessing.get_context("spawn")
        with concurrent.futures.ProcessPoolExecutor(1, context) as executor:
            rows[name] = executor.submit(training_step, settings, *row).result()
        figures = (f"{key} {value:,.4g}" for key, value in rows[name].items())
        print(f"{name:24} {' | '.join(figures)}", flush=True)
    used = dataclasses.asdict(settings)
    del used["output_file"]
    results = {"machine": machine.describe(), "settings": used, "rows": rows}
    Path(settings.output_file).write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


def training_step(settings: Settings, dtype: str, is_rematerialized: bool) -> dict[str, float]:
    """The step of the programs, optimizer included, dropout on."""
    import_tensorflow_quietly()
    import tensorflow as tf

    from bert_keras.config import BertConfig
    from bert_keras.layers.block import TransformerBlock
    from bert_keras.layers.rematerialized import RematerializedBlock
    from bert_keras.models.pretrainer import pretrainer
    from bert_keras.objectives.pretraining import LOSSES, pretraining
    from bert_keras.optimizers.adam_weight_decay import AdamWeightDecay
    from bert_keras.training import step
    from bert_keras.training.precision import precision

    config = BertConfig.named(settings.size)
    with precision(dtype):
        model = pretrainer(config, RematerializedBlock if is_rematerialized else TransformerBlock)
    optimizer = AdamWeightDecay(1e-4)
    optimizer.build(model.trainable_variables)
    batch = random_batch(config, settings.batch_size, settings.max_seq_length)

    @tf.function
    def take_step():
        means = step.train_step(model, pretraining, LOSSES, optimizer, batch)
        return means["masked_lm_loss"].total

    before = peak_memory_gb()
    take_step()
    start = time.process_time()
    seconds = min(machine.seconds(lambda: float(take_step())) for _ in range(settings.num_steps))
    processor_seconds = (time.process_time() - start) / settings.num_steps
    peak = peak_memory_gb()
    return {
        "seconds": seconds,
        "processor_seconds": processor_seconds,  # of all cores: means more on a busy machine
        "load": os.getloadavg()[0],  # its own threads among it: much more than the cores = busy
        "peak_memory_gb": peak,
        "memory_of_the_step_gb": peak - before,
    }


def peak_memory_gb() -> float:
    """The most memory that this process has held so far.

    From Linux itself: `resource.getrusage` begins with the peak of the process that started it.
    """
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) / 2**20


if __name__ == "__main__":
    flags.run(main, Settings)
