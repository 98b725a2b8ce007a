"""Classes that users of RobotSwarmSimulator wrote, against what that program makes of them."""

import importlib
import json
import sys
import warnings

import numpy as np
import pytest
import swarmarium as sw
import swarmarium.robotswarmsimulator as rss
from conftest import ROOT

STRANGERS = ROOT / "tests/python/strangers"
EXPECTED = json.loads((STRANGERS / "expected.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def classes():
    """The classes of the file, which extend those of RobotSwarmSimulator, or what is provided in their place."""
    rss.provide_modules()
    sys.path.insert(0, str(STRANGERS))
    try:
        module = importlib.import_module("classes")
    finally:
        sys.path.remove(str(STRANGERS))
    return list({one for one in vars(module).values() if isinstance(one, type) and one.__module__ == "classes"})


def load(tmp_path, text, classes=(), **options):
    """A RobotSwarmSimulator world, from its text."""
    path = tmp_path / "world.yaml"
    path.write_text(text, encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return rss.load(path, classes=classes, **options)


@pytest.mark.parametrize("name", EXPECTED)
def test_classes_of_strangers_move_robots_as_in_robotswarmsimulator(name, classes, tmp_path):
    sim = load(tmp_path, EXPECTED[name]["world"], classes)
    hashes = {}
    for step, poses in EXPECTED[name]["poses"].items():
        sim.step(int(step) - sim.steps)
        np.testing.assert_allclose(sim.bind("poses"), poses, rtol=0, atol=1e-9, err_msg=f"step {step}")
        hashes[step] = sim.hash()
    # The run replays without Python.
    sim.save(tmp_path / "run")
    again = sw.load(tmp_path / "run")
    assert {step: again.step(int(step) - again.steps).hash() for step in hashes} == hashes


ONE = """
type: RectangularWorld
size: [6, 4]
time_step: 0.1
seed: 1
metadata: {limits: {speed: 0.3}, on: yes, name: Foes, none: null}
objects:
- {type: DetectionRegion, name: exit, position: [2, 1], agent_radius: 0.5}
- {type: StaticObject, position: [4, 3], points: [[0, 0], [1, 0], [0, 1]], team: walls}
agents:
- {type: MazeAgent, position: [1, 1], agent_radius: 0.1, controller: {type: StaticController, output: [0.2, 0.1]}}
- {type: MazeAgent, name: me, team: red, position: [2, 1], angle: 0.5, agent_radius: 0.2, power: 7,
   controller: {type: Probe, gain: null}}
spawners:
- {type: PointAgentSpawner, n: 2, agent: {type: MazeAgent, position: [5, 3], agent_radius: 0.1}}
"""


def probe(look):
    """A controller class that calls a function with its robot."""
    from swarmsim.agent.control.AbstractController import AbstractController

    class Probe(AbstractController):
        def __init__(self, gain=1, agent=None, parent=None):
            super().__init__(agent=agent, parent=parent)
            self.gain = gain

        def get_actions(self, agent):
            self.seen = look(agent)
            return 0.1, 0.2

    return Probe


def test_classes_see_robots_objects_and_the_world(classes, tmp_path):
    from swarmsim.agent.MazeAgent import MazeAgent
    from swarmsim.world.RectangularWorld import RectangularWorld

    looks = []
    sim = load(tmp_path, ONE, [probe(looks.append)]).step(3)
    me, world = looks[-1], looks[-1].world
    assert isinstance(me, MazeAgent) and isinstance(world, RectangularWorld)
    assert (me.name, me.team, me.radius, me.dt, me.dead, me.collision_flag) == ("me", "red", 0.2, 0.1, False, False)
    np.testing.assert_array_equal(me.position, sim.bind("poses")[1, :2])
    np.testing.assert_allclose(me.dpos, [0.01 * np.cos(0.55), 0.01 * np.sin(0.55)], atol=1e-5)
    assert me.getPosition() is not None and me.get_heading() == me.angle == pytest.approx(0.56)
    assert (me.config.agent_radius, me.config.position, me.config.power, me.config.delay) == (0.2, (2, 1), 7, 0)
    assert me.controller.gain is None
    assert [one.name for one in world.population] == [None, "me", "0", "1"]
    assert (world.total_steps, world.dt, world.seed, world.goals) == (3, 0.1, 1, [])
    assert world.meta == {"limits": {"speed": 0.3}, "on": True, "name": "Foes", "none": None} == world.config.metadata
    assert (*world.config.size, world.config.radius) == (6, 4, pytest.approx(np.sqrt(13)))
    region, wall = world.objects
    assert (region.name, region.radius, region.collision_flag, *region.pos) == ("exit", 0.5, True, 2, 1)
    assert (wall.team, wall.points.shape) == ("walls", (3, 2))
    assert world.getNeighborsWithinDistance((0, 0), 2, excluded=me) == [world.population[0]]


@pytest.mark.parametrize(
    ("look", "message"),
    [
        (lambda me: me.positions, "the robot me has no `positions` here; did you mean `position`"),
        (lambda me: me.collided, "the robot me has no `collided` here"),
        (lambda me: me.world.kd_tree, "the world has no `kd_tree` here: it has .*population"),
        (lambda me: me.world.objects[0].vertices, "the object exit has no `vertices` here"),
        (lambda me: setattr(me, "pos", (1, 1)), "the robot me: a class cannot set `pos`, since robots act by commands"),
        (lambda me: setattr(me, "angle", 1.0), "the robot me: a class cannot set `angle`"),
    ],
)
def test_what_is_missing_is_named(look, message, classes, tmp_path):
    sim = load(tmp_path, ONE, [probe(look)])
    with pytest.raises(AttributeError, match=message):
        sim.step()
    assert sim.steps == 0


def test_an_error_in_a_turn_leaves_the_run_at_the_step_before(classes, tmp_path):
    def look(me):
        if me.world.total_steps == 4:
            raise RuntimeError("lost")

    sim = load(tmp_path, ONE, [probe(look)])
    with pytest.raises(RuntimeError, match="lost"):
        sim.step(10)
    assert (sim.steps, sim.edits[-1].step) == (3, 1)
    poses = np.array(sim.bind("poses"))
    sim.save(tmp_path / "run")
    np.testing.assert_array_equal(sw.load(tmp_path / "run").step(3).bind("poses"), poses)


def test_a_class_whose_making_fails_is_made_again(classes, tmp_path):
    class Fails(probe(lambda me: None)):
        left = 1

        def __init__(self, gain=1, agent=None, parent=None):
            super().__init__(gain, agent, parent)
            Fails.left -= 1
            if Fails.left >= 0:
                raise RuntimeError("not yet")

    Fails.__name__ = "Probe"
    sim = load(tmp_path, ONE, [Fails])
    with pytest.raises(RuntimeError, match="not yet"):
        sim.step()
    np.testing.assert_allclose(sim.step(10).bind("poses")[1, 2], 0.7)


def test_robots_that_come_and_go_keep_their_classes(classes, tmp_path):
    made = []

    class Counts(probe(lambda me: [one.pos for one in me.world.population])):
        def __init__(self, gain=1, agent=None, parent=None):
            super().__init__(gain, agent, parent)
            made.append(agent.number)

    Counts.__name__ = "Probe"
    sim = load(tmp_path, ONE, [Counts]).step(2)
    sim.apply("Spawn", group="me", x_m=3.0, y_m=3.0, heading_rad=0.0).step(3)
    sim.apply("Remove", path="agents.1").step(3)
    sim.apply("Add", list="groups", value='(name: "late", at: [(1.0, 3.0, 0.0)])').step(3)
    assert made == [1, 4]
    assert [agent.number for agent in sim.agents] == [0, 2, 3, 4, 5]
    sim.save(tmp_path / "run")
    assert sw.load(tmp_path / "run").step(11).hash() == sim.hash()


def test_readings_of_classes_are_part_of_the_state(classes, tmp_path):
    sim = load(tmp_path, EXPECTED["sensor_for_a_known_controller"]["world"], classes)
    sim.step(60)
    assert {0.0, 1.0} == set(np.unique(sim.bind("readings.sensor_0")))
    assert any("write" in one.edit for one in sim.edits)


def test_a_step_of_the_past_begins_a_branch(classes, tmp_path):
    sim = load(tmp_path, ONE, [probe(lambda me: None)])
    timeline = sim.timeline
    hashes = [sim.step().hash() for _ in range(6)]
    timeline.seek(3)
    assert sim.hash() == hashes[2]
    assert [sim.step().hash() for _ in range(3)] == hashes[3:]
    assert len(timeline.branches) == 2


def test_a_reset_begins_with_new_instances_and_random_numbers(classes, tmp_path):
    sim = load(tmp_path, EXPECTED["world_random"]["world"], classes)
    first = sim.step(30).hash()
    assert sim.reset().step(30).hash() == first
    assert sim.reset(seed=9).step(30).hash() != first
    assert sim.reset(seed=3).step(30).hash() == first


def test_modules_that_are_not_provided_are_named():
    rss.provide_modules()
    if hasattr(importlib.import_module("swarmsim"), "run_sim"):
        pytest.skip("RobotSwarmSimulator is installed")
    with pytest.raises(ModuleNotFoundError, match="swarmsim.metrics.* is not among the modules .* install RobotSwarmSimulator"):
        importlib.import_module("swarmsim.metrics.Metric")
