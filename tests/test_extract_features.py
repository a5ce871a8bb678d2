import json

import pytest

from bert_keras import flags
from bert_keras.extract_features import REPLACED_FLAGS, Settings, main
from tests import golden_model
from tests.checkpoints import stored_models


def test_an_old_command_line(tmp_path, capsys):
    (tmp_path / "input.txt").write_text("a b ||| c\n")
    (tmp_path / "vocab.txt").write_text("\n".join(stored_models.VOCABULARY))
    command_line = [
        f"--input_file={tmp_path}/input.txt",
        f"--output_file={tmp_path}/output.jsonl",
        f"--vocab_file={tmp_path}/vocab.txt",
        f"--bert_config_file={golden_model.FOLDER}/bert_config.json",
        f"--init_checkpoint={golden_model.FOLDER}/bert_model.ckpt",
        "--layers=-1,-2,-3",
        "--max_seq_length=40",
        "--batch_size=8",
        "--do_lower_case=True",
        "--use_tpu=False",
    ]
    with pytest.raises(SystemExit) as end:
        flags.run(main, Settings, REPLACED_FLAGS, command_line)
    assert not end.value.code
    (line,) = (tmp_path / "output.jsonl").read_text().splitlines()
    features = json.loads(line)["features"]
    assert [token["token"] for token in features] == ["[CLS]", "a", "b", "[SEP]", "c", "[SEP]"]
    assert [layer["index"] for layer in features[0]["layers"]] == [-1, -2, -3]
    assert "extracting: 1 lines in" in capsys.readouterr().err


def test_defaults_are_the_originals():
    settings = flags.parse(Settings, ["--input_file=a", "--output_file=b", "--init_checkpoint=c"])
    assert settings.layers == ["-1", "-2", "-3", "-4"]
    assert (settings.max_seq_length, settings.batch_size) == (128, 32)
