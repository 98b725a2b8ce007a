"""Episodes of a task in many simulations: the one mechanism below all environments."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..batch import Batch, Numbers
from ..columns import Array
from .task import Task, World


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
    """Episodes of a task in `count` simulations.

    >>> import numpy as np
    >>> from swarmarium.envs import Aggregation, Rollout
    >>> rollout = Rollout(Aggregation(robots=4), 8)
    >>> observations = rollout.reset(np.ones(8, dtype=bool), range(8))
    >>> rollout.step(np.zeros((8, 4, 2))).rewards.shape
    (8, 4)
    """

    def __init__(self, task: Task, count: int, *, threads: int | None = None, log: bool = False):
        """Makes the simulations; `log` keeps the commands."""
        if not isinstance(task, Task):
            raise TypeError(f"task: expected a task such as Aggregation(), found {task!r}")
        for name in ("source", "groups"):
            if not hasattr(task, name):
                raise TypeError(f"the task {type(task).__name__} has no `{name}`")
        # Episodes of two environments are independent, even if both were made from one task.
        task = copy.copy(task)
        self.task: Task = task
        """The task, with its own state."""
        settings = {f"groups.{group}.controller": "External()" for group in task.groups} | dict(task.settings)
        self.batch: Batch = Batch(task.source, count, set=settings, threads=threads, log=log)
        """The simulations."""
        self.world: World = World(self.batch, task)
        """Their state as live arrays."""
        self.actions_done: npt.NDArray[np.int64] = np.zeros(count, dtype=np.int64)
        """The number of actions of each episode so far."""
        self.observation_limits: tuple[Array, Array] = task.observation_limits(self.batch)
        """The smallest and the largest observation of a robot."""
        self.action_limits: tuple[Array, Array] = task.action_limits(self.batch)
        """The smallest and the largest action of a robot."""
        self.agents: list[str] = [
            f"{group}_{place}" for group in task.groups for place in range(len(self.world.rows[group]))
        ]
        """The names of the controlled robots."""
        task.begin(self.world, np.ones(count, dtype=bool))

    def reset(self, places: npt.NDArray[np.bool_], seeds: Numbers) -> Array:
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
