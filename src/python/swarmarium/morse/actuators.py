"""The actuators of MORSE's builder."""

from __future__ import annotations

import math
from typing import Any

from .blender import BlenderObject
from .counterpart import Counterpart, Option, flag, number, texts
from .creator import ActuatorCreator
from .errors import refuse

_FLIES = "robots do not fly"
_NO_ARMS = "robots have no arms"
_NO_FORCES = "robots have no forces"
_BY_VELOCITY = {"ControlType": "Velocity"}


def _color(value: Any) -> str:
    """A colour of three numbers from 0 to 1 or to 255."""
    import re

    parts = [float(one) for one in re.findall(r"[0-9.]+", str(value))][:3]
    most = 255.0 if max(parts, default=0.0) > 1.0 else 1.0
    return '"#' + "".join(f"{round(255 * min(1.0, part / most)):02x}" for part in parts) + '"' if len(parts) == 3 else '""'


class Arucomarker(ActuatorCreator):
    _classpath = "morse.actuators.arucomarker.Arucomarker"
    _missing = "the plane has no images"


class Destination(ActuatorCreator):
    _classpath = "morse.actuators.destination.Destination"
    _counterpart = Counterpart(
        "Destination",
        {
            "Tolerance": number("tolerance_m"),
            "Speed": number("speed_m_per_s"),
            "RemainAtDestination": flag("remain_at_destination"),
        },
        usual=_BY_VELOCITY,
    )


class ForceTorque(ActuatorCreator):
    _classpath = "morse.actuators.force_torque.ForceTorque"
    _missing = _NO_FORCES


class MocapControl(ActuatorCreator):
    _classpath = "morse.actuators.mocap_control.MocapControl"
    _missing = _NO_ARMS


class Gripper(ActuatorCreator):
    _classpath = "morse.actuators.gripper.Gripper"
    _counterpart = Counterpart("Gripper", ignored=("Angle", "Distance"))
    _defaults = {"Angle": 60.0, "Distance": 0.5}


class Keyboard(ActuatorCreator):
    _classpath = "morse.actuators.keyboard.Keyboard"
    _counterpart = Counterpart("Keyboard", {"Speed": number("speed_m_per_s")}, ignored=("ControlType",))

    def __init__(self, name: str | None = None):
        super().__init__(name)
        self.mark_unexportable()


class Joystick(ActuatorCreator):
    _classpath = "morse.actuators.joystick.Joystick"
    _counterpart = Counterpart(
        "Keyboard",
        {"Speed": number("speed_m_per_s"), "_index": Option("gamepad", lambda value: str(int(value) + 1))},
        ignored=("ControlType",),
    )

    def __init__(self, name: str | None = None, index: int = 0):
        super().__init__(name)
        self.mark_unexportable()
        self.properties(_index=index)


class Orientation(ActuatorCreator):
    _classpath = "morse.actuators.orientation.Orientation"
    _counterpart = Counterpart(
        "Orientation",
        {
            "speed": Option("speed_rad_per_s", lambda value: f"Some({float(value)!r})" if math.isfinite(float(value)) else "None"),
            "tolerance": number("tolerance_rad"),
        },
        usual=_BY_VELOCITY,
    )


class PA10(ActuatorCreator):
    _classpath = "morse.actuators.pa_10.PA10"
    _missing = _NO_ARMS
    _defaults = {"Speed": 1.0}


class PTU(ActuatorCreator):
    _classpath = "morse.actuators.ptu.PTU"
    _missing = "robots have no pan-tilt units: its sensors stay ahead"
    _defaults = {"Speed": 1.0, "Manual": False, "Tolerance": 0.01}


class RotorcraftAttitude(ActuatorCreator):
    _classpath = "morse.actuators.rotorcraft_attitude.RotorcraftAttitude"
    _missing = _FLIES


class RotorcraftVelocity(ActuatorCreator):
    _classpath = "morse.actuators.rotorcraft_velocity.RotorcraftVelocity"
    _missing = _FLIES


