"""Radio messages of robots with controllers in Python."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _native
from .columns import Array


@dataclass(frozen=True)
class Message:
    """A message that the radio of a robot keeps."""

    sender: int
    """The number of the robot (its identity) that sent it."""
    age_s: float
    """The time since it was sent."""
    numbers: tuple[float, ...]
    """The numbers that it carries."""
    range_m: float | None
    """The distance to the sender when it was sent; `None` if the radio is not `situated`."""
    bearing_rad: float | None
    """The direction to the sender then, anticlockwise from the heading; `None` if the radio is not `situated`."""


def payload(numbers: Any, mask: Any, shape: tuple[int, ...]) -> tuple[Array, npt.NDArray[np.bool_]]:
    """Messages as an array with a row of numbers for each robot, whose axes begin with a shape; and which robots send.

    One number for each robot is a message, too. Robots whose numbers are all NaN are silent, and those outside the mask.
    """
    rows = np.asarray(numbers, dtype=np.float64)
    if rows.ndim == len(shape):
        rows = rows[..., np.newaxis]
    if rows.ndim != len(shape) + 1 or rows.shape[:-1] != shape:
        expected = ", ".join(map(str, shape))
        raise ValueError(f"messages: expected an array of the shape ({expected}, numbers), found {np.shape(numbers)}")
    sends = np.asarray(~np.isnan(rows).all(axis=-1), dtype=np.bool_)
    if mask is not None:
        chosen = np.asarray(mask)
        if chosen.dtype != np.bool_ or chosen.shape != shape:
            raise ValueError(f"mask: expected {shape} truth values, found {chosen.shape} of the type {chosen.dtype}")
        sends = sends & chosen
    return rows, sends


def send(native: _native.Simulation, robots: Sequence[int], numbers: Any, mask: Any = None) -> None:
    """Sends a message with the radio of each robot."""
    rows, sends = payload(numbers, mask, (len(robots),))
    if sends.any():
        native.send([robots[row] for row in np.flatnonzero(sends).tolist()], np.ascontiguousarray(rows[sends]).ravel())


def received(native: _native.Simulation, robots: Sequence[int]) -> list[list[Message]]:
    """The messages that the radio of each robot keeps, sorted by sender."""
    return [
        [Message(sender, age_s, tuple(numbers), *(place or (None, None))) for sender, age_s, numbers, place in kept]
        for kept in native.heard(list(robots))
    ]
