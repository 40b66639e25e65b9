"""The program ``grove``."""

from __future__ import annotations

import signal
import sys

from . import _native


def main() -> int:
    """Run ``grove`` with the arguments of this process, and return its exit code."""
    # Ctrl-C ends the program as it ends one that was not started by Python.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _native.main(["grove", *sys.argv[1:]])
