"""The job of the program: what is changed, what is said, what is refused."""

import dataclasses
import json
import string

import numpy as np
import pytest

from bert_keras import flags
from bert_keras.checkpoints.conversion.writing import WRITERS
from bert_keras.checkpoints.files import bundle
from bert_keras.checkpoints.formats.detection import read_model
from bert_keras.checkpoints.stored_model import Pooling
from bert_keras.errors import InputError
from bert_keras.run_conversion import Settings
from tests.checkpoints import stored_models
from tests.checkpoints.conversion.converting import convert
from tests.checkpoints.stored_models import write

STATE = ("adam_m", "adam_v", "global_step")


def test_report_names_what_became_of_each_weight(tmp_path, capsys):
    original = stored_models.stored("classifier", with_state=True)
    foreign = original.weights.with_values({"extra_head/w": np.zeros(3, np.float32)})
    write(dataclasses.replace(original, weights=foreign), f"{tmp_path}/in", "tf1")
    report = convert(f"{tmp_path}/in", f"{tmp_path}/out", "bert_keras")
    assert report.unused == ["extra_head/w"]
    assert report.used == sorted(original.weights.shapes)
    assert report.differences == {"logits": 0.0}
    printed = capsys.readouterr().out
    assert "41 weights and 83 of a run's moments, step and seeds used; " in printed
    assert "1 weights unused: extra_head/w\n0 weights missing\n0 weights fresh\n" in printed
    assert "largest difference of logits: 0\n" in printed
    kept = json.loads((tmp_path / "out" / "conversion.json").read_text())
    assert kept == report._asdict()


def test_state_is_unused_where_it_cannot_be_held(tmp_path):
    original = stored_models.stored("question_answering", with_state=True)
    write(original, f"{tmp_path}/in", "bert_keras")
    report = convert(f"{tmp_path}/in", f"{tmp_path}/out", "hugging_face")
    assert report.unused == sorted(name for name in original.weights.shapes if name.endswith(STATE))


def test_strict_refuses_to_lose_a_weight_and_writes_nothing(tmp_path):
    original = stored_models.stored()
    foreign = original.weights.with_values({"extra_head/w": np.zeros(3, np.float32)})
    write(dataclasses.replace(original, weights=foreign), f"{tmp_path}/in", "tf1")
    with pytest.raises(InputError, match="--strict.*extra_head/w"):
        convert(f"{tmp_path}/in", f"{tmp_path}/out", "bert_keras", strict=True)
    assert [path.name for path in tmp_path.iterdir()] == ["in"]


@pytest.mark.slow
def test_vocabulary_positions_and_layers_are_changed_on_the_way(tmp_path):
    original = stored_models.stored(with_state=True)
    write(original, f"{tmp_path}/in", "bert_keras")
    tokens = [*stored_models.VOCABULARY[:10], "face", *stored_models.VOCABULARY[10:]]
    (tmp_path / "new.txt").write_text("\n".join(tokens) + "\n")
    report = convert(
        f"{tmp_path}/in",
        f"{tmp_path}/out",
        "hugging_face",
        new_vocab_file=f"{tmp_path}/new.txt",
        max_position_embeddings=40,
        keep_layers=["1"],
    )
    read = read_model(f"{tmp_path}/out")
    assert read.config.vocab_size == len(tokens) == read.tokenizer.vocab_size
    assert (read.config.max_position_embeddings, read.config.num_hidden_layers) == (40, 1)
    old, new = stored_models.values(original), stored_models.values(read)
    words = "bert/embeddings/word_embeddings"
    for token, index in original.tokenizer.vocab.items():
        np.testing.assert_array_equal(new[words][read.tokenizer.vocab[token]], old[words][index])
    pieces = original.tokenizer.convert_tokens_to_ids(["f", "##a", "##c", "##e"])
    np.testing.assert_allclose(new[words][10], old[words][pieces].mean(axis=0), rtol=1e-6)
    kernel = "bert/encoder/layer_{}/output/dense/kernel"
    np.testing.assert_array_equal(new[kernel.format(0)], old[kernel.format(1)])
    assert set(report.differences.values()) == {0.0}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"format_name": "pytorch"}, "--format must be one of tf1, hugging_face, bert_keras"),
        ({"model": "gpt"}, "--model must be one of bert, "),
        ({"new_rows": "zeros"}, "--new_rows must be one of mean, random"),
        ({"max_shard_size": "many"}, "--max_shard_size must be a number of KB, MB or GB"),
        ({"max_shard_size": "0GB"}, "--max_shard_size must be a number"),
        ({"max_shard_size": "50"}, "--max_shard_size must be a number"),
        ({"keep_layers": ["first"]}, "--keep_layers must be numbers of layers"),
        ({"keep_layers": ["2"]}, "Received: .*2"),
        ({"model": "classifier", "allow_fresh": True}, "--labels=no,yes"),
        ({"labels": ["no", "yes"]}, "--labels are the classes of classifier or token_classifier"),
    ],
)
def test_settings_that_make_no_sense_are_refused_before_anything_is_written(
    settings, message, tmp_path
):
    write(stored_models.stored(), f"{tmp_path}/in", "tf1")
    settings = {"format_name": "bert_keras"} | settings
    with pytest.raises(InputError, match=message):
        convert(f"{tmp_path}/in", f"{tmp_path}/out", **settings)
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_what_is_there_already_is_never_overwritten(tmp_path):
    write(stored_models.stored(), f"{tmp_path}/in", "tf1")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.txt").write_text("years of work")
    with pytest.raises(InputError, match="new folder, or an empty one"):
        convert(f"{tmp_path}/in", f"{tmp_path}/out", "bert_keras")
    with pytest.raises(InputError, match="new folder, or an empty one"):
        convert(f"{tmp_path}/in", f"{tmp_path}/in", "bert_keras")
    (tmp_path / "out" / "thesis.txt").unlink()
    convert(f"{tmp_path}/in", f"{tmp_path}/out", "bert_keras")


