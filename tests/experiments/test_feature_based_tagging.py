"""The experiment, on sentences made up for it and a tiny model."""

import dataclasses
import json
import signal
from pathlib import Path

import numpy as np
import pytest

import bert_keras
from bert_keras.errors import InputError
from bert_keras.fine_tuning import job
from bert_keras.tasks.tagging.columns import Sentence
from bert_keras.training.stop import StopRequest
from experiments import bilstm_tagger
from experiments.feature_based_tagging import (
    FINE_TUNING,
    LAYERS,
    PAPER,
    Settings,
    fine_tuned,
    main,
    summary,
    vectors_of,
)
from tests.checkpoints import stored_models
from tests.tagged_sentences import sentences, write


@pytest.fixture(scope="module")
def settings(tmp_path_factory):
    folder = tmp_path_factory.mktemp("feature_based")
    stored = stored_models.stored("bert", num_hidden_layers=4)
    stored_models.write(stored, folder / "model", "bert_keras")
    return Settings(
        init_checkpoint=str(folder / "model"),
        train_file=write(folder / "train.conll", sentences(60, seed=1)),
        dev_file=write(folder / "dev.conll", sentences(20, seed=2)),
        rows=[FINE_TUNING, "concat last four hidden", "weighted sum all layers"],
        num_seeds=1,
        max_seq_length=12,
        lstm_units=8,
        lstm_epochs=2,
        num_train_epochs=1,
        output_dir=str(folder / "runs"),
        output_file=str(folder / "results.json"),
    )


def random_vectors(lengths, num_layers=2, width=3):
    rng = np.random.default_rng(1)
    return [rng.normal(size=[length, num_layers, width]).astype(np.float32) for length in lengths]


def test_the_layers_are_those_of_the_paper():
    assert {name: list(layers(12)) for name, layers in LAYERS.items()} == {
        "embeddings": [-13],
        "second-to-last hidden": [-2],
        "last hidden": [-1],
        "weighted sum last four hidden": [-4, -3, -2, -1],
        "concat last four hidden": [-4, -3, -2, -1],
        "weighted sum all layers": [-12, -11, -10, -9, -8, -7, -6, -5, -4, -3, -2, -1],
    }
    assert {FINE_TUNING, *LAYERS} == {*PAPER}


def test_a_word_has_the_vector_of_its_first_piece(settings):
    words = ["bad", "\u200b", "m"]  # b ##a ##d, nothing, m
    (vectors,) = vectors_of(settings, "last hidden", [Sentence(words, [], [])])
    model, tokenizer = bert_keras.from_pretrained(settings.init_checkpoint)
    tokens = ["[CLS]", *tokenizer.tokenize("bad m"), "[SEP]"]
    ids = np.array([tokenizer.convert_tokens_to_ids(tokens)])
    inputs = {"input_ids": ids, "input_mask": ids * 0 + 1, "segment_ids": ids * 0}
    (hidden,) = model(inputs)["sequence_output"].numpy()
    np.testing.assert_allclose(vectors[[0, 2], 0], hidden[[1, 4]], atol=1e-5)
    assert not vectors[1].any()


def test_a_weighted_sum_begins_as_the_mean_and_a_concatenation_keeps_all():
    vectors = random_vectors([4])[0][np.newaxis]
    np.testing.assert_allclose(bilstm_tagger.WeightedSum()(vectors), vectors.mean(2), atol=1e-6)
    np.testing.assert_array_equal(
        bilstm_tagger.Concatenation()(vectors), np.concatenate([*np.moveaxis(vectors, 2, 0)], -1)
    )


def test_the_sentences_of_a_batch_do_not_see_each_other():
    vectors = random_vectors([5, 1, 9, 2])
    model = bilstm_tagger.tagger((2, 3), bilstm_tagger.WeightedSum, num_labels=4, num_units=6)
    together = bilstm_tagger.predict(model, vectors, batch_size=4)
    apart = bilstm_tagger.predict(model, vectors, batch_size=1)
    assert [row.tolist() for row in together] == [row.tolist() for row in apart]
    assert [len(row) for row in together] == [5, 1, 9, 2]


def test_a_row_of_no_table_is_refused(settings):
    unknown = Settings(**{**vars(settings), "rows": ["first hidden"]})
    with pytest.raises(InputError, match="among fine-tuning, embeddings, .*Received: first hidden"):
        main(unknown)


def test_the_spread_is_that_of_a_sample():
    assert summary([0.5, 0.7]) == {
        "scores": [0.5, 0.7],
        "mean": 0.6,
        "sd": pytest.approx(0.02**0.5),
    }
    assert summary([0.5])["sd"] is None


def test_a_fine_tuning_that_was_stopped_ends_the_program(settings, monkeypatch):
    def stopped(of_run, read_assignment, stop):
        assert (of_run.output_dir, of_run.num_seeds) == (settings.output_dir, 1)
        stop.received = signal.SIGINT

    monkeypatch.setattr(job, "run", stopped)
    assert main(settings) == 128 + signal.SIGINT
    assert not Path(settings.output_file).exists()


def test_the_fine_tuning_of_several_seeds_is_that_of_the_program(settings, monkeypatch, tmp_path):
    seeds = {str(seed): {"accuracy": 0.9, "f1": f1} for seed, f1 in enumerate([0.5, 0.7])}
    (tmp_path / "seeds.json").write_text(json.dumps({"seeds": seeds}))
    monkeypatch.setattr(job, "run", lambda *_: {"f1": 0.6})
    several = dataclasses.replace(settings, num_seeds=2, output_dir=str(tmp_path))
    assert fine_tuned(several, StopRequest()) == summary([0.5, 0.7])


@pytest.mark.slow
def test_rows_are_written_with_the_score_of_each_seed(settings):
    main(settings)
    with open(settings.output_file, encoding="utf-8") as file:
        results = json.load(file)
    assert list(results["rows"]) == settings.rows
    assert results["settings"]["train_file"] == "train.conll"
    for name, row in results["rows"].items():
        assert len(row["scores"]) == 1
        assert 0 <= row["mean"] <= 1
        assert row["paper_conll_2003"] == PAPER[name]
