"""Views of the world, robots, objects and sensors for users' classes, as in RobotSwarmSimulator."""

from __future__ import annotations

import difflib
import functools
import importlib
import math
import re
import sys
import types
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np

from .. import own_classes
from ..columns import Array
from ..notation import from_notation
from ..simulation import Simulation
from . import provided


def _extend(view: type, module: str, name: str) -> type:
    """The class of a view, as a subclass of those classes of this name that users' classes may ask for."""
    bases = []
    for root in provided.ROOTS:
        if root in sys.modules:
            try:
                base = getattr(importlib.import_module(f"{root}.{module}"), name, None)
            except ImportError:
                continue
            bases += [base] if isinstance(base, type) and base not in bases else []
    # The view has the provided base classes already.
    return _joined(view, tuple(base for base in bases if not issubclass(view, base)))


@functools.cache
def _joined(view: type, bases: tuple[type, ...]) -> type:
    return type(view.__name__, (view, *bases), {"__doc__": view.__doc__}) if bases else view


class _Named:
    """Names what is missing."""

    _what = ""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        known = sorted({one for one in (*vars(self), *dir(type(self))) if not one.startswith("_")})
        near = difflib.get_close_matches(name, [one for one in known if one != name], 1)
        hint = f"; did you mean `{near[0]}`?" if near else f": it has {', '.join(known)}"
        raise AttributeError(f"{self._what} has no `{name}` here{hint}")


def _fixed(name: str, about: str, read: Any) -> property:
    """A property that classes cannot set."""

    def refuse(self: Any, value: Any) -> None:
        raise AttributeError(
            f"{self._what}: a class cannot set `{name}`, since robots act by commands; `Simulation.apply` changes them"
        )

    return property(read, refuse, doc=about)


class SensorView(_Named):
    """A sensor of the program on a robot."""

    parent: AgentView

    goal_detected = False

    def __init__(self, agent: AgentView, slot: int, kind: str):
        self.agent = self.parent = agent
        self.kind = kind
        """The kind of the sensor."""
        self.slot = slot
        """Its place on the robot."""
        self._what = f"the sensor {slot} ({kind}) of {agent._what}"
        self._sight: Array | None = None
        self.seed: Any
        self._is_inverted = "Invert" in agent.world._native.get(f"agents.{agent.number}.sensors.{slot}")
        self._parameters = agent.world._groups[agent.group].part(f"sensors.{slot}")
        self.history: list[Any] = []

    @property
    def values(self) -> Array:
        """All numbers of the reading."""
        return self.agent.world._reading(self.agent, self.slot)

    @property
    def current_state(self) -> Any:
        """The reading: a whole number if it is one, such as 0 or 1 of a binary sensor; a list if there are several.

        A targeter has its target, or `None` without one.
        """
        values: list[Any] = [int(value) if float(value).is_integer() else float(value) for value in self.values]
        if self.kind != "Targeter":
            return values[0] if len(values) == 1 else values
        reads = self._parameters["reads"].split()
        if all(math.isnan(value) for value in values) or dict(zip(reads, values)).get("Found") == 0:
            return None
        if "Number" in reads:
            return self.agent.world._thing(values[reads.index("Number")])
        if reads == ["X", "Y"]:
            # The array of the target itself, which moves with it.
            target = self.current_target
            return np.array(values) if target is None else target.pos
        return values[0] if len(values) == 1 else values

    @property
    def current_target(self) -> Any:
        """The robot or object that a targeter follows; `None` without one."""
        return self.agent.world._target(self.agent, self.slot)

    def note(self) -> None:
        """Keeps the poses at which a field of view reads, for `agent_in_sight`."""
        self._sight = self.agent.world._poses.copy()

    @property
    def agent_in_sight(self) -> Any:
        """The first robot that a field of view detected when it read; `None` without one.

        It is known of robots with classes in Python.
        """
        if self.kind != "BinaryFov":
            raise AttributeError(f"{self._what} has no `agent_in_sight` here")
        if self.agent.world.total_steps > 1 and self._sight is None:
            raise AttributeError(f"{self._what} has no `agent_in_sight` here: only robots with classes in Python have it")
        if self._sight is None or bool(self.current_state) == self._is_inverted:
            return None
        return next(filter(self._sees, self.agent.world.population), None)

    def _sees(self, other: AgentView) -> bool:
        """Whether a robot was in the field of view when it read."""
        assert self._sight is not None
        own = self._sight[self.agent._row]
        # What the provided class uses.
        eye = types.SimpleNamespace(theta=self.theta, bias=self.bias, r=self.r, target_team=self._parameters["sight.team"])
        eye.agent = types.SimpleNamespace(pos=own[:2], angle=own[2]) if other is not self.agent else other
        eye.detect_only_origins = self._parameters["centers_only"]
        eye.getSectorVectors = lambda: provided.sensors.BinaryFOVSensor.getSectorVectors(eye)  # type: ignore[arg-type]
        seen = types.SimpleNamespace(pos=self._sight[other._row, :2], radius=other.radius, team=other.team)
        return provided.sensors.BinaryFOVSensor._sees(eye, eye.agent if other is self.agent else seen)  # type: ignore[arg-type]

    @property
    def detection_id(self) -> Any:
        """The name of the robot in sight; 0 for none."""
        seen = self.agent_in_sight
        return 0 if seen is None else seen.name

    @property
    def theta(self) -> Any:
        """Half of the field of view in radians."""
        return self._parameter("theta", "half_angle_rad")

    @property
    def bias(self) -> Any:
        """Direction of the field of view in radians."""
        return self._parameter("bias", "bearing_rad")

    @property
    def r(self) -> Any:
        """Range in metres."""
        return self._parameter("r", "range_m")

    def _parameter(self, name: str, own: str) -> Any:
        if own not in self._parameters:
            raise AttributeError(f"{self._what} has no `{name}` here")
        return self._parameters[own]

    @property
    def position(self) -> Any:
        """The position of the robot."""
        return self.agent.pos

    def get_state(self) -> Any:
        """The reading."""
        return self.current_state

    def state_pretty(self) -> str:
        """The reading as text."""
        return str(self.current_state)