@pytest.mark.slow
def test_a_release_tells_its_case_by_a_flag(tmp_path):
    cased = dataclasses.replace(
        stored_models.stored(),
        tokenizer=stored_models.WordPieceTokenizer({"[UNK]": 0, "Ä": 1}, do_lower_case=False),
    )
    write(cased, f"{tmp_path}/in", "tf1")
    assert read_model(f"{tmp_path}/in").tokenizer.do_lower_case
    convert(f"{tmp_path}/in", f"{tmp_path}/out", "bert_keras", do_lower_case=False)
    assert not read_model(f"{tmp_path}/out").tokenizer.do_lower_case


@pytest.mark.slow
def test_new_vocabulary_may_have_another_case_setting(tmp_path):
    write(stored_models.stored("bert"), f"{tmp_path}/in", "bert_keras")
    tokens = [*stored_models.SPECIAL_TOKENS, *string.ascii_letters]
    (tmp_path / "cased.txt").write_text("\n".join(tokens) + "\n")
    cased = {"new_vocab_file": f"{tmp_path}/cased.txt"}
    with pytest.raises(InputError, match="cased.txt: --new_do_lower_case must be"):
        convert(f"{tmp_path}/in", f"{tmp_path}/out", "tf1", **cased)
    convert(f"{tmp_path}/in", f"{tmp_path}/out", "tf1", new_do_lower_case=False, **cased)
    assert not read_model(f"{tmp_path}/out").tokenizer.do_lower_case


@pytest.mark.slow
def test_strict_is_about_weights_and_asks_the_format_too(tmp_path):
    """Moments and the step are none; the pooler that the original saves with SQuAD is one."""
    write(stored_models.stored("bert", with_state=True), f"{tmp_path}/in", "bert_keras")
    convert(f"{tmp_path}/in", f"{tmp_path}/out", "hugging_face", strict=True)
    squad = stored_models.stored("question_answering")
    pooler = stored_models.values(stored_models.stored("bert")) | stored_models.values(squad)
    both = dataclasses.replace(squad, weights=squad.weights.with_values(pooler))
    write(both, f"{tmp_path}/squad", "tf1")
    with pytest.raises(InputError, match="--strict.*2 without one: bert/pooler/dense/bias"):
        convert(f"{tmp_path}/squad", f"{tmp_path}/lost", "hugging_face", strict=True)
    assert not (tmp_path / "lost").exists()


