"""Controllers in Python: of a whole group, or of each robot."""

from __future__ import annotations

import functools
import hashlib
import itertools
import operator
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Union, cast, overload

import numpy as np
import numpy.typing as npt

from . import _native, messages
from .columns import Array, ColumnName, Form, Sensor, column_name
from .messages import Message
from .neighbours import Neighbours, neighbours
from .notation import whole

if TYPE_CHECKING:
    from .simulation import Simulation


class Group:
    """The robots of a group as arrays, for its controller. Everything is as of the end of the last step."""

    def __init__(self, simulation: Simulation, name: str, form: Form | None):
        """Looks up the robots of a group; `Simulation.control` makes it."""
        self.simulation: Simulation = simulation
        """The simulation."""
        self.name: str = name
        """The name of the group."""
        commanded = simulation._native.commanded(f"groups.{name}.commands", form)
        self.numbers: list[int] = commanded[0]
        """The numbers of the robots (their identities), one for each row of the arrays."""
        self.form: Form = cast(Form, commanded[1])
        """The form of the commands."""
        self._outgoing: dict[int, list[float]] = {}
        self._columns: dict[str, Array] = {}
        # The number of draws in this step, by the robot (`None` for all) and the name of the stream.
        self._draws: dict[tuple[int | None, str], int] = {}

    def column(self, name: ColumnName, *, sensor: Sensor | None = None, path: str | None = None) -> Array:
        """A live array of the group, such as `column("readings", sensor="fov")`: see `Simulation.bind`.

        ```python
        def controller(robots):
            seen = robots.column("readings", sensor="fov")[:, 0] > 0.5
            return np.column_stack([np.full(len(robots), 0.27), np.where(seen, 0.6, -0.6)])
        ```
        """
        return self._column(column_name(name, None, sensor, path))

    def _column(self, name: str) -> Array:
        found = self._columns.get(name)
        if found is None:
            form = self.form if name == "commands" else None
            found = self._columns[name] = self.simulation._native.bind(f"groups.{self.name}.{name}", form)
        return found

    def neighbours(self, radius_m: float) -> Neighbours:
        """For each robot, the robots of the group whose centres are at most a radius away, by their rows.

        As `Simulation.neighbours`, but rows are those of the arrays of the group.

        ```python
        def align(robots):
            headings, near = robots.poses[:, 2], robots.neighbours(1.0)
            own, others = near.pairs
            turn = np.sin(headings[others] - headings[own])
            return np.column_stack([np.full(len(near), 0.1), np.bincount(own, turn, len(near))])
        ```
        """
        return neighbours(self.simulation._native, self.numbers, radius_m)

    def random(self, count: int | None = None, *, name: str = "") -> Array:
        """Random numbers from 0 to 1, from a stream of each robot: a number for each robot, or a row of `count` numbers.

        Args:
            count: numbers for each robot.
            name: name of the stream; streams with different names are independent.

        The numbers follow from the seed of the simulation, the robot, the step and the name, and from the calls before with
        the same name in this step. They depend on nothing else: not on the order in which robots or other streams draw.

        >>> import numpy as np
        >>> import swarmarium as sw
        >>> sim = sw.load("milling", seed=1)
        >>> def controller(robots):
        ...     return np.column_stack([0.1 * robots.random(), 0.5 * robots.normal()])
        >>> sim.control("millers", controller).step(10).steps
        10
        """
        return self._draw(count, name, False)

    def normal(self, count: int | None = None, *, name: str = "") -> Array:
        """Normal random numbers with the mean 0 and the standard deviation 1: as `random`.

        ```python
        noise = 0.1 * robots.normal(2, name="wheels")  # shape (robots, 2)
        ```
        """
        return self._draw(count, name, True)

    def _draw(self, count: int | None, name: str, is_normal: bool, robot: int | None = None) -> Array:
        call = self._draws.get((robot, name), 0)
        self._draws[robot, name] = call + 1
        # Robots that draw alone have streams of their own.
        stream = f"group.{name}" if robot is None else f"robot.{name}"
        robots = self.numbers if robot is None else [robot]
        width = 1 if count is None else whole("count", count)
        numbers = _native.draws(self.simulation._native, robots, stream, call, width, is_normal)
        return numbers[:, 0] if count is None else numbers

    @property
    def poses(self) -> Array:
        """x and y in metres and heading in radians, which accumulates and is not wrapped; a row for each robot."""
        return self._column("poses")

    @property
    def velocities(self) -> Array:
        """Velocities along x and y in metres per second; a row for each robot."""
        return self._column("velocities")

    @property
    def readings(self) -> Array:
        """The readings of all sensors, by slot; a row for each robot."""
        return self._column("readings")

    @property
    def commands(self) -> Array:
        """The commands; a row for each robot."""
        return self._column("commands")

    def send(self, numbers: Any, mask: Any = None) -> None:
        """Sends messages with the radios of the robots: a row of numbers for each of them.

        Each message goes out once, at the next turn of the radio; another one replaces it until then. Robots whose numbers
        are all NaN are silent, and those for which `mask` is false. The messages are logged as edits.

        ```python
        robots.send(robots.poses[:, :2])
        ```
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

    def __repr__(self) -> str:
        return f"Group({self.name!r}, {len(self)} robots)"


class Robot:
    """A robot for its own controller. Everything is as of the end of the last step."""

    def __init__(self, group: Group, row: int, number: int):
        """Looks at a row of a group; `Simulation.control` makes it."""
        self._group, self._row = group, row
        # Rows of live arrays, which show the state of every step.
        self._cells: dict[str, Array] = {}
        self.number: int = number
        """The number of the robot (its identity)."""

    @property
    def pose(self) -> Array:
        """x and y in metres, heading in radians."""
        return self._cell("poses")

    @property
    def velocity(self) -> Array:
        """Velocity along x and y in metres per second."""
        return self._cell("velocities")

    @property
    def readings(self) -> Array:
        """The readings of all sensors, by slot."""
        return self._cell("readings")

    def reading(self, sensor: Sensor) -> Array:
        """The readings of one sensor: its slot, its name, its kind or a word of it.

        ```python
        class Miller:
            def act(self, robot):
                return 0.27, 0.6 if robot.reading("fov")[0] > 0.5 else -0.6
        ```
        """
        return self._cell(f"readings.{sensor}")

    def _cell(self, column: str) -> Array:
        found = self._cells.get(column)
        if found is None:
            found = self._cells[column] = self._group._column(column)[self._row]
        return found

    def neighbours(self, radius_m: float) -> list[int]:
        """The numbers (identities) of the robots whose centres are at most a radius away, of all groups, in ascending order.

        ```python
        crowded = len(robot.neighbours(0.5)) > 3
        ```
        """
        simulation = self._group.simulation
        numbers = sorted(agent.number for agent in simulation.agents)
        return [numbers[row] for row in simulation.neighbours(radius_m)[numbers.index(self.number)]]

    @overload
    def random(self, count: None = None, *, name: str = "") -> float: ...
    @overload
    def random(self, count: int, *, name: str = "") -> Array: ...
    def random(self, count: int | None = None, *, name: str = "") -> float | Array:
        """A random number from 0 to 1 from a stream of the robot, or an array of `count` numbers.

        It follows from the seed of the simulation, the robot, the step and the name of the stream, and from the robot's calls
        before with the same name in this step. Draws of other robots do not change it.

        ```python
        class Walker:
            def act(self, robot):
                return 0.1, robot.random() - 0.5
        ```
        """
        return self._draw(count, name, False)

    @overload
    def normal(self, count: None = None, *, name: str = "") -> float: ...
    @overload
    def normal(self, count: int, *, name: str = "") -> Array: ...
    def normal(self, count: int | None = None, *, name: str = "") -> float | Array:
        """A normal random number with the mean 0 and the standard deviation 1: as `random`.

        ```python
        turn = 0.5 * robot.normal(name="turn")
        ```
        """
        return self._draw(count, name, True)

    def _draw(self, count: int | None, name: str, is_normal: bool) -> float | Array:
        numbers = self._group._draw(count, name, is_normal, self.number)
        return float(numbers[0]) if count is None else numbers[0]

    def send(self, numbers: Any) -> None:
        """Sends numbers with the radio of the robot.

        The message goes out once, at the next turn of the radio; another one replaces it until then. It is logged as an
        edit.

        ```python
        robot.send([1.0, robot.number])
        ```
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

    def __repr__(self) -> str:
        return f"Robot({self.number}, of the group {self._group.name!r})"


