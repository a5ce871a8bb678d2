"""What the logits say: a probability for each choice, the accuracy, a table of predictions."""

from collections.abc import Sequence

import numpy as np

from bert_keras.tasks.multiple_choice.example import Example


def probabilities(nums_choices: Sequence[int], logits: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Logits [C] of each example, C at least the number of its choices -> softmax over these."""
    from scipy.special import softmax

    return [
        softmax(of_choices[:num_choices].astype(np.float64))
        for num_choices, of_choices in zip(nums_choices, logits, strict=True)
    ]


def accuracy(examples: Sequence[Example], logits: Sequence[np.ndarray]) -> float:
    """The share of examples whose right choice is the most probable, the metric of SWAG."""
    from sklearn.metrics import accuracy_score

    chosen = [np.argmax(probs) for probs in _probabilities(examples, logits)]
    return float(accuracy_score([example.label for example in examples], chosen))


def table(examples: Sequence[Example], logits: Sequence[np.ndarray]) -> str:
    """TSV: a header, and a row for each example, in their order.

    Its columns are the id, the probability of each choice (empty where an example has fewer), and
    the number of the most probable one, from 0.
    """
    num_choices = max(len(example.continuations) for example in examples)
    rows = [["id", *(f"probability_{index}" for index in range(num_choices)), "predicted_choice"]]
    for example, probs in zip(examples, _probabilities(examples, logits), strict=True):
        cells = [f"{probability:.7g}" for probability in probs]
        cells += [""] * (num_choices - len(probs))
        rows.append([example.id, *cells, str(np.argmax(probs))])
    return "".join("\t".join(row) + "\n" for row in rows)


def _probabilities(examples, logits) -> list[np.ndarray]:
    return probabilities([len(example.continuations) for example in examples], logits)
