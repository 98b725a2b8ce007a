"""The sensors of MORSE's builder."""

from __future__ import annotations

from typing import Any, ClassVar

from .component import AbstractComponent
from .counterpart import Counterpart, choice, number, text
from .creator import SensorCreator

_NO_IMAGES = "the plane has no images"
_FROM_POSITIONS = {"ComputationMode": "Automatic"}


class Accelerometer(SensorCreator):
    _classpath = "morse.sensors.accelerometer.Accelerometer"
    _counterpart = Counterpart("Accelerometer", is_mounted=True, usual=_FROM_POSITIONS)


class ArmaturePose(SensorCreator):
    _classpath = "morse.sensors.armature_pose.ArmaturePose"
    _missing = "robots have no arms"


class Attitude(SensorCreator):
    _classpath = "morse.sensors.attitude.Attitude"
    _counterpart = Counterpart("Attitude", is_mounted=True, usual=_FROM_POSITIONS | {"UseAngleAgainstNorth": False})


class Barometer(SensorCreator):
    _classpath = "morse.sensors.barometer.Barometer"
    _missing = "there is no air"


class Battery(SensorCreator):
    _classpath = "morse.sensors.battery.Battery"
    _counterpart = Counterpart("Battery", {"DischargingRate": number("discharge_percent_per_s")})
    _defaults = {"DischargingRate": 0.05}


class Clock(SensorCreator):
    _classpath = "morse.sensors.clock.Clock"
    _counterpart = Counterpart("Clock")


class Collision(SensorCreator):
    _classpath = "morse.sensors.collision.Collision"
    _counterpart = Counterpart("Collision", {"only_objects_with_property": text("only")}, is_mounted=True)


class CompoundSensor(SensorCreator):
    _classpath = "morse.sensors.compound.CompoundSensor"
    _missing = "clients read the sensors that it joins"

    def __init__(self, sensors: Any, name: str | None = None):
        super().__init__(name)
        self.sensors = sensors

    def after_renaming(self) -> None:
        """Names the sensors that it joins."""
        self.properties(sensors=",".join(map(str, self.sensors)))


class GPS(SensorCreator):
    _classpath = "morse.sensors.gps.GPS"
    _counterpart = Counterpart("Gps", {"abstraction_level": choice("level")}, is_mounted=True)


class Gyroscope(SensorCreator):
    _classpath = "morse.sensors.gyroscope.Gyroscope"
    _counterpart = Counterpart("Gyroscope", is_mounted=True)


class IMU(SensorCreator):
    _classpath = "morse.sensors.imu.IMU"
    _counterpart = Counterpart("Imu", is_mounted=True, usual=_FROM_POSITIONS)


class Magnetometer(SensorCreator):
    _classpath = "morse.sensors.magnetometer.Magnetometer"
    _missing = "there is no model of the magnetic field of the Earth; an `IMU` has a constant field"


class Odometry(SensorCreator):
    _classpath = "morse.sensors.odometry.Odometry"
    _counterpart = Counterpart("MotionOdometry", {"abstraction_level": choice("level")}, is_mounted=True)


class Pose(SensorCreator):
    _classpath = "morse.sensors.pose.Pose"
    _counterpart = Counterpart("Pose", is_mounted=True)


class Proximity(SensorCreator):
    _classpath = "morse.sensors.proximity.Proximity"
    _counterpart = Counterpart("Neighbours", {"Range": number("range_m"), "Track": text("tag")})
    _defaults = {"Range": 30.0, "Track": "Robot_Tag"}
    _rate_hz = 12


class PTUPosture(SensorCreator):
    _classpath = "morse.sensors.ptu_posture.PTUPosture"
    _missing = "robots have no pan-tilt units"


class SearchAndRescue(SensorCreator):
    _classpath = "morse.sensors.search_and_rescue.SearchAndRescue"
    _missing = "victims have no injuries"
    _defaults = {"Heal_range": 2.0, "Abilities": "1,2"}
    _rate_hz = 6


class StereoUnit(SensorCreator):
    _classpath = "morse.sensors.stereo_unit.StereoUnit"
    _missing = _NO_IMAGES


class Thermometer(SensorCreator):
    _classpath = "morse.sensors.thermometer.Thermometer"
    _counterpart = Counterpart(
        "Thermometer",
        {
            "DefaultTemperature": number("base_celsius"),
            "FireTemperature": number("fire_celsius"),
            "Alpha": number("alpha_per_m"),
            "FireTag": text("fire"),
            "Range": number("range_m"),
        },
        is_mounted=True,
    )


class LaserSensorWithArc(SensorCreator):
    """The base of laser scanners."""

    _classpath = "morse.sensors.laserscanner.LaserScanner"
    _counterpart: ClassVar[Counterpart | None] = Counterpart(
        "LaserScanner",
        {
            "laser_range": number("range_m"),
            "scan_window": number("window_deg"),
            "resolution": number("resolution_deg"),
        },
        is_mounted=True,
        ignored=("Visible_arc", "layer_separation", "layer_offset"),
        usual={"layers": 1, "abstraction_level": "raw"},
    )
    _rate_hz = 10

    def create_laser_arc(self) -> None:
        """Draws the arc, which the window draws on its own."""


