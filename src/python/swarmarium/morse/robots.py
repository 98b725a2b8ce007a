"""The robots of MORSE's builder."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from .actuators import Armature, Keyboard, MotionXYW
from .blender import BlenderObject
from .building import current
from .component import AbstractComponent
from .sensors import ArmaturePose, CompoundSensor, Hokuyo, Odometry, Pose


@dataclass(frozen=True)
class Body:
    """The outline of a robot, and how it moves. Models are in Blender files, which are not read."""

    fields: str
    """Fields of a group in the notation of scenes, each with a comma after it."""
    shown: str = ""
    """The outline, if it stands in for another one."""
    height_m: float = 0.0
    """The height of the center of a robot on the ground, as MORSE's tests have it."""
    is_preset: bool = False
    """Whether the preset has that height, too."""


def _box(length_m: float, width_m: float, shown: bool = True, height_m: float = 0.0) -> Body:
    x, y = length_m / 2, width_m / 2
    corners = f"[({x!r}, {y!r}), ({-x!r}, {y!r}), ({-x!r}, {-y!r}), ({x!r}, {-y!r})]"
    text = f"a rectangle of {length_m:g} m by {width_m:g} m"
    return Body(f"body: Polygon(corners_m: {corners}), motion: Holonomic(),", text if shown else "", height_m)


def _disc(radius_m: float) -> Body:
    return Body(f"body: Disc(radius_m: {radius_m!r}), motion: Holonomic(),", f"a disc of {radius_m:g} m radius")


_NO_BODY = Body("body: Disc(radius_m: 0.01), collides: Off, motion: Holonomic(),")
_ANY_BODY = _disc(0.3)

BODIES: Mapping[str, Body] = {
    "atrv": Body('robot: "atrv",', height_m=0.1, is_preset=True),
    "pioneer3dx": Body('robot: "pioneer3dx",', height_m=0.15),
    "morsy": _box(0.786, 1.116, shown=False),
    "b21": _disc(0.26),
    "jido": _disc(0.35),
    "patrolbot": _box(0.59, 0.48),
    "segwayrmp400": _box(1.12, 0.76, height_m=0.2),
    "hummer": _box(4.6, 2.2),
    "pr2": _box(0.67, 0.67),
    "human_rig": _disc(0.25),
    "mocap_human": _disc(0.25),
    "victim": _disc(0.3),
    "quadrotor": _disc(0.4),
    "quadrotor_dynamic": _disc(0.4),
    "rmax": _disc(0.9),
    "submarine": _disc(0.5),
}
"""The bodies of the models of MORSE."""


class Component(AbstractComponent):
    """A component with a model of MORSE."""

    def __init__(
        self,
        category: str = "",
        filename: str = "",
        blender_object_name: str | None = None,
        make_morseable: bool = True,
    ):
        stem = os.path.splitext(os.path.basename(str(filename)))[0]
        super().__init__(BlenderObject(blender_object_name or stem or "Empty"), str(filename), category)


class Robot(Component):
    """A robot. A file name of a model that MORSE does not have stands for a disc."""

    is_external: bool
    is_ghost: bool

    _category = "robots"
    _properties: ClassVar[Mapping[str, Any]] = {}
    _is_ground: ClassVar[bool] = False
    _flies: ClassVar[bool] = False

    def __init__(self, filename: str = "", name: str | None = None, blender_object_name: str | None = None):
        super().__init__("robots", filename, blender_object_name)
        self.default_interface: str | None = None
        self.is_ghost = False
        self.is_external = False
        self.properties(Robot_Tag=True, classpath="morse.core.robot.Robot")
        self.properties(**self._properties)
        if name:
            self.name = name

    def body(self) -> Body:
        """The body of the model."""
        stem = os.path.splitext(os.path.basename(self._file))[0]
        if not stem:
            return _NO_BODY
        return BODIES.get(stem, _ANY_BODY)

    def add_default_interface(self, stream: str) -> None:
        """Gives all components that have no stream or services of a middleware both."""
        self.default_interface = stream

    def add_interface(self, interface: str, **options: Any) -> None:
        """The interface of a robot is that of its components."""
        self.add_service(interface)

    def make_external(self) -> None:
        """Leaves the robot to another program of MORSE."""
        self.is_external = True
        current().lose("a robot of another program is a robot here, which stands until a client drives it")

    def make_ghost(self, alpha: float = 0.3) -> None:
        """Makes the robot pass through others."""
        self.is_ghost = True
        current().lose("laser scanners see the ghost, which collides with nothing")

    def set_no_collision(self) -> None:
        """Makes the robot pass through others."""
        self._bpy_object.game.physics_type = "NO_COLLISION"

    def set_physics_type(self, physics_type: str = "STATIC") -> None:
        """Sets how physics treats the robot: only `NO_COLLISION` makes a difference here."""
        self._bpy_object.game.physics_type = physics_type

    def set_rigid_body(self) -> None:
        """Makes the robot a rigid body, which it is here."""
        self._bpy_object.game.physics_type = "RIGID_BODY"

    def set_dynamic(self) -> None:
        """Makes the robot move, as all robots do here."""
        self._bpy_object.game.physics_type = "DYNAMIC"

    def set_mass(self, mass: float) -> None:
        """Sets the mass in kilograms."""
        current().lose("robots have no mass: commands set their velocity")

    def set_friction(self, friction: float = 0.0) -> None:
        """Sets the friction."""
        current().lose("robots have no friction: commands set their velocity")

    def set_collision_bounds(self) -> None:
        """Chooses the hull as the outline, as all outlines are here."""

    def set_use_record_animation(self, use_record_animation: bool = True) -> None:
        """Records an animation in Blender."""
        current().change_looks()

    def make_grasper(self, obj_name: str) -> None:
        """Makes a part of the robot grasp objects."""
        current().lose("a grasper is left out: a `Gripper` grasps")


