"""One small model of each kind, here and in transformers, with random weights and one batch."""

import numpy as np

from bert_keras.checkpoints.loading import named_variables
from bert_keras.checkpoints.stored_model import StoredModel
from bert_keras.checkpoints.weights import Weights
from bert_keras.config import BertConfig

LABELS = ("contradiction", "neutral", "entailment")
SIZES = {
    "vocab_size": 50,
    "hidden_size": 32,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "intermediate_size": 48,
    "max_position_embeddings": 16,
    "hidden_dropout_prob": 0.0,
    "attention_probs_dropout_prob": 0.0,
}
WITH_LABELS = ("classifier", "token_classifier")
TOLERANCE = {"rtol": 0, "atol": 1e-5}


def config(model: str, hidden_act: str) -> BertConfig:
    return BertConfig(**SIZES, hidden_act=hidden_act, labels=LABELS if model in WITH_LABELS else ())


def inputs(model: str) -> dict[str, np.ndarray]:
    """Ids, masks that end in padding, and both segments; [B, T], of choices [B, C, T]."""
    random = np.random.default_rng(1)
    shape = (2, 3, 9) if model == "multiple_choice" else (4, 9)
    num_tokens = random.integers(3, 10, (*shape[:-1], 1))
    positions = np.broadcast_to(np.arange(9), shape)
    batch = {
        "input_ids": random.integers(0, SIZES["vocab_size"], shape),
        "input_mask": positions < num_tokens,
        "segment_ids": positions > 4,
    }
    return {name: value.astype(np.int32) for name, value in batch.items()}


def stored(model, name: str) -> StoredModel:
    """A Keras model as a file would hold it, its weights drawn anew: none is 0 or 1."""
    random = np.random.default_rng(2)
    variables = named_variables(model)
    for path, variable in variables.items():
        mean = 1.0 if path.endswith("gamma") else 0.0
        variable.assign(random.normal(mean, 0.2, variable.shape))
    shapes = {path: tuple(variable.shape) for path, variable in variables.items()}
    weights = Weights("model", shapes, lambda path: variables[path].numpy())
    return StoredModel(model.get_layer("embeddings").config, None, weights, model=name)


def peer(architecture: str, hidden_act: str):
    """A model of transformers, every weight drawn anew."""
    import torch
    import transformers

    labels = {}
    if architecture in ("BertForSequenceClassification", "BertForTokenClassification"):
        labels["id2label"] = dict(enumerate(LABELS))
        labels["label2id"] = {label: index for index, label in enumerate(LABELS)}
    config = transformers.BertConfig(**SIZES, hidden_act=hidden_act, **labels)
    model = getattr(transformers, architecture)(config)
    generator = torch.Generator().manual_seed(3)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            mean = 1.0 if name.endswith("LayerNorm.weight") else 0.0
            weight.normal_(mean, 0.2, generator=generator)
    return model.eval()


def outputs_here(model, name: str) -> dict[str, np.ndarray]:
    """What a Keras model computes of the batch, as arrays; words are predicted everywhere."""
    batch = inputs(name)
    if "masked_lm_positions" in model.input:
        shape = batch["input_ids"].shape
        batch["masked_lm_positions"] = np.broadcast_to(np.arange(9, dtype=np.int32), shape)
    return {key: np.asarray(value) for key, value in model(batch).items()}


# ours -> theirs
OUTPUTS = {
    "bert": {"sequence_output": "last_hidden_state", "pooled_output": "pooler_output"},
    "pretrainer": {
        "masked_lm_logits": "prediction_logits",
        "next_sentence_logits": "seq_relationship_logits",
    },
    "masked_lm": {"masked_lm_logits": "logits"},
    "next_sentence": {"next_sentence_logits": "logits"},
    "classifier": {"logits": "logits"},
    "token_classifier": {"logits": "logits"},
    "multiple_choice": {"logits": "logits"},
    "question_answering": {"start_logits": "start_logits", "end_logits": "end_logits"},
}


def outputs_there(model, name: str) -> dict[str, np.ndarray]:
    """What a model of transformers computes of the batch, under the names here."""
    import torch

    batch = {key: torch.tensor(value).long() for key, value in inputs(name).items()}
    with torch.no_grad():
        outputs = model(
            input_ids=batch["input_ids"],
            attention_mask=batch["input_mask"],
            token_type_ids=batch["segment_ids"],
        )
    return {ours: outputs[theirs].numpy() for ours, theirs in OUTPUTS[name].items()}
