"""Three example tasks, and one of any scene."""

from __future__ import annotations

import importlib.resources
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..batch import Batch
from ..columns import Array, Form
from ..names import did_you_mean
from .task import Task, World


def _scene(name: str) -> str:
    return str(importlib.resources.files(__package__) / "scenes" / f"{name}.ron")


class Aggregation(Task):
    """Robots with one bit of sight gather (Gauci et al. 2014). The reward is the decrease of their mean distance from their
    centroid, in metres; an episode ends when that is as small as in a cluster.

    Actions are speeds (m/s) and turn rates (rad/s), for 2 steps of 0.05 s. An episode is truncated after 300 actions.
    """

    groups: tuple[str, ...] = ("gatherers",)
    steps_per_action: int = 2
    max_actions: int = 300

    def __init__(self, robots: int = 10):
        """Makes the task.

        Args:
            robots: number of robots.
        """
        self.source: str = _scene("aggregation")
        self._before: Array = np.zeros(0)
        self.settings: Mapping[str, Any] = {"groups.gatherers.count": robots}
        # Discs that touch fill a disc with a density of about 0.8; its mean radius is two thirds of its radius.
        self._cluster_m = 0.037 * 2 / 3 * np.sqrt(robots / 0.8) * 1.5

    def _spread(self, world: World) -> Array:
        positions = world.positions
        away = positions - positions.mean(axis=1, keepdims=True)
        return np.hypot(away[..., 0], away[..., 1]).mean(axis=1)

    def begin(self, world: World, places: npt.NDArray[np.bool_]) -> None:
        """Notes the state at the start of episodes."""
        spread = self._spread(world)
        self._before = spread if places.all() else np.where(places, spread, self._before)

    def reward(self, world: World) -> Array:
        """The rewards, as the class says."""
        spread = self._spread(world)
        gained, self._before = self._before - spread, spread
        return np.repeat(gained[:, None], len(world.controlled), axis=1)

    def terminated(self, world: World) -> npt.NDArray[np.bool_]:
        """Whether each episode has reached its end, as the class says."""
        return self._spread(world) < self._cluster_m


_TOUCH_M = 0.205
"""The distance of two robots that touch: twice their radius, and a little more."""


class _Planar(Task):
    """Robots that move in any direction of the arena. None of them needs to turn."""

    form: Form | None = "velocity"
    steps_per_action: int = 4

    def action_limits(self, batch: Batch) -> tuple[Array, Array]:
        """The limits of the speeds."""
        low, high = super().action_limits(batch)
        return low[..., :2], high[..., :2]

    def command(self, world: World, actions: Array) -> None:
        """Commands the robots."""
        super().command(world, np.concatenate([actions, np.zeros((*actions.shape[:2], 1))], axis=2))


def _others(positions: Array) -> Array:
    """The positions of the other robots relative to each robot, one after the other: shape (B, N, 2 (N - 1))."""
    count, robots = positions.shape[:2]
    between = positions[:, None] - positions[:, :, None]
    return between[:, ~np.eye(robots, dtype=bool)].reshape(count, robots, -1)


class Formation(_Planar):
    """Robots cover landmarks (as the task `simple_spread`). Each observes its own velocity and position, and the landmarks
    and the other robots relative to it. The reward of all is minus the sum over landmarks of the distance of the nearest
    robot, less 1 for each robot that a robot touches.

    Actions are velocities along x and y of the arena (m/s), for 4 steps of 0.025 s. An episode is truncated after 100 actions.
    """

    groups: tuple[str, ...] = ("robots",)
    max_actions: int = 100

    def __init__(self, robots: int = 3):
        """Makes the task.

        Args:
            robots: number of robots, and of landmarks.
        """
        self.source: str = _scene("formation")
        self.settings: Mapping[str, Any] = {"groups.robots.count": robots}
        self.robots: int = robots
        """The number of robots."""

    def landmarks_m(self) -> Array:
        """The landmarks: corners of a regular polygon around the centre of the arena, in metres."""
        angles = np.pi / 2 + 2 * np.pi * np.arange(self.robots) / self.robots
        return 2.0 + 0.8 * np.column_stack([np.cos(angles), np.sin(angles)])

    def observation_limits(self, batch: Batch) -> tuple[Array, Array]:
        """The limits of the observations."""
        high = np.full(4 + 2 * self.robots + 2 * (self.robots - 1), 4.0)
        return -high, high

    def observe(self, world: World) -> Array:
        """The observations, as the class says."""
        positions, velocities = world.positions, world.velocities
        count, robots = positions.shape[:2]
        landmarks = self.landmarks_m() - positions[:, :, None]
        parts = [velocities, positions - 2.0, landmarks.reshape(count, robots, -1), _others(positions)]
        return np.concatenate(parts, axis=2)

    def reward(self, world: World) -> Array:
        """The rewards, as the class says."""
        positions = world.positions
        away = positions[:, :, None] - self.landmarks_m()
        nearest = np.hypot(away[..., 0], away[..., 1]).min(axis=1).sum(axis=1)
        between = positions[:, None] - positions[:, :, None]
        touched = (np.hypot(between[..., 0], between[..., 1]) < _TOUCH_M).sum(axis=2) - 1
        return -nearest[:, None] - touched


