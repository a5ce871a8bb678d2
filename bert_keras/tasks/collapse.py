"""A model that answers always the same: small data sets and high learning rates make it so."""

from bert_keras.notices import notify


def notify_collapse(num_predictions: int, answer: str) -> None:
    """Says that a model gives every example the same answer, and what may help."""
    notify(
        f"the model has collapsed: all {num_predictions} predictions are {answer}, the answers are "
        "not. Another --random_seed, a lower --learning_rate or more epochs may help."
    )
