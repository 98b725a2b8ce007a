"""Sweeps: many runs over parameters and seeds."""

from __future__ import annotations

import functools
import inspect
import json
import os
import re
import shutil
import tempfile
import traceback
import warnings
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _native, verbs
from .control import ControllerWithParameters, controller_name
from .loading import load
from .notation import from_notation, seconds, to_notation
from .progress import LOGGER, Progress
from .simulation import Simulation
from .source import options
from .table import Table

if TYPE_CHECKING:
    import pandas
    from typing_extensions import Unpack

    from .flags import SweepFlags

_CONTROLLERS = "controllers.json"
"""The file of a sweep that names its controllers in Python."""
_PATHS = "controllers."
"""The start of the paths of parameters of controllers."""


class Sweep:
    """The folder of a sweep: tables, figures, and runs that open."""

    def __init__(self, path: Path, *, controllers: Mapping[str, ControllerWithParameters] | None = None):
        """Stands for a folder; `sweep` and `open_sweep` make it."""
        self.path: Path = path
        """The folder."""
        self._controllers = dict(controllers or {})

    @property
    def runs(self) -> Table:
        """A row for each run: point, factors, repetition, seed, status, steps, hash and measures."""
        return Table.read(self.path / "runs.csv")

    @property
    def summary(self) -> Table:
        """A row for each point and measure: n, mean, standard deviation, quartiles, 95 % interval."""
        return Table.read(self.path / "summary.csv")

    @property
    def series(self) -> Table:
        """Metrics over time, if the sweep was made with `series=100`, at every 100th step; otherwise a `SwarmariumError`."""
        path = self.path / "series.csv"
        if not path.exists():
            raise _native.SwarmariumError(f"{path}: there is no such file; make the sweep with series=100, for every 100th step")
        return Table.read(path)

    @property
    def figures(self) -> dict[str, Path]:
        """The figures (SVG) by name."""
        return {path.stem: path for path in sorted((self.path / "figures").glob("*.svg"))}

    @property
    def report(self) -> Path:
        """The report, a web page that needs no other file."""
        return self.path / "report.html"

    def load(self, point: int, repetition: int = 1) -> Simulation:
        """A run by the numbers of its row, at its start: `run` or `step` lead to the hash of the row.

        Controllers in Python are those of the sweep; a run that the sweep keeps needs none, as its folder has the commands.

        Raises:
            SwarmariumError: if there is no such run, or if the sweep had other controllers in Python than this object has, or
                controllers with other names.

        ```python
        row = found.runs
        run = found.load(int(row["point"][0]), int(row["repetition"][0]))
        run.run()
        ```
        """
        folder = self.path / "runs" / f"{point}-{repetition}"
        file = self.path / _CONTROLLERS
        if not file.is_file() or _native.holds_run(os.fspath(folder)):
            return load(folder)
        # The program compares the names with those of the sweep.
        chosen = options(None, {}, controllers=_names(self._controllers))
        simulation = Simulation(_native.Simulation(os.fspath(folder), chosen, None, None))
        groups: list[str] = json.loads(file.read_text(encoding="utf-8"))
        controllers = {group: self._controllers[group] for group in groups}
        return _controlled(simulation, controllers, _native.controller_values(os.fspath(folder)))

    def frame(self) -> pandas.DataFrame:
        """The runs as a data frame, with the version of the program in `attrs` if it is one of pandas.

        ```python
        found.frame().groupby("count").mean(numeric_only=True)
        ```
        """
        frame = self.runs.frame()
        if hasattr(frame, "attrs"):
            frame.attrs.update(json.loads((self.path / "manifest.json").read_text(encoding="utf-8")))
        return frame

    def _repr_html_(self) -> str:
        return "".join(path.read_text(encoding="utf-8") for path in self.figures.values())

    def __repr__(self) -> str:
        return f"Sweep({str(self.path)!r})"


