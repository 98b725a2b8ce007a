"""Batches and timelines as notebooks show them."""

from __future__ import annotations

import html
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .batch import Batch
    from .timeline import Timeline

_MOST_ROWS = 10
_WIDTH, _LINE, _LEFT = 480, 22, 120
"""Width of the picture of a timeline, height of a line, and width of the names, in pixels."""


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    cells = "".join(f"<th>{html.escape(name)}</th>" for name in head)
    body = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><tr>{cells}</tr>{body}</table>"


def of_batch(batch: Batch) -> str:
    """A batch as a table: seed, steps and metrics of its first simulations."""
    count, shown = len(batch), min(len(batch), _MOST_ROWS)
    metrics, steps, seeds = batch.bind("metrics").copy(), batch.steps.tolist(), batch.seeds
    rows = (
        [str(place), str(seeds[place]), str(steps[place]), *(f"{value:.4g}" for value in metrics[place].ravel().tolist())]
        for place in range(shown)
    )
    more = "" if shown == count else f"<p>the first {shown} of {count}</p>"
    title = f"<p><b>{count} simulations</b>, {sum(map(len, batch.groups.values()))} robots each</p>"
    return title + _table(["place", "seed", "steps", *batch.metric_columns], rows) + more


def of_timeline(timeline: Timeline, step: int) -> str:
    """A timeline as a picture: a line for each branch, its bookmarks, and the present moment."""
    branches, present = timeline.branches, timeline.branch
    last = max([branch.end for branch in branches] + [step, 1])
    lines = {branch.name: _LINE * (row + 0.7) for row, branch in enumerate(branches)}

    def x(at: int) -> float:
        return _LEFT + (_WIDTH - _LEFT - 20) * at / last

    parts = []
    for branch in branches:
        y, name = lines[branch.name], html.escape(branch.name)
        if branch.parent in lines:
            parts.append(_line(x(branch.leaves_at), lines[branch.parent], x(branch.leaves_at), y, 1))
        parts.append(_line(x(branch.leaves_at), y, x(branch.end), y, 3 if branch.name == present else 1.5))
        weight = "bold" if branch.name == present else "normal"
        parts.append(f'<text x="4" y="{y + 4:g}" font-size="12" font-weight="{weight}" fill="currentColor">{name}</text>')
    for mark in timeline.bookmarks:
        y, title = lines.get(mark.branch, 0.0), html.escape(f"{mark.name}: step {mark.step}")
        parts.append(f'<circle cx="{x(mark.step):g}" cy="{y:g}" r="4" fill="orange"><title>{title}</title></circle>')
    parts.append(
        f'<circle cx="{x(step):g}" cy="{lines.get(present, 0.0):g}" r="5" fill="none" stroke="crimson" stroke-width="2">'
        f"<title>step {step}</title></circle>"
    )
    height = _LINE * (len(branches) + 0.4)
    caption = f"<p>step {step} of {timeline.end} on <b>{html.escape(present)}</b></p>"
    return f'{caption}<svg width="{_WIDTH}" height="{height:g}" role="img">{"".join(parts)}</svg>'


def _line(x1: float, y1: float, x2: float, y2: float, width: float) -> str:
    ends = f'x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}"'
    return f'<line {ends} stroke="currentColor" stroke-width="{width:g}"/>'
