"""Pre-training on TFRecords: what `run_pretraining` does (paper, section 3.1)."""
