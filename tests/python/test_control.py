"""Controllers in Python."""

import math

import numpy as np
import pytest
import swarmarium as sw
import swarmarium.pysimiam as pysimiam
import swarmarium.robotswarmsimulator as rss


def mill(group):
    """The controller of the scene milling."""
    seen = group.column("readings.fov")[:, 0] > 0.5
    return np.column_stack([np.full(len(group), 0.27), np.where(seen, 0.6, -0.6)])


class Miller:
    """The same for one robot."""

    def act(self, robot):
        return 0.27, 0.6 if robot.reading("fov")[0] > 0.5 else -0.6


@pytest.mark.parametrize("controller", [mill, Miller])
def test_a_controller_in_python_moves_robots_like_the_native_one(controller, tmp_path):
    native = sw.load("milling", seed=1).step(400)
    sim = sw.load("milling", seed=1).control("millers", controller)
    hashes = [sim.step(100).hash() for _ in range(4)]
    np.testing.assert_array_equal(sim.bind("poses"), native.bind("poses"))
    # The run replays without Python.
    sim.save(tmp_path / "run")
    again = sw.load(tmp_path / "run")
    assert [again.step(100).hash() for _ in range(4)] == hashes
    assert again.groups == {"millers": "External"}


def test_controllers_follow_the_population_and_resets():
    sim = sw.load("milling").control("millers", mill)
    sim.step(10)
    sim.apply("Remove", path="agents.1").step(10)
    sim.apply("Spawn", group="millers", x_m=1.0, y_m=1.0, heading_rad=0.0).step(10)
    assert len(sim.agents) == 6
    first = sim.reset(seed=4).step(50).hash()
    assert sim.reset(seed=4).step(50).hash() == first
    # Its own controller comes back.
    sim.control("millers", None).step(5)
    assert sim.groups == {"millers": "Binary"}
    assert sim.run(20)["step"].tolist() == list(range(56, 76))


def test_controllers_see_the_robots_of_another_branch():
    sim = sw.load("milling").control("millers", mill).step(10)
    timeline = sim.timeline
    sim.apply("Remove", path="agents.1").step(5)
    timeline.seek(5)
    sim.apply("Remove", path="agents.2").step(5)
    assert [agent.number for agent in sim.agents] == [0, 1, 3, 4, 5]


def test_an_error_of_a_controller_leaves_the_run_at_the_step_before():
    def fails(group):
        if group.simulation.steps == 3:
            raise RuntimeError("lost")
        return np.zeros((len(group), 2))

    sim = sw.load("milling").control("millers", fails)
    with pytest.raises(RuntimeError, match="lost"):
        sim.step(10)
    assert sim.steps == 3
    for returned in (None, np.zeros((3, 7)), "ahead"):
        with pytest.raises(sw.SwarmariumError, match=r"controller of millers returned .*expected .*\(6, 2\)"):
            sw.load("milling").control("millers", lambda group, returned=returned: returned).step()
    with pytest.raises(sw.SwarmariumError, match="there is no group 'miller': the groups are millers"):
        sim.control("miller", mill)


def test_classes_of_robotswarmsimulator_drive_imported_worlds(root, tmp_path):
    rss.provide_modules()
    namespace: dict = {}
    exec(CLASSES, namespace)
    classes = [namespace["BearingSensor"], namespace["SeekController"]]
    sim = rss.load(root / "docs/examples/own_classes.yaml", classes=classes)
    sim.run(400)
    away = sim.bind("poses")[:, :2] - 3.0
    assert np.hypot(*away.T).max() < 0.3
    sim.save(tmp_path / "run")
    assert sw.load(tmp_path / "run").step(400).hash() == sim.hash()
    with pytest.raises(sw.SwarmariumError, match="names the class SeekController: the given classes are BearingSensor"):
        rss.load(root / "docs/examples/own_classes.yaml", classes=classes[:1])


def test_a_class_of_robotswarmsimulator_moves_robots_like_the_native_controller():
    rss.provide_modules()
    from swarmsim.agent.control.AbstractController import AbstractController

    class Mill(AbstractController):
        def __init__(self, turn, agent=None, parent=None):
            super().__init__(agent=agent, parent=parent)
            self.turn = turn

        def get_actions(self, agent):
            return 0.27, self.turn if agent.sensors[0].current_state else -self.turn

    native = sw.load("milling", seed=1).step(300)
    sim = rss.drive(sw.load("milling", seed=1), "millers", Mill, turn=0.6).step(300)
    np.testing.assert_array_equal(sim.bind("poses"), native.bind("poses"))
    with pytest.raises(sw.SwarmariumError, match="takes no `speed`"):
        rss.drive(sw.load("milling"), "millers", Mill, speed=0.6).step()
    # Robots that stay keep their controllers.
    made = []

    class Counted(Mill):
        def __init__(self, turn, agent=None, parent=None):
            super().__init__(turn, agent=agent, parent=parent)
            made.append(agent.name)

    sim = rss.drive(sw.load("milling"), "millers", Counted, turn=0.6).step()
    sim.apply("Spawn", group="millers", x_m=1.0, y_m=1.0, heading_rad=0.0)
    sim.apply("Remove", path="agents.0").step(3)
    assert len(made) == 7


