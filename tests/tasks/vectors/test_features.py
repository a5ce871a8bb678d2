import numpy as np

from bert_keras.config import BertConfig
from bert_keras.tasks.vectors.features import Features
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "b"]
TOKENIZER = WordPieceTokenizer({word: index for index, word in enumerate(WORDS)})


def test_each_token_has_its_vector_and_padding_none():
    task = Features()
    encoded = task.encode(["b", ""], TOKENIZER)
    padded = np.arange(16, dtype=np.float32).reshape(2, 4, 2)
    one, nothing = task.decode(encoded, {"sequence_output": list(padded)}, BertConfig.base())
    assert one.tokens == ["[CLS]", "b", "[SEP]"]
    assert one.features.tolist() == padded[0, :3].tolist()
    assert (nothing.tokens, nothing.features.shape) == (["[CLS]", "[SEP]"], (2, 2))
