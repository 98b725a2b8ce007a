"""Objects that are neither robots nor components of robots."""

from __future__ import annotations

import math
from typing import Any

from .blender import BlenderObject
from .building import current
from .component import AbstractComponent
from .transform import Vector


class Thing(AbstractComponent):
    """An object of the scene."""

    colors: tuple[float, float, float]

    outline = ""
    """`box` or `disc`; empty for objects without a shape."""

    def color(self, r: float = 0.1, g: float = 0.1, b: float = 0.1) -> None:
        """Sets the colour."""
        self.colors = (r, g, b)


class Mesh(Thing):
    """A simple shape of 2 m before it is scaled. Nothing collides with it unless the script says so."""

    def __init__(self, name: str):
        super().__init__(BlenderObject(name))
        self._bpy_object.game.physics_type = "NO_COLLISION"


class Plane(Mesh):
    outline = "box"


class Cube(Mesh):
    outline = "box"


class Sphere(Mesh):
    outline = "disc"


class IcoSphere(Mesh):
    outline = "disc"


class Cylinder(Mesh):
    outline = "disc"


class Cone(Mesh):
    outline = "disc"


class Torus(Mesh):
    outline = "disc"


class Empty(Mesh):
    """A place without a shape."""


class Coordsys(Thing):
    """Axes, which are only drawn in MORSE."""

    def __init__(self, name: str):
        super().__init__(BlenderObject(name))


class Spot(Thing):
    """A lamp, which is only drawn in MORSE."""

    def __init__(self, name: str, lamp_type: str = "SPOT"):
        super().__init__(BlenderObject(name))
        self.rotate(y=-math.pi / 2)
        current().change_looks()


class Camera(Thing):
    """A camera of Blender."""

    def __init__(self, name: str):
        super().__init__(BlenderObject(name))
        self.rotate(y=math.pi, z=math.pi)
        current().change_looks()


class Zone(Cube):
    """A region. Its size is half of its sides."""

    def __init__(self, type: str):
        super().__init__("xxx")
        self.properties(Zone_Tag=True, Type=type)

    @property
    def size(self) -> Vector:
        """Half of the sides, in metres."""
        return self.scale

    @size.setter
    def size(self, size: Any) -> None:
        self.scale = size

    def rotate(self, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> None:
        """MORSE does not rotate zones."""
        current().lose("MORSE does not rotate zones: the rotation is left out")


BOXES = {"RedBox": (-7.5, 0.0), "GreenBox": (-6.5, 6.0), "BlueBox": (-3.5, -3.0)}
"""The boxes of 1 m by 1 m in the environment `indoors-1/boxes`: positions of their centers."""


class PassiveObject(Thing):
    """An object of a Blender file, which is not read."""

    outline: str = "disc"

    def __init__(self, filename: str = "props/objects", prefix: str | None = None, keep_pose: bool = False):
        super().__init__(BlenderObject(prefix or filename), filename=filename)
        self._prefix = prefix
        known = BOXES.get(prefix or "")
        if known is not None:
            self.outline = "box"
            self.scale = (0.5, 0.5, 0.9)
            if keep_pose:
                self.location = (*known, 0.9)
        else:
            self.scale = (0.2, 0.2, 0.2)
            current().lose(
                f"the shape of `{prefix or filename}` is in a Blender file, which is not read: a disc of 0.2 m radius stands for it"
            )

    def setgraspable(self) -> None:
        """Makes grippers grasp the object."""
        self.properties(Object=True, Graspable=True)
        if self.property_value("Label") is None:
            self.properties(Label=self.name)
