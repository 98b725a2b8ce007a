"""Swarmarium simulates swarms of robots in two dimensions, with the same result on every run.

>>> import swarmarium as sw
>>> sim = sw.load("milling", seed=5)
>>> sim.step(500).hash()
'de705215b86abe4a'

| task | start at |
|---|---|
| load, step, read and change a simulation | `load`, `Simulation` |
| live arrays of poses, readings and commands | `Simulation.bind` |
| controllers in Python | `Simulation.control`, `Group`, `Robot` |
| radio messages | `Simulation.send`, `Group.send`, `Robot.send`, `Message` |
| go back in time | `Simulation.timeline` |
| many simulations on all cores | `Batch` |
| sweeps over parameters and seeds | `sweep` |
| videos | `record` |
| files for Foxglove, Rerun and ROS 2 | `Simulation.record_mcap` |
| a run as a page, in a notebook or as a file | `Simulation.show`, `Simulation.save_page` |
| reinforcement learning | `swarmarium.envs` |
| controllers of RobotSwarmSimulator | `swarmarium.robotswarmsimulator` |
| supervisors of pySimiam | `swarmarium.pysimiam` |
| builder scripts of MORSE | `swarmarium.morse` |
"""

from . import _native
from ._native import PoisonedError, SwarmariumError
from .batch import Batch
from .build import BuildInfo, build_info
from .control import Group, Robot
from .kinds import Field, Kind, kinds, plans, scenes
from .mcap import McapRecording
from .messages import Message
from .pages import Page
from .simulation import Agent, Event, LoggedEdit, Simulation, Snapshot, load
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
    "Event",
    "Field",
    "Group",
    "Kind",
    "LoggedEdit",
    "McapRecording",
    "Message",
    "Page",
    "PoisonedError",
    "Robot",
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
