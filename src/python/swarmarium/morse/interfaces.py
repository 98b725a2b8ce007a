"""Names of MORSE: the classes of streams, services and modifiers that its builder writes into configurations."""

from __future__ import annotations

from typing import Any

_MIDDLEWARE = "morse.middleware."
_MODIFIERS = "morse.modifiers."

STREAM_MANAGERS = {
    name: f"{_MIDDLEWARE}{name}_datastream.{kind}DatastreamManager"
    for name, kind in {
        "ros": "ROS",
        "socket": "Socket",
        "yarp": "Yarp",
        "pocolibs": "Pocolibs",
        "text": "Text",
        "moos": "MOOS",
        "hla": "HLA",
        "mavlink": "Mavlink",
        "pprzlink": "Pprzlink",
    }.items()
}
"""The managers of streams by middleware."""

SERVICE_MANAGERS = {
    "socket": _MIDDLEWARE + "socket_request_manager.SocketRequestManager",
    "yarp": _MIDDLEWARE + "yarp_request_manager.YarpRequestManager",
    "yarp_json": _MIDDLEWARE + "yarp_json_request_manager.YarpRequestManager",
    "pocolibs": _MIDDLEWARE + "pocolibs_request_manager.PocolibsRequestManager",
    "ros": _MIDDLEWARE + "ros_request_manager.RosRequestManager",
}
"""The managers of requests by middleware."""

ANY_OUT = {
    "socket": _MIDDLEWARE + "socket_datastream.SocketPublisher",
    "yarp": _MIDDLEWARE + "yarp_datastream.YarpPublisher",
    "yarp_json": _MIDDLEWARE + "yarp.yarp_json.YarpJsonPublisher",
    "text": _MIDDLEWARE + "text_datastream.Publisher",
    "moos": _MIDDLEWARE + "moos.abstract_moos.StringPublisher",
}
"""The streams of any sensor by middleware."""

ANY_IN = {
    "socket": _MIDDLEWARE + "socket_datastream.SocketReader",
    "yarp": _MIDDLEWARE + "yarp_datastream.YarpReader",
    "yarp_json": _MIDDLEWARE + "yarp.yarp_json.YarpJsonReader",
}
"""The streams of any actuator by middleware."""


def _out(usual: str, **special: str) -> dict[str, str]:
    """The streams of a sensor: those of any sensor for some middlewares, and special ones."""
    return {name: ANY_OUT[name] for name in usual.split()} | {name: _MIDDLEWARE + one for name, one in special.items()}


def _in(usual: str, **special: str) -> dict[str, str]:
    """The streams of an actuator."""
    return {name: ANY_IN[name] for name in usual.split()} | {name: _MIDDLEWARE + one for name, one in special.items()}


_ALL = "socket yarp moos text"
_POM = "pocolibs.sensors.pom.PomSensorPoster"

