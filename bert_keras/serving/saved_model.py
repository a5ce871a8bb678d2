"""Versions of a model for TensorFlow Serving, which `from_pretrained` takes too: OUTPUT/1, …"""

import tensorflow as tf

from bert_keras.checkpoints.builders import stored_model_of
from bert_keras.checkpoints.files.whole_folders import new_folder
from bert_keras.checkpoints.formats.native import write_description
from bert_keras.checkpoints.formats.saved_model import GRAPH_FILE, weight_key, write_weight_names
from bert_keras.checkpoints.formats.sentence_transformers import write_pooling
from bert_keras.checkpoints.formats.tokenizer_files import VOCABULARY_FILE
from bert_keras.notices import notify
from bert_keras.serving import deployment, warm_up
from bert_keras.serving.load import LoadedModel
from bert_keras.serving.manual import example_request, notify_of_change, write_manual
from bert_keras.serving.signatures import ServedModel, strings_of
from bert_keras.serving.twins import twin_of
from bert_keras.tasks.task import description


def export(
    loaded: LoadedModel, output_dir: str, is_compiled: bool = False, core_ops_only: bool = False
) -> str:
    """Writes a model with its signatures as the next version of a folder, whole or not at all.

    A server that watches the folder takes the version with the highest number.

    Args:
        loaded: the model and its task.
        output_dir: the folder of the versions; made if needed.
        is_compiled: see `ServedModel`.
        core_ops_only: see `twin_of`.

    Returns:
        The folder of the new version.

    Raises:
        InputError: it cannot be written; the task cannot be exported.
    """
    number = _next_version(output_dir)
    version = tf.io.gfile.join(output_dir, str(number))
    with new_folder(version, last=(GRAPH_FILE,)) as unfinished:
        served = ServedModel(loaded, twin_of(loaded, core_ops_only), is_compiled)
        stored = stored_model_of(loaded.model, loaded.tokenizer, task=description(loaded.task))
        write_description(stored, unfinished)
        if loaded.pooling:
            write_pooling(loaded.pooling, unfinished, loaded.config.hidden_size)
        # The same file once more where TensorFlow keeps what belongs to a graph.
        served.vocabulary = tf.saved_model.Asset(tf.io.gfile.join(unfinished, VOCABULARY_FILE))
        tf.saved_model.save(served, unfinished, signatures=served.functions)
        write_weight_names(
            {name: weight_key(index) for index, name in enumerate(served.weight_names)}, unfinished
        )
        write_manual(loaded, unfinished, str(number))
        if warm_up.is_available():
            strings = strings_of(loaded.task, served.twin)
            warm_up.write(unfinished, strings, loaded.task.max_seq_length)
        else:
            notify(
                "without tensorflow-serving-api no requests to warm up are written, and the first "
                "ones take longer: pip install 'bert_keras[serving]'"
            )
    ranks = {name: len(spec.shape) for name, spec in served.twin.signature.items()}
    deployment.write(output_dir, example_request(loaded.task.name, ranks))
    if number > 1:
        notify_of_change(tf.io.gfile.join(output_dir, str(number - 1)), version)
    return version


def _next_version(output_dir: str) -> int:
    names = tf.io.gfile.listdir(output_dir) if tf.io.gfile.isdir(output_dir) else []
    numbers = [int(name) for entry in names if (name := entry.rstrip("/")).isdecimal()]
    return max(numbers, default=0) + 1
