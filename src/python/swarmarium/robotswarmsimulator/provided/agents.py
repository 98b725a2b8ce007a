"""Agents and worlds, as base classes of what users' classes see."""

from __future__ import annotations

import collections
import enum
import math
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from .config import associated_type, filter_unexpected_fields


class CollisionMode(enum.Flag):
    """What an agent does when it overlaps another one."""

    Disabled = 0
    Detect = 1
    Correct = 2
    DetectAndCorrect = 3


def collision_mode(mode: Any) -> CollisionMode:
    """The mode with a name or number."""
    return CollisionMode[mode] if isinstance(mode, str) else CollisionMode(mode)


class State(NamedTuple):
    """A pose."""

    x: float
    y: float
    angle: float


SPA = collections.namedtuple("SPA", ["state", "perception", "action"])


@filter_unexpected_fields
@dataclass
class BaseAgentConfig:
    """The configuration of an agent."""

    position: Any = (0, 0)
    angle: Any = 0.0
    name: Any = None
    controller: Any = None
    grounded: bool = False
    collides: Any = CollisionMode.Disabled
    sensors: list[Any] = field(default_factory=list)
    team: str | None = None


@filter_unexpected_fields
@dataclass
class StaticAgentConfig(BaseAgentConfig):
    """The configuration of an agent with a body."""

    seed: Any = "unspecified"
    agent_radius: float = 0.0
    body_color: Any = (255, 255, 255)
    body_filled: bool = False
    collides: Any = CollisionMode.DetectAndCorrect
    points: Any = field(default_factory=list)
    anchor_point: Any = None
    debug: bool = False


@associated_type("MazeAgent")
@filter_unexpected_fields
@dataclass
class MazeAgentConfig(StaticAgentConfig):
    """The configuration of an agent that moves."""

    stop_on_collision: bool = False
    stop_at_goal: bool = False
    catastrophic_collisions: bool = False
    trace_length: int | None = 0
    trace_color: Any = (255, 255, 255)
    track_io: bool = False
    idiosyncrasies: Any = False
    delay: Any = 0


class Agent:
    """What all agents have. The simulation has the state: `pos`, `angle`, `dpos` and so on."""

    pos: Any
    dpos: Any
    angle: Any
    sensors: list[Any]
    name: Any

    @property
    def position(self) -> Any:
        """x and y in metres."""
        return self.pos

    def getPosition(self) -> Any:
        """x and y in metres."""
        return self.pos

    def getVelocity(self) -> Any:
        """Displacement in the last step."""
        return self.dpos

    def get_sensors(self) -> list[Any]:
        """The sensors."""
        return self.sensors

    def get_x_pos(self) -> Any:
        """x in metres."""
        return self.pos[0]

    def get_y_pos(self) -> Any:
        """y in metres."""
        return self.pos[1]

    def get_heading(self) -> Any:
        """Heading in radians."""
        return self.angle

    def get_name(self) -> Any:
        """The name."""
        return self.name

    def orientation_uvec(self, offset: float = 0.0) -> Any:
        """The unit vector along the heading, turned by an angle."""
        return np.array([math.cos(self.angle + offset), math.sin(self.angle + offset)])

    def getFrontalPoint(self, offset: float = 0) -> Any:
        """The point one metre ahead."""
        return self.pos + self.orientation_uvec(offset)


class StaticAgent(Agent):
    """An agent with a body."""

    points: Any

    @property
    def is_poly(self) -> bool:
        """Whether the body has corners."""
        return bool(np.any(self.points))

    def rotmat2d(self, offset: float = 0) -> Any:
        """The matrix that turns by the heading and an angle."""
        cos, sin = self.orientation_uvec(offset)
        return np.array([[cos, -sin], [sin, cos]])

    @property
    def poly_rotated(self) -> Any:
        """The corners of the body around its position."""
        return self.points @ self.rotmat2d().T


class MazeAgent(StaticAgent):
    """An agent that moves."""


class StaticObject(StaticAgent):
    """An object."""


class DetectionRegion(StaticAgent):
    """A region that detects agents."""


@filter_unexpected_fields
@dataclass
class BaseWorldConfig:
    """The configuration of a world."""

    size: Any = (0, 0)
    metrics: list[Any] = field(default_factory=list)
    agents: list[Any] = field(default_factory=list)
    spawners: list[Any] = field(default_factory=list)
    objects: list[Any] = field(default_factory=list)
    goals: list[Any] = field(default_factory=list)
    stop_at: Any = None
    background_color: Any = (0, 0, 0)
    seed: int | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    flags: dict[str, Any] = field(default_factory=dict)

    @property
    def radius(self) -> float:
        """Half of the diagonal."""
        return float(np.linalg.norm(np.asarray(self.size) / 2))


@associated_type("RectangularWorld")
@filter_unexpected_fields
@dataclass
class RectangularWorldConfig(BaseWorldConfig):
    """The configuration of a rectangular world."""

    size: Any = (5, 5)
    show_walls: bool = True
    collide_walls: bool = True
    detectable_walls: bool = False
    time_step: float = 1 / 60


class World:
    """A world."""

    @property
    def population(self) -> list[Any]:
        """All robots."""
        raise NotImplementedError

    def getNeighborsWithinDistance(self, center: Any, r: float, excluded: Any = None) -> list[Any]:
        """The agents less than `r` metres from a point, except one."""
        near = (agent for agent in self.population if math.dist(center, agent.pos) < r)
        return [agent for agent in near if agent is not excluded]


class RectangularWorld(World):
    """A rectangular world."""
