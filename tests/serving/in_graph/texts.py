"""Texts of many scripts, broken ones too, and tokenizers for them."""

import functools
import pathlib

from hypothesis import strategies as st

from bert_keras.tokenizers.in_graph_spans import SpanTokenizer
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer
from tests.tokenizers.texts import DIFFICULT, SENTENCES

GOLDEN = pathlib.Path(__file__).parents[2] / "golden"

characters = st.one_of(
    st.sampled_from([*DIFFICULT, *"    "]), st.characters(exclude_categories=["Cs"])
)
# UTF-8, but not all of it good.
texts = st.one_of(
    st.sampled_from([*SENTENCES, "", " ".join(SENTENCES[:5])]).map(str.encode),
    st.text(characters, max_size=40).map(str.encode),
    st.binary(max_size=20),
)


def decoded(text: bytes) -> str:
    return text.decode("utf-8", "ignore")


@functools.cache
def tokenizers(name: str) -> tuple[WordPieceTokenizer, SpanTokenizer]:
    """That of a released model, which is uncased or cased, in Python and in a graph."""
    path = GOLDEN / "vocab" / f"bert-base-{name}-vocab.txt"
    plain = WordPieceTokenizer(path, do_lower_case=name == "uncased")
    return plain, SpanTokenizer(plain)
