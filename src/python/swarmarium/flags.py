"""The options of the verbs of the command line, as Python has them."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Union

if TYPE_CHECKING:
    from typing_extensions import TypedDict
else:
    from typing import TypedDict

Path = Union[str, "os.PathLike[str]"]
Time = Union[float, str]
"""A time in seconds, or a text such as `"2m"`."""
Moment = Union[int, float, str]


class SceneFlags(TypedDict, total=False):
    """Options of a scene."""

    seed: int
    """Seed of all random numbers, in place of that of the scene."""
    set: Mapping[str, Any]
    """Paths of parameters with their values."""
    variables: Mapping[str, Any]
    """Template variables of a RobotSwarmSimulator world."""
    lenient: bool
    """Whether pySimiam worlds can have the errors that its first parser ignored."""
    all_groups: bool
    """Whether all groups of a drawing count."""
    scale: float
    """Length of a unit of a drawing in metres."""
    strokes: float | str
    """Width of walls from the lines of a drawing in metres, or `"drawn"`."""
    robots: Mapping[str, str]
    """Robots for classes of your own in a pySimiam world, such as `{"UltraBot": "quickbot"}`."""
    supervisors: Mapping[str, str]
    """Supervisors for classes of your own in a pySimiam world, such as `{"mine.Weave": "quickbot-full"}`."""
    allow_outside: bool
    """Whether a world can include files from outside its folder."""
    threads: int
    """Threads of each simulation; results do not depend on them."""


class SweepFlags(SceneFlags, total=False):
    """Further options of `sweep`."""

    steps: int
    """Number of steps of a run."""
    until: str
    """Condition over metrics that ends a run early."""
    seeds: str | Sequence[int]
    """Seeds of the repetitions, such as `[3, 17]` or `"1..=10"`, in place of `repeat`."""
    sampling: str
    """Sampling of the points: `"grid"`, `"zip"`, `"latin-hypercube:64"`, `"sobol:64"` or `"random:64"`."""
    series: int
    """Keeps the metrics at every n-th step, for `Sweep.series`."""
    keep: Literal["none", "failed", "first", "all"]
    """Runs that keep a folder each."""
    jobs: int
    """Number of concurrent runs, by default that of the cores."""
    shard: str
    """The part of the runs to do, such as `"1/4"`."""
    resume: bool
    """Whether an interrupted sweep in `output` continues."""
    overwrite: bool
    """Whether an earlier sweep in `output` is replaced."""
    check: bool
    """Whether results that the plan expects are compared."""


class FilmFlags(TypedDict, total=False):
    """Further options of `Simulation.record`."""

    frames: int
    """Number of frames, in place of a duration."""
    from_: Moment
    """Moment of the first frame: a step, a time such as `"35s"`, or a bookmark."""
    to: Moment
    """Moment of the last frame, in place of a duration."""
    branch: str
    """Branch of a run folder."""
    fps: float | str
    """Frames per second, such as 30 or `"30000/1001"`."""
    speed: float
    """Simulated seconds per second of video."""
    camera: str
    """`"fit"`, `"X,Y,ZOOM"`, `"follow:AGENT"` or `"follow:GROUP"`."""
    overlay: str
    """Overlays, such as `"title,clock,trails"`, or `"none"`."""
    color_by: str
    """Property that the colours show, such as `"speed"`."""
    trail: Time
    """Length of trails in simulated seconds."""
    plot: str | Sequence[str]
    """Columns of metrics to draw as charts."""
    palette: Literal["okabe-ito", "tol", "grey"]
    """Colours of groups."""
    dark: bool
    """A dark background, which is the default."""
    light: bool
    """A light background."""
    transparent: bool
    """A transparent background, for `.png` and `.apng`."""
    frame_hashes: Path
    """A table of the hashes of the frames to write."""
    mcap: Path
    """A file of ROS 2 messages to write."""
    mcap_rate: float | str
    """Messages on each topic per simulated second."""
    mcap_topics: str
    """Topics of the file, such as `"poses,metrics=step"`."""
    encoder: Literal["own", "ffmpeg"]
    """The encoder."""
    jobs: int
    """Number of parts that are painted at the same time."""
    overwrite: bool
    """Whether an existing file is replaced."""


class RecordFlags(FilmFlags, SceneFlags, total=False):
    """Further options of `record`."""


class PageFlags(TypedDict, total=False):
    """Further options of pages."""

    duration: Time
    """Simulated time that the page shows, in seconds."""
    rate: float
    """Frames of the page per simulated second."""
    trail: Time
    """Length of trails in simulated seconds."""
    color_by: Literal["group", "state"]
    """Property that the colours show."""


FLAGS = {"variables": "var", "robots": "robot", "supervisors": "supervisor", "from_": "from", "duration_s": "duration"}
"""The flags of options whose names differ."""

SWITCHES = {"overwrite", "resume", "lenient", "all_groups", "allow_outside", "check", "dark", "light", "transparent"}
"""Options that are truth values."""


def in_python(message: str, given: Collection[str]) -> str:
    """A message of the command line with the options of Python, of which some are given, in place of its flags."""
    # Of `duration_s` and the `duration` of pages, a verb has one.
    names = {flag: name for name, flag in FLAGS.items() if name != "duration_s" or name in given}
    # The native part has removed the hyphens of a flag with which the message begins.
    first = re.match(r"[a-z][a-z0-9-]*(?=:| and )", message)
    if first and names.get(first[0], first[0].replace("-", "_")) in given:
        message = f"--{message}"

    def option(found: re.Match[str]) -> str:
        flag = found[1].replace("-", "_")
        name = names.get(flag, flag)
        return f"{name}=True" if name in SWITCHES else name

    message = re.sub(r"--([a-z][a-z0-9-]*)(?: <[A-Z./=_-]+>)?(?:\.\.\.)?", option, message)
    # The help of the command line is not that of Python.
    return re.sub(r"\n`swarmarium \w+ help` explains the options$", "", message)
