"""How fast a training step is, as a share of what the machine's own matrix products reach.

Claim: a step spends three quarters (BERT-Base) of the time that these would need for its
arithmetic.
"""

import resource

from experiments import machine

# name of a row -> released size, batch size, length
TRAINING_ROWS = {
    "mini_32x128": ("mini", 32, 128),
    "base_8x128": ("base", 8, 128),
    "base_2x512": ("base", 2, 512),
}


def training_step(row: str, num_steps: int) -> dict[str, float]:
    """The step of the programs, optimizer included, dropout on."""
    from bert_keras.config import BertConfig
    from bert_keras.models.pretrainer import pretrainer
    from bert_keras.objectives.pretraining import LOSSES, pretraining
    from bert_keras.optimizers.adam_weight_decay import AdamWeightDecay
    from bert_keras.optimizers.schedules import WarmupPolynomialDecay
    from bert_keras.training import loop
    from bert_keras.training.devices import DeviceSettings
    from bert_keras.training.strategy import strategy_for

    size, batch_size, length = TRAINING_ROWS[row]
    config = BertConfig.named(size)
    model = pretrainer(config)
    optimizer = AdamWeightDecay(WarmupPolynomialDecay(1e-4, 10_000, 100))
    optimizer.build(model.trainable_variables)
    step = loop.compile_train_step(
        strategy_for(DeviceSettings()), model, pretraining, LOSSES, optimizer
    )
    batch = random_batch(config, batch_size, length)
    return _time_steps(
        lambda: float(step(batch).gradient_norm), config, batch_size, length, num_steps
    )


def peer_step(row: str, num_steps: int) -> dict[str, float]:
    """KerasHub's masked-LM training step at the same size: it has no next-sentence head."""
    import keras
    import keras_hub

    from bert_keras.config import BertConfig

    size, batch_size, length = TRAINING_ROWS[row]
    config = BertConfig.named(size)
    backbone = keras_hub.models.BertBackbone(
        vocabulary_size=config.vocab_size,
        num_layers=config.num_hidden_layers,
        num_heads=config.num_attention_heads,
        hidden_dim=config.hidden_size,
        intermediate_dim=config.intermediate_size,
        max_sequence_length=config.max_position_embeddings,
    )
    model = keras_hub.models.BertMaskedLM(backbone, preprocessor=None)
    model.compile(
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        optimizer=keras.optimizers.AdamW(1e-4, weight_decay=0.01, global_clipnorm=1.0),
    )
    batch = random_batch(config, batch_size, length)
    inputs = {
        "token_ids": batch["input_ids"],
        "padding_mask": batch["input_mask"],
        "segment_ids": batch["segment_ids"],
        "mask_positions": batch["masked_lm_positions"],
    }
    return _time_steps(
        lambda: model.train_on_batch(inputs, batch["masked_lm_ids"]),
        config,
        batch_size,
        length,
        num_steps,
    )


def random_batch(config, batch_size: int, length: int) -> dict:
    """Random features; 20 predictions for each 128 positions, as the paper's 15 %."""
    import numpy as np
    import tensorflow as tf

    rng = np.random.default_rng(0)
    predictions = (batch_size, _num_predictions(length))
    integers = {
        "input_ids": rng.integers(config.vocab_size, size=(batch_size, length)),
        "input_mask": np.ones((batch_size, length)),
        "segment_ids": rng.integers(2, size=(batch_size, length)),
        "masked_lm_positions": np.sort(rng.integers(length, size=predictions)),
        "masked_lm_ids": rng.integers(config.vocab_size, size=predictions),
        "next_sentence_labels": rng.integers(2, size=(batch_size, 1)),
    }
    batch = {name: tf.constant(value, tf.int32) for name, value in integers.items()}
    return batch | {"masked_lm_weights": tf.ones(predictions)}


def _num_predictions(length: int) -> int:
    return 20 * length // 128


def _time_steps(take_step, config, batch_size, length, num_steps) -> dict[str, float]:
    from bert_keras.pretraining.estimates import step_flops

    for _ in range(3):
        take_step()
    ceiling = matmul_flops_per_second()
    seconds = min(machine.seconds(take_step) for _ in range(num_steps))
    ceiling = max(ceiling, matmul_flops_per_second())
    flops = step_flops(config, batch_size, length, _num_predictions(length))
    return {
        "seconds": seconds,
        "examples_per_second": batch_size / seconds,
        "share_of_matmul_ceiling": flops / seconds / ceiling,
        "ceiling_gflops": ceiling / 1e9,
        "peak_memory_gb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,
    }


def matmul_flops_per_second() -> float:
    """The machine's ceiling: best of 10 products of 1024 x 768 x 3072 in float32."""
    import tensorflow as tf

    left, right = tf.random.normal([1024, 768]), tf.random.normal([768, 3072])
    product = tf.function(tf.matmul)
    product(left, right)
    return (
        2
        * 1024
        * 768
        * 3072
        / min(machine.seconds(lambda: product(left, right)) for _ in range(10))
    )
