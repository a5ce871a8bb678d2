"""Tasks in a TensorFlow graph: raw text in, answers out, where there is no Python.

A file a task, the twin of its class in `bert_keras.tasks`: functions of the same names, which give
the same ids and the same answers.

rows: the sequences of a batch of inputs
strings: clean, cut and join texts, as `tokenizers.packing`
slices: parts of texts, by the places of their characters
sequences: texts, or pairs of them, -> a row for each
windows: overlapping windows over texts that are too long
length_groups: sequences -> what the model makes of them, those of about one length together
classification, embedding, features, fill_mask, multiple_choice: encode and decode of a task
tagging, question_answering: the same of tasks whose answers stand somewhere in their texts
spans: logits -> spans of pieces
candidates: possible answers, best first
"""
