"""What a run leaves in memory."""

import tensorflow as tf

from bert_keras.training.memory import freed_variables


def num_values(variable):
    value = tf.raw_ops.ReadVariableOp(resource=variable.handle, dtype=variable.dtype)
    return int(tf.size(value))


def test_variables_of_a_run_hold_nothing_after_it_and_others_what_they_held():
    before = tf.Variable(tf.ones([7]))
    with freed_variables():
        within = tf.Variable(tf.ones([1000]))
        counter = tf.Variable(3, dtype=tf.int64)
    assert (num_values(within), num_values(counter)) == (0, 0)
    assert before.numpy().sum() == 7