CLASSES = '''
import math
from swarmsim.agent.control.AbstractController import AbstractController
from swarmsim.sensors.AbstractSensor import AbstractSensor


class BearingSensor(AbstractSensor):
    def __init__(self, agent=None, parent=None, target=(0, 0)):
        super().__init__(agent, parent)
        self.target = target

    def step(self, world):
        x, y = self.agent.pos
        bearing = math.atan2(self.target[1] - y, self.target[0] - x) - self.agent.angle
        self.current_state = math.atan2(math.sin(bearing), math.cos(bearing))


class SeekController(AbstractController):
    def __init__(self, agent=None, parent=None, speed=1.0, gain=1.0):
        super().__init__(agent, parent)
        self.speed, self.gain = speed, gain

    def get_actions(self, agent):
        return self.speed, self.gain * agent.sensors[0].current_state
'''


class GoToGoal:
    """A supervisor as pySimiam calls it: odometry from wheel ticks, and the default go-to-goal controller of a QuickBot."""

    def __init__(self, pose, info, options=None):
        self.goal = (options.x, options.y)
        self.pose, self.integral, self.ticks = pose, 0.0, (info.wheels.left_ticks, info.wheels.right_ticks)

    def execute(self, info, dt):
        wheels = info.wheels
        ticks = (wheels.left_ticks, wheels.right_ticks)
        left, right = ((new - old) * math.tau * wheels.radius / wheels.ticks_per_rev for new, old in zip(ticks, self.ticks))
        self.ticks = ticks
        x, y, theta = self.pose
        middle = theta + (right - left) / wheels.base_length / 2
        x, y = x + (left + right) / 2 * math.cos(middle), y + (left + right) / 2 * math.sin(middle)
        self.pose = pysimiam.Pose(x, y, theta + (right - left) / wheels.base_length)
        error = math.remainder(math.atan2(self.goal[1] - y, self.goal[0] - x) - self.pose.theta, math.tau)
        self.integral += error * dt
        turn = 4.0 * error + 0.1 * self.integral
        return tuple((0.2 + side * turn * wheels.base_length / 2) / wheels.radius for side in (-1, 1))


def world_of(tmp_path, supervisor):
    """A pySimiam world with a QuickBot."""
    path = tmp_path / "world.xml"
    pose = '<pose x="-0.5" y="0" theta="0.3"/>'
    path.write_text(f'<simulation><robot type="QuickBot"><supervisor {supervisor}/>{pose}</robot></simulation>', encoding="utf-8")
    return path


def test_supervisors_of_pysimiam_drive_imported_worlds(tmp_path):
    native = sw.load(world_of(tmp_path, 'type="QuickBotDefaultSupervisor"')).step(250)
    options = "{&quot;x&quot;: 1.0, &quot;y&quot;: 1.0}"
    world = world_of(tmp_path, f'type="mine.GoToGoal" options="{options}"')
    sim = pysimiam.load(world, classes=[GoToGoal]).step(250)
    np.testing.assert_allclose(sim.bind("poses"), native.bind("poses"), rtol=0, atol=1e-9)
    sim.save(tmp_path / "run")
    assert sw.load(tmp_path / "run").step(250).hash() == sim.hash()
    # A new start begins with new supervisors.
    poses = np.array(sim.bind("poses"))
    np.testing.assert_array_equal(sim.reset().step(250).bind("poses"), poses)
    with pytest.raises(sw.SwarmariumError, match="names the class mine.GoToGoal: the given classes are Other"):
        pysimiam.load(world, classes=[type("Other", (), {})])
    with pytest.raises(sw.SwarmariumError, match="are none; did you mean `week7.QBFullSupervisor`, which needs no class?"):
        pysimiam.load(world_of(tmp_path, 'type="week7.QBFullSupervisors"'))
    world = world_of(tmp_path, 'type="mine.GoToGoal"')
    with pytest.warns(UserWarning, match="no supervisor `mine.GoToGoal`. It is read as a Python class: the robot stands"):
        sw.load(world)


def test_a_supervisor_replaces_that_of_a_world(tmp_path):
    world = world_of(tmp_path, 'type="QuickBotDefaultSupervisor"')
    goal, raw = {"x": 1.0, "y": 1.0}, {"groups.0.sensors.0.reads": "Raw"}
    native = sw.load(world).step(250)
    sim = pysimiam.drive(sw.load(world, set=raw), "quickbot", GoToGoal, goal).step(250)
    np.testing.assert_allclose(sim.bind("poses"), native.bind("poses"), rtol=0, atol=1e-9)
    # Its own supervisor comes back.
    assert sim.control("quickbot", None).step().groups == {"quickbot": "Supervisor"}
    with pytest.warns(UserWarning, match="no group of the world waits for the class GoToGoal"):
        pysimiam.load(world, classes=[GoToGoal])
    with pytest.raises(sw.SwarmariumError, match="read distances, and supervisors read raw values: load the world with set="):
        pysimiam.drive(native, "quickbot", GoToGoal, goal)
    with pytest.raises(sw.SwarmariumError, match="the robots of millers have no sensor Infrared, which supervisors read"):
        pysimiam.drive(sw.load("milling"), "millers", GoToGoal, goal)


