"""The options with which scenes are loaded."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any

from ._native import SwarmariumError
from .flags import in_python
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
    is_text: bool = False,
    controllers: Mapping[str, str] | None = None,
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
        "is_text": is_text,
        "controllers": dict(controllers or {}),
    }


def is_text(source: str | os.PathLike[str]) -> bool:
    """Whether a source is the text of a scene or a plan: a text that begins as one, and not the name of a file."""
    if not isinstance(source, str):
        return False
    begin = re.sub(r"\A(\s|//[^\n]*(\n|\Z)|/\*.*?\*/|#!\[[^\]]*\])*", "", source, flags=re.DOTALL)
    return re.match(r"((Scene|Plan)\s*)?\(", begin) is not None and (len(source) > 4000 or not os.path.exists(source))


def explained(source: str | os.PathLike[str], error: SwarmariumError, chosen: Mapping[str, Any]) -> SwarmariumError:
    """The error of a source with options, with a hint if the source looks like the text of a scene."""
    given = [name for name, value in chosen.items() if value]
    message, text = in_python(str(error), given), os.fspath(source)
    if "no such file" in message and re.search(r"[\n({]|: ", text):
        message += "; the text of a scene begins with `(`"
    return SwarmariumError(message)


def name_of(source: str | os.PathLike[str]) -> str:
    """A source as a text."""
    if not isinstance(source, (str, os.PathLike)):
        raise TypeError(f"source: expected the name of a scene, a file or the text of a scene, found {source!r}")
    return os.fspath(source)


def cores() -> int:
    """The number of cores that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1
