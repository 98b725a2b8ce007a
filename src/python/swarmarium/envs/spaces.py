"""Spaces of observations and actions."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

from ..columns import Array


def box(limits: tuple[Array, Array], before: tuple[int, ...] = ()) -> Any:
    """A box with limits of one robot, for some of them."""
    low, high = (np.broadcast_to(limit, (*before, len(limit))).astype(np.float32) for limit in limits)
    return gymnasium.spaces.Box(low, high, dtype=np.float32)


def draw_seed(random: np.random.Generator) -> int:
    """A seed for a simulation."""
    return int(random.integers(2**63))