def test_unused_are_the_layers_that_are_dropped_by_their_old_numbers(tmp_path):
    write(stored_models.stored("bert"), f"{tmp_path}/in", "tf1")
    report = convert(f"{tmp_path}/in", f"{tmp_path}/out", "tf1", keep_layers=["1"])
    assert {name.split("/")[2] for name in report.unused} == {"layer_0"}
    assert len(report.unused) == 16
    assert {*report.used} == {*stored_models.stored("bert").weights.shapes} - {*report.unused}


def test_an_output_that_computes_something_else_does_not_appear(tmp_path, monkeypatch):
    write(stored_models.stored("bert"), f"{tmp_path}/in", "tf1")

    def write_other(stored, folder, max_shard_size):
        weights = stored.weights.with_values({"bert/pooler/dense/bias": np.ones(16, np.float32)})
        return WRITERS["tf1"](dataclasses.replace(stored, weights=weights), folder, max_shard_size)

    monkeypatch.setitem(WRITERS, "bert_keras", write_other)
    with pytest.raises(InputError, match="must compute what.*pooled_output"):
        convert(f"{tmp_path}/in", f"{tmp_path}/out", "bert_keras")
    assert [path.name for path in tmp_path.iterdir()] == ["in"]


@pytest.mark.slow
def test_weights_that_are_no_numbers_are_kept_as_they_are(tmp_path):
    original = stored_models.stored("bert")
    bias = {"bert/pooler/dense/bias": np.full(16, np.nan, np.float32)}
    original = dataclasses.replace(original, weights=original.weights.with_values(bias))
    write(original, f"{tmp_path}/in", "tf1")
    assert convert(f"{tmp_path}/in", f"{tmp_path}/out", "tf1").differences["pooled_output"] == 0
    stored_models.assert_same_values(read_model(f"{tmp_path}/out"), original)


@pytest.mark.slow
def test_pooling_is_not_held_by_google_nor_by_a_model_with_a_head(tmp_path, capsys):
    pooling = Pooling(("mean",), normalize=True)
    sentences = dataclasses.replace(stored_models.stored("bert"), pooling=pooling)
    write(sentences, f"{tmp_path}/in", "hugging_face")
    assert convert(f"{tmp_path}/in", f"{tmp_path}/tf1", "tf1").differences == {
        "sequence_output": 0,
        "pooled_output": 0,
        "sentence_embedding": None,
    }
    assert "largest difference of sentence_embedding: not held" in capsys.readouterr().out
    wanted = {"model": "next_sentence", "allow_fresh": True}
    convert(f"{tmp_path}/in", f"{tmp_path}/head", "hugging_face", **wanted)
    assert not (tmp_path / "head" / "modules.json").exists()


def test_a_model_without_vocabulary_is_converted_with_a_notice(tmp_path, capsys):
    write(stored_models.stored("bert"), f"{tmp_path}/in", "tf1")
    (tmp_path / "in" / "vocab.txt").unlink()
    convert(f"{tmp_path}/in", f"{tmp_path}/out", "bert_keras")
    assert "holds no vocabulary: put vocab.txt into the output" in capsys.readouterr().err


@pytest.mark.slow
def test_moments_of_a_run_are_in_its_checkpoints(tmp_path, capsys):
    original = stored_models.stored("bert", with_state=True)
    write(stored_models.stored("bert"), f"{tmp_path}/run", "bert_keras")
    bundle.write(f"{tmp_path}/run/model.ckpt-8", stored_models.values(original))
    convert(f"{tmp_path}/run", f"{tmp_path}/out", "tf1")
    assert "moments and the step are in --input=" in capsys.readouterr().err
    convert(f"{tmp_path}/run/model.ckpt-8", f"{tmp_path}/with", "tf1")
    assert "moments and the step are in" not in capsys.readouterr().err
    stored_models.assert_same_values(read_model(f"{tmp_path}/with"), original)


@pytest.mark.slow
def test_the_program_as_it_is_typed(tmp_path, capfd):
    write(stored_models.stored(), f"{tmp_path}/in", "tf1")
    words = [f"--input={tmp_path}/in", f"--output={tmp_path}/out", "--format=hugging_face"]
    from bert_keras import run_conversion

    with pytest.raises(SystemExit) as stopped:
        flags.run(run_conversion.main, Settings, command_line=words)
    assert stopped.value.code == 0
    assert "largest difference of masked_lm_logits: 0" in capfd.readouterr().out