_SENSOR_CLASSES = {"BinaryFov": "BinaryFOVSensor", "Targeter": "Targeter"}
"""The classes of the sensors that users' classes may ask for, by kind."""


class ControllerView(_Named):
    """A controller of the program, which classes cannot look into."""

    def __init__(self, what: str):
        self._what = what


class AgentView(_Named, provided.agents.MazeAgent):
    """A robot, as controllers and sensors see it. Its state is live: it shows what robots did earlier in the same step."""

    config: Any
    dt: float
    number: int
    points: Any
    rng: np.random.Generator
    world: World

    is_highlighted = body_filled = stop_on_collision = goal_seen = marked_for_deletion = grounded = debug = False
    stopped_duration = detection_id = 0
    body_color: tuple[int, int, int] = (255, 255, 255)

    def __init__(self, world: World, number: int, name: str, group: str):
        self.world, self.number = world, number
        self.group = group
        """The name of its group."""
        self.full_name = name
        """The name in the scene."""
        self._what = f"the robot {name}"
        self._row = 0
        self._heading: float
        self.controller: Any = ControllerView(f"the controller of {self._what}")
        self.dt = world.dt
        self.sensors: list[Any] = []
        self.history: list[Any] = []
        description = world._groups[group]
        self._team, self._name = description.team, description.name_of(name)
        self.points = np.asarray(description.points, dtype=float)
        self.config = description.config
        self.rng = world._rng_of(number)

    pos: property = _fixed("pos", "x and y in metres.", lambda self: self.world._poses[self._row, :2])
    position: property = _fixed("position", "x and y in metres.", lambda self: self.pos)
    angle: property = _fixed("angle", "Heading in radians.", lambda self: float(self.world._poses[self._row, 2]))
    dpos: property = _fixed("dpos", "Displacement in the last step in metres.", lambda self: self.world._moved(self._row))
    dtheta: property = _fixed("dtheta", "Turn in the last step in radians, of robots with a controller in Python.", lambda self: self.angle - self._heading)
    radius: property = _fixed("radius", "Radius in metres.", lambda self: float(self.world._bodies[self._row, 0]))
    collision_flag: property = _fixed(
        "collision_flag", "Whether it was pushed in its last turn.", lambda self: bool(self.world._bodies[self._row, 1])
    )
    dead: property = _fixed("dead", "Whether it is dead.", lambda self: bool(self.world._bodies[self._row, 2]))
    team: property = _fixed("team", "The team; `None` without one.", lambda self: self._team)
    name: property = _fixed(
        "name", "The name: that of the world file, or the number of the robot of a spawner.", lambda self: self._name
    )


