"""The build of the package."""

from __future__ import annotations

import json
from dataclasses import dataclass

from . import _native


@dataclass(frozen=True)
class BuildInfo:
    """The properties that tell builds of the package apart."""

    version: str
    """The version, as in `swarmarium.__version__`."""
    commit: str | None
    """The commit that it is built from; `None` outside a checkout."""
    commit_date: str | None
    """The date of the commit, as `2026-11-28`."""
    modified: bool
    """Whether sources differed from those of the commit."""
    features: tuple[str, ...]
    """The optional parts that it has, such as `video`."""
    target: str
    """The platform that it is built for."""


def build_info() -> BuildInfo:
    """The version and the commit of the package, and how it was built: name them with your results.

    >>> import swarmarium as sw
    >>> "video" in sw.build_info().features
    True
    """
    info = json.loads(_native.build_info())
    return BuildInfo(**{**info, "features": tuple(info["features"])})
