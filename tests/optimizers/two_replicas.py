"""Prints what a step does with the gradients of two replicas, as JSON; `test_clipped.py` runs it.

It is a program because logical devices are made before TensorFlow starts.
"""

import json

import keras
import tensorflow as tf

from bert_keras.optimizers.adam_weight_decay import AdamWeightDecay
from bert_keras.optimizers.lamb import Lamb


def one_each(first, second):
    """Replica 0 has a gradient of the first variable, replica 1 of the second."""
    return lambda replica: [
        tf.gather([[first], [0.0]], replica),
        tf.gather([[0.0], [second]], replica),
    ]


def rows(replica):
    """Replica 0 has 1 for row 0 twice; replica 1 has 1 for row 0 and 1 for row 1."""
    indices = tf.gather([[0, 0], [0, 1]], replica)
    return [tf.IndexedSlices(tf.ones([2, 1]), indices, tf.constant([2, 1]))]


CASES = {
    "global": (AdamWeightDecay, {"clipping": "global"}, one_each(6.0, 8.0)),
    "replica": (AdamWeightDecay, {"clipping": "replica"}, one_each(6.0, 8.0)),
    "replica, below": (AdamWeightDecay, {"clipping": "replica"}, one_each(0.6, 0.8)),
    "replica, unclipped": (
        AdamWeightDecay,
        {"clipping": "replica", "clip_norm": None},
        one_each(6.0, 8.0),
    ),
    "global, infinite": (AdamWeightDecay, {"clipping": "global"}, one_each(6.0, float("inf"))),
    "replica, infinite": (AdamWeightDecay, {"clipping": "replica"}, one_each(6.0, float("inf"))),
    "global, rows": (AdamWeightDecay, {"clipping": "global"}, rows),
    "replica, rows": (AdamWeightDecay, {"clipping": "replica"}, rows),
    "lamb": (Lamb, {}, one_each(6.0, 8.0)),
}


def state_after_a_step(strategy, optimizer_class, options, gradients):
    """Norm, mean gradients m and weights: of each, the numbers that each replica holds."""
    with strategy.scope():
        variables = [
            keras.Variable(tf.fill(gradient.shape, 2.0), name=name)
            for name, gradient in zip("ab", gradients(0), strict=False)
        ]
        optimizer = optimizer_class(0.01, exclude_from_weight_decay=["a|b"], **options)
        optimizer.build(variables)

    @tf.function
    def step():
        replica = tf.distribute.get_replica_context().replica_id_in_sync_group
        optimizer.apply(gradients(replica), variables)

    strategy.run(step)

    def numbers(variable):
        components = strategy.experimental_local_results(variable.value)
        return [component.numpy().ravel().tolist() for component in components]

    return {
        "norm": numbers(optimizer.gradient_norm),
        "m": [numbers(slot) for slot in optimizer.adam_m],
        "weights": [numbers(variable) for variable in variables],
    }


def main():
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
    strategy = tf.distribute.MirroredStrategy(["cpu:0", "cpu:1"])
    print(json.dumps({name: state_after_a_step(strategy, *case) for name, case in CASES.items()}))


if __name__ == "__main__":
    main()
