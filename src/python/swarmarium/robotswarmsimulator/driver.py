"""Drives the robots of a group with instances of users' classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .. import own_classes
from ..control import TurnControl
from .views import AgentView, SensorView, World

Make = tuple[type, Mapping[str, Any]]
"""A class and its parameters."""


class Driver(TurnControl):
    """Gives the robots of a group a controller class, sensor classes by slot, or both.

    In sequential order, each robot decides and senses in its turn. Otherwise all sensors sense before the first controller
    decides.
    """

    def __init__(self, world: World, group: str, controller: Make | None, sensors: Mapping[int, Make]):
        super().__init__(world._sim(), group, controller is not None)
        self._world, self._controller, self._sensors = world, controller, sensors
        self._members: dict[int, AgentView] = {}
        self._followed: Any = None
        # Sensors of classes, and those of the program that keep what they saw.
        self._slots = sorted(self._sensors)
        # It takes any value but zero as a detection.
        self._is_any_detection = self._simulation.groups[group] == "Bits"

    def reset(self) -> None:
        super().reset()
        self._world.restart()
        self._members, self._followed = {}, None

    def begin_step(self) -> dict[int, list[int]]:
        self._world.follow()
        if self._followed != self._world._population:
            members = {number: agent for number, agent in self._world._agents.items() if agent.group == self.group}
            for number, agent in members.items():
                if self._members.get(number) is not agent:
                    self._begin(agent)
            self._members, self._followed = members, self._world._population
        return {number: self._slots for number in self._members}

    def _begin(self, agent: AgentView) -> None:
        """Makes the instances of a robot, in the order of RobotSwarmSimulator: they can draw random numbers."""
        self._world.rewind(agent)
        eyes = [slot for slot, sensor in enumerate(agent.sensors) if getattr(sensor, "kind", "") == "BinaryFov"]
        self._slots = sorted({*self._sensors, *eyes})
        agent._heading = agent.angle
        if self._controller is not None:
            agent.controller = _made(self._controller, agent)
        for slot, sensor in enumerate(agent.sensors):
            make = self._sensors.get(slot)
            if make is not None:
                agent.sensors[slot] = _made(make, agent)
            elif isinstance(sensor, SensorView):
                sensor.seed = agent.rng.integers(0, 2**31)

    def act(self, number: int, slot: int | None) -> Any:
        agent = self._members[number]
        if slot is not None:
            return self._sense(agent, slot)
        if self._controller is None:
            return None
        return self._decide(agent)

    def _decide(self, agent: AgentView) -> Any:
        controller = agent.controller
        returned = controller.get_actions(agent)
        agent._heading = agent.angle
        return own_classes.command(returned, f"{type(controller).__name__}.get_actions").tolist()

    def _sense(self, agent: AgentView, slot: int) -> list[float] | None:
        sensor = agent.sensors[slot]
        if isinstance(sensor, SensorView):
            sensor.note()
            return None
        sensor.step(self._world)
        if self._is_any_detection:
            return [float(bool(sensor.current_state))]
        # Other programs, metrics and native controllers know readings of numbers only.
        try:
            values = np.asarray(sensor.current_state, dtype=float).ravel()
        except (TypeError, ValueError):
            return None
        return values.tolist() if np.isfinite(values).all() else None

    def decide_all(self) -> Any:
        self.begin_step()
        if self._world.total_steps > 1:
            self._world.total_steps -= 1
            for agent in self._members.values():
                for slot in self._sensors:
                    self._sense(agent, slot)
            self._world.total_steps += 1
        return np.array([self._decide(agent) for agent in self._members.values()]).reshape(-1, 2)


def _made(make: Make, agent: AgentView) -> Any:
    """An instance of a class with its parameters, for a robot."""
    cls, parameters = make
    own_classes.check_parameters(cls, parameters)
    if own_classes.takes(cls, "agent"):
        parameters = {**parameters, "agent": agent}
    instance = cls(**parameters)
    if getattr(instance, "agent", None) is None:
        if hasattr(instance, "set_agent"):
            instance.set_agent(agent)
        else:
            instance.agent = agent
    return instance
