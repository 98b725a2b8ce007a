"""Supervisor classes of pySimiam, unmodified.

A world that names a supervisor of a user's own opens with robots that stand still; `load` gives them their class:

    import swarmarium.pysimiam as pysimiam

    sim = pysimiam.load("world.xml", classes=[WeaveSupervisor])
    sim.run()

Classes that extend those of pySimiam need its folder in `sys.path`.
"""

from __future__ import annotations

import json
import math
import os
import sys
import types
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from . import _native, own_classes
from .control import Group, Robot
from .simulation import Agent, Simulation


class Struct(types.SimpleNamespace):
    """Named values, also in one another."""

    def __init__(self, values: Mapping[str, Any] | None = None):
        inside = {name: Struct(value) if isinstance(value, Mapping) else value for name, value in (values or {}).items()}
        super().__init__(**inside)


class Pose:
    """A position in metres and a heading in radians, for supervisors without the `Pose` of pySimiam."""

    def __init__(self, x: float = 0.0, y: float = 0.0, theta: float = 0.0):
        self.x, self.y, self.theta = float(x), float(y), float(theta)

    def __iter__(self) -> Iterator[float]:
        return iter((self.x, self.y, self.theta))

    def __repr__(self) -> str:
        return f"Pose({self.x}, {self.y}, {self.theta})"

    def get_transformation(self) -> Any:
        """The matrix from the frame of the pose to the one around it: 3 by 3, for points (x, y, 1)."""
        sin, cos = math.sin(self.theta), math.cos(self.theta)
        return np.array([[cos, -sin, self.x], [sin, cos, self.y], [0.0, 0.0, 1.0]])


class _Supervised:
    """A robot with its supervisor."""

    def __init__(self, robot: Robot, info: Struct):
        self.robot, self.info = robot, info
        self.supervisor: Any = None


class _Driver(own_classes.Driver[_Supervised]):
    """Drives the robots of a group with instances of a supervisor class."""

    def __init__(self, simulation: Simulation, group: str, supervisor: type, options: Mapping[str, Any] | None):
        self._supervisor, self._options = supervisor, options
        # pySimiam's own class has operators for poses.
        modules = (sys.modules.get(name) for name in ("core.pose", "pose"))
        self._pose = next((getattr(module, "Pose") for module in modules if hasattr(module, "Pose")), Pose)
        super().__init__(simulation, group)

    def begin(self, member: Agent, robot: Robot) -> _Supervised:
        info = self._info(member)
        self._update(info, robot)
        supervised = _Supervised(robot, info)
        pose = self._pose(*map(float, robot.pose))
        options = {} if self._options is None else {"options": Struct(self._options)}
        supervised.supervisor = self._supervisor(pose, info, **options)
        return supervised

    def _info(self, member: Agent) -> Struct:
        """The properties of a robot, with the names and units of pySimiam."""
        get = self._simulation.get
        path = f"groups.{self._group}"
        slots = _slots(self._simulation, self._group, member.number)
        infrared = f"{path}.sensors.{slots['Infrared']}"
        radius_m = get(f"{path}.motion.wheel_radius_m")
        width = len(self._simulation._native.readings(member.number)[slots["Infrared"]][1])
        mounts = (f"{infrared}.mounts.{place}" for place in range(width))
        color = get(f"{path}.look.color")
        wheels = {
            "radius": radius_m,
            "base_length": get(f"{path}.motion.axle_m"),
            "ticks_per_rev": get(f"{path}.sensors.{slots['Encoders']}.ticks_per_turn"),
            "min_velocity": get(f"{path}.motion.min_wheel_m_per_s") / radius_m,
            "max_velocity": get(f"{path}.motion.max_wheel_m_per_s") / radius_m,
        }
        sensors = {
            "poses": [
                self._pose(get(f"{mount}.x_m"), get(f"{mount}.y_m"), get(f"{mount}.heading_rad")) for mount in mounts
            ],
            "rmin": get(f"{infrared}.min_range_m"),
            "rmax": get(f"{infrared}.range_m"),
        }
        is_hex = isinstance(color, str) and color.startswith("#")
        return Struct({"wheels": wheels, "ir_sensors": sensors, "color": int(color[1:7], 16) if is_hex else 0})

    def _update(self, info: Struct, robot: Robot) -> None:
        """The readings of a robot."""
        info.ir_sensors.readings = [float(reading) for reading in robot.reading("Infrared")]
        info.wheels.left_ticks, info.wheels.right_ticks = (int(ticks) for ticks in robot.reading("Encoders"))

    def __call__(self, group: Group) -> Any:
        self.follow(group)
        commands = np.empty((len(self.driven), 2))
        for row, supervised in enumerate(self.driven.values()):
            info = supervised.info
            self._update(info, supervised.robot)
            # Left and right, in radians per second.
            wheels = supervised.supervisor.execute(info, group.dt_s)
            commands[row] = np.asarray(wheels, dtype=float) * info.wheels.radius
        return commands


def _slots(simulation: Simulation, group: str, number: int) -> dict[str, int]:
    """The slots of the sensors that a supervisor reads."""
    kinds = [kind for kind, _ in simulation._native.readings(number)]
    for kind in ("Infrared", "Encoders"):
        if kind not in kinds:
            found = ", ".join(kinds) or "none"
            raise _native.SwarmariumError(f"the robots of {group} have no sensor {kind}, which supervisors read: they have {found}")
    return {kind: kinds.index(kind) for kind in ("Infrared", "Encoders")}


def drive(
    simulation: Simulation, group: str, supervisor: type, options: Mapping[str, Any] | None = None
) -> Simulation:
    """Gives a group a supervisor class of pySimiam, in place of its own controller.

    Args:
        simulation: the simulation. If the group reads distances, the run begins again with raw readings.
        group: the name of the group, whose robots have two wheels, infrared sensors and encoders.
        supervisor: the class. It is called with a pose and the properties of the robot, and its method `execute` with the
            properties and the duration of a step; this returns the speeds of the left and the right wheel in rad/s.
        options: the options for the class, if it takes any.

    Raises:
        SwarmariumError: if the group lacks something, or if it reads distances and the run is under way.
    """
    members = [agent.number for agent in simulation.agents if agent.group == group]
    if members:
        reads = f"groups.{group}.sensors.{_slots(simulation, group, members[0])['Infrared']}.reads"
        if simulation.get(reads) != "Raw":
            if simulation.steps > 0:
                message = f"the robots of {group} read distances, and supervisors read raw values: load it with set={{{reads!r}: 'Raw'}}"
                raise _native.SwarmariumError(message)
            simulation.set(reads, "Raw").reset()
    return simulation.control(group, _Driver(simulation, group, supervisor, options), each=False, form="wheels")


def load(
    source: str | os.PathLike[str],
    seed: int | None = None,
    *,
    classes: Iterable[type] = (),
    **options: Any,
) -> Simulation:
    """Loads a world, and gives its groups the supervisor classes that it names, if they are not those of pySimiam.

    Args:
        source: the world, as for `swarmarium.load`.
        seed: seed of all random numbers.
        classes: the classes, which are found by their names.
        **options: the other options of `swarmarium.load`.

    Raises:
        SwarmariumError: if the world names a class that is not among the given ones.
    """
    given = own_classes.Classes(classes)
    simulation = own_classes.load(source, seed, options)
    for group in simulation.groups:
        notes = own_classes.notes_of(simulation, group)
        name = own_classes.named(notes).get("controller")
        if name is not None:
            own = json.loads(notes["controller.options"]) if "controller.options" in notes else None
            drive(simulation, group, given.find(name, group), own)
    given.warn_of_unused()
    return simulation
