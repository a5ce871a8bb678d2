"""What becomes of the training loop on a TPU, as far as a machine without one can tell.

The loop is traced under a strategy for a TPU that is only described, and TensorFlow's first
compiler stage for TPUs (its clustering bridge) parts the trace into what the cores do and what the
host does. The stages behind it run in `experiments/compile_for_tpu.py`.
"""

import collections
import functools
import re
from typing import NamedTuple

import keras
import pytest
import tensorflow as tf

from bert_keras.config import BertConfig
from bert_keras.layers.block import TransformerBlock
from bert_keras.layers.rematerialized import RematerializedBlock
from bert_keras.models.pretrainer import pretrainer
from bert_keras.objectives.pretraining import LOSSES, pretraining
from bert_keras.optimizers.adam_weight_decay import AdamWeightDecay
from bert_keras.optimizers.lamb import Lamb
from bert_keras.training import loop, step
from bert_keras.training.batches import evaluation_batches, training_batches
from bert_keras.training.stop import StopRequest
from experiments.compile_for_tpu import Row, features_of
from tests.run_pretraining.inputs import CONFIG, MAX_PREDICTIONS_PER_SEQ, MAX_SEQ_LENGTH
from tests.training.described_tpu import described_tpu_strategy

ROWS_PER_CORE = 2
FIRST_STAGE = "tf-replicated-clustering-bridge-v2"
# What a step adds up at once to divide by it, and what it reports: totals and counts of two losses
# and two accuracies, and how many were asked to stop.
COUNTS, REPORT = (2,), (9,)
# Step number and gradient norm: one number each, taken from the first core.
NUM_TAKEN_FROM_FIRST_CORE = 2
# What the host may do in a step: hand over the next rows of each core, name the variables, and
# collect the reports.
OPS_OF_HOST = {
    "AssignVariableOp",
    "Const",
    "Identity",
    "IteratorGetNext",
    "ReadVariableOp",
    "TPUCompilationResult",
}
OPS_OF_HOST_LOOP = OPS_OF_HOST | {
    "AddV2",
    "Cast",
    "Less",
    "Pack",
    "TensorListReserve",
    "TensorListSetItem",
    "TensorListStack",
    "Unpack",
    "WhileRegion",
    "Yield",
}


class Compiled(NamedTuple):
    """What the first stage made of a function: text of MLIR."""

    host: str
    cores: str

    @property
    def num_computations(self) -> int:
        """How many computations the host starts on the cores."""
        return self.host.count('"tf_device.cluster_func"')

    @property
    def num_calls_of_host(self) -> int:
        """How often such a computation is interrupted by one of the host."""
        return self.host.count('"tf_device.launch"')


@pytest.fixture(autouse=True)
def unsupported_ops_go_to_the_host():
    """Otherwise TensorFlow refuses them at once, which would hide how many there are."""
    before = tf.config.get_soft_device_placement()
    tf.config.set_soft_device_placement(True)
    yield
    tf.config.set_soft_device_placement(before)


@functools.cache
def trained_on(num_cores):
    """A strategy, and a model and its optimizer under it."""
    strategy = described_tpu_strategy(num_cores)
    with strategy.scope():
        model = pretrainer(BertConfig(**CONFIG))
        optimizer = AdamWeightDecay(1e-4)
        optimizer.build(model.trainable_variables)
    return strategy, model, optimizer


def examples(num_rows):
    row = Row("", "", num_rows, MAX_SEQ_LENGTH, MAX_PREDICTIONS_PER_SEQ)
    return tf.data.Dataset.from_tensors(features_of(row))  # never read, so one batch will do


def batches_of(strategy, distributed):
    batch_size = strategy.num_replicas_in_sync * ROWS_PER_CORE
    return iter(distributed(strategy, lambda **_: examples(batch_size), batch_size))


def first_stage(function) -> Compiled:
    """Traces a function without arguments and compiles it as far as no TPU is needed."""
    concrete = tf.function(function, autograph=False).get_concrete_function()
    text = tf.mlir.experimental.convert_function(concrete, pass_pipeline=FIRST_STAGE)
    host, _, cores = text.partition("func.func private")
    return Compiled(host, cores)


def operations(text):
    return collections.Counter(re.findall(r'"tf\.(\w+)"', text))


def shapes_of_sums(text):
    """How many sums over all cores there are of each shape."""
    found = re.findall(r'"tf\.CrossReplicaSum".* -> tensor<([0-9x]*)f32>', text)
    return collections.Counter(
        tuple(int(size) for size in shape.split("x") if size) for shape in found
    )


clipping_on_each_core = functools.partial(AdamWeightDecay, clipping="replica")


