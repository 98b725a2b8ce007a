"""The kinds of sensors, controllers, metrics and so on, and the shipped scenes."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from . import _native


@dataclass(frozen=True)
class Field:
    """A parameter of a kind."""

    name: str
    type: str
    unit: str | None
    default: str | None
    """The default in the notation of scenes; `None` if the field is required."""
    minimum: float | None
    maximum: float | None
    about: str

    @property
    def range(self) -> tuple[float, float] | None:
        """The smallest and the largest value, if the field has limits."""
        return None if self.minimum is None or self.maximum is None else (self.minimum, self.maximum)


@dataclass(frozen=True)
class Kind:
    """A kind, as a scene can use it."""

    family: str
    name: str
    about: str
    fields: tuple[Field, ...]

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td><code>{field.name}</code></td><td>{field.type}</td><td>{field.unit or ''}</td>"
            f"<td>{field.default or ''}</td><td>{field.about}</td></tr>"
            for field in self.fields
        )
        head = "<tr><th>field</th><th>type</th><th>unit</th><th>default</th><th>meaning</th></tr>"
        return f"<p><b>{self.name}</b> ({self.family}): {self.about}</p><table>{head}{rows}</table>"


def kinds(family: str = "kinds") -> dict[str, Kind]:
    """The kinds of a family by name, with fields, units, ranges and defaults.

    Args:
        family: `sensors`, `controllers`, `behaviours`, `actuators`, `motions`, `spawners`, `noises`, `losses`, `objects`,
            `metrics`, or `kinds` for all of them, then with names such as `sensor/BinaryFov`.
    """
    found = {}
    for kind in json.loads(_native.listed(family)):
        fields = tuple(_field(field) for field in kind["fields"])
        one = Kind(kind["family"], kind["name"], kind["about"], fields)
        found[f"{one.family}/{one.name}" if family == "kinds" else one.name] = one
    return found


def _field(field: dict[str, Any]) -> Field:
    limits = field["limits"] or {}
    return Field(
        name=field["name"],
        type=field["type_name"],
        unit=field["unit"],
        default=None if field["required"] else field["default"],
        minimum=limits.get("min"),
        maximum=limits.get("max"),
        about=field["about"],
    )


def scenes() -> dict[str, str]:
    """The shipped scenes by name, with their titles."""
    return {scene["name"]: scene["title"] for scene in json.loads(_native.listed("scenes"))}


def plans() -> dict[str, str]:
    """The shipped plans of sweeps by name, with their titles."""
    return {plan["name"]: plan["title"] for plan in json.loads(_native.listed("plans"))}
