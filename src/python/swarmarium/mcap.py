"""Files of ROS 2 messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Literal, Union

from . import _native

Rate = Union[float, Literal["step"]]
"""Messages on each topic per simulated second, or every step."""


class McapRecording:
    """An MCAP file that a simulation writes; a context that completes it at its end."""

    def __init__(self, native: _native.Simulation, path: Path, number: int):
        """Stands for a file that is being written; `Simulation.record_mcap` makes it."""
        self._native = native
        self._number = number
        self._is_open = True
        self.path: Path = path
        """The file."""
        self.messages: int = 0
        """The number of its messages, once it is complete."""

    def close(self) -> None:
        """Completes the file. A second call does nothing.

        ```python
        recording = sim.record_mcap("run.mcap")
        sim.step(100)
        recording.close()
        print(recording.messages)
        ```
        """
        if self._is_open:
            self._is_open = False
            counts = self._native.end_mcap(self._number)
            self.messages = counts[0] if counts else 0

    def __enter__(self) -> McapRecording:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"McapRecording({str(self.path)!r})"


def topic_list(topics: Sequence[str] | Mapping[str, Rate | None] | None) -> str | None:
    """Topics as the command line has them."""
    if topics is None:
        return None
    if isinstance(topics, str):
        return topics
    if isinstance(topics, Mapping):
        return ",".join(name if rate is None else f"{name}={rate}" for name, rate in topics.items())
    return ",".join(topics)
