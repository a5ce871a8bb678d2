"""Batches as Keras' `fit`, `evaluate` and `predict` take them."""

from collections.abc import Mapping

import tensorflow as tf

from bert_keras.data.encoded import INPUTS
from bert_keras.errors import InputError


@tf.autograph.experimental.do_not_convert  # so that an error stays what it is
def for_fit(
    features: Mapping[str, tf.Tensor],
) -> tuple[dict[str, tf.Tensor], dict[str, tf.Tensor], dict[str, tf.Tensor]]:
    """A batch of examples with labels -> inputs, labels and weights of the output `logits`.

    For `length_batches(...).map(for_fit)`. Rows that fill up the last batch have the weight 0.

    Args:
        features: the inputs of a model, `label_ids` [B, ...] and `example_weights` [B].

    Raises:
        InputError: there are no labels.
    """
    if "label_ids" not in features:
        raise InputError(
            "Keras' fit needs labels: encode(…, values={'label_ids': …}). Received: examples with "
            f"{', '.join(features)}. New texts are answered by bert_keras.serving.Predictor."
        )
    inputs = {name: features[name] for name in INPUTS}
    return inputs, {"logits": features["label_ids"]}, {"logits": features["example_weights"]}
