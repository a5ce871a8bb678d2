"""A task for tests that a tiny model learns in seconds: which half of an alphabet is a row of?"""

import dataclasses

import numpy as np

from bert_keras.config import BertConfig
from bert_keras.data.encoded import EncodedExamples
from bert_keras.fine_tuning.assignment import Assignment, Evaluation, Prediction
from bert_keras.fine_tuning.settings import FineTuningSettings
from bert_keras.models.classifier import classifier
from bert_keras.objectives.classification import ACCURACIES, LOSSES, classification
from bert_keras.tasks.classification.task import Classification
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer

TOKENS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"abcdefgh"]
FIRST_LETTER = TOKENS.index("a")
LABELS = ("first", "second")
CONFIG = BertConfig(
    vocab_size=len(TOKENS),
    hidden_size=16,
    num_hidden_layers=2,
    num_attention_heads=2,
    intermediate_size=32,
    max_position_embeddings=24,
)
NUM_TRAINED, NUM_EVALUATED = 96, 33


def write_model(folder):
    """Config and vocabulary of a model that is not trained yet; returns settings that name them."""
    (folder / "config.json").write_text(CONFIG.to_json_string())
    (folder / "vocab.txt").write_text("\n".join(TOKENS) + "\n")
    return {
        "bert_config_file": str(folder / "config.json"),
        "vocab_file": str(folder / "vocab.txt"),
        "max_seq_length": 24,
    }


def tokenizer(model):
    return WordPieceTokenizer(model["vocab_file"])


def settings(model, folder, **changes):
    values = {
        "output_dir": str(folder),
        "do_train": True,
        "do_eval": True,
        "train_batch_size": 16,
        "learning_rate": 5e-3,
        "warmup_proportion": 0.3,
        "num_train_epochs": 2.0,
        "save_checkpoints_steps": 5,
        "report_steps": 5,
    }
    return FineTuningSettings(**model | values | changes)


def examples(num_examples, seed):
    """Rows of 3 to 14 letters, in turn of a to d and of e to h."""
    random = np.random.default_rng(seed)
    labels = np.arange(num_examples, dtype=np.int32) % 2
    letters = [random.integers(4, size=random.integers(3, 15)) + 4 * half for half in labels]
    ids = [np.array([2, *(FIRST_LETTER + row), 3], np.int32) for row in letters]
    return EncodedExamples.of_sequences(ids, values={"label_ids": labels})


def read_assignment(settings, config, tokenizer):
    dev = examples(NUM_EVALUATED, seed=2)

    def score(outputs):
        correct = np.argmax(outputs["logits"], axis=-1) == dev.values["label_ids"]
        total = np.sum(np.abs(outputs["logits"]), dtype=np.float64)
        return {"eval_accuracy": float(np.mean(correct)), "total_of_logits": float(total)}

    def files(outputs):
        lines = [f"{LABELS[np.argmax(logits)]}\n" for logits in outputs["logits"]]
        return {"answers.txt": "".join(lines)}

    return Assignment(
        task=Classification(settings.max_seq_length),
        config=dataclasses.replace(config, labels=LABELS),
        build=classifier,
        objective=classification,
        losses=LOSSES,
        accuracies=ACCURACIES,
        train=examples(NUM_TRAINED, seed=1) if settings.do_train else None,
        evaluations={"dev": Evaluation(dev, score)},
        predictions={"dev": Prediction(dev, files)},
        metric="eval_accuracy",
    )
