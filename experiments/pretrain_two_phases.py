r"""Pre-training as in the paper: nine tenths of the steps on short sequences, then on long ones.

Claim    The second phase begins with the weights of the first, bit for bit, and adds the positions
         that the first did not have (Devlin et al. 2018, arXiv:1810.04805, appendix A.2).
Cost     --recipe=small: less than a minute on 2 quiet cores. base and large: recipes.py says what
         they took the authors; they were not run here.
Command  python -m experiments.pretrain_two_phases --recipe=small --output_dir=two_phases
         python -m experiments.pretrain_two_phases --recipe=base --output_dir=bert_base \
             --input_file='corpus/*.txt' --vocab_file=vocab.txt -- --tpu=local

It prints the commands that it stands for, two for each phase, and does what they do. Stopped, it
goes on by the same command. On several machines type them yourself, each training on all of them
(--print_only): a phase begins when the one before has ended everywhere.
"""

import dataclasses
import importlib.resources
import json
import os

from bert_keras import flags, run_pretraining
from bert_keras.backend import import_tensorflow_quietly
from bert_keras.errors import InputError
from bert_keras.files import read_text, write_text
from bert_keras.tokenizers.vocabulary import load_vocabulary, vocabulary_size
from bert_keras.training import cluster
from experiments import recipes
from tfrecord_tools import create_pretraining_data
from tfrecord_tools.outputs import summary_name

SAMPLE = importlib.resources.files("bert_keras") / "sample"


@dataclasses.dataclass(frozen=True)
class Settings:
    output_dir: str = flags.required("Folder for records and runs; a stopped run goes on.")
    recipe: str = flags.setting("small", f"One of {', '.join(recipes.RECIPES)}.")
    input_file: list[str] = flags.setting(
        (str(SAMPLE / "corpus.txt"),), "Text: files and globs. The default suits --recipe=small."
    )
    input_format: str = flags.setting("sentences", "Its format, as create_pretraining_data has it.")
    vocab_file: str = flags.setting(
        str(SAMPLE / "vocab.txt"), "Vocabulary. The default belongs to the default text."
    )
    do_lower_case: bool = flags.setting(True, "Whether the vocabulary is lower-cased.")
    print_only: bool = flags.setting(False, "Write the configurations, print the commands, end.")
    training_flags: list[str] = flags.arguments(
        "FLAG", "More flags of run_pretraining for both phases, behind a `--`."
    )


def main(settings: Settings) -> int:
    """Returns the exit status: 0 also if SIGTERM stopped a phase and saved it."""
    import_tensorflow_quietly()
    recipe = recipe_of(settings)
    check_text(settings)
    print(f"{settings.recipe}: {recipe.corpus}; {recipe.cost}")
    write_configs(recipe, settings)
    text = recipes.Text(
        settings.input_file, settings.input_format, settings.vocab_file, settings.do_lower_case
    )
    commands = [
        (records, training._replace(flags=training.flags + settings.training_flags))
        for records, training in recipes.commands(recipe, text, settings.output_dir)
    ]
    for records, training in commands:
        print(f"\n{records}\n{training}", flush=True)
    if settings.print_only:
        return 0
    check_one_machine()
    for records, _ in commands:
        make_records(flags.parse(create_pretraining_data.Settings, records.flags))
    for _, training in commands:
        run = flags.parse(run_pretraining.Settings, training.flags)
        status = run_pretraining.main(run)
        if status or not is_finished(run.output_dir):
            return status
    return 0


def check_text(settings: Settings) -> None:
    """Raises InputError if a recipe of the paper is to be trained on the text of the small one."""
    if settings.recipe != "small" and settings.input_file == Settings(output_dir="").input_file:
        raise InputError(
            f"--recipe={settings.recipe} needs a text: --input_file and --vocab_file. Received: "
            "none, and the text that the package ships is for --recipe=small."
        )


def recipe_of(settings: Settings) -> recipes.Recipe:
    """Raises InputError for a name that no recipe has."""
    if settings.recipe not in recipes.RECIPES:
        names = ", ".join(recipes.RECIPES)
        raise InputError(f"--recipe must be one of {names}. Received: {settings.recipe}")
    return recipes.RECIPES[settings.recipe]


def write_configs(recipe: recipes.Recipe, settings: Settings) -> None:
    """Writes the configuration of the model of each phase."""
    from bert_keras.training import run_folder

    vocab_size = vocabulary_size(load_vocabulary(settings.vocab_file))
    for phase in recipe.phases:
        path = recipes.config_file(settings.output_dir, phase)
        run_folder.make(os.path.dirname(path))
        write_text(path, recipes.config_of(recipe, phase, vocab_size).to_json_string())


def check_one_machine() -> None:
    """Raises InputError on one of several machines, which would not wait for the others."""
    workers = cluster.cluster_of(os.environ)
    if workers and len(workers.addresses) > 1:
        raise InputError(
            "All phases by one command are for one machine. Received: "
            f"{len(workers.addresses)} workers in {cluster.VARIABLE}. Type the commands above one "
            "after the other, each training on all machines."
        )


def make_records(settings: create_pretraining_data.Settings) -> None:
    """Makes the records of a phase, if the same settings have not made them before."""
    import tensorflow as tf

    path = summary_name(settings.output_file)
    if tf.io.gfile.exists(path):
        made_by = json.loads(read_text(path))["settings"]
        if made_by == dataclasses.asdict(settings):
            return
    print(create_pretraining_data.create_pretraining_data(settings), flush=True)


def is_finished(folder: str) -> bool:
    """Whether the run of the folder has come to its end."""
    import tensorflow as tf

    return tf.io.gfile.exists(os.path.join(folder, f"{recipes.MODEL}.index"))


if __name__ == "__main__":
    flags.run(main, Settings)
