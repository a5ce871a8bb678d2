"""What a model makes of a text, as numbers for other models.

embedding: a vector for a text (Sentence-BERT, arXiv:1908.10084)
features: vectors for its tokens (paper, section 5.3)
"""
