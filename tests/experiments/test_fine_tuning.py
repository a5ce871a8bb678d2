"""The table of real runs: commands that a user can type, and a rehearsal of one row."""

import json
import shlex

import pytest

from bert_keras import flags
from bert_keras.errors import InputError
from experiments import fine_tuning
from experiments.fine_tuning_rows import NUM_TRAINING_SENTENCES, ROWS, split_uner
from tests.fine_tuning import letters

HEADER = "index\tsentence1\tsentence2\tlabel\n"


@pytest.mark.parametrize("name", ROWS)
def test_the_kept_command_is_what_was_run(name):
    row = ROWS[name]
    _, _, module, *words = shlex.split(fine_tuning.command(row).replace("\\\n", " "))[0:]
    program = fine_tuning.PROGRAMS[module.removeprefix("bert_keras.")]
    parsed = flags.parse(program.settings_class, words)
    assert parsed == fine_tuning.run_settings(row, *fine_tuning.PLACES)


def test_an_unknown_row_is_refused():
    settings = fine_tuning.Settings(
        init_checkpoint="a", data_dir="b", output_dir="c", row=["MRPC", "MPRC"]
    )
    with pytest.raises(InputError, match="--row must be of MRPC, RTE.*Received: MPRC"):
        fine_tuning.main(settings)


def test_no_sentence_is_lost_where_a_file_is_split(tmp_path):
    folder = tmp_path / "ner-uner-ewt"
    folder.mkdir()
    sentences = [f"# text\n1\tword{i}\tO\n\n" for i in range(NUM_TRAINING_SENTENCES + 2)]
    (folder / "en_ewt-ud-dev.iob2").write_text("".join(sentences))
    split_uner(str(tmp_path), str(tmp_path / "run"))
    train, dev = ((tmp_path / "run" / f"{part}.iob2").read_text() for part in ("train", "dev"))
    assert dev == "".join(sentences[-2:])
    assert train + dev == "".join(sentences)


@pytest.mark.slow
def test_a_row_leaves_a_result_that_names_no_folder_of_this_machine(tmp_path):
    data = tmp_path / "data" / "glue" / "WNLI"
    data.mkdir(parents=True)
    rows = [f"{i}\t{'ab'[i % 2]} c d\tb c\t{i % 2}\n" for i in range(64)]
    (data / "train.tsv").write_text(HEADER + "".join(rows))
    (data / "dev.tsv").write_text(HEADER + "".join(rows[:9]))
    model = tmp_path / "model"
    model.mkdir()
    save_model(model)
    settings = fine_tuning.Settings(
        init_checkpoint=str(model),
        data_dir=str(tmp_path / "data"),
        output_dir=str(tmp_path / "runs"),
        row=["WNLI"],
        result_dir=str(tmp_path / "results"),
    )
    assert fine_tuning.main(settings) == 0
    text = (tmp_path / "results" / "WNLI.json").read_text()
    assert str(tmp_path) not in text
    result = json.loads(text)
    assert result["metric"] in result["mean"]
    assert len(result["seeds"]) == 3 and result["examples_per_second"] > 0


def save_model(folder):
    import dataclasses

    import bert_keras
    from bert_keras.tokenizers.wordpiece import WordPieceTokenizer

    files = letters.write_model(folder)
    config = dataclasses.replace(letters.CONFIG, max_position_embeddings=128)
    tokenizer = WordPieceTokenizer(files["vocab_file"])
    bert_keras.save_pretrained(bert_keras.bert(config), tokenizer, folder)
