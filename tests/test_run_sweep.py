"""The command line of a sweep: its own flags, then a program with its flags."""

import pytest

from bert_keras import flags, run_sweep
from bert_keras.errors import InputError


def parsed(*words):
    return flags.parse(run_sweep.Settings, run_sweep.separated(words))


def test_the_flags_of_both_are_told_apart():
    settings = parsed(
        "--learning_rates", "1e-4", "--output_dir=out", "run_squad", "--doc_stride=64", "--do_eval"
    )
    assert settings.learning_rates == ["1e-4"]
    assert settings.program == ["run_squad", "--doc_stride=64", "--do_eval"]
    _, of_program = run_sweep.parsed(settings)
    assert (of_program.doc_stride, of_program.output_dir) == (64, "out")
    assert of_program.do_train and of_program.do_eval


def test_the_grid_is_the_paper_s():
    settings = parsed("--output_dir=out", "run_tagging")
    values = [run_sweep.numbers(settings, name) for name in run_sweep.AXES]
    assert values == [[16, 32], [5e-5, 3e-5, 2e-5], [2, 3, 4]]


@pytest.mark.parametrize("name", run_sweep.PROGRAMS)
def test_the_programs_are_there(name):
    program, _ = run_sweep.parsed(parsed("--output_dir=out", name))
    assert program.settings_class.__module__ == f"bert_keras.{name}"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "program must stand, one of run_classifier.*Received: none"),
        (["run_clasifier", "--task_name=MRPC"], "Received: run_clasifier"),
        (["run_classifier", "--learning_rate=1"], "sweep sets --learning_rate.*--learning_rates"),
        (["run_classifier", "--output_dir", "x"], "sweep sets --output_dir"),
        (["run_classifier", "--doc_stride=3"], "no flag --doc_stride"),
        (["run_classifier", "MRPC"], "Every value belongs to a flag"),
    ],
)
def test_a_wrong_program_is_named(words, message):
    with pytest.raises(InputError, match=message):
        run_sweep.parsed(parsed("--output_dir=out", *words))


@pytest.mark.parametrize(
    ("flag", "message"),
    [
        ("--train_batch_sizes=16,b", "--train_batch_sizes: expected a whole number.*16,b"),
        ("--learning_rates=", "--learning_rates must hold a value"),
        ("--nums_train_epochs=nan", "--nums_train_epochs: expected a number"),
    ],
)
def test_wrong_values_are_named(flag, message):
    with pytest.raises(InputError, match=message):
        run_sweep.main(parsed("--output_dir=out", flag, "run_tagging"))


def test_a_value_that_is_named_twice_is_tried_once():
    settings = parsed("--output_dir=out", "--learning_rates=5e-5,0.00005", "run_tagging")
    assert run_sweep.numbers(settings, "learning_rates") == [5e-5]
