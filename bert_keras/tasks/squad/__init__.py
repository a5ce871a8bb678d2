"""Questions whose answer is a span of a text: SQuAD 1.1 and 2.0 (paper, sections 4.2 and 4.3)."""
