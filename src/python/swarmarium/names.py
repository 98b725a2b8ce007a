"""Names that users misspell."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def did_you_mean(name: object, known: Iterable[str], likeness: float = 0.6) -> str:
    """A hint at the nearest known name; empty if no name has a likeness, from 0 to 1, that is at least this.

    >>> did_you_mean("BinaryFow", ["BinaryFov", "Proximity"])
    '; did you mean `BinaryFov`?'
    """
    near = difflib.get_close_matches(str(name), list(known), n=1, cutoff=likeness)
    return f"; did you mean `{near[0]}`?" if near else ""