class ObjectView(_Named, provided.agents.StaticObject):
    """An object of the world, as controllers and sensors see it."""

    dpos: Any
    kind: str
    name: Any
    points: Any
    pos: Any
    radius: float
    sensors: list[Any]
    team: Any | None
    world: World

    angle: Any = 0.0

    def __init__(self, world: World, place: int, kind: str, values: dict[str, Any]):
        self.world, self.kind = world, kind
        self.name, self.team = (values.get(name) or None for name in ("name", "team"))
        self._what = f"the object {self.name or place}"
        value = {name.removeprefix("area."): one for name, one in values.items()}
        corners = _numbers(value.get("corners_m", "")).reshape(-1, 2)
        self.pos = _numbers(value.get("center_m", value.get("position", "")))
        if len(corners) and (not len(self.pos) or "inplace" in str(value.get("anchor_point", ""))):
            self.pos = _centroid(corners) if "centroid" in str(value.get("anchor_point", "")) else _center(corners)
        self.pos.flags.writeable = False
        self.points = corners - self.pos if len(corners) else np.empty(0)
        self.radius = float(np.hypot(*self.points.T).max() if len(corners) else value.get("radius_m", 0.0))
        self.dpos, self.sensors = np.zeros(2), []
        self._values = values

    @property
    def collided(self) -> list[Any]:
        """The robots that a region touches, if their teams and names count."""
        if self.kind != "Region":
            return []
        teams, group = self._values.get("teams", "[]"), self._values.get("group", "")
        touching = (
            one
            for one in self.world.population
            if math.dist(one.pos, self.pos) <= one.radius + self.radius
            and (teams == "[]" or f'"{one.team}"' in teams)
            and group in ("", one.group, one.full_name)
        )
        return list(touching)

    @property
    def collision_flag(self) -> bool:
        """Whether a region touches robots that count."""
        return bool(self.collided)


def _center(corners: Array) -> Array:
    """The centre of the box around a polygon."""
    center: Array = (corners.min(axis=0) + corners.max(axis=0)) / 2
    return center


def _centroid(corners: Array) -> Array:
    """The centroid of a polygon."""
    following = np.roll(corners, -1, axis=0)
    areas = corners[:, 0] * following[:, 1] - following[:, 0] * corners[:, 1]
    centroid: Array = ((corners + following) * areas[:, None]).sum(axis=0) / (3 * areas.sum())
    return centroid


class _Group:
    """The properties that the robots of a group share."""

    def __init__(self, simulation: Simulation, name: str, values: dict[str, Any]):
        notes = own_classes.notes_of(simulation, name)
        self._values = values
        self.team = values.get("team") or None
        self.points = _numbers(values.get("body.corners_m", "")).reshape(-1, 2)
        given = own_classes.parameters(notes, "config")
        # Groups without a name in the file have one of these.
        is_unnamed = re.fullmatch(r"(agent|spawned)(-\d+)?", name) is not None
        self.name = given.get("name") if given else (None if is_unnamed else name)
        self.is_spawned = not any(path.startswith("at.") for path in values)
        given.pop("type", None)
        begin = {"agent_radius": values.get("body.radius_m", 0.0), "team": self.team, "name": self.name}
        self.config = provided.agents.MazeAgentConfig(**{**begin, **given})
        if "position" in given:
            self.config.position = tuple(given["position"])

    def part(self, path: str) -> dict[str, Any]:
        """The parameters of a part, by path."""
        return _within(self._values, path)

    def name_of(self, name: str) -> Any:
        """The name of a robot in the world file."""
        if self.name is not None or not self.is_spawned:
            return self.name
        serial = name.rpartition("-")[2]
        return serial if serial.isdigit() else "0"


def _within(parameters: dict[str, Any], path: str) -> dict[str, Any]:
    """The parameters under a path, with the corners of a list as one text."""
    prefix = f"{path}."
    found: dict[str, Any] = {}
    for name, value in parameters.items():
        if name.startswith(prefix):
            of, _, place = name.removeprefix(prefix).rpartition(".")
            if place.isdigit() and isinstance(value, str):
                found[of] = f"{found.get(of, '')} {value}"
            else:
                found[name.removeprefix(prefix)] = value
    return found


