"""The ids of `gymnasium.make`.

An import of `swarmarium.envs` registers them if Gymnasium is installed, and an import of `swarmarium` does if Gymnasium was
imported before. The environments are imported when the first one is made.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from ..names import did_you_mean
from .task import Task
from .tasks import TASKS, SceneTask

if TYPE_CHECKING:
    from .single import SwarmEnv
    from .vector import SwarmVectorEnv

NAMESPACE = "Swarmarium"
"""The namespace of the ids."""

_CLASSES: dict[str, type[Task]] = {**TASKS, "Scene": SceneTask}


def register() -> None:
    """Registers an id for each task with Gymnasium: `Swarmarium/Aggregation-v0` and so on, and `Swarmarium/Scene-v0`.

    A second call does nothing.
    """
    from gymnasium.envs.registration import register as add
    from gymnasium.envs.registration import registry

    for name in _CLASSES:
        if f"{NAMESPACE}/{name}-v0" not in registry:
            add(
                id=f"{NAMESPACE}/{name}-v0",
                entry_point="swarmarium.envs.registration:make",
                vector_entry_point="swarmarium.envs.registration:make_vector",
                kwargs={"task": name},
            )


def make(
    task: str | Task, *, render_mode: Literal["rgb_array"] | None = None, log: bool = False, **settings: Any
) -> SwarmEnv:
    """Makes an environment of a task: `gymnasium.make("Swarmarium/Aggregation-v0", robots=20)`.

    Args:
        task: a task, or the name of one.
        render_mode: `"rgb_array"` or `None`.
        log: whether commands are kept, for `SwarmEnv.save`.
        **settings: arguments of the class of the task, such as `robots`.
    """
    from .single import SwarmEnv

    return SwarmEnv(_task(task, settings), render_mode=render_mode, log=log)


def make_vector(
    task: str | Task,
    num_envs: int = 1,
    *,
    threads: int | None = None,
    autoreset_mode: Literal["NextStep", "SameStep", "Disabled"] = "NextStep",
    **settings: Any,
) -> SwarmVectorEnv:
    """Makes a vector environment of a task: `gymnasium.make_vec("Swarmarium/Aggregation-v0", num_envs=64)`."""
    from .vector import SwarmVectorEnv

    return SwarmVectorEnv(_task(task, settings), num_envs, threads=threads, autoreset_mode=autoreset_mode)


def _task(task: str | Task, settings: dict[str, Any]) -> Task:
    if isinstance(task, Task):
        return task
    if task not in _CLASSES:
        raise ValueError(f"task: expected one of {', '.join(_CLASSES)}, found {task!r}{did_you_mean(task, _CLASSES)}")
    return _CLASSES[task](**settings)
