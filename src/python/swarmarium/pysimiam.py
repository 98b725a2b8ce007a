"""Supervisor classes of pySimiam, unmodified.

A world that names a supervisor of a user's own opens with robots that stand still; `load` gives them their class:

    import swarmarium.pysimiam as pysimiam

    sim = pysimiam.load("world.xml", classes=[WeaveSupervisor])
    sim.run()

Classes that extend those of pySimiam need its folder in `sys.path`.
"""

from __future__ import annotations

import functools
import json
import math
import os
import re
import sys
import types
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from . import _native, own_classes
from .columns import Array
from .control import Robot
from .simulation import Simulation


class Struct(types.SimpleNamespace):
    """Named values, also in one another."""

    def __init__(self, values: Mapping[str, Any] | types.SimpleNamespace | None = None):
        named = vars(values) if isinstance(values, types.SimpleNamespace) else values or {}
        if not isinstance(named, Mapping):
            raise _native.SwarmariumError(f"options: expected names with values, found {values!r}")
        super().__init__(**{name: Struct(value) if isinstance(value, Mapping) else value for name, value in named.items()})


class Pose:
    """A position in metres and a heading in radians, for supervisors without the `Pose` of pySimiam."""

    theta: float
    x: float
    y: float

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


def _pose_class() -> Any:
    """The class of poses: that of pySimiam if it is there, since that has operators."""
    poses = (getattr(sys.modules.get(name), "Pose", None) for name in ("core.pose", "pose"))
    return next((pose for pose in poses if hasattr(pose, "get_transformation")), Pose)


class _Supervised:
    """The controller of a robot: an instance of a supervisor class, which is made before the first step."""

    def __init__(self, simulation: Simulation, group: str, supervisor: type, options: dict[str, Struct]):
        self._simulation, self._group = simulation, group
        self._class, self._options = supervisor, options
        self._pose, self._info = _pose_class(), Struct()
        # The parameters of the robot that `_info` has.
        self._known: Any = None
        self._supervisor: Any = None

    def act(self, robot: Robot) -> Array:
        """The speeds of the left and the right wheel in metres per second."""
        self._update(robot)
        if self._supervisor is None:
            self._supervisor = self._class(self._pose(*map(float, robot.pose)), self._info, **self._options)
        # In radians per second.
        wheels = self._supervisor.execute(self._info, robot.dt_s)
        radius_m: float = self._info.wheels.radius
        return own_classes.command(wheels, f"{self._class.__name__}.execute") * radius_m

    def _update(self, robot: Robot) -> None:
        """Brings the properties and readings up to date."""
        info = self._info
        known = _parameters(self._simulation, self._group, robot.number)
        if known != self._known:
            vars(info).update(vars(self._properties(robot.number)))
            self._known = known
        info.ir_sensors.readings = [float(reading) for reading in robot.reading("Infrared")]
        info.wheels.left_ticks, info.wheels.right_ticks = (int(ticks) for ticks in robot.reading("Encoders"))

    def _properties(self, number: int) -> Struct:
        """The properties of a robot, with the names and units of pySimiam."""
        get = self._simulation.get
        slots = _slots(self._simulation, self._group, number)
        motion, infrared = f"agents.{number}.motion", f"agents.{number}.sensors.{slots['Infrared']}"
        radius_m = get(f"{motion}.wheel_radius_m")
        width = len(self._simulation._native.readings(number)[slots["Infrared"]][1])
        mounts = (f"{infrared}.mounts.{place}" for place in range(width))
        color = get(f"agents.{number}.look.color")
        wheels = {
            "radius": radius_m,
            "base_length": get(f"{motion}.axle_m"),
            "ticks_per_rev": get(f"agents.{number}.sensors.{slots['Encoders']}.ticks_per_turn"),
            "min_velocity": get(f"{motion}.min_wheel_m_per_s") / radius_m,
            "max_velocity": get(f"{motion}.max_wheel_m_per_s") / radius_m,
        }
        sensors = {
            "poses": [
                self._pose(get(f"{mount}.x_m"), get(f"{mount}.y_m"), get(f"{mount}.heading_rad")) for mount in mounts
            ],
            "rmin": get(f"{infrared}.min_range_m"),
            "rmax": get(f"{infrared}.range_m"),
        }
        is_hex = isinstance(color, str) and re.fullmatch("#[0-9a-fA-F]{6}", color)
        return Struct({"wheels": wheels, "ir_sensors": sensors, "color": int(color[1:], 16) if is_hex else 0})


