"""Builder scripts of MORSE."""

import json
import math
import os
import signal
import subprocess
import sys
import textwrap
import time
import warnings

import pytest
import swarmarium as sw
import swarmarium.morse as morse
from conftest import ROOT
from swarmarium.morse import files
from swarmarium.morse import script as runner

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
    return sw._native.verb(["swarmarium", *map(str, words)], print, lambda *_: None, None)


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
    ("Pose().frequence(3)\n", "`Pose` of MORSE has no `frequence`; did you mean `frequency`?"),
    ("raise SystemExit(3)\n", "the script ended itself with 3"),
    ("robot = ATRV()\nrobot.translate(x='a')\nenv = Environment('empty')\n", "scene.py:3:1: TypeError"),
    ("robot = ATRV()\nrobot.append(robot)\n", "scene.py:3:1: a component is not part of itself: `ATRV`"),
    ("robot = ATRV()\npose = Pose()\nrobot.append(pose)\npose.append(robot)\n", "scene.py:5:1: a component is not part of itself: `ATRV`"),
    ("env = Environment('empty')\nenv.simulator_frequency(50)\nenv.simulator_frequency(-5)\n", "scene.py:4:1: the frequency of steps is"),
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


def test_libraries_below_the_script_stay_loaded(tmp_path):
    library = tmp_path / ".venv/lib/python3/site-packages"
    library.mkdir(parents=True)
    written(library, "kind = 'library'\n", "morse_test_library.py")
    written(tmp_path, "kind = 'own'\n", "morse_test_own.py")
    (tmp_path / "morse_test_bare").mkdir()
    script = written(tmp_path, f"""\
        import sys
        sys.path.insert(0, {str(library)!r})
        import morse_test_bare
        import morse_test_library
        import morse_test_own
        from morse.builder import *
        robot = ATRV()
        env = Environment('empty')
    """)
    loaded(script)
    try:
        assert {name for name in sys.modules if name.startswith("morse_test")} == {"morse_test_library"}
    finally:
        del sys.modules["morse_test_library"]


def test_files_of_users_are_told_apart_from_libraries(tmp_path):
    folder = str(tmp_path)
    assert files.is_of_user(f"{folder}/scene.py", folder) and files.is_of_user("/elsewhere/robots.py", folder)
    assert not files.is_of_user("<frozen importlib._bootstrap>", folder)
    assert not files.is_of_user(f"{folder}/env/lib/site-packages/one.py", folder)
    # The package, Python and the library of this environment, also below the folder of the script.
    for module in (files, sw, json, pytest):
        assert not files.is_of_user(module.__file__, folder) and not files.is_of_user(module.__file__, os.sep)
    # A folder around the script is not a library.
    below = os.path.join(sys.prefix, "share/scenes")
    assert files.is_of_user(f"{below}/scene.py", below)
    assert files.is_within("/a/b/c.py", "/a/b") and not files.is_within("/a/bc.py", "/a/b")


@pytest.mark.parametrize("lines", [
    ["from morse.core.sensor import Sensor", "import morse.core.sensor"],
    ["import morse.core.sensor", "Sensor = morse.core.sensor.Sensor"],
])
def test_a_class_of_morse_is_one_class_with_one_warning(tmp_path, lines):
    script = written(tmp_path, "\n".join([
        *lines,
        "from morse.core.sensor import Sensor as Again",
        "from morse.builder import *",
        "class Mine(Sensor):",
        "    pass",
        "assert Sensor is Again is morse.core.sensor.Sensor",
        "robot = ATRV()",
        "env = Environment('empty')",
    ]))
    _, told = loaded(script)
    at = 1 + [("Sensor" in line) for line in lines].index(True)
    assert len(told) == 1 and f".py: {at}:" in told[0] and "`Sensor` of `morse.core.sensor`" in told[0], told


def test_scripts_inherit_no_features_of_the_language(tmp_path):
    script = written(tmp_path, """\
        from morse.builder import *
        def place(x: int): pass
        assert place.__annotations__ == {'x': int}
        robot = ATRV()
        env = Environment('empty')
    """)
    assert loaded(script)[1] == []


def test_an_interrupted_script_raises_keyboard_interrupt(tmp_path):
    script = written(tmp_path, "from morse.builder import *\nraise KeyboardInterrupt\n")
    with pytest.raises(KeyboardInterrupt):
        runner.describe(str(script))
    with pytest.raises(KeyboardInterrupt):
        morse.configuration(script)
    with pytest.raises(KeyboardInterrupt):
        morse.load(script)


def test_scripts_can_change_the_working_folder(tmp_path, monkeypatch):
    written(tmp_path, """\
        import os
        from morse.builder import *
        os.chdir(os.sep)
        assert os.path.isabs(__file__)
        robot = ATRV()
        robot.set_mass(1)
        env = Environment('empty')
        env.set_gravity('none' if FAILS else 9.81)
    """.replace("FAILS", "False"))
    monkeypatch.chdir(tmp_path)
    _, told = loaded("scene.py")
    assert len(told) == 1 and "scene.py: 6:1: robots have no mass: commands set their velocity" in told[0], told
    assert os.path.samefile(os.getcwd(), tmp_path)
    text = (tmp_path / "scene.py").read_text(encoding="utf-8").replace("if False", "if True")
    (tmp_path / "scene.py").write_text(text, encoding="utf-8")
    assert "scene.py:8:1: ValueError" in refused("scene.py")
    assert os.path.samefile(os.getcwd(), tmp_path)


def test_methods_of_scripts_import_modules_at_the_end(tmp_path):
    written(tmp_path, "label = 'late'\n", "late.py")
    script = written(tmp_path, """\
        from morse.builder import *

        class Scout(ATRV):
            def after_renaming(self):
                import late
                from morse.core.morse_time import TimeStrategies
                self.properties(Label=late.label)

        robot = Scout()
        env = Environment('empty')
    """)
    _, told = loaded(script)
    assert any(".py: 7:9: the property `Label`" in text for text in told), told
    assert "late" not in sys.modules


