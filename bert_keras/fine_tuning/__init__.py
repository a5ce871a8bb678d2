"""A pretrained model learns a task: one more layer, all weights trained (paper, section 3.2)."""
