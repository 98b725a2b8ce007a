"""The base of everything that a builder script makes."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

from . import interfaces
from .blender import BlenderObject, Property
from .building import current
from .errors import MorseBuilderError, MorseBuilderUnexportableError, refuse
from .transform import Vector


_RUNNER = f"{__package__}.script"
"""The module that runs scripts."""


@dataclass
class Links:
    """The entries of a component in a configuration."""

    streams: list[list[Any]] = field(default_factory=list)
    modifiers: list[list[Any]] = field(default_factory=list)
    services: list[str] = field(default_factory=list)
    overlays: dict[str, list[Any]] = field(default_factory=dict)


class AbstractComponent:
    """Something that a script makes: a robot, a sensor, an actuator, an object or the environment."""

    _category = ""
    """`robots`, `sensors` or `actuators`; empty for objects and the environment."""

    def __init__(self, obj: Any = None, filename: str = "", category: str = ""):
        building = current()
        self._place = building.place()
        self._bpy_object: Any = BlenderObject("Empty") if obj is None else obj
        self._category = category or self._category
        self._file = filename
        self._links = Links()
        self._exportable = True
        self.basename: str | None = None
        self.children: list[AbstractComponent] = []
        building.components.append(self)

    # Names

    @property
    def name(self) -> str:
        """The name: at first that of Blender, and at the end that of the variable, after that of its robot."""
        return self._bpy_object.name

    @name.setter
    def name(self, name: str) -> None:
        if not name:
            return
        if "." in name:
            raise SyntaxError(f"Invalid component name: <{name}>. Dots are not allowed.")
        self.basename = name
        self._bpy_object.name = name

    def __str__(self) -> str:
        return self.name

    @staticmethod
    def close_context(level: int = 1) -> None:
        """Names the components that variables of the calling function hold, as at the end of a loop."""
        _name_all(dict(sys._getframe(level).f_locals))

    # Poses

    @property
    def location(self) -> Vector:
        """The position, in metres, within the component that it is appended to."""
        return self._bpy_object.location

    @location.setter
    def location(self, xyz: Any) -> None:
        self._bpy_object.location = xyz

    @property
    def rotation_euler(self) -> Vector:
        """The angles about x, y and z, in radians."""
        return self._bpy_object.rotation_euler

    @rotation_euler.setter
    def rotation_euler(self, xyz: Any) -> None:
        self._bpy_object.rotation_euler = xyz

    @property
    def scale(self) -> Vector:
        """The factors of the size."""
        return self._bpy_object.scale

    @scale.setter
    def scale(self, xyz: Any) -> None:
        self._bpy_object.scale = xyz

    def translate(self, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> None:
        """Adds to the position."""
        self.location = [a + b for a, b in zip(self.location, (x, y, z))]

    def rotate(self, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> None:
        """Adds to the angles."""
        self.rotation_euler = [a + b for a, b in zip(self.rotation_euler, (x, y, z))]

    # Properties

    def property_value(self, name: str) -> Any:
        """A property, or `None`."""
        found = self._bpy_object.game.properties.get(name)
        return None if found is None else found.value

    def properties(self, **values: Any) -> None:
        """Sets properties."""
        for name, value in values.items():
            self._bpy_object.game.properties[name] = Property(value)

    def frequency(self, frequency: float | None = None) -> None:
        """Sets how often the component acts, in hertz."""
        if frequency:
            self.properties(frequency=frequency)

    def level(self, level: str) -> None:
        """Sets the level of abstraction."""
        self.properties(abstraction_level=level)

    # Parts

    def append(self, obj: Any, child: str | None = None, level: int = 1) -> None:
        """Mounts another component on this one. The variable that holds it names it."""
        if not isinstance(obj, AbstractComponent):
            raise refuse(f"`append` takes a component, found {obj!r}")
        above: Any = self
        while above is not None:
            if above is obj:
                raise refuse(f"a component is not part of itself: `{type(obj).__name__}` has the component that `append` adds it to")
            above = getattr(above, "parent", None)
        obj._bpy_object.parent = self._bpy_object
        obj.parent = self  # type: ignore[attr-defined]
        if child:
            current().lose(f"`{child}` is in a Blender file: the component is mounted at the center instead")
        self.children.append(obj)
        if obj.basename is None:
            variables = dict(sys._getframe(level).f_locals)
            own = variables.get("self")
            held = (dict(getattr(own, "__dict__", {})) if own is not None else {}) | variables
            obj.basename = next((name for name, value in held.items() if value is obj), None)

    def get_child(self, name: str, objects: Any = None, recursive: bool = True) -> Any:
        """A part of the model, which is in a Blender file and has no effect here."""
        current().change_looks()
        return BlenderObject(name)

    # Links

    def _classpath_now(self) -> str:
        return self.property_value("classpath") or getattr(self, "_classpath", None) or ""

    def _direction(self) -> str | None:
        """The direction of the data of the component, as seen from MORSE."""
        classpath = self._classpath_now()
        for category, direction in (("sensors", "OUT"), ("actuators", "IN")):
            if f".{category}." in classpath or self._category == category:
                return direction
        return None

    def _level_now(self, levels: Mapping[str, Any]) -> str:
        level = self.property_value("abstraction_level") or "default"
        if level == "default" and level not in levels:
            level = interfaces.DEFAULT_LEVELS.get(self._classpath_now(), level)
            if level != "default":
                self.properties(abstraction_level=level)
        return level

    def add_stream(
        self,
        datastream: str,
        method: str | None = None,
        path: str | None = None,
        classpath: str | None = None,
        direction: str | None = None,
        **options: Any,
    ) -> None:
        """Adds a stream of a middleware."""
        if not self._exportable:
            raise MorseBuilderUnexportableError(f"{self.name} has no data: it cannot have a stream")
        classpath = classpath or self._classpath_now()
        direction = direction or self._direction()
        manager = interfaces.STREAM_MANAGERS.get(datastream, datastream)
        if not direction:
            current().lose(f"`{type(self).__name__}` has no data: its stream `{datastream}` is left out")
            return
        if method is None:
            method = self._stream_class(classpath, datastream, direction)
        if method is None:
            current().lose(f"MORSE has no stream `{datastream}` for `{classpath}`: it is left out")
            return
        self._links.streams.append([manager, method, *([path] if path else []), direction, options])

    def _stream_class(self, classpath: str, datastream: str, direction: str) -> str | None:
        usual = interfaces.ANY_IN if direction == "IN" else interfaces.ANY_OUT
        levels = _tables().get(classpath)
        if levels is None:
            return usual.get(datastream)
        found: Any = levels.get(self._level_now(levels), {}).get(datastream)
        if isinstance(found, list):
            found = found[0]
        return found.get(datastream) if isinstance(found, dict) else found

    def add_service(self, interface: str, component: Any = None, config: str | None = None) -> None:
        """Adds the services of the component to a middleware."""
        config = config or interfaces.SERVICE_MANAGERS.get(interface)
        if config is None:
            known = ", ".join(interfaces.SERVICE_MANAGERS)
            raise refuse(f"MORSE has no services on `{interface}`: expected one of {known}")
        if component == "simulation":
            current().simulation_services.append(config)
        else:
            (component or self)._links.services.append(config)

    def add_interface(self, interface: str, **options: Any) -> None:
        """Adds the services, and a stream."""
        self.add_service(interface)
        if self._exportable:
            self.add_stream(interface, **options)

    def alter(
        self,
        modifier_name: str | None = None,
        classpath: str | None = None,
        direction: str | None = None,
        **options: Any,
    ) -> None:
        """Adds a modifier."""
        direction = direction or self._direction()
        if not direction:
            current().lose(f"`{type(self).__name__}` has no data: its modifier is left out")
            return
        if not classpath:
            table = interfaces.MODIFIERS.get(modifier_name or "")
            if table is None:
                raise refuse(f"MORSE has no modifier `{modifier_name}`: expected one of {', '.join(interfaces.MODIFIERS)}")
            classpath = table.get(self._classpath_now())
            if classpath is None:
                raise refuse(f"MORSE's modifier `{modifier_name}` is for other components than `{type(self).__name__}`")
        self._links.modifiers.append([classpath, direction, options])

    def add_overlay(self, datastream: str, overlay: str, config: str | None = None, **options: Any) -> None:
        """Gives the services of the component other names."""
        config = config or interfaces.SERVICE_MANAGERS.get(datastream)
        if config is None:
            raise refuse(f"MORSE has no services on `{datastream}`")
        self._links.overlays[config] = [overlay, options]

    def is_exportable(self) -> bool:
        """Whether the component can have streams."""
        return self._exportable

    def mark_unexportable(self) -> None:
        """Makes the component refuse streams."""
        self._exportable = False

    def is_morseable(self) -> bool:
        """Whether MORSE simulates the component."""
        return bool(self._category)

    def morseable(self, calling_module: str | None = None) -> None:
        """Makes MORSE simulate the component."""

    # The names of these methods before MORSE 1.0.

    def configure_mw(self, mw: str, config: Any = None, method: Any = None, path: Any = None, component: Any = None) -> None:
        """`add_stream` of MORSE before 1.0."""
        current().lose("`configure_mw` of MORSE before 1.0 is read as `add_stream`: its method and path are left out")
        self.add_stream(mw)

    def configure_service(self, mw: str, component: Any = None, config: str | None = None) -> None:
        """`add_service` of early versions."""
        self.add_service(mw, component, config)

    def configure_modifier(self, mod: str, config: Any = None, **options: Any) -> None:
        """`alter` of MORSE before 1.0."""
        self.alter(mod, **options)

    def configure_overlay(self, mw: str, overlay: str, config: str | None = None, **options: Any) -> None:
        """`add_overlay` of MORSE before 1.0."""
        self.add_overlay(mw, overlay, config, **options)

    # Appearance

    def select(self) -> None:
        """Selects the object in Blender."""

    def set_color(self, *color: Any, **channels: Any) -> None:
        """Sets the colour, which has no effect here."""
        current().change_looks()

    def profile(self) -> None:
        """Shows the time that the component takes, which the window does on its own."""
        current().change_looks()

    def append_meshes(self, objects: Any = None, component: Any = None, prefix: Any = None) -> Any:
        """Adds parts of a Blender file, which is not read."""
        current().change_looks()
        return [BlenderObject(str((objects or ["Empty"])[0]))]

    def append_scenes(self, component: Any = None) -> None:
        """Adds scenes of a Blender file, which is not read."""
        current().change_looks()

    def append_collada(self, component: Any = None) -> Any:
        """Adds parts of a Collada file, which is not read."""
        current().change_looks()
        return []

    def __getattr__(self, name: str) -> Any:
        # Only names that nothing defines arrive here.
        if name.startswith("_") or name in ("parent", "after_renaming", "default_interface"):
            raise AttributeError(name)
        raise AttributeError(f"`{type(self).__name__}` of MORSE has no `{name}`{near(name, dir(type(self)))}")


def near(name: str, names: list[str]) -> str:
    """The nearest known name, as an addition to a message."""
    import difflib

    found = difflib.get_close_matches(name, [one for one in names if not one.startswith("_")], 1)
    return f"; did you mean `{found[0]}`?" if found else ""


def name_components() -> None:
    """Names all components by the variables of the script, and by the robots that they are appended to."""
    frame: FrameType | None = sys._getframe(1)
    callers: list[FrameType] = []
    while frame is not None and frame.f_globals.get("__name__") != _RUNNER:
        if frame.f_code.co_name == "__init__" and frame.f_back is not None:
            callers.append(frame.f_back)
        frame = frame.f_back
    # MORSE takes only the variables around the outermost `__init__`, which come first. The others name the components of a
    # class that makes the environment itself.
    for caller in reversed(callers):
        _name_all(dict(caller.f_locals))
    for robot in current().components:
        if robot._category == "robots":
            _name_tree(robot, [])


def _name_all(variables: Mapping[str, Any]) -> None:
    for name, component in variables.items():
        is_named = isinstance(component, AbstractComponent) and (component.basename or hasattr(component, "parent"))
        if isinstance(component, AbstractComponent) and not is_named:
            component.name = name


def _name_tree(component: AbstractComponent, above: list[str]) -> None:
    """Gives a component and its parts names after that of the robot. Equal ones get `_001`, `_002`, … at their ends."""
    names = current().object_names
    base = component.basename
    if not base:
        if not component._category:
            return
        base = type(component).__name__.lower()
        message = f"no variable holds this `{type(component).__name__}`: it is called `{base}`"
        current().lose(message, component._place)
    names.discard(component.name)
    name = names.free(".".join([*above, base]), "_")
    component._bpy_object._name = name
    names.add(name)
    own = name[len(".".join([*above, ""])) :]
    for child in component.children:
        _name_tree(child, [*above, own])


def _tables() -> dict[str, dict[str, dict[str, Any]]]:
    """The classes of streams, which the script may have changed."""
    module = sys.modules.get("morse.builder.data")
    tables = getattr(module, "MORSE_DATASTREAM_DICT", None)
    return tables if isinstance(tables, dict) else interfaces.streams()


__all__ = ["AbstractComponent", "MorseBuilderError", "near"]
