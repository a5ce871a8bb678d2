"""Pictures of an audit."""

import base64
import html
import re
import sys

import pytest

from bert_keras.errors import InputError
from tests.tfrecord_tools.audit.hand_made import audited, masked, unmasked
from tfrecord_tools.audit.picture import check_picture, write_picture

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.mark.parametrize("records", [[masked(), masked(label=1)], [unmasked()], [b"\xff"]])
def test_png(records, tmp_path):
    write_picture(audited(tmp_path, records), str(tmp_path / "audit.png"))
    content = (tmp_path / "audit.png").read_bytes()
    assert content.startswith(PNG)


def test_html_holds_the_picture_and_the_report(tmp_path):
    damaged = tmp_path / "<i>&.tfrecord"
    damaged.write_bytes(b"no records")
    report = audited(tmp_path, [masked()], str(damaged))
    write_picture(report, str(tmp_path / "audit.html"))
    page = (tmp_path / "audit.html").read_text()
    picture = re.search(r"data:image/png;base64,([^\"]+)", page).group(1)
    assert base64.b64decode(picture).startswith(PNG)
    (text,) = re.findall(r"<pre>(.*)</pre>", page, re.DOTALL)
    assert "broken rules: 1" in text and "&lt;i&gt;&amp;.tfrecord" in text
    assert html.unescape(text) == str(report)


def test_another_ending():
    with pytest.raises(InputError, match=r"must end in .png or .html. Received: a.jpg"):
        check_picture("a.jpg")


def test_matplotlib_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(InputError, match=r"pip install 'bert_keras\[data\]'"):
        check_picture("a.png")
