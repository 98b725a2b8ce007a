"""The description of a script that has run, from which the program makes a scene."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from typing import Any

from ..notation import quoted, to_notation
from . import dictionaries
from .building import Building, Place
from .component import AbstractComponent
from .counterpart import Counterpart
from .creator import ComponentCreator
from .environment import DEFAULT_FREQUENCY_HZ, Environment, TimeStrategies
from .objects import BOXES, PassiveObject, Thing, Zone
from .robots import Robot
from .transform import Vector, within

_HALF_FLOOR_M = 20.0
"""Half of the side of the floor of the environment `empty`."""
_ON_SOMETHING_M = 0.5
"""Objects at this height stand on something, and block no robot."""

_ENVIRONMENT_NUMBERS = {
    "longitude": "longitude",
    "latitude": "latitude",
    "altitude": "altitude",
    "UTMXOffset": "x_offset",
    "UTMYOffset": "y_offset",
    "UTMZOffset": "z_offset",
}
"""Properties of the environment that are defaults of arguments of modifiers."""
_ENVIRONMENT_SETTINGS = {"time_management", "time_scale", "use_relative_time", "use_internal_syncer"}
_OWN_PROPERTIES = {"Component_Tag", "Robot_Tag", "GroundRobot", "classpath", "frequency", "abstraction_level"}


class Describer:
    """Describes a script."""

    building: Building
    environment: Environment
    tags: list[str]

    def __init__(self, building: Building, environment: Environment):
        self.building, self.environment = building, environment
        self.tags = list(dict.fromkeys(self._tags()))
        self.points: list[Vector] = []
        """Places that the arena contains."""

    def describe(self) -> dict[str, Any]:
        """The description, as the importer of the program reads it."""
        robots = [self._robot(one) for one in self.building.components if isinstance(one, Robot)]
        for component in self.building.components:
            if isinstance(component, ComponentCreator) and _robot_of(component) is None:
                self.building.lose(f"`{component.name}` is on no robot: it is left out{_kept(component)}", component._place)
        objects = [text for one in self.building.components if (text := self._object(one))]
        objects += self._environment_objects()
        numbers = self._environment_numbers()
        description = {
            "configuration": dictionaries.text(dictionaries.collect(self.building)),
            "scene": f"{self._arena()} {self._time()} objects: [{', '.join(objects)}],",
            "internal_pacing": bool(self.environment.property_value("use_internal_syncer")),
            "robots": robots,
            "environment": numbers,
        }
        self._add_looks()
        description["losses"] = [vars(one) for one in self.building.losses]
        return description

    # Robots

    def _robot(self, robot: Robot) -> dict[str, Any]:
        position, rotation = _world(robot)
        self.points.append(position)
        parent = getattr(robot, "parent", None)
        if parent is not None:
            message = f"`{robot.name}` is a robot of its own: it does not move with `{parent.name}`, which it is appended to"
            self.building.lose(message, robot._place)
        body = robot.body()
        if body.shown:
            model = os.path.basename(robot._file)
            message = f"the model `{model}` is in a Blender file, which is not read: the outline is {body.shown}"
            self.building.lose(message, robot._place)
        if robot._flies:
            message = f"`{robot.name}` ({type(robot).__name__}) flies or dives in MORSE: here it stays in the plane at its height"
            self.building.lose(message, robot._place)
        fields = [f"at: [({_numbers(position[0], position[1], _near_zero(rotation[2]))})],", body.fields]
        height_m = body.height_m if robot._is_ground else position[2]
        tilt = rotation[0], rotation[1]
        if any(tilt) or (height_m and not (robot._is_ground and body.is_preset)):
            roll, pitch = map(to_notation, tilt)
            fields.append(f"attitude: (z_m: {to_notation(float(height_m))}, pitch_rad: {pitch}, roll_rad: {roll}),")
        is_solid = not robot.is_ghost and robot._bpy_object.game.physics_type != "NO_COLLISION"
        if not is_solid and "collides" not in body.fields:
            fields.append("collides: Off,")
        team = self._team(robot, {*_OWN_PROPERTIES, *robot._properties} - {"frequency"})
        if team:
            fields.append(f"team: {quoted(team)},")
        components = list(self._components(robot))
        gripper = next((one for one, kind in components if kind.kind == "Gripper"), None)
        if gripper is not None:
            half_rad = math.radians(self._number(gripper, "Angle", 60.0)) / 2
            reach_m = self._number(gripper, "Distance", 0.5)
            fields.append(f"gripper: (reach_m: {reach_m!r}, half_angle_rad: {half_rad!r}),")
        return {
            "name": robot.name,
            "line": _line(robot._place),
            "fields": " ".join(fields),
            "components": [self._component(robot, one, kind) for one, kind in components],
        }

    def _components(self, robot: AbstractComponent) -> Iterator[tuple[ComponentCreator, Counterpart]]:
        """The sensors and actuators of a robot that have a counterpart."""
        for child in robot.children:
            if isinstance(child, Robot):
                continue
            if isinstance(child, ComponentCreator):
                kind = type(child)._counterpart
                if kind is not None:
                    yield child, kind
                else:
                    message = f"`{child.name}` ({type(child).__name__}) is left out, as {type(child)._missing}{_kept(child)}"
                    self.building.lose(message, child._place)
            elif isinstance(child, PassiveObject):
                self.building.lose(f"`{child.name}` is left out: no object is part of a robot", child._place)
            yield from self._components(child)

    def _component(self, robot: Robot, component: ComponentCreator, kind: Counterpart) -> dict[str, Any]:
        fields = [f"rate_hz: {to_notation(self._rate_hz(component))},"]
        position, rotation = _within_robot(component)
        mount = {
            "x_m": position[0],
            "y_m": position[1],
            "z_m": position[2],
            "yaw_rad": rotation[2],
            "pitch_rad": rotation[1],
            "roll_rad": rotation[0],
        }
        if kind.is_mounted:
            parts = [f"{name}: {to_notation(float(value))}" for name, value in mount.items() if value]
            if parts:
                fields.append(f"mount: ({', '.join(parts)}),")
        fields += self._options(component, kind)
        if kind.kind == "Gps":
            fields += self._origin()
        if kind.kind == "Imu" and self.environment.gravity_m_per_s2 != 9.81:
            fields.append(f"gravity_m_per_s2: {to_notation(self.environment.gravity_m_per_s2)},")
        known = next(one for one in type(component).__mro__ if one.__module__.startswith(f"{__package__}."))
        classpath = component._classpath_now()
        if classpath != getattr(known, "_classpath", None):
            message = f"`{classpath}` is a program for MORSE, which is not run: `{known.__name__}` stands for it"
            self.building.lose(message, component._place)
        return {
            "name": component.name,
            "line": _line(component._place),
            "is_sensor": component._category == "sensors",
            "kind": kind.kind,
            "is_reached": kind.kind != "Keyboard",
            "fields": " ".join(fields),
        }

    def _options(self, component: ComponentCreator, kind: Counterpart) -> Iterator[str]:
        written: dict[str, str] = {}
        for name, one in component._bpy_object.game.properties.items():
            what = f"the property `{name}` of `{component.name}` ({type(component).__name__})"
            if name in kind.options:
                option = kind.options[name]
                try:
                    written[option.field] = option.write(one.value)
                except (TypeError, ValueError, OverflowError):
                    self.building.lose(f"{what} is left out: {one.value!r} has another type", one.place)
            elif name in kind.usual:
                if one.value != kind.usual[name]:
                    self.building.lose(f"{what} is left out: here it is {kind.usual[name]!r}", one.place)
            elif name not in kind.ignored and name not in _OWN_PROPERTIES:
                self.building.lose(f"{what} has no effect here", one.place)
        return (f"{name}: {value}," for name, value in written.items())

    def _origin(self) -> list[str]:
        """The origin of the arena on Earth, which the environment has."""
        names = {"longitude": "longitude_deg", "latitude": "latitude_deg", "altitude": "altitude_m"}
        numbers = {name: _finite(self.environment.property_value(name)) for name in [*names, "angle_against_north"]}
        parts = [f"{names[name]}: {to_notation(value)}" for name, value in numbers.items() if name in names and value]
        x_from_north_deg = numbers["angle_against_north"]
        if x_from_north_deg is not None and x_from_north_deg != 90.0:
            # MORSE has the angle from north to the x axis, clockwise.
            parts.append(f"north_deg: {to_notation(90.0 - x_from_north_deg)}")
        return [f"origin: ({', '.join(parts)}),"] if parts else []

    def _rate_hz(self, component: AbstractComponent) -> float:
        return self._number(component, "frequency", 0.0)

    def _number(self, component: AbstractComponent, name: str, usual: float) -> float:
        """A property as a number. Another value is a loss: the usual one stands for it."""
        one = component._bpy_object.game.properties.get(name)
        if one is None or one.value is None:
            return usual
        number = _finite(one.value)
        if number is None:
            owner = "the environment" if component is self.environment else f"`{component.name}`"
            message = f"the property `{name}` of {owner} is not a number: {one.value!r} is left out"
            self.building.lose(message, one.place)
            return usual
        return number

    # Teams

    def _tags(self) -> Iterator[str]:
        """Properties by which sensors know objects and robots."""
        for component in self.building.components:
            for name in ("Track", "only_objects_with_property", "FireTag"):
                value = component.property_value(name)
                if isinstance(value, str) and value and value != "Robot_Tag":
                    yield value
            ignored = component.property_value("Ignore")
            all_ = ignored if isinstance(ignored, (list, tuple)) else [ignored]
            yield from (one for one in all_ if isinstance(one, str) and one)
        yield "Fire"

    def _team(self, component: AbstractComponent, known: set[str]) -> str:
        """The team for the properties of a robot or an object: one that a sensor looks for, or else the only one."""
        properties = component._bpy_object.game.properties
        own = {name: one for name, one in properties.items() if name not in known}
        teams = [name for name in self.tags if name in own]
        if not teams:
            teams = [name for name, one in own.items() if one.value is True and name not in ("Object", "Graspable")][:1]
        for name, one in own.items():
            is_movable = name == "Graspable" and not isinstance(component, Robot)
            if name not in teams[:1] and not is_movable:
                self.building.lose(f"the property `{name}` of `{component.name}` has no effect here", one.place)
        return teams[0] if teams else ""

    # Objects

    def _object(self, thing: AbstractComponent) -> str | None:
        if not isinstance(thing, Thing) or not thing.outline or _robot_of(thing) is not None:
            return None
        position, rotation = _world(thing)
        self.points.append(position)
        x, y, z = position
        half_x, half_y = abs(thing.scale[0]), abs(thing.scale[1])
        corners = _corners(x, y, half_x, half_y, rotation[2])
        name = f"name: {quoted(thing.name)}, "
        if isinstance(thing, Zone):
            return f"Region({name}team: {quoted(str(thing.property_value('Type')))}, area: Polygon(corners_m: {corners}))"
        team = self._team(thing, set())
        rest = f"team: {quoted(team)}, " if team else ""
        if thing._bpy_object.game.physics_type == "NO_COLLISION":
            rest += "blocks: false, sensed: false, "
        elif z - thing.scale[2] > _ON_SOMETHING_M:
            rest += "blocks: false, "
        elif thing.property_value("Graspable") is True:
            rest += "movable: (), "
        if thing.outline == "box":
            return f"Polygon({name}{rest}corners_m: {corners})"
        return f"Disc({name}{rest}center_m: ({_numbers(x, y)}), radius_m: {to_notation(max(half_x, half_y, 1e-3))})"

    def _environment_objects(self) -> list[str]:
        """The objects of the environments that are known."""
        name = self.environment._file.removesuffix(".blend")
        place = self.environment._place
        if name in ("empty", ""):
            return []
        if name == "indoors-1/boxes":
            self.building.lose("the walls of `indoors-1/boxes` are left out: its three boxes are there", place)
            boxes = BOXES.items()
            return [f"Polygon(name: {quoted(box)}, corners_m: {_corners(x, y, 0.5, 0.5, 0.0)})" for box, (x, y) in boxes]
        message = f"walls and objects of the environment `{name}` are in a Blender file, which is not read: the arena is empty"
        self.building.lose(message, place)
        return []

    def _arena(self) -> str:
        reach_m = [abs(number) for point in self.points for number in point[:2] if math.isfinite(number)]
        half_m = max([_HALF_FLOOR_M, *(math.ceil(number) + 5.0 for number in reach_m)])
        return f"arena: (corner_m: ({_numbers(-half_m, -half_m)}), size_m: ({_numbers(2 * half_m, 2 * half_m)})),"

    # The environment

    def _environment_numbers(self) -> dict[str, float]:
        numbers = {}
        for name, one in self.environment._bpy_object.game.properties.items():
            if name in _ENVIRONMENT_NUMBERS:
                number = _finite(one.value)
                if number is None:
                    self.building.lose(f"`{name}` of the environment is not a number: {one.value!r} is left out", one.place)
                else:
                    numbers[_ENVIRONMENT_NUMBERS[name]] = number
            elif name == "angle_against_north":
                classes = [one[0] for part in self.building.components for one in part._links.modifiers]
                if any(word in found for found in classes for word in ("geodetic", "ecef", "geocentric")):
                    message = f"`{name}` of the environment turns the axes of `GPS`, and not those of modifiers"
                    self.building.lose(message, one.place)
            elif name not in _ENVIRONMENT_SETTINGS:
                self.building.lose(f"the property `{name}` of the environment has no effect here", one.place)
        return numbers

    def _time(self) -> str:
        environment, building = self.environment, self.building
        parts = []
        creators = [one for one in building.components if isinstance(one, ComponentCreator)]
        fastest_hz = max([DEFAULT_FREQUENCY_HZ, *map(self._rate_hz, creators)])
        base_hz = building.base_frequency_hz
        if environment.auto_tune_time:
            kept = [one for one in creators if type(one)._counterpart is not None and _robot_of(one) is not None]
            if base_hz is None and fastest_hz == max([DEFAULT_FREQUENCY_HZ, *map(self._rate_hz, kept)]):
                parts.append("base: Fastest")
            else:
                parts.append(f"dt_s: {to_notation(1.0 / max(fastest_hz, base_hz or 0.0))}")
        else:
            parts.append(f"dt_s: {to_notation(1.0 / (base_hz or DEFAULT_FREQUENCY_HZ))}")
        is_synced = environment.property_value("use_internal_syncer")
        if is_synced or environment.strategy == TimeStrategies.FixedSimulationStep:
            parts.append("strategy: FixedStep")
        scale = self._number(environment, "time_scale", 1.0)
        if scale <= 0.0:
            place = environment._bpy_object.game.properties["time_scale"].place
            building.lose(f"the scale of time is above 0: {scale!r} is left out", place)
        elif scale != 1.0:
            parts.append(f"scale: {to_notation(scale)}")
        if building.steps_per_frame is not None:
            parts.append(f"max_steps_per_frame: {building.steps_per_frame}")
        if not environment.property_value("use_relative_time"):
            parts.append("epoch: Unix")
        return f"time: ({', '.join(parts)}),"

    def _add_looks(self) -> None:
        """Notes the calls that change only the appearance, once for each file."""
        lines: dict[str, list[int]] = {}
        for file, line in sorted(self.building.looks):
            lines.setdefault(file, []).append(line)
        for file, all_ in lines.items():
            others = f" (also: {', '.join(f'line {line}' for line in all_[1:])})" if all_[1:] else ""
            message = f"cameras, colours, lights and models of Blender have no effect here{others}"
            self.building.lose(message, (file, all_[0]))


def _kept(component: AbstractComponent) -> str:
    """The rest of the message about a component that is left out."""
    links = component._links
    has_links = links.streams or links.services or links.overlays
    return "; its streams and services are kept for exports" if has_links else ""


def _line(place: Place) -> int:
    file, line = place
    return 1 if file else line


def _near_zero(angle: float) -> float:
    """An angle within a turn."""
    return angle if abs(angle) <= 2 * math.pi else math.remainder(angle, 2 * math.pi)


def _finite(value: Any) -> float | None:
    """A value as a number, if it is one."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _numbers(*numbers: float) -> str:
    return ", ".join(to_notation(float(number)) for number in numbers)


