"""Sentences with names that a tiny model learns to find in seconds, and files of them."""

import numpy as np


def sentences(num_sentences, seed):
    """Rows of word and tag. Names begin with x and go on with y; one word has no piece."""
    random = np.random.default_rng(seed)
    for _ in range(num_sentences):
        rows = []
        for _ in range(random.integers(1, 9)):
            rows.append((random.choice([*"abcdm", "\u200b", "bad"]), "O"))
            if random.random() < 0.3:
                rows += [("x" + random.choice([*"abc"]), "B-PER"), ("y", "I-PER")]
        yield rows


def write(path, sentences):
    """Writes rows of columns; returns the path."""
    path.write_text("".join("\n".join(map("\t".join, rows)) + "\n\n" for rows in sentences))
    return str(path)
