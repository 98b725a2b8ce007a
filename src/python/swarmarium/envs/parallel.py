"""A PettingZoo environment: each controlled robot is an agent."""

from __future__ import annotations

from typing import Any, Literal

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.utils import seeding
from pettingzoo import ParallelEnv

from ..names import did_you_mean
from .rollout import Rollout, numbers
from .spaces import boxes, check_render_mode, draw_seed
from .task import Task


class SwarmParallelEnv(ParallelEnv[str, npt.NDArray[np.float32], npt.NDArray[np.float32]]):
    """A task as `pettingzoo.ParallelEnv`. The agents are the robots: `predators_0`, `predators_1`, …

    Each agent has spaces with the limits of its group. Observations have the shape (D,) and actions (A,), with the same D
    and A for all agents.

    ```python
    chase = SwarmParallelEnv(PredatorPrey())
    observations, infos = chase.reset(seed=1)
    actions = {agent: chase.action_space(agent).sample() for agent in chase.agents}
    observations, rewards, terminated, truncated, infos = chase.step(actions)
    ```
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "name": "swarmarium_v0", "render_fps": 30}  # noqa: RUF012

    def __init__(self, task: Task, *, render_mode: Literal["rgb_array"] | None = None):
        """Makes the environment of a task.

        Args:
            task: the task.
            render_mode: `"rgb_array"`, with which `render` gives pictures, or `None`.

        Raises:
            TypeError: if `task` is no task, or has no `source` or `groups`.
            ValueError: if `render_mode` or an attribute, a limit or an observation of the task is not valid.
        """
        check_render_mode(render_mode)
        self.render_mode: str | None = render_mode
        self._rollout = Rollout(task, 1, threads=1)
        self.possible_agents: list[str] = list(self._rollout.agents)
        self.agents: list[str] = []
        robots = len(self.possible_agents)
        observations, actions = boxes(self._rollout.observation_limits, robots), boxes(self._rollout.action_limits, robots)
        self.observation_spaces: dict[str, gymnasium.Space[Any]] = dict(zip(self.possible_agents, observations))
        self.action_spaces: dict[str, gymnasium.Space[Any]] = dict(zip(self.possible_agents, actions))
        self._random = seeding.np_random()[0]

    def observation_space(self, agent: str) -> gymnasium.Space[Any]:
        """The observations of an agent.

        Raises:
            KeyError: if there is no such agent, with the nearest name.
        """
        if agent not in self.observation_spaces:
            raise KeyError(self._unknown(agent))
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.Space[Any]:
        """The actions of an agent.

        Raises:
            KeyError: if there is no such agent, with the nearest name.
        """
        if agent not in self.action_spaces:
            raise KeyError(self._unknown(agent))
        return self.action_spaces[agent]

    def _unknown(self, agent: object) -> str:
        hint, agents = did_you_mean(agent, self.possible_agents), ", ".join(self.possible_agents)
        return f"there is no agent {agent!r}: the agents are {agents}{hint}"

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, npt.NDArray[np.float32]], dict[str, dict[str, Any]]]:
        """Begins an episode. The same seed gives the same one; without a seed, each episode is another one.

        Raises:
            gymnasium.error.Error: if the seed is no whole number of at least 0.
        """
        if seed is not None:
            self._random = seeding.np_random(seed)[0]
        observations = self._rollout.reset(np.ones(1, dtype=bool), [draw_seed(self._random)])
        self.agents = list(self.possible_agents)
        return self._of_agents(observations[0].astype(np.float32)), {agent: {} for agent in self.agents}

    def step(
        self, actions: dict[str, npt.NDArray[np.float32]]
    ) -> tuple[
        dict[str, npt.NDArray[np.float32]],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Acts: an array of the shape (A,) for each agent; values outside its action space are clipped.

        Agents without an action act with zeros. Returns observations, rewards, whether the episode has reached its end,
        whether it was truncated, and empty maps, by agent.

        Raises:
            ValueError: if there is no such agent, or if an action, or an output of the task, has another shape.
        """
        given = np.zeros((1, len(self.possible_agents), self._rollout.action_limits[0].shape[-1]))
        places = {agent: place for place, agent in enumerate(self.possible_agents)}
        for agent, action in actions.items():
            if agent not in places:
                raise ValueError(self._unknown(agent))
            given[0, places[agent]] = numbers(f"the action of {agent!r}", action, given.shape[2:])
        done = self._rollout.step(given)
        agents = self.agents
        terminated, truncated = bool(done.terminated[0]), bool(done.truncated[0])
        rewards = dict(zip(self.possible_agents, map(float, done.rewards[0])))
        outcome = (
            self._of_agents(done.observations[0].astype(np.float32)),
            {agent: rewards[agent] for agent in agents},
            dict.fromkeys(agents, terminated),
            dict.fromkeys(agents, truncated),
            {agent: dict[str, Any]() for agent in agents},
        )
        if terminated or truncated:
            self.agents = []
        return outcome

    def _of_agents(self, rows: npt.NDArray[np.float32]) -> dict[str, npt.NDArray[np.float32]]:
        return {agent: row for agent, row in zip(self.possible_agents, rows) if agent in self.agents}

    def render(self) -> npt.NDArray[np.uint8] | None:
        """A picture of the present state, with the axes height, width and channel; `None` without `render_mode`."""
        return self._rollout.batch.picture(0) if self.render_mode == "rgb_array" else None

    def close(self) -> None:
        """Does nothing: the simulation goes with the environment."""
