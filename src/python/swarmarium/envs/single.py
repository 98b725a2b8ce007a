"""A Gymnasium environment: the controlled robots together are one agent."""

from __future__ import annotations

from typing import Any, Literal

import gymnasium
import numpy as np
import numpy.typing as npt

from ..loading import load
from ..simulation import Simulation
from .rollout import Rollout, numbers
from .spaces import box, check_render_mode, draw_seed
from .task import Task


class SwarmEnv(gymnasium.Env[npt.NDArray[np.float32], npt.NDArray[np.float32]]):
    """A task as `gymnasium.Env`.

    Observations have the shape (N, D), actions (N, A) for N robots; the reward is the mean over them.

    >>> from swarmarium.envs import Aggregation, SwarmEnv
    >>> env = SwarmEnv(Aggregation(robots=4))
    >>> observation, info = env.reset(seed=1)
    >>> observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
    >>> observation.shape, truncated
    ((4, 1), False)
    """

    observation_space: gymnasium.Space[npt.NDArray[np.float32]]
    action_space: gymnasium.Space[npt.NDArray[np.float32]]
    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 30}  # noqa: RUF012

    def __init__(self, task: Task, *, render_mode: Literal["rgb_array"] | None = None, log: bool = False):
        """Makes the environment of a task.

        Args:
            task: the task.
            render_mode: `"rgb_array"`, with which `render` gives pictures, or `None`.
            log: whether commands are kept, for `save`.

        Raises:
            TypeError: if `task` is no task, or has no `source` or `groups`.
            ValueError: if `render_mode` or an attribute, a limit or an observation of the task is not valid.
        """
        check_render_mode(render_mode)
        self.render_mode: str | None = render_mode
        self._rollout = Rollout(task, 1, threads=1, log=log)
        robots = len(self._rollout.agents)
        self.observation_space = box(self._rollout.observation_limits, robots)
        self.action_space = box(self._rollout.action_limits, robots)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[np.float32], dict[str, Any]]:
        """Begins an episode. The same seed gives the same one; without a seed, each episode is another one.

        Raises:
            gymnasium.error.Error: if the seed is no whole number of at least 0.
        """
        super().reset(seed=seed)
        observations = self._rollout.reset(np.ones(1, dtype=bool), [draw_seed(self.np_random)])
        return observations[0].astype(np.float32), {}

    def step(
        self, action: npt.NDArray[np.float32]
    ) -> tuple[npt.NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Acts: an array of the shape (N, A), of which values outside the action space are clipped.

        Returns the observation, the mean reward of the robots, whether the episode has reached its end, whether it was
        truncated, and a map whose entry `"rewards"` has the reward of each robot: shape (N,).

        Raises:
            ValueError: if the action, or an output of the task, has another shape.
        """
        done = self._rollout.step(numbers("action", action, self.action_space.shape or ())[None])
        reward = float(done.rewards[0].mean())
        info = {"rewards": done.rewards[0]}
        return done.observations[0].astype(np.float32), reward, bool(done.terminated[0]), bool(done.truncated[0]), info

    def render(self) -> npt.NDArray[np.uint8] | None:
        """A picture of the present state, with the axes height, width and channel; `None` without `render_mode`."""
        return self._rollout.batch.picture(0) if self.render_mode == "rgb_array" else None

    def save(self, path: str, *, overwrite: bool = False) -> Simulation:
        """Saves the present episode as the folder of a run, if `log` is on, and returns its run at the start.

        ```python
        env = SwarmEnv(Formation(), log=True)
        env.reset(seed=3)
        env.step(env.action_space.sample())
        run = env.save("runs/episode", overwrite=True)
        ```
        """
        self._rollout.batch.save(0, path, overwrite=overwrite)
        return load(path)