_SENSORS: dict[str, dict[str, dict[str, str]]] = {
    "accelerometer.Accelerometer": {"default": _out(_ALL, ros="ros.accelerometer.AccelWithCovarianceStampedPublisher")},
    "armature_pose.ArmaturePose": {"default": _out(_ALL, ros="ros.jointstate.JointStatePublisher")},
    "attitude.Attitude": {"default": _out(_ALL, mavlink="mavlink.attitude.AttitudeSensor")},
    "barometer.Barometer": {"default": _out(_ALL)},
    "battery.Battery": {"default": _out(_ALL, ros="ros.battery.Float32Publisher")},
    "clock.Clock": {"default": _out(_ALL, ros="ros.clock.ClockPublisher")},
    "depth_camera.DepthCamera": {
        "default": _out(
            "",
            socket="sockets.depth_camera.DepthCameraPublisher",
            ros="ros.depth_camera.DepthCameraPublisher",
            pocolibs="pocolibs.sensors.stereopixel.Spix3DImagePoster",
        )
    },
    "depth_camera.DepthCameraRotationZ": {
        "default": _out(
            "",
            socket="sockets.depth_camera.DepthCameraPublisher",
            ros="ros.depth_camera.DepthCameraPublisher",
            pocolibs="pocolibs.sensors.velodyne.Velodyne3DImage",
        )
    },
    "depth_camera.DepthVideoCamera": {
        "default": _out(
            "",
            socket="sockets.depth_camera.DepthCameraPublisher",
            ros="ros.video_camera.DepthCameraPublisher",
            yarp="yarp.video_depth_camera.YarpImageFloatPublisher",
            pocolibs="pocolibs.sensors.viam.ViamPoster",
        )
    },
    "depth_camera_aggregator.DepthCameraAggregator": {
        "default": _out(
            "", socket="sockets.depth_camera.DepthCameraPublisher", ros="ros.depth_camera.DepthCameraPublisher"
        )
    },
    "gps.GPS": {
        "simple": _out(
            "socket yarp yarp_json text", ros="ros.gps.NavSatFixPublisher", pocolibs=_POM, moos="moos.gps.GPSNotifier"
        ),
        "raw": _out("socket yarp yarp_json text", ros="ros.gps.NavSatFixRawPublisher"),
        "extended": _out("socket yarp yarp_json text"),
    },
    "gyroscope.Gyroscope": {
        "default": _out(
            "socket yarp text", ros="ros.StringPublisher", pocolibs=_POM, moos="moos.gyroscope.GyroscopeNotifier"
        )
    },
    "human_posture.HumanPosture": {"default": _out(_ALL, pocolibs="pocolibs.sensors.human_posture.HumanPoster")},
    "imu.IMU": {"default": _out("socket yarp text", ros="ros.imu.ImuPublisher", moos="moos.imu.IMUNotifier")},
    "laserscanner.LaserScanner": {
        "raw": _out(
            "socket",
            ros="ros.laserscanner.LaserScanPublisher",
            yarp="yarp.laserscanner.YarpLaserScannerPublisher",
            moos="moos.sick.LIDARNotifier",
        ),
        "rssi": _out("socket"),
        "range": _out("socket", ros="ros.infrared.RangePublisher"),
    },
    "odometry.Odometry": {
        "differential": _out(_ALL),
        "raw": _out(_ALL),
        "integrated": _out(
            _ALL,
            ros="ros.odometry.OdometryPublisher",
            pocolibs=_POM,
            mavlink="mavlink.odometry_to_local_ned.OdometrySensor",
        ),
    },
    "magnetometer.Magnetometer": {"default": _out(_ALL)},
    "pose.Pose": {
        "default": _out(
            "socket yarp text", ros="ros.pose.PoseStampedPublisher", pocolibs=_POM, moos="moos.pose.PoseNotifier"
        )
    },
    "proximity.Proximity": {"default": _out(f"{_ALL} yarp_json", ros="ros.StringPublisher")},
    "ptu_posture.PTUPosture": {
        "default": _out(
            _ALL,
            ros="ros.jointstate.JointStatePublisher",
            pocolibs="pocolibs.sensors.platine_posture.PlatinePoster",
        )
    },
    "radar_altimeter.RadarAltimeter": {"default": _out(_ALL)},
    "stereo_unit.StereoUnit": {"default": _out("", pocolibs="pocolibs.sensors.viam.ViamPoster")},
    "search_and_rescue.SearchAndRescue": {
        "default": _out(f"{_ALL} yarp_json", pocolibs="pocolibs.sensors.target.TargetPoster")
    },
    "semantic_camera.SemanticCamera": {
        "default": _out(
            "socket yarp",
            ros="ros.semantic_camera.SemanticCameraPublisher",
            pocolibs="pocolibs.sensors.viman.VimanPoster",
        )
    },
    "thermometer.Thermometer": {"default": _out(_ALL)},
    "velocity.Velocity": {"default": _out(_ALL, ros="ros.velocity.TwistStampedPublisher")},
    "video_camera.VideoCamera": {
        "default": _out(
            "",
            ros="ros.video_camera.VideoCameraPublisher",
            socket="sockets.video_camera.VideoCameraPublisher",
            yarp="yarp.video_camera.YarpImagePublisher",
            pocolibs="pocolibs.sensors.viam.ViamPoster",
        )
    },
}