def sweep(
    plan: str | os.PathLike[str],
    *,
    vary: Mapping[str, str | Sequence[Any]] | None = None,
    repeat: int | None = None,
    measure: str | Sequence[str] | None = None,
    duration_s: float | None = None,
    output: str | os.PathLike[str] | None = None,
    controllers: Mapping[str, ControllerWithParameters] | None = None,
    progress: Progress = None,
    **flags: Unpack[SweepFlags],
) -> Sweep:
    """Runs a plan, or a scene with factors, on all cores; the same bytes as `swarmarium sweep`.

    Args:
        plan: a plan, or a scene as for `load`: a file, a shipped one by its name, or the text.
        vary: values of each varied parameter: a list, or a range such as `"0.1..2.0/8"`. A text in a list is in the notation
            of scenes, as in the argument `set` of `load`: `["Constant()", "Binary()"]`. `controllers.GROUP.NAME` is a parameter
            of a controller in Python, which gets each value as it is: a number, a truth value or a text. Labels, logarithmic axes
            and linked parameters need a plan.
        repeat: runs for each point, each with its own seed.
        measure: measures such as `"mean circliness over last 10"` or `"time until circliness > 0.9"`.
        duration_s: simulated time of a run in seconds, above 0.
        output: the folder; by default, one that is deleted with the result.
        controllers: controllers in Python of groups, as for `Simulation.control`. Runs at the same time share a function, so it
            keeps nothing between calls; of a class, each robot of each run has an instance. Python runs one of them at a
            time, while other runs make their steps. The folder has their names in `controllers.json`; `resume=True` needs
            controllers with the same names.
        progress: a function that gets the number of finished runs and of all runs, `True` for a bar of tqdm, or `False` for
            nothing; by default, a bar after a second in a terminal or a notebook, if tqdm is installed.
        **flags: the other options of `swarmarium sweep`, such as `steps=1000`, `seed=1`, `jobs=2`, `series=100`,
            `sampling="sobol:64"`, `resume=True` or `overwrite=True`: see `swarmarium.flags.SweepFlags`.

    Raises:
        SwarmariumError: with all problems of the plan, the scene, the arguments and the folder, before the first run.
        ValueError: if `duration_s` is negative or no number.

    A failed run is a row with its error, and a warning in the log `swarmarium`; `found.load(point, repetition).run()` repeats it
    with its exception. If all runs fail, there is a warning of the module `warnings`, too. Ctrl-C keeps the finished runs if
    there is an `output`; `resume=True` goes on.

    ```python
    import swarmarium as sw

    found = sw.sweep(
        "milling",
        vary={"groups.millers.count": [4, 8, 16]},
        repeat=10,
        measure="mean circliness over last 10",
        duration_s=60,
        progress=lambda done, total: print(f"{done} of {total} runs"),
    )
    print(found.frame())
    ```

    A controller with a parameter that varies:

    ```python
    def mill(robots, turn_rad_per_s):
        seen = robots.column("readings", sensor="fov")[:, 0] > 0.5
        return np.column_stack([np.full(len(robots), 0.27), np.where(seen, turn_rad_per_s, -turn_rad_per_s)])

    found = sw.sweep(
        "milling",
        vary={"controllers.millers.turn_rad_per_s": [0.3, 0.6]},
        measure="mean circliness over last 10",
        controllers={"millers": mill},
    )
    ```
    """
    _check_controllers(controllers)
    folder = Path(tempfile.mkdtemp(prefix="swarmarium-sweep-")) / "sweep" if output is None else Path(output)
    made = Sweep(folder, controllers=controllers)
    if output is None:
        weakref.finalize(made, shutil.rmtree, folder.parent, ignore_errors=True)
    factors = _factors({} if vary is None else vary)
    if not isinstance(measure, (str, Iterable, type(None))):
        expected = "a measure such as 'mean circliness', or a list of measures"
        raise _native.SwarmariumError(f"measure: expected {expected}, found {measure!r}")
    measures = [measure] if isinstance(measure, str) else list(measure or [])
    if duration_s is not None:
        seconds("duration_s", duration_s)
    given = {"vary": factors, "repeat": repeat, "measure": measures, "duration_s": duration_s, "output": folder, **flags}
    _check_parameters(controllers or {}, vary or {})
    drive = None if controllers is None else (_prepare(controllers), _names(controllers))
    status = verbs.run_verb("sweep", plan, given, may_fail=True, progress=progress, drive=drive)
    LOGGER.info("sweep: tables and figures are in %s", folder)
    if status == verbs.RUNS_FAILED:
        _warn_if_all_failed(made)
    return made


def _factors(vary: Mapping[str, str | Sequence[Any]]) -> list[str]:
    """Factors as the command line has them.

    Raises:
        SwarmariumError: if they are not paths with values.
    """
    example = '{"groups.millers.count": [4, 8]}'
    if not isinstance(vary, Mapping):
        raise _native.SwarmariumError(f"vary: expected paths of parameters with their values, such as {example}, found {vary!r}")
    found = []
    for path, values in vary.items():
        if not isinstance(path, str):
            raise _native.SwarmariumError(f"vary: expected paths of parameters such as 'groups.millers.count', found {path!r}")
        if not isinstance(values, str):
            if isinstance(values, (bytes, Mapping)) or not isinstance(values, Iterable):
                expected = 'a list of values, or a range such as "0.1..2.0/8"'
                raise _native.SwarmariumError(f"vary: {path}: expected {expected}, found {values!r}")
            values = ",".join(_value(path, value) for value in values)
            if not values:
                raise _native.SwarmariumError(f"vary: {path}: expected at least one value, found none")
        found.append(f"{path}={values}")
    return found


def _value(path: str, value: Any) -> str:
    """A value of a factor as the command line has it: a controller in Python gets it as it is."""
    if not path.startswith(_PATHS):
        text = to_notation(value)
        # No notation of scenes has commas and ranges outside quotes and brackets: it is a text.
        return _quoted(text) if isinstance(value, str) and _is_taken_apart(text) else text
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, (bool, int, float, np.bool_, np.integer, np.floating)):
        return to_notation(value)
    raise _native.SwarmariumError(f"vary: {path}: expected numbers, truth values and texts, found {value!r}")