def _corners(x: float, y: float, half_x: float, half_y: float, yaw: float) -> str:
    sin, cos = math.sin(yaw), math.cos(yaw)
    signs = ((1, 1), (-1, 1), (-1, -1), (1, -1))
    points = [(a * half_x, b * half_y) for a, b in signs]
    return "[" + ", ".join(f"({_numbers(x + cos * a - sin * b, y + sin * a + cos * b)})" for a, b in points) + "]"


def _robot_of(component: AbstractComponent) -> Robot | None:
    """The robot that a component is on."""
    parent = getattr(component, "parent", None)
    while parent is not None and not isinstance(parent, Robot):
        parent = getattr(parent, "parent", None)
    return parent


def _within_robot(component: AbstractComponent) -> tuple[Vector, Vector]:
    """The place of a component on its robot."""
    place = component.location, component.rotation_euler
    parent = getattr(component, "parent", None)
    while parent is not None and not isinstance(parent, Robot):
        place = within((parent.location, parent.rotation_euler), place)
        parent = getattr(parent, "parent", None)
    return place


def _world(component: AbstractComponent) -> tuple[Vector, Vector]:
    """The place of a component in the world."""
    place = component.location, component.rotation_euler
    parent = getattr(component, "parent", None)
    while parent is not None:
        place = within((parent.location, parent.rotation_euler), place)
        parent = getattr(parent, "parent", None)
    return place
