"""A label for each word of a sentence, such as named entities (paper, section 5.3).

columns: files -> sentences, and back
labels: their order, and their numbers
encoding: sentences -> windows of ids; what a model makes of these -> rows of words
entities: labels of words -> entities
task: texts -> ids, logits -> labels and entities
scores: the official scores
"""