def _scan(window_deg: float, resolution_deg: float, range_m: float = 30.0, is_shown: bool = False) -> dict[str, Any]:
    return {
        "Visible_arc": is_shown,
        "laser_range": range_m,
        "scan_window": window_deg,
        "resolution": resolution_deg,
    }


class Hokuyo(LaserSensorWithArc):
    _defaults = _scan(270.0, 0.25)


class Sick(LaserSensorWithArc):
    _defaults = _scan(180.0, 1.0)


class SickLDMRS(LaserSensorWithArc):
    _defaults = _scan(100.0, 0.25) | {"layers": 4, "layer_separation": 0.8, "layer_offset": 0.125}
    _rate_hz = 4


class Infrared(LaserSensorWithArc):
    _defaults = _scan(20.0, 1.0, 2.0, is_shown=True)


class VelodyneRayCast(LaserSensorWithArc):
    _classpath = "morse.sensors.laserscanner.LaserScannerRotationZ"
    _counterpart = None
    _missing = "it scans heights, which the plane does not have"
    _defaults = _scan(31.5, 0.5, 50.0, is_shown=True)


class Velocity(SensorCreator):
    _classpath = "morse.sensors.velocity.Velocity"
    _counterpart = Counterpart("Velocity", is_mounted=True, usual=_FROM_POSITIONS)


class VideoCamera(SensorCreator):
    camera: AbstractComponent

    _classpath = "morse.sensors.video_camera.VideoCamera"
    _missing = _NO_IMAGES
    _defaults = {"cam_width": 256, "cam_height": 256, "cam_focal": 35.0, "capturing": True, "Vertical_Flip": True}
    _rate_hz = 20

    def __init__(self, name: str | None = None):
        super().__init__(name)
        self.camera = AbstractComponent()
        self.append(self.camera)

    def hide_mesh(self, hide: bool = True) -> None:
        """Hides the model, which has no effect here."""


class DepthCamera(VideoCamera):
    _classpath = "morse.sensors.depth_camera.DepthCamera"

    def __init__(self, name: str | None = None):
        super().__init__(name)
        self.properties(cam_near=1.0, cam_far=20.0, retrieve_depth=True, Vertical_Flip=False)


class DepthCameraAggregator(SensorCreator):
    _classpath = "morse.sensors.depth_camera_aggregator.DepthCameraAggregator"
    _missing = _NO_IMAGES

    def __init__(self, name: str | None = None):
        super().__init__(name)
        self.master: Any = None
        self.cameras: list[Any] = []

    def set_master(self, master: Any) -> None:
        """Chooses the camera that starts the others."""
        self.master = master

    def append(self, obj: Any, child: str | None = None, level: int = 2) -> None:
        """Adds a camera."""
        self.cameras.append(obj)
        super().append(obj, child, level)


class Velodyne(DepthCamera):
    _classpath = "morse.sensors.depth_camera.DepthCameraRotationZ"


VelodyneZB = Velodyne
"""The name of early versions."""


class VLP16_180(DepthCameraAggregator):
    pass


class SemanticCamera(VideoCamera):
    _classpath = "morse.sensors.semantic_camera.SemanticCamera"


class Kinect(CompoundSensor):
    depth_camera: DepthCamera
    sensors: list[Any]
    video_camera: VideoCamera

    def __init__(self, name: str = "Kinect"):
        super().__init__([], name)
        self.video_camera = VideoCamera("rgb")
        self.depth_camera = DepthCamera("depth")
        self.video_camera.properties(cam_width=128, cam_height=128)
        self.depth_camera.properties(
            classpath="morse.sensors.depth_camera.DepthVideoCamera", cam_width=128, cam_height=128, Vertical_Flip=True
        )
        self.append(self.video_camera)
        self.append(self.depth_camera)
        self.video_camera.location = (0.06, 0.08, 0.04)
        self.depth_camera.location = (0.06, -0.08, 0.04)
        self.sensors = [self.video_camera, self.depth_camera]

    def add_stream(self, *arguments: Any, **options: Any) -> None:
        """Adds a stream to both cameras."""
        self.video_camera.add_stream(*arguments, **options)
        self.depth_camera.add_stream(*arguments, **options)

    def frequency(self, frequency: float | None = None) -> None:
        """Sets the frequency of both cameras."""
        if hasattr(self, "depth_camera"):
            self.video_camera.frequency(frequency)
            self.depth_camera.frequency(frequency)


class RadarAltimeter(SensorCreator):
    _classpath = "morse.sensors.radar_altimeter.RadarAltimeter"
    _missing = "the ground is flat"


class Airspeed(SensorCreator):
    _classpath = "morse.sensors.airspeed.Airspeed"
    _missing = "there is no air"


