import shutil

import numpy as np
import pytest

import bert_keras
from bert_keras.checkpoints.pretrained import from_pretrained, save_pretrained
from bert_keras.errors import InputError
from bert_keras.models.pretrainer import pretrainer
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer
from tests import golden_model


@pytest.fixture
def vocab_file(tmp_path):
    tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"] + [f"word{i}" for i in range(155)]
    path = tmp_path / "words.txt"
    path.write_text("\n".join(tokens) + "\n")
    return str(path)


@pytest.mark.parametrize("do_lower_case", [True, False])
def test_there_and_back_again(tmp_path, vocab_file, do_lower_case):
    model = golden_model.model()
    tokenizer = WordPieceTokenizer(vocab_file, do_lower_case=do_lower_case)
    folder = str(tmp_path / "model")
    save_pretrained(model, tokenizer, folder)
    loaded, loaded_tokenizer = from_pretrained(folder, build=pretrainer)
    for ours, theirs in zip(model.weights, loaded.weights, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert loaded_tokenizer.vocab == tokenizer.vocab
    assert loaded_tokenizer.do_lower_case == do_lower_case


def test_encoder_is_one_line(tmp_path, vocab_file):
    save_pretrained(golden_model.model(), WordPieceTokenizer(vocab_file), str(tmp_path))
    encoder, _ = bert_keras.from_pretrained(str(tmp_path))
    inputs = golden_model.inputs(("input_ids", "input_mask", "segment_ids"))
    np.testing.assert_allclose(
        encoder(inputs)["pooled_output"],
        golden_model.arrays("forward.npz")["pooled_output"],
        atol=1e-5,
    )


@pytest.mark.parametrize(("name", "lower"), [("cased_L-3_H-32", False), ("uncased_L-3", True)])
def test_release_of_googles_is_read_by_its_layout(tmp_path, vocab_file, name, lower):
    folder = tmp_path / name
    folder.mkdir()
    for file in golden_model.FOLDER.glob("bert_*"):
        shutil.copy(file, folder)
    shutil.copy(vocab_file, folder / "vocab.txt")
    _, tokenizer = from_pretrained(str(folder))
    assert tokenizer.do_lower_case is lower


@pytest.mark.parametrize("missing", ["config.json", "vocab.txt", "bert_model.ckpt.index"])
def test_missing_file_is_named(tmp_path, vocab_file, missing):
    save_pretrained(golden_model.model(), WordPieceTokenizer(vocab_file), str(tmp_path))
    (tmp_path / missing).unlink()
    with pytest.raises(InputError, match=missing.removesuffix(".index")):
        from_pretrained(str(tmp_path))


def test_file_is_no_folder(vocab_file):
    with pytest.raises(InputError, match="is a folder"):
        from_pretrained(vocab_file)