@functools.cache
def loop_of(num_cores):
    """A step of the training, and the batches for it."""
    strategy, model, optimizer = trained_on(num_cores)
    run = loop.compile_train_step(strategy, model, pretraining, LOSSES, optimizer)
    return run, batches_of(strategy, training_batches)


@functools.cache
def training_step(num_cores):
    run, batches = loop_of(num_cores)

    def one_step():
        return run(next(batches), tf.constant(0.0))

    return first_stage(one_step)


@pytest.mark.parametrize("num_cores", [2, pytest.param(8, marks=pytest.mark.slow)])
def test_each_gradient_is_summed_once(num_cores):
    _, model, _ = trained_on(num_cores)
    gradients = collections.Counter(tuple(weight.shape) for weight in model.trainable_variables)
    compiled = training_step(num_cores)
    assert shapes_of_sums(compiled.cores) == gradients + collections.Counter([COUNTS, REPORT])
    assert operations(compiled.cores)["AllToAll"] == NUM_TAKEN_FROM_FIRST_CORE


def test_a_step_is_one_computation_of_the_cores():
    compiled = training_step(2)
    assert (compiled.num_computations, compiled.num_calls_of_host) == (1, 0)
    assert set(operations(compiled.host)) <= OPS_OF_HOST


@pytest.mark.slow
@pytest.mark.parametrize(
    "block, make_optimizer, gradients_of, num_more_sums",
    [
        (TransformerBlock, AdamWeightDecay, step.accumulated(step.gradients, 2), 0),
        (TransformerBlock, AdamWeightDecay, step.compiled(step.gradients), 0),
        (RematerializedBlock, AdamWeightDecay, step.gradients, 0),
        (TransformerBlock, Lamb, step.gradients, 0),
        # The norm that is reported is the mean of those of all cores.
        (TransformerBlock, clipping_on_each_core, step.gradients, 1),
    ],
    ids=["accumulated", "compiled", "rematerialized", "lamb", "replica"],
)
@pytest.mark.parametrize("precision", ["float32", "mixed_bfloat16"])
def test_so_it_is_with_every_flag(block, make_optimizer, gradients_of, num_more_sums, precision):
    strategy = described_tpu_strategy(2)
    before = keras.config.dtype_policy()
    keras.config.set_dtype_policy(precision)
    with strategy.scope():
        model = pretrainer(BertConfig(**CONFIG), block=block)
        optimizer = make_optimizer(1e-4)
        optimizer.build(model.trainable_variables)
    keras.config.set_dtype_policy(before)
    run = loop.compile_train_step(
        strategy, model, pretraining, LOSSES, optimizer, gradients_of=gradients_of
    )
    batches = batches_of(strategy, training_batches)

    def one_step():
        return run(next(batches), tf.constant(0.0))

    compiled = first_stage(one_step)
    assert (compiled.num_computations, compiled.num_calls_of_host) == (1, 0)
    num_sums = len(model.trainable_variables) + len((COUNTS, REPORT)) + num_more_sums
    assert operations(compiled.cores)["CrossReplicaSum"] == num_sums


def test_several_steps_need_the_host_for_their_batches_only():
    take = loop.in_graph(*loop_of(2), StopRequest())

    def three_steps():
        return take(3)

    compiled = first_stage(three_steps)
    assert (compiled.num_computations, compiled.num_calls_of_host) == (1, 0)
    assert operations(compiled.host)["WhileRegion"] == 1
    assert set(operations(compiled.host)) <= OPS_OF_HOST_LOOP


def test_an_evaluation_step_sums_its_report_and_nothing_else():
    strategy, model, _ = trained_on(2)
    run = loop.compile_evaluation_step(strategy, model, pretraining)
    batches = batches_of(strategy, evaluation_batches)

    def one_step():
        return run(next(batches), tf.constant(0.0))

    compiled = first_stage(one_step)
    assert (compiled.num_computations, compiled.num_calls_of_host) == (1, 0)
    assert shapes_of_sums(compiled.cores) == {REPORT: 1}


def test_a_call_of_the_host_would_be_seen():
    strategy, _, _ = trained_on(2)

    def shown(number):
        tf.print(number)
        return number + 1.0

    def one_step():
        return strategy.run(shown, (tf.constant(1.0),))

    assert first_stage(one_step).num_calls_of_host == 1


def test_the_rows_of_a_core_have_one_shape():
    strategy, _, _ = trained_on(2)
    for distributed in (training_batches, evaluation_batches):
        spec = batches_of(strategy, distributed).element_spec
        for feature in tf.nest.flatten(spec, expand_composites=True):
            assert feature.shape.is_fully_defined() and feature.shape[0] == ROWS_PER_CORE
