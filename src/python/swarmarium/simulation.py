"""One simulation."""

from __future__ import annotations

import functools
import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
import numpy.typing as npt

from . import _native, messages, pickling
from .columns import Array, ColumnName, Form, Sensor, column_name
from .control import Control, Controller, GroupControl, RobotControl, TurnControl, add_note, check_controller, is_class
from .mcap import McapRecording, Rate, topic_list
from .messages import Message
from .names import did_you_mean
from .neighbours import Neighbours, neighbours
from .notation import fields_of_edit, from_notation, overrides, seconds, to_notation, whole
from .progress import Progress, Reporter
from .records import Agent, Event, LoggedEdit, Snapshot
from .table import Table
from .timeline import Timeline

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .flags import FilmFlags, PageFlags
    from .pages import Page
    from .videos import Video


class _Values(dict[str, float]):
    """Values of metrics by name, with a hint for a name that is missing."""

    def __missing__(self, name: str) -> NoReturn:
        raise KeyError(f"there is no metric {name!r}: the names are {', '.join(self)}{did_you_mean(name, self)}")


class Simulation:
    """A running scene: robots, objects and metrics, advanced step by step.

    `load` makes one. The same scene, seed and edits give the same hash at every step, here and on the command line.
    """

    def __init__(self, native: _native.Simulation):
        """Makes a simulation of a native one; call `load` instead."""
        self._native = native
        self._controls: list[Control] = []
        # The controllers that those in Python replaced, in the notation of scenes.
        self._replaced: dict[str, str] = {}
        # The world that classes written for RobotSwarmSimulator see.
        self._world: Any = None
        # Whether a controller in Python acts at this moment.
        self._is_acting = False
        # The groups without room, the mistakes and the failures of scripts that warnings have named.
        self._told: list[str] = []
        self._warn(stacklevel=4)

    def _warn(self, stacklevel: int = 3) -> None:
        """Warns of groups with robots that found no room, whenever their numbers have changed, of likely mistakes of a scene at
        its start, and of scripts that failed."""
        native = self._native
        told, self._told = self._told, native.without_room() + native.start_warnings() + native.failed_scripts()
        for text in self._told:
            if text not in told:
                warnings.warn(text, stacklevel=stacklevel)

    # Time

    def step(self, steps: int = 1) -> Simulation:
        """Advances by a number of steps. Controllers in Python act before each of them.

        Ctrl-C ends it at the end of a step. Returns the simulation.

        Raises:
            ValueError: if the number is no whole number of at least 0.
            SwarmariumError: if a command is refused; exceptions of controllers are passed on.

        >>> import swarmarium as sw
        >>> sim = sw.load("milling", seed=1)
        >>> sim.step(10).steps
        10
        """
        steps = whole("steps", steps)
        self._advance(steps, lambda: self._native.step(1), self._native.step)
        return self

    def run(
        self,
        steps: int | None = None,
        duration_s: float | None = None,
        *,
        until: str | None = None,
        trace: bool | int = False,
        mcap: str | os.PathLike[str] | None = None,
        overwrite: bool = False,
        progress: Progress = None,
    ) -> Table:
        """Advances until the end of the run, and returns its metrics.

        Args:
            steps: number of steps; without it and `duration_s`, the end of the scene (`stop`, or 60 s), or that of a loaded
                run folder. A shared scene lasts as its scene says, beyond its last edit.
            duration_s: simulated time in seconds.
            until: a condition over metrics that ends the run early, such as `"circliness > 0.9"`. It replaces the `stop.when`
                of the scene, as an edit.
            trace: whether to trace poses and readings, from the current state on; a number n traces every n-th step.
            mcap: a file for messages of ROS 2 about these steps: see `record_mcap` for rates and topics.
            overwrite: whether an existing file `mcap` is replaced.
            progress: a function that gets the number of finished steps and of all steps, `True` for a bar of tqdm, or `False`
                for nothing; by default, a bar after a second in a terminal or a notebook, if tqdm is installed.

        The `stop.when` of the scene ends the run early; where it holds already, a run without `steps` and `duration_s` makes no
        step. The table begins with the first of these steps.

        Raises:
            ValueError: if `steps`, `duration_s` or `trace` is negative or no number, or if both `steps` and `duration_s` are
                given.
            SwarmariumError: if a command or the condition `until` is refused; exceptions of controllers are passed on.

        >>> import swarmarium as sw
        >>> sim = sw.load("milling", seed=1)
        >>> table = sim.run(duration_s=2.0)
        >>> len(table), table.columns[:3]
        (80, ('step', 't_s', 'circliness'))
        """
        if steps is not None and duration_s is not None:
            raise ValueError("steps and duration_s exclude each other")
        if duration_s is not None:
            steps = round(seconds("duration_s", duration_s) / self.dt_s)
        if until is not None:
            self.set("stop.when", until)
            self._native.flush()
        if steps is not None:
            length = whole("steps", steps)
        else:
            length = 0 if self._native.condition_holds() else self._native.run_length()
        self._native.forget_tables()
        before = self._native.trace_every()
        log: McapRecording | None = None
        if trace:
            self._native.keep_trace(whole("trace", trace))
        try:
            if mcap is not None:
                log = self.record_mcap(mcap, overwrite=overwrite)
            with Reporter("run", progress) as report:
                shown = None if progress is False else report
                self._advance(length, lambda: self._native.run(1), self._native.run, stops=True, report=shown)
        finally:
            if trace and not before:
                self._native.keep_trace(0)
            if log is not None:
                log.close()
        return self.metrics

    def _advance(
        self,
        steps: int,
        once: Callable[[], int],
        many: Callable[[int], int],
        stops: bool = False,
        report: Reporter | None = None,
    ) -> None:
        if self._is_acting:
            raise _native.SwarmariumError("the simulation is in use: by the step in which this controller acts")
        if not self._controls:
            # A hundredth at a time, if the progress is shown.
            piece = steps if report is None else max(1, steps // 100)
            done, made = 0, piece
            while done < steps and made == piece:
                made = many(min(piece, steps - done))
                done += made
                if report is not None:
                    report("steps", done, steps)
            self._warn(stacklevel=4)
            return
        takes_turns = self._native.is_sequential()
        for place in range(steps):
            in_turn: dict[int, TurnControl] = {}
            robots: dict[int, list[int]] = {}
            for control in self._controls:
                if takes_turns and isinstance(control, TurnControl):
                    own = control.begin_step()
                    in_turn.update(dict.fromkeys(own, control))
                    robots.update(own)
                else:
                    self._act(control)
            if robots:
                # Within the step, the simulation does not tell its number.
                step = self.steps + 1
                self._native.step_in_turns(functools.partial(_turn, in_turn, step), robots, "drive")
            else:
                once()
            if report is not None:
                report("steps", place + 1, steps)
            if stops and self._native.condition_holds():
                break
        self._warn(stacklevel=4)

    def _act(self, control: Control) -> None:
        """Lets a controller command its group."""
        self._is_acting = True
        try:
            control.command()
        except Exception as error:
            add_note(error, f"in step {self.steps + 1}, in the controller of the group {control.group}")
            raise
        finally:
            self._is_acting = False

    @property
    def steps(self) -> int:
        """The number of steps so far."""
        return self._native.time()[0]

    @property
    def dt_s(self) -> float:
        """The duration of a step in seconds."""
        return self._native.time()[1]

    @property
    def time(self) -> float:
        """The simulated time in seconds."""
        steps, dt_s, _ = self._native.time()
        return steps * dt_s

    @property
    def has_ended(self) -> bool:
        """Whether the run has ended, according to the `stop` of the scene."""
        return self._native.time()[2]

    @property
    def end_reason(self) -> str | None:
        """The field of the scene that ended the run, with its value."""
        return self._native.end_reason()

    # State

    def hash(self) -> str:
        """The hash of the state at the end of the last step: the 16 digits of the command line.

        >>> import swarmarium as sw
        >>> sw.load("milling", seed=5).step(500).hash()
        '458e0291af715004'
        """
        return f"{self._native.hash():016x}"

    def snapshot(self) -> Snapshot:
        """Copies the state. Changes that wait for the next step are applied before.

        >>> import swarmarium as sw
        >>> sim = sw.load("milling", seed=1)
        >>> snapshot = sim.step(10).snapshot()
        >>> snapshot
        Snapshot(step=10)
        """
        return Snapshot(self._native.snapshot())

    def restore(self, snapshot: Snapshot) -> Simulation:
        """Goes back to a snapshot of this run, or of another one of the same scene and seed.

        Commands that were written into arrays since the last step are forgotten. A simulation with a timeline goes to the
        moment of the snapshot, which must be in its timeline.

        >>> import swarmarium as sw
        >>> sim = sw.load("milling", seed=1)
        >>> snapshot, end = sim.step(10).snapshot(), sim.step(20).hash()
        >>> sim.restore(snapshot).step(20).hash() == end
        True
        """
        self._native.restore(snapshot._native)
        return self

    def reset(self, seed: int | None = None, *, set: Mapping[str, Any] | None = None) -> Simulation:
        """Starts again with the scene as edited, perhaps with another seed and other values.

        Args:
            seed: seed of all random numbers; by default the present one.
            set: paths of parameters or names of constants, with their values.

        A warning gives the number of robots without room in each group, as after `load` and `apply`.

        Controllers in Python stay; their `reset` is called if they have one. Unsent commands and branches are forgotten.

        Raises:
            ValueError: if the seed is no whole number from 0 to 2^64 - 1.
            SwarmariumError: if a value of `set` is not valid.

        >>> import swarmarium as sw
        >>> sim = sw.load("milling", seed=1)
        >>> sim.step(10).reset(seed=2, set={"groups.millers.count": 3})
        Simulation('Milling', seed=2, step=0, 3 robots)
        """
        self._native.reset(None if seed is None else whole("seed", seed), overrides(set or {}))
        self._told = []
        self._warn()
        for control in self._controls:
            control.reset()
        return self

    @property
    def seed(self) -> int:
        """The seed of all random numbers of the run."""
        return self._native.seed()

    # Parameters and edits

    def set(self, path: str | Mapping[str, Any], value: Any = None) -> Simulation:
        """Sets a parameter by its path, or a constant by its name, from the next step on; the change is logged.

        `sim.set("groups.millers.controller.clear.turn_rad_per_s", 0.5)`; a mapping sets several at once. A warning says so
        if the change takes effect at the next reset only.

        >>> import swarmarium as sw
        >>> sim = sw.load("milling", seed=1)
        >>> sim.set("groups.millers.sensors.0.range_m", 1.0).get("groups.millers.sensors.0.range_m")
        1.0
        """
        values = path if isinstance(path, Mapping) else {path: value}
        for name, one in values.items():
            if self._native.set(name, to_notation(one)):
                warnings.warn(f"{name} takes effect at the next reset", stacklevel=2)
        return self

    def get(self, path: str) -> Any:
        """A parameter by its path, or a constant by its name: a number, a truth value, or the notation of scenes.

        >>> import swarmarium as sw
        >>> sim = sw.load("milling", seed=1)
        >>> sim.get("groups.millers.count"), sim.get("groups.millers.body")
        (6, 'Disc()')
        """
        return from_notation(self._native.get(path))

    def parameters(self, under: str = "") -> dict[str, Any]:
        """All parameters of the scene with their values, by path; or those whose paths begin with a text.

        `sim.parameters("groups.millers.sensors")` lists the parameters of the sensors of a group.

        >>> import swarmarium as sw
        >>> sim = sw.load("milling", seed=1)
        >>> sim.parameters("groups.millers.count")
        {'groups.millers.count': 6}
        """
        found = self._native.parameters()
        return {path: from_notation(value) for path, value in found if path.startswith(under)}

    def apply(self, edit: str, **fields: Any) -> Simulation:
        """Applies an edit at the start of the next step, and logs it.

        `sim.apply("Move", agent=2, x_m=4.0, y_m=4.5, heading_rad=1.0)`, or the text of an edit file:
        `sim.apply('Remove(path: "agents.0")')`.

        >>> import swarmarium as sw
        >>> sim = sw.load("milling", seed=1)
        >>> sim.apply("Move", agent=2, x_m=4.0, y_m=4.5, heading_rad=1.0).step().edits[0].step
        1
        """
        self._native.apply(f"{edit}({fields_of_edit(edit, fields)})" if fields else edit)
        self._warn()
        return self

    @property
    def edits(self) -> list[LoggedEdit]:
        """The edits that were applied so far."""
        return [LoggedEdit(step, edit) for step, edit in self._native.edits()]

    def scene(self, *, start: bool = False, short: bool = True) -> str:
        """The scene as edited, or that of the start, as a scene file has it; with all fields if it is not short.

        >>> import swarmarium as sw
        >>> sim = sw.load("milling", seed=1)
        >>> sim.scene().splitlines()[0]
        'Scene('
        """
        return self._native.scene_text(start, short)

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Saves the run as a folder, with its scene and edits: `load` and the program open, replay and record it.

        ```python
        sim.save("runs/mine", overwrite=True)
        again = sw.load("runs/mine")
        ```
        """
        self._native.save(os.fspath(path), overwrite)

    # Robots and results

    @property
    def agents(self) -> list[Agent]:
        """The robots, in the order of their numbers (identities), which is that of the rows of arrays."""
        groups = [name for name, _ in self._native.groups()]
        return [Agent(number, name, groups[group]) for number, name, group in self._native.agents()]

    @property
    def groups(self) -> dict[str, str]:
        """The groups, each with the kind of its controller."""
        return dict(self._native.groups())

    @property
    def metrics(self) -> Table:
        """The metrics of every step since the start, the last `run`, `restore` or jump: see `keep_metrics`."""
        return Table(*self._native.metrics(), whole=["step"])

    @property
    def values(self) -> dict[str, float]:
        """The present values of the metrics; NaN before the first step."""
        return _Values(zip(*self._native.metrics_now()))

    @property
    def trace(self) -> Table:
        """Poses and readings of every robot at the steps that were traced: see `keep_trace`."""
        trace = self._native.trace()
        if trace is None:
            raise _native.SwarmariumError("no trace is kept: call keep_trace() or run(trace=True) first")
        return Table(*trace, whole=["step", "agent"])

    def keep_metrics(self, kept: bool = True) -> Simulation:
        """Sets whether the metrics of steps are kept. They take eight bytes for each column and step.

        >>> import swarmarium as sw
        >>> sim = sw.load("milling", seed=1)
        >>> len(sim.keep_metrics(False).step(10).metrics)
        0
        """
        self._native.keep_metrics(kept)
        return self

    def keep_trace(self, every: int = 1) -> Simulation:
        """Traces poses and readings from the current state on, at every n-th step; 0 ends it and keeps the table.

        >>> import swarmarium as sw
        >>> sim = sw.load("milling", seed=1)
        >>> len(sim.keep_trace(5).step(10).trace)
        18
        """
        self._native.keep_trace(whole("every", every))
        return self

    @property
    def events(self) -> list[Event]:
        """The log of events: collisions, faults, switches of supervisors."""
        return [Event(*event) for event in self._native.events()]

    def bind(
        self,
        name: ColumnName,
        form: Form | None = None,
        *,
        group: str | None = None,
        sensor: Sensor | None = None,
        path: str | None = None,
    ) -> Array:
        """An array that shows the live state: it is filled after every step, at the same address.

        | name | a row for each robot |
        |---|---|
        | `poses` | x and y in metres, heading in radians, which accumulates and is not wrapped |
        | `velocities` | along x and y of the arena, in metres per second |
        | `commands` | commands in a form; writes command the robots from the next step on |
        | `readings` | the readings of all sensors, or of one |
        | `bodies` | radius in metres; 1 if it was pushed in its last turn, else 0; 1 if it is dead, else 0 |
        | `targets` | for each sensor, the number (identity) of the robot in sight, or -1 minus the place of the object; NaN for nothing |
        | `outputs` | red, green and blue of the LEDs, 0 to 1; 1 if the gripper is closed, else 0; the emission |
        | `memory` | numbers at a path in the memory of controllers |
        | `objects` | a row for each object of the scene: x and y of its centre in metres, its heading in radians; NaN if it is gone |
        | `metrics` | one row: the values of the metrics |

        Args:
            name: name of the array.
            form: form of commands: see `Form`.
            group: name of a group: the array has its robots only.
            sensor: for `readings`, one sensor: its slot, its name, its kind or a word of it.
            path: for `memory`, the path, such as `"state.seen"` of a script.

        The rows are the robots that exist now, by number: if one is removed, its row is NaN; bind again to see new ones, or
        other sensors. Only commands can be written, of robots with the controller `External`; the writes are logged as edits,
        and `restore`, `reset` and jumps in time forget those that no step has sent. The array outlives the simulation. A text
        such as `"groups.millers.readings.fov"` names group, array and sensor, too; type checkers refuse it.

        >>> import swarmarium as sw
        >>> sim = sw.load("milling", seed=1)
        >>> sim.bind("poses").shape, sim.bind("readings", sensor="fov").shape
        ((6, 3), (6, 1))
        """
        return self._native.bind(column_name(name, group, sensor, path), form)

    def neighbours(self, radius_m: float) -> Neighbours:
        """For each robot, the robots whose centres are at most a radius away, with the grid of the simulator.

        Rows are those of `bind("poses")`, and the neighbours of a robot are in the order of their rows; the robot itself is
        none of them. Robots at the other side of a periodic arena count.

        >>> import swarmarium as sw
        >>> near = sw.load("milling", seed=1).neighbours(0.5)
        >>> len(near), near[0].dtype.name
        (6, 'int64')
        """
        return neighbours(self._native, None, radius_m)

    # Controllers

    def control(
        self,
        group: str,
        controller: Controller | None,
        *,
        each: bool | None = None,
        form: Form | None = None,
    ) -> Simulation:
        """Gives a group a controller in Python, in place of its own. Commands are logged, so the run replays without it.

        Args:
            group: name of the group.
            controller: a function of a `Group` that returns an array with a row of commands for each robot; or a class with
                a method `act(robot)`, of which each robot gets an instance. `None` removes it: the group has its own
                controller again.
            each: whether there is an instance for each robot; by default, classes have one, also those with arguments by
                `functools.partial`.
            form: form of the commands; by default (ahead, turn) if the robots take it.

        A command is logged if it differs from the previous one of its robot. In the past, such a command begins a branch, even
        if the log has the same one at that step.

        >>> import numpy as np
        >>> import swarmarium as sw
        >>> sim = sw.load("milling", seed=1)
        >>> sim.control("millers", lambda robots: np.tile([0.2, 0.5], (len(robots), 1))).step(10).steps
        10
        """
        is_each = is_class(controller) if each is None else each
        if controller is not None:
            check_controller(controller, controller)
        self._detach(group)
        if controller is None:
            self._release(group)
            return self
        self._take_over(group)
        make = RobotControl if is_each else GroupControl
        return self._add(lambda: make(self, group, controller, form), group)

    def _add(self, make: Callable[[], Control], group: str) -> Simulation:
        """Adds a controller in Python; if it cannot be made, the group gets its own controller back."""
        try:
            self._controls.append(make())
        except BaseException:
            self._release(group)
            raise
        return self

    def _release(self, group: str) -> None:
        """Gives a group its own controller back."""
        if group in self._replaced:
            self.set(self._path_of(group), self._replaced.pop(group))

    def _attach(self, control: Callable[[], TurnControl], group: str, commands: bool) -> Simulation:
        """Adds a controller that acts in turns, in place of the group's own one if it commands."""
        self._detach(group)
        if commands:
            self._take_over(group)
        return self._add(control, group)

    def _detach(self, group: str) -> None:
        """Takes the controller in Python of a group away."""
        if group not in self.groups:
            known = ", ".join(self.groups)
            raise _native.SwarmariumError(f"there is no group {group!r}: the groups are {known}")
        self._controls = [control for control in self._controls if control.group != group]

    def _take_over(self, group: str) -> None:
        """Lets programs command a group."""
        if self.groups[group] != "External":
            path = self._path_of(group)
            self._replaced[group] = self._native.get(path)
            self.set(path, "External()")
            self._native.flush()

    def _path_of(self, group: str) -> str:
        return f"groups.{list(self.groups).index(group)}.controller"

    # Radio

    def send(self, robots: str | int | Sequence[int], numbers: Any, mask: Any = None) -> Simulation:
        """Sends messages by the radios of robots with the controller `External`: a row of numbers for each of them.

        Args:
            robots: the name of a group, the number of a robot (its identity), or a list of such numbers.
            numbers: the content of the messages: an array with a row for each robot, or a list for one robot. Robots whose
                rows are all NaN are silent.
            mask: truth values: which robots send; by default all.

        Each message goes out once, at the next turn of the radio; another one replaces it until then. It is logged as an
        edit.

        ```python
        sim.send("robots", [[1.0, 2.0], [3.0, 4.0]])  # a row of numbers for each robot
        sim.send(0, [1.0, 2.0])
        ```
        """
        if isinstance(robots, str):
            senders = self._members(robots)
        elif isinstance(robots, (int, np.integer)):
            senders, numbers = [whole("robots", robots)], np.reshape(numbers, (1, -1))
        else:
            senders = [whole("robots", robot) for robot in robots]
        messages.send(self._native, senders, numbers, mask)
        return self

    def messages(self, robot: int) -> list[Message]:
        """The messages that the radio of a robot keeps: the newest one of each sender, sorted by sender.

        Args:
            robot: the number of the robot (its identity).

        ```python
        for message in sim.messages(7):
            print(message.sender, message.numbers)
        ```
        """
        return messages.received(self._native, [whole("robot", robot)])[0]

    def _members(self, group: str) -> list[int]:
        """The numbers of the robots of a group."""
        if group not in self.groups:
            known = ", ".join(self.groups)
            raise _native.SwarmariumError(f"there is no group {group!r}: the groups are {known}")
        place = list(self.groups).index(group)
        return [number for number, _, of in self._native.agents() if of == place]

    # The past

    @property
    def timeline(self) -> Timeline:
        """The past of this run: seek, branches, bookmarks. It is kept from the first use on, with the steps before."""
        self._native.keep_past()
        return Timeline(self)

    # Pictures

    def picture(self, width: int = 640, height: int = 480, *, light: bool = False) -> bytes:
        """A picture of the present state, as a PNG file.

        >>> import swarmarium as sw
        >>> sim = sw.load("milling", seed=1)
        >>> sim.picture(320, 240)[:4]
        b'\\x89PNG'
        """
        return self._native.picture([whole("width", width), whole("height", height)], light)

    def record(
        self,
        path: str | os.PathLike[str],
        *,
        duration_s: float | None = None,
        size: tuple[int, int] | None = None,
        progress: Progress = None,
        **flags: Unpack[FilmFlags],
    ) -> Video:
        """Records a video of this run from its start to now, with the options of `swarmarium.record`.

        ```python
        sim.record("mine.mp4", speed=4, overlay="title,trails")
        ```
        """
        from .videos import record_run

        return record_run(self, path, {"duration_s": duration_s, "size": size, **flags}, progress)

    def record_mcap(
        self,
        path: str | os.PathLike[str],
        *,
        rate: Rate | None = None,
        topics: Sequence[str] | Mapping[str, Rate | None] | None = None,
        overwrite: bool = False,
    ) -> McapRecording:
        """Writes messages of ROS 2 about the steps from now on to an MCAP file, for Foxglove, Rerun and ROS 2.

        `with sim.record_mcap("run.mcap", topics={"poses": 10, "metrics": "step"}): sim.step(400)`

        Args:
            path: the file `.mcap`. It has this name when it is complete.
            rate: messages on each topic per simulated second, or `"step"` for every step; by default 30, and 1 for fields.
            topics: names of topics, or a map from them to rates of their own (`None` for that of the file): `poses`, `scans`,
                `floors`, `fields`, `bodies`, `links`, `log`, `metrics`; by default all but `links`.
            overwrite: whether an existing file is replaced.

        The end of the `with` block, or `close`, completes the file. A step after a jump back in time completes it, too, and is
        an error.

        ```python
        with sim.record_mcap("run.mcap", topics={"poses": 10, "metrics": "step"}):
            sim.step(400)
        ```
        """
        rate_text = None if rate is None else str(rate)
        number = self._native.begin_mcap(os.fspath(path), rate_text, topic_list(topics), overwrite)
        return McapRecording(self._native, Path(path), number)

    def show(self, height: int = 720, **flags: Unpack[PageFlags]) -> Page:
        """The run from its start to now as a page that a notebook shows: to play, scrub and zoom, with plots.

        Args:
            height: of the page in the notebook, in pixels.
            **flags: those of `swarmarium share --html`, such as `rate=5`, `trail=10` or `color_by="state"`.

        ```python
        sim.run(duration_s=60)
        sim.show(color_by="state")
        ```
        """
        from .pages import show

        return show(self, height, dict(flags))

    def save_page(
        self, path: str | os.PathLike[str], *, overwrite: bool = False, **flags: Unpack[PageFlags]
    ) -> None:
        """Saves the run from its start to now as one HTML file, which replays it in any browser without a network.

        Args:
            path: the file `.html`.
            overwrite: whether an existing file is replaced.
            **flags: as for `show`.

        ```python
        sim.save_page("mine.html", rate=5, overwrite=True)
        ```
        """
        from .pages import save_page

        save_page(self, path, {"overwrite": overwrite, **flags})

    def _repr_png_(self) -> bytes:
        return self.picture()

    def __reduce__(self) -> NoReturn:
        pickling.refuse("Simulation", "send its scene and its seed, or save it with `Simulation.save`")

    def __repr__(self) -> str:
        title = self._native.title()
        return f"Simulation({title!r}, seed={self.seed}, step={self.steps}, {len(self._native.agents())} robots)"


def _turn(controls: Mapping[int, TurnControl], step: int, number: int, slot: int | None) -> Any:
    """Lets the controller of a robot act in its turn."""
    control = controls[number]
    try:
        return control.act(number, slot)
    except Exception as error:
        add_note(error, f"robot {number}")
        add_note(error, f"in step {step}, in the controller of the group {control.group}")
        raise
