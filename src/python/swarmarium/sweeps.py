"""Sweeps: many runs over parameters and seeds."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from . import verbs
from .simulation import Simulation, load
from .table import Table


class Sweep:
    """The folder of a sweep: tables, figures, and runs that open."""

    def __init__(self, path: Path, temporary: Any = None):
        self.path = path
        """The folder."""
        self._temporary = temporary

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
        """A run by the numbers of its row, at its start: `run` or `step` lead to the hash of the row."""
        return load(self.path / "runs" / f"{point}-{repetition}")

    def frame(self) -> Any:
        """The runs as a data frame, with the version of the program in `attrs` if it is one of pandas."""
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
    **flags: Any,
) -> Sweep:
    """Runs a plan, or a scene with factors, on all cores; the same bytes as `swarmarium sweep`.

    Args:
        plan: a plan, or a scene as for `load`.
        vary: values of each varied parameter: a list, or a range such as `"0.1..2.0/8"`.
        repeat: runs for each point, each with its own seed.
        measure: measures such as `"mean circliness over last 10"` or `"time until circliness > 0.9"`.
        duration_s: simulated time of a run in seconds.
        output: the folder; by default, one that is deleted with the result.
        **flags: the other flags of `swarmarium sweep`, such as `steps=1000`, `seed=1`, `jobs=2`,
            `series=100`, `sampling="sobol:64"`, `resume=True` or `overwrite=True`.

    A failed run is a row with its error. Ctrl-C keeps the finished runs if there is an `output`; `resume=True` goes on.
    """
    temporary = None
    if output is None:
        temporary = tempfile.TemporaryDirectory(prefix="swarmarium-sweep-")
        output = Path(temporary.name) / "sweep"
    factors = [f"{path}={values if isinstance(values, str) else verbs.sequence(values)}" for path, values in (vary or {}).items()]
    measures = [measure] if isinstance(measure, str) else list(measure or [])
    given = {"vary": factors, "repeat": repeat, "measure": measures, "duration": duration_s, "output": Path(output), **flags}
    verbs.run_verb("sweep", os.fspath(plan), given, may_fail=True)
    return Sweep(Path(output), temporary)


def open_sweep(path: str | os.PathLike[str]) -> Sweep:
    """Opens the folder of a sweep."""
    folder = Path(path)
    if not (folder / "plan.ron").is_file():
        from ._native import SwarmariumError

        raise SwarmariumError(f"{folder}: is not a sweep folder")
    return Sweep(folder)
