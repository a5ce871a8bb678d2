"""Which words stood at the masked places of a text (paper, section 3.1, task 1).

task: texts with [MASK] -> ids, logits -> the likeliest words
"""
