"""The numbers of the paper, and that the programs take them."""

import dataclasses
import shlex

import pytest
import tensorflow as tf

from bert_keras import flags, run_pretraining
from bert_keras.config import BertConfig
from bert_keras.optimizers.adam_weight_decay import AdamWeightDecay
from bert_keras.optimizers.schedules import WarmupPolynomialDecay
from experiments import recipes
from tfrecord_tools import create_pretraining_data

TEXT = recipes.Text(["wiki/*.txt", "books/*.txt"], "sentences", "my vocab.txt", True)
PAPER = [recipes.BASE, recipes.LARGE]


@pytest.mark.parametrize("recipe", PAPER)
def test_the_paper_trains_a_million_steps_nine_tenths_of_them_on_128_positions(recipe):
    short, long = recipe.phases
    assert (short.max_seq_length, long.max_seq_length) == (128, 512)
    assert short.num_train_steps + long.num_train_steps == 1_000_000
    assert short.num_train_steps == 0.9 * 1_000_000
    assert short.train_batch_size == long.train_batch_size == 256


def test_the_sizes_are_those_of_the_paper():
    sizes = [(c.num_hidden_layers, c.hidden_size, c.num_attention_heads) for c in configs()]
    assert sizes == [(12, 768, 12), (24, 1024, 16)]
    for config in configs():
        assert (config.hidden_act, config.hidden_dropout_prob) == ("gelu", 0.1)
        assert config.attention_probs_dropout_prob == 0.1


def configs() -> list[BertConfig]:
    return [recipe.config for recipe in PAPER]


def test_the_optimizer_needs_no_flags():
    optimizer = AdamWeightDecay()
    assert {name: getattr(optimizer, name) for name in recipes.OPTIMIZER} == recipes.OPTIMIZER


@pytest.mark.parametrize("recipe", recipes.RECIPES.values(), ids=recipes.RECIPES)
def test_the_programs_take_the_commands_and_get_the_numbers_of_the_recipe(recipe):
    commands = recipes.commands(recipe, TEXT, "my bert")
    for phase, (records, training) in zip(recipe.phases, commands, strict=True):
        made = flags.parse(create_pretraining_data.Settings, words(records))
        trained = flags.parse(run_pretraining.Settings, words(training))
        assert made.input_file == TEXT.input_file
        assert made.vocab_file == trained.vocab_file == TEXT.vocab_file
        for name in ("masked_lm_prob", "short_seq_prob", "dupe_factor", "num_shards"):
            assert getattr(made, name) == getattr(recipe, name)
        for name, value in dataclasses.asdict(phase).items():
            assert getattr(trained, name) == value
        assert made.max_seq_length == phase.max_seq_length
        assert made.max_predictions_per_seq == phase.max_predictions_per_seq
        assert trained.input_file[0].removesuffix("-*") == made.output_file[0]
        assert trained.bert_config_file == recipes.config_file("my bert", phase)


def words(command: recipes.Command) -> list[str]:
    """What a shell makes of a printed command, but for the program."""
    python, m, program, *rest = shlex.split(str(command).replace("\\\n", ""))
    assert (python, m, program) == ("python", "-m", command.program)
    return rest


def test_a_phase_begins_with_the_model_of_the_one_before():
    (_, first), (_, second) = recipes.commands(recipes.BASE, TEXT, "run")
    assert not any(word.startswith("--init_checkpoint") for word in first.flags)
    assert "--output_dir=run/phase_1" in first.flags
    assert "--init_checkpoint=run/phase_1/bert_model.ckpt" in second.flags
    assert "--output_dir=run/phase_2" in second.flags


def test_the_position_table_grows_with_the_phases():
    rows = [
        recipes.config_of(recipes.BASE, phase, 30_000).max_position_embeddings
        for phase in recipes.BASE.phases
    ]
    assert rows == [128, 512]


def test_rows_that_no_step_trains_would_lose_a_third_to_the_weight_decay_of_the_first_phase():
    """0.64, as `config_of` says: the reason why the rows beyond 128 are not there yet."""
    phase = recipes.BASE.phases[0]
    schedule = WarmupPolynomialDecay(
        phase.learning_rate, phase.num_train_steps, phase.num_warmup_steps
    )
    rates = schedule(tf.range(phase.num_train_steps)).numpy().astype(float)
    kept = (1 - recipes.OPTIMIZER["weight_decay_rate"] * rates).prod()
    assert kept == pytest.approx(0.6408, abs=1e-4)
