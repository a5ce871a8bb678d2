"""What a text is, or a pair of texts: GLUE, XNLI, tables of your own (paper, section 4.1).

benchmarks: the tasks of GLUE, and XNLI, one row each
sources: where the files of a task are
reading: files -> examples
single_label, multi_label, regression: one label, a set of labels, a number as the answer
labels: whose names and order of classes hold, the data's or the model's
encoding: examples -> ids
metrics: the official scores
predictions: tables of predictions, GLUE's submission
"""
