r"""A BiLSTM on vectors of a frozen BERT, against fine-tuning BERT: named entities (Table 7).

Claim    Vectors that stay as they are come close: those of the last four layers together are 0.3
         behind fine-tuning, the embeddings 5.4 (Devlin et al. 2018, section 5.3: dev F1 of
         CoNLL-2003, BERT-Base, cased, with the text around the sentence, means of 5 seeds; the
         numbers are `PAPER` below).
Cost     MiniLM on WNUT-17: a row takes 60 minutes of processor time a seed with 768 units, by a
         measured epoch of a part; 128 units are 20 times less to compute. 2 GB of memory.
Command  python -m experiments.feature_based_tagging --init_checkpoint=all-MiniLM-L6-v2 \
             --train_file=wnut17train.conll --dev_file=emerging.dev.conll --lstm_units=128 \
             --output_dir=feature_based_tagging
Found    experiments/results/feature_based_tagging.json, and the lines that are printed.

The fine-tuning goes on by the same command after a stop; the other rows are made again.

Any files that run_tagging reads and any model that from_pretrained loads will do. CoNLL-2003 needs
a license of its text, so compare the order of the rows, not the numbers. From the paper are the
choices of vectors, that a word has the vector of its first piece, and two layers of 768 units. What
it does not say: a weighted sum has weights that are learned, as in ELMo; each direction has 768
units; Adam trains without dropout, and the last epoch counts.
"""

import dataclasses
import json
import statistics
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bert_keras import flags
from bert_keras.backend import check_backend, import_tensorflow_quietly
from bert_keras.errors import InputError
from bert_keras.files import read_text
from experiments import machine

RESULTS = Path(__file__).parent / "results" / "feature_based_tagging.json"
FINE_TUNING = "fine-tuning"
# Row -> dev F1 of the paper.
PAPER = {
    FINE_TUNING: 96.4,
    "embeddings": 91.0,
    "second-to-last hidden": 95.6,
    "last hidden": 94.9,
    "weighted sum last four hidden": 95.9,
    "concat last four hidden": 96.1,
    "weighted sum all layers": 95.5,
}
# Row -> which layers of how many, as --layers of extract_features counts them.
LAYERS: dict[str, Callable[[int], Sequence[int]]] = {
    "embeddings": lambda num_layers: [-num_layers - 1],
    "second-to-last hidden": lambda _: [-2],
    "last hidden": lambda _: [-1],
    "weighted sum last four hidden": lambda _: range(-4, 0),
    "concat last four hidden": lambda _: range(-4, 0),
    "weighted sum all layers": lambda num_layers: range(-num_layers, 0),
}
FEWEST_LAYERS = 4
SENTENCES_AT_A_TIME = 1024  # whose pieces are all held; of the others the words alone


@dataclasses.dataclass(frozen=True)
class Settings:
    init_checkpoint: str = flags.required("Folder of a pretrained model, of 4 layers or more.")
    train_file: str = flags.required("Sentences to train on, in a format of run_tagging.")
    dev_file: str = flags.required("Sentences to evaluate on.")
    output_dir: str = flags.required("Folder for the fine-tuning.")
    rows: list[str] = flags.setting(tuple(PAPER), "Rows of the table, comma-separated.")
    num_seeds: int = flags.setting(3, "Runs of each row.", minimum=1)
    max_seq_length: int = flags.setting(128, "Most word pieces of a window.", minimum=3)
    lstm_units: int = flags.setting(768, "Units of each direction of the two layers.", minimum=1)
    lstm_epochs: int = flags.setting(10, "Epochs of the BiLSTM.", minimum=1)
    lstm_learning_rate: float = flags.setting(1e-3, "Its learning rate.")
    num_train_epochs: float = flags.setting(3.0, "Epochs of fine-tuning.")
    learning_rate: float = flags.setting(5e-5, "Peak of the learning rate of fine-tuning.")
    batch_size: int = flags.setting(32, "Sentences of a step.", minimum=1)
    output_file: str = flags.setting(str(RESULTS), "Where the figures go, as JSON.")


def main(settings: Settings) -> int:
    """Returns the exit status."""
    unknown = sorted(set(settings.rows) - set(PAPER))
    if unknown:
        raise InputError(f"--rows are among {', '.join(PAPER)}. Received: {', '.join(unknown)}")
    check_backend()
    import_tensorflow_quietly()
    from bert_keras.training.stop import StopRequest

    rows = {}
    for row in settings.rows:
        if row == FINE_TUNING:
            with StopRequest() as stop:  # the other rows end at once
                found = fine_tuned(settings, stop)
            if found is None:
                return stop.exit_status
        else:
            found = summary(feature_based(settings, row))
        rows[row] = found | {"paper_conll_2003": PAPER[row]}
        print(f"{row:30} {found['mean']:.4f}", flush=True)
        write(settings, rows)  # after each, since the next takes long
    return 0


