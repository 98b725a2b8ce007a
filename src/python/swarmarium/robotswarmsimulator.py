"""Controller and sensor classes of RobotSwarmSimulator, unmodified.

A world that names classes of a user's own opens with robots that stand still; `load` gives them their classes:

    import swarmarium.robotswarmsimulator as rss

    rss.provide_modules()                 # if RobotSwarmSimulator itself is not installed
    from my_controllers import SeekController
    sim = rss.load("world.yaml", classes=[SeekController])
    sim.run()
"""

from __future__ import annotations

import os
import sys
import types
from collections.abc import Iterable
from typing import Any

import numpy as np

from . import _native, own_classes
from .control import Group, Robot
from .simulation import Agent, Simulation

_MODULES = (
    "swarmsim",
    "swarmsim.agent",
    "swarmsim.agent.control",
    "swarmsim.agent.control.AbstractController",
    "swarmsim.sensors",
    "swarmsim.sensors.AbstractSensor",
    "novel_swarms",
    "novel_swarms.agent",
    "novel_swarms.agent.control",
    "novel_swarms.agent.control.AbstractController",
)


class AbstractController:
    """The base class of controllers, as classes of users expect it."""

    def __init__(self, agent: Any = None, parent: Any = None, **_: Any):
        self.parent: Any = None
        self.set_agent(agent, parent)

    def set_agent(self, agent: Any, parent: Any = None) -> None:
        """Gives the controller its robot."""
        self.agent = agent
        self.parent = parent if parent is not None else (self.parent or agent)

    def set_parent(self, parent: Any = None) -> None:
        """Gives the controller its parent, by default its robot."""
        self.parent = self.agent if parent is None else parent

    def get_actions(self, agent: Any) -> Any:
        """The command of the robot: speed in metres per second and turn rate in radians per second."""
        raise NotImplementedError

    def draw(self, screen: Any, offset: Any) -> None:
        """Draws nothing: pictures come from the simulation."""

    def as_config_dict(self) -> dict[str, Any]:
        """No configuration."""
        return {}


class AbstractSensor:
    """The base class of sensors, as classes of users expect it."""

    def __init__(self, agent: Any = None, parent: Any = None, **_: Any):
        self.agent, self.parent, self.current_state = agent, parent, 0

    def set_agent(self, agent: Any, parent: Any = None) -> None:
        """Gives the sensor its robot."""
        self.agent, self.parent = agent, parent or agent

    def step(self, world: Any) -> None:
        """Senses: a class of a user sets `current_state` here."""

    def draw(self, screen: Any, offset: Any = None) -> None:
        """Draws nothing: pictures come from the simulation."""


def provide_modules() -> None:
    """Provides the modules that classes of users import, such as `swarmsim.agent.control.AbstractController`.

    Modules of RobotSwarmSimulator itself, if it is installed, are left as they are.
    """
    for name in _MODULES:
        root = name.split(".")[0]
        if name in sys.modules or (root not in sys.modules and _is_installed(root)):
            continue
        module = types.ModuleType(name)
        module.__path__ = []
        for own in (AbstractController, AbstractSensor):
            if name.endswith(own.__name__) or name.endswith((".control", ".sensors")):
                setattr(module, own.__name__, own)
        sys.modules[name] = module
        parent, _, last = name.rpartition(".")
        if parent:
            setattr(sys.modules[parent], last, module)


def _is_installed(root: str) -> bool:
    import importlib.util

    return importlib.util.find_spec(root) is not None


class SensorView:
    """A sensor of a robot, as controllers see it."""

    def __init__(self, kind: str, values: Any):
        self.kind = kind
        """The kind of the sensor."""
        self.values = values
        """All numbers of the reading."""

    @property
    def current_state(self) -> Any:
        """The reading: a whole number if it is one, such as 0 or 1 of a binary sensor; a list if there are several."""
        values = [int(value) if float(value).is_integer() else float(value) for value in self.values]
        return values[0] if len(values) == 1 else values


class World:
    """The world, as controllers and sensors see it."""

    def __init__(self, simulation: Simulation):
        self._simulation = simulation
        self.members: dict[str, list[AgentView]] = {}
        """The robots with classes in Python, by group."""
        self.restart()

    def restart(self) -> None:
        """Begins the random numbers again."""
        self.rng = np.random.default_rng(self._simulation.seed)
        """Random numbers, from the seed of the run."""

    @property
    def population(self) -> list[AgentView]:
        """The robots with classes in Python."""
        return [agent for agents in self.members.values() for agent in agents]

    @property
    def dt(self) -> float:
        """The duration of a step in seconds."""
        return self._simulation.dt_s

    @property
    def total_steps(self) -> int:
        """The number of steps so far."""
        return self._simulation.steps


