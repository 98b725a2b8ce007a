"""Objects that live in one process."""

from __future__ import annotations

from typing import NoReturn


def refuse(name: str, instead: str) -> NoReturn:
    """Refuses to pickle or copy an object.

    Raises:
        TypeError: always, with another way.
    """
    raise TypeError(f"cannot pickle or copy a {name} of swarmarium: {instead}")
