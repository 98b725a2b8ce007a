"""Modules that stand in for those of RobotSwarmSimulator on computers without it.

The classes have the attributes and methods on which classes of users build. Names are those of RobotSwarmSimulator.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
import types
from collections.abc import Sequence
from typing import Any

from . import agents, config, controllers, pid, sensors, statistics_tools

ROOTS = ("swarmsim", "novel_swarms")
"""The names of the package and of its predecessor."""

_CONFIG = (
    config.associated_type,
    config.filter_unexpected_fields,
    config.register_agent_type,
    config.register_world_type,
    config.register_dictlike_namespace,
    config.register_dictlike_type,
)
_MODULES: dict[str, Sequence[Any] | types.ModuleType] = {
    "": (
        *_CONFIG,
        agents.World,
        agents.BaseWorldConfig,
        agents.RectangularWorld,
        agents.RectangularWorldConfig,
        agents.Agent,
        agents.BaseAgentConfig,
        agents.StaticAgent,
        agents.StaticAgentConfig,
        agents.MazeAgent,
        agents.MazeAgentConfig,
        agents.CollisionMode,
        sensors.Sensor,
        controllers.Controller,
    ),
    "config": config,
    "agent": (),
    "agent.Agent": (agents.Agent, agents.BaseAgentConfig),
    "agent.StaticAgent": (agents.StaticAgent, agents.StaticAgentConfig),
    "agent.MazeAgent": (agents.MazeAgent, agents.MazeAgentConfig, agents.State, agents.SPA),
    "agent.control": (),
    "sensors": (),
    "util": (),
    "util.pid": pid,
    "util.statistics_tools": statistics_tools,
    "util.collider": (),
    "util.collider.CollisionMode": (agents.CollisionMode, agents.collision_mode),
    "world": (),
    "world.World": (agents.World, agents.BaseWorldConfig),
    "world.RectangularWorld": (agents.RectangularWorld, agents.RectangularWorldConfig),
    "world.objects": (),
    "world.objects.StaticObject": (agents.StaticObject,),
    "world.objects.DetectionRegion": (agents.DetectionRegion,),
    # Each class has a module of its own.
    **{f"agent.control.{one.__name__}": (one,) for one in controllers.ALL},
    **{f"sensors.{one.__name__}": (one,) for one in sensors.ALL},
    "agent.control.StaticController": (controllers.StaticController, controllers.zero_controller),
}


def provide() -> None:
    """Provides the modules of the packages that are not installed."""
    for root in ROOTS:
        if root in sys.modules or _is_installed(root):
            continue
        for path, content in _MODULES.items():
            _provide(f"{root}.{path}" if path else root, content)
        sys.meta_path.append(_Missing(root))


def _provide(name: str, content: Sequence[Any] | types.ModuleType) -> None:
    module = types.ModuleType(name, "Provided by Swarmarium in place of RobotSwarmSimulator.")
    module.__path__ = []
    named = {one.__name__: one for one in content} if isinstance(content, Sequence) else vars(content)
    vars(module).update((key, one) for key, one in named.items() if not key.startswith("_"))
    sys.modules[name] = module
    parent, _, last = name.rpartition(".")
    # A module with the name of its class does not hide the class.
    if parent and not hasattr(sys.modules[parent], last):
        setattr(sys.modules[parent], last, module)


class _Missing(importlib.abc.MetaPathFinder):
    """Names the modules that are not provided."""

    def __init__(self, root: str):
        self._root = root

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        if not fullname.startswith(f"{self._root}."):
            return None
        message = (
            f"{fullname} is not among the modules that Swarmarium provides: install RobotSwarmSimulator "
            "(`pip install swarmsim`)"
        )
        raise ModuleNotFoundError(message, name=fullname)


def _is_installed(root: str) -> bool:
    return importlib.util.find_spec(root) is not None
