"""Stored models of other vocabularies, lengths and depths, made from those that there are.

Each operation is a function `StoredModel -> StoredModel`. It computes a tensor when that is read;
what it does not change is read as before. Formats do not matter: names are the original's.
"""
