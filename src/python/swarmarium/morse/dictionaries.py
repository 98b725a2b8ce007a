"""The configuration that MORSE's builder writes for a script: `component_config.py`."""

from __future__ import annotations

import math
import pprint
from collections.abc import Mapping
from typing import Any

from .blender import Unmodelled
from .building import Building

NAMES = ("component_datastream", "component_modifier", "component_service", "overlays", "stream_manager")
"""The dictionaries, in the order in which they are written."""


def collect(building: Building) -> dict[str, dict[str, Any]]:
    """The five dictionaries of a script that has run."""
    streams: dict[str, Any] = {}
    modifiers: dict[str, Any] = {}
    services: dict[str, Any] = {}
    overlays: dict[str, Any] = {}
    for component in building.components:
        links, name = component._links, component.name
        if links.streams:
            streams[name] = [literal(building, one, component) for one in links.streams]
        if links.modifiers:
            modifiers[name] = [literal(building, one, component) for one in links.modifiers]
        if links.services:
            services[name] = list(links.services)
        for manager, overlay in links.overlays.items():
            overlays.setdefault(manager, {})[name] = literal(building, overlay, component)
    if building.simulation_services:
        services["simulation"] = list(building.simulation_services)
    managers = {name: literal(building, options, None) for name, options in building.stream_managers.items()}
    return dict(zip(NAMES, (streams, modifiers, services, overlays, managers)))


def text(all_: Mapping[str, Mapping[str, Any]], directions: bool = True) -> str:
    """The text of a configuration, byte for byte as MORSE writes it: by `pprint`, with sorted names."""
    if not directions:
        undirected = {name: _without_directions(all_[name]) for name in ("component_datastream", "component_modifier")}
        all_ = {**all_, **undirected}
    return "".join(f"{name} = {pprint.pformat(dict(all_[name]))}\n" for name in NAMES)


def _without_directions(all_: Mapping[str, Any]) -> dict[str, Any]:
    return {name: [[part for part in one if part not in ("IN", "OUT")] for one in ones] for name, ones in all_.items()}


def literal(building: Building, value: Any, component: Any) -> Any:
    """A value that a configuration can have: texts, numbers, truth values, `None`, lists, tuples and dictionaries."""
    place = component._place if component is not None else ("", 1)
    if isinstance(value, float):
        if math.isfinite(value):
            return float(value)
        building.lose(f"a configuration has only finite numbers: `None` stands for {float(value)}", place)
        return None
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, (list, tuple)):
        parts = [literal(building, one, component) for one in value]
        return tuple(parts) if isinstance(value, tuple) else parts
    if isinstance(value, Mapping):
        return {str(name): literal(building, one, component) for name, one in value.items()}
    # Arrays and numbers of NumPy.
    plain = None if isinstance(value, Unmodelled) else getattr(value, "tolist", None)
    if callable(plain):
        return literal(building, plain(), component)
    written = _shown(value)
    building.lose(f"a configuration has no values such as {written}: it is written as a text", place)
    return written


def _shown(value: Any) -> str:
    """A value as a text, which is the same in every run: without its address."""
    kind = type(value)
    own = [vars(one) for one in kind.__mro__ if one is not object]
    has_text = any("__str__" in one or "__repr__" in one for one in own)
    return str(value) if has_text else f"<{kind.__name__}>"
