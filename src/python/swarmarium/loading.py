"""Loads simulations."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from typing import Any

from . import _native
from .simulation import Simulation
from .source import explained, is_text, name_of, options


def load(
    source: str | os.PathLike[str],
    seed: int | None = None,
    *,
    set: Mapping[str, Any] | None = None,
    at: str | int | None = None,
    branch: str | None = None,
    variables: Mapping[str, Any] | None = None,
    lenient: bool = False,
    all_groups: bool = False,
    scale: float = 0.01,
    strokes: float | str | None = None,
    robots: Mapping[str, str] | None = None,
    supervisors: Mapping[str, str] | None = None,
    allow_outside: bool = False,
    threads: int = 1,
) -> Simulation:
    """Loads a scene and makes its simulation.

    Args:
        source: a scene file, the name of a shipped scene, the text of a scene, a world of RobotSwarmSimulator or pySimiam,
            a drawing, a MORSE configuration or builder script, a shared scene, the folder of a run, or the address of a
            run of a sweep.
        seed: seed of all random numbers, in place of that of the scene.
        set: paths of parameters, fields such as `groups` and names of constants, with their values, such as
            `{"groups.millers.count": 12}`.
        at: moment of a run folder to go to: a step, a time such as `"35s"`, a bookmark, or `"end"`. A run begins at its
            start otherwise, and its edits are replayed.
        branch: branch of a run folder.
        variables: template variables of a RobotSwarmSimulator world.
        lenient: whether pySimiam worlds can have the errors that its first parser ignored.
        all_groups: whether all groups of a drawing count.
        scale: length of a unit of a drawing in metres.
        strokes: width in metres of the walls that the lines of a drawing become, or `"drawn"` for the width of each stroke;
            without it, lines are not walls.
        robots: robots for robot classes of your own in pySimiam worlds, such as `{"UltraBot": "quickbot"}`.
        supervisors: supervisors for classes of your own in pySimiam worlds, such as `{"mine.Weave": "quickbot-full"}`.
        allow_outside: whether a world can include files from outside its folder.
        threads: threads of the simulation, worthwhile from about 8,000 robots on; results do not depend on them.

    Raises:
        SwarmariumError: with all problems of the file, each with its place, and the nearest known names; or if `variables` are
            given for another source than a RobotSwarmSimulator world.
        ValueError: if the seed or the number of threads is no whole number from 0 to 2^64 - 1.

    >>> import swarmarium as sw
    >>> sw.load("milling", seed=5, set={"groups.millers.count": 4})
    Simulation('Milling', seed=5, step=0, 4 robots)
    >>> sw.load('(groups: [(name: "walkers", count: 3)])').groups
    {'walkers': 'Constant'}
    """
    chosen = options(
        seed,
        set or {},
        variables=variables,
        lenient=lenient,
        all_groups=all_groups,
        scale=scale,
        strokes=strokes,
        robots=robots,
        supervisors=supervisors,
        allow_outside=allow_outside,
        threads=threads,
        is_text=is_text(source),
    )
    try:
        native = _native.Simulation(name_of(source), chosen, None if at is None else str(at), branch)
    except _native.SwarmariumError as error:
        raise explained(source, error, chosen) from None
    for warning in native.warnings():
        warnings.warn(warning, stacklevel=2)
    return Simulation(native)
