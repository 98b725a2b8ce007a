"""Classes of users' own that imported worlds name: notes of the scene keep their names and parameters."""

from __future__ import annotations

import inspect
import os
import re
import warnings
from collections.abc import Iterable
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from . import _native
from .control import Array, Group, Robot
from .notation import from_notation
from .simulation import Agent, Simulation
from .simulation import load as load_scene


class Driven(Protocol):
    """A robot with instances of users' classes."""

    robot: Robot


T = TypeVar("T", bound=Driven)


class Driver(Generic[T]):
    """Drives the robots of a group with instances of users' classes. Robots that stay keep theirs."""

    def __init__(self, simulation: Simulation, group: str):
        self._simulation, self._group = simulation, group
        self.reset()

    def reset(self) -> None:
        """Forgets everything, for a new start."""
        self._population: Any = None
        self.driven: dict[int, T] = {}

    def begin(self, member: Agent, robot: Robot) -> T:
        """Gives a new robot its instances."""
        raise NotImplementedError

    def follow(self, group: Group) -> bool:
        """Follows the population; returns whether it has changed."""
        population = self._simulation._native.population()
        if population == self._population:
            return False
        driven_now: dict[int, T] = {}
        members = (agent for agent in self._simulation.agents if agent.group == self._group)
        for row, member in enumerate(members):
            robot = Robot(group, row, member.number)
            driven = self.driven.get(member.number)
            if driven is None:
                driven = self.begin(member, robot)
            driven.robot = robot
            driven_now[member.number] = driven
        self._population, self.driven = population, driven_now
        return True


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
        self._given = [classes] if isinstance(classes, type) else list(classes)
        for cls in self._given:
            if not isinstance(cls, type):
                raise _native.SwarmariumError(f"classes: expected classes, found {cls!r}")
        self._unused = dict.fromkeys(self._given)
        self.replaced: list[str] = []
        """Warnings about the classes of the world."""

    def find(self, name: str, group: str) -> type:
        """The class of a name, which can have a module before it: it tells classes of the same name apart."""
        module, _, name_only = name.rpartition(".")
        found = [cls for cls in self._given if cls.__name__ == name_only]
        exact = [cls for cls in found if cls.__module__ == module]
        found = exact or found
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
        near = (re.search(f"`{re.escape(name)}`, did you mean (`[^`]+`)", text) for text in self.replaced)
        return next((f"; did you mean {found[1]}, which needs no class?" for found in near if found), "")

    def warn_of_unused(self) -> None:
        """Warns of classes that no group got. The program has its own counterparts of known classes."""
        for cls in self._unused:
            warnings.warn(f"no group of the world waits for the class {cls.__name__}: it is not used", stacklevel=3)


def command(returned: Any, width: int, function: str) -> Array:
    """The numbers of a command that a method of a class returned."""
    try:
        numbers = np.asarray(returned, dtype=float)
        if numbers.shape == (width,) and not np.isnan(numbers).any():
            return numbers
    except (TypeError, ValueError):
        pass
    raise _native.SwarmariumError(f"{function} returned {returned!r}: expected {width} numbers")


def checked(cls: type, options: Iterable[str]) -> bool:
    """Whether a class takes anything.

    Raises:
        SwarmariumError: if it lacks one of the named parameters.
    """
    accepted = inspect.signature(cls).parameters
    takes_any = any(one.kind is one.VAR_KEYWORD for one in accepted.values())
    unknown = [] if takes_any else [name for name in options if name not in accepted]
    if unknown:
        raise _native.SwarmariumError(f"{cls.__name__} takes no `{unknown[0]}`: it takes {', '.join(accepted) or 'nothing'}")
    return takes_any


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
            place[last] = from_notation(text)
    return {name: _lists(value) for name, value in tree.items()}


def _lists(value: Any) -> Any:
    """Maps with the keys 0, 1, … as lists."""
    if not isinstance(value, dict):
        return value
    inside = {key: _lists(one) for key, one in value.items()}
    if set(inside) == {str(place) for place in range(len(inside))}:
        return [inside[str(place)] for place in range(len(inside))]
    return inside
