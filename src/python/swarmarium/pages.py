"""Runs as pages that replay in any browser."""

from __future__ import annotations

import html
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .verbs import run_verb

if TYPE_CHECKING:
    from .simulation import Simulation


class Page:
    """A run as one HTML page, which needs no network; a notebook shows it."""

    def __init__(self, text: str, height: int):
        """Holds the text of a page."""
        self.html: str = text
        """The page."""
        self.height: int = height
        """The height in a notebook, in pixels."""

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Saves the page as a file `.html`.

        ```python
        sim.show().save("mine.html", overwrite=True)
        ```
        """
        with open(path, "w" if overwrite else "x", encoding="utf-8", newline="") as file:
            file.write(self.html)

    def _repr_html_(self) -> str:
        # The frame has no access to the notebook.
        source = html.escape(self.html)
        style = f"width: 100%; height: {self.height}px; border: 0"
        return f'<iframe sandbox="allow-scripts allow-downloads" style="{style}" srcdoc="{source}"></iframe>'

    def __repr__(self) -> str:
        return f"Page({len(self.html.encode()) / 1e6:.1f} MB)"


def save_page(simulation: Simulation, path: str | os.PathLike[str], flags: dict[str, Any]) -> None:
    """Saves the run of a simulation from its start to now as a page."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "run"
        simulation.save(folder)
        run_verb("share", os.fspath(folder), {"html": Path(path), **flags})


def show(simulation: Simulation, height: int, flags: dict[str, Any]) -> Page:
    """The run of a simulation from its start to now as a page."""
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "run.html"
        save_page(simulation, path, flags)
        return Page(path.read_text(encoding="utf-8"), height)