def _quoted(text: str) -> str:
    """A text in quotes, in which the command line finds no other quote and no range."""
    return '"' + re.sub(r'["\\\x00-\x1f]|\.(?=\.=)', lambda found: f"\\u{{{ord(found[0]):x}}}", text) + '"'


def _is_taken_apart(text: str) -> bool:
    """Whether the command line would take a value for several ones, or for a range."""
    outside = re.sub(r'"(\\.|[^"\\])*"', "", text)
    while (rest := re.sub(r"[(\[][^()\[\]]*[)\]]", "", outside)) != outside:
        outside = rest
    return "," in outside or ".." in outside or not text.strip()


def _warn_if_all_failed(made: Sweep) -> None:
    """Warns if no run of a sweep succeeded."""
    # A shard of a sweep has no tables.
    if not (made.path / "runs.csv").is_file():
        return
    runs = made.runs
    if all(status == "failed" for status in runs["status"]):
        first = f"point {runs['point'][0]}, repetition {runs['repetition'][0]}: {runs['error'][0]}"
        warnings.warn(f"all runs of the sweep failed, as {first}", stacklevel=3)


_PACKAGE = os.path.dirname(__file__) + os.sep


def _located(failure: Exception) -> Exception:
    """An exception of a run, with the place in the code of the user at which it was raised."""
    lines = [
        line
        for line in traceback.extract_tb(failure.__traceback__)
        if not line.filename.startswith((_PACKAGE, "<frozen")) and "site-packages" not in line.filename
    ]
    if not lines:
        return failure
    last = lines[-1]
    text = f"{failure} ({os.path.basename(last.filename)}:{last.lineno}, in {last.name})"
    # The row of the run has the name of the type before the text.
    return type(type(failure).__name__, (Exception,), {})(text)


def _prepare(
    controllers: Mapping[str, ControllerWithParameters],
) -> Callable[[_native.Simulation, Sequence[tuple[str, str, str]]], Callable[[], object]]:
    """A function that begins a run: it returns the function that makes a step."""

    def begin(native: _native.Simulation, values: Sequence[tuple[str, str, str]]) -> Callable[[], object]:
        simulation = _controlled(Simulation(native), controllers, values)

        def step() -> None:
            try:
                simulation.step()
            except Exception as failure:
                raise _located(failure) from failure

        return step

    return begin


def _names(controllers: Mapping[str, ControllerWithParameters]) -> dict[str, str]:
    return {group: controller_name(controller) for group, controller in controllers.items()}


def _controlled(
    simulation: Simulation, controllers: Mapping[str, ControllerWithParameters], values: Sequence[tuple[str, str, str]]
) -> Simulation:
    """Gives a simulation controllers, with values of their parameters: group, name and value."""
    # The order of the groups is part of a run: the same one in each process.
    for group in sorted(controllers):
        controller: Any = controllers[group]
        parameters = {name: from_notation(value) for of, name, value in values if of == group}
        simulation.control(group, functools.partial(controller, **parameters) if parameters else controller)
    return simulation


def _check_controllers(controllers: Any) -> None:
    """Refuses controllers that are no functions or classes by group."""
    if not isinstance(controllers, (Mapping, type(None))):
        raise _native.SwarmariumError(f"controllers: expected groups with their controllers, found {controllers!r}")
    for group, controller in (controllers or {}).items():
        if not callable(controller):
            raise _native.SwarmariumError(f"controllers: {group}: expected a function or a class, found {controller!r}")


def _check_parameters(controllers: Mapping[str, ControllerWithParameters], paths: Iterable[str]) -> None:
    """Refuses factors such as `controllers.birds.gain` that are no parameters of their controllers."""
    for path in paths:
        group, _, name = path.removeprefix(_PATHS).rpartition(".")
        controller = controllers.get(group)
        # The program refuses a group without a controller.
        if controller is None or not path.startswith(_PATHS):
            continue
        try:
            known = inspect.signature(controller).parameters.values()
        except (TypeError, ValueError):
            continue
        if all(one.name != name and one.kind is not one.VAR_KEYWORD for one in known):
            names = ", ".join(one.name for one in known)
            message = f"{path}: {controller_name(controller)} has no parameter `{name}`: its parameters are {names}"
            raise _native.SwarmariumError(message)


def open_sweep(path: str | os.PathLike[str], *, controllers: Mapping[str, ControllerWithParameters] | None = None) -> Sweep:
    """Opens the folder of a sweep.

    Args:
        path: the folder.
        controllers: the controllers in Python with which the sweep was made, for `Sweep.load`; their names are compared with
            those of the sweep.

    ```python
    found = sw.open_sweep("sweeps/milling")
    print(found.summary.frame())
    ```
    """
    _check_controllers(controllers)
    folder = Path(path)
    if not (folder / "plan.ron").is_file():
        raise _native.SwarmariumError(f"{folder}: is not a sweep folder")
    return Sweep(folder, controllers=controllers)
