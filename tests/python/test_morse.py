"""Builder scripts of MORSE."""

import math
import sys
import textwrap
import warnings

import pytest
import swarmarium as sw
import swarmarium.morse as morse
from conftest import ROOT

EXAMPLE = ROOT / "tests/data/morse/builder.py"


def written(tmp_path, text, name="scene.py"):
    """A script as a file."""
    path = tmp_path / name
    path.write_text(textwrap.dedent(text), encoding="utf-8")
    return path


def loaded(path, **options):
    """The simulation of a script, and its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        simulation = morse.load(path, **options)
    return simulation, [str(one.message) for one in caught]


def refused(path):
    """The message about a script that fails."""
    with pytest.raises(sw.SwarmariumError) as error:
        morse.load(path)
    return str(error.value)


def poses(simulation):
    """The poses of the robots, by name."""
    rows = simulation.bind("poses")
    return {agent.name: tuple(map(float, rows[place])) for place, agent in enumerate(simulation.agents)}


def run_program(*words):
    """The exit status of the program of the package."""
    return sw._native.verb(["swarmarium", *map(str, words)])


def test_the_example_of_morse_gives_its_configuration_byte_for_byte(tmp_path):
    expected = (ROOT / "tests/data/morse/component_config.py").read_text(encoding="utf-8")
    expected = "".join(line for line in expected.splitlines(keepends=True) if not line.startswith("#"))
    assert morse.configuration(EXAMPLE) == expected
    # So does the program, which makes a scene in between.
    assert run_program("convert", EXAMPLE, "-o", tmp_path / "config.py", "--quiet") == 0
    assert (tmp_path / "config.py").read_text(encoding="utf-8") == expected
    # MORSE's page shows the form of earlier versions, without directions.
    without = morse.configuration(EXAMPLE, directions=False)
    assert "'OUT'" not in without and "'IN'" not in without and without.count("\n") == expected.count("\n") - 3


def test_a_script_becomes_robots_with_poses_components_and_noise(tmp_path):
    script = written(tmp_path, """\
        from morse.builder import *

        robot = ATRV()
        robot.translate(x=-4.5, y=2, z=0.1)
        robot.rotate(z=math.pi / 2)
        pose = Pose()
        pose.translate(x=0.3, z=-0.1)
        pose.alter('Noise', pos_std=0.1)
        pose.add_stream('socket')
        robot.append(pose)
        arm = Pose()
        arm.rotate(z=math.pi / 2)
        pose.append(arm)
        scan = Sick()
        scan.properties(laser_range=8.0, resolution=5, scan_window=90)
        scan.frequency(5)
        robot.append(scan)
        motion = MotionVW()
        motion.add_interface('socket', port=60007)
        robot.append(motion)
        env = Environment('empty', fastmode=True)
        env.set_time_strategy(TimeStrategies.FixedSimulationStep)
        env.set_time_scale(accelerate_by=2)
    """)
    sim, told = loaded(script)
    assert told == []
    assert poses(sim) == {"robot": (-4.5, 2.0, math.pi / 2)}
    get = sim.get
    assert [get(f"groups.robot.sensors.{place}.name") for place in range(3)] == ["pose", "pose.arm", "scan"]
    assert get("groups.robot.sensors.0.mount.x_m") == 0.3 and get("groups.robot.sensors.0.mount.z_m") == -0.1
    assert get("groups.robot.sensors.0.noise.0.position_std_dev_m") == 0.1
    assert get("groups.robot.sensors.1.mount.x_m") == 0.3 and get("groups.robot.sensors.1.mount.yaw_rad") == math.pi / 2
    scan = "groups.robot.sensors.2"
    assert [get(f"{scan}.{name}") for name in ("range_m", "resolution_deg", "window_deg", "rate_hz")] == [8.0, 5.0, 90.0, 5.0]
    assert get("groups.robot.controller.actuators.0.links.0.port") == 60007
    assert get("time.dt_s") == 1 / 60 and get("time.strategy") == "FixedStep" and get("time.scale") == 2.0
    assert sim.step(120).hash() == loaded(script)[0].step(120).hash()


def test_components_have_the_names_of_variables(tmp_path):
    script = written(tmp_path, """\
        from morse.builder import *

        class Scout(Morsy):
            def __init__(self, name=None):
                Morsy.__init__(self, name)
                self.eye = Infrared()
                self.append(self.eye)

        def with_clock(robot):
            clock = Clock()
            robot.append(clock)
            return robot

        first = with_clock(Scout())
        second = Scout('tom')
        second.clock = Clock('watch')
        second.append(second.clock)
        for number in range(3):
            m = Scout()
            m.translate(x=number + 2)
            AbstractComponent.close_context()
        env = Environment('empty')
        env.create()
    """)
    sim, told = loaded(script)
    assert [agent.name for agent in sim.agents] == ["first", "tom", "m", "m_001", "m_002"]
    assert poses(sim)["m_002"][:2] == (4.0, 0.0)
    assert sim.get("groups.first.sensors.1.name") == "clock" and sim.get("groups.tom.sensors.1.name") == "watch"
    assert told == []


def test_modules_beside_the_script_are_imported_and_leave_nothing(tmp_path):
    written(tmp_path, """\
        from morse.builder import *

        class Rover(ATRV):
            def __init__(self):
                ATRV.__init__(self)
                self.properties(Colour='red')
    """, "rovers.py")
    script = written(tmp_path, """\
        import rovers
        from morse.builder import Environment
        from morse.builder.sensors import GPS
        from morse.core.morse_time import TimeStrategies

        rover = rovers.Rover()
        gps = GPS()
        rover.append(gps)
        env = Environment('empty')
    """)
    before = {name for name in sys.modules if name.partition(".")[0] in ("morse", "rovers")}
    _, told = loaded(script)
    assert any("rovers.py:6: the property `Colour`" in text for text in told), told
    assert {name for name in sys.modules if name.partition(".")[0] in ("morse", "rovers")} == before == set()
    with pytest.raises(ImportError):
        import morse  # noqa: F401


def test_every_loss_has_its_line(tmp_path):
    script = written(tmp_path, """\
        from morse.builder import *

        robot = SegwayRMP400()
        robot.set_mass(30)
        camera = VideoCamera()
        camera.add_stream('socket')
        robot.append(camera)
        motion = MotionXYW()
        motion.properties(ControlType='Position')
        robot.append(motion)
        env = Environment('land-1/trees')
        env.set_camera_location([1, 2, 3])
    """)
    sim, told = loaded(script)
    for line, words in {
        3: "the model `segwayrmp400` is in a Blender file",
        4: "robots have no mass",
        5: "`robot.camera` (VideoCamera) is left out, as the plane has no images; its streams and services are kept",
        9: "the property `ControlType` of `robot.motion` (MotionXYW)",
        11: "walls and objects of the environment `land-1/trees`",
        12: "cameras, colours, lights and models of Blender have no effect here",
    }.items():
        assert any(f".py: {line}:" in text and words in text for text in told), (line, words, told)
    assert len(told) == 6
    assert [agent.name for agent in sim.agents] == ["robot"]


def test_parts_without_an_equivalent_are_written_back(tmp_path):
    script = written(tmp_path, """\
        from morse.builder import *

        robot = Pioneer3DX()
        camera = VideoCamera()
        camera.add_interface('ros', topic='/camera')
        robot.append(camera)
        gps = GPS()
        gps.alter('UTM')
        gps.alter('geodetic', longitude=1.5)
        gps.add_stream('socket')
        robot.append(gps)
        lost = Pose()
        lost.add_stream('text', method='my.Writer')
        env = Environment('empty')
        env.properties(UTMXOffset=100.0, latitude=43.6)
        env.add_service('socket')
        env.configure_stream_manager('ros', rate=1e-05)
        env.create()
    """)
    sim, _ = loaded(script)
    noise = "groups.robot.sensors.0.noise"
    assert sim.get(f"{noise}.0.x_offset_m") == 100.0
    assert (sim.get(f"{noise}.1.origin.longitude_deg"), sim.get(f"{noise}.1.origin.latitude_deg")) == (1.5, 43.6)
    assert sim.get("groups.robot.sensors.0.origin.latitude_deg") == 43.6
    for steps in (["config.py"], ["scene.ron", "config.py"]):
        source = script
        for name in steps:
            assert run_program("convert", source, "-o", tmp_path / name, "--overwrite", "--quiet") == 0
            source = tmp_path / name
        assert (tmp_path / "config.py").read_text(encoding="utf-8") == morse.configuration(script)


def test_objects_zones_and_tags_are_kept(tmp_path):
    script = written(tmp_path, """\
        from morse.builder import *

        robot = ATRV()
        prox = Proximity()
        prox.properties(Track='Catch_me', Range=2.0)
        robot.append(prox)
        battery = Battery()
        robot.append(battery)
        other = ATRV()
        other.translate(x=5)
        other.properties(Catch_me=True)
        zone = Zone('Charging')
        zone.size = [5, 4, 5]
        zone.translate(x=10)
        wall = Cube('wall')
        wall.scale = (0.5, 2, 1)
        wall.translate(y=8)
        wall._bpy_object.game.physics_type = 'STATIC'
        env = Environment('indoors-1/boxes')
    """)
    sim, told = loaded(script)
    assert sim.get("groups.robot.sensors.0.tag") == sim.get("groups.other.team") == "Catch_me"
    assert sim.get("objects.0.team") == "Charging" and "(15.0, 4.0)" in str(sim.get("objects.0.area"))
    assert "(0.5, 10.0)" in str(sim.get("objects.1.corners_m"))
    assert [sim.get(f"objects.{place}.name") for place in (2, 3, 4)] == ["RedBox", "GreenBox", "BlueBox"]
    assert any(".py: 19:" in text and "the walls of `indoors-1/boxes`" in text for text in told), told


@pytest.mark.parametrize("text, expected", [
    ("robot = ATRV()\n", "makes no `Environment(…)`"),
    ("robot = ATRV()\nrobot.name = 'a.b'\n", "scene.py:3:1: SyntaxError: Invalid component name: <a.b>"),
    ("robot = Rover()\n", "scene.py:2:1: NameError: name 'Rover' is not defined"),
    ("robot = (\n", "scene.py:2:"),
    ("Battery().alter('Noise')\n", "scene.py:2:1: MORSE's modifier `Noise` is for other components than `Battery`"),
    ("Pose().add_service('rso')\n", "scene.py:2:1: MORSE has no services on `rso`"),
    ("Keyboard().add_stream('socket')\n", "scene.py:2:1: "),
    ("Pose().frequence(3)\n", "`Pose` of MORSE has no `frequence`, did you mean `frequency`?"),
    ("raise SystemExit(3)\n", "the script ended itself with 3"),
    ("robot = ATRV()\nrobot.translate(x='a')\nenv = Environment('empty')\n", "scene.py:3:1: TypeError"),
    ("robot = ATRV()\nrobot.translate(x=1e9)\nenv = Environment('empty')\n", "scene.py:2:1: "),
])
def test_errors_of_scripts_have_their_line(tmp_path, text, expected):
    message = refused(written(tmp_path, "from morse.builder import *\n" + text))
    assert expected in message and "Traceback" not in message, message


def test_tests_of_morse_build_their_first_environment(tmp_path):
    script = written(tmp_path, """\
        from morse.testing.testing import MorseTestCase
        try:
            from morse.builder import *
        except ImportError:
            pass

        class PoseTest(MorseTestCase):
            def setUpEnv(self):
                robot = ATRV('dala')
                env = Environment('empty')

        if __name__ == "__main__":
            from morse.testing.testing import main
            main(PoseTest)
    """)
    assert [agent.name for agent in loaded(script)[0].agents] == ["dala"]


def test_configurations_are_told_apart_from_scripts(tmp_path):
    assert "MORSE 0.1 to 0.6" in refused(written(tmp_path, "component_mw = {}\n", "old.py"))
    config = written(tmp_path, morse.configuration(EXAMPLE), "config.py")
    sim, told = loaded(config)
    assert [agent.name for agent in sim.agents] == ["robot"] and any("is taken for Pose" in text for text in told)


def test_classes_of_components_work_only_in_scripts():
    from swarmarium.morse.sensors import Pose

    with pytest.raises(sw.SwarmariumError, match="only in scripts"):
        Pose()
