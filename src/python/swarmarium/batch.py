"""Many simulations at once."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn, Union

import numpy as np
import numpy.typing as npt

from . import _native, displays, messages, pickling
from .columns import Array, ColumnName, Form, Sensor, column_name
from .notation import from_notation, to_notation, whole
from .source import cores, explained, is_text, name_of, options

Numbers = Union[Sequence[int], npt.NDArray[Any]]
"""Whole numbers: a sequence or an array."""


class Batch:
    """Simulations of one scene with different seeds and parameters, stepped together on all cores without the GIL.

    Each simulation has the hashes that it would have alone. Simulations share worlds where they can, so that tens of
    thousands fit into memory. Arrays have the simulations as their first axis:

    >>> import swarmarium as sw
    >>> batch = sw.Batch("milling", 4, set={"groups.millers.controller": "External()"})
    >>> poses, commands = batch.bind("poses"), batch.bind("commands")
    >>> commands[...] = 0.2, 0.5
    >>> poses.shape, batch.step(10).steps.tolist()
    ((4, 6, 3), [10, 10, 10, 10])
    """

    def __init__(
        self,
        source: str | os.PathLike[str],
        count: int,
        *,
        seeds: Numbers | None = None,
        seed: int | None = None,
        set: Mapping[str, Any] | None = None,
        threads: int | None = None,
        log: bool = False,
        variables: Mapping[str, Any] | None = None,
    ):
        """Makes the simulations.

        Args:
            source: a scene, as for `load`.
            count: number of simulations.
            seeds: a seed for each of them; by default `seed`, `seed + 1` and so on.
            seed: the first of these seeds, by default 0; not with `seeds`.
            set: values of parameters and constants for all of them; `Batch.set` gives each its own.
            threads: number of threads, by default that of the cores.
            log: whether commands are logged, so that `save` has them. A log grows with every step, and each simulation
                has a world of its own.
            variables: template variables of a RobotSwarmSimulator world.

        Raises:
            SwarmariumError: with all problems of the scene, or if the simulations need more memory than is free.
            ValueError: if another argument is not valid, or if both `seeds` and `seed` are given.
        """
        count = whole("count", count, 1)
        threads = cores() if threads is None else whole("threads", threads, 1)
        if seeds is None:
            first = 0 if seed is None else whole("seed", seed)
            seeds = range(first, first + count)
        elif seed is not None:
            raise ValueError("seeds and seed exclude each other: `seed` is the first of `count` seeds in a row")
        if len(seeds) != count:
            raise ValueError(f"seeds: expected {count}, found {len(seeds)}")
        chosen = options(None, set or {}, variables=variables, is_text=is_text(source))
        try:
            self._native = _native.Batch(name_of(source), chosen, [whole("seeds", one) for one in seeds], threads, log)
        except _native.SwarmariumError as error:
            raise explained(source, error, chosen) from None
        for warning in self._native.warnings():
            warnings.warn(warning, stacklevel=2)

    def __len__(self) -> int:
        return len(self._native)

    def step(self, steps: int = 1) -> Batch:
        """Advances every simulation by a number of steps, with the commands in the arrays.

        If a command is refused, no simulation advances.

        Raises:
            ValueError: if the number is no whole number of at least 0.
            SwarmariumError: if a command is refused, with the place of its simulation.

        >>> import swarmarium as sw
        >>> batch = sw.Batch("milling", 3, seed=5)
        >>> batch.step(10).steps.tolist()
        [10, 10, 10]
        """
        self._native.step(whole("steps", steps))
        return self

    def bind(
        self,
        name: ColumnName,
        form: Form | None = None,
        *,
        group: str | None = None,
        sensor: Sensor | None = None,
        path: str | None = None,
    ) -> Array:
        """An array that shows the live state of all simulations: as `Simulation.bind`, with one more axis before.

        >>> import swarmarium as sw
        >>> batch = sw.Batch("milling", 3, seed=5)
        >>> batch.bind("poses").shape
        (3, 6, 3)
        """
        return self._native.bind(column_name(name, group, sensor, path), form)

    def send(self, group: str, numbers: Any, mask: Any = None) -> Batch:
        """Sends messages by the radios of the robots of a group: an array of the shape (simulations, robots, numbers).

        As `Simulation.send`: robots whose numbers are all NaN are silent, and those for which `mask`, an array of the shape
        (simulations, robots), is false. The robots are those at the start. Messages are edits: each simulation that sends
        has a world of its own then.

        ```python
        batch.send("robots", np.zeros((len(batch), 8, 2)))
        ```
        """
        groups = dict(self._native.groups())
        if group not in groups:
            raise _native.SwarmariumError(f"there is no group {group!r}: the groups are {', '.join(groups)}")
        robots = groups[group]
        rows, sends = messages.payload(numbers, mask, (len(self), len(robots)))
        for place in np.flatnonzero(sends.any(axis=1)).tolist():
            senders = [robots[row] for row in np.flatnonzero(sends[place]).tolist()]
            self._native.send(place, senders, np.ascontiguousarray(rows[place][sends[place]]).ravel())
        return self

    def reset(self, places: Numbers | None = None, seeds: Numbers | None = None) -> Batch:
        """Starts simulations again: all, or those with these places; with the same seeds, or new ones.

        Args:
            places: places of simulations, from 0, or a truth value for each simulation.
            seeds: a seed for each of these simulations.

        Raises:
            ValueError: if a place or a seed is no whole number, or if the numbers of places and seeds differ.

        >>> import swarmarium as sw
        >>> batch = sw.Batch("milling", 3, seed=5)
        >>> batch.step(10).reset([0, 2], seeds=[8, 9]).steps.tolist()
        [0, 10, 0]
        """
        self._native.reset(_places(places, len(self)), None if seeds is None else [whole("seeds", one) for one in seeds])
        return self

    def set(self, path: str, values: Any, places: Numbers | None = None) -> Batch:
        """Sets a parameter: one value for all, or a list or array with a value for each simulation.

        Before its first step, a simulation starts with the value, as if it had been loaded with it. Later, the value holds
        from the next step on, and a reset keeps it; a warning reports it if it takes effect at the next reset only. Until
        this reset, the simulation has a world of its own. Individual values that are set before the first step share a
        world if they are parameters of controllers, sensors and motion models.

        >>> import swarmarium as sw
        >>> batch = sw.Batch("milling", 3, seed=5)
        >>> batch.set("groups.millers.sensors.0.range_m", [0.5, 1.0, 1.5]).get("groups.millers.sensors.0.range_m")
        0.5
        """
        chosen = _places(places, len(self))
        count = len(self) if chosen is None else len(chosen)
        each = values if isinstance(values, (list, np.ndarray)) else [values] * count
        if self._native.set(path, [to_notation(value) for value in each], chosen):
            warnings.warn(f"{path} takes effect at the next reset", stacklevel=2)
        return self

    def get(self, path: str) -> Any:
        """A parameter of the first simulation, as `Simulation.get`.

        Raises:
            SwarmariumError: if there is none at the path, with the nearest one.

        >>> import swarmarium as sw
        >>> batch = sw.Batch("milling", 3, seed=5)
        >>> batch.get("groups.millers.count")
        6
        """
        return from_notation(self._native.get(path))

    def reading_ranges(self, robot: int) -> Array:
        """The smallest and the largest value of each reading of a robot, by its row: shape (channels, 2).

        They are infinite for readings without a range.

        >>> import swarmarium as sw
        >>> batch = sw.Batch("milling", 3, seed=5)
        >>> batch.reading_ranges(0).tolist()
        [[0.0, 1.0]]
        """
        return np.array(self._native.reading_ranges(robot), dtype=np.float64).reshape(-1, 2)

    @property
    def seeds(self) -> list[int]:
        """The seed with which each simulation starts, after a reset too."""
        return self._native.seeds()

    def hashes(self) -> list[str]:
        """The hash of each simulation: the 16 digits of the command line.

        >>> import swarmarium as sw
        >>> batch = sw.Batch("milling", 3, seed=5)
        >>> batch.step(500).hashes()[0]
        '458e0291af715004'
        """
        return [f"{value:016x}" for value in self._native.hashes()]

    @property
    def steps(self) -> npt.NDArray[np.int64]:
        """The number of steps of each simulation."""
        return self._native.steps()

    @property
    def ended(self) -> npt.NDArray[np.bool_]:
        """Whether each simulation has ended, according to the `stop` of its scene."""
        return self._native.ended()

    @property
    def dt_s(self) -> float:
        """The duration of a step in seconds."""
        return self._native.dt_s()

    @property
    def groups(self) -> dict[str, list[int]]:
        """The groups, each with the rows of its robots."""
        numbers = [number for _, members in self._native.groups() for number in members]
        rows = {number: row for row, number in enumerate(sorted(numbers))}
        return {name: [rows[number] for number in members] for name, members in self._native.groups()}

    @property
    def metric_columns(self) -> list[str]:
        """The names of the columns of the array `metrics`."""
        return self._native.metric_columns()

    @property
    def arena_m(self) -> tuple[float, float]:
        """Width and height of the arena in metres."""
        width, height = self._native.arena()
        return width, height

    def picture(
        self, place: int, width: int = 400, height: int = 400, *, light: bool = False
    ) -> npt.NDArray[np.uint8]:
        """A picture of a simulation, as an array with the axes height, width and channel (red, green, blue).

        >>> import swarmarium as sw
        >>> batch = sw.Batch("milling", 3, seed=5)
        >>> batch.picture(0, 200, 100).shape
        (100, 200, 3)
        """
        sides = [min(whole("size", side), 2**16 - 1) for side in (width, height)]
        return self._native.pixels(whole("place", place), sides, light)[..., :3]

    def save(self, place: int, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Saves the run of a simulation of a batch with `log=True` as a folder, which `load` and the program open.

        ```python
        batch = sw.Batch("milling", 3, log=True)
        batch.step(100).save(0, "runs/first", overwrite=True)
        ```
        """
        self._native.save(whole("place", place), os.fspath(path), overwrite)

    def _repr_html_(self) -> str:
        return displays.of_batch(self)

    def __reduce__(self) -> NoReturn:
        pickling.refuse("Batch", "send its scene and its seeds, or save its runs with `Batch.save`")

    def __repr__(self) -> str:
        return f"Batch({len(self)} simulations)"


def _places(places: Numbers | None, count: int) -> list[int] | None:
    """Places as numbers; from a mask of truth values, too."""
    if places is None:
        return None
    found = np.asarray(places)
    if found.dtype == bool:
        if found.shape != (count,):
            raise ValueError(f"places: expected {count} truth values, found an array of the shape {found.shape}")
        found = np.flatnonzero(found)
    return [whole("places", place) for place in found.ravel()]
