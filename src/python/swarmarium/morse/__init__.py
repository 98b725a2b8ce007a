"""Builder scripts of MORSE, unmodified.

A script runs in Python against a module `morse.builder` of this package, which is in place only while the script runs:

    import swarmarium.morse as morse

    sim = morse.load("scene.py")
    sim.run(duration_s=10)

`swarmarium.load` and the program of the package (`swarmarium run scene.py`) load scripts in the same way. A script is a
program: load only scripts that you trust.
"""

from __future__ import annotations

import os
from typing import Any

from .. import _native
from ..loading import load as load_scene
from ..simulation import Simulation
from ..source import name_of
from . import dictionaries as _dictionaries

__all__ = ["configuration", "load"]


def load(source: str | os.PathLike[str], seed: int | None = None, **options: Any) -> Simulation:
    """Runs a MORSE builder script, and loads its scene. Warnings name every part that a scene does not have.

    While the script runs, `sys.path`, `sys.argv`, the standard output and the modules `morse` are those of the script for the
    whole process; afterwards they are as before, and so is the working folder. Scripts run one at a time. Other threads find
    no module of MORSE, but share the rest. Ctrl-C ends the script with a `KeyboardInterrupt`.

    Args:
        source: the script, or a configuration that MORSE's builder wrote.
        seed: seed of all random numbers.
        **options: the other options of `swarmarium.load`.

    Raises:
        SwarmariumError: if the script fails, with its line.

    ```python
    import swarmarium.morse as morse

    sim = morse.load("scene.py")
    sim.run(duration_s=10)
    ```
    """
    try:
        return load_scene(source, seed, **options)
    except _native.SwarmariumError:
        _raise_interrupt()
        raise


def _raise_interrupt() -> None:
    """Does nothing. The interpreter raises a `KeyboardInterrupt` that waits when it calls a function."""


def configuration(source: str | os.PathLike[str], *, directions: bool = True) -> str:
    """Runs a MORSE builder script, and gives the text of its configuration, byte for byte as MORSE's builder writes it.

    Args:
        source: the script.
        directions: whether streams and modifiers have their direction, `'IN'` or `'OUT'`, as MORSE 1.4 writes it; earlier
            versions do not write it.

    ```python
    print(morse.configuration("scene.py"))
    ```
    """
    from .script import dictionaries_of

    return _dictionaries.text(dictionaries_of(name_of(source)), directions)
