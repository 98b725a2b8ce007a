"""Records about a simulation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

from . import _native, pickling


@dataclass(frozen=True)
class Agent:
    """A robot of a simulation."""

    number: int
    """The number of the robot (its identity), which never changes."""
    name: str
    """The name: that of its group, with a number in it."""
    group: str
    """The name of its group."""


@dataclass(frozen=True)
class LoggedEdit:
    """A change from outside, as in the edit file of a run."""

    step: int
    """The step at whose start it was applied, counted from 1."""
    edit: str
    """The edit, in the notation of edit files."""


@dataclass(frozen=True)
class Event:
    """An entry of the log of events, such as a collision."""

    step: int
    """The step at whose end it was logged."""
    t_s: float
    """The simulated time in seconds."""
    agent: int
    """The number of the robot (its identity)."""
    text: str
    """The words of the log."""


class Snapshot:
    """A copy of the state of a simulation at the end of a step, for `Simulation.restore`."""

    def __init__(self, native: _native.Snapshot):
        self._native = native

    @property
    def step(self) -> int:
        """The number of steps until then."""
        return self._native.step

    def __repr__(self) -> str:
        return f"Snapshot(step={self.step})"

    def __reduce__(self) -> NoReturn:
        pickling.refuse("Snapshot", "send the scene, the seed and the number of steps, or save the run with `Simulation.save`")
