"""The state of a builder script while it runs."""

from __future__ import annotations

import math
import os
import sys
import threading
from dataclasses import dataclass, field
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

Place = tuple[str, int]
"""A module beside the script, or an empty text for the script itself, and a line."""


@dataclass(frozen=True)
class Remark:
    """A remark on a line of the script."""

    file: str
    line: int
    message: str


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
    object_names: set[str] = field(default_factory=set)
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

    @property
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
        name, number = wanted, 0
        while name in self.object_names:
            number += 1
            name = f"{wanted}.{number:03}"
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
