"""Live checks: each fault is named once."""

from bert_keras.training import watch

USUAL = {
    "loss": 7.0,
    "masked_lm_loss": 6.4,
    "masked_lm_accuracy": 0.1,
    "next_sentence_accuracy": 0.6,
    "gradient_norm": 2.0,
    "learning_rate": 1e-4,
}


def said(check, reports):
    """What a check says of reports of (step, values that differ from the usual): step -> words."""
    sentences = {step: check(step, USUAL | values) for step, values in reports}
    return {step: sentence for step, sentence in sentences.items() if sentence}


def test_a_learning_rate_of_0():
    """It is 0 in the first step of a warm-up, and may be in the last step."""
    zero = {"learning_rate": 0.0}
    check = watch.ZeroLearningRate(num_train_steps=100)
    assert not said(check, [(1, zero), (50, {}), (100, zero)])
    assert list(said(check, [(98, zero), (99, zero)])) == [98]


def test_a_spike_of_the_gradient():
    reports = [(step, {"gradient_norm": 2.0 + step % 3}) for step in range(1, 21)]
    reports += [(21, {"gradient_norm": 29.0}), (22, {"gradient_norm": 31.0})]
    sentences = said(watch.GradientSpike(), reports)
    assert list(sentences) == [22]  # the median is 3
    assert "gradient_norm is 31, usually 3 " in sentences[22]


def test_spikes_are_named_once_in_a_long_while():
    reports = [(step, {"gradient_norm": 100.0 if step % 10 == 0 else 2.0}) for step in range(300)]
    assert list(said(watch.GradientSpike(), reports)) == [10, 120, 230]


def test_gradients_that_are_not_clipped_are_no_spikes():
    reports = [(step, {"gradient_norm": 1e-3}) for step in range(9)]
    assert not said(watch.GradientSpike(), [*reports, (9, {"gradient_norm": 0.5})])


def test_a_loss_that_does_not_move():
    still = [(step, {"loss": 7.0 + 1e-5 * (step % 2)}) for step in range(1, 20)]
    sentences = said(watch.StillLoss(), still)
    assert list(sentences) == [10]
    assert "loss has been 7 in the last 10 reports" in sentences[10]
    moving = [(step, {"loss": 7.0 - 1e-3 * step}) for step in range(1, 20)]
    assert not said(watch.StillLoss(), moving)
