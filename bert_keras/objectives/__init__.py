"""Objectives: outputs of a model and features -> sums and counts. They know no model."""
