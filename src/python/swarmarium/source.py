"""The options with which scenes are loaded."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from .notation import overrides, to_notation, whole


def options(
    seed: int | None,
    values: Mapping[str, Any],
    *,
    variables: Mapping[str, Any] | None = None,
    lenient: bool = False,
    all_groups: bool = False,
    scale: float = 0.01,
    strokes: float | str | None = None,
    robots: Mapping[str, str] | None = None,
    supervisors: Mapping[str, str] | None = None,
    allow_outside: bool = False,
    threads: int = 1,
) -> dict[str, Any]:
    """The options for the native part."""
    return {
        "seed": None if seed is None else whole("seed", seed),
        "overrides": overrides(values),
        "variables": [(name, to_notation(value)) for name, value in (variables or {}).items()],
        "lenient": lenient,
        "all_groups": all_groups,
        "scale": float(scale),
        "strokes": None if strokes is None else str(strokes),
        "robots": list((robots or {}).items()),
        "supervisors": list((supervisors or {}).items()),
        "allow_outside": allow_outside,
        "threads": whole("threads", threads),
    }


def name_of(source: str | os.PathLike[str]) -> str:
    """A source as a text."""
    return os.fspath(source)


def cores() -> int:
    """The number of cores that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1