class Turns:
    """A supervisor that returns one value in every step."""

    made = 0

    def __init__(self, pose, info, returned=(3.0, 3.0)):
        type(self).made += 1
        self.returned = returned

    def execute(self, info, dt):
        self.radius = info.wheels.radius
        return self.returned


@pytest.mark.filterwarnings("ignore:.*It is read as a Python class")
def test_supervisors_follow_the_robots_of_their_group(tmp_path):
    world = world_of(tmp_path, 'type="Turns"')
    Turns.made = 0
    sim = pysimiam.load(world, classes=[Turns]).step(2)
    sim.apply("Spawn", group="quickbot", x_m=3.0, y_m=0.0, heading_rad=0.0).step(2)
    assert Turns.made == 2
    # Nobody is left, and then somebody is there again.
    sim.apply("Remove", path="agents.0").apply("Remove", path="agents.1").step(3)
    sim.apply("Spawn", group="quickbot", x_m=1.0, y_m=0.0, heading_rad=0.0).step(2)
    assert (Turns.made, len(sim.agents)) == (3, 1)
    # A parameter that changes counts.
    sim.set("groups.quickbot.motion.wheel_radius_m", 0.02).step(2)
    before = np.array(sim.bind("poses"))
    distance = np.hypot(*(sim.step(1).bind("poses") - before)[0, :2])
    assert distance == pytest.approx(3.0 * 0.02 * sim.dt_s)


@pytest.mark.filterwarnings("ignore:.*It is read as a Python class")
@pytest.mark.parametrize("returned", [None, 1.0, (1,), (1, 2, 3), [[1, 1]], "ab", {"a": 1}, (math.nan, 1)])
def test_supervisors_must_return_two_numbers(tmp_path, returned):
    class Returns(Turns):
        def execute(self, info, dt):
            return returned

    sim = pysimiam.load(world_of(tmp_path, 'type="Returns"'), classes=[Returns])
    with pytest.raises(sw.SwarmariumError, match="Returns.execute returned .*: expected 2 numbers"):
        sim.step()
    assert sim.steps == 0


@pytest.mark.filterwarnings("ignore:.*It is read as a Python class")
def test_classes_of_one_name_are_told_apart_by_their_modules(tmp_path):
    robots = "".join(
        f'<robot type="QuickBot"><supervisor type="{name}"/><pose x="{x}" y="0" theta="0"/></robot>'
        for x, name in enumerate(["one.Go", "two.Go"])
    )
    world = tmp_path / "two.xml"
    world.write_text(f"<simulation>{robots}</simulation>", encoding="utf-8")
    one, two = (
        type("Go", (Turns,), {"__module__": name, "execute": lambda *_, speed=speed: (speed, speed)})
        for name, speed in (("one", 1.0), ("two", 2.0))
    )
    sim = pysimiam.load(world, classes=[two, one]).step(50)
    driven = sim.bind("poses")[:, 0] - [0.0, 1.0]
    assert driven[1] == pytest.approx(2.0 * driven[0])
    with pytest.raises(sw.SwarmariumError, match="names the class one.Go: it is in several modules, two, three"):
        pysimiam.load(world, classes=[two, type("Go", (Turns,), {"__module__": "three"})])
    with pytest.raises(sw.SwarmariumError, match="classes: expected classes, found 'Go'"):
        pysimiam.load(world, classes=["Go"])


@pytest.mark.filterwarnings("ignore:.*It is read as a Python class")
def test_options_of_supervisors_are_checked(tmp_path):
    world = world_of(tmp_path, 'type="Turns" options="{&quot;speed&quot;: 1}"')
    with pytest.raises(sw.SwarmariumError, match="Turns takes no `options`: it takes pose, info, returned"):
        pysimiam.load(world, classes=[Turns])
    scene = tmp_path / "scene.ron"
    for text in ("fast", "[1, 2]", "null"):
        note = '(name: "quickbot.controller.options", text: "' + text + '")'
        changed = sw.load(world).scene().replace('(name: "quickbot.controller.options", text: "{\\"speed\\":1}")', note)
        assert note in changed
        scene.write_text(changed, encoding="utf-8")
        with pytest.raises(sw.SwarmariumError, match="metadata: `quickbot.controller.options` is not a map in JSON: found"):
            pysimiam.load(scene, classes=[Turns])


@pytest.mark.parametrize("returned", [1.0, np.float64(1), [1.0], np.ones((6, 1)), "fast", [[1.0], [1.0, 2.0]]])
def test_a_controller_returns_a_row_for_each_robot(returned):
    sim = sw.load("milling", set={"groups.millers.count": 6}).control("millers", lambda robots: returned)
    with pytest.raises(sw.SwarmariumError, match=r"controller of millers returned .*: expected an array of the shape \(6, 2\)"):
        sim.step()
