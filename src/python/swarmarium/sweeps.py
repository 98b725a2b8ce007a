"""Sweeps: many runs over parameters and seeds."""

from __future__ import annotations

import functools
import inspect
import json
import os
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _native, verbs
from .control import ControllerWithParameters, controller_name
from .loading import load
from .notation import from_notation
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
        """Metrics over time, if the plan keeps them (`series=100`: at every 100th step)."""
        return Table.read(self.path / "series.csv")

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
        plan: a plan, or a scene as for `load`.
        vary: values of each varied parameter: a list, or a range such as `"0.1..2.0/8"`. `controllers.GROUP.NAME` is a
            parameter of a controller in Python, which gets it by this name: a number, a truth value or a text.
        repeat: runs for each point, each with its own seed.
        measure: measures such as `"mean circliness over last 10"` or `"time until circliness > 0.9"`.
        duration_s: simulated time of a run in seconds.
        output: the folder; by default, one that is deleted with the result.
        controllers: controllers in Python of groups, as for `Simulation.control`. Runs at the same time share a function, so it
            keeps nothing between calls; of a class, each robot of each run has an instance. Python runs one of them at a
            time, while other runs make their steps. The folder has their names in `controllers.json`; `resume=True` needs
            controllers with the same names.
        progress: a function that gets the number of finished runs and of all runs, `True` for a bar of tqdm, or `False` for
            nothing; by default, a bar after a second in a terminal or a notebook, if tqdm is installed.
        **flags: the other options of `swarmarium sweep`, such as `steps=1000`, `seed=1`, `jobs=2`, `series=100`,
            `sampling="sobol:64"`, `resume=True` or `overwrite=True`: see `swarmarium.flags.SweepFlags`.

    A failed run is a row with its error, and a warning in the log `swarmarium`. Ctrl-C keeps the finished runs if there is an
    `output`; `resume=True` goes on.

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
    folder = Path(tempfile.mkdtemp(prefix="swarmarium-sweep-")) / "sweep" if output is None else Path(output)
    made = Sweep(folder, controllers=controllers)
    if output is None:
        weakref.finalize(made, shutil.rmtree, folder.parent, ignore_errors=True)
    factors = [
        f"{path}={values if isinstance(values, str) else verbs.sequence(values)}" for path, values in (vary or {}).items()
    ]
    measures = [measure] if isinstance(measure, str) else list(measure or [])
    given = {"vary": factors, "repeat": repeat, "measure": measures, "duration": duration_s, "output": folder, **flags}
    _check_parameters(controllers or {}, vary or {})
    drive = None if controllers is None else (_prepare(controllers), _names(controllers))
    verbs.run_verb("sweep", plan, given, may_fail=True, progress=progress, drive=drive)
    LOGGER.info("sweep: tables and figures are in %s", folder)
    return made


def _prepare(
    controllers: Mapping[str, ControllerWithParameters],
) -> Callable[[_native.Simulation, Sequence[tuple[str, str, str]]], Callable[[], object]]:
    """A function that begins a run: it returns the function that makes a step."""

    def begin(native: _native.Simulation, values: Sequence[tuple[str, str, str]]) -> Callable[[], object]:
        return _controlled(Simulation(native), controllers, values).step

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
    folder = Path(path)
    if not (folder / "plan.ron").is_file():
        raise _native.SwarmariumError(f"{folder}: is not a sweep folder")
    return Sweep(folder, controllers=controllers)