def fine_tuned(settings: Settings, stop: Any) -> dict[str, Any] | None:
    """What `summary` makes of the seeds of run_tagging; None if it was stopped."""
    from bert_keras import run_tagging
    from bert_keras.fine_tuning import job

    of_run = run_tagging.Settings(
        do_train=True,
        do_eval=True,
        output_dir=settings.output_dir,
        init_checkpoint=settings.init_checkpoint,
        train_file=settings.train_file,
        dev_file=settings.dev_file,
        max_seq_length=settings.max_seq_length,
        train_batch_size=settings.batch_size,
        num_train_epochs=settings.num_train_epochs,
        learning_rate=settings.learning_rate,
        random_seed=0,
        num_seeds=settings.num_seeds,
    )
    found = job.run(of_run, run_tagging.PROGRAM.read_assignment, stop)
    if found is None:
        return None
    if settings.num_seeds == 1:
        return summary([main_score(found)])
    content = json.loads(read_text(f"{settings.output_dir}/seeds.json"))
    return summary([main_score(one) for one in content["seeds"].values()])


def feature_based(settings: Settings, row: str) -> list[float]:
    """The score of a BiLSTM on vectors of some layers, for each seed."""
    import keras

    from bert_keras.tasks.tagging.labels import labels_of
    from bert_keras.tasks.tagging.scores import scores
    from experiments import bilstm_tagger

    train, dev = (read(path) for path in (settings.train_file, settings.dev_file))
    labels = labels_of(train)
    vectors, dev_vectors = (vectors_of(settings, row, sentences) for sentences in (train, dev))
    ids = [np.array([labels.index(tag) for tag in sentence.tags]) for sentence in train]
    combine = bilstm_tagger.WeightedSum if "sum" in row else bilstm_tagger.Concatenation
    found = []
    for seed in range(settings.num_seeds):
        keras.utils.set_random_seed(seed)
        model = bilstm_tagger.tagger(
            vectors[0].shape[1:], combine, len(labels), settings.lstm_units
        )
        batches = bilstm_tagger.Batches(vectors, ids, settings.batch_size, seed)
        bilstm_tagger.train(model, batches, settings.lstm_epochs, settings.lstm_learning_rate)
        predicted = bilstm_tagger.predict(model, dev_vectors, settings.batch_size)
        named = [[labels[index] for index in sentence] for sentence in predicted]
        found.append(main_score(scores([sentence.tags for sentence in dev], named, labels)))
    return found


def vectors_of(settings: Settings, row: str, sentences: Sequence[Any]) -> list[np.ndarray]:
    """What the layers of a row make of each sentence, float32 [words, layers, width].

    That of a word is that of its first piece; 0 if it has none.
    """
    import tensorflow as tf

    from bert_keras import from_pretrained
    from bert_keras.feature_extraction.layers import layer_outputs
    from bert_keras.models.bert import hidden_states
    from bert_keras.training.inference import Inference
    from bert_keras.training.stop import StopRequest

    encoder, tokenizer = from_pretrained(settings.init_checkpoint)
    num_layers = len(hidden_states(encoder)) - 1
    if num_layers < FEWEST_LAYERS:
        raise InputError(
            f"--init_checkpoint must have {FEWEST_LAYERS} layers or more. Received: {num_layers}"
        )
    model = layer_outputs(encoder, LAYERS[row](num_layers))
    inference = Inference(tf.distribute.get_strategy(), model, StopRequest())
    vectors = []
    for start in range(0, len(sentences), SENTENCES_AT_A_TIME):
        some = sentences[start : start + SENTENCES_AT_A_TIME]
        vectors += first_pieces(inference, tokenizer, some, settings)
    return vectors


def first_pieces(
    inference: Any, tokenizer: Any, sentences: Sequence[Any], settings: Settings
) -> list[np.ndarray]:
    """The features of the first piece of each word, by sentence."""
    from bert_keras.tasks.tagging.encoding import at_words, encode_sentences

    words = [sentence.words for sentence in sentences]
    encoded = encode_sentences(words, tokenizer, settings.max_seq_length)
    outputs = inference.run(encoded.examples, settings.batch_size, advance=lambda _: None)
    features = outputs["features"]  # N arrays [T, L, H]
    return at_words(features, encoded.places, np.zeros(features[0].shape[1:]))


def read(path: str) -> list[Any]:
    from bert_keras.tasks.tagging.columns import columns_of, read_tagged

    return read_tagged(path, columns_of(path, token_column=None, tag_column=None))


def summary(scores: Sequence[float]) -> dict[str, Any]:
    """The scores of all seeds, their mean and standard deviation; one score has none."""
    spread = statistics.stdev(scores) if len(scores) > 1 else None
    return {"scores": list(scores), "mean": statistics.mean(scores), "sd": spread}


def main_score(scores: dict[str, float]) -> float:
    """F1 of entities; the accuracy of labels that are of none."""
    return scores.get("f1", scores["accuracy"])


def write(settings: Settings, rows: dict[str, Any]) -> None:
    used = dataclasses.asdict(settings) | {
        name: Path(getattr(settings, name)).name  # folders mean nothing on another machine
        for name in ("init_checkpoint", "train_file", "dev_file", "output_dir", "output_file")
    }
    results = {"machine": machine.describe(), "settings": used, "rows": rows}
    Path(settings.output_file).write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    flags.run(main, Settings)
