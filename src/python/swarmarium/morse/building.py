"""The state of a builder script while it runs."""

from __future__ import annotations

import math
import os
import re
import sys
import threading
from dataclasses import dataclass, field
from functools import cached_property
from types import FrameType
from typing import TYPE_CHECKING, Any

from .. import _native
from . import files
from .errors import refuse

if TYPE_CHECKING:
    from .component import AbstractComponent
    from .environment import Environment

_RUNNER = f"{__package__}.script"
"""The module that runs scripts. Its callers are other programs."""

_NUMBERED = re.compile(r"(.*)([._])(\d{3,})", re.DOTALL)

Place = tuple[str, int]
"""A module beside the script, or an empty text for the script itself, and a line."""


@dataclass(frozen=True)
class Remark:
    """A remark on a line of the script."""

    file: str
    line: int
    message: str


class Names:
    """The names of objects. The first free one of a series is found without a look at those before it."""

    def __init__(self) -> None:
        self._names: set[str] = set()
        # The numbers below which no name of a series is free, by the wanted name and the separator.
        self._numbers: dict[tuple[str, str], int] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._names

    def add(self, name: str) -> None:
        """Takes a name."""
        self._names.add(name)

    def discard(self, name: str) -> None:
        """Frees a name."""
        self._names.discard(name)
        numbered = _NUMBERED.fullmatch(name)
        series = [((name, separator), 0) for separator in "._"]
        if numbered:
            series.append(((numbered[1], numbered[2]), int(numbered[3])))
        for key, number in series:
            if number < self._numbers.get(key, 0):
                self._numbers[key] = number

    def free(self, wanted: str, separator: str) -> str:
        """The first name of `wanted`, `wanted.001`, `wanted.002`, … that is free."""
        key = (wanted, separator)
        number = self._numbers.get(key, 0)
        while (name := f"{wanted}{separator}{number:03}" if number else wanted) in self._names:
            number += 1
        self._numbers[key] = number
        return name


@dataclass
class Building:
    """Everything that a script has made."""

    script: str
    """The absolute path of the script."""
    thread: int = field(default_factory=threading.get_ident)
    """The thread of the script."""
    components: list[AbstractComponent] = field(default_factory=list)
    environments: list[Environment] = field(default_factory=list)
    losses: dict[Remark, None] = field(default_factory=dict)
    looks: set[Place] = field(default_factory=set)
    """Places of calls that only change the appearance of the simulation."""
    object_names: Names = field(default_factory=Names)
    stream_managers: dict[str, dict[str, Any]] = field(default_factory=dict)
    simulation_services: list[str] = field(default_factory=list)
    base_frequency_hz: float | None = None
    steps_per_frame: int | None = None

    def place(self) -> Place:
        """The line of the user that is being run."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and frame.f_globals.get("__name__") != _RUNNER:
            file = frame.f_code.co_filename
            if self.is_of_user(file):
                return self.shown(file), frame.f_lineno
            frame = frame.f_back
        return "", 1

    @cached_property
    def folder(self) -> str:
        """The folder of the script."""
        return os.path.dirname(self.script)

    def is_of_user(self, file: str) -> bool:
        """Whether code is of the user: of the script or a module, and not of a library."""
        return files.is_of_user(file, self.folder)

    def shown(self, file: str) -> str:
        """A file as messages name it: relative to the folder of the script, and empty for the script."""
        path = os.path.abspath(file)
        return "" if path == self.script else path.removeprefix(os.path.join(self.folder, ""))

    def lose(self, message: str, place: Place | None = None) -> None:
        """Notes a part of the script that the scene does not have. Each message has each line once.

        Other threads of the program than that of the script note nothing.
        """
        if threading.get_ident() != self.thread:
            return
        file, line = place or self.place()
        self.losses.setdefault(Remark(file, line, message))

    def set_frequency(self, frequency_hz: float, steps_per_frame: int) -> None:
        """Sets the number of steps in a second, and the most steps of a frame.

        Raises:
            MorseBuilderError: if the frequency is not above 0, or is not finite.
        """
        found = float(frequency_hz)
        if not (math.isfinite(found) and found > 0.0):
            raise refuse(f"the frequency of steps is a number above 0, in hertz: found {found!r}")
        self.base_frequency_hz, self.steps_per_frame = found, int(steps_per_frame)

    def change_looks(self) -> None:
        """Notes that a line changes only the appearance."""
        if threading.get_ident() != self.thread:
            return
        self.looks.add(self.place())

    def new_name(self, wanted: str) -> str:
        """A name for an object that no other object has: with `.001`, `.002`, …, as Blender does it."""
        name = self.object_names.free(wanted, ".")
        self.object_names.add(name)
        return name


_running: list[Building] = []


def current() -> Building:
    """The script that is running.

    Raises:
        SwarmariumError: outside `swarmarium.morse`.
    """
    if not _running:
        raise _native.SwarmariumError("the classes of MORSE's builder work only in scripts that swarmarium.morse loads")
    return _running[-1]


def begin(script: str) -> Building:
    """Begins a script."""
    _running.append(Building(os.path.abspath(script)))
    return _running[-1]


def end() -> None:
    """Ends the script that began last."""
    _running.pop()
