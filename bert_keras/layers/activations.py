"""The activations of the original by the names that `hidden_act` gives them."""

import tensorflow as tf


def gelu(x):
    """Gaussian error linear unit (Hendrycks & Gimpel 2016), in the tanh form of the original."""
    return tf.nn.gelu(x, approximate=True)


ACTIVATIONS = {"gelu": gelu, "relu": tf.nn.relu, "tanh": tf.tanh, "linear": tf.identity}
