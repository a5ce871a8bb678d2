"""Corpus -> counted words, and what a vocabulary covers of them; for `learn_vocabulary`."""
