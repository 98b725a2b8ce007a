"""The modules `morse…` that scripts import, while they run."""

from __future__ import annotations

import contextlib
import importlib
import importlib.abc
import importlib.machinery
import logging
import math
import os
import pprint
import sys
import threading
import types
from collections.abc import Iterator
from typing import Any

from . import actuators, blender, creator, environment, errors, files, interfaces, objects, robots, sensors
from .building import current
from .component import AbstractComponent

_UNITS = (creator, robots, sensors, actuators, objects)


class timer(float):
    """A number that counts up in MORSE."""


def _classes() -> dict[str, Any]:
    """All classes of components, by name."""
    found: dict[str, Any] = {"AbstractComponent": AbstractComponent, "timer": timer}
    for unit in _UNITS:
        for name, value in vars(unit).items():
            if isinstance(value, type) and issubclass(value, AbstractComponent) and not name.startswith("_"):
                found[name] = value
    found["Environment"] = environment.Environment
    found["TimeStrategies"] = environment.TimeStrategies
    return found


class _TestCase:
    """The base of MORSE's tests. As in MORSE, a test that is run as a script builds the environment of its first class."""

    def setUpEnv(self) -> None:
        """Makes the scene."""


def _build_first(*tests: Any, **options: Any) -> None:
    """What the `main` of MORSE's tests does in a script."""
    if tests:
        tests[0]().setUpEnv()


def _known() -> dict[str, dict[str, Any]]:
    """The contents of the modules, by name."""
    classes = _classes()
    logger = logging.getLogger("morse.builder")
    common = {
        "math": math,
        "os": os,
        "sys": sys,
        "logging": logging,
        "logger": logger,
        "pprint": pprint,
        "bpymorse": blender.bpymorse(),
    }
    exceptions = {name: value for name, value in vars(errors).items() if isinstance(value, type)}
    builder = common | classes | exceptions
    tables = {
        "MORSE_DATASTREAM_DICT": interfaces.streams(),
        "MORSE_DATASTREAM_MODULE": dict(interfaces.STREAM_MANAGERS),
        "MORSE_SERVICE_DICT": dict(interfaces.SERVICE_MANAGERS),
        "MORSE_MODIFIER_DICT": {name: dict(one) for name, one in interfaces.MODIFIERS.items()},
        "INTERFACE_DEFAULT_OUT": dict(interfaces.ANY_OUT),
        "INTERFACE_DEFAULT_IN": dict(interfaces.ANY_IN),
        "MORSE_COMPONENTS": "",
        "MORSE_RESOURCE_PATH": os.environ.get("MORSE_RESOURCE_PATH", ""),
    }
    tests = {name: _TestCase for name in ("MorseTestCase", "MorseMoveTestCase", "MorseBuilderFailureTestCase")}
    testing = {**tests, "main": _build_first, "testlogger": logger, "MorseTestRunner": _TestCase}
    parts = ("sensors", "actuators", "blenderobjects", "creator", "morsebuilder", "environment", "abstractcomponent")
    return {
        "morse": {},
        "morse.builder": builder,
        **{f"morse.builder.{part}": builder for part in parts},
        **{f"morse.builder.robots{part}": builder for part in ("", ".morserobots", ".human", ".pr2")},
        "morse.builder.data": tables,
        "morse.core": {},
        "morse.core.morse_time": {"TimeStrategies": environment.TimeStrategies},
        "morse.core.exceptions": exceptions,
        "morse.testing": {},
        "morse.testing.testing": testing,
        "morse.testing.ros": {"RosTestCase": _TestCase, "main": _build_first, "testlogger": logger},
        "morse.testing.moos": {"MOOSTestCase": _TestCase, "main": _build_first},
        "morse.testing.yarp": {"YarpTestCase": _TestCase, "main": _build_first},
    }


