"""Chains of elementwise operations as one pass over the memory, forward and backward, by XLA.

The products of a transformer are fast on every device; what lies between them is bound by the
memory. A chain that XLA compiles reads its inputs once and writes its output once, and the backward
chain computes the steps in between again instead of storing them.

A chain computes in float32 whatever the precision: it casts what it reads and writes, and biases,
gamma and beta come in float32.
"""

from collections.abc import Callable

import tensorflow as tf


def compiled(function: Callable) -> Callable:
    """Returns `function` for training: the same values and gradients, compiled.

    The inputs must be tensors; gradients flow to those of a floating type. Keyword arguments are
    Python constants. Inference takes `function` itself: an exported model then needs no compiler.
    """
    forward = tf.function(function, jit_compile=True, autograph=False)

    @tf.function(jit_compile=True, autograph=False)
    def backward(inputs, upstream, **constants):
        differentiable = [value for value in inputs if value.dtype.is_floating]
        with tf.GradientTape() as tape:
            tape.watch(differentiable)
            outputs = function(*inputs, **constants)
        return tape.gradient(outputs, differentiable, upstream)

    def call(*inputs, **constants):
        @tf.custom_gradient
        def run(*inputs):
            def gradient(upstream):
                gradients = iter(backward(inputs, upstream, **constants))
                return [next(gradients) if value.dtype.is_floating else None for value in inputs]

            return forward(*inputs, **constants), gradient

        return run(*inputs)

    return call
