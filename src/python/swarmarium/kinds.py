"""The kinds of sensors, controllers, metrics and so on, and the shipped scenes."""

from __future__ import annotations

import html
import json
from dataclasses import dataclass
from typing import Any, Literal, get_args

from . import _native
from .names import did_you_mean


@dataclass(frozen=True)
class Field:
    """A parameter of a kind."""

    name: str
    """The name."""
    type: str
    """The type of its values."""
    unit: str | None
    """The unit, such as `m`."""
    default: str | None
    """The default in the notation of scenes; `None` if the field is required."""
    minimum: float | None
    """The smallest value; `None` without a limit."""
    maximum: float | None
    """The largest value; `None` without a limit."""
    about: str
    """The meaning."""

    @property
    def range(self) -> tuple[float, float] | None:
        """The smallest and the largest value, if the field has limits."""
        return None if self.minimum is None or self.maximum is None else (self.minimum, self.maximum)


@dataclass(frozen=True)
class Kind:
    """A kind, as a scene can use it."""

    family: str
    """The family, such as `sensor`."""
    name: str
    """The name in scenes."""
    about: str
    """A description."""
    fields: tuple[Field, ...]
    """Its parameters."""

    def _repr_html_(self) -> str:
        rows = "".join(
            "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in _cells(field)) + "</tr>" for field in self.fields
        )
        head = "<tr><th>field</th><th>type</th><th>unit</th><th>default</th><th>meaning</th></tr>"
        name, family, about = map(html.escape, (self.name, self.family, self.about))
        return f"<p><b>{name}</b> ({family}): {about}</p><table>{head}{rows}</table>"


def _cells(field: Field) -> tuple[str, ...]:
    """A row of a table of parameters."""
    return field.name, field.type, field.unit or "", field.default or "", field.about


Family = Literal[
    "kinds",
    "sensors",
    "controllers",
    "behaviours",
    "actuators",
    "motions",
    "spawners",
    "noises",
    "losses",
    "objects",
    "metrics",
]
"""The families of kinds; `"kinds"` stands for all of them."""


class _Kinds(dict[str, Kind]):
    """Kinds by name. A name that is missing gets a hint at the nearest one."""

    def __missing__(self, name: object) -> Kind:
        raise KeyError(f"there is no kind {name!r}{did_you_mean(name, self)}")


def kinds(family: Family = "kinds") -> dict[str, Kind]:
    """The kinds of a family by name, with fields, units, ranges and defaults.

    Args:
        family: `"sensors"`, `"controllers"`, `"behaviours"`, `"actuators"`, `"motions"`, `"spawners"`, `"noises"`,
            `"losses"`, `"objects"`, `"metrics"`, or `"kinds"` for all of them, then with names such as `sensor/BinaryFov`.

    Raises:
        SwarmariumError: if there is no such family, with the nearest name.
        KeyError: for a name that the result does not have, with the nearest name.

    >>> import swarmarium as sw
    >>> [field.name for field in sw.kinds("sensors")["BinaryFov"].fields][:2]
    ['range_m', 'half_angle_rad']
    """
    families = get_args(Family)
    if family not in families:
        hint = did_you_mean(family, families)
        raise _native.SwarmariumError(f"family: expected one of {', '.join(families)}, found {family!r}{hint}")
    found = _Kinds()
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
    """The shipped scenes by name, with their titles.

    >>> import swarmarium as sw
    >>> "milling" in sw.scenes()
    True
    """
    return {scene["name"]: scene["title"] for scene in json.loads(_native.listed("scenes"))}


def plans() -> dict[str, str]:
    """The shipped plans of sweeps by name, with their titles.

    >>> import swarmarium as sw
    >>> "milling.sweep" in sw.plans()
    True
    """
    return {plan["name"]: plan["title"] for plan in json.loads(_native.listed("plans"))}
