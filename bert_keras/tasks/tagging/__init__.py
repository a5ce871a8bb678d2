"""Tagging: a label for each word of a sentence, such as named entities (paper, section 5.3)."""
