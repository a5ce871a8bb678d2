"""What the tests of checkpoints share."""

import pytest

from bert_keras.tokenizers.vocabulary import SPECIAL_TOKENS


@pytest.fixture
def vocab_file(tmp_path):
    tokens = [*SPECIAL_TOKENS, *(f"word{i}" for i in range(155))]
    path = tmp_path / "words.txt"
    path.write_text("\n".join(tokens) + "\n")
    return str(path)