def _numbers(text: Any) -> Array:
    """The numbers in a value of a scene."""
    return np.array([float(one) for one in re.findall(r"[-+]?[0-9.]+(?:e[-+]?\d+)?", str(text))])


class World(_Named, provided.agents.RectangularWorld):
    """The world, as controllers and sensors see it."""

    config: Any
    dt: float
    meta: dict[str, Any]
    rng: np.random.Generator
    seed: int
    total_steps: int

    _what = "the world"
    quad = gui = selected = None
    initialized = True

    def __init__(self, simulation: Simulation):
        self._native, self._simulation = simulation._native, weakref.ref(simulation)
        self._agents: dict[int, AgentView] = {}
        self._population: Any = None
        self.goals: list[Any] = []
        """The goals: none, as in RobotSwarmSimulator 1.2.5."""
        self.events: list[Any] = []
        self.flags: dict[str, Any] = {}
        self.total_steps = simulation.steps
        """The number of the present step, counted from 1."""
        self.restart()

    @staticmethod
    def of(simulation: Simulation) -> World:
        """The world of a simulation."""
        if simulation._world is None:
            cls = _extend(World, "world.RectangularWorld", "RectangularWorld")
            simulation._world = cls(simulation)
        world: World = simulation._world
        return world

    def _sim(self) -> Simulation:
        simulation = self._simulation()
        assert simulation is not None, "the driver of a simulation does not outlive it"
        return simulation

    def restart(self) -> None:
        """Begins again: with the scene as it is now, and with new random numbers."""
        simulation = self._sim()
        self.dt = simulation.dt_s
        """The duration of a step in seconds."""
        self.seed = simulation.seed
        """The seed of the run."""
        self._population, self._agents = None, {}
        self._groups: dict[str, _Group] = {}
        parts = self._read_groups(simulation)
        self.meta = self._notes()
        """The `metadata` of the world file."""
        size = _numbers(simulation.get("arena.size_m"))
        self.config = provided.agents.RectangularWorldConfig(
            size=size,
            time_step=self.dt,
            seed=self.seed,
            metadata=self.meta,
            stop_at=simulation.get("stop.steps") - 1 if simulation.get("stop.steps") else simulation.get("stop.when") or None,
        )
        self._objects = self._read_objects(parts)
        state = self._native.chain(None)
        self.rng = _generator(state) if state else np.random.default_rng(self.seed)
        """Random numbers: those that are left after agents and spawners got their seeds."""

    def _read_groups(self, simulation: Simulation) -> dict[str, Any]:
        """Looks at the groups that are new; returns the parameters of the scene."""
        parts = simulation.parameters()
        for name in simulation.groups:
            if name not in self._groups:
                self._groups[name] = _Group(simulation, name, _within(parts, f"groups.{name}"))
        return parts

    def _notes(self) -> dict[str, Any]:
        of_groups = tuple(f"{name}." for name in (*self._groups, "objects"))
        notes = {f"meta.{name}": text for name, text in self._native.notes() if not name.startswith(of_groups)}
        return own_classes.parameters(notes, "meta")

    def _read_objects(self, parts: dict[str, Any]) -> list[ObjectView]:
        places = {int(path.split(".")[1]) for path in parts if path.startswith("objects.")}
        notes = own_classes.notes_of(self._sim(), "objects")
        views = []
        for place in sorted(places):
            values = _within(parts, f"objects.{place}")
            kind = str(self._native.get(f"objects.{place}")).partition("(")[0]
            name = "DetectionRegion" if kind == "Region" else "StaticObject"
            given = own_classes.parameters(notes, str(place))
            views.append(_extend(ObjectView, f"world.objects.{name}", name)(self, place, kind, {**given, **values}))
        return views

    def follow(self) -> None:
        """Looks at the population before a step."""
        simulation = self._sim()
        self.total_steps = simulation.steps + 1
        population = self._native.population()
        if population == self._population:
            return
        self._poses, self._velocities = simulation.bind("poses"), simulation.bind("velocities")
        self._bodies = simulation.bind("bodies")
        self._rows: dict[int, int] = {}
        self._starts: dict[str, Any] = {}
        self._columns: dict[str, tuple[Array, Array]] = {}
        view = _extend(AgentView, "agent.MazeAgent", "MazeAgent")
        known, self._agents = self._agents, {}
        if any(name not in self._groups for name in simulation.groups):
            self._read_groups(simulation)
        members: dict[str, int] = dict.fromkeys(simulation.groups, 0)
        for row, member in enumerate(simulation.agents):
            # Robots that stay keep their memory.
            agent = known.get(member.number)
            if agent is None:
                agent = view(self, member.number, member.name, member.group)
                self._begin(agent)
            agent._row = row
            self._rows[member.number] = members[member.group]
            members[member.group] += 1
            self._agents[member.number] = agent
        for name, count in members.items():
            if count:
                self._columns[name] = self._bind(simulation, name)
        self._population = population

    def _bind(self, simulation: Simulation, name: str) -> tuple[Array, Array]:
        first = next(agent for agent in self._agents.values() if agent.group == name)
        has_target = any(getattr(sensor, "kind", "") == "Targeter" for sensor in first.sensors)
        targets = simulation.bind("targets", group=name) if has_target else np.empty((0, 0))
        widths = [len(values) for _, values in self._native.readings(first.number)]
        self._starts[name] = np.concatenate(([0], np.cumsum(widths))).astype(int)
        return simulation.bind("readings", group=name), targets

    def _begin(self, agent: AgentView) -> None:
        """Gives a robot the views of its sensors."""
        kinds = [kind for kind, _ in self._native.readings(agent.number)]
        own = self._native.get
        if kinds and kinds[-1] == "Pose" and own(f"agents.{agent.number}.sensors.{len(kinds) - 1}.name") == '"pose"':
            # The importer adds it for clients.
            kinds.pop()
        for slot, kind in enumerate(kinds):
            name = _SENSOR_CLASSES.get(kind, "Sensor")
            view = _extend(SensorView, f"sensors.{name}", name)
            agent.sensors.append(view(agent, slot, kind))

    def _reading(self, agent: AgentView, slot: int) -> Array:
        starts, row = self._starts[agent.group], self._rows[agent.number]
        return self._columns[agent.group][0][row, starts[slot] : starts[slot + 1]]

    def _target(self, agent: AgentView, slot: int) -> Any:
        targets = self._columns[agent.group][1]
        number = targets[self._rows[agent.number], slot] if targets.size else math.nan
        return self._thing(number)

    def _thing(self, number: float) -> Any:
        """The robot with a number; -1 minus the place of an object."""
        if math.isnan(number):
            return None
        return self._agents.get(int(number)) if number >= 0 else self._objects[-1 - int(number)]

    def _moved(self, row: int) -> Array:
        moved: Array = self._velocities[row] * self.dt
        return moved

    def _rng_of(self, number: int) -> np.random.Generator:
        state = self._native.chain(number)
        return np.random.default_rng([self.seed, number]) if state is None else _generator(state)

    def rewind(self, agent: AgentView) -> None:
        """Begins the random numbers of a robot before the seeds of its sensors, if no step was made."""
        if self.total_steps <= 1 and self._native.chain(agent.number) is not None:
            source: Any = agent.rng.bit_generator
            source.state = {**source.state, "has_uint32": 0, "uinteger": 0}
            # Two seeds take one draw.
            seeds = len(self._native.readings(agent.number))
            source.advance(-((seeds + 1) // 2))

    @property
    def population(self) -> list[AgentView]:
        """All robots, in the order of their numbers."""
        return list(self._agents.values())

    @property
    def objects(self) -> list[ObjectView]:
        """All objects."""
        return list(self._objects)

    @property
    def max_agent_r(self) -> float:
        """The largest radius of a robot."""
        return float(self._bodies[:, 0].max(initial=0.0))


def _generator(state: tuple[int, int, int, bool]) -> np.random.Generator:
    """The generator of numpy in a state."""
    generator = np.random.Generator(np.random.PCG64())
    now, increment, half, has_half = state
    generator.bit_generator.state = {
        "bit_generator": "PCG64",
        "state": {"state": now, "inc": increment},
        "has_uint32": int(has_half),
        "uinteger": half,
    }
    return generator
