"""A data set of TensorFlow Datasets that is built from local files here, and read back."""

import json

import pytest

from bert_keras.errors import InputError
from tfrecord_tools.corpus import tfds
from tfrecord_tools.corpus.blocks import read_blocks
from tfrecord_tools.corpus.documents import documents_of
from tfrecord_tools.corpus.settings import CorpusSettings

TEXTS = [f"Ship {number} sails.\nThe café, no. {number}, is open. Good!" for number in range(40)]


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory):
    import tensorflow_datasets

    folder = tmp_path_factory.mktemp("texts")
    for number, text in enumerate(TEXTS):
        (folder / f"{number}.txt").write_text(text, encoding="utf-8")
    (folder / "latin.txt").write_bytes(b"caf\xe9")

    class Ports(tensorflow_datasets.core.GeneratorBasedBuilder):
        VERSION = tensorflow_datasets.core.Version("1.0.0")

        def _info(self):
            features = {
                "text": tensorflow_datasets.features.Text(),
                "title": tensorflow_datasets.features.Text(),
                "label": tensorflow_datasets.features.ClassLabel(num_classes=2),
            }
            return tensorflow_datasets.core.DatasetInfo(
                builder=self, features=tensorflow_datasets.features.FeaturesDict(features)
            )

        def _split_generators(self, dl_manager):
            names = [f"{number}.txt" for number in range(len(TEXTS))]
            return {
                "train": self._generate_examples(names),
                "latin": self._generate_examples(["latin.txt"]),
            }

        def _generate_examples(self, names):
            for name in names:
                text = (folder / name).read_bytes()
                yield name, {"text": text, "title": name, "label": 0}

    class Away(Ports):
        def _split_generators(self, dl_manager):
            raise ConnectionError("no route\nto host")

    prepared = tmp_path_factory.mktemp("data")
    Ports(data_dir=str(prepared)).download_and_prepare()
    return str(prepared)


def documents(data_dir, **settings):
    settings = CorpusSettings(**{"tfds": "ports", "tfds_data_dir": data_dir, **settings})
    blocks = read_blocks(settings, lambda num_bytes: None)
    return [document for block in blocks for document in documents_of(block, settings, [].append)]


@pytest.mark.parametrize("name", ["ports", "ports:1.0.0"])
def test_each_example_is_a_document(name, data_dir, capfd):
    found = documents(data_dir, tfds=name)
    assert sorted(document.sentences for document in found) == sorted(
        [f"Ship {number} sails.", f"The café, no. {number}, is open.", "Good!"]
        for number in range(len(TEXTS))
    )
    assert [document.line for document in found] == list(range(1, len(TEXTS) + 1))
    assert {document.source for document in found} == {f"{name}, split train"}
    assert capfd.readouterr() == ("", "")


def test_a_data_set_that_is_not_there_is_prepared(data_dir, tmp_path, capfd):
    assert len(documents(str(tmp_path))) == len(TEXTS)
    out, error = capfd.readouterr()
    assert out == ""
    assert f"notice: ports is not in {tmp_path}/ports/1.0.0: downloading it" in error


def test_the_order_is_always_the_same(data_dir):
    assert documents(data_dir) == documents(data_dir)


def test_blocks_are_cut_between_examples(data_dir, monkeypatch):
    whole = documents(data_dir)
    monkeypatch.setattr(tfds, "BLOCK_BYTES", 300)
    settings = CorpusSettings(tfds="ports", tfds_data_dir=data_dir)
    blocks = list(read_blocks(settings, lambda num_bytes: None))
    assert len(blocks) > 5
    assert all("text" in json.loads(line) for block in blocks for line in block.data.splitlines())
    assert documents(data_dir) == whole


def test_part_of_a_split_and_another_field_may_be_asked_for(data_dir):
    found = documents(data_dir, tfds_split="train[:10]", text_field="title", keep_lines=True)
    assert len(found) == 10
    assert all(document.sentences[0].endswith(".txt") for document in found)


def test_bytes_that_are_not_utf_8_follow_the_policy(data_dir, capsys):
    with pytest.raises(InputError, match="ports, split latin, example 1, line 1, .*0xe9"):
        documents(data_dir, tfds_split="latin")
    found = documents(data_dir, tfds_split="latin", encoding_errors="replace")
    assert found[0].sentences == ["caf\ufffd"]
    assert "1 lines that are not UTF-8 had bytes replaced" in capsys.readouterr().err


WRONG = {
    "split": ({"tfds_split": "test"}, "tfds_split must .*: train, latin. Received: test"),
    "field": ({"text_field": "body"}, "text_field must .* fields are .*text.* Received: body"),
    "no text": ({"text_field": "label"}, "text_field must be a text of ports.*Received: label"),
    "name": ({"tfds": "harbours"}, "data set harbours cannot be had: .*Dataset harbours not found"),
    "version": ({"tfds": "ports:2.0.0"}, "data set ports:2.0.0 cannot be had"),
    "network": ({"tfds": "away"}, "data set away cannot be had: ConnectionError: no route. Check"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_cannot_be_had_is_said_in_a_line(case, data_dir):
    settings, message = WRONG[case]
    with pytest.raises(InputError, match=message) as error:
        documents(data_dir, **settings)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 400


def test_an_absent_package_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "tensorflow_datasets", None)
    with pytest.raises(InputError, match=r"pip install 'bert_keras\[data\]'"):
        documents("anywhere")
