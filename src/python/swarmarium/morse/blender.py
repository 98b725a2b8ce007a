"""Objects of Blender as far as builder scripts see them: names, poses and properties."""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Any

from .building import current
from .transform import Vector


class Unmodelled:
    """A part of Blender that is not simulated, such as a material. Everything can be read, set and called, and does nothing."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Unmodelled()

    def __setattr__(self, name: str, value: Any) -> None:
        current().change_looks()

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        current().change_looks()
        return Unmodelled()

    def __getitem__(self, key: Any) -> Any:
        return Unmodelled()

    def __setitem__(self, key: Any, value: Any) -> None:
        current().change_looks()

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __len__(self) -> int:
        return 0

    def __repr__(self) -> str:
        return "<a part of Blender>"


class Property:
    """A property of an object, with the line that sets it."""

    def __init__(self, value: Any):
        self.value = value
        self.place: tuple[str, int] = current().place()


class Game(Unmodelled):
    """The part of an object that concerns physics."""

    def __init__(self) -> None:
        for name, value in {"physics_type": "STATIC", "mass": 1.0, "properties": {}, "radius": 1.0}.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("physics_type", "mass"):
            object.__setattr__(self, name, value)
        else:
            super().__setattr__(name, value)


class BlenderObject(Unmodelled):
    """An object of Blender."""

    _name: str

    def __init__(self, name: str):
        own: dict[str, Any] = {
            "_name": current().new_name(name),
            "_location": Vector((0, 0, 0)),
            "_rotation": Vector((0, 0, 0)),
            "_scale": Vector((1, 1, 1)),
            "game": Game(),
            "parent": None,
            "children": [],
        }
        for key, value in own.items():
            object.__setattr__(self, key, value)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("parent", "_name"):
            object.__setattr__(self, name, value)
        elif isinstance(getattr(type(self), name, None), property):
            object.__setattr__(self, name, value)
        else:
            super().__setattr__(name, value)

    @property
    def name(self) -> str:
        """The name, which no other object has."""
        return self._name

    @name.setter
    def name(self, name: str) -> None:
        current().object_names.discard(self._name)
        self._name = current().new_name(name)

    location: property = property(lambda self: self._location, lambda self, value: self._set("_location", value))
    rotation_euler: property = property(lambda self: self._rotation, lambda self, value: self._set("_rotation", value))
    scale: property = property(lambda self: self._scale, lambda self, value: self._set("_scale", value))

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, Vector(value))


def bpymorse() -> types.ModuleType:
    """The module `morse.builder.bpymorse`: scripts use few of its functions."""
    module = types.ModuleType("morse.builder.bpymorse")

    def set_speed(fps: float = 60, logic_step_max: int = 20, physics_step_max: int = 20) -> None:
        current().set_frequency(fps, physics_step_max)

    def properties(thing: Any, **values: Any) -> None:
        for name, value in values.items():
            thing.game.properties[name] = Property(value)

    def get_object(name: str) -> Any:
        known = (one._bpy_object for one in current().components if one._bpy_object.name == name)
        found = next(known, None)
        if found is None:
            current().lose(f"the object `{name}` is in a Blender file, which is not read")
            found = BlenderObject(name)
        return found

    def other(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Unmodelled()

    for one in (set_speed, properties, get_object):
        setattr(module, one.__name__, one)
    module.bpy = None  # type: ignore[attr-defined]
    module.__getattr__ = other  # type: ignore[method-assign]
    return module