class AgentView:
    """A robot, as controllers and sensors see it."""

    def __init__(self, robot: Robot, world: World, name: str, group: str):
        self.robot, self.world, self.name, self.group, self.team = robot, world, name, group, None
        self.dt = world.dt
        self.sensors: list[Any] = []
        self.controller: Any = None

    @property
    def pos(self) -> Any:
        """x and y in metres."""
        return np.array(self.robot.pose[:2])

    @property
    def angle(self) -> float:
        """Heading in radians."""
        return float(self.robot.pose[2])

    @property
    def dpos(self) -> Any:
        """Displacement in the last step in metres."""
        return np.array(self.robot.velocity) * self.dt


class _Driver:
    """Drives the robots of a group with instances of users' classes. All sensors sense before the first controller acts."""

    def __init__(self, world: World, group: str, controller: Any, sensors: dict[int, Any]):
        self._simulation, self._world = world._simulation, world
        self._group, self._controller, self._sensors = group, controller, sensors
        self.reset()

    def reset(self) -> None:
        self._world.restart()
        self._population: Any = None
        self._agents: dict[int, AgentView] = {}

    def _follow_population(self, group: Group) -> None:
        population = self._simulation._native.population()
        if population == self._population:
            return
        agents: dict[int, AgentView] = {}
        members = (agent for agent in self._simulation.agents if agent.group == self._group)
        for row, member in enumerate(members):
            robot = Robot(group, row, member.number)
            # Robots that stay keep their memory.
            agent = self._agents.get(member.number) or self._begin(member, robot)
            agent.robot = robot
            agents[member.number] = agent
        first = next(iter(agents), None)
        kinds = [] if first is None else self._simulation._native.readings(first)
        self._widths = [len(values) for _, values in kinds]
        self._world.members[self._group] = list(agents.values())
        self._population, self._agents = population, agents

    def _begin(self, member: Agent, robot: Robot) -> AgentView:
        view = AgentView(robot, self._world, member.name, self._group)
        for slot, (kind, _) in enumerate(self._simulation._native.readings(member.number)):
            make = self._sensors.get(slot)
            view.sensors.append(SensorView(kind, ()) if make is None else _made(make, view))
        view.controller = _made(self._controller, view)
        return view

    def __call__(self, group: Group) -> Any:
        self._follow_population(group)
        readings = group.readings
        for row, agent in enumerate(self._agents.values()):
            place = 0
            for sensor, width in zip(agent.sensors, self._widths):
                if isinstance(sensor, SensorView):
                    sensor.values = readings[row, place : place + width]
                elif self._simulation.steps > 0:
                    sensor.step(self._world)
                place += width
        commands = np.empty((len(self._agents), 2))
        for row, agent in enumerate(self._agents.values()):
            function = f"{type(agent.controller).__name__}.get_actions"
            commands[row] = own_classes.command(agent.controller.get_actions(agent), function)
        return commands


def _made(make: Any, agent: AgentView) -> Any:
    """An instance of a class with its parameters, for a robot."""
    cls, parameters = make
    own_classes.check_parameters(cls, parameters)
    if own_classes.takes(cls, "agent"):
        parameters = {**parameters, "agent": agent}
    instance = cls(**parameters)
    if getattr(instance, "agent", None) is None and hasattr(instance, "set_agent"):
        instance.set_agent(agent)
    elif getattr(instance, "agent", None) is None:
        instance.agent = agent
    return instance


def drive(simulation: Simulation, group: str, controller: type, **parameters: Any) -> Simulation:
    """Gives a group a controller class of RobotSwarmSimulator, in place of its own controller."""
    driver = _Driver(World(simulation), group, (controller, parameters), {})
    return simulation.control(group, driver, each=False, form="drive")


def load(
    source: str | os.PathLike[str],
    seed: int | None = None,
    *,
    classes: Iterable[type] = (),
    **options: Any,
) -> Simulation:
    """Loads a world, and gives its groups the controller and sensor classes that it names.

    Args:
        source: the world, as for `swarmarium.load`.
        seed: seed of all random numbers.
        classes: the classes, which are found by their names.
        **options: the other options of `swarmarium.load`.

    Raises:
        SwarmariumError: if the world names a class that is not among the given ones.
    """
    simulation, given = own_classes.load(source, seed, classes, options)
    world = World(simulation)
    for group, kind in simulation.groups.items():
        notes = own_classes.notes_of(simulation, group)
        makes = {
            part: (given.find(name, group), own_classes.parameters(notes, part))
            for part, name in own_classes.named(notes).items()
            # The scene can have another controller by now.
            if part != "controller" or kind == "External"
        }
        if not makes:
            continue
        controller = makes.pop("controller", None)
        if controller is None:
            names = ", ".join(cls.__name__ for cls, _ in makes.values())
            raise _native.SwarmariumError(
                f"the group {group} has sensors in Python ({names}), whose readings reach a controller in Python only"
            )
        sensors = {int(part.removeprefix("sensor_")): make for part, make in makes.items()}
        simulation.control(group, _Driver(world, group, controller, sensors), each=False, form="drive")
    given.warn_of_unused()
    return simulation