class RotorcraftWaypoint(ActuatorCreator):
    _classpath = "morse.actuators.rotorcraft_waypoint.RotorcraftWaypoint"
    _missing = _FLIES


class StabilizedQuadrotor(ActuatorCreator):
    _classpath = "morse.actuators.stabilized_quadrotor.StabilizedQuadrotor"
    _missing = _FLIES


class QuadrotorDynamicControl(ActuatorCreator):
    _classpath = "morse.actuators.quadrotor_dynamic_control.QuadrotorDynamicControl"
    _missing = _FLIES


class SteerForce(ActuatorCreator):
    _classpath = "morse.actuators.steer_force.SteerForce"
    _missing = _NO_FORCES


class Teleport(ActuatorCreator):
    _classpath = "morse.actuators.teleport.Teleport"
    _counterpart = Counterpart("Teleport")


class MotionVW(ActuatorCreator):
    _classpath = "morse.actuators.v_omega.MotionVW"
    _counterpart = Counterpart("MotionVw", usual=_BY_VELOCITY)


class MotionVWDiff(ActuatorCreator):
    _classpath = "morse.actuators.v_omega_diff_drive.MotionVWDiff"
    _counterpart = Counterpart("MotionVwDiff", usual=_BY_VELOCITY)


class MotionXYW(ActuatorCreator):
    _classpath = "morse.actuators.xy_omega.MotionXYW"
    _counterpart = Counterpart("MotionXyw", usual=_BY_VELOCITY)


class Waypoint(ActuatorCreator):
    _classpath = "morse.actuators.waypoint.Waypoint"
    _counterpart = Counterpart(
        "Waypoint",
        {
            "ObstacleAvoidance": flag("obstacle_avoidance"),
            "FreeZ": flag("free_z"),
            "AngleTolerance": number("angle_tolerance_rad"),
            "Speed": number("speed_m_per_s"),
            "Ignore": texts("ignore"),
            "RemainAtDestination": flag("remain_at_destination"),
        },
        usual=_BY_VELOCITY | {"Target": ""},
    )
    _defaults = {"Target": ""}


class Light(ActuatorCreator):
    _classpath = "morse.actuators.light.Light"
    _counterpart = Counterpart(
        "Light",
        {
            "emit": flag("emit"),
            "Emit": flag("emit"),
            "distance": number("range_m"),
            "size": number("cone_rad"),
            "energy": number("energy"),
            "color": Option("color", _color),
        },
    )


class Sound(ActuatorCreator):
    _classpath = "morse.actuators.sound.Sound"
    _missing = "there is no sound"
    _defaults = {"mode": "play"}

    def open(self, filepath: str) -> None:
        """Opens a file of sound, which must be there."""
        with open(filepath, "rb"):
            pass


class Armature(ActuatorCreator):
    _classpath = "morse.actuators.armature.Armature"
    _missing = _NO_ARMS

    def __init__(self, name: str | None = None, armature_name: str | None = None, model_name: str | None = None):
        if not armature_name and not model_name:
            raise refuse("an Armature needs `armature_name` or `model_name`")
        super().__init__(name)
        self.ik_targets: list[tuple[Any, str]] = []

    def create_ik_targets(self, bones: Any) -> None:
        """Makes targets for joints, which robots here do not have."""
        self.ik_targets += [(BlenderObject("Empty"), bone) for bone in bones]


class KukaLWR(Armature):
    def __init__(self, name: str | None = None):
        super().__init__(name, model_name="kuka_lwr")
        self.create_ik_targets(["kuka_7"])


class Drag(ActuatorCreator):
    _classpath = "morse.actuators.drag.Drag"
    _missing = _NO_FORCES

    def __init__(self, name: str | None = None):
        super().__init__(name)
        self.mark_unexportable()


class ExternalForce(ActuatorCreator):
    _classpath = "morse.actuators.external_force.ExternalForce"
    _missing = _NO_FORCES


