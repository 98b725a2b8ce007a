"""The notation of values in scene files, and Python values."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np


def to_notation(value: Any) -> str:
    """Writes a value as a scene file does.

    Numbers, truth values and `None` are written as such, tuples as `(1, 2)`, lists and arrays as `[1, 2]`. A text is taken
    as it is: `"Disc(radius_m: 0.1)"` is a disc. A text value needs quotes of its own: `'"blue"'`.
    """
    if value is None:
        return "None"
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return _number(float(value))
    if isinstance(value, str):
        return value
    if isinstance(value, tuple):
        return "(" + ", ".join(map(to_notation, value)) + ")"
    if isinstance(value, np.ndarray):
        return to_notation(value.tolist())
    if isinstance(value, Iterable) and not isinstance(value, (bytes, Mapping)):
        return "[" + ", ".join(map(to_notation, value)) + "]"
    raise TypeError(f"{value!r} has no notation in a scene: expected a number, a text, a tuple or a list")


def _number(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    return repr(value) if math.isfinite(value) else ("inf" if value > 0 else "-inf")


def from_notation(text: str) -> Any:
    """Reads a value as a scene file has it: numbers, truth values and texts in quotes; anything else stays a text."""
    if text in ("true", "false"):
        return text == "true"
    if text.startswith('"') and text.endswith('"'):
        return json.loads(text)
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            pass
    return text


def overrides(values: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Paths or names of constants, with their values in the notation of scenes."""
    return [(path, to_notation(value)) for path, value in values.items()]