def test_values_that_are_no_numbers_are_losses_with_their_lines(tmp_path):
    script = written(tmp_path, """\
        from morse.builder import *

        robot = ATRV()
        pose = Pose()
        pose.frequency('fast')
        robot.append(pose)
        gripper = Gripper()
        gripper.properties(Angle='wide')
        gripper.properties(Distance=10**400)
        robot.append(gripper)
        waypoint = Waypoint()
        waypoint.properties(Ignore=5)
        robot.append(waypoint)
        env = Environment('empty')
        env.set_time_scale(accelerate_by='twice')
    """)
    sim, told = loaded(script)
    for line, name in {5: "frequency", 8: "Angle", 9: "Distance", 12: "Ignore", 15: "time_scale"}.items():
        assert any(f".py: {line}:1: the property `{name}` of" in text for text in told), (line, name, told)
    assert len(told) == 5 and sim.get("time.scale") == 1.0


def test_values_that_no_configuration_has_are_losses(tmp_path):
    script = written(tmp_path, """\
        import numpy
        from morse.builder import *

        class Thing:
            pass

        robot = ATRV()
        pose = Pose()
        pose.add_stream('socket', look=pose._bpy_object.material, far=float('inf'), thing=Thing(),
                        at=numpy.array([[1.5, 2.0]]), count=numpy.int64(3), name='a')
        robot.append(pose)
        env = Environment('empty')
    """)
    text = morse.configuration(script)
    assert text == morse.configuration(script)
    for part in ("'look': '<a part of Blender>'", "'far': None", "'thing': '<Thing>'", "'at': [[1.5, 2.0]]", "'count': 3"):
        assert part in text, text
    _, told = loaded(script)
    assert sum("a configuration has" in one and ".py: 8:" in one for one in told) == 3, told


def test_a_class_that_makes_the_environment_names_its_components(tmp_path):
    script = written(tmp_path, """\
        from morse.builder import *

        scout = ATRV()

        class Setup:
            def __init__(self):
                same = scout
                rover = ATRV()
                env = Environment('empty')

        setup = Setup()
    """)
    sim, told = loaded(script)
    # MORSE names only `scout`, by the variables around the class.
    assert [agent.name for agent in sim.agents] == ["scout", "rover"] and told == []


def test_classes_of_a_site_of_morse_are_found(tmp_path, monkeypatch):
    builder, elsewhere = tmp_path / "src/lab/builder", tmp_path / "elsewhere"
    builder.mkdir(parents=True)
    elsewhere.mkdir()
    (tmp_path / "src/lab/__init__.py").touch()
    written(builder, "from morse.builder import *\nclass Digger(ATRV):\n    pass\n", "robots.py")
    written(elsewhere, "from morse.builder import *\nclass Loader(ATRV):\n    pass\n", "lab_loaders.py")
    script = written(tmp_path, """\
        from lab.builder.robots import Digger
        from lab_loaders import Loader
        from morse.builder import *
        digger = Digger()
        loader = Loader()
        env = Environment('empty')
    """)
    monkeypatch.setenv("MORSE_RESOURCE_PATH", os.pathsep.join(["", str(elsewhere), ""]))
    path = list(sys.path)
    assert [agent.name for agent in loaded(script)[0].agents] == ["digger", "loader"]
    assert sys.path == path and not [name for name in sys.modules if name.startswith("lab")]


def test_other_threads_find_no_modules_of_a_script(tmp_path):
    script = written(tmp_path, """\
        import threading
        from morse.builder import *

        robot = ATRV()
        refused = []

        def look():
            for name in ('morse.core.sensor', 'rospy'):
                try:
                    __import__(name)
                except ImportError:
                    refused.append(name)
            robot.set_mass(1)

        thread = threading.Thread(target=look)
        thread.start()
        thread.join()
        assert refused == ['morse.core.sensor', 'rospy'], refused
        env = Environment('empty')
    """)
    assert loaded(script)[1] == []


@pytest.mark.parametrize("verb", [["check"], ["run", "--steps", "1"]], ids=["check", "run"])
def test_ctrl_c_in_a_script_ends_the_program_as_interrupted(verb, tmp_path):
    script = written(tmp_path, "from morse.builder import *\nraise KeyboardInterrupt\n")
    command = [sys.executable, "-m", "swarmarium", verb[0], str(script), *verb[1:]]
    assert subprocess.run(command, capture_output=True, cwd=tmp_path).returncode == 130
    script = written(tmp_path, "import time\nfrom morse.builder import *\nprint('begun', flush=True)\ntime.sleep(60)\n")
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path)
    assert process.stderr is not None and "begun" in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    # A shell shows 130 for both.
    assert process.wait(20) in (130, -signal.SIGINT)


def test_the_time_of_a_script_grows_with_its_parts(tmp_path):
    text = "from morse.builder import *\nfor i in range(%d):\n    robot = ATRV()\n    robot.translate(x=i)\n"
    text += "    for part in (Pose(), Odometry(), MotionVW(), Infrared(), Battery()):\n        robot.append(part)\n"
    script = written(tmp_path, text % 1000 + "Environment('empty', fastmode=True)\n")
    began = time.monotonic()
    described = json.loads(runner.describe(str(script)))
    # It took 19 s when each name was looked for among all those before it.
    assert time.monotonic() - began < 8.0
    assert [robot["name"] for robot in described["robots"]][:3] == ["atrv", "atrv_001", "atrv_002"]
    assert len({robot["name"] for robot in described["robots"]}) == 1000
