"""Classes of users' own that imported worlds name: notes of the scene keep their names and parameters."""

from __future__ import annotations

import inspect
import os
import re
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np

from . import _native
from .columns import Array
from .loading import load as load_scene
from .notation import from_notation
from .simulation import Simulation


def load(
    source: str | os.PathLike[str], seed: int | None, classes: Iterable[type], options: dict[str, Any]
) -> tuple[Simulation, Classes]:
    """Loads a world and its classes, without the warnings about them."""
    given = Classes(classes)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        simulation = load_scene(source, seed, **options)
    for warning in caught:
        text = str(warning.message)
        if "It is read as a Python class" in text:
            given.replaced.append(text)
        else:
            warnings.warn(warning.message, stacklevel=3)
    return simulation, given


def notes_of(simulation: Simulation, group: str) -> dict[str, str]:
    """The notes on a group: texts by name, without the name of the group."""
    prefix = f"{group}."
    notes = simulation._native.notes()
    return {name.removeprefix(prefix): text for name, text in notes if name.startswith(prefix)}


def named(notes: dict[str, str]) -> dict[str, str]:
    """The names of the classes by part, such as `controller` or `sensor_0`."""
    types = ((name.rpartition("."), text) for name, text in notes.items())
    return {
        part: text
        for (part, _, last), text in types
        if last == "type" and (part == "controller" or part.startswith("sensor_"))
    }


class Classes:
    """The classes that a user gives to a world."""

    def __init__(self, classes: Iterable[type]):
        self._given = list(dict.fromkeys([classes] if isinstance(classes, type) else classes))
        for cls in self._given:
            if not isinstance(cls, type):
                raise _native.SwarmariumError(f"classes: expected classes, found {cls!r}")
        self._unused = dict.fromkeys(self._given)
        self.replaced: list[str] = []
        """Warnings about the classes of the world."""
        self.registered: dict[str, type] = {}
        """Classes that are known besides those that are given, by name."""

    def find(self, name: str, group: str) -> type:
        """The class of a name, which can have a module before it: it tells classes of the same name apart."""
        module, _, name_only = name.rpartition(".")
        found = [cls for cls in self._given if cls.__name__ == name_only]
        exact = [cls for cls in found if cls.__module__ == module]
        found = exact or found
        if not found and name_only in self.registered:
            return self.registered[name_only]
        if not found:
            names = [cls.__name__ for cls in self._given]
            given = ", ".join(sorted(names)) or "none"
            raise _native.SwarmariumError(f"the group {group} names the class {name}: the given classes are {given}{self._hint(name)}")
        if len(found) > 1:
            modules = ", ".join(cls.__module__ for cls in found)
            raise _native.SwarmariumError(f"the group {group} names the class {name}: it is in several modules, {modules}")
        self._unused.pop(found[0], None)
        return found[0]

    def _hint(self, name: str) -> str:
        """The class of the program with a similar name."""
        near = (re.search(f"`{re.escape(name)}`; did you mean (`[^`]+`)", text) for text in self.replaced)
        return next((f"; did you mean {found[1]}, which needs no class?" for found in near if found), "")

    def warn_of_unused(self) -> None:
        """Warns of classes that no group got. The program has its own counterparts of known classes."""
        for cls in self._unused:
            warnings.warn(f"no group of the world waits for the class {cls.__name__}: it is not used", stacklevel=3)


def command(returned: Any, function: str) -> Array:
    """The two numbers of a command that a method of a class returned."""
    try:
        numbers = np.asarray(returned, dtype=float)
        if numbers.shape == (2,) and not np.isnan(numbers).any():
            return numbers
    except (TypeError, ValueError):
        pass
    raise _native.SwarmariumError(f"{function} returned {returned!r}: expected 2 numbers")


def takes(cls: type, name: str) -> bool:
    """Whether a class can be made with a parameter of this name."""
    accepted = inspect.signature(cls).parameters
    return name in accepted or any(one.kind is one.VAR_KEYWORD for one in accepted.values())


def check_parameters(cls: type, names: Iterable[str]) -> None:
    """Refuses parameters that a class does not take."""
    for name in names:
        if not takes(cls, name):
            known = ", ".join(inspect.signature(cls).parameters) or "nothing"
            raise _native.SwarmariumError(f"{cls.__name__} takes no `{name}`: it takes {known}")


def parameters(notes: dict[str, str], part: str) -> dict[str, Any]:
    """The parameters of a class from notes such as `controller.target.0`."""
    tree: dict[str, Any] = {}
    prefix = f"{part}."
    for name, text in notes.items():
        if name.startswith(prefix) and name != f"{prefix}type":
            *path, last = name.removeprefix(prefix).split(".")
            place = tree
            for step in path:
                place = place.setdefault(step, {})
            place[last] = None if text == "null" else from_notation(text)
    return {name: _lists(value) for name, value in tree.items()}


def _lists(value: Any) -> Any:
    """Maps with the keys 0, 1, … as lists."""
    if not isinstance(value, dict):
        return value
    inside = {key: _lists(one) for key, one in value.items()}
    if set(inside) == {str(place) for place in range(len(inside))}:
        return [inside[str(place)] for place in range(len(inside))]
    return inside
