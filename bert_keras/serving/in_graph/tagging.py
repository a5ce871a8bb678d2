"""Sentences whose words are to be labeled, in a graph: the twin of `tasks.tagging`."""

import tensorflow as tf

from bert_keras.config import BertConfig
from bert_keras.serving.in_graph.rows import Rows, Tensors
from bert_keras.serving.in_graph.slices import code_points, grouped, text_slices
from bert_keras.serving.in_graph.windows import pieces_of, windows
from bert_keras.tasks.tagging.entities import entity_bounds
from bert_keras.tasks.tagging.task import Tagging, logits_without_piece
from bert_keras.tokenizers.in_graph_spans import SpanTokenizer
from bert_keras.tokenizers.vocabulary import CLASSIFICATION, SEPARATOR
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer


class InGraphTagging(tf.Module):
    """Strings -> windows of ids; logits -> words and entities, as `Tagging` has them.

    Args:
        task: the settings.
        config: names the labels.
        tokenizer: that of the model.
        in_graph: the same in a graph.
    """

    signature = {"text": tf.TensorSpec([None], tf.string, "text")}
    signature_of_words = {"words": tf.TensorSpec([None, None], tf.string, "words")}

    def __init__(
        self,
        task: Tagging,
        config: BertConfig,
        tokenizer: WordPieceTokenizer,
        in_graph: SpanTokenizer,
    ):
        super().__init__(name="in_graph_tagging")
        self._room = task.max_seq_length - 2
        self._cls, self._sep = tokenizer.convert_tokens_to_ids([CLASSIFICATION, SEPARATOR])
        self._tokenizer = in_graph
        self._labels = tf.constant(config.labels)
        self._without_piece = tf.constant(logits_without_piece(config.labels))  # [L]
        self._starts, self._ends, self._types = map(tf.constant, entity_bounds(config.labels))

    def encode(self, text: tf.Tensor) -> Rows:
        """The windows of texts [B], cut into words as the tokenizer cuts them."""
        characters = code_points(text)
        starts, ends = self._tokenizer.word_spans(text)
        owner = tf.cast(starts.value_rowids(), tf.int32)
        words = text_slices(characters, owner, starts.values, ends.values)
        return self._rows(characters, starts, ends, starts.with_values(words))

    def encode_words(self, words: tf.Tensor) -> Rows:
        """The windows of given words [B, W], filled up with "" after the last word of each row.

        An empty one before that is a word, without a piece. Offsets count in the words joined by
        single blanks.
        """
        places = tf.range(1, tf.shape(words)[1] + 1)
        num_words = tf.reduce_max(tf.where(words != "", places, 0), axis=1)
        num_words = tf.maximum(num_words, 0)  # where there is no place at all
        words = tf.RaggedTensor.from_tensor(words, num_words)
        codes = code_points(words.values)  # [number of words, (C)]
        blanks = tf.fill([codes.nrows(), 1], ord(" "))  # one after the last word does no harm
        characters = words.with_values(tf.concat([codes, blanks], axis=1)).merge_dims(1, 2)
        lengths = tf.cast(codes.row_lengths(), tf.int32)
        first_words = tf.gather(words.row_starts(), words.value_rowids())
        before = tf.cumsum(lengths + 1, exclusive=True)
        starts = before - tf.gather(before, first_words)
        columns = (starts, starts + lengths, tf.strings.unicode_encode(codes, "UTF-8"))
        return self._rows(characters, *map(words.with_values, columns))

    def decode(self, rows: Rows, outputs: Tensors) -> Tensors:
        """Of `logits` [R, at least T, L]: words and entities of each text, filled up with "" and 0.

        Returns `words`, `word_start`, `word_end`, `word_label`, `word_score` [B, W], `num_words`
        [B]; `entity_text`, `entity_start`, `entity_end`, `entity_type`, `entity_score` [B, E],
        `num_entities` [B].
        """
        places = rows.places
        words = places["words"]
        logits = tf.gather_nd(outputs["logits"], places["positions"])  # [D, L]
        all_logits = tf.tensor_scatter_nd_update(
            tf.repeat(self._without_piece[tf.newaxis], tf.size(words.values), axis=0),
            places["decided"][:, tf.newaxis],
            logits,
        )
        label_ids = tf.math.top_k(all_logits).indices[:, 0]  # of equals the first
        probabilities = tf.nn.softmax(tf.cast(all_logits, tf.float64))
        scores = tf.reduce_max(probabilities, axis=1)  # [number of words]
        columns = {
            "words": words.values,
            "word_start": places["starts"].values,
            "word_end": places["ends"].values,
            "word_label": tf.gather(self._labels, label_ids),
            "word_score": tf.cast(scores, tf.float32),
        }
        padded = {name: words.with_values(column).to_tensor() for name, column in columns.items()}
        num_words = tf.cast(words.row_lengths(), tf.int32)
        return padded | {"num_words": num_words} | self._entities(places, label_ids, scores)

    def _rows(
        self,
        characters: tf.RaggedTensor,
        starts: tf.RaggedTensor,
        ends: tf.RaggedTensor,
        words: tf.RaggedTensor,
    ) -> Rows:
        """Windows of texts [B, (C)] by their words and the places of these [B, (W)].

        A word is decided where its first piece has most context. Windows after the first one that
        decide nothing are left out.
        """
        ids_of_words = self._tokenizer(words.values).ids  # [number of words, (P)]
        pieces = words.with_values(_with_places(ids_of_words)).merge_dims(1, 2)  # [B, (P), 3]
        num_pieces = tf.cast(pieces.row_lengths(), tf.int32)
        found = windows(num_pieces, self._room, max(1, self._room // 2), at_least=1)
        shown = pieces_of(found, pieces)  # [N, (length), 3]
        is_first = shown.values[:, 2] > 0
        is_decided = shown.with_values(is_first & found.has_max_context.values)
        kept = tf.where(tf.reduce_any(is_decided, axis=1) | (found.start == 0))[:, 0]
        owner, shown, is_decided = (
            tf.gather(column, kept) for column in (found.owner, shown, is_decided)
        )
        ids = self._with_special_tokens(shown.with_values(shown.values[:, 0]))
        places = {
            "characters": characters,
            "words": words,
            "starts": starts,
            "ends": ends,
            # Of each decided word: its number through all texts; its row and position.
            "decided": tf.boolean_mask(shown.values[:, 1], is_decided.values),
            "positions": tf.where(is_decided) + [0, 1],  # after [CLS]
        }
        return Rows(ids, tf.zeros_like(ids), owner, places)

    def _with_special_tokens(self, ids: tf.RaggedTensor) -> tf.RaggedTensor:
        """[CLS] pieces [SEP] of each window."""
        cls, sep = (tf.fill([ids.nrows(), 1], index) for index in (self._cls, self._sep))
        return tf.concat([cls, ids, sep], axis=1)

    def _entities(self, places: Tensors, label_ids: tf.Tensor, scores: tf.Tensor) -> Tensors:
        """The entities by the labels of all words; none where the labels name none."""
        owner = tf.cast(places["words"].value_rowids(), tf.int32)
        num_texts = places["words"].nrows(tf.int32)
        first, last = self._bounds(owner, label_ids)
        start = tf.gather(places["starts"].values, first)
        end = tf.gather(places["ends"].values, last)
        owner = tf.gather(owner, first)
        scores = tf.gather(scores, tf.ragged.range(first, last + 1))  # [E, (W)]
        columns = {
            "entity_text": text_slices(places["characters"], owner, start, end),
            "entity_start": start,
            "entity_end": end,
            "entity_type": tf.gather(self._types, tf.gather(label_ids, last)),
            "entity_score": tf.cast(tf.reduce_mean(scores, axis=1), tf.float32),
        }
        lists = {name: grouped(values, owner, num_texts) for name, values in columns.items()}
        num_entities = tf.cast(lists["entity_start"].row_lengths(), tf.int32)
        padded = {name: values.to_tensor() for name, values in lists.items()}
        return padded | {"num_entities": num_entities}

    def _bounds(self, owner: tf.Tensor, label_ids: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """First and last word of each entity, counted through all texts: int32 [E] each."""
        no_word = tf.size(self._labels)
        differs, one = owner[1:] != owner[:-1], tf.ones_like(owner[:1], tf.bool)
        is_first, is_last = tf.concat([one, differs], 0), tf.concat([differs, one], 0)
        before = tf.where(is_first, no_word, tf.roll(label_ids, 1, axis=0))
        after = tf.where(is_last, no_word, tf.roll(label_ids, -1, axis=0))
        starts = tf.gather_nd(self._starts, tf.stack([before, label_ids], axis=1))
        ends = tf.gather_nd(self._ends, tf.stack([label_ids, after], axis=1))
        return tuple(tf.cast(tf.where(bound)[:, 0], tf.int32) for bound in (starts, ends))


def _with_places(ids: tf.RaggedTensor) -> tf.RaggedTensor:
    """Ids of words [W, (P)] -> id, number of the word, and whether it is its first: [W, (P), 3]."""
    word = tf.cast(ids.value_rowids(), tf.int32)
    is_first = tf.cast(tf.ragged.range(ids.row_lengths()).values == 0, tf.int32)
    return ids.with_values(tf.stack([ids.values, word, is_first], axis=1))
