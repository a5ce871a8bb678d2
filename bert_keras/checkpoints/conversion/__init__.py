"""One format into another: what is carried over, what changes, whether it computes the same."""