class GroundRobot(Robot):
    """A robot that stands on the ground."""

    _is_ground = True

    def __init__(self, filename: str = "", name: str | None = None, blender_object_name: str | None = None):
        super().__init__(filename, name, blender_object_name)
        self.properties(GroundRobot=True)


class WheeledRobot(GroundRobot):
    """A robot on wheels, which are part of its body here."""

    def unparent_wheels(self) -> None:
        """Separates the wheels from the body, which has no effect here."""


class _Model:
    """The part of the classes with a model of their own, before their base."""

    _model: ClassVar[str] = ""

    def __init__(self, name: str | None = None):
        super().__init__(self._model, name)  # type: ignore[call-arg]


def _of(classpath: str, **values: Any) -> dict[str, Any]:
    """The properties of a model."""
    return {"classpath": f"morse.robots.{classpath}", **values}


_WHEELS = {"HasSuspension": False, "Influence": 0.1, "Friction": 0.8}


class ATRV(_Model, GroundRobot):
    _model = "atrv"
    _properties = _of("atrv.ATRV")


class B21(_Model, GroundRobot):
    _model = "b21"
    _properties = _of("b21.B21")


class Morsy(_Model, GroundRobot):
    _model = "morsy"
    _properties = _of("morsy.Morsy")


class Jido(_Model, GroundRobot):
    _model = "jido"
    _properties = _of("jido.Jido")


class Hummer(_Model, GroundRobot):
    _model = "hummer"
    _properties = _of("hummer.Hummer", brakes=0.0, friction=200.0, force=0.0, steer=0.0, init=0, cid=0)


class Pioneer3DX(_Model, WheeledRobot):
    _model = "pioneer3dx"
    _properties = _of("pioneer3dx.Pioneer3DX", **_WHEELS, FixTurningSpeed=0.52)


class SegwayRMP400(_Model, WheeledRobot):
    _model = "segwayrmp400"
    _properties = _of("segwayrmp400.SegwayRMP400", **_WHEELS, FixTurningSpeed=1.16)


class PatrolBot(_Model, WheeledRobot):
    _model = "patrolbot"
    _properties = _of("patrolbot.PatrolBot", **_WHEELS)


class Victim(_Model, GroundRobot):
    _model = "victim"
    _properties = _of("victim.Victim", Victim_Tag=True, Requirements="1,2,3", Injured=True, Severity=10)


class QUAD2012(_Model, Robot):
    _model = "quadrotor"
    _properties = _of("quadrotor.Quadrotor")
    _flies = True


class Quadrotor(_Model, Robot):
    _model = "quadrotor_dynamic"
    _properties = _of("quadrotor_dynamic.Quadrotor")
    _flies = True


class RMax(_Model, Robot):
    _model = "rmax"
    _properties = _of("rmax.RMax", NoGravity=True)
    _flies = True


class Submarine(_Model, Robot):
    _model = "submarine"
    _properties = _of("submarine.Submarine", NoGravity=True)
    _flies = True


class FakeRobot(Robot):
    """A robot without a body, which carries sensors."""

    _properties = {"classpath": "morse.robots.fakerobot.FakeRobot"}

    def __init__(self, name: str | None = None):
        super().__init__(name=name)
        self.set_no_collision()


class Human(GroundRobot):
    """A human, whose posture is not simulated."""

    joint_states: ArmaturePose
    skeleton: Armature

    _properties = {"classpath": "morse.robots.human.Human"}
    IK_TARGETS = ("head", "wrist_L", "wrist_R", "foot_L", "foot_R")

    def __init__(self, filename: str = "human_rig", name: str | None = None):
        super().__init__(filename, name)
        self.skeleton = Armature(armature_name="HumanSkeleton")
        self.append(self.skeleton)
        self.joint_states = ArmaturePose("joint_states")
        self.skeleton.append(self.joint_states)

    def add_interface(self, interface: str, **options: Any) -> None:
        """Adds the interfaces of the posture."""
        if interface in ("socket", "ros"):
            self.joint_states.add_stream(interface)
            self.skeleton.add_service(interface)
        if interface == "socket":
            self.joint_states.add_service(interface)
        if interface == "ros":
            self.skeleton.add_overlay("ros", "morse.middleware.ros.overlays.armatures.ArmatureController")


