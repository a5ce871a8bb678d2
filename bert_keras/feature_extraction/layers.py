"""The layers that features are taken from."""

from collections.abc import Sequence

import keras

from bert_keras.errors import InputError
from bert_keras.models.bert import hidden_states


def layer_numbers(words: Sequence[str], num_layers: int) -> list[int]:
    """What --layers names, checked against the layers of the model.

    As in the original 0 is the first layer and -1 the last one. One below the first, for twelve
    layers -13, are the embeddings.

    Raises:
        InputError: a word is no number, one of no layer, or there twice; or there is none.
    """
    allowed = range(-num_layers - 1, num_layers)
    numbers = [int(word) if _is_integer(word) else None for word in words]
    if not numbers or any(number not in allowed for number in numbers):
        raise InputError(
            f"--layers must be numbers from {allowed[0]} (the embeddings) and {allowed[1]} (the "
            f"first layer) to -1 (the last one), or from 0 (the first) to {allowed[-1]}. "
            f"Received: {','.join(words) or 'none'}"
        )
    if len({_place(number) % (num_layers + 1) for number in numbers}) < len(numbers):
        raise InputError(f"--layers must name each layer once. Received: {','.join(words)}")
    return numbers


def layer_outputs(encoder: keras.Model, numbers: Sequence[int]) -> keras.Model:
    """The model of an encoder's inputs with the output `features` [B, T, L, H]: of L layers.

    Layers above the highest of them are not computed.
    """
    states = hidden_states(encoder)
    chosen = [states[_place(number)] for number in numbers]
    return keras.Model(encoder.input, {"features": keras.ops.stack(chosen, axis=2)})


def _place(number: int) -> int:
    """Where a layer stands in `hidden_states`, which begins with the embeddings."""
    return number + 1 if number >= 0 else number


def _is_integer(word: str) -> bool:
    return word.strip().removeprefix("-").isdecimal()
