"""A tagger on vectors that somebody else computed: two BiLSTM layers and a classifier.

Part of `feature_based_tagging.py` (Devlin et al. 2018, section 5.3).
"""

from collections.abc import Callable, Sequence

import keras
import numpy as np

NUM_LSTM_LAYERS = 2

# The vectors of a sentence, float32 [words, layers, width].
Vectors = np.ndarray


class WeightedSum(keras.layers.Layer):
    """[B, T, L, H] -> [B, T, H]: the layers, weighted by a softmax of L numbers that are learned.

    Peters et al. 2018 (arXiv:1802.05365), equation 1. At first it is their mean.
    """

    def build(self, vectors_shape):
        self.scores = self.add_weight(name="scores", shape=(vectors_shape[2],), initializer="zeros")

    def call(self, vectors):
        return keras.ops.einsum("btlh,l->bth", vectors, keras.ops.softmax(self.scores))


class Concatenation(keras.layers.Layer):
    """[B, T, L, H] -> [B, T, L * H]"""

    def call(self, vectors):
        _, _, num_layers, width = vectors.shape
        return keras.ops.reshape(vectors, [*keras.ops.shape(vectors)[:2], num_layers * width])


def tagger(
    layers_and_width: tuple[int, int],
    combine: Callable[[], keras.layers.Layer],
    num_labels: int,
    num_units: int,
) -> keras.Model:
    """`vectors` [B, T, L, H] and `mask` bool [B, T] -> logits [B, T, labels].

    Args:
        layers_and_width: L and H.
        combine: makes the layer that makes one vector of L.
        num_labels: of them.
        num_units: of an LSTM, of which each direction has one.
    """
    vectors = keras.Input([None, *layers_and_width], name="vectors")
    mask = keras.Input([None], dtype="bool", name="mask")
    hidden = combine()(vectors)
    for _ in range(NUM_LSTM_LAYERS):
        lstm = keras.layers.LSTM(num_units, return_sequences=True)
        hidden = keras.layers.Bidirectional(lstm)(hidden, mask=mask)
    return keras.Model({"vectors": vectors, "mask": mask}, keras.layers.Dense(num_labels)(hidden))


class Batches(keras.utils.PyDataset):
    """Sentences of about the same length, padded; the batches come in a new order in each epoch.

    Args:
        vectors: of each sentence.
        label_ids: of each sentence, int [words].
        batch_size: sentences of a batch.
        seed: of the order.
    """

    def __init__(
        self,
        vectors: Sequence[Vectors],
        label_ids: Sequence[np.ndarray],
        batch_size: int,
        seed: int,
    ):
        super().__init__()
        self._vectors, self._label_ids = vectors, label_ids
        self._batches = batches_of(vectors, batch_size)
        self._random = np.random.default_rng(seed)
        self.on_epoch_end()

    def __len__(self):
        return len(self._batches)

    def __getitem__(self, index):
        batch = self._batches[self._order[index]]
        inputs = inputs_of([self._vectors[sentence] for sentence in batch])
        labels = padded([self._label_ids[sentence] for sentence in batch])
        return inputs, labels, inputs["mask"].astype(np.float32)

    def on_epoch_end(self):
        self._order = self._random.permutation(len(self._batches))


def train(model: keras.Model, batches: Batches, num_epochs: int, learning_rate: float) -> None:
    """Minimizes the mean cross entropy of the words of a batch."""
    loss = keras.losses.SparseCategoricalCrossentropy(
        from_logits=True, reduction="mean_with_sample_weight"
    )
    model.compile(keras.optimizers.Adam(learning_rate), loss)
    model.fit(batches, epochs=num_epochs, shuffle=False, verbose=0)


def predict(model: keras.Model, vectors: Sequence[Vectors], batch_size: int) -> list[np.ndarray]:
    """The most likely label of each word of each sentence."""
    found = [np.zeros(0, np.int64)] * len(vectors)
    for batch in batches_of(vectors, batch_size):
        logits = model.predict_on_batch(inputs_of([vectors[sentence] for sentence in batch]))
        for sentence, row in zip(batch, logits, strict=True):
            found[sentence] = row[: len(vectors[sentence])].argmax(axis=-1)
    return found


def batches_of(vectors: Sequence[Vectors], batch_size: int) -> list[np.ndarray]:
    """Which sentences make a batch, the short ones first."""
    order = np.argsort([len(sentence) for sentence in vectors], kind="stable")
    return [order[start : start + batch_size] for start in range(0, len(order), batch_size)]


def inputs_of(vectors: Sequence[Vectors]) -> dict[str, np.ndarray]:
    mask = padded([np.ones(len(sentence), bool) for sentence in vectors])
    return {"vectors": padded(vectors), "mask": mask}


def padded(rows: Sequence[np.ndarray]) -> np.ndarray:
    """[T_i, ...] each -> [B, T, ...], zeros after the end of a row."""
    values = np.zeros((len(rows), max(map(len, rows)), *rows[0].shape[1:]), rows[0].dtype)
    for value, row in zip(values, rows, strict=True):
        value[: len(row)] = row
    return values
