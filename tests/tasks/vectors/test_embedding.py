import numpy as np

from bert_keras.config import BertConfig
from bert_keras.tasks.vectors.embedding import Embedding
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "b"]
TOKENIZER = WordPieceTokenizer({word: index for index, word in enumerate(WORDS)})


def test_each_input_has_its_vector():
    task = Embedding(max_seq_length=5)
    encoded = task.encode(["a a b", ("a", "b")], TOKENIZER)
    rows = [row.tolist() for row in encoded.examples.tokens["input_ids"]]
    assert rows == [[2, 4, 4, 5, 3], [2, 4, 3, 5, 3]]
    vectors = np.arange(6, dtype=np.float32).reshape(2, 3)
    answers = task.decode(encoded, {"sentence_embedding": list(vectors)}, BertConfig.base())
    assert [one.embedding.tolist() for one in answers] == vectors.tolist()
