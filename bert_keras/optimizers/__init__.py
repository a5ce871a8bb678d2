"""Optimizers and learning-rate schedules of the papers, where Keras' own differ."""
