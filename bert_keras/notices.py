"""What a program tells its user that is neither a result nor an error."""

import functools
import sys

from tqdm import tqdm


def notify(line: str) -> None:
    """Prints a notice on stderr, above a progress bar if one is shown."""
    tqdm.write(f"notice: {line}", file=sys.stderr)


@functools.cache
def notify_once(line: str) -> None:
    """Prints a notice, unless this process has printed it before."""
    notify(line)