ControlFunction = Callable[[Group], npt.ArrayLike]
"""A controller of a group: it returns a row of commands for each robot."""


class RobotController(Protocol):
    """A controller of one robot."""

    def act(self, robot: Robot, /) -> npt.ArrayLike:
        """The command of the robot for the next step."""
        ...


Controller = Union[ControlFunction, Callable[[], Union[RobotController, Callable[[Robot], npt.ArrayLike]]]]
"""A function of a group, or a class (or a function that makes instances) with a method `act`."""


ControllerWithParameters = Union[Controller, Callable[..., npt.ArrayLike], Callable[..., RobotController]]
"""A controller that a sweep gives further arguments by name."""


def add_note(error: BaseException, note: str) -> None:
    """Adds a line to the traceback of an exception, from Python 3.11 on."""
    if hasattr(error, "add_note"):
        error.add_note(note)


def check_controller(acts: Any, controller: Any) -> None:
    """Refuses a controller, or an instance of it, that cannot be called."""
    if not callable(acts):
        found = f"the class {controller.__name__}" if isinstance(controller, type) else repr(controller)
        message = "a function of a Group, or a class with a method `act(robot)`"
        raise _native.SwarmariumError(f"controller: expected {message}, found {found}")


def is_class(controller: Any) -> bool:
    """Whether a controller is a class, perhaps with arguments by `functools.partial`."""
    while isinstance(controller, functools.partial):
        controller = controller.func
    return isinstance(controller, type)


