"""The notation of values in scene files, and Python values."""

from __future__ import annotations

import math
import operator
import re
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
        return _unquoted(text[1:-1])
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            pass
    return text


_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "0": "\0"}


def _unquoted(text: str) -> str:
    """The inside of a text in quotes, without its escapes."""

    def plain(found: re.Match[str]) -> str:
        code, letter = found.groups()
        return chr(int(code, 16)) if code else _ESCAPES.get(letter, letter)

    return re.sub(r"\\(?:u\{([0-9a-fA-F]+)\}|(.))", plain, text)


def quoted(text: str) -> str:
    """A text in quotes, as a scene file has it."""
    escaped = re.sub(r'(["\\])', r"\\\1", text)
    return '"' + escaped.replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t") + '"'


def whole(name: str, value: Any, least: int = 0) -> int:
    """A whole number that is not negative, or at least a number.

    Raises:
        ValueError: if it is smaller, too large or no whole number.
    """
    try:
        found = operator.index(value)
    except TypeError:
        raise ValueError(f"{name}: expected a whole number, found {value!r}") from None
    if 0 <= found < least:
        raise ValueError(f"{name}: expected at least {least}, found {found}")
    if not 0 <= found < 2**64:
        raise ValueError(f"{name}: expected a number from {least} to 2^64 - 1, found {found}")
    return found


def seconds(name: str, value: Any) -> float:
    """A time in seconds.

    Raises:
        ValueError: if it is negative, not finite or no number.
    """
    try:
        found = math.nan if isinstance(value, str) else float(value)
    except (TypeError, ValueError):
        found = math.nan
    if not 0.0 <= found < math.inf:
        raise ValueError(f"{name}: expected a number of seconds of at least 0, found {value!r}")
    return found


def overrides(values: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Paths or names of constants, with their values in the notation of scenes."""
    if not isinstance(values, Mapping):
        raise TypeError(f"set: expected a mapping from paths to values, such as {{'seed': 3}}, found {values!r}")
    return [(path, to_notation(value)) for path, value in values.items()]


def fields_of_edit(edit: str, fields: Mapping[str, Any]) -> str:
    """Fields of an edit in the notation of edit files: texts have quotes, except the names of failures and forms."""

    def text(name: str, value: Any) -> str:
        is_name = (edit, name) in {("Fault", "failure"), ("Command", "form"), ("Output", "output")}
        if name == "value" and edit == "Set":
            value = to_notation(value)
        return quoted(value) if isinstance(value, str) and not is_name else to_notation(value)

    return ", ".join(f"{name}: {text(name, value)}" for name, value in fields.items())
