"""Sensors, as base classes of users' own."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .attached import Attached


class Sensor(Attached):
    """The base class of sensors."""

    rng: np.random.Generator
    seed: Any
    static_position: Any

    config_vars: list[str] = ["static_position", "n_possible_states", "show"]

    def __init__(
        self,
        agent: Any = None,
        parent: Any = None,
        static_position: Any = None,
        n_possible_states: int = 0,
        draw: bool = True,
        seed: int | None = None,
        **kwargs: Any,
    ):
        self.set_agent(agent, parent)
        self.show = draw
        self.static_position = None if static_position is None else np.asarray(static_position)
        self.n_possible_states = n_possible_states
        self.current_state: Any = 0
        self.detection_id: Any = 0
        self.goal_detected = False
        self.set_seed(seed)

    def step(self, world: Any) -> None:
        """Senses: a class of a user sets `current_state` here."""

    @property
    def position(self) -> Any:
        """The position of the robot."""
        return self.agent.position

    def get_state(self) -> Any:
        """The reading."""
        return self.current_state

    def state_pretty(self) -> str:
        """The reading as text."""
        return str(self.get_state())

    def draw(self, screen: Any, offset: Any = None) -> None:
        """Draws nothing: pictures come from the simulation."""

    def as_config_dict(self) -> dict[str, Any]:
        """The configuration."""
        return {"type": type(self).__name__, **{name: vars(self).get(name) for name in self.config_vars}}

    def set_seed(self, seed: int | None) -> Any:
        """Begins the random numbers, by default from those of the robot."""
        source = getattr(self.parent, "rng", None) or getattr(self.agent, "rng", None) or np.random.default_rng()
        self.seed = source.integers(0, 2**31) if seed is None else seed
        self.rng = np.random.default_rng(self.seed)
        return self.seed


class AbstractSensor(Sensor):
    """The base class of sensors, under its earlier name."""


class StaticSensor(Sensor):
    """A sensor without a reading."""

    def __init__(self, parent: Any = None):
        super().__init__(parent=parent)


class BinaryFOVSensor(Sensor):
    """Whether an agent is in the field of view: `theta` to each side of `bias`, up to `distance`."""

    angle: float
    bias: float
    current_state: Any
    detection_id: Any
    fn: float
    fp: float
    goal_sensing_range: float
    invert: bool
    r: float
    show: bool
    store_history: bool
    target_team: Any
    theta: float
    time_since_last_sensing: int
    time_step_between_sensing: int
    wall_sensing_range: float
    walls: Any

    config_vars: list[str] = [*Sensor.config_vars, "theta", "distance", "bias", "false_positive", "false_negative", "invert"]

    def __init__(
        self,
        agent: Any = None,
        parent: Any = None,
        theta: float = 10.0,
        distance: float = 100.0,
        bias: float = 0.0,
        false_positive: float = 0.0,
        false_negative: float = 0.0,
        walls: Any = None,
        goal_sensing_range: float = 10.0,
        wall_sensing_range: float = 10.0,
        time_step_between_sensing: int = 1,
        invert: bool = False,
        store_history: bool = False,
        detect_goal_with_added_state: bool = False,
        show: bool = True,
        seed: int | None = None,
        target_team: Any = None,
        degrees: bool = False,
        **kwargs: Any,
    ):
        super().__init__(agent=agent, parent=parent, seed=seed, **kwargs)
        self.angle = 0.0
        self.theta, self.bias, self.r = math.radians(theta) if degrees else theta, bias, distance
        self.fp, self.fn, self.invert = false_positive, false_negative, invert
        self.walls, self.wall_sensing_range, self.goal_sensing_range = walls, wall_sensing_range, goal_sensing_range
        self.use_goal_state = detect_goal_with_added_state
        self.time_step_between_sensing, self.time_since_last_sensing = time_step_between_sensing, 0
        self.store_history, self.show, self.target_team = store_history, show, target_team
        self.history: list[Any] = []
        self.agent_in_sight: Any = None
        self.detect_only_origins = False

    def step(self, world: Any) -> None:
        super().step(world=world)
        self.checkForLOSCollisions(world=world)
        if self.store_history:
            self.history.append(int(self.agent_in_sight.name) if self.agent_in_sight else -1)

    def checkForLOSCollisions(self, world: Any) -> None:
        """Looks for the first agent in the field of view, if the sensor senses in this step."""
        self.time_since_last_sensing += 1
        if self.time_since_last_sensing % self.time_step_between_sensing:
            return
        self.time_since_last_sensing = 0
        seen = next((other for other in world.population if self._sees(other)), None)
        self.determineState(seen is not None, seen, world)

    def _sees(self, other: Any) -> bool:
        if other is self.agent or (self.target_team and other.team != self.target_team):
            return False
        x, y = other.pos - self.agent.pos
        # As soon as the edge of a body is in range, as the sensor of the program does.
        if math.hypot(x, y) >= self.r + (0.0 if self.detect_only_origins else other.radius):
            return False
        (left_x, left_y), (right_x, right_y) = (edge[:2] for edge in self.getSectorVectors())
        left, right = x * left_y - y * left_x, x * right_y - y * right_x
        # From half a turn on, the edges bound what is not seen.
        is_inside = left >= 0 >= right if 2 * self.theta < math.pi else not left < 0 < right
        if is_inside or self.detect_only_origins:
            return is_inside
        ahead = x * left_x + y * left_y, x * right_x + y * right_y
        return any(along > 0 and abs(aside) <= other.radius for along, aside in zip(ahead, (left, right)))

    def determineState(self, real_value: Any, agent: Any, world: Any = None) -> None:
        """Sets the reading, perhaps a wrong one."""
        is_wrong = self.rng.random() < (self.fn if real_value else self.fp)
        self.agent_in_sight = agent if real_value and not is_wrong else None
        self.detection_id = self.agent_in_sight.name if self.agent_in_sight is not None else 0
        self.current_state = int((bool(real_value) != is_wrong) != bool(self.invert))

    def getSectorVectors(self) -> Any:
        """The left and the right edge of the field of view."""
        angle = self.agent.angle + self.bias
        edges = (angle + self.theta, angle - self.theta)
        return tuple(np.array([math.cos(edge), math.sin(edge), 0.0]) for edge in edges)

    def getBiasedSightAngle(self) -> Any:
        """The unit vector along the field of view."""
        angle = self.agent.angle + self.bias
        return np.array([math.cos(angle), math.sin(angle)])


class Targeter(Sensor):
    """Follows an agent or object: its `current_state` is the target, or an attribute of it."""

    attribute: str | None
    current_state: Any
    fn: float
    hold: str
    r: float
    show: bool
    store_history: bool
    target_mode: str | None
    target_name: Any
    target_team: Any
    time_since_last_sensing: int
    time_step_between_sensing: int

    def __init__(
        self,
        agent: Any = None,
        parent: Any = None,
        distance: float = math.inf,
        false_negative: float = 0.0,
        time_step_between_sensing: int = 1,
        target_mode: str | None = None,
        hold: str = "retargetonloss",
        attribute: str | None = None,
        store_history: bool = False,
        show: bool = False,
        seed: int | None = None,
        target_team: Any = None,
        target_name: Any = None,
        **kwargs: Any,
    ):
        super().__init__(agent=agent, parent=parent, seed=seed, **kwargs)
        self.current_state = None
        self.fn, self.r = false_negative, distance
        self.time_step_between_sensing, self.time_since_last_sensing = time_step_between_sensing, 0
        self.target_mode, self.hold, self.attribute = target_mode, hold, attribute
        self.target_team, self.target_name = target_team, target_name
        self.old_target: Any = None
        self.current_target: Any = None
        self._target: Any = None
        self.store_history, self.show = store_history, show
        self.history: list[Any] = []

    def look_for_agents(self, world: Any) -> Any:
        """The agents and objects that count; `None` between two looks."""
        self.time_since_last_sensing += 1
        if self.time_since_last_sensing % self.time_step_between_sensing:
            return None
        self.time_since_last_sensing = 0
        found = [other for other in [*world.population, *world.objects] if self._counts(other)]
        return found[:1] if self.target_mode is None else found

    def _counts(self, other: Any) -> bool:
        return (
            other is not self.agent
            and self.target_name in (None, other.name)
            and self.target_team in (None, other.team)
        )

    def select_target(self, bag: Any) -> Any:
        """The target among those that count."""
        if not bag:
            return None
        choose = {"closest": min, "furthest": max}.get(self.target_mode or "")
        return choose(bag, key=lambda one: math.dist(self.parent.pos, one.pos)) if choose else bag[0]

    def fuzz(self, agent: Any) -> Any:
        """The target, perhaps missed."""
        return None if agent is None or self.rng.random() < self.fn else agent

    def determineState(self, agent: Any) -> None:
        """Sets the reading."""
        self.current_target = agent
        if self.attribute is None:
            self.current_state = agent
        elif agent is not None:
            self.current_state = getattr(agent, self.attribute)
        if self.store_history:
            is_target = self.attribute is None and agent is not None
            self.history.append(agent.name if is_target else self.current_state)

    def step(self, world: Any, only_check_goals: bool = False) -> None:
        super().step(world=world)
        self.old_target = self.current_target if self.current_target is not None else self.old_target
        if self.hold == "holdfirst":
            if self.current_target is None or self._target not in world.population:
                self._target = self.select_target(self.look_for_agents(world))
            self.determineState(self._target)
            return
        bag = self.look_for_agents(world)
        is_kept = self.hold != "alwaysretarget" and self.current_target is not None and self.current_target in (bag or ())
        if not is_kept:
            self._target = self.select_target(bag)
        target = self.fuzz(self._target)
        self.determineState(self.old_target if target is None and self.hold == "holdlost" else target)


ALL = (AbstractSensor, BinaryFOVSensor, Sensor, StaticSensor, Targeter)
