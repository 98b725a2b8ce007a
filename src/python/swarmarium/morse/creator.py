"""The bases of sensors and actuators."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from .blender import BlenderObject
from .component import AbstractComponent
from .counterpart import Counterpart


class ComponentCreator(AbstractComponent):
    """A sensor or an actuator. Subclasses name the class of MORSE in `_classpath`."""

    basename: str

    _classpath: ClassVar[str | None] = None
    _blendname: ClassVar[str | None] = None
    _counterpart: ClassVar[Counterpart | None] = None
    _missing: ClassVar[str] = "its class is a program for MORSE, which is not run"
    """The reason why there is no counterpart."""
    _defaults: ClassVar[Mapping[str, Any]] = {}
    _rate_hz: ClassVar[float] = 60

    APPEND_EMPTY = 0
    USE_BLEND = 1
    LINK_EXISTING_OBJECT = 2

    def __init__(
        self,
        name: str | None = None,
        category: str = "",
        action: int = APPEND_EMPTY,
        blendfile: str | None = "",
        blendobject: str | None = None,
        make_morseable: bool = True,
    ):
        super().__init__(BlenderObject(name or "Empty"), filename=blendfile or "", category=category)
        self._bpy_object.game.physics_type = "NO_COLLISION"
        if name:
            self.basename = name
        self.properties(Component_Tag=True, classpath=type(self)._classpath, **self._defaults)
        self.frequency(type(self)._rate_hz)

    def parent_root(self, objects: Any) -> None:
        """Mounts parts of a model, which has no effect here."""


class SensorCreator(ComponentCreator):
    """A sensor."""

    _category = "sensors"

    def __init__(self, name: str | None = None, action: int = 0, make_morseable: bool = True):
        super().__init__(name, "sensors", action)


class ActuatorCreator(ComponentCreator):
    """An actuator."""

    _category = "actuators"

    def __init__(
        self,
        name: str | None = None,
        action: int = 0,
        blendfile: str | None = None,
        blendobject: str | None = None,
        make_morseable: bool = True,
    ):
        super().__init__(name, "actuators", action, blendfile, blendobject)
