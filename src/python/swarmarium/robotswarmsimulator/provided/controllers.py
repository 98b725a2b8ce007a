"""Controllers, as base classes of users' own."""

from __future__ import annotations

import enum
import math
from typing import Any

import numpy as np

from .attached import Attached
from .pid import PID
from .statistics_tools import Average


class ControllerType(enum.Enum):
    """The types of controllers."""

    method_based = 1
    list_based = 2
    inherit_agent = 3


class AbstractController(Attached):
    """The base class of controllers."""

    def __init__(self, agent: Any, parent: Any = None):
        self.set_agent(agent, parent)

    def get_actions(self, agent: Any) -> Any:
        """The command of the robot: speed in metres per second and turn rate in radians per second."""

    def draw(self, screen: Any, offset: Any) -> None:
        """Draws nothing: pictures come from the simulation."""

    def as_config_dict(self) -> dict[str, Any]:
        """No configuration."""
        return {}


class StaticController(AbstractController):
    """Always the same command."""

    def __init__(self, agent: Any = None, parent: Any = None, output: Any = (0.0, 0.0)):
        self.output = output
        super().__init__(agent=agent, parent=parent)

    def as_config_dict(self) -> dict[str, Any]:
        return {"output": self.output}

    def get_actions(self, agent: Any) -> Any:
        return self.output


def zero_controller(d: int = 2) -> StaticController:
    """A controller that stands still."""
    return StaticController(output=(0,) * d)


class BinaryController(AbstractController):
    """One command without a detection, and another one with it.

    Alone, a flat `a` has the command with a detection first.
    """

    a: Any
    b: Any
    sense_avg: Average

    def __init__(
        self,
        a: Any,
        b: Any = None,
        agent: Any = None,
        parent: Any = None,
        sensor_id: int = 0,
        sense_avg_time: int = 1,
        **kwargs: Any,
    ):
        super().__init__(agent=agent, parent=parent, **kwargs)
        self.sensor_id = sensor_id
        self.sense_avg = Average(sense_avg_time)
        first = np.asarray(a, dtype=float)
        if b is None and first.ndim == 2 and len(first) == 2:
            self.a, self.b = first
        elif b is None and first.ndim == 1 and len(first) % 2 == 0 and len(first) > 2:
            self.b, self.a = first.reshape(2, -1)
        elif b is not None and first.ndim == 1 and first.shape == np.shape(b):
            self.a, self.b = first, np.asarray(b, dtype=float)
        else:
            raise ValueError(f"expected two commands of the same length, found a = {a!r} and b = {b!r}")

    def get_actions(self, agent: Any) -> Any:
        return self.b if self.sense_avg(agent.sensors[self.sensor_id].current_state) else self.a

    def as_config_dict(self) -> dict[str, Any]:
        return {"a": self.a, "b": self.b, "sensor_id": self.sensor_id}


class Controller(AbstractController):
    """Commands by the state of the first sensor, or those of a function or of the robot itself."""

    controller_as_list: list[Any]
    controller_as_method: Any

    def __init__(self, agent: Any = None, parent: Any = None, controller: Any = "self"):
        super().__init__(agent=agent, parent=parent)
        self.type: Any = None
        self._config_controller = controller
        if isinstance(controller, list):
            self.type, self.controller_as_list = ControllerType.list_based, controller
        elif callable(controller):
            self.type, self.controller_as_method = ControllerType.method_based, controller
        elif controller == "self":
            self.type = ControllerType.inherit_agent
        elif controller is not None:
            raise ValueError(f"expected a function, a list or 'self', found {controller!r}")

    def get_actions(self, agent: Any) -> Any:
        if self.type is ControllerType.list_based:
            first = 2 * agent.sensors[0].current_state
            return self.controller_as_list[first], self.controller_as_list[first + 1]
        if self.type is ControllerType.method_based:
            return self.controller_as_method(agent)
        return agent.get_actions() if self.type is ControllerType.inherit_agent else None

    def as_config_dict(self) -> dict[str, Any]:
        return {"controller": self._config_controller}


class AgentMethodController(AbstractController):
    """The commands of a method of the robot."""

    def get_actions(self, agent: Any) -> Any:
        return agent.get_actions()


class MultibitBinaryController(AbstractController):
    """A command for each combination of the sensors, of which the first one is the lowest bit."""

    default_output: Any
    sensor_ids: Any

    def __init__(
        self,
        outputs: Any,
        default_output: Any = None,
        agent: Any = None,
        parent: Any = None,
        sensor_ids: Any = None,
        **kwargs: Any,
    ):
        super().__init__(agent=agent, parent=parent, **kwargs)
        self.outputs = outputs
        self.default_output, self.sensor_ids = default_output, sensor_ids

    @property
    def outputs(self) -> dict[int, Any]:
        """The commands by the number of their combination."""
        return self._outputs

    @outputs.setter
    def outputs(self, outputs: Any) -> None:
        items = outputs.items() if isinstance(outputs, dict) else enumerate(outputs)
        self._outputs = {int(key): output for key, output in items}

    def get_sensor_bitstring(self, agent: Any) -> int:
        """The number of the present combination."""
        slots = range(len(agent.sensors)) if self.sensor_ids is None else self.sensor_ids
        return sum(bool(agent.sensors[slot].current_state) << bit for bit, slot in enumerate(slots))

    def get_actions(self, agent: Any) -> Any:
        return self.outputs.get(self.get_sensor_bitstring(agent), self.default_output)


DEFAULT_PID_ARGS: dict[str, Any] = {"p": 0.0, "i": 0.0, "d": 0.0, "imax": 0.0, "min": None, "max": None}


class WaypointPIDController(AbstractController):
    """Drives to a point: a fixed one, or that of a sensor."""

    sensor_id: int | None
    speed_pid: PID
    static_waypoint: Any
    steer_pid: PID

    def __init__(
        self,
        agent: Any = None,
        parent: Any = None,
        sensor_id: int | None = None,
        speed_pid: Any = DEFAULT_PID_ARGS,
        steer_pid: Any = DEFAULT_PID_ARGS,
        static_waypoint: Any = None,
        **kwargs: Any,
    ):
        super().__init__(agent=agent, parent=parent, **kwargs)
        self.sensor_id, self.static_waypoint = sensor_id, static_waypoint
        self.speed_pid = speed_pid if isinstance(speed_pid, PID) else PID(**speed_pid)
        self.steer_pid = steer_pid if isinstance(steer_pid, PID) else PID(**steer_pid)

    def get_actions(self, agent: Any) -> Any:
        if self.sensor_id is None and self.static_waypoint is None:
            raise ValueError("WaypointPIDController must have a sensor_id or static_waypoint")
        slot = self.sensor_id
        waypoint = self.static_waypoint if slot is None else agent.sensors[slot].current_state
        if waypoint is None:
            return 0.0, 0.0
        way = waypoint - agent.pos
        bearing = math.atan2(way[1], way[0]) % math.tau
        # A point exactly along x counts as straight ahead.
        turn = (bearing - agent.angle % math.tau) % math.tau if bearing != 0 else 0.0
        turn = turn - math.tau if turn > math.pi else turn
        return self.speed_pid(float(np.linalg.norm(way))), self.steer_pid(turn)


ALL = (
    AbstractController,
    AgentMethodController,
    BinaryController,
    Controller,
    MultibitBinaryController,
    StaticController,
    WaypointPIDController,
)
