"""The environment of MORSE's builder: the world, time and the sockets."""

from __future__ import annotations

from typing import Any

from . import interfaces
from .blender import BlenderObject
from .building import current
from .component import AbstractComponent, name_components
from .errors import refuse

DEFAULT_FREQUENCY_HZ = 60.0


class TimeStrategies:
    """How MORSE treats steps that are late."""

    BestEffort = 0
    FixedSimulationStep = 1


class Environment(AbstractComponent):
    """The environment. It names the components, so scripts make it last."""

    auto_tune_time: bool
    gravity_m_per_s2: float
    is_created: bool

    def __init__(
        self,
        filename: str,
        main_scene: str | None = None,
        fastmode: bool = False,
        component_renaming: bool = True,
        auto_tune_time: bool = True,
    ):
        super().__init__(BlenderObject("MORSE.Properties"), filename=str(filename))
        building = current()
        building.components.remove(self)
        building.environments.append(self)
        self.fastmode = fastmode
        self.auto_tune_time = auto_tune_time
        self.strategy: int | None = None
        self.gravity_m_per_s2 = 9.81
        self.is_created = False
        self.multinode_distribution: dict[str, Any] = {}
        self._add_default_interfaces()
        if component_renaming:
            name_components()

    def _add_default_interfaces(self) -> None:
        for robot in current().components:
            interface = getattr(robot, "default_interface", None)
            if interface:
                _add_default_interface(robot, interface)

    def create(self, name: str | None = None) -> None:
        """Completes the scene."""
        if self.is_created:
            return
        self.is_created = True
        for component in list(current().components):
            complete = getattr(component, "after_renaming", None)
            if complete is not None:
                complete()

    # Time

    def simulator_frequency(
        self,
        base_frequency: float = 60,
        logic_step_max: int = 20,
        physics_step_max: int = 20,
        fps: float | None = None,
    ) -> None:
        """Sets the number of steps in a second, which was `fps` in early versions."""
        current().set_frequency(fps or base_frequency, physics_step_max)
        self.auto_tune_time = False

    def set_time_strategy(self, strategy: int) -> None:
        """Chooses how steps that are late are treated."""
        if strategy not in (TimeStrategies.BestEffort, TimeStrategies.FixedSimulationStep):
            raise refuse(f"`set_time_strategy` takes TimeStrategies.BestEffort or FixedSimulationStep, found {strategy!r}")
        if strategy == TimeStrategies.FixedSimulationStep:
            self.auto_tune_time = False
        self.strategy = strategy
        self.properties(time_management=strategy)

    def set_time_scale(self, slowdown_by: float | None = None, accelerate_by: float | None = None) -> None:
        """Sets the scale of time. A single number slows down."""
        if bool(slowdown_by) == bool(accelerate_by):
            current().lose("`set_time_scale` takes either `slowdown_by` or `accelerate_by`: MORSE leaves other calls out, too")
        else:
            self.properties(time_scale=1.0 / slowdown_by if slowdown_by else accelerate_by)

    def use_internal_syncer(self) -> None:
        """Lets MORSE pace itself."""
        self.auto_tune_time = False
        self.properties(use_internal_syncer=True)
        self.configure_stream_manager("socket", time_sync=True)

    def use_relative_time(self, relative_time: bool) -> None:
        """Begins time at 0 for clients, and not in 1970."""
        self.properties(use_relative_time=relative_time)

    def use_vsync(self, vsync: str) -> None:
        """A setting of the window."""
        current().change_looks()

    def set_physics_step_sub(self, step_sub: int) -> None:
        """Sets the number of steps of physics in a step."""
        current().lose("steps have no parts: `set_physics_step_sub` is left out")

    def set_gravity(self, gravity: float = 9.81) -> None:
        """Sets gravity, which `IMU` reads."""
        self.gravity_m_per_s2 = float(gravity)

    # Middlewares

    def configure_stream_manager(self, stream_manager: str, **options: Any) -> None:
        """Sets arguments of a manager of streams."""
        manager = interfaces.STREAM_MANAGERS.get(stream_manager, stream_manager)
        current().stream_managers.setdefault(manager, {}).update(options)

    def add_service(self, interface: str, component: Any = None, config: str | None = None) -> None:
        """Adds the services of the simulator to a middleware."""
        super().add_service(interface, "simulation", config)

    def configure_service(self, mw: str, component: Any = None, config: str | None = None) -> None:
        """`add_service` of early versions."""
        self.add_service(mw)

    def configure_multinode(
        self,
        protocol: str = "socket",
        server_address: str = "localhost",
        server_port: str = "65000",
        distribution: dict[str, Any] | None = None,
    ) -> None:
        """Divides the robots among programs."""
        current().lose("one program has all robots: `configure_multinode` is left out")

    # Blender

    def is_internal_camera(self, camera: Any) -> bool:
        """Whether this program has a camera."""
        return True

    def save(self, filepath: str | None = None, check_existing: bool = False, compress: bool = True) -> None:
        """Saves a Blender file."""
        current().lose("no Blender file is saved")

    def set_log_level(self, component: str, level: str) -> None:
        """Sets the level of the log of MORSE."""
        current().lose("MORSE's log is not there: `set_log_level` is left out")


_LOOKS = (
    "set_camera_location",
    "set_camera_rotation",
    "set_camera_clip",
    "set_camera_speed",
    "set_camera_focal_length",
    "place_camera",
    "aim_camera",
    "select_display_camera",
    "set_horizon_color",
    "set_ambient_color",
    "enable_mist",
    "set_mist_settings",
    "show_debug_properties",
    "show_framerate",
    "show_physics",
    "set_material_mode",
    "set_viewport",
    "set_auto_start",
    "fullscreen",
    "set_debug",
    "set_stereo",
    "set_animation_record",
    "set_background_scene",
)
"""Methods that change only the appearance."""


def _look(self: Environment, *arguments: Any, **options: Any) -> None:
    """Changes only the appearance."""
    current().change_looks()


for _name in _LOOKS:
    setattr(Environment, _name, _look)


def _add_default_interface(component: AbstractComponent, interface: str) -> None:
    manager = interfaces.STREAM_MANAGERS.get(interface, interface)
    services = interfaces.SERVICE_MANAGERS.get(interface)
    for child in component.children:
        if not child.is_morseable():
            continue
        if child.is_exportable() and all(stream[0] != manager for stream in child._links.streams):
            child.add_stream(interface)
        if services is not None and services not in child._links.services:
            child.add_service(interface)
        _add_default_interface(child, interface)
