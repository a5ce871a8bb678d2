"""What may be said about a corpus on the command line."""

import pytest

from bert_keras import flags
from bert_keras.errors import InputError
from tfrecord_tools.corpus.settings import CorpusSettings, input_files, num_input_bytes


def test_files_come_in_the_order_given_and_globs_are_sorted(tmp_path):
    for name in ("b.txt", "a.txt", "c, d.txt"):
        (tmp_path / name).write_text("port\n")
    settings = CorpusSettings(input_file=[f"{tmp_path}/c, d.txt", f"{tmp_path}/?.txt"])
    names = ["c, d.txt", "a.txt", "b.txt"]
    assert input_files(settings) == [str(tmp_path / name) for name in names]
    assert num_input_bytes(settings) == 15


def test_nothing_is_known_of_a_stream_before_it_is_read():
    settings = flags.parse(CorpusSettings, ["--input_file=-"])
    assert input_files(settings) == ["-"]
    assert num_input_bytes(settings) is None
    assert num_input_bytes(CorpusSettings(tfds="mini")) is None


WRONG = {
    "neither": ([], "--input_file or --tfds; received neither"),
    "both": (["--input_file=a", "--tfds=b"], "received both"),
    "stream and file": (["--input_file=-,a"], "read alone; received -,a"),
    "format": (
        ["--input_file=a", "--input_format=csv"],
        "input_format must be one of sentences, paragraphs, .* Received: csv",
    ),
    "policy": (
        ["--input_file=a", "--encoding_errors=ignore"],
        "encoding_errors must be one of fail, replace, skip. Received: ignore",
    ),
    "language": (["--input_file=a", "--language=english"], "ISO 639 .*received 'english'"),
    "length": (["--input_file=a", "--min_passage_length=-1"], "min_passage_length must"),
    "no match": (["--input_file=no such folder/*.txt"], "no such folder/\\*.txt"),
    "missing": (["--input_file=missing.txt"], "missing.txt"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_makes_no_sense_is_said_in_one_line(case):
    words, message = WRONG[case]
    with pytest.raises(InputError, match=message) as error:
        input_files(flags.parse(CorpusSettings, words))
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 250
