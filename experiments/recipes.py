"""The pre-training of the paper as values, BERT-Base and BERT-Large, and the same made small.

Claim    These are all numbers of Devlin et al. 2018 (arXiv:1810.04805v2), and where the paper says
         nothing, those of google-research/bert; what neither says is marked as ours.
Command  python -m experiments.pretrain_two_phases --recipe=base|large|small …

Numbers that no flag sets are defaults of the code: dropout 0.1 and GELU (appendix A.2) in
`BertConfig`; of every 10 masked tokens 8 hidden, 1 replaced, 1 kept (section 3.1) in
`MaskingSettings`; and `OPTIMIZER`.

What the paper leaves open is how the learning rate goes on in the second phase. With the original
that is a second run of run_pretraining, and so it is here: each phase has a warm-up and a decay to
0 of its own, and its moments begin anew. The other reading is one decay over all 1,000,000 steps,
whose tail the second phase would be: --learning_rate=1e-5 --num_warmup_steps=0.
"""

import dataclasses
import os
import shlex
from typing import NamedTuple

from bert_keras.config import BertConfig

MODEL = "bert_model.ckpt"  # what a run leaves in its folder when it has come to its end

# Of AdamWeightDecay. Appendix A.2; epsilon and clip_norm from optimization.py of the original.
OPTIMIZER = {
    "beta_1": 0.9,
    "beta_2": 0.999,
    "weight_decay_rate": 0.01,
    "epsilon": 1e-6,
    "clip_norm": 1.0,
}


@dataclasses.dataclass(frozen=True)
class Phase:
    """One run of run_pretraining, on records of its own length."""

    max_seq_length: int
    max_predictions_per_seq: int
    train_batch_size: int
    num_train_steps: int
    learning_rate: float
    num_warmup_steps: int


@dataclasses.dataclass(frozen=True)
class Recipe:
    """Phases, each of which begins with the weights of the one before.

    Attributes:
        config: but for `vocab_size`, which the vocabulary decides, and `max_position_embeddings`,
            which is the length of each phase.
        phases: in their order.
        masked_lm_prob, short_seq_prob, dupe_factor, random_seed: of create_pretraining_data.
        num_shards: files of records a phase; None makes them as the original does, in memory.
        corpus: what it was or is trained on.
        cost: what that took.
    """

    config: BertConfig
    phases: tuple[Phase, ...]
    masked_lm_prob: float
    short_seq_prob: float
    dupe_factor: int
    random_seed: int
    num_shards: int | None
    corpus: str
    cost: str


class Text(NamedTuple):
    """What records are made of: flags of create_pretraining_data."""

    input_file: list[str]
    input_format: str
    vocab_file: str
    do_lower_case: bool


class Command(NamedTuple):
    """A program and its flags; as a string, a line for a shell."""

    program: str
    flags: list[str]

    def __str__(self) -> str:
        return " \\\n    ".join([f"python -m {self.program}", *map(shlex.quote, self.flags)])


BASE = Recipe(
    config=BertConfig.base(),  # section 3: 12 layers, 768 wide, 12 heads
    phases=(
        Phase(
            max_seq_length=128,  # A.2, for 90 % of the steps
            max_predictions_per_seq=20,  # README of the original: about 0.15 * 128 = 19.2
            train_batch_size=256,  # A.2
            num_train_steps=900_000,  # A.2: 90 % of 1,000,000
            learning_rate=1e-4,  # A.2
            num_warmup_steps=10_000,  # A.2
        ),
        Phase(
            max_seq_length=512,  # A.2, for the other 10 %
            max_predictions_per_seq=80,  # about 0.15 * 512 = 76.8; four times the 20 above
            train_batch_size=256,  # A.2, which names one batch size
            num_train_steps=100_000,  # A.2: 10 % of 1,000,000
            learning_rate=1e-4,  # ours: A.2 names one rate
            num_warmup_steps=10_000,  # ours: Adam's moments begin anew, uncorrected
        ),
    ),
    masked_lm_prob=0.15,  # section 3.1
    short_seq_prob=0.1,  # default of the original
    dupe_factor=10,  # default of the original; its README's example has 5
    random_seed=12345,  # default of the original
    num_shards=256,  # ours: files of one or two GB
    corpus="BooksCorpus, 800 million words, and English Wikipedia, 2,500 million words of running "
    "text without lists, tables and headers",  # section 3.1
    cost="16 TPU chips (4 Cloud TPUs) for 4 days",  # A.2
)