_ACTUATORS: dict[str, dict[str, str]] = {
    "armature.Armature": _in("socket yarp", pocolibs="pocolibs.actuators.lwr.LwrPoster"),
    "arucomarker.Arucomarker": _in("socket yarp", ros="ros.read_pose.PoseReader"),
    "destination.Destination": _in("socket yarp", ros="ros.destination.PointReader"),
    "force_torque.ForceTorque": _in("socket yarp", ros="ros.force_torque.WrenchReader"),
    "external_force.ExternalForce": _in("socket yarp", ros="ros.force_torque.WrenchReader"),
    "gripper.Gripper": _in("socket yarp"),
    "light.Light": _in("socket yarp", ros="ros.light.BoolReader", moos="moos.light.LightReader"),
    "mocap_control.MocapControl": _in("", pocolibs="pocolibs.actuators.niut.NiutPoster"),
    "orientation.Orientation": _in("socket yarp", ros="ros.orientation.QuaternionReader"),
    "ptu.PTU": _in("socket yarp", ros="ros.platine.Vector3Reader", pocolibs="pocolibs.actuators.platine.PlatinePoster"),
    "quadrotor_dynamic_control.QuadrotorDynamicControl": _in(
        "socket yarp", ros="ros.quadrotor_dynamic.QuadrotorDynamicReader"
    ),
    "rotorcraft_attitude.RotorcraftAttitude": _in(
        "socket yarp",
        ros="ros.rotorcraft_attitude.RotorcraftAttitudeReader",
        mavlink="mavlink.read_attitude_target.AttitudeTarget",
    ),
    "rotorcraft_velocity.RotorcraftVelocity": _in("socket", ros="ros.read_twist.TwistReader"),
    "rotorcraft_waypoint.RotorcraftWaypoint": _in(
        "socket yarp",
        ros="ros.read_pose.PoseReader",
        mavlink="mavlink.local_position_ned_to_waypoint.WaypointActuator",
    ),
    "stabilized_quadrotor.StabilizedQuadrotor": _in("socket yarp"),
    "steer_force.SteerForce": _in("socket yarp", moos="moos.motion.MotionReader"),
    "v_omega.MotionVW": _in(
        "socket yarp",
        ros="ros.motion_vw.TwistReader",
        pocolibs="pocolibs.actuators.genpos.GenPosPoster",
        moos="moos.motion.MotionReader",
    ),
    "v_omega_diff_drive.MotionVWDiff": _in(
        "socket yarp",
        ros="ros.motion_vw.TwistReader",
        pocolibs="pocolibs.actuators.genpos.GenPosPoster",
        moos="moos.motion.MotionReader",
    ),
    "xy_omega.MotionXYW": _in("socket yarp", ros="ros.motion_xyw.TwistReader"),
    "teleport.Teleport": _in(
        "socket yarp",
        ros="ros.read_pose.PoseReader",
        moos="moos.pose.PoseReader",
        pprzlink="pprzlink.set_rotorcraft_pose.RotorcraftPose",
    ),
    "waypoint.Waypoint": _in("socket yarp yarp_json"),
}

DEFAULT_LEVELS = {
    "morse.sensors.odometry.Odometry": "integrated",
    "morse.sensors.gps.GPS": "simple",
    "morse.sensors.laserscanner.LaserScanner": "raw",
}
"""The levels of components that have several."""


def streams() -> dict[str, dict[str, dict[str, Any]]]:
    """The classes of streams by component, level and middleware: a table of its own for each script, which can change it."""
    sensors = {f"morse.sensors.{name}": {level: dict(one) for level, one in all_.items()} for name, all_ in _SENSORS.items()}
    actuators = {f"morse.actuators.{name}": {"default": dict(one)} for name, one in _ACTUATORS.items()}
    return sensors | actuators


def _modifiers(noise: dict[str, str]) -> dict[str, str]:
    return {f"morse.{component}": _MODIFIERS + modifier for component, modifier in noise.items()}


_POSE, _GPS, _GYROSCOPE = "sensors.pose.Pose", "sensors.gps.GPS", "sensors.gyroscope.Gyroscope"
_POSE_NOISE = {
    "sensors.odometry.Odometry": "pose_noise.PoseNoiseModifier",
    _POSE: "pose_noise.PoseNoiseModifier",
    _GPS: "pose_noise.PositionNoiseModifier",
    _GYROSCOPE: "pose_noise.OrientationNoiseModifier",
}
_IMU_NOISE = {"sensors.imu.IMU": "imu_noise.IMUNoiseModifier"}


def _frame(to: str, back: str, *, teleport: bool = True) -> dict[str, str]:
    """A conversion of positions: of sensors to a frame, and of actuators back from it."""
    actuators = ["destination.Destination", "waypoint.Waypoint"] + (["teleport.Teleport"] if teleport else [])
    return {_POSE: to, _GPS: to} | {f"actuators.{name}": back for name in actuators}


MODIFIERS = {
    name: _modifiers(modifiers)
    for name, modifiers in {
        "NED": _frame("ned.CoordinatesToNED", "ned.CoordinatesFromNED")
        | {_GYROSCOPE: "ned.AnglesToNED", "actuators.orientation.Orientation": "ned.AnglesFromNED"},
        "ECEF": _frame("ecef.CoordinatesToECEF", "ecef.CoordinatesFromECEF"),
        "feet": _frame("feet.MeterToFeet", "feet.FeetToMeter"),
        "geodetic": _frame("geodetic.CoordinatesToGeodetic", "geodetic.CoordinatesFromGeodetic"),
        "geocentric": _frame("geocentric.CoordinatesToGeocentric", "geocentric.CoordinatesFromGeocentric"),
        "UTM": _frame("utm.CoordinatesToUTM", "utm.CoordinatesFromUTM", teleport=False),
        "PoseNoise": _POSE_NOISE,
        "IMUNoise": _IMU_NOISE,
        "Noise": _IMU_NOISE | _POSE_NOISE,
    }.items()
}
"""The classes of modifiers by name and component."""
