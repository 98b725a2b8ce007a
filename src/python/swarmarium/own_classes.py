"""Classes of users' own that imported worlds name: notes of the scene keep their names and parameters."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable
from typing import Any, Generic, Protocol, TypeVar

from . import _native
from .control import Group, Robot
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
        self._population = population
        known, self.driven = self.driven, {}
        members = (agent for agent in self._simulation.agents if agent.group == self._group)
        for row, member in enumerate(members):
            robot = Robot(group, row, member.number)
            driven = known.get(member.number)
            if driven is None:
                driven = self.begin(member, robot)
            driven.robot = robot
            self.driven[member.number] = driven
        return True


def load(source: str | os.PathLike[str], seed: int | None, options: dict[str, Any]) -> Simulation:
    """Loads a world without warnings about classes, as their classes are here."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*It is read as a Python class.*")
        return load_scene(source, seed, **options)


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
        self._by_name = {cls.__name__: cls for cls in classes}
        self._unused = dict.fromkeys(self._by_name)

    def find(self, name: str, group: str) -> type:
        """The class of a name, which can have a module before it."""
        name_only = name.rpartition(".")[2]
        found = self._by_name.get(name_only)
        if found is None:
            given = ", ".join(sorted(self._by_name)) or "none"
            raise _native.SwarmariumError(f"the group {group} names the class {name}: the given classes are {given}")
        self._unused.pop(name_only, None)
        return found

    def warn_of_unused(self) -> None:
        """Warns of classes that no group got. The program has its own counterparts of known classes."""
        for name in self._unused:
            message = f"no group lacks the class {name}: `drive` gives it to a group, in place of the controller of the program"
            warnings.warn(message, stacklevel=3)


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
