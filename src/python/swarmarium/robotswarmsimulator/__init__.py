"""Controller and sensor classes of RobotSwarmSimulator, unmodified.

A world that names classes of a user's own opens with robots that stand still; `load` gives them their classes:

    import swarmarium.robotswarmsimulator as rss

    rss.provide_modules()                 # if RobotSwarmSimulator itself is not installed
    from my_controllers import SeekController
    sim = rss.load("world.yaml", classes=[SeekController])
    sim.run()
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Iterable
from typing import Any

from .. import _native, own_classes
from ..simulation import Simulation
from . import provided
from .driver import Driver
from .provided.controllers import AbstractController
from .provided.sensors import AbstractSensor
from .views import AgentView, ObjectView, SensorView, World

__all__ = [
    "AbstractController",
    "AbstractSensor",
    "AgentView",
    "ObjectView",
    "SensorView",
    "World",
    "drive",
    "load",
    "provide_modules",
]


def provide_modules() -> None:
    """Provides the modules that classes of users import, such as `swarmsim.agent.control.AbstractController`.

    They have the controllers and sensors that classes extend, the agents and worlds that they name, filters
    (`swarmsim.util.statistics_tools`), PID controllers and the registry of classes. The import of another module says that
    it is not provided. Modules of RobotSwarmSimulator itself, if it is installed, are left as they are.

    ```python
    rss.provide_modules()
    from swarmsim.agent.control.AbstractController import AbstractController
    ```
    """
    provided.provide()


def drive(simulation: Simulation, group: str, controller: type, **parameters: Any) -> Simulation:
    """Gives a group a controller class of RobotSwarmSimulator, in place of its own controller.

    ```python
    rss.drive(sw.load("milling"), "millers", SeekController, speed=0.3).run(400)
    ```
    """
    make = functools.partial(Driver, World.of(simulation), group, (controller, parameters), {})
    return simulation._attach(make, group, True)


def load(
    source: str | os.PathLike[str],
    seed: int | None = None,
    *,
    classes: Iterable[type] = (),
    **options: Any,
) -> Simulation:
    """Loads a world, and gives its groups the controller and sensor classes that it names.

    Args:
        source: the world, as for `swarmarium.load`.
        seed: seed of all random numbers.
        classes: the classes, which are found by their names. Classes that a file has registered
            (`swarmsim.config.register_dictlike_type`) are known, too.
        **options: the other options of `swarmarium.load`.

    Raises:
        SwarmariumError: if the world names a class that is not among the given ones.

    ```python
    import swarmarium.robotswarmsimulator as rss

    sim = rss.load("world.yaml", classes=[BearingSensor, SeekController])
    sim.run(400)
    ```
    """
    simulation, given = own_classes.load(source, seed, classes, options)
    given.registered = _registered()
    world = World.of(simulation)
    for group, kind in simulation.groups.items():
        notes = own_classes.notes_of(simulation, group)
        makes = {
            part: (given.find(name, group), own_classes.parameters(notes, part))
            for part, name in own_classes.named(notes).items()
            # The scene can have another controller by now.
            if part != "controller" or kind == "External"
        }
        if not makes:
            continue
        controller = makes.pop("controller", None)
        sensors = {int(part.removeprefix("sensor_")): make for part, make in makes.items()}
        if controller is None and not simulation._native.is_sequential():
            names = ", ".join(cls.__name__ for cls, _ in sensors.values())
            raise _native.SwarmariumError(
                f"the group {group} has sensors in Python ({names}), whose readings reach the controller {kind} only with "
                "order: Sequential"
            )
        make = functools.partial(Driver, world, group, controller, sensors)
        simulation._attach(make, group, controller is not None)
    given.warn_of_unused()
    return simulation


def _registered() -> dict[str, type]:
    """The classes that files have registered, by name."""
    found: dict[str, type] = dict(provided.config.registered)
    for root in provided.ROOTS:
        store = getattr(sys.modules.get(f"{root}.config"), "store", None)
        # Without `initialize_natives`: it would import everything.
        for named in getattr(store, "_dictlike_types", {}).values():
            found.update((name, cls) for name, cls in named.items() if isinstance(cls, type))
    return found
