"""Pairs of texts against the plain version of the step and the rules."""

import random

import pytest

from experiments import plain_data_creation
from tfrecord_tools.record_settings import MIN_SEQ_LENGTH
from tfrecord_tools.single_stream.instances import (
    Pairing,
    create_instances,
    document_instances,
    truncate_pair,
)
from tfrecord_tools.single_stream.static_masking import StaticMasking

MASKING = StaticMasking(
    mask_id=4, vocabulary_ids=range(10, 99), masked_lm_prob=0.15, max_predictions_per_seq=20
)


def pairing(max_seq_length, short_seq_prob=0.1):
    return Pairing(max_seq_length, short_seq_prob, cls_id=2, sep_id=3)


def random_documents(rng, num_documents):
    return [
        [
            [rng.randint(10, 99) for _ in range(rng.randint(1, 40))]
            for _ in range(rng.randint(1, 12))
        ]
        for _ in range(num_documents)
    ]


@pytest.mark.parametrize("lengths", [(1, 1), (2, 1), (50, 3), (3, 50), (40, 40), (1, 90)])
@pytest.mark.parametrize("max_num_tokens", [2, 3, 20])
def test_truncation_draws_and_cuts_as_the_plain_version(lengths, max_num_tokens):
    for seed in range(5):
        text_a, text_b = list(range(lengths[0])), list(range(100, 100 + lengths[1]))
        rng, reference = random.Random(seed), random.Random(seed)
        ours = truncate_pair(text_a, text_b, max_num_tokens, rng)
        plain_data_creation.truncate(text_a, text_b, max_num_tokens, reference)
        assert ours == (text_a, text_b)
        assert rng.getstate() == reference.getstate()
        assert len(text_a) >= 1
        assert len(text_b) >= 1


@pytest.mark.parametrize("max_seq_length", [MIN_SEQ_LENGTH, 6, 16, 64])
@pytest.mark.parametrize("short_seq_prob", [0.0, 1.0])
def test_every_pair_fits_and_has_two_texts(max_seq_length, short_seq_prob):
    rng = random.Random(3)
    documents = random_documents(rng, 6)
    settings = pairing(max_seq_length, short_seq_prob)
    for instances in create_instances(documents, 2, settings, MASKING, rng):
        for instance in instances:
            assert 5 <= len(instance.tokens) <= max_seq_length
            assert 3 <= instance.segment_b_start < len(instance.tokens) - 1
            assert instance.tokens[0] == 2
            assert instance.tokens[instance.segment_b_start - 1] == 3
            assert instance.tokens[-1] == 3


def test_documents_are_left_in_their_order():
    documents = random_documents(random.Random(1), 9)
    copy = [[list(sentence) for sentence in document] for document in documents]
    rounds = list(create_instances(documents, 3, pairing(32), MASKING, random.Random(1)))
    assert documents == copy
    assert len(rounds) == 27


def test_an_over_long_sentence_gives_one_pair_and_its_loss_is_counted():
    documents = [[list(range(100, 200))], [[11, 12]]]
    [instance] = document_instances(documents, 0, pairing(16, 0.0), MASKING, random.Random(0))
    assert len(instance.tokens) == 16
    assert instance.is_random_next
    assert instance.num_dropped_tokens == 100 + 2 - 13


@pytest.mark.parametrize("num_documents", [2, 3, 10])
def test_random_text_comes_from_another_document(num_documents):
    documents = [[[100 * number + i] for i in range(6)] for number in range(num_documents)]
    rounds = create_instances(documents, 400, pairing(16, 0.5), MASKING, random.Random(0))
    labels = set()
    for instance in (instance for instances in rounds for instance in instances):
        tokens = instance.tokens.copy()
        for position, label in zip(
            instance.masked_lm_positions, instance.masked_lm_ids, strict=True
        ):
            tokens[position] = label
        is_other = tokens[1] // 100 != tokens[instance.segment_b_start] // 100
        assert is_other == instance.is_random_next
        labels.add(is_other)
    assert labels == {True, False}
