"""Tasks: what robots observe, how they are commanded, and the reward."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .._native import SwarmariumError
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
        self.commands: dict[str, Array] = {group: _commands(batch, task, group) for group in task.groups}
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


def _commands(batch: Batch, task: Task, group: str) -> Array:
    """The commands of a group in the form of a task."""
    try:
        return batch.bind("commands", task.form, group=group)
    except SwarmariumError as error:
        raise SwarmariumError(f"the task {type(task).__name__}: form: the group {group!r}: {error}") from None


class Task:
    """A task over a scene. By default, robots observe their readings and earn nothing; subclasses replace methods.

    A task can keep the state of its episodes in attributes: every environment has a copy of its own. An environment checks
    the shapes of all outputs, for B simulations of N robots, and raises a `ValueError` that names the method. It warns of
    public attributes and methods that are nearly named as those of a task; names that begin with `_` are yours.

    Spaces follow from the kinds of the scene: observations from the ranges of the sensors, actions from the limits of the
    motion model: see `action_limits`. Robots of several groups have equally many readings and values of commands; their
    limits can differ. A task whose groups differ in more replaces `observe` and `observation_limits`, or `command` and
    `action_limits`.

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
    """The scene, as for `load`; every task needs it."""
    groups: str | Sequence[str]
    """The groups whose robots are controlled, or the name of one; every task needs it."""
    settings: Mapping[str, Any] = {}
    """Paths of parameters of the scene, with their values."""
    form: Form | None = None
    """The form of the commands; `None` is (ahead, turn) if the robots take it."""
    steps_per_action: int = 1
    """The number of steps of the simulation for each action."""
    max_actions: int = 200
    """The number of actions after which an episode is truncated."""

    def observation_limits(self, batch: Batch) -> tuple[Array, Array]:
        """The smallest and the largest observation of a robot: two arrays of the shape (D,), or (N, D) if robots differ.

        By default, they are the ranges of the readings, infinite for readings without a range.

        Raises:
            ValueError: if the groups have different numbers of readings.
        """
        ranges = {group: batch.reading_ranges(batch.groups[group][0]) for group in self.groups}
        common = self._common(batch, ranges, "readings")
        return common[..., 0], common[..., 1]

    def action_limits(self, batch: Batch) -> tuple[Array, Array]:
        """The smallest and the largest action of a robot, in the units of its commands: shape (A,), or (N, A) if robots differ.

        Actions outside are clipped. By default, the limits follow from the motion model and the form of the commands:

        | Motion model | Speeds (m/s) | Turn rate (rad/s) |
        |---|---|---|
        | `DifferentialDrive` | ± `max_wheel_m_per_s` | ± 2 `max_wheel_m_per_s` / `axle_m` |
        | `Holonomic`, `Ackermann` | ± `max_speed_m_per_s` | ± π |
        | others, which have no such limit, as `Unicycle` | ± 1 | ± 1 |

        Raises:
            ValueError: if the commands of the groups have different numbers of values.
        """
        high = {group: self._largest_command(batch, group) for group in self.groups}
        common = self._common(batch, high, "values in their commands")
        return -common, common

    def _largest_command(self, batch: Batch, group: str) -> Array:
        """The largest values of a command of a robot of a group."""
        motion = f"groups.{group}.motion"
        width = batch.bind("commands", self.form, group=group).shape[-1]
        if (speed := _number(batch, f"{motion}.max_wheel_m_per_s")) is not None:
            turn = 2 * speed / float(batch.get(f"{motion}.axle_m"))
        elif (speed := _number(batch, f"{motion}.max_speed_m_per_s")) is not None:
            # Its turn rate has no limit: half a turn per second is fast.
            turn = np.pi
        else:
            # A unicycle takes any command.
            speed, turn = 1.0, 1.0
        return np.array([speed] * width if self.form == "wheels" else [speed] * (width - 1) + [turn])

    def _common(self, batch: Batch, limits: Mapping[str, Array], parts: str) -> Array:
        """Limits for the robots of all groups: those of one robot if all groups have the same, else those of each robot."""
        first, *others = limits
        for other in others:
            if len(limits[other]) != len(limits[first]):
                raise ValueError(
                    f"the task {type(self).__name__}: the robots of the group {first!r} have {len(limits[first])} {parts}, and "
                    f"those of {other!r} {len(limits[other])}: replace the methods that observe or command them, or make a task "
                    "for each group"
                )
        if all(np.array_equal(limits[other], limits[first]) for other in others):
            return limits[first]
        return np.repeat(list(limits.values()), [len(batch.groups[group]) for group in limits], axis=0)

    def observe(self, world: World) -> Array:
        """The observations of the controlled robots: shape (B, N, D). It can be called several times after an action.

        By default, they are the readings of all sensors. A task with other observations replaces `observation_limits`, too.
        """
        return np.concatenate([world.readings(group) for group in self.groups], axis=1)

    def command(self, world: World, actions: Array) -> None:
        """Writes actions of the shape (B, N, A) into the arrays of commands. They are within `action_limits`."""
        start = 0
        for group, commands in world.commands.items():
            if actions.shape[-1] != commands.shape[-1]:
                raise ValueError(
                    f"the task {type(self).__name__}: an action has {actions.shape[-1]} values, and a command of the group "
                    f"{group!r} {commands.shape[-1]}: `action_limits` sets the number, and `command` makes commands of actions"
                )
            end = start + commands.shape[1]
            commands[...] = actions[:, start:end]
            start = end

    def begin(self, world: World, places: npt.NDArray[np.bool_]) -> None:
        """Called after the simulations at these places, a mask of the shape (B,), were reset."""

    def reward(self, world: World) -> Array:
        """The rewards of the controlled robots after an action: shape (B, N)."""
        return np.zeros(world.positions.shape[:2])

    def terminated(self, world: World) -> npt.NDArray[np.bool_]:
        """Whether each episode has reached its end: shape (B,)."""
        return np.zeros(len(world.poses), dtype=bool)


def _number(batch: Batch, path: str) -> float | None:
    """A number at a path; `None` if the scene has none there."""
    try:
        return float(batch.get(path))
    except SwarmariumError:
        return None
