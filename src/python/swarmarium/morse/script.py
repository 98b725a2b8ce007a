"""Runs builder scripts."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
import tokenize
import traceback
from typing import Any

from .. import _native
from . import building, modules
from . import dictionaries as tables
from .description import Describer
from .environment import Environment

_lock = threading.RLock()
"""Scripts run one at a time, as all of them have the same modules."""


def describe(path: str) -> str:
    """Runs a script, and describes it to the program as JSON. Its errors are part of the description."""
    with _lock:
        state = building.begin(path)
        try:
            return json.dumps(_description(state))
        except Exception as error:
            return json.dumps({"errors": [_remark(state, error)]})
        finally:
            building.end()


def dictionaries_of(path: str) -> dict[str, dict[str, Any]]:
    """Runs a script, and gives the five dictionaries of its configuration."""
    with _lock:
        state = building.begin(path)
        try:
            run_script(path)
            _finish(state)
            return tables.collect(state)
        except Exception as error:
            remark = _remark(state, error)
            raise _native.SwarmariumError(f"{remark['file'] or path}:{remark['line']}: {remark['message']}") from error
        finally:
            building.end()


def _description(state: building.Building) -> dict[str, Any]:
    run_script(state.script)
    return Describer(state, _finish(state)).describe()


def run_script(path: str) -> None:
    """Runs the text of a script as a main program. What it prints is no output of the program."""
    with tokenize.open(path) as file:
        code = compile(file.read(), path, "exec")
    arguments = sys.argv
    sys.argv = [path]
    try:
        with modules.installed(os.path.dirname(os.path.abspath(path))), contextlib.redirect_stdout(sys.stderr):
            exec(code, {"__name__": "__main__", "__file__": path, "__builtins__": __builtins__})
    except SystemExit as end:
        if end.code not in (None, 0):
            raise RuntimeError(f"the script ended itself with {end.code!r}") from end
    finally:
        sys.argv = arguments


def _finish(state: building.Building) -> Environment:
    """Completes the environment, as MORSE does at the end of a script."""
    if not state.environments:
        raise RuntimeError("the script makes no `Environment(…)`, which gives the scene its world")
    environment = state.environments[-1]
    environment.create()
    return environment


def _remark(state: building.Building, error: Exception) -> dict[str, Any]:
    """An error with the line of the user that raised it."""
    message = str(error) or type(error).__name__
    if isinstance(error, SyntaxError) and error.filename:
        return {"file": state.shown(error.filename), "line": error.lineno or 1, "message": f"SyntaxError: {error.msg}"}
    frames = traceback.extract_tb(error.__traceback__)
    package = os.path.dirname(os.path.abspath(__file__))
    own = [frame for frame in frames if not os.path.abspath(frame.filename).startswith(package)]
    kind = type(error).__name__
    is_plain = kind.startswith("Morse") or (isinstance(error, RuntimeError) and not own)
    message = message if is_plain else f"{kind}: {message}"
    if not own:
        return {"file": "", "line": 1, "message": message}
    folder = os.path.dirname(os.path.abspath(state.script))
    inside = [frame for frame in own if os.path.abspath(frame.filename).startswith(folder)]
    frame = (inside or own)[-1]
    return {"file": state.shown(frame.filename), "line": frame.lineno or 1, "message": message}
