"""Controllers in Python: of a whole group, or of each robot."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _native, messages
from .messages import Message

if TYPE_CHECKING:
    from .simulation import Form, Simulation

Array = npt.NDArray[np.float64]


class Group:
    """The robots of a group as arrays, for its controller. Everything is as of the end of the last step."""

    def __init__(self, simulation: Simulation, name: str, form: Form | None):
        self.simulation = simulation
        """The simulation."""
        self.name = name
        """The name of the group."""
        commanded = simulation._native.commanded(f"groups.{name}.commands", form)
        self.numbers: list[int] = commanded[0]
        """The numbers of the robots, one for each row of the arrays."""
        self.form: Form = commanded[1]
        """The form of the commands."""
        self._outgoing: dict[int, list[float]] = {}
        self._columns: dict[str, Array] = {}

    def column(self, name: str) -> Array:
        """A live array of the group, such as `readings.fov`: see `Simulation.bind`."""
        if name not in self._columns:
            form = self.form if name == "commands" else None
            self._columns[name] = self.simulation.bind(f"groups.{self.name}.{name}", form)
        return self._columns[name]

    @property
    def poses(self) -> Array:
        """x and y in metres and heading in radians; a row for each robot."""
        return self.column("poses")

    @property
    def velocities(self) -> Array:
        """Velocities along x and y in metres per second; a row for each robot."""
        return self.column("velocities")

    @property
    def readings(self) -> Array:
        """The readings of all sensors, by slot; a row for each robot."""
        return self.column("readings")

    @property
    def commands(self) -> Array:
        """The commands; a row for each robot."""
        return self.column("commands")

    def send(self, numbers: Any, mask: Any = None) -> None:
        """Sends messages by the radios of the robots: a row of numbers for each of them.

        Each message goes out once, at the next turn of the radio; another one replaces it until then. Robots whose numbers
        are all NaN are silent, and those for which `mask` is false. The messages are logged as edits.
        """
        messages.send(self.simulation._native, self.numbers, numbers, mask)

    @property
    def messages(self) -> list[list[Message]]:
        """The messages that each robot has received: the newest one of each sender, sorted by sender.

        A sensor `RangeAndBearing` has them as an array.
        """
        return messages.received(self.simulation._native, self.numbers)

    @property
    def time(self) -> float:
        """The simulated time in seconds."""
        return self.simulation.time

    @property
    def dt_s(self) -> float:
        """The duration of a step in seconds."""
        return self.simulation.dt_s

    def __len__(self) -> int:
        return len(self.commands)


class Robot:
    """A robot for its own controller. Everything is as of the end of the last step."""

    def __init__(self, group: Group, row: int, number: int):
        self._group, self._row = group, row
        self.number = number
        """The number of the robot."""

    @property
    def pose(self) -> Array:
        """x and y in metres, heading in radians."""
        return self._group.poses[self._row]

    @property
    def velocity(self) -> Array:
        """Velocity along x and y in metres per second."""
        return self._group.velocities[self._row]

    @property
    def readings(self) -> Array:
        """The readings of all sensors, by slot."""
        return self._group.readings[self._row]

    def reading(self, sensor: str | int) -> Array:
        """The readings of one sensor: its slot, its name, its kind or a word of it."""
        return self._group.column(f"readings.{sensor}")[self._row]

    def send(self, numbers: Any) -> None:
        """Sends numbers by the radio of the robot.

        The message goes out once, at the next turn of the radio; another one replaces it until then. It is logged as an
        edit.
        """
        self._group._outgoing[self.number] = [float(number) for number in np.ravel(numbers)]

    @property
    def messages(self) -> list[Message]:
        """The messages that the robot has received: the newest one of each sender, sorted by sender."""
        return messages.received(self._group.simulation._native, [self.number])[0]

    @property
    def time(self) -> float:
        """The simulated time in seconds."""
        return self._group.time

    @property
    def dt_s(self) -> float:
        """The duration of a step in seconds."""
        return self._group.dt_s


ControlFunction = Callable[[Group], Array]
"""A controller of a group: it returns a row of commands for each robot."""


class Control:
    """A controller in Python, at work on a group."""

    def __init__(self, simulation: Simulation, group: str, controller: Any, form: Form | None):
        self.group, self._controller, self._simulation = group, controller, simulation
        self._robots = Group(simulation, group, form)
        self._population: Any = None
        self._numbers: Any = None

    def _follow_population(self) -> bool:
        """Looks at the robots of the group; returns whether others than before are in it."""
        population = self._simulation._native.population()
        if population == self._population:
            return False
        numbers = self._simulation._native.commanded(f"groups.{self.group}.commands", self._robots.form)[0]
        is_new = numbers != self._numbers
        if is_new:
            self._robots = Group(self._simulation, self.group, self._robots.form)
        self._population, self._numbers = population, numbers
        return is_new

    def command(self) -> None:
        """Commands the robots before a step."""
        raise NotImplementedError

    def _write(self, commands: Array, returned: Any) -> None:
        """Writes the commands that a controller returned."""
        try:
            if returned is None:
                raise ValueError("None")
            commands[...] = returned
        except (TypeError, ValueError):
            found = "None" if returned is None else f"an array of the shape {np.shape(returned)}"
            message = f"the controller of {self.group} returned {found}: expected an array of the shape {commands.shape}"
            raise _native.SwarmariumError(message) from None

    def reset(self) -> None:
        """Forgets everything, for a new start."""
        self._population = self._numbers = None


class GroupControl(Control):
    """A controller that commands all robots of a group at once."""

    def command(self) -> None:
        self._follow_population()
        robots = self._robots
        self._write(robots.commands, self._controller(robots))

    def reset(self) -> None:
        super().reset()
        if callable(getattr(self._controller, "reset", None)):
            self._controller.reset()


class RobotControl(Control):
    """A controller with an instance for each robot."""

    def __init__(self, simulation: Simulation, group: str, controller: Any, form: Form | None):
        super().__init__(simulation, group, controller, form)
        self._instances: dict[int, Any] = {}

    def command(self) -> None:
        if self._follow_population():
            known = self._instances
            self._instances = {number: known.get(number) or self._controller() for number in self._numbers}
            self._rows = [
                (self._instances[number], Robot(self._robots, row, number))
                for row, number in enumerate(self._numbers)
            ]
        commands = self._robots.commands
        for row, (instance, robot) in enumerate(self._rows):
            self._write(commands[row], instance.act(robot) if hasattr(instance, "act") else instance(robot))
        self._send_outgoing()

    def _send_outgoing(self) -> None:
        """Sends the messages of all robots, those of one length together."""
        outgoing, self._robots._outgoing = self._robots._outgoing, {}
        lengths: dict[int, list[int]] = {}
        for number, numbers in outgoing.items():
            if numbers:
                lengths.setdefault(len(numbers), []).append(number)
        for senders in lengths.values():
            values = np.array([outgoing[number] for number in senders]).ravel()
            self._simulation._native.send(senders, values)

    def reset(self) -> None:
        super().reset()
        self._instances = {}


class TurnControl(Control):
    """A controller that acts in the turns of its robots, in scenes with `order: Sequential`."""

    def __init__(self, simulation: Simulation, group: str, commands: bool):
        # Without commands, the group keeps its own controller.
        self.commands = commands
        self.group, self._controller, self._simulation = group, None, simulation
        self._population: Any = None
        self._numbers: Any = None
        self._robots = Group(simulation, group, "drive") if commands else None  # type: ignore[assignment]

    def begin_step(self) -> dict[int, list[int]]:
        """Looks at the robots before a step: their numbers, each with the slots of the sensors that this reads for it."""
        raise NotImplementedError

    def act(self, number: int, slot: int | None) -> Any:
        """The command of a robot in its turn, or the reading of its sensor in a slot; `None` for none."""
        raise NotImplementedError

    def decide_all(self) -> Any:
        """The commands of all robots, in scenes in which all robots decide before the first one moves."""
        raise NotImplementedError

    def command(self) -> None:
        if not self.commands:
            message = f"the group {self.group} has sensors in Python, whose readings reach its controller only with order: Sequential"
            raise _native.SwarmariumError(message)
        self._follow_population()
        commands = self.decide_all()
        self._write(self._robots.commands, commands)
