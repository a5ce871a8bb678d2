"""The official scores of taggers: entities found (CoNLL), or words labeled right."""

from collections.abc import Sequence

from bert_keras.tasks.collapse import notify_collapse
from bert_keras.tasks.tagging.entities import as_iobes, entity_spans
from bert_keras.tasks.tagging.labels import are_of_entities

NAMES = ("precision", "recall", "f1")


def scores(
    gold: list[list[str]], predicted: list[list[str]], labels: Sequence[str]
) -> dict[str, float]:
    """The accuracy of words, and if the labels name entities, how well these were found.

    Args:
        gold: the labels of the words of each sentence.
        predicted: as many.
        labels: all that there are.
    """
    given = {label for of_sentence in predicted for label in of_sentence}
    if len(given) == 1 and given != {label for of_sentence in gold for label in of_sentence}:
        notify_collapse(sum(map(len, predicted)), repr(*given))
    entities = entity_scores(gold, predicted) if are_of_entities(labels) else {}
    return {"accuracy": accuracy(gold, predicted)} | entities


def entity_scores(gold: list[list[str]], predicted: list[list[str]]) -> dict[str, float]:
    """Precision, recall and F1 of entities by `seqeval`, of all types and of each.

    Its default is the counting of CoNLL's conlleval: an entity is right if type, first and last
    word are; an I- that continues nothing begins an entity. BILOU is read as the same scheme by
    its other name, IOBES. What would be divided by 0 is 0: the precision where nothing was
    predicted.
    """
    from seqeval.metrics.sequence_labeling import precision_recall_fscore_support

    gold, predicted = (
        [[as_iobes(label) for label in labels] for labels in rows] for rows in (gold, predicted)
    )

    def scores_of(average):
        *values, _ = precision_recall_fscore_support(
            gold, predicted, average=average, zero_division=0
        )
        return values

    scores = dict(zip(NAMES, scores_of("micro"), strict=True))
    types = sorted({entity.type for row in gold + predicted for entity in entity_spans(row)})
    if types:
        rows = zip(*scores_of(None), strict=True)  # in the order of their names
        for entity_type, row in zip(types, rows, strict=True):
            names = [f"{entity_type}_{name}" for name in NAMES]
            scores |= dict(zip(names, row, strict=True))
    return {name: float(score) for name, score in scores.items()}


def accuracy(gold: list[list[str]], predicted: list[list[str]]) -> float:
    """The share of words whose label is right."""
    from seqeval.metrics import accuracy_score

    return float(accuracy_score(gold, predicted))
