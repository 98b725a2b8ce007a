"""The kinds of Swarmarium that stand for classes of MORSE."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..notation import quoted, to_notation


@dataclass(frozen=True)
class Option:
    """The field of a kind for a property of MORSE."""

    field: str
    write: Callable[[Any], str]
    """The value in the notation of scenes.

    Raises:
        ValueError, TypeError: for a value of another type.
    """


def number(name: str, factor: float = 1.0) -> Option:
    """A number, in another unit by a factor."""
    return Option(name, lambda value: to_notation(float(value) * factor if factor != 1.0 else float(value)))


def flag(name: str) -> Option:
    """A truth value."""
    return Option(name, lambda value: to_notation(str(value).lower() in ("true", "1")))


def text(name: str) -> Option:
    """A text."""
    return Option(name, lambda value: quoted(str(value)))


def texts(name: str) -> Option:
    """A list of texts, or one."""

    def write(value: Any) -> str:
        return to_notation([quoted(str(one)) for one in ([value] if isinstance(value, str) else value) if one])

    return Option(name, write)


def choice(name: str) -> Option:
    """A choice, whose name is that of MORSE with a capital."""
    return Option(name, lambda value: str(value).capitalize())


@dataclass(frozen=True)
class Counterpart:
    """A kind for a class of MORSE."""

    kind: str
    options: Mapping[str, Option] = field(default_factory=dict)
    """Fields for properties."""
    is_mounted: bool = False
    """Whether the kind has a place on its robot."""
    ignored: tuple[str, ...] = ()
    """Properties that change only the appearance."""
    usual: Mapping[str, Any] = field(default_factory=dict)
    """Properties without a counterpart, with the value that the kind has."""
    note: str = ""
    """The difference to MORSE that every use has, if there is one."""
