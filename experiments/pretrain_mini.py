r"""BERT-Mini learns from 14 MB of English text, on two CPU cores.

Claim    The masked-LM loss on held-out documents falls clearly below that of a unigram model:
         the encoder uses the context. One small corpus and 40 minutes do not make a BERT that is
         worth fine-tuning; they show that every part from text to evaluation works together.
Cost     About 40 minutes on 2 quiet cores (70 where other work shared them), 2 GB of memory.
Command  python -m experiments.prepare_corpus --output_dir=corpus \
             --input_file='wikipedia/*.txt,gutenberg/*.txt'
         python -m experiments.pretrain_mini --corpus_dir=corpus --output_dir=pretrain_mini
Found    experiments/results/pretrain_mini.json and .png; README.md says what was seen.

The numbers that differ from the paper's follow from the time: see the comments at each of them.
"""

import dataclasses
import json
from pathlib import Path

from bert_keras import flags, run_pretraining
from bert_keras.config import BertConfig
from bert_keras.pretraining import baselines, job
from bert_keras.training.logs import read_log
from bert_keras.training.stop import StopRequest
from experiments import loss_curve, machine
from tfrecord_tools import create_pretraining_data

FOLDER = Path(__file__).parent
VOCABULARY = FOLDER / "pretrain_mini_vocab.txt"
PARTS = ("train", "held_out")
SEED = 12345

# Turc et al. 2019 (arXiv:1908.08962), but without dropout: every text is seen about three times,
# too seldom to be learned by heart (as in Geiping and Goldstein 2022, arXiv:2212.14034).
CONFIG = dataclasses.replace(
    BertConfig.named("mini", vocab_size=8192),
    hidden_dropout_prob=0.0,
    attention_probs_dropout_prob=0.0,
)

# BERT's Adam does not correct its bias: step t is 1 / sqrt(1 - 0.999^t) too long, which is 5 times
# at step 40 and 1.3 times at step 1000. The usual warm-up, a tenth of a run as short as this, runs
# into it at full rate: then the loss stays where a unigram model is. It takes a long one.
PEAK_RATE = 7e-4
NUM_WARMUP_STEPS = 1000


@dataclasses.dataclass(frozen=True)
class Settings:
    corpus_dir: str = flags.required("Folder with train.txt and held_out.txt of prepare_corpus.")
    output_dir: str = flags.required("Folder for records and checkpoints; a stopped run goes on.")
    result_file: str = flags.setting(
        str(FOLDER / "results" / "pretrain_mini.json"), "The result; its picture goes beside it."
    )
    num_train_steps: int = flags.setting(3000, "Steps of the run; fewer are a rehearsal.")


def record_settings(settings: Settings, part: str) -> create_pretraining_data.Settings:
    """Five masks and pairings of every text; of the held-out ones too, to narrow the error."""
    return create_pretraining_data.Settings(
        input_file=[str(Path(settings.corpus_dir, f"{part}.txt"))],
        output_file=[str(Path(settings.output_dir, f"{part}.tfrecord"))],
        vocab_file=str(VOCABULARY),
        max_seq_length=128,
        max_predictions_per_seq=20,
        dupe_factor=5,
        random_seed=SEED,
    )


def run_settings(settings: Settings, part: str, **changes) -> run_pretraining.Settings:
    return run_pretraining.Settings(
        input_file=record_settings(settings, part).output_file,
        output_dir=settings.output_dir,
        bert_config_file=str(Path(settings.output_dir, "bert_config.json")),
        vocab_file=str(VOCABULARY),
        train_batch_size=32,
        learning_rate=PEAK_RATE,
        num_train_steps=settings.num_train_steps,
        num_warmup_steps=NUM_WARMUP_STEPS,
        save_checkpoints_steps=500,
        report_steps=20,
        random_seed=SEED,
        **changes,
    )


def make_records(settings: Settings) -> None:
    Path(settings.output_dir).mkdir(parents=True, exist_ok=True)
    Path(settings.output_dir, "bert_config.json").write_text(CONFIG.to_json_string())
    for part in PARTS:
        data = record_settings(settings, part)
        if not Path(data.output_file[0]).exists():
            print(create_pretraining_data.create_pretraining_data(data))


def train_and_evaluate(settings: Settings, stop: StopRequest) -> dict[str, float] | None:
    """Trains, or goes on from the last checkpoint, and scores the model on all held-out records.

    Returns None if it was stopped.
    """
    job.run(run_settings(settings, "train", do_train=True), stop)
    if stop.received:
        return None
    return job.run(
        run_settings(settings, "held_out", do_eval=True, eval_batch_size=64, max_eval_steps=0), stop
    )


def counts(settings: Settings, part: str) -> dict:
    """What create_pretraining_data counted in the records of one part."""
    name = Path(settings.output_dir, f"{part}.summary.json")
    return numbers(json.loads(name.read_text(encoding="utf-8")))


def numbers(values: dict) -> dict:
    """Leaves out the paths, which mean nothing on another machine."""
    return {key: value for key, value in values.items() if isinstance(value, int | float)}


def minutes(curve: list[dict], batch_size: int) -> float:
    """The time spent in training steps, also if they were done in several sessions."""
    seconds, last_step = 0.0, 0
    for report in curve:
        seconds += (report["step"] - last_step) * batch_size / report["examples_per_second"]
        last_step = report["step"]
    return seconds / 60


def scores_without_context(settings: Settings) -> dict[str, float]:
    """What the held-out numbers have to beat, on the same masked positions and pairs."""
    training_ids, _ = targets(settings, "train")
    ids, labels = targets(settings, "held_out")
    return {
        "masked_lm_loss": baselines.unigram_loss(training_ids, ids, CONFIG.vocab_size),
        "masked_lm_accuracy": baselines.unigram_accuracy(training_ids, ids),
        "next_sentence_accuracy": baselines.majority_share(labels),
    }


def targets(settings: Settings, part: str) -> tuple[list[int], list[int]]:
    """The masked ids and the next-sentence labels of all records of one part."""
    data = record_settings(settings, part)
    return baselines.masked_ids_and_labels(
        data.output_file, data.max_seq_length, data.max_predictions_per_seq
    )


def main(settings: Settings) -> int:
    """Returns the exit status; a run that was stopped leaves the kept result as it is."""
    make_records(settings)
    with StopRequest() as stop:
        held_out = train_and_evaluate(settings, stop)
    if held_out is None:
        return stop.exit_status
    curve = read_log(settings.output_dir)
    training = run_settings(settings, "train", do_train=True)
    result = {
        "command": "python -m experiments.pretrain_mini --corpus_dir=corpus "
        f"--output_dir=pretrain_mini --num_train_steps={settings.num_train_steps}",
        "machine": machine.describe(),
        "config": CONFIG.to_dict(),
        "training": numbers(dataclasses.asdict(training)),
        "records": {part: counts(settings, part) for part in PARTS},
        "record_settings": numbers(dataclasses.asdict(record_settings(settings, "train"))),
        "training_minutes": round(minutes(curve, training.train_batch_size), 1),
        "held_out": held_out,
        "baselines": scores_without_context(settings),
        "loss_curve": curve,
    }
    target = Path(settings.result_file)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    loss_curve.draw(result, target.with_suffix(".png"))
    print(json.dumps({"held_out": result["held_out"], "baselines": result["baselines"]}, indent=1))
    return 0


if __name__ == "__main__":
    flags.run(main, Settings)
