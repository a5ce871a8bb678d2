"""Features for other models: what chosen layers make of the tokens of each line of a text file.

`extract_features.py` of google-research/bert (paper, section 5.4).

lines: lines of text -> sequences of ids
layers: the outputs of chosen layers as a model
writers: JSON lines of the original, npz, Parquet
job: all of it, pool by pool
"""
