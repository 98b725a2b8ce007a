"""PID controllers."""

from __future__ import annotations

import math


def clamp(x: float, xmin: float, xmax: float) -> float:
    """The nearest number in a range."""
    return max(xmin, min(x, xmax))


class PID:
    """A PID controller. I and D act in calls with `time` or `dt` only."""

    d_smoothing: float
    i_decay: float
    last_error: float

    reset_time = 100
    i_decay = d_smoothing = 1 / (2 * math.pi * 20)

    def __init__(
        self,
        p: float = 0,
        i: float = 0,
        d: float = 0,
        imax: float = 0,
        min: float | None = None,
        max: float | None = None,
    ):
        self._kp, self._ki, self._kd, self._imax = float(p), float(i), float(d), abs(imax)
        self._min, self._max = min, max
        self._last_t = self._integrator = 0.0
        self._last_derivative = self.last_error = math.nan

    def __call__(self, error: float, time: float | None = None, dt: float | None = None) -> float:
        return self.get_pid(error, time, dt)

    def get_pid(self, error: float, time: float | None = None, dt: float | None = None) -> float:
        """The output for an error, at a time or some time after the last call."""
        if time is not None and dt is not None:
            raise ValueError("time and dt cannot be set at the same time")
        if time is not None:
            dt, self._last_t = time - self._last_t, time
        elif dt is not None:
            self._last_t += dt
        if dt is None or self._last_t == 0 or dt > self.reset_time:
            dt = 0.0
            self.reset_I()
        output = error * self._kp
        if self._kd != 0 and dt > 0:
            is_first = math.isnan(self._last_derivative)
            slope = 0.0 if is_first else (error - self.last_error) / dt
            last = 0.0 if is_first else self._last_derivative
            self._last_derivative = last + dt / (self.d_smoothing + dt) * (slope - last)
            output += self._kd * self._last_derivative
        self.last_error = error
        if self._ki != 0 and dt > 0:
            integral = self._integrator * self.i_decay + error * self._ki * dt
            self._integrator = clamp(integral, -self._imax, self._imax)
            output += self._integrator
        output = output if self._min is None else max(output, self._min)
        return output if self._max is None else min(output, self._max)

    def reset_I(self) -> None:
        """Forgets the integral and the derivative."""
        self._integrator, self._last_derivative = 0.0, math.nan