class _Stub(types.ModuleType):
    """A module of MORSE that scripts import beside the builder: its classes can be extended, and are never run."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        current().lose(f"`{name}` of `{self.__name__}` belongs to programs for MORSE, which are not run")
        made = type(name, (), {"__module__": self.__name__})
        # `from … import` looks for the name twice. Both times and later imports find the same class.
        setattr(self, name, made)
        return made


_CLIENTS = ("rospy", "roslib", "actionlib", "tf", "tf2_ros", "yarp", "pymoos", "pymorse")
"""Modules of clients of middlewares, which tests of MORSE import beside the builder."""


class _MissingClients(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds clients of middlewares that are not installed: what a script makes of them is left out.

    Like the finder of MORSE's modules, it works only in the thread of the script.
    """

    def __init__(self) -> None:
        self._thread = threading.get_ident()

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        """A stand-in for a client, or for messages of ROS."""
        first = name.partition(".")[0]
        if threading.get_ident() != self._thread:
            return None
        if first not in _CLIENTS and not first.endswith("_msgs"):
            return None
        if name == first:
            current().lose(f"`{name}` is not installed: parts of the script that use it have no effect")
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        """A module with every name."""
        module = types.ModuleType(spec.name)
        module.__getattr__ = _any_name  # type: ignore[method-assign]
        return module

    def exec_module(self, module: types.ModuleType) -> None:
        """Does nothing."""


def _any_name(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return blender.Unmodelled()


def _is_of(name: str, package: str) -> bool:
    """Whether a module is a package, or is in it."""
    return name == package or name.startswith(f"{package}.")


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the modules of MORSE."""

    def __init__(self) -> None:
        self._known = _known()
        self._thread = threading.get_ident()

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        """The module of a name that begins with `morse`."""
        if threading.get_ident() != self._thread or not _is_of(name, "morse"):
            return None
        if _is_of(name, "morse.builder") and name not in self._known and name != "morse.builder.bpymorse":
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        """The module, without its contents."""
        if spec.name == "morse.builder.bpymorse":
            return self._known["morse.builder"]["bpymorse"]
        return types.ModuleType(spec.name) if spec.name in self._known else _Stub(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        """Fills a module."""
        contents = self._known.get(module.__name__, {})
        for name, value in contents.items():
            setattr(module, name, value)


def _resources() -> list[str]:
    """The folders that the variable `MORSE_RESOURCE_PATH` names."""
    named = os.environ.get("MORSE_RESOURCE_PATH", "").split(os.pathsep)
    return [os.path.abspath(one) for one in named if one]


def _file(module: types.ModuleType) -> str:
    """The file of a module, or the folder of a package without a file."""
    file = getattr(module, "__file__", None)
    try:
        return file or next(iter(getattr(module, "__path__", None) or ()), "")
    except KeyError:
        # The path of such a package depends on that of the package around it, which is gone.
        return ""


def _is_of_script(module: types.ModuleType, folders: list[str]) -> bool:
    """Whether a module is a stand-in for a script, or is in one of these folders and no library."""
    if isinstance(getattr(module, "__loader__", None), (_Finder, _MissingClients)):
        return True
    file = _file(module)
    return any(file and files.is_within(os.path.abspath(file), one) and files.is_of_user(file, one) for one in folders)


@contextlib.contextmanager
def installed(folder: str) -> Iterator[None]:
    """Puts MORSE's modules in place, and the folders of the script among those of modules.

    The folder of the script and its `src`, where `morse create` puts classes, are in front of others. The folders of
    `MORSE_RESOURCE_PATH` are after them.

    Afterwards, these modules are gone, and so are those of the folders, which hold classes of them; modules that were there
    before are there again. Modules of libraries stay, also of those that are installed below the folder.
    """
    before = dict(sys.modules)
    path = list(sys.path)
    for name in [name for name in sys.modules if _is_of(name, "morse")]:
        del sys.modules[name]
    own = [folder] + [one for one in [os.path.join(folder, "src")] if os.path.isdir(one)]
    resources = _resources()
    finder, clients = _Finder(), _MissingClients()
    sys.meta_path.insert(0, finder)
    sys.meta_path.append(clients)
    sys.path[:] = [*own, *path, *resources]
    # A module may be newer than the list of its folder that the interpreter has.
    importlib.invalidate_caches()
    try:
        yield
    finally:
        for one in (finder, clients):
            # A script may have replaced the list.
            if one in sys.meta_path:
                sys.meta_path.remove(one)
        sys.path[:] = path
        new = [(name, module) for name, module in sys.modules.items() if before.get(name) is not module]
        for name in [name for name, module in new if _is_of_script(module, [folder, *resources])]:
            del sys.modules[name]
        for name, module in before.items():
            if _is_of(name, "morse"):
                sys.modules[name] = module