def _slots(simulation: Simulation, group: str, number: int) -> dict[str, int]:
    """The slots of the sensors that a supervisor reads."""
    kinds = [kind for kind, _ in simulation._native.readings(number)]
    for kind in ("Infrared", "Encoders"):
        if kind not in kinds:
            found = ", ".join(kinds) or "none"
            raise _native.SwarmariumError(f"the robots of {group} have no sensor {kind}, which supervisors read: they have {found}")
    return {kind: kinds.index(kind) for kind in ("Infrared", "Encoders")}


def _parameters(simulation: Simulation, group: str, number: int) -> tuple[str, ...]:
    """The parameters of a robot, as text.

    Raises:
        SwarmariumError: if a supervisor cannot read or move the robot.
    """
    slots = _slots(simulation, group, number)
    parts = [f"sensors.{slot}" for slot in slots.values()]
    if simulation.get(f"agents.{number}.{parts[0]}.reads") != "Raw":
        place = list(simulation.groups).index(group)
        setting = {f"groups.{place}.{parts[0]}.reads": "Raw"}
        raise _native.SwarmariumError(
            f"the robots of {group} read distances, and supervisors read raw values: load the world with set={setting}"
        )
    return tuple(simulation._native.get(f"agents.{number}.{part}") for part in ("motion", *parts))


def drive(
    simulation: Simulation, group: str, supervisor: type, options: Mapping[str, Any] | None = None
) -> Simulation:
    """Gives a group a supervisor class of pySimiam, in place of its own controller.

    Args:
        simulation: the simulation.
        group: the name of the group. Its robots have two wheels, encoders, and infrared sensors that read raw values: load
            other scenes with `set={"groups.NAME.sensors.0.reads": "Raw"}`.
        supervisor: the class. It is called with a pose and the properties of the robot, and its method `execute` with the
            properties and the duration of a step; this returns the speeds of the left and the right wheel in rad/s.
        options: the options for the class, if it takes any.

    Raises:
        SwarmariumError: if there is no such group, or its robots lack something.

    ```python
    sim = sw.load("simiam-week4", set={"groups.quickbot.sensors.0.reads": "Raw"})
    pysimiam.drive(sim, "quickbot", Shy, {"speed": 3.0}).run(500)
    ```
    """
    given = {} if options is None else {"options": Struct(options)}
    own_classes.check_parameters(supervisor, given)
    for agent in simulation.agents:
        if agent.group == group:
            _parameters(simulation, group, agent.number)
    make = functools.partial(_Supervised, simulation, group, supervisor, given)
    return simulation.control(group, make, each=True, form="wheels")


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

    ```python
    sim = pysimiam.load("world.xml", classes=[Shy])
    sim.run(1000)
    ```
    """
    simulation, given = own_classes.load(source, seed, classes, options)
    for group, controller in simulation.groups.items():
        notes = own_classes.notes_of(simulation, group)
        name = own_classes.named(notes).get("controller")
        if name is not None and controller == "External":
            drive(simulation, group, given.find(name, group), _options(group, notes.get("controller.options")))
    given.warn_of_unused()
    return simulation


def _options(group: str, text: str | None) -> Mapping[str, Any] | None:
    """The options that a note on a group keeps."""
    if text is None:
        return None
    try:
        options = json.loads(text)
    except ValueError:
        options = None
    if not isinstance(options, dict):
        raise _native.SwarmariumError(f"metadata: `{group}.controller.options` is not a map in JSON: found {text}")
    return options
