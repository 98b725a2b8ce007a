"""Filters for controllers and sensors."""

from __future__ import annotations

import bisect
import math
from collections.abc import Iterable, Sequence
from typing import Any


def fmap(x: float, in_min: float, in_max: float, out_min: float, out_max: float) -> float:
    """Maps a number linearly from one range to another."""
    return (x - in_min) * (out_max - out_min) / (in_max - in_min) + out_min


def constrain(x: float, in_min: float, in_max: float) -> float:
    """The nearest number in a range."""
    return min(in_max, max(in_min, x))


def mean(m: Sequence[float]) -> float:
    """The mean."""
    return sum(m) / len(m)


class Deadzone:
    """Numbers near a centre become the centre."""

    center: float
    max: float | None
    min: float | None
    r: float

    def __init__(self, radius: float, center: float = 0, min_out: float | None = None, max_out: float | None = None):
        self.r, self.center, self.min, self.max = radius, center, min_out, max_out
        if (min_out is not None and radius < min_out) or (max_out is not None and radius > max_out):
            raise ValueError("center is outside of min/max range")

    @property
    def d(self) -> float:
        """The width."""
        return 2 * self.r

    def __call__(self, x: float) -> float:
        inside = self.center if self.center - self.r <= x <= self.center + self.r else x
        low = -math.inf if self.min is None else self.min
        return constrain(inside, low, math.inf if self.max is None else self.max)

    def __contains__(self, x: float) -> bool:
        return self(x) == self.center


class FloatingBool(float):
    """A number that counts as true above a threshold."""

    f: float
    threshold: float | None

    def __new__(cls, value: float, threshold: float | None = None) -> FloatingBool:
        return super().__new__(cls, value)

    def __init__(self, value: float, threshold: float | None = None):
        self.f, self.threshold = float(value), threshold

    def __bool__(self) -> bool:
        return self.f != 0 if self.threshold is None else self.f > self.threshold


class Average:
    """The mean of the last numbers, which counts as true above a threshold."""

    n: int | None
    threshold: float

    def __init__(self, max_len: int | None = None, threshold: float = 0.5):
        if max_len is not None and max_len < 0:
            raise ValueError(f"expected a length from 0, found {max_len}")
        self.n, self.threshold = max_len, threshold
        self._list: list[Any] = []

    def __call__(self, *args: Any) -> Any:
        for value in args:
            self._list = self.list + (list(value) if isinstance(value, Iterable) else [value])
        return self.avg

    def __len__(self) -> int:
        return len(self.list)

    def append(self, item: Any) -> Average:
        """Adds a number."""
        self._list = [*self.list, item]
        return self

    @property
    def list(self) -> Any:
        """The last numbers."""
        if self.n is not None and len(self._list) > self.n:
            self._list = self._list[len(self._list) - self.n :]
        return self._list

    @list.setter
    def list(self, values: Any) -> None:
        self._list = values

    @property
    def avg(self) -> Any:
        """Their mean."""
        return FloatingBool(mean(self.list), self.threshold)


class Delay(Average):
    """Returns each number some calls later; the first one until then."""

    def __init__(self, delay: int = 0, threshold: float = math.nan):
        super().__init__(delay + 1, threshold)

    def __call__(self, *args: Any) -> Any:
        super().__call__(*args)
        return self.oldest

    @property
    def avg(self) -> Any:
        """The mean."""
        return mean(self.list)

    @property
    def newest(self) -> Any:
        """The last number."""
        return self.list[-1]

    @property
    def oldest(self) -> Any:
        """The number that is returned."""
        return self.list[0]


class FIRFilter(Average):
    """The weighted sum of the last numbers."""

    def __init__(self, filter: Sequence[float], threshold: float = 0.5, fill: float = 0):
        super().__init__(len(filter), threshold)
        self.filter = filter
        self.list = [fill] * len(filter)

    def __call__(self, *args: Any) -> Any:
        super().__call__(*args)
        return self.out

    @property
    def out(self) -> Any:
        """The weighted sum."""
        return FloatingBool(sum(value * weight for value, weight in zip(self.list, self.filter)), self.threshold)


class Remap:
    """A function that is linear between points."""

    in_points: tuple[Any, ...]
    out_points: tuple[Any, ...]

    def __init__(self, in_points: Iterable[float], out_points: Iterable[float]):
        points = sorted(zip(in_points, out_points), key=lambda point: point[0])
        self.in_points, self.out_points = zip(*points)

    def __call__(self, x: float) -> float:
        inside, outside = self.in_points, self.out_points
        if x in inside:
            return float(outside[inside.index(x)])
        right = min(bisect.bisect_left(inside, x), len(inside) - 1)
        left = right - 1
        return fmap(x, inside[left], inside[right], outside[left], outside[right])
