"""Questions about contexts in a graph: the twin of `tasks.squad.task`."""

import tensorflow as tf

from bert_keras.config import BertConfig
from bert_keras.errors import InputError
from bert_keras.serving.in_graph.candidates import (
    Candidates,
    best_first,
    first_of_each_text,
)
from bert_keras.serving.in_graph.rows import Rows, Tensors
from bert_keras.serving.in_graph.slices import code_points, grouped, text_slices
from bert_keras.serving.in_graph.spans import Spans, best_spans, null_scores
from bert_keras.serving.in_graph.windows import pieces_of, windows
from bert_keras.tasks.squad.packing import NUM_SPECIAL_TOKENS
from bert_keras.tasks.squad.predictions import NULL_ODDS_WITHOUT_SPAN
from bert_keras.tasks.squad.task import QuestionAnswering
from bert_keras.tokenizers.in_graph_spans import SpanTokenizer
from bert_keras.tokenizers.vocabulary import CLASSIFICATION, SEPARATOR
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer


class InGraphQuestionAnswering(tf.Module):
    """Strings -> windows of ids; logits -> answers, as `QuestionAnswering` has them.

    Args:
        task: the settings.
        config: not needed.
        tokenizer: that of the model.
        in_graph: the same in a graph.

    Raises:
        InputError: the task asks for answers that are no parts of their contexts.
    """

    signature = {name: tf.TensorSpec([None], tf.string, name) for name in ("question", "context")}

    def __init__(
        self,
        task: QuestionAnswering,
        config: BertConfig,
        tokenizer: WordPieceTokenizer,
        in_graph: SpanTokenizer,
    ):
        super().__init__(name="in_graph_question_answering")
        if task.answer_text != "offsets":
            raise InputError(
                "In a graph answers are parts of their contexts: --answer_text=offsets. "
                f"Received: {task.answer_text}"
            )
        self._task = task
        self._cls, self._sep = tokenizer.convert_tokens_to_ids([CLASSIFICATION, SEPARATOR])
        self._tokenizer = in_graph

    def encode(self, question: tf.Tensor, context: tf.Tensor) -> Rows:
        """The windows of contexts [B], each after its question [B]; of an empty context none."""
        tf.debugging.assert_equal(
            tf.size(question), tf.size(context), "There must be as many contexts as questions."
        )
        questions = self._tokenizer(question).ids[:, : self._task.max_query_length]  # [B, (Q)]
        pieces = self._tokenizer(context)  # [B, (P)]
        num_question = tf.cast(questions.row_lengths(), tf.int32)
        room = self._task.max_seq_length - NUM_SPECIAL_TOKENS - num_question
        found = windows(tf.cast(pieces.ids.row_lengths(), tf.int32), room, self._task.doc_stride)
        cls, sep = (tf.fill([tf.size(found.owner), 1], index) for index in (self._cls, self._sep))
        head = tf.concat([cls, tf.gather(questions, found.owner), sep], axis=1)
        rest = tf.concat([pieces_of(found, pieces.ids), sep], axis=1)
        segment_ids = tf.concat([tf.zeros_like(head), tf.ones_like(rest)], axis=1)
        places = {
            "characters": code_points(context),
            "piece_starts": pieces.starts,
            "piece_ends": pieces.ends,
            "offset": tf.gather(num_question, found.owner) + 2,  # of a window's pieces in its row
            "start": found.start,
            "length": found.length,
            "has_max_context": found.has_max_context,
        }
        return Rows(tf.concat([head, rest], axis=1), segment_ids, found.owner, places)

    def decode(self, rows: Rows, outputs: Tensors) -> Tensors:
        """Of `start_logits` and `end_logits` [R, at least T]: the answer to each question.

        Returns `answer`, `start`, `end`, `score`, `null_odds` [B]; the best answers, best first,
        filled up with "" and 0: `n_best_answer`, `n_best_start`, `n_best_end`, `n_best_score`
        [B, N], and `num_answers` [B]. No answer is "", at 0.
        """
        num_questions = rows.places["characters"].nrows(tf.int32)
        spans = best_spans(rows, outputs, self._task.n_best_size, self._task.max_answer_length)
        nulls = null_scores(rows, outputs, num_questions)
        candidates = self._with_nulls(_candidates(rows.places, spans), nulls, num_questions)
        ranked, texts = first_of_each_text(
            best_first(candidates),
            lambda some: text_slices(
                rows.places["characters"], some.question, some.start, some.end
            ),
            self._task.n_best_size,
            num_questions,
        )
        kept = self._is_among_best(ranked, num_questions)
        probabilities = _probabilities(ranked, kept, num_questions)
        answer = self._answer(ranked, texts, probabilities, nulls, num_questions)
        n_best = ranked.gather(tf.where(kept)[:, 0])
        columns = {
            "n_best_answer": tf.boolean_mask(texts, kept),
            "n_best_start": n_best.start,
            "n_best_end": n_best.end,
            "n_best_score": tf.boolean_mask(probabilities, kept),
        }
        lists = {
            name: grouped(values, n_best.question, num_questions)
            for name, values in columns.items()
        }
        num_answers = tf.cast(lists["n_best_start"].row_lengths(), tf.int32)
        padded = {name: values.to_tensor() for name, values in lists.items()}
        return answer | padded | {"num_answers": num_answers}

    def _with_nulls(
        self, candidates: Candidates, nulls: tf.Tensor, num_questions: tf.Tensor
    ) -> Candidates:
        """Adds "no answer": in version 1.1 to questions alone that have no other, with score 0."""
        if self._task.version_2_with_negative:
            question = tf.range(num_questions)
            scores = nulls
        else:
            ones = tf.ones_like(candidates.question)
            num_spans = tf.math.unsorted_segment_sum(ones, candidates.question, num_questions)
            question = tf.cast(tf.where(num_spans == 0)[:, 0], tf.int32)
            scores = tf.zeros_like(question, tf.float64)
        zeros = tf.zeros_like(question)
        added = Candidates(
            question=question,
            start=zeros,
            end=zeros,
            start_logit=scores,
            end_logit=tf.zeros_like(scores),
            is_null=tf.ones_like(question, tf.bool),
        )
        return Candidates(*(tf.concat(pair, 0) for pair in zip(candidates, added, strict=True)))

    def _is_among_best(self, ranked: Candidates, num_questions: tf.Tensor) -> tf.Tensor:
        """Whether each distinct answer is listed; "no answer" is, wherever it comes."""
        num_answers = grouped(ranked.question, ranked.question, num_questions).row_lengths()
        return (tf.ragged.range(num_answers).values < self._task.n_best_size) | ranked.is_null

    def _answer(
        self,
        ranked: Candidates,
        texts: tf.Tensor,
        probabilities: tf.Tensor,
        nulls: tf.Tensor,
        num_questions: tf.Tensor,
    ) -> Tensors:
        """The answer to each question: its best span, or none."""
        none = tf.size(ranked.question)
        place = tf.range(none)
        best, null = (
            tf.math.unsorted_segment_min(
                tf.where(is_it, place, none), ranked.question, num_questions
            )
            for is_it in (~ranked.is_null, ranked.is_null)
        )
        has_span = best < none
        best = tf.where(has_span, best, null)
        found = ranked.gather(best)
        odds = nulls - found.start_logit - found.end_logit
        null_odds = tf.where(has_span, odds, NULL_ODDS_WITHOUT_SPAN)
        if self._task.version_2_with_negative:
            is_null = null_odds > self._task.null_score_diff_threshold
            best = tf.where(is_null, null, best)
            found = ranked.gather(best)
        return {
            "answer": tf.gather(texts, best),
            "start": found.start,
            "end": found.end,
            "score": tf.gather(probabilities, best),
            "null_odds": tf.cast(null_odds, tf.float32),
        }


