"""The verbs of the command line, called from Python."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from . import _native
from .notation import to_notation

RUNS_FAILED = 3
"""The exit status of the program if some runs failed."""


def run_verb(verb: str, source: str, flags: Mapping[str, Any], *, may_fail: bool = False) -> None:
    """Runs a verb with flags.

    Args:
        verb: such as `record`.
        source: the file or name after the verb.
        flags: `{"duration": 10, "light": True, "plot": ["circliness"]}` are the flags of the command line
            `--duration 10 --light --plot circliness`.
        may_fail: whether some runs can fail: their rows say so.

    Raises:
        SwarmariumError: with the message of the program.
        KeyboardInterrupt: after Ctrl-C; files that were written are valid.
    """
    status = _native.verb(["swarmarium", verb, source, "--quiet", *words(flags)])
    if status != 0 and not (may_fail and status == RUNS_FAILED):
        raise _native.SwarmariumError(f"{verb} ended with the exit status {status}")


def words(flags: Mapping[str, Any]) -> list[str]:
    """Flags as words of a command line."""
    found: list[str] = []
    for name, value in flags.items():
        flag = f"--{name.replace('_', '-')}"
        if value is None or value is False:
            continue
        if value is True:
            found.append(flag)
        elif isinstance(value, Mapping):
            found += [f"{flag}={path}={to_notation(one)}" for path, one in value.items()]
        elif isinstance(value, (list, set)):
            found += [f"{flag}={text(one)}" for one in value]
        else:
            found.append(f"{flag}={text(value)}")
    return found


def text(value: Any) -> str:
    """A value of a flag."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, tuple):
        return "x".join(map(text, value))
    return value if isinstance(value, str) else to_notation(value)


def sequence(values: Iterable[Any]) -> str:
    """Values separated by commas."""
    return ",".join(to_notation(value) for value in values)
