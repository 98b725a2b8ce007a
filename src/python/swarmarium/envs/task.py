"""Tasks: what robots observe, how they are commanded, and the reward."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ..batch import Batch
from ..columns import Array, Form


class World:
    """The state of many simulations of a task, as live arrays. The first axis is that of the simulations (B), the second
    one that of the robots (N)."""

    def __init__(self, batch: Batch, task: Task):
        """Binds the arrays of a batch."""
        self.batch: Batch = batch
        """The simulations."""
        self._readings: dict[str, Array] = {}
        self.poses: Array = batch.bind("poses")
        """x and y in metres, heading in radians, of all robots: shape (B, all, 3)."""
        self.velocities: Array = batch.bind("velocities")
        """Velocities along x and y in metres per second: shape (B, all, 2)."""
        self.metrics: Array = batch.bind("metrics")
        """The metrics, in the order of `batch.metric_columns`: shape (B, M)."""
        self.commands: dict[str, Array] = {
            group: batch.bind("commands", task.form, group=group) for group in task.groups
        }
        """The commands of each controlled group."""
        self.rows: dict[str, npt.NDArray[np.intp]] = {
            group: np.array(rows, dtype=np.intp) for group, rows in batch.groups.items()
        }
        """The rows of the robots of each group in `poses`."""
        self.controlled: npt.NDArray[np.intp] = np.concatenate([self.rows[group] for group in task.groups])
        """The rows of the controlled robots, group by group."""

    @property
    def positions(self) -> Array:
        """x and y of the controlled robots in metres: shape (B, N, 2)."""
        return self.poses[:, self.controlled, :2]

    def readings(self, group: str) -> Array:
        """The readings of the robots of a group: shape (B, n, channels)."""
        if group not in self._readings:
            self._readings[group] = self.batch.bind("readings", group=group)
        return self._readings[group]


class Task:
    """A task over a scene. By default, robots observe their readings and earn nothing; subclasses replace methods.

    A task can keep the state of its episodes in attributes: every environment has a copy of its own.

    Spaces follow from the kinds of the scene: observations from the ranges of the sensors, actions from the limits of the
    motion model.

    ```python
    class Disperse(Task):
        source = "milling"
        groups = ("millers",)

        def reward(self, world):
            away = world.positions - world.positions.mean(axis=1, keepdims=True)
            return np.hypot(away[..., 0], away[..., 1])
    ```
    """

    source: str
    """The scene."""
    groups: tuple[str, ...]
    """The groups whose robots are controlled. They have the same observations and actions."""
    settings: Mapping[str, Any] = {}
    """Values of parameters of the scene."""
    form: Form | None = None
    """The form of the commands."""
    steps_per_action: int = 1
    """Steps of the simulation for each action."""
    max_actions: int = 200
    """Actions until an episode is truncated."""

    def observation_limits(self, batch: Batch) -> tuple[Array, Array]:
        """The smallest and the largest observation of a robot."""
        first = batch.groups[self.groups[0]][0]
        ranges = batch.reading_ranges(first)
        return ranges[:, 0], ranges[:, 1]

    def action_limits(self, batch: Batch) -> tuple[Array, Array]:
        """The smallest and the largest action of a robot, in the units of its commands."""
        motion = f"groups.{self.groups[0]}.motion"
        width = batch.bind("commands", self.form, group=self.groups[0]).shape[-1]
        if (wheel := batch.get(f"{motion}.max_wheel_m_per_s")) is not None:
            speed, axle = float(wheel), float(batch.get(f"{motion}.axle_m"))
            high = [speed, speed] if self.form == "wheels" else [speed, 2 * speed / axle]
        elif (fastest := batch.get(f"{motion}.max_speed_m_per_s")) is not None:
            # Its turn rate has no limit: half a turn per second is fast.
            high = [float(fastest)] * 2 + [np.pi] * (width - 2)
        else:
            # A unicycle takes any command.
            high = [1.0] * width
        return -np.array(high), np.array(high)

    def observe(self, world: World) -> Array:
        """The observations of the controlled robots: shape (B, N, D). It can be called several times after an action."""
        return np.concatenate([world.readings(group) for group in self.groups], axis=1)

    def command(self, world: World, actions: Array) -> None:
        """Writes actions of the shape (B, N, A) into the arrays of commands."""
        start = 0
        for commands in world.commands.values():
            end = start + commands.shape[1]
            commands[...] = actions[:, start:end]
            start = end

    def begin(self, world: World, places: npt.NDArray[np.bool_]) -> None:
        """Called after the simulations at these places were reset."""

    def reward(self, world: World) -> Array:
        """The rewards of the controlled robots after an action: shape (B, N)."""
        return np.zeros(world.positions.shape[:2])

    def terminated(self, world: World) -> npt.NDArray[np.bool_]:
        """Whether each episode has reached its end: shape (B,)."""
        return np.zeros(len(world.poses), dtype=bool)
