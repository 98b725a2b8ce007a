"""Environments for reinforcement learning.

| class | of | needs |
|---|---|---|
| `SwarmEnv` | Gymnasium: the robots together are one agent | `pip install "swarmarium[gymnasium]"` |
| `SwarmVectorEnv` | Gymnasium: many episodes at once, on all cores | `pip install "swarmarium[gymnasium]"` |
| `SwarmParallelEnv` | PettingZoo: each robot is an agent | `pip install "swarmarium[pettingzoo]"` |

All of them take a `Task`: one of the examples, a `SceneTask` of any scene, or a class of your own.

With Gymnasium, an import of this module gives the tasks ids: `gymnasium.make("Swarmarium/Aggregation-v0", robots=20)`,
`Swarmarium/Formation-v0`, `Swarmarium/PredatorPrey-v0`, and `gymnasium.make("Swarmarium/Scene-v0", scene="milling",
groups="millers", reward="circliness")`; `make_vec` makes vector environments of them. Without an import, the module stands
before the id: `gymnasium.make("swarmarium:Swarmarium/Aggregation-v0")`.

>>> from swarmarium.envs import Aggregation, SwarmVectorEnv
>>> envs = SwarmVectorEnv(Aggregation(), 4)
>>> observations, _ = envs.reset(seed=1)
>>> observations.shape
(4, 10, 1)
"""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING, Any

from ..names import did_you_mean
from .registration import register
from .rollout import Outcome, Rollout
from .task import Task, World
from .tasks import TASKS, Aggregation, Formation, PredatorPrey, SceneTask

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
    "SceneTask",
    "SwarmEnv",
    "SwarmParallelEnv",
    "SwarmVectorEnv",
    "Task",
    "World",
]

_MODULES = {"SwarmEnv": "single", "SwarmVectorEnv": "vector", "SwarmParallelEnv": "parallel"}


if importlib.util.find_spec("gymnasium"):
    register()


def __getattr__(name: str) -> Any:
    # Gymnasium and PettingZoo are optional.
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{did_you_mean(name, __all__)}")
    import importlib

    extra = "pettingzoo" if name == "SwarmParallelEnv" else "gymnasium"
    try:
        module = importlib.import_module(f"{__name__}.{_MODULES[name]}")
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in ("gymnasium", "pettingzoo"):
            raise
        message = f'{name} needs {package}: pip install "swarmarium[{extra}]"'
        raise ModuleNotFoundError(message, name=error.name) from None
    return getattr(module, name)
