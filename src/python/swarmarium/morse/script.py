"""Runs builder scripts."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
import tokenize
import traceback
from collections.abc import Iterator
from typing import Any

from .. import _native
from . import building, files, modules
from . import dictionaries as tables
from .description import Describer
from .environment import Environment
from .errors import MorseBuilderError

_lock = threading.RLock()
"""Scripts run one at a time, as all of them have the same modules."""


def describe(path: str) -> str:
    """Runs a script, and describes it to the program as JSON. Its errors are part of the description.

    Raises:
        KeyboardInterrupt: if Ctrl-C ends the script.
    """
    with _lock:
        state = building.begin(path)
        try:
            with _prepared(state, path):
                run_script(state.script)
                return json.dumps(Describer(state, _finish(state)).describe())
        except (Exception, SystemExit) as error:
            return json.dumps({"errors": [_remark(state, error)]})
        finally:
            building.end()


def dictionaries_of(path: str) -> dict[str, dict[str, Any]]:
    """Runs a script, and gives the five dictionaries of its configuration."""
    with _lock:
        state = building.begin(path)
        try:
            with _prepared(state, path):
                run_script(state.script)
                _finish(state)
                return tables.collect(state)
        except (Exception, SystemExit) as error:
            remark = _remark(state, error)
            raise _native.SwarmariumError(f"{remark['file'] or path}:{remark['line']}: {remark['message']}") from error
        finally:
            building.end()


@contextlib.contextmanager
def _prepared(state: building.Building, path: str) -> Iterator[None]:
    """Prepares the process for a script, and puts everything back afterwards: modules, arguments, the working folder.

    Methods of the script run until its scene is described, so its modules are there until then. Output of the script is no
    output of the program.

    Args:
        path: the path as the user wrote it, which the script finds in `sys.argv`.
    """
    arguments = sys.argv
    try:
        folder = os.getcwd()
    except FileNotFoundError:
        # The folder is deleted.
        folder = None
    sys.argv = [path]
    try:
        with modules.installed(state.folder), contextlib.redirect_stdout(sys.stderr):
            yield
    finally:
        sys.argv = arguments
        if folder is not None:
            with contextlib.suppress(OSError):
                os.chdir(folder)


def run_script(path: str) -> None:
    """Runs the text of a script as a main program."""
    with tokenize.open(path) as file:
        # The script chooses its own features of the language, and does not inherit those of this module.
        code = compile(file.read(), path, "exec", dont_inherit=True)
    try:
        exec(code, {"__name__": "__main__", "__file__": path, "__builtins__": __builtins__})
    except SystemExit as end:
        if end.code not in (None, 0):
            raise RuntimeError(f"the script ended itself with {end.code!r}") from end


def _finish(state: building.Building) -> Environment:
    """Completes the environment, as MORSE does at the end of a script."""
    if not state.environments:
        raise RuntimeError("the script makes no `Environment(…)`, which gives the scene its world")
    environment = state.environments[-1]
    environment.create()
    return environment


def _remark(state: building.Building, error: BaseException) -> dict[str, Any]:
    """An error with the line of the user that raised it."""
    message = str(error) or type(error).__name__
    if isinstance(error, SyntaxError) and error.filename:
        return {"file": state.shown(error.filename), "line": error.lineno or 1, "message": f"SyntaxError: {error.msg}"}
    own = [frame for frame in traceback.extract_tb(error.__traceback__) if state.is_of_user(frame.filename)]
    is_plain = isinstance(error, MorseBuilderError) or (isinstance(error, RuntimeError) and not own)
    message = message if is_plain else f"{type(error).__name__}: {message}"
    if not own:
        return {"file": "", "line": 1, "message": message}
    inside = [frame for frame in own if files.is_within(os.path.abspath(frame.filename), state.folder)]
    frame = (inside or own)[-1]
    return {"file": state.shown(frame.filename), "line": frame.lineno or 1, "message": message}
