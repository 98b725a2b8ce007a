"""The verbs of the command line, called from Python."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from . import _native
from .flags import FLAGS, SWITCHES, in_python
from .notation import to_notation
from .progress import Progress, Reporter, tell
from .source import is_text

RUNS_FAILED = 3
"""The exit status of the program if some runs failed."""

Drive = tuple[Callable[[_native.Simulation, Sequence[tuple[str, str, str]]], Callable[[], object]], dict[str, str]]
"""A function that begins the runs of a sweep with controllers in Python, and the names of the controllers by group. It gets the
simulation, and the values of parameters of controllers: group, name, and value in the notation of scenes."""


def run_verb(
    verb: str,
    source: str | os.PathLike[str],
    flags: Mapping[str, Any],
    *,
    may_fail: bool = False,
    progress: Progress = None,
    drive: Drive | None = None,
) -> int:
    """Runs a verb with flags, and returns its exit status. Its messages go to the logger `swarmarium`.

    Args:
        verb: such as `record`.
        source: the file or name after the verb, or the text of a scene.
        flags: `{"duration": 10, "light": True, "plot": ["circliness"]}` are the flags of the command line
            `--duration 10 --light --plot circliness`.
        may_fail: whether some runs can fail: their rows say so.
        progress: see `progress.Progress`.
        drive: controllers of the runs of a sweep.

    Raises:
        SwarmariumError: with the message of the program.
        KeyboardInterrupt: after Ctrl-C; files that were written are valid.
    """
    with contextlib.ExitStack() as stack:
        name = os.fspath(source)
        if is_text(source):
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="swarmarium-"))
            name = os.path.join(folder, "scene.ron")
            with open(name, "x", encoding="utf-8") as file:
                file.write(os.fspath(source))
        report = stack.enter_context(Reporter(verb, progress))
        given = words(flags)
        try:
            status = _native.verb(["swarmarium", verb, name, "--quiet", *given], tell, report, drive)
        except _native.SwarmariumError as error:
            raise _native.SwarmariumError(in_python(str(error), flags)) from None
    if status != 0 and not (may_fail and status == RUNS_FAILED):
        raise _native.SwarmariumError(f"{verb} ended with the exit status {status}")
    return status


def words(flags: Mapping[str, Any]) -> list[str]:
    """Flags as words of a command line."""
    found: list[str] = []
    for name, value in flags.items():
        flag = f"--{FLAGS.get(name, name).replace('_', '-')}"
        if value is None or value is False:
            continue
        if name in SWITCHES and value is not True:
            raise _native.SwarmariumError(f"{name}: expected True or False, found {value!r}")
        if value is True:
            found.append(flag)
        elif isinstance(value, Mapping):
            found += [f"{flag}={path}={to_notation(one)}" for path, one in value.items()]
        elif name == "seeds" and not isinstance(value, str):
            if not isinstance(value, Iterable):
                raise _native.SwarmariumError(f"seeds: expected a list of seeds, or a range such as '1..=10', found {value!r}")
            found.append(f"{flag}={sequence(value)}")
        elif isinstance(value, (list, set, range)):
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
