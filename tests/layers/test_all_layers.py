"""What holds for every layer: it can be described and made again."""

import keras
import pytest

from bert_keras.config import BertConfig
from bert_keras.layers.attention import SelfAttention
from bert_keras.layers.block import Attention, TransformerBlock
from bert_keras.layers.choices import JoinChoices, SplitChoices
from bert_keras.layers.dense import Dense
from bert_keras.layers.dropout import Dropout
from bert_keras.layers.embeddings import Embeddings
from bert_keras.layers.first_position_block import FirstPositionBlock
from bert_keras.layers.intermediate import Intermediate
from bert_keras.layers.layer_norm import LayerNorm
from bert_keras.layers.masked_lm_head import MaskedLMHead, Transform
from bert_keras.layers.output_head import OutputHead
from bert_keras.layers.packed import PackedEmbeddings, PackedPooler
from bert_keras.layers.pooler import Pooler
from bert_keras.layers.rematerialized import RematerializedBlock
from bert_keras.layers.residual import ResidualOutput
from bert_keras.layers.sentence_pooling import SentencePooling

CONFIG = BertConfig.named("tiny", vocab_size=100)
LAYERS = [
    Attention(CONFIG, name="a"),
    Dense(7, 0.1, name="b"),
    Dropout(0.3, name="c"),
    Embeddings(CONFIG, name="d"),
    FirstPositionBlock(CONFIG, name="t"),
    Intermediate(5, "relu", 0.1, name="e"),
    JoinChoices(name="q"),
    LayerNorm(1e-5, name="f"),
    MaskedLMHead(CONFIG, name="g"),
    OutputHead(3, 0.1, name="h"),
    PackedEmbeddings(CONFIG, name="n"),
    PackedPooler(0.1, name="o"),
    Pooler(0.1, name="i"),
    RematerializedBlock(CONFIG, name="p"),
    ResidualOutput(0.3, 0.1, 1e-5, name="j"),
    SelfAttention(4, 0.3, 0.1, name="k"),
    SentencePooling(["max", "cls"], True, name="s"),
    SplitChoices(name="r"),
    TransformerBlock(CONFIG, name="l", dtype="mixed_bfloat16"),
    Transform(CONFIG, name="m"),
]


@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: type(layer).__name__)
def test_layer_is_made_again_from_its_config(layer):
    again = keras.saving.deserialize_keras_object(keras.saving.serialize_keras_object(layer))
    assert type(again) is type(layer)
    assert again.get_config() == layer.get_config()
