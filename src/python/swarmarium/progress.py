"""Progress of long calls, and messages of the program."""

from __future__ import annotations

import logging
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any, Union

LOGGER = logging.getLogger("swarmarium")
"""The logger of the package: warnings about runs, and progress at the level `INFO`."""

ProgressFunction = Callable[[int, int], object]
"""A function that gets the number of finished units, such as runs or frames, and their total."""

Progress = Union[bool, ProgressFunction, None]
"""Whether a long call shows its progress: a function, `True` for a bar of tqdm (or lines in the log without it), `False` for
nothing. `None` shows a bar after a second in a terminal or a notebook, if tqdm is installed."""

_LOG_EVERY_S = 10.0


class Reporter:
    """Shows the progress of a call; a context that ends the bar."""

    def __init__(self, name: str, progress: Progress):
        self._name, self._progress = name, progress
        self._bar: Any = None
        self._unit = ""
        self._logged_at = time.monotonic()

    def __call__(self, unit: str, done: int, total: int | None) -> None:
        """Reports finished units."""
        if callable(self._progress):
            if total is not None:
                self._progress(done, total)
        elif self._progress is not False:
            self._show(unit, done, total)

    def _show(self, unit: str, done: int, total: int | None) -> None:
        if unit != self._unit:
            self.close()
            self._unit, self._bar = unit, _bar(unit, total, self._progress is True)
        if self._bar is not None:
            self._bar.update(done - self._bar.n)
        elif time.monotonic() - self._logged_at >= _LOG_EVERY_S:
            self._logged_at = time.monotonic()
            LOGGER.info("%s: %s of %s %s", self._name, done, "?" if total is None else total, unit)

    def close(self) -> None:
        """Ends the bar."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def __enter__(self) -> Reporter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _bar(unit: str, total: int | None, is_wanted: bool) -> Any:
    """A bar of tqdm, or `None`."""
    if not (is_wanted or _is_interactive()):
        return None
    try:
        from tqdm.auto import tqdm
    except ImportError:
        if is_wanted:
            warnings.warn("progress=True needs tqdm for a bar (pip install tqdm): progress goes to the log", stacklevel=6)
        return None
    return tqdm(total=total, unit=f" {unit}", leave=False, delay=1.0)


def _is_interactive() -> bool:
    """Whether a user looks at the output: in a terminal or in a notebook."""
    shell = sys.modules.get("IPython")
    running = shell.get_ipython() if shell is not None else None
    if type(running).__name__ == "ZMQInteractiveShell":
        return True
    return sys.stderr is not None and sys.stderr.isatty()


def tell(message: str) -> None:
    """Logs a message of the program."""
    LOGGER.warning("%s", message)
