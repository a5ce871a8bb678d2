"""Training: one step, the loop that runs it, devices, checkpoints of a run, and reports."""