_NAME_LENGTH = 1000
"""The largest number of characters of the name of a controller."""


def controller_name(controller: Any) -> str:
    """The name of a controller with its module, such as `vicsek.act`: the same in each process.

    The module of a script is named after its file. Arguments of `functools.partial` are part of the name, objects that do not
    show their values by their types. The end of a name with over 1000 characters is a hash of its rest.
    """
    name = _name(controller)
    if len(name) <= _NAME_LENGTH:
        return name
    digest = hashlib.sha256(name.encode("utf-8", "backslashreplace")).hexdigest()[:16]
    return f"{name[: _NAME_LENGTH - 17]}…{digest}"


def _name(controller: Any) -> str:
    if isinstance(controller, functools.partial):
        given = [_shown(value) for value in controller.args]
        given += [f"{name}={_shown(value)}" for name, value in controller.keywords.items()]
        return f"{_name(controller.func)}({', '.join(given)})"
    named = controller if hasattr(controller, "__qualname__") else type(controller)
    module = getattr(named, "__module__", None)
    if module == "__main__":
        main = sys.modules["__main__"]
        # `python -m` has the name of the module, and a script that of its file.
        spec, file = getattr(main, "__spec__", None), getattr(main, "__file__", None)
        module = spec.name if spec else Path(file).stem if file else module
    return f"{module}.{named.__qualname__}" if module else str(named.__qualname__)


