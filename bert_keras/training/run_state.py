"""Saves and restores everything that the future of a run depends on.

A checkpoint is one TensorFlow V2 bundle, ``model.ckpt-N.index`` and
``model.ckpt-N.data-00000-of-00001``, that holds the caller's variables under the caller's names:
any reader of the original's checkpoints reads it. A process that is killed at any moment
leaves either a complete checkpoint or none; older ones are removed only after that.
"""

import re
from collections.abc import Callable, Mapping

import keras
import tensorflow as tf

from bert_keras.checkpoints.files import bundle
from bert_keras.checkpoints.names import ADAM_SLOTS, DROPOUT_SEED, GLOBAL_STEP, original_name
from bert_keras.errors import InputError

_INDEX_NAME = re.compile(r"model\.ckpt-(\d+)\.index")
_DATA_NAME = re.compile(r"model\.ckpt-\d+\.data-00000-of-00001")
_UNFINISHED_NAME = re.compile(
    rf"(model\.ckpt-\d+|bert_model\.ckpt|checkpoint|writable)\{bundle.UNFINISHED}.*"
    rf"|\..+\{bundle.UNFINISHED}"
)
# What TensorFlow's checkpoint reader raises for a file that is cut short, altered or missing.
_TORN = (tf.errors.OpError, IndexError)


def run_variables(
    model: keras.Model, optimizer: keras.optimizers.Optimizer
) -> dict[str, keras.Variable]:
    """Returns name -> variable of all that the future of a run depends on.

    Weights, slots and step have the names of the original's checkpoints. The names of dropout
    seeds are without a slash: readers of weights pass them over.
    """
    variables = {GLOBAL_STEP: optimizer.iterations}
    for weight in model.weights:
        variables[original_name(weight.path)] = weight
    for slot in ADAM_SLOTS:
        for weight, moment in zip(model.trainable_variables, getattr(optimizer, slot), strict=True):
            variables[f"{original_name(weight.path)}/{slot}"] = moment
    weights = {id(weight) for weight in model.weights}
    seeds = [variable for variable in model.variables if id(variable) not in weights]
    return variables | {f"{DROPOUT_SEED}{index}": seed for index, seed in enumerate(seeds)}


def checkpoint_path(folder: str, step: int) -> str:
    """Returns the prefix under which the files of `step` stand."""
    return tf.io.gfile.join(folder, f"model.ckpt-{step}")


def saved_steps(folder: str) -> list[int]:
    """Returns the steps of all checkpoints in `folder`, ascending, torn ones included."""
    if not tf.io.gfile.isdir(folder):
        return []
    matches = map(_INDEX_NAME.fullmatch, tf.io.gfile.listdir(folder))
    return sorted(int(match[1]) for match in matches if match)


def save(
    folder: str,
    step: int,
    variables: Mapping[str, keras.Variable],
    num_to_keep: int = 5,
    keep_every_steps: int = 0,
) -> None:
    """Writes `variables` as the checkpoint of `step`, then removes all but the newest.

    Args:
        folder: an existing folder.
        step: the number of training steps done.
        variables: dict of name -> variable.
        num_to_keep: how many checkpoints stay; 0 keeps all of them.
        keep_every_steps: those of multiples of this stay as well; 0 keeps none of them.

    Raises:
        InputError: the files could not be written; the older checkpoints are all still there.
    """
    try:
        bundle.write(checkpoint_path(folder, step), variables)
        _remove_older(folder, step, num_to_keep, keep_every_steps)
    except tf.errors.OpError as error:
        remove_unfinished(folder)
        raise InputError(
            f"The checkpoint of step {step} could not be written to {folder}: {error.message}. "
            "The older checkpoints are kept. Make room or correct the rights, "
            "then run the same command again."
        ) from error


