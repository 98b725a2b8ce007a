"""A Gymnasium vector environment: many episodes at once, on all cores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from ..notation import whole
from .rollout import Rollout
from .spaces import box, draw_seed
from .task import Task


class SwarmVectorEnv(VectorEnv):
    """A task as `gymnasium.vector.VectorEnv`, with every autoreset mode.

    Observations have the shape (B, N, D), actions (B, N, A), rewards (B,) for B episodes and N robots.

    >>> from swarmarium.envs import Aggregation, SwarmVectorEnv
    >>> envs = SwarmVectorEnv(Aggregation(robots=4), 8)
    >>> observations, infos = envs.reset(seed=1)
    >>> observations, rewards, terminated, truncated, infos = envs.step(envs.action_space.sample())
    >>> observations.shape, rewards.shape
    ((8, 4, 1), (8,))
    """

    observation_space: gymnasium.Space[Any]
    action_space: gymnasium.Space[Any]
    single_observation_space: gymnasium.Space[Any]
    single_action_space: gymnasium.Space[Any]

    def __init__(
        self,
        task: Task,
        num_envs: int,
        *,
        autoreset_mode: AutoresetMode | Literal["NextStep", "SameStep", "Disabled"] = AutoresetMode.NEXT_STEP,
        threads: int | None = None,
    ):
        """Makes the environment.

        Args:
            task: the task.
            num_envs: number of episodes at once.
            autoreset_mode: `"NextStep"` resets an episode with the action after its end, `"SameStep"` with the action that
                ends it (`info["final_obs"]` has the last observation), `"Disabled"` leaves it to the caller, who resets
                with `options={"reset_mask": mask}`.
            threads: number of threads, by default that of the cores.

        Raises:
            TypeError: if `task` is no task, or has no `source` or `groups`.
            ValueError: if another argument, or an attribute, a limit or an observation of the task is not valid.
        """
        num_envs = whole("num_envs", num_envs, 1)
        modes = {mode.value: mode for mode in AutoresetMode} | {mode: mode for mode in AutoresetMode}
        if autoreset_mode not in modes:
            known = ", ".join(mode.value for mode in AutoresetMode)
            raise ValueError(f"autoreset_mode: expected one of {known}, found {autoreset_mode!r}")
        self.autoreset_mode: AutoresetMode = modes[autoreset_mode]
        """The behaviour at the end of an episode."""
        self.metadata: dict[str, Any] = {"autoreset_mode": self.autoreset_mode, "render_modes": []}
        self.num_envs: int = num_envs
        self._rollout = Rollout(task, num_envs, threads=threads)
        robots = len(self._rollout.agents)
        self.single_observation_space = box(self._rollout.observation_limits, robots)
        self.single_action_space = box(self._rollout.action_limits, robots)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._generators = [np.random.default_rng() for _ in range(num_envs)]
        self._ended = np.zeros(num_envs, dtype=bool)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[npt.NDArray[np.float32], dict[str, Any]]:
        """Begins episodes: all, or those of `options["reset_mask"]`, an array of `num_envs` truth values.

        Args:
            seed: a seed, from which the episodes get `seed`, `seed + 1` and so on; or a sequence with a seed for each, of
                which those that are `None` go on with their random numbers.
            options: `{"reset_mask": mask}`.

        Raises:
            ValueError: if the mask or the seeds are not valid.
        """
        mask = (options or {}).get("reset_mask")
        places = np.ones(self.num_envs, dtype=bool) if mask is None else np.asarray(mask)
        if places.shape != (self.num_envs,) or places.dtype != bool or not places.any():
            raise ValueError(f"reset_mask: expected {self.num_envs} truth values with a true one, found {mask!r}")
        seeds = [None if one is None else whole("seed", one) for one in self._of_each(seed)]
        for place in np.flatnonzero(places).tolist():
            if seeds[place] is not None:
                self._generators[place] = np.random.default_rng(seeds[place])
        return self._begin(places), {}

    def _of_each(self, seed: int | Sequence[int | None] | None) -> Sequence[int | None]:
        """The seed of each episode."""
        if seed is None:
            return [None] * self.num_envs
        if not isinstance(seed, (Sequence, np.ndarray)):
            first = whole("seed", seed)
            return [first + place for place in range(self.num_envs)]
        if len(seed) != self.num_envs:
            raise ValueError(f"seed: expected {self.num_envs} seeds, found {len(seed)}")
        return seed

    def _begin(self, places: npt.NDArray[np.bool_]) -> npt.NDArray[np.float32]:
        seeds = [draw_seed(self._generators[place]) for place in np.flatnonzero(places)]
        self._ended[places] = False
        return self._rollout.reset(places, seeds).astype(np.float32)

    def step(
        self, actions: npt.NDArray[np.float32]
    ) -> tuple[
        npt.NDArray[np.float32], npt.NDArray[np.float64], npt.NDArray[np.bool_], npt.NDArray[np.bool_], dict[str, Any]
    ]:
        """Acts in all episodes: an array of the shape (B, N, A), of which values outside the action space are clipped.

        Returns the observations, the mean rewards of the robots, which episodes have reached their end, which were truncated,
        and a map: see `autoreset_mode`.

        Raises:
            gymnasium.error.ResetNeeded: if an episode has ended and `autoreset_mode` is `"Disabled"`.
            ValueError: if the actions, or an output of the task, have another shape.
        """
        if self.autoreset_mode is AutoresetMode.DISABLED and self._ended.any():
            raise gymnasium.error.ResetNeeded("some episodes have ended: reset them with options={'reset_mask': mask}")
        begun = self._ended.copy() if self.autoreset_mode is AutoresetMode.NEXT_STEP else np.zeros(self.num_envs, bool)
        done = self._rollout.step(actions)
        observations = done.observations.astype(np.float32)
        rewards, terminated, truncated = done.rewards.mean(axis=1), done.terminated, done.truncated
        infos: dict[str, Any] = {}
        if begun.any():
            # Their action was ignored.
            observations = self._begin(begun)
            rewards = np.where(begun, 0.0, rewards)
            terminated, truncated = terminated & ~begun, truncated & ~begun
        ended = terminated | truncated
        if self.autoreset_mode is AutoresetMode.SAME_STEP and ended.any():
            final = np.full(self.num_envs, None, dtype=object)
            for place in np.flatnonzero(ended):
                final[place] = observations[place].copy()
            infos = {"final_obs": final, "_final_obs": ended.copy(), "final_info": {}, "_final_info": ended.copy()}
            observations = self._begin(ended)
        else:
            self._ended = ended
        return observations, rewards, terminated, truncated, infos

    def close_extras(self, **kwargs: Any) -> None:
        """Does nothing: the simulations go with the environment."""
