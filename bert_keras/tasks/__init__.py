"""Tasks: the text before a model and the score after it. They know no model, no TensorFlow.

classification, squad, multiple_choice, tagging, fill_mask, vectors: rooms that import no other
task: what a task is
tables: rows of CSV, TSV and JSON
sequences: texts and pairs of texts -> ids
windows: overlapping windows over a text that is too long
collapse: the notice of a model that answers always the same
"""
