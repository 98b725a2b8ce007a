"""Environments for reinforcement learning.

| class | of | needs |
|---|---|---|
| `SwarmEnv` | Gymnasium: the robots together are one agent | `pip install "swarmarium[gymnasium]"` |
| `SwarmVectorEnv` | Gymnasium: many episodes at once, on all cores | `pip install "swarmarium[gymnasium]"` |
| `SwarmParallelEnv` | PettingZoo: each robot is an agent | `pip install "swarmarium[pettingzoo]"` |

All of them take a `Task`: one of the examples, or a class of your own.

>>> from swarmarium.envs import Aggregation, SwarmVectorEnv
>>> envs = SwarmVectorEnv(Aggregation(), 4)
>>> observations, _ = envs.reset(seed=1)
>>> observations.shape
(4, 10, 1)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .rollout import Outcome, Rollout
from .task import Task, World
from .tasks import TASKS, Aggregation, Formation, PredatorPrey

if TYPE_CHECKING:
    from .parallel import SwarmParallelEnv
    from .single import SwarmEnv
    from .vector import SwarmVectorEnv

__all__ = [
    "TASKS",
    "Aggregation",
    "Formation",
    "Outcome",
    "PredatorPrey",
    "Rollout",
    "SwarmEnv",
    "SwarmParallelEnv",
    "SwarmVectorEnv",
    "Task",
    "World",
]

_MODULES = {"SwarmEnv": "single", "SwarmVectorEnv": "vector", "SwarmParallelEnv": "parallel"}


def __getattr__(name: str) -> Any:
    # Gymnasium and PettingZoo are optional.
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)
