"""The options of the verbs of the command line, as Python has them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
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
