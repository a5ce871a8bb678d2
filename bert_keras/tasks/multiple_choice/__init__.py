"""Which continuation of a text is right: SWAG (paper, section 4.4), CODAH, RACE.

example: a context, its continuations, which one is right
layouts: a row of SWAG, CODAH or RACE -> examples
reading: files -> examples
task: texts -> ids, a sequence for each continuation; logits -> answers
scoring: logits -> probabilities, accuracy, a table of predictions
"""
