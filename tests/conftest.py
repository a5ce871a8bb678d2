"""Settings that hold for all tests."""

import os
import signal

from hypothesis import settings

# Before TensorFlow is imported: oneDNN adds in another order, and exact tests compare sums.
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

# The same examples in every run, and no time limit: machines differ, and the first call traces.
settings.register_profile("repeatable", deadline=None, derandomize=True, database=None)
settings.load_profile("repeatable")

# A shell ignores SIGINT for its background jobs, and so would the programs that tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)