def newest_readable(folder: str, notify: Callable[[str], None]) -> tuple[int, str] | None:
    """Returns (step, path) of the newest checkpoint that is whole, or None.

    Every tensor is read, which compares its checksum. `notify` is called with one line for each
    newer checkpoint that is passed over.

    Raises:
        InputError: the folder has a name that TensorFlow's reader cannot find.
    """
    check_name(folder)
    steps = saved_steps(folder)
    for step in reversed(steps):
        path = checkpoint_path(folder, step)
        try:
            reader = bundle.reader(path)
            for name in reader.get_variable_to_shape_map():
                reader.get_tensor(name)
        except _TORN as error:
            reason = str(error).partition("\n")[0]
            notify(f"{path} is torn and passed over: {reason}")
        else:
            return step, path
    if steps:
        notify(f"no checkpoint in {folder} can be read: the run begins at step 0")
    return None


def check_name(folder):
    """Raises InputError for a path that TensorFlow's reader of checkpoints takes for a pattern."""
    if received := sorted(set(folder) & set("[]\\")):
        raise InputError(
            "The path of a folder with checkpoints must not hold [, ] or a backslash. "
            f"Received: {' '.join(received)} in {folder}. Rename it, or use another --output_dir."
        )


def restore(path: str, variables: Mapping[str, keras.Variable]) -> None:
    """Assigns the tensors of the checkpoint `path` to `variables`, a dict of name -> variable.

    Raises:
        InputError: a variable is missing in the checkpoint or has another shape there.
    """
    reader = bundle.reader(path)
    shapes = reader.get_variable_to_shape_map()
    missing = [name for name in variables if name not in shapes]
    if missing:
        raise InputError(
            f"A run can be continued only from its own checkpoints: {path} lacks {len(missing)} of "
            f"the {len(variables)} variables, the first is {missing[0]}. Use a new --output_dir, "
            "with this checkpoint as --init_checkpoint if its weights are wanted."
        )
    for name, variable in variables.items():
        if tuple(shapes[name]) != tuple(variable.shape):
            raise InputError(
                f"A checkpoint must have the shapes of the model: {name} is {tuple(shapes[name])} "
                f"in {path}, but {tuple(variable.shape)} in the model. "
                "Use the configuration that the run began with."
            )
    for name, variable in variables.items():
        variable.assign(reader.get_tensor(name))


def remove_unfinished(folder: str) -> None:
    """Removes what a run that was killed or ran out of space left half written, and nothing else.

    That is data without its index, and files under the names that they have until they are whole.
    """
    complete = {f"model.ckpt-{step}{bundle.DATA_SUFFIX}" for step in saved_steps(folder)}
    if not tf.io.gfile.isdir(folder):
        raise InputError(
            f"The folder of the run is gone: {folder}. The same command makes it anew."
        )
    for name in tf.io.gfile.listdir(folder):
        orphaned = _DATA_NAME.fullmatch(name) and name not in complete
        path = tf.io.gfile.join(folder, name)
        if (orphaned or _UNFINISHED_NAME.fullmatch(name)) and not tf.io.gfile.isdir(path):
            tf.io.gfile.remove(path)


def _remove_older(folder, step, num_to_keep, keep_every_steps):
    """Keeps the newest checkpoints up to `step`: later ones were torn, and will be written again.

    An index is removed before its data, so that nothing looks complete and is not.
    """
    steps = [saved for saved in saved_steps(folder) if saved <= step]
    kept = steps[-num_to_keep:]
    if keep_every_steps:
        kept = [saved for saved in steps if saved in kept or saved % keep_every_steps == 0]
    _write_state_file(folder, kept)
    for saved in sorted(set(steps) - set(kept)):
        for suffix in (bundle.INDEX_SUFFIX, bundle.DATA_SUFFIX):
            path = checkpoint_path(folder, saved) + suffix
            if tf.io.gfile.exists(path):  # a torn one may lack its data
                tf.io.gfile.remove(path)


def _write_state_file(folder, steps):
    """Writes the file ``checkpoint``, by which ``tf.train.latest_checkpoint`` finds the newest."""
    lines = [f'model_checkpoint_path: "model.ckpt-{steps[-1]}"']
    lines += [f'all_model_checkpoint_paths: "model.ckpt-{step}"' for step in steps]
    path = tf.io.gfile.join(folder, "checkpoint")
    with tf.io.gfile.GFile(path + bundle.UNFINISHED, "w") as file:
        file.write("\n".join(lines) + "\n")
    tf.io.gfile.rename(path + bundle.UNFINISHED, path, overwrite=True)
