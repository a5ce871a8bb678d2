"""Text <-> ids. Knows no model.

Three engines give the same ids, those of google-research/bert's tokenization.py:

- `wordpiece.WordPieceTokenizer`: plain Python, the readable definition, with character offsets.
- `in_graph.InGraphTokenizer`: the same inside a TensorFlow graph, for `tf.data` and SavedModel.
- `in_graph_spans.SpanTokenizer`: the same with character offsets, in a graph of core operations
  alone (`in_graph_basic` and `greedy_matcher`); half as fast, and needs no TensorFlow Text.

All match the words of `basic.BasicTokenizer`, which `learning` learns a vocabulary from.
Properties of characters are those of Unicode 14 (`unicode_14`), so ids do not change with Python.

As in the original, a text is cut at white space and punctuation and around Chinese characters, and
nowhere else: an emoji glued to a word makes the whole word one [UNK], a run of kana is one word.
Control and format characters (zero-width spaces, soft hyphens, the byte order mark) are deleted;
tabs and line ends are spaces. `[MASK]` typed in a text is "[", "mask", "]", unless
`special_tokens_in_text=True` asks for the special token.
"""