def _shown(value: Any) -> str:
    """An argument of a controller as a text without addresses, and with sets in order."""
    shows_address = cast(Any, type(value)).__repr__ is object.__repr__
    if shows_address or isinstance(value, functools.partial) or hasattr(value, "__qualname__"):
        return _name(value)
    if isinstance(value, np.ndarray):
        # Its own text leaves out elements, and depends on settings of the process.
        return f"array({_shown(value.tolist())})"
    if type(value) in (set, frozenset):
        return f"{type(value).__name__}({', '.join(sorted(map(_shown, value)))})"
    if type(value) in (list, tuple):
        begin, end = ("[", "]") if type(value) is list else ("(", ",)" if len(value) == 1 else ")")
        return f"{begin}{', '.join(map(_shown, value))}{end}"
    if type(value) is dict:
        return f"{{{', '.join(f'{_shown(key)}: {_shown(one)}' for key, one in value.items())}}}"
    return re.sub(r" at 0x[0-9A-Fa-f]+", "", repr(value))


class Control:
    """A controller in Python, at work on a group."""

    def __init__(self, simulation: Simulation, group: str, controller: Any, form: Form | None):
        """Takes over a group."""
        self.group: str = group
        """The name of the group."""
        self._controller, self._simulation = controller, simulation
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
            values = np.asarray(returned, dtype=np.float64)
            # NumPy would repeat a single number, such as a speed, as the turn rate.
            if values.shape[-1:] != commands.shape[-1:]:
                raise ValueError("another shape")
            commands[...] = values
        except (TypeError, ValueError):
            found = described(returned)
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
        robots._draws.clear()
        self._write(robots.commands, self._controller(robots))

    def reset(self) -> None:
        super().reset()
        if callable(getattr(self._controller, "reset", None)):
            self._controller.reset()


class RobotControl(Control):
    """A controller with an instance for each robot."""

    def __init__(self, simulation: Simulation, group: str, controller: Any, form: Form | None):
        """Takes over a group; `controller` makes an instance for each robot."""
        super().__init__(simulation, group, controller, form)
        self._instances: dict[int, Any] = {}

    def command(self) -> None:
        if self._follow_population():
            known = self._instances
            self._instances = {number: known.get(number) or self._controller() for number in self._numbers}
            instances = [self._instances[number] for number in self._numbers]
            for instance in instances:
                check_controller(getattr(instance, "act", instance), self._controller)
            self._rows = [
                (getattr(instance, "act", instance), Robot(self._robots, row, number))
                for row, (instance, number) in enumerate(zip(instances, self._numbers))
            ]
        self._robots._draws.clear()
        commands = self._robots.commands
        acting = iter(self._rows)
        try:
            returned = [act(robot) for act, robot in acting]
        except Exception as error:
            # The rows after the one that failed are left.
            _, robot = self._rows[-1 - operator.length_hint(acting)]
            add_note(error, f"robot {robot.number}")
            raise
        # All at once: writing into a row of an array takes longer than most controllers.
        values = _rows(returned, commands.shape)
        if values is not None:
            commands[...] = values
        else:
            for row, one in enumerate(returned):
                self._write(commands[row], one)
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


def described(returned: Any) -> str:
    """A value that a function returned, in words."""
    if returned is None:
        return "None"
    try:
        shape = np.shape(returned)
    except ValueError:
        return "rows of different lengths"
    return f"an array of the shape {shape}" if shape else f"a single value of the type {type(returned).__name__}"


def _rows(returned: list[Any], shape: tuple[int, ...]) -> Array | None:
    """Commands that the controllers of robots returned as an array of a shape; `None` if one of them does not fit."""
    try:
        if set(map(len, returned)) != {shape[1]}:
            return None
        if isinstance(returned[0], (tuple, list)):
            return np.fromiter(itertools.chain.from_iterable(returned), np.float64, shape[0] * shape[1]).reshape(shape)
        rows = np.array(returned, dtype=np.float64)
        return rows if rows.shape == shape else None
    except (TypeError, ValueError):
        return None


class TurnControl(Control):
    """A controller that acts in the turns of its robots, in scenes with `order: Sequential`."""

    def __init__(self, simulation: Simulation, group: str, commands: bool):
        """Takes over a group. Without commands, the group keeps its own controller."""
        self.commands: bool = commands
        """Whether it commands the robots."""
        self.group: str = group
        self._controller, self._simulation = None, simulation
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