class PredatorPrey(_Planar):
    """Predators chase a faster prey in a room. Each robot observes its velocity, its position and the others relative to
    it. A predator that touches the prey earns 10, and the prey loses as much for each; the episode ends then. Until then,
    predators lose a tenth of their distance to the prey, and the prey earns a tenth of the distance of the nearest one.

    Actions are velocities along x and y of the arena (m/s), for 4 steps of 0.025 s. All robots have the action limits of
    predators, ±1 m/s; the command of the prey is its action times 1.3, its speed limit in m/s. An episode is truncated after
    150 actions.
    """

    groups: tuple[str, ...] = ("predators", "prey")
    max_actions: int = 150

    def __init__(self, predators: int = 3):
        """Makes the task.

        Args:
            predators: number of predators.
        """
        self.source: str = _scene("predator_prey")
        self.settings: Mapping[str, Any] = {"groups.predators.count": predators}
        self.predators: int = predators
        """The number of predators."""

    def observation_limits(self, batch: Batch) -> tuple[Array, Array]:
        """The limits of the observations."""
        high = np.full(4 + 2 * self.predators, 4.0)
        return -high, high

    def action_limits(self, batch: Batch) -> tuple[Array, Array]:
        """The limits of the speeds of predators."""
        low, high = super().action_limits(batch)
        return np.atleast_2d(low)[0], np.atleast_2d(high)[0]

    def command(self, world: World, actions: Array) -> None:
        """Commands the robots."""
        # Actions have the limits of predators; the prey is faster.
        fast = actions.copy()
        fast[:, self.predators :] *= 1.3
        super().command(world, fast)

    def observe(self, world: World) -> Array:
        """The observations, as the class says."""
        positions = world.positions
        velocities = world.velocities[:, world.controlled]
        return np.concatenate([velocities, positions - 2.0, _others(positions)], axis=2)

    def _distances(self, world: World) -> Array:
        away = world.positions[:, : self.predators] - world.positions[:, self.predators :]
        return np.hypot(away[..., 0], away[..., 1])

    def reward(self, world: World) -> Array:
        """The rewards, as the class says."""
        distances = self._distances(world)
        catches = distances < _TOUCH_M
        predators = 10.0 * catches - 0.1 * distances
        prey = 0.1 * distances.min(axis=1) - 10.0 * catches.sum(axis=1)
        return np.concatenate([predators, prey[:, None]], axis=1)

    def terminated(self, world: World) -> npt.NDArray[np.bool_]:
        """Whether each episode has reached its end, as the class says."""
        return np.any(self._distances(world) < _TOUCH_M, axis=1)


class SceneTask(Task):
    """Any scene with a metric as the reward: robots observe their readings, as in `Task`. They earn 0 while the metric has no
    value.

    >>> from swarmarium.envs import SceneTask, SwarmEnv
    >>> env = SwarmEnv(SceneTask("milling", "millers", "circliness", max_actions=50))
    >>> env.reset(seed=1)[0].shape
    (6, 1)
    """

    form: Form | None
    groups: tuple[str, ...]
    max_actions: int
    settings: dict[str, Any]
    source: str
    steps_per_action: int

    def __init__(
        self,
        scene: str | os.PathLike[str],
        groups: str | Sequence[str],
        reward: str,
        *,
        sign: float = 1.0,
        set: Mapping[str, Any] | None = None,
        form: Form | None = None,
        steps_per_action: int = 1,
        max_actions: int = 200,
    ):
        """Makes the task.

        Args:
            scene: a scene, as for `load`.
            groups: the groups whose robots are controlled.
            reward: a column of the metrics of the scene, such as `"circliness"`: each robot earns its value after an action.
                An environment refuses a column that the scene does not have.
            sign: a factor of the reward: -1 rewards small values.
            set: paths of parameters of the scene, with their values.
            form: form of the commands; `None` is (ahead, turn) if the robots take it.
            steps_per_action: number of steps of the simulation for each action, at least 1.
            max_actions: number of actions after which an episode is truncated, at least 1.
        """
        self.source = os.fspath(scene)
        self.groups = (groups,) if isinstance(groups, str) else tuple(groups)
        self.settings = dict(set or {})
        self.form = form
        self.steps_per_action, self.max_actions = steps_per_action, max_actions
        self._reward, self._sign, self._column = reward, sign, -1

    def begin(self, world: World, places: npt.NDArray[np.bool_]) -> None:
        """Looks up the column of the reward.

        Raises:
            ValueError: if the metrics of the scene have no such column.
        """
        self._column = self._find(world)

    def _find(self, world: World) -> int:
        columns = world.batch.metric_columns
        if self._reward not in columns:
            known, hint = ", ".join(columns) or "none", did_you_mean(self._reward, columns)
            raise ValueError(f"reward: the scene has no metric {self._reward!r}: its columns are {known}{hint}")
        return columns.index(self._reward)

    def reward(self, world: World) -> Array:
        """The metric, for every robot; 0 where it has no value."""
        # A subclass can replace `begin`.
        if self._column < 0:
            self._column = self._find(world)
        values = self._sign * np.nan_to_num(world.metrics.reshape(len(world.poses), -1)[:, self._column])
        return np.repeat(values[:, None], len(world.controlled), axis=1)


TASKS: dict[str, type[Task]] = {"Aggregation": Aggregation, "Formation": Formation, "PredatorPrey": PredatorPrey}
"""The example tasks by name."""
