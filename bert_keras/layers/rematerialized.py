"""A block that trains in less memory (Chen et al. 2016, arXiv:1604.06174).

The backward pass computes the activations inside a block again, from its input; of the forward
pass only the inputs of the blocks are kept. A step takes a forward pass of the blocks longer.
"""

import keras
import tensorflow as tf

from bert_keras.layers.block import TransformerBlock
from bert_keras.layers.dropout import given_seeds


@keras.saving.register_keras_serializable("bert_keras")
class RematerializedBlock(TransformerBlock):
    """`TransformerBlock` with the same variables, masks, outputs and gradients."""

    def call(self, hidden, attention_mask, training=False):
        if not training:
            return super().call(hidden, attention_mask)
        dropouts = [dropout for dropout in self._dropouts() if dropout.rate > 0]
        # Drawn outside of what runs twice: a second run must neither draw other masks nor move
        # the seeds on.
        seeds = [dropout.next_seed() for dropout in dropouts]

        def run(hidden, *seeds):
            integers = [tf.cast(seed, tf.int32) for seed in seeds]
            with given_seeds(dict(zip(dropouts, integers, strict=True))):
                return super(RematerializedBlock, self).call(hidden, attention_mask, training=True)

        # The seeds are arguments because those are made to depend on the backward pass: otherwise
        # the optimizer of the graph finds the masks of both runs equal, and keeps the first ones
        # in memory. And they are numbers that gradients could flow to, for which no warning is
        # printed; float64 holds every int32.
        return keras.remat(run)(hidden, *(tf.cast(seed, tf.float64) for seed in seeds))

    def _dropouts(self):
        attention = self.attention
        return (
            attention.self_attention.dropout,
            attention.residual_output.dropout,
            self.residual_output.dropout,
        )
