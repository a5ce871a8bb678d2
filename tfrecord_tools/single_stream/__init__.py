"""The original's algorithm: one process, one random stream, its records byte for byte."""
