"""Layers: one idea, one Keras layer, one file.

Their variables are named as in the checkpoints of google-research/bert, so that a variable's path
(`layer_0/attention/self/query/kernel`) is its name there.

Letters in shape comments:

    B  batch size                       N  attention heads
    T  positions of a sequence          D  width of one head, H / N
    H  hidden size                      I  intermediate size of the feed-forward part
    P  masked positions to predict      V  vocabulary size
    R  rows of a matrix, B * P          L  outputs of a head, such as labels
    Q  positions that attend to all T, or to those a mask leaves
"""
