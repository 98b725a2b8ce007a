"""The program `swarmarium`, without its window: `python -m swarmarium`."""

import signal
import sys

from . import _native


def main() -> None:
    """Runs the program with the arguments of the process."""
    # The program handles Ctrl-C itself.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(_native.program(["swarmarium", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
