"""The names of live arrays, and the forms of commands."""

from __future__ import annotations

from typing import Literal, Union

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
"""An array of numbers."""

Form = Literal["drive", "wheels", "velocity", "course"]
"""The forms of commands: (ahead, turn), (left, right), (x, y, turn) along the axes that the motion model says, and
(x, y, turn) over the ground; in metres and radians per second."""

ColumnName = Literal[
    "poses",
    "velocities",
    "commands",
    "readings",
    "bodies",
    "targets",
    "outputs",
    "memory",
    "objects",
    "metrics",
]
"""The names of arrays: see `Simulation.bind`."""

Sensor = Union[str, int]
"""A sensor: its slot, its name, its kind or a word of it."""


def column_name(name: str, group: str | None = None, sensor: Sensor | None = None, path: str | None = None) -> str:
    """The name of an array for the native part, such as `groups.millers.readings.fov`."""
    for part, owner, given in (("sensor", "readings", sensor), ("path", "memory", path)):
        if given is not None and name != owner:
            raise ValueError(f"{part}: is for the array {owner!r}, not for {name!r}")
    rest = sensor if path is None else path
    whole = name if rest is None else f"{name}.{rest}"
    return whole if group is None else f"groups.{group}.{whole}"
