"""Which span of a text answers a question: SQuAD 1.1 and 2.0 (paper, sections 4.2 and 4.3).

reading: files -> contexts and questions
contexts: a context as words and word pieces
packing: windows of a context, with the question before them, as inputs
training_answers: where the answer of a training question lies in its pieces
features: questions -> examples, by the three above
spans: logits -> spans, best first
answer_text: a span of pieces -> its text
predictions: spans -> the answer of each question, and the files of the original
task: texts -> ids, logits -> answers
scores: the official scores
"""
