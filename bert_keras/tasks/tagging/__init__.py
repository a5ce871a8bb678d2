"""A label for each word of a sentence, such as named entities (paper, section 5.3).

columns: files -> sentences, and back
labels: their order, and their numbers
encoding: sentences -> ids, logits -> labels
scores: the official scores
"""
