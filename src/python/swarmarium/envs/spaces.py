"""Spaces of observations and actions."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

from ..columns import Array


def box(limits: tuple[Array, Array], robots: int) -> Any:
    """A box for a number of robots, with limits that all robots share or each has of its own."""
    low, high = (np.broadcast_to(limit, (robots, limit.shape[-1])).astype(np.float32) for limit in limits)
    return gymnasium.spaces.Box(low, high, dtype=np.float32)


def boxes(limits: tuple[Array, Array], robots: int) -> list[Any]:
    """A box for each of some robots, as `box`."""
    whole = box(limits, robots)
    return [gymnasium.spaces.Box(low, high, dtype=np.float32) for low, high in zip(whole.low, whole.high)]


def check_render_mode(mode: object) -> None:
    """Refuses other modes of rendering than pictures as arrays.

    Raises:
        ValueError: with the modes that are possible.
    """
    if mode not in (None, "rgb_array"):
        raise ValueError(f"render_mode: expected 'rgb_array' or None, found {mode!r}")


def draw_seed(random: np.random.Generator) -> int:
    """A seed for a simulation."""
    return int(random.integers(2**63))
