"""What the flags of `run_conversion` change on the way: vocabulary, positions, layers."""

import re
from collections.abc import Iterable
from typing import Any

from bert_keras.checkpoints.names import LAYERS, is_state
from bert_keras.checkpoints.stored_model import StoredModel
from bert_keras.checkpoints.surgery.layers import keep_layers
from bert_keras.checkpoints.surgery.positions import extend_positions
from bert_keras.checkpoints.surgery.vocabulary import change_vocabulary
from bert_keras.errors import InputError
from bert_keras.notices import notify
from bert_keras.tokenizers.vocabulary import check_case
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer


def changed(stored: StoredModel, settings: Any) -> StoredModel:
    """The model with the vocabulary, the positions and the layers that the settings ask for.

    Raises:
        InputError: it cannot have them.
    """
    if settings.new_vocab_file:
        tokenizer = _new_tokenizer(stored.tokenizer, settings)
        stored = change_vocabulary(stored, tokenizer, settings.new_rows, settings.random_seed)
    if settings.max_position_embeddings:
        notify(
            f"max_position_embeddings: {stored.config.max_position_embeddings} -> "
            f"{settings.max_position_embeddings}"
        )
        stored = extend_positions(stored, settings.max_position_embeddings, settings.new_positions)
    if settings.keep_layers:
        stored = keep_layers(stored, _layer_numbers(settings.keep_layers))
    return stored


def dropped(stored: StoredModel, settings: Any) -> list[str]:
    """The names of a model's weights whose values are not in the changed one."""
    names = list(stored.weights.shapes)
    is_changed = settings.new_vocab_file or settings.max_position_embeddings or settings.keep_layers
    gone = [name for name in names if is_changed and is_state(name)]
    if settings.keep_layers:
        kept = tuple(f"{LAYERS}_{number}/" for number in _layer_numbers(settings.keep_layers))
        of_layers = [name for name in names if name.startswith(f"{LAYERS}_")]
        gone += [name for name in of_layers if not name.startswith(kept) and name not in gone]
    return gone


def names_before(names: Iterable[str], settings: Any) -> set[str]:
    """The names in the input of weights of the changed model, whose layers are numbered anew."""
    kept = _layer_numbers(settings.keep_layers)

    def old_number(match):
        return f"{LAYERS}_{kept[int(match[1])]}/"

    pattern = re.compile(rf"{LAYERS}_([0-9]+)/")
    return {pattern.sub(old_number, name) for name in names} if kept else {*names}


def _new_tokenizer(old: WordPieceTokenizer | None, settings: Any) -> WordPieceTokenizer:
    """That of the new vocabulary, which splits text as the old one does if nothing else is said."""
    do_lower_case, strip_accents = settings.new_do_lower_case, None
    if do_lower_case is None and old is not None:
        do_lower_case, strip_accents = old.do_lower_case, old.strip_accents
    tokenizer = WordPieceTokenizer(settings.new_vocab_file, do_lower_case, strip_accents)
    try:
        check_case(tokenizer.do_lower_case, tokenizer.vocab)
    except InputError as error:
        message = str(error).replace("--do_lower_case", "--new_do_lower_case")
        raise InputError(f"{settings.new_vocab_file}: {message}") from error
    return tokenizer


def _layer_numbers(words: list[str]) -> list[int]:
    if not all(re.fullmatch(r"\s*[0-9]{1,9}\s*", word) for word in words):
        raise InputError(
            "--keep_layers must be numbers of layers from 0, such as 0,2,4. "
            f"Received: {','.join(words)}"
        )
    return [int(word) for word in words]
