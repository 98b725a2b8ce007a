"""Episodes of a task in many simulations: the one mechanism below all environments."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..batch import Batch
from .task import Array, Task, World


@dataclass
class Outcome:
    """The outcome of an action, for B simulations of N robots."""

    observations: Array
    """Shape (B, N, D)."""
    rewards: Array
    """Shape (B, N)."""
    terminated: npt.NDArray[np.bool_]
    """Shape (B,)."""
    truncated: npt.NDArray[np.bool_]
    """Shape (B,)."""


class Rollout:
    """Episodes of a task in `count` simulations."""

    def __init__(self, task: Task, count: int, *, threads: int | None = None, log: bool = False):
        if not isinstance(task, Task):
            raise TypeError(f"task: expected a task such as Aggregation(), found {task!r}")
        for name in ("source", "groups"):
            if not hasattr(task, name):
                raise TypeError(f"the task {type(task).__name__} has no `{name}`")
        # Episodes of two environments are independent, even if both were made from one task.
        self.task = task = copy.copy(task)
        settings = {f"groups.{group}.controller": "External()" for group in task.groups} | dict(task.settings)
        self.batch = Batch(task.source, count, set=settings, threads=threads, log=log)
        self.world = World(self.batch, task)
        self.actions_done = np.zeros(count, dtype=np.int64)
        self.observation_limits = task.observation_limits(self.batch)
        self.action_limits = task.action_limits(self.batch)
        self.agents = [
            f"{group}_{place}" for group in task.groups for place in range(len(self.world.rows[group]))
        ]
        task.begin(self.world, np.ones(count, dtype=bool))

    def reset(self, places: npt.NDArray[np.bool_], seeds: Sequence[int]) -> Array:
        """Begins new episodes at some places, each with its seed. Returns all observations."""
        if places.any():
            self.batch.reset(places, seeds)
            self.actions_done[places] = 0
            self.task.begin(self.world, places)
        return self.task.observe(self.world)

    def step(self, actions: Any) -> Outcome:
        """Acts in all simulations. Actions have the shape (B, N, A)."""
        low, high = self.action_limits
        shape = (len(self.batch), len(self.agents), len(low))
        given = np.asarray(actions, dtype=np.float64)
        if given.size != np.prod(shape):
            raise ValueError(f"actions: expected an array of the shape {shape}, found {given.shape}")
        given = given.reshape(shape)
        self.task.command(self.world, np.clip(given, low, high))
        self.batch.step(self.task.steps_per_action)
        self.actions_done += 1
        return Outcome(
            observations=self.task.observe(self.world),
            rewards=self.task.reward(self.world),
            terminated=self.task.terminated(self.world),
            truncated=self.actions_done >= self.task.max_actions,
        )