class BarePR2(GroundRobot):
    """A PR2 without sensors and actuators."""

    _properties = {"classpath": "morse.robots.pr2.PR2", "COLOR": "0.0, 0.0, 1.0"}

    def __init__(self, name: str | None = None):
        super().__init__("pr2", name)


class BasePR2(BarePR2):
    """A PR2 with its arms, which are not simulated."""

    head: Armature
    head_pose: ArmaturePose
    joint_state: CompoundSensor
    l_arm: Armature
    l_arm_pose: ArmaturePose
    r_arm: Armature
    r_arm_pose: ArmaturePose
    torso: Armature
    torso_pose: ArmaturePose

    def __init__(self, name: str | None = None):
        super().__init__(name)
        parts: dict[str, tuple[Armature, ArmaturePose]] = {}
        for part in ("torso", "head", "l_arm", "r_arm"):
            armature, pose = Armature(armature_name=f"{part}_armature"), ArmaturePose()
            armature.basename = part
            pose.name = "pose"
            armature.append(pose)
            (parts["torso"][0] if parts else self).append(armature)
            parts[part] = (armature, pose)
        self.torso, self.torso_pose = parts["torso"]
        self.head, self.head_pose = parts["head"]
        self.l_arm, self.l_arm_pose = parts["l_arm"]
        self.r_arm, self.r_arm_pose = parts["r_arm"]
        self.joint_state = CompoundSensor([pose for _, pose in parts.values()])
        self.append(self.joint_state)

    def add_interface(self, interface: str, **options: Any) -> None:
        """Adds the interfaces of the joints."""
        parts = {"torso_lift": "torso", "head": "head", "l_arm": "l_arm", "r_arm": "r_arm"}
        if interface == "socket":
            self.joint_state.add_stream("socket", "morse.middleware.sockets.jointstate.PR2JointStatePublisher")
            for part in parts.values():
                getattr(self, part).add_service("socket")
        elif interface == "ros":
            joints = "morse.middleware.ros.jointstate.JointStatePR2Publisher"
            self.joint_state.add_stream("ros", joints, topic="/joint_states")
            self.joint_state.add_service("ros")
            state = "morse.middleware.ros.jointtrajectorycontrollers.JointTrajectoryControllerStatePublisher"
            controller = "morse.middleware.ros.overlays.armatures.ArmatureController"
            for name, part in parts.items():
                getattr(self, f"{part}_pose").add_stream("ros", state, topic=f"/{name}_controller/state")
                getattr(self, part).add_overlay("ros", controller, namespace=f"/{name}_controller")


class _DrivenPR2(BasePR2):
    def __init__(self, name: str | None = None, with_keyboard: bool = True, show_laser: bool = False):
        super().__init__(name)
        self.motion: MotionXYW = MotionXYW()
        self.motion.properties(ControlType="Position")
        self.append(self.motion)
        if with_keyboard:
            keyboard = Keyboard()
            self.append(keyboard)


class LocalizedPR2(_DrivenPR2):
    """A PR2 that knows its pose."""

    pose: Pose

    def __init__(self, name: str | None = None, with_keyboard: bool = True, show_laser: bool = False):
        super().__init__(name, with_keyboard)
        self.pose = Pose()
        self.append(self.pose)

    def add_interface(self, interface: str, **options: Any) -> None:
        """Adds the interfaces of its pose and its motion."""
        super().add_interface(interface)
        if interface == "ros":
            self.motion.add_stream("ros", topic="/cmd_vel")
            self.pose.add_stream("ros", method="morse.middleware.ros.pose.TFPublisher")


class NavPR2(_DrivenPR2):
    """A PR2 with sensors for navigation in the plane."""

    base_scan: Hokuyo
    odometry: Odometry

    def __init__(self, name: str | None = None, with_keyboard: bool = True, show_laser: bool = False):
        super().__init__(name, with_keyboard)
        self.odometry = Odometry()
        self.append(self.odometry)
        self.base_scan = Hokuyo()
        self.base_scan.translate(x=0.275, z=0.252)
        self.append(self.base_scan)
        self.base_scan.properties(Visible_arc=show_laser, laser_range=30.0, resolution=1.0, scan_window=180.0)

    def add_interface(self, interface: str, **options: Any) -> None:
        """Adds the interfaces of its sensors and its motion."""
        super().add_interface(interface)
        if interface == "ros":
            self.base_scan.add_stream("ros", topic="/scan")
            self.odometry.add_stream("ros", topic="/odom")
            self.motion.add_stream("ros", topic="/cmd_vel")
