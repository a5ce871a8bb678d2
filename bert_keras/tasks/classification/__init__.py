"""What a text is, or a pair of texts: GLUE, XNLI, tables of your own (paper, section 4.1).

description: what is known of a task before its files are read
glue: the tasks of GLUE, and XNLI, a description each
reading: files -> examples
answers: what differs between the kinds of answers, as a table of functions
single_label, multi_label, regression: one label, a set of labels, a number as the answer
kinds: these by name
labels: what they may be, and whose names and order hold, the data's or the model's
task: texts -> ids, logits -> answers
metrics: the official scores
predictions: tables of predictions, GLUE's submission
"""