def _candidates(places: Tensors, spans: Spans) -> Candidates:
    """Spans of pieces as parts of their contexts."""
    shift = tf.gather(tf.cast(places["piece_starts"].row_starts(), tf.int32), spans.question)
    pieces = tf.ragged.range(spans.first + shift, spans.last + shift + 1)
    # Marks may have changed places: the first piece need not start the text.
    start = tf.reduce_min(tf.gather(places["piece_starts"].values, pieces), axis=1)
    end = tf.reduce_max(tf.gather(places["piece_ends"].values, pieces), axis=1)
    return Candidates(
        question=spans.question,
        start=start,
        end=end,
        start_logit=spans.start_logit,
        end_logit=spans.end_logit,
        is_null=tf.zeros_like(start, tf.bool),
    )


def _probabilities(ranked: Candidates, kept: tf.Tensor, num_questions: tf.Tensor) -> tf.Tensor:
    """Softmax of the scores of the answers listed of each question, float32; 0 of the others."""
    scores, question = ranked.scores(), ranked.question
    best = tf.math.unsorted_segment_max(
        tf.where(kept, scores, scores.dtype.min), question, num_questions
    )
    shares = tf.where(kept, tf.exp(scores - tf.gather(best, question)), 0.0)
    totals = tf.math.unsorted_segment_sum(shares, question, num_questions)
    return tf.cast(shares / tf.gather(totals, question), tf.float32)
