"""Checkpoints: weights from and to files, ours and those of others."""
