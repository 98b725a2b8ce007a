"""Positions and orientations as Blender has them: angles about x, y and z, applied in this order."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

Row = tuple[float, float, float]
Matrix = tuple[Row, Row, Row]


class Vector(list[float]):
    """Three numbers, which also have names."""

    def __init__(self, numbers: Iterable[Any]):
        super().__init__(map(float, numbers))

    @property
    def x(self) -> float:
        """The first number."""
        return self[0]

    @x.setter
    def x(self, value: Any) -> None:
        self[0] = float(value)

    @property
    def y(self) -> float:
        """The second number."""
        return self[1]

    @y.setter
    def y(self, value: Any) -> None:
        self[1] = float(value)

    @property
    def z(self) -> float:
        """The third number."""
        return self[2]

    @z.setter
    def z(self, value: Any) -> None:
        self[2] = float(value)


def matrix(angles: Iterable[float]) -> Matrix:
    """The matrix of angles about x, y and z."""
    (sx, cx), (sy, cy), (sz, cz) = ((math.sin(angle), math.cos(angle)) for angle in angles)
    return (
        (cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx),
        (sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx),
        (-sy, cy * sx, cy * cx),
    )


def angles(rotation: Matrix) -> Vector:
    """The angles of a matrix: roll, pitch and yaw."""
    pitch = math.asin(max(-1.0, min(1.0, -rotation[2][0])))
    if abs(rotation[2][0]) > 1.0 - 1e-12:
        # Roll and yaw turn about the same axis.
        return Vector((0.0, pitch, math.atan2(-rotation[0][1], rotation[1][1])))
    return Vector((math.atan2(rotation[2][1], rotation[2][2]), pitch, math.atan2(rotation[1][0], rotation[0][0])))


def product(a: Matrix, b: Matrix) -> Matrix:
    """The rotation `b` within the rotation `a`."""
    rows = [tuple(sum(a[i][k] * b[k][j] for k in range(3)) for j in range(3)) for i in range(3)]
    return rows[0], rows[1], rows[2]  # type: ignore[return-value]


def within(outer: tuple[Vector, Vector], inner: tuple[Vector, Vector]) -> tuple[Vector, Vector]:
    """The position and the angles of something within something else."""
    position, rotation = outer
    own_position, own_rotation = inner
    if not any(rotation):
        return Vector(a + b for a, b in zip(position, own_position)), Vector(own_rotation)
    turned = matrix(rotation)
    moved = Vector(position[i] + sum(turned[i][k] * own_position[k] for k in range(3)) for i in range(3))
    if not rotation[0] and not rotation[1] and not own_rotation[0] and not own_rotation[1]:
        return moved, Vector((0.0, 0.0, rotation[2] + own_rotation[2]))
    return moved, angles(product(turned, matrix(own_rotation)))