LARGE = dataclasses.replace(
    BASE,
    config=BertConfig.large(),  # section 3: 24 layers, 1024 wide, 16 heads
    cost="64 TPU chips (16 Cloud TPUs) for 4 days",  # A.2
)

# All of this is ours. The rate and the long warm-up: README.md, "The rate".
SMALL = Recipe(
    config=BertConfig.named("tiny"),
    phases=(
        Phase(
            max_seq_length=32,
            max_predictions_per_seq=5,
            train_batch_size=32,
            num_train_steps=270,
            learning_rate=1e-3,
            num_warmup_steps=90,
        ),
        Phase(
            max_seq_length=128,
            max_predictions_per_seq=20,
            train_batch_size=32,
            num_train_steps=30,
            learning_rate=1e-3,
            num_warmup_steps=10,
        ),
    ),
    masked_lm_prob=0.15,
    short_seq_prob=0.1,
    dupe_factor=2,
    random_seed=12345,
    num_shards=None,
    corpus="the sample of this package, 99,000 words",
    cost="2 processor cores for less than a minute",
)

RECIPES = {"base": BASE, "large": LARGE, "small": SMALL}


def config_of(recipe: Recipe, phase: Phase, vocab_size: int) -> BertConfig:
    """The model of a phase: its position table has the rows that the phase trains, no more.

    The next phase adds rows with their initial values. Rows that are there and get no gradient
    lose weight all the same: over the 900,000 steps of Base a row is multiplied by the product of
    1 - 0.01 * rate, which is 0.64.
    """
    return dataclasses.replace(
        recipe.config, vocab_size=vocab_size, max_position_embeddings=phase.max_seq_length
    )


def config_file(folder: str, phase: Phase) -> str:
    """Where `commands` expects the configuration of a phase."""
    return os.path.join(folder, "data", f"bert_config_{phase.max_seq_length}.json")


def commands(recipe: Recipe, text: Text, folder: str) -> list[tuple[Command, Command]]:
    """For each phase the command that makes its records and the one that trains on them."""
    return [
        (
            _record_command(recipe, phase, text, folder),
            _training_command(recipe, index, text, folder),
        )
        for index, phase in enumerate(recipe.phases)
    ]


def _record_command(recipe: Recipe, phase: Phase, text: Text, folder: str) -> Command:
    words = _words(
        input_file=",".join(text.input_file),
        input_format=text.input_format,
        output_file=_record_file(folder, phase),
        num_shards=recipe.num_shards,
        vocab_file=text.vocab_file,
        do_lower_case=text.do_lower_case,
        max_seq_length=phase.max_seq_length,
        max_predictions_per_seq=phase.max_predictions_per_seq,
        masked_lm_prob=recipe.masked_lm_prob,
        short_seq_prob=recipe.short_seq_prob,
        dupe_factor=recipe.dupe_factor,
        random_seed=recipe.random_seed,
    )
    return Command("tfrecord_tools.create_pretraining_data", words)


def _training_command(recipe: Recipe, index: int, text: Text, folder: str) -> Command:
    phase = recipe.phases[index]
    before = os.path.join(_run_folder(folder, index - 1), MODEL)
    words = _words(
        do_train=True,
        input_file=_record_file(folder, phase) + ("-*" if recipe.num_shards else ""),
        output_dir=_run_folder(folder, index),
        bert_config_file=config_file(folder, phase),
        vocab_file=text.vocab_file,
        do_lower_case=text.do_lower_case,
        init_checkpoint=before if index else None,
        random_seed=recipe.random_seed,
        **dataclasses.asdict(phase),
    )
    return Command("bert_keras.run_pretraining", words)


def _run_folder(folder: str, index: int) -> str:
    return os.path.join(folder, f"phase_{index + 1}")


def _record_file(folder: str, phase: Phase) -> str:
    return os.path.join(folder, "data", f"length_{phase.max_seq_length}.tfrecord")


def _words(**values) -> list[str]:
    return [f"--{name}={value}" for name, value in values.items() if value is not None]
