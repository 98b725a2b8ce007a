"""Episodes of a task in many simulations: the one mechanism below all environments."""

from __future__ import annotations

import copy
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..batch import Batch, Numbers
from ..columns import Array
from ..control import described
from ..names import did_you_mean
from ..notation import whole
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
        """Makes the simulations.

        Args:
            task: the task.
            count: number of simulations.
            threads: number of threads, by default that of the cores.
            log: whether commands are kept, so that `batch.save` has them.

        Raises:
            TypeError: if `task` is no task, or has no `source` or `groups`.
            ValueError: if an attribute, a limit or an observation of the task is not as `Task` says.
            SwarmariumError: with all problems of the scene.
        """
        if not isinstance(task, Task):
            raise TypeError(f"task: expected a task such as Aggregation(), found {task!r}")
        for name in ("source", "groups"):
            if not hasattr(task, name):
                raise TypeError(f"the task {type(task).__name__} has no `{name}`")
        _warn_of_misspelt_names(task)
        # Episodes of two environments are independent, even if both were made from one task.
        task = copy.copy(task)
        task.groups = (task.groups,) if isinstance(task.groups, str) else tuple(task.groups)
        self.task: Task = task
        """The task, with its own state."""
        if not task.groups:
            raise self._problem("groups: expected the names of groups, found none")
        for name in ("steps_per_action", "max_actions"):
            whole(f"the task {type(task).__name__}: {name}", getattr(task, name), 1)
        settings = {f"groups.{group}.controller": "External()" for group in task.groups} | dict(task.settings)
        self.batch: Batch = Batch(task.source, count, set=settings, threads=threads, log=log)
        """The simulations."""
        self.world: World = World(self.batch, task)
        """Their state as live arrays."""
        self.actions_done: npt.NDArray[np.int64] = np.zeros(count, dtype=np.int64)
        """The number of actions of each episode so far."""
        self.agents: list[str] = [
            f"{group}_{place}" for group in task.groups for place in range(len(self.world.rows[group]))
        ]
        """The names of the controlled robots, group by group, such as `predators_0`."""
        for group in task.groups:
            if not len(self.world.rows[group]):
                raise self._problem(f"groups: expected groups with robots, found {group!r}, which has none")
        self.observation_limits: tuple[Array, Array] = self._limits("observation_limits")
        """The smallest and the largest observation of a robot: shape (D,), or (N, D) if robots differ."""
        self.action_limits: tuple[Array, Array] = self._limits("action_limits")
        """The smallest and the largest action of a robot: shape (A,), or (N, A) if robots differ."""
        task.begin(self.world, np.ones(count, dtype=bool))
        self._observe()

    def reset(self, places: npt.NDArray[np.bool_], seeds: Numbers) -> Array:
        """Begins new episodes at some places, a mask of the shape (B,), each with its seed. Returns all observations.

        Raises:
            ValueError: if a seed is no whole number from 0 to 2^64 - 1, or if their number is not that of the places.
        """
        if places.any():
            self.batch.reset(places, seeds)
            self.actions_done[places] = 0
            self.task.begin(self.world, places)
        return self._observe()

    def step(self, actions: Any) -> Outcome:
        """Acts in all simulations. Actions have the shape (B, N, A); those outside `action_limits` are clipped.

        Raises:
            ValueError: if the actions, or an output of the task, have another shape.
        """
        low, high = self.action_limits
        shape = (len(self.batch), len(self.agents), low.shape[-1])
        self.task.command(self.world, np.clip(numbers("actions", actions, shape), low, high))
        self.batch.step(self.task.steps_per_action)
        self.actions_done += 1
        return Outcome(
            observations=self._observe(),
            rewards=self._output("reward", self.task.reward(self.world), shape[:2]),
            terminated=self._output("terminated", self.task.terminated(self.world), shape[:1], is_truth=True),
            truncated=self.actions_done >= self.task.max_actions,
        )

    def _observe(self) -> Array:
        shape = (len(self.batch), len(self.agents), self.observation_limits[0].shape[-1])
        return self._output("observe", self.task.observe(self.world), shape)

    def _output(self, method: str, returned: Any, shape: tuple[int, ...], is_truth: bool = False) -> Any:
        """An output of a method of the task as an array, if it has the shape and the type that it needs."""
        try:
            found = np.asarray(returned)
        except (TypeError, ValueError):
            found = np.empty(0)
        if found.shape == shape and found.dtype.kind in ("b" if is_truth else "biuf"):
            return found
        hint = "; `observation_limits` sets the number for a robot" if method == "observe" else ""
        raise self._problem(f"{method}: {_expected('truth values' if is_truth else 'numbers', shape, returned)}{hint}")

    def _limits(self, method: str) -> tuple[Array, Array]:
        """The limits of observations or actions, if they have shapes that fit."""
        robots = len(self.agents)
        returned = getattr(self.task, method)(self.batch)
        try:
            low, high = (np.asarray(limit, dtype=np.float64) for limit in returned)
        except (TypeError, ValueError):
            low = high = np.empty(())
        if low.ndim not in (1, 2) or low.shape != high.shape or (low.ndim == 2 and len(low) != robots):
            found = f"shapes {low.shape} and {high.shape}" if low.ndim else f"{returned!r}"
            raise self._problem(
                f"{method}: expected two arrays with a number for each part, or of the shape ({robots}, parts), found {found}"
            )
        if not (low <= high).all():
            raise self._problem(f"{method}: expected smallest values that are at most the largest ones, found {low} and {high}")
        return low, high

    def _problem(self, message: str) -> ValueError:
        return ValueError(f"the task {type(self.task).__name__}: {message}")


def numbers(name: str, given: Any, shape: tuple[int, ...]) -> Array:
    """Numbers as an array of a shape.

    Raises:
        ValueError: if they have another shape, or are no numbers.
    """
    try:
        found = np.asarray(given, dtype=np.float64)
        if found.shape == shape:
            return found
    except (TypeError, ValueError):
        pass
    raise ValueError(f"{name}: {_expected('numbers', shape, given)}")


def _expected(values: str, shape: tuple[int, ...], given: Any) -> str:
    """The end of a message about a value in place of an array of a shape."""
    found = described(given)
    if found == f"an array of the shape {shape}":
        found += f" and the type {np.asarray(given).dtype}"
    return f"expected {values} as an array of the shape {shape}, found {found}"


_KNOWN = {name for name in [*vars(Task), *Task.__annotations__] if not name.startswith("_")}
"""The public attributes and methods of tasks."""


def _warn_of_misspelt_names(task: Task) -> None:
    """Warns of public names of a task that are near those of `Task`, unless these stand beside them."""
    for place in (task, *type(task).__mro__):
        own = vars(place).keys() if place not in (Task, object) else set()
        for name in sorted(own - _KNOWN):
            hint = "" if name.startswith("_") else did_you_mean(name, _KNOWN - own, 0.8)
            if hint:
                warnings.warn(f"the task {type(task).__name__} has `{name}`, which environments do not use{hint}", stacklevel=4)
