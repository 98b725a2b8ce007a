"""The robots near each robot."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from . import _native
from .columns import Array


class Neighbours:
    """For each robot, the robots whose centres are at most a radius away, by their rows in ascending order.

    The rows of all robots follow each other in `rows`: those of robot i are `rows[starts[i] : starts[i + 1]]`, as in a
    sparse matrix (CSR). `near[i]` has them alone, and `pairs` has both rows of each pair, for sums over neighbours:

    >>> import numpy as np
    >>> import swarmarium as sw
    >>> sim = sw.load("milling", seed=1)
    >>> near = sim.neighbours(1.0)
    >>> robots, others = near.pairs
    >>> headings = sim.bind("poses")[:, 2]
    >>> sums = np.bincount(robots, np.sin(headings[others]), minlength=len(near))
    >>> sums.shape, near.counts.tolist() == [len(row) for row in near]
    ((6,), True)
    """

    def __init__(self, starts: npt.NDArray[np.int64], rows: npt.NDArray[np.int64], offsets_m: Array):
        self.starts: npt.NDArray[np.int64] = starts
        """The place of the first neighbour of each robot in `rows`, and the end: shape (robots + 1,)."""
        self.rows: npt.NDArray[np.int64] = rows
        """The rows of the neighbours: shape (pairs,)."""
        self.offsets_m: Array = offsets_m
        """Vectors from each robot to its neighbours along x and y of the arena, in metres; the shortest ones in a periodic
        arena: shape (pairs, 2)."""

    @property
    def counts(self) -> npt.NDArray[np.int64]:
        """The number of neighbours of each robot."""
        return np.diff(self.starts)

    @property
    def distances_m(self) -> Array:
        """The distances of the neighbours in metres: shape (pairs,)."""
        return np.hypot(self.offsets_m[:, 0], self.offsets_m[:, 1])

    @property
    def pairs(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The row of the robot and that of the neighbour, for each pair: two arrays of the shape (pairs,)."""
        return np.repeat(np.arange(len(self)), self.counts), self.rows

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, robot: int) -> npt.NDArray[np.int64]:
        if not -len(self) <= robot < len(self):
            raise IndexError(f"there is no row {robot}: there are {len(self)} robots")
        robot %= len(self)
        return self.rows[self.starts[robot] : self.starts[robot + 1]]

    def __iter__(self) -> Iterator[npt.NDArray[np.int64]]:
        return (self[robot] for robot in range(len(self)))

    def __repr__(self) -> str:
        return f"Neighbours({len(self)} robots, {len(self.rows)} pairs)"


def neighbours(native: _native.Simulation, robots: Sequence[int] | None, radius_m: float) -> Neighbours:
    """The neighbours of robots among each other, by their places in the sequence; of all robots without one."""
    if not isinstance(radius_m, (int, float, np.integer, np.floating)):
        raise TypeError(f"radius_m: expected a number in metres, found {radius_m!r}")
    return Neighbours(*_native.neighbours(native, robots, float(radius_m)))
