"""A PettingZoo environment: each controlled robot is an agent."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.utils import seeding
from pettingzoo import ParallelEnv

from .rollout import Rollout
from .spaces import box, draw_seed
from .task import Task


class SwarmParallelEnv(ParallelEnv[str, npt.NDArray[np.float32], npt.NDArray[np.float32]]):
    """A task as `pettingzoo.ParallelEnv`. The agents are the robots: `predators_0`, `predators_1`, …

    ```python
    chase = SwarmParallelEnv(PredatorPrey())
    observations, infos = chase.reset(seed=1)
    actions = {agent: chase.action_space(agent).sample() for agent in chase.agents}
    observations, rewards, terminated, truncated, infos = chase.step(actions)
    ```
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "name": "swarmarium_v0", "render_fps": 30}  # noqa: RUF012

    def __init__(self, task: Task, *, render_mode: str | None = None):
        """Makes the environment of a task."""
        self.render_mode: str | None = render_mode
        self._rollout = Rollout(task, 1, threads=1)
        self.possible_agents: list[str] = list(self._rollout.agents)
        self.agents: list[str] = []
        observation, action = box(self._rollout.observation_limits), box(self._rollout.action_limits)
        self.observation_spaces: dict[str, gymnasium.Space[Any]] = {}
        self.action_spaces: dict[str, gymnasium.Space[Any]] = {}
        for agent in self.possible_agents:
            self.observation_spaces[agent] = gymnasium.spaces.Box(observation.low, observation.high)
            self.action_spaces[agent] = gymnasium.spaces.Box(action.low, action.high)
        self._random = seeding.np_random()[0]

    def observation_space(self, agent: str) -> gymnasium.Space[Any]:
        """The observations of an agent."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.Space[Any]:
        """The actions of an agent."""
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, npt.NDArray[np.float32]], dict[str, dict[str, Any]]]:
        """Begins an episode. The same seed gives the same one."""
        if seed is not None:
            self._random = seeding.np_random(seed)[0]
        observations = self._rollout.reset(np.ones(1, dtype=bool), [draw_seed(self._random)])
        self.agents = list(self.possible_agents)
        return self._of_agents(observations[0].astype(np.float32)), {agent: {} for agent in self.agents}

    def step(self, actions: dict[str, npt.NDArray[np.float32]]) -> tuple[dict[str, Any], ...]:
        """Acts. Agents without an action get a command of zeros."""
        unknown = [agent for agent in actions if agent not in self.possible_agents]
        if unknown:
            raise ValueError(f"there is no agent {unknown[0]!r}: the agents are {', '.join(self.possible_agents)}")
        low = self._rollout.action_limits[0]
        nothing = np.zeros(len(low))
        done = self._rollout.step([[actions.get(agent, nothing) for agent in self.possible_agents]])
        agents = self.agents
        terminated, truncated = bool(done.terminated[0]), bool(done.truncated[0])
        rewards = dict(zip(self.possible_agents, map(float, done.rewards[0])))
        outcome: tuple[dict[str, Any], ...] = (
            self._of_agents(done.observations[0].astype(np.float32)),
            {agent: rewards[agent] for agent in agents},
            dict.fromkeys(agents, terminated),
            dict.fromkeys(agents, truncated),
            {agent: {} for agent in agents},
        )
        if terminated or truncated:
            self.agents = []
        return outcome

    def _of_agents(self, rows: npt.NDArray[np.float32]) -> dict[str, npt.NDArray[np.float32]]:
        return {agent: row for agent, row in zip(self.possible_agents, rows) if agent in self.agents}

    def render(self) -> npt.NDArray[np.uint8] | None:
        """A picture of the present state."""
        return self._rollout.batch.picture(0) if self.render_mode == "rgb_array" else None

    def close(self) -> None:
        """Does nothing: the simulation goes with the environment."""
