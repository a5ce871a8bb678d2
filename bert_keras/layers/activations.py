"""Activations by the names that `hidden_act` gives them: the original's, and "gelu_erf".

Gaussian error linear unit: Hendrycks & Gimpel 2016, arXiv:1606.08415.
"""

import tensorflow as tf


def gelu(x):
    """The tanh form, `gelu` of google-research/bert and of its released models."""
    return tf.nn.gelu(x, approximate=True)


def gelu_erf(x):
    """The exact form, by the error function: what files of PyTorch models call "gelu"."""
    return tf.nn.gelu(x, approximate=False)


ACTIVATIONS = {
    "gelu": gelu,
    "gelu_erf": gelu_erf,
    "relu": tf.nn.relu,
    "tanh": tf.tanh,
    "linear": tf.identity,
}
