"""Videos of runs."""

from __future__ import annotations

import base64
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .notation import seconds
from .progress import Progress
from .verbs import run_verb

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .flags import RecordFlags
    from .simulation import Simulation


class Video:
    """A recorded video; a notebook shows it."""

    def __init__(self, path: Path):
        """Stands for a file."""
        self.path: Path = path
        """The file."""

    def _repr_html_(self) -> str | None:
        kind = {".mp4": "video/mp4", ".gif": "image/gif", ".apng": "image/apng"}.get(self.path.suffix)
        if kind is None:
            return None
        data = f"data:{kind};base64,{base64.b64encode(self.path.read_bytes()).decode()}"
        if kind.startswith("video"):
            return f'<video controls loop src="{data}" style="max-width: 100%"></video>'
        return f'<img src="{data}" style="max-width: 100%">'

    def __repr__(self) -> str:
        return f"Video({str(self.path)!r})"


def record(
    source: str | os.PathLike[str],
    path: str | os.PathLike[str],
    *,
    duration_s: float | None = None,
    size: tuple[int, int] | None = None,
    progress: Progress = None,
    **flags: Unpack[RecordFlags],
) -> Video:
    """Records a video of a scene or of the folder of a run, without a display; the same bytes as on the command line.

    Args:
        source: a scene or the folder of a run, as for `load`.
        path: the video: `.mp4`, `.gif` or `.apng`; or a folder for PNG files.
        duration_s: simulated time in seconds.
        size: width and height in pixels.
        progress: a function that gets the number of finished frames and of all frames, `True` for a bar of tqdm, or `False`
            for nothing; by default, a bar after a second in a terminal or a notebook, if tqdm is installed.
        **flags: the other options of `swarmarium record`, such as `seed=3`, `speed=10`, `light=True`, `overwrite=True`,
            `overlay="title,clock,trails"` or `plot=["circliness"]`: see `swarmarium.flags.RecordFlags`.

    ```python
    sw.record("milling", "milling.mp4", duration_s=10, speed=2, overlay="title,trails")
    ```
    """
    return _record(source, path, {"duration_s": duration_s, "size": size, **flags}, progress)


def _record(
    source: str | os.PathLike[str], path: str | os.PathLike[str], flags: Mapping[str, Any], progress: Progress
) -> Video:
    path = Path(path)
    if flags["duration_s"] is not None:
        seconds("duration_s", flags["duration_s"])
    run_verb("record", source, {"output": path, **flags}, progress=progress)
    return Video(path)


def record_run(
    simulation: Simulation, path: str | os.PathLike[str], flags: Mapping[str, Any], progress: Progress
) -> Video:
    """Records the run of a simulation from its start to now."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "run"
        simulation.save(folder)
        return _record(folder, path, flags, progress)
