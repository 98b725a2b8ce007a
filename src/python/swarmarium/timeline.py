"""The past of a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from . import displays, pickling
from .notation import whole

if TYPE_CHECKING:
    from .simulation import Simulation


@dataclass(frozen=True)
class Branch:
    """One future of a run."""

    name: str
    """The name."""
    parent: str | None
    """The branch that it leaves."""
    leaves_at: int
    """The step at which it leaves its parent; 0 for a root."""
    end: int
    """Its last step."""


@dataclass(frozen=True)
class Bookmark:
    """A moment with a name."""

    name: str
    """The name."""
    branch: str
    """The branch of the moment."""
    step: int
    """The step at whose end it is."""


class Timeline:
    """The past of a simulation: you can go to every step and begin another future there.

    A change of the past begins a branch; nothing is lost.
    """

    def __init__(self, simulation: Simulation):
        """Keeps the past of a simulation; `Simulation.timeline` makes one."""
        self._simulation, self._native = simulation, simulation._native
        self._native.keep_past()

    def seek(self, at: int | str) -> Simulation:
        """Goes to a moment, to the last bit. Returns the simulation.

        Args:
            at: a step of the present branch; a time, such as `"35s"`; or the name of a bookmark, which may be that of
                another branch.

        Commands that were written into arrays since the last step are forgotten.

        Raises:
            ValueError: if the step is no whole number, or if there is no such moment.

        >>> import swarmarium as sw
        >>> sim = sw.load("milling", seed=1).step(20)
        >>> timeline = sim.timeline
        >>> timeline.seek(5).steps, timeline.seek("0.1s").steps
        (5, 4)
        """
        self._native.seek(at if isinstance(at, str) else str(whole("at", at)))
        return self._simulation

    def switch(self, branch: str, step: int | None = None) -> Simulation:
        """Goes to a step of a branch, by default to its last one.

        >>> import swarmarium as sw
        >>> sim = sw.load("milling", seed=1).step(20)
        >>> timeline = sim.timeline
        >>> timeline.seek(5).apply("Move", agent=2, x_m=4.0, y_m=4.5, heading_rad=1.0).step(5).steps
        10
        >>> timeline.switch("main").steps
        20
        """
        self._native.switch(branch, None if step is None else whole("step", step))
        return self._simulation

    def fork(self, name: str | None = None) -> str:
        """Begins a branch at the present moment, and returns its name.

        >>> import swarmarium as sw
        >>> sim = sw.load("milling", seed=1).step(20)
        >>> timeline = sim.timeline
        >>> timeline.seek(5).steps, timeline.fork("other")
        (5, 'other')
        """
        return self._native.fork(name)

    @property
    def end(self) -> int:
        """The last step of the present branch."""
        return self._native.live_end()

    @property
    def branch(self) -> str:
        """The name of the present branch."""
        return self._native.branches()[1]

    @property
    def branches(self) -> list[Branch]:
        """All branches, oldest first."""
        found = []
        for name, parent, end in self._native.branches()[0]:
            left, step = parent or (None, 0)
            found.append(Branch(name, left, step, end))
        return found

    def bookmark(self, name: str) -> None:
        """Gives the present moment a name.

        >>> import swarmarium as sw
        >>> sim = sw.load("milling", seed=1).step(20)
        >>> timeline = sim.timeline
        >>> timeline.bookmark("the crowd")
        >>> timeline.bookmarks
        [Bookmark(name='the crowd', branch='main', step=20)]
        """
        self._native.bookmark(name)

    @property
    def bookmarks(self) -> list[Bookmark]:
        """All bookmarks, oldest first."""
        return [Bookmark(*mark) for mark in self._native.bookmarks()]

    def _repr_html_(self) -> str:
        return displays.of_timeline(self, self._simulation.steps)

    def __reduce__(self) -> NoReturn:
        pickling.refuse("Timeline", "save the run with `Simulation.save`: its folder has the branches and bookmarks")

    def __repr__(self) -> str:
        names = ", ".join(branch.name for branch in self.branches)
        return f"Timeline(step {self._simulation.steps} of {self.end} on {self.branch!r}; branches: {names})"
