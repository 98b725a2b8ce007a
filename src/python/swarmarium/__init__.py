"""Swarmarium simulates swarms of robots in two dimensions, with the same result on every run.

>>> import swarmarium as sw
>>> sim = sw.load("milling", seed=5)
>>> sim.step(500).hash()
'458e0291af715004'

| task | start at |
|---|---|
| load, step, read and change a simulation | `load`, `Simulation` |
| live arrays of poses, readings and commands | `Simulation.bind` |
| controllers in Python | `Simulation.control`, `Group`, `Robot` |
| robots near each other | `Simulation.neighbours`, `Group.neighbours` |
| radio messages | `Simulation.send`, `Group.send`, `Robot.send`, `Message` |
| go back in time | `Simulation.timeline` |
| many simulations on all cores | `Batch` |
| sweeps over parameters and seeds | `sweep` |
| videos | `record` |
| files for Foxglove, Rerun and ROS 2 | `Simulation.record_mcap` |
| a run as a page, in a notebook or as a file | `Simulation.show`, `Simulation.save_page` |
| reinforcement learning | `swarmarium.envs`, `gymnasium.make("swarmarium:Swarmarium/Aggregation-v0")` |
| controllers of RobotSwarmSimulator | `swarmarium.robotswarmsimulator` |
| supervisors of pySimiam | `swarmarium.pysimiam` |
| MORSE builder scripts | `swarmarium.morse` |
| types for annotations | `Form`, `ColumnName`, `Controller`, `Progress` and others |

Messages of long calls go to the logger `swarmarium` of the module `logging`; warnings about scenes are those of the module
`warnings`.
"""

import sys

from . import _native
from ._native import PoisonedError, SwarmariumError
from .batch import Batch, Numbers
from .build import BuildInfo, build_info
from .columns import ColumnName, Form, Sensor
from .control import Controller, ControllerWithParameters, ControlFunction, Group, Robot, RobotController
from .kinds import Family, Field, Kind, kinds, plans, scenes
from .loading import load
from .mcap import McapRecording, Rate
from .messages import Message
from .neighbours import Neighbours
from .pages import Page
from .progress import Progress, ProgressFunction
from .records import Agent, Event, LoggedEdit, Snapshot
from .simulation import Simulation
from .sweeps import Sweep, open_sweep, sweep
from .table import Table
from .timeline import Bookmark, Branch, Timeline
from .videos import Video, record

__version__: str = _native.version()

__all__ = [
    "Agent",
    "Batch",
    "Bookmark",
    "Branch",
    "BuildInfo",
    "ColumnName",
    "ControlFunction",
    "Controller",
    "ControllerWithParameters",
    "Event",
    "Family",
    "Field",
    "Form",
    "Group",
    "Kind",
    "LoggedEdit",
    "McapRecording",
    "Message",
    "Neighbours",
    "Numbers",
    "Page",
    "PoisonedError",
    "Progress",
    "ProgressFunction",
    "Rate",
    "Robot",
    "RobotController",
    "Sensor",
    "Simulation",
    "Snapshot",
    "SwarmariumError",
    "Sweep",
    "Table",
    "Timeline",
    "Video",
    "build_info",
    "kinds",
    "load",
    "open_sweep",
    "plans",
    "record",
    "scenes",
    "sweep",
]

if "gymnasium.envs.registration" in sys.modules:
    from .envs.registration import register as _register

    _register()
