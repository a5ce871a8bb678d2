"""A BERT that gives one vector for a sentence (Sentence-BERT, arXiv:1908.10084, section 3)."""

from collections.abc import Sequence

import keras

from bert_keras.layers.sentence_pooling import SentencePooling


def sentence_encoder(
    encoder: keras.Model, modes: Sequence[str] = ("mean",), normalize: bool = False
) -> keras.Model:
    """An encoder with the vector of the whole text beside what it gives already.

    The model shares layers and weights with `encoder`, `bert` or `unpooled_bert`, and takes its
    inputs. Its outputs are those of `encoder`, and `sentence_embedding` [B, H * number of modes],
    float32. `modes` and `normalize` are those of `SentencePooling`.
    """
    outputs = encoder.output
    pooling = SentencePooling(modes, normalize, name="sentence_pooling")
    embedding = pooling(outputs["sequence_output"], encoder.input["input_mask"])
    return keras.Model(
        encoder.input, {**outputs, "sentence_embedding": embedding}, name="sentence_encoder"
    )
