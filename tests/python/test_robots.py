"""Neighbours of robots, and random numbers of their own."""

import numpy as np
import pytest
import swarmarium as sw

SCENE = """(
    seed: 4, arena: (size_m: (6.0, 5.0), boundary: %s), time: (dt_s: 0.05),
    groups: [
        (name: "many", count: 60, spawn: UniformBox(min_m: (0.1, 0.1), max_m: (5.9, 4.9)), body: Disc(radius_m: 0.03),
            controller: External()),
        (name: "few", count: 7, spawn: UniformBox(min_m: (0.1, 0.1), max_m: (5.9, 4.9)), body: Disc(radius_m: 0.03),
            controller: External()),
    ],
)"""


def offsets(poses, size=None):
    """The vectors between all pairs, the nearest ones if the arena has a period."""
    between = poses[None, :, :2] - poses[:, None, :2]
    return between if size is None else between - size * np.round(between / size)


@pytest.mark.parametrize("boundary", ["Walls", "Periodic", "Open"])
@pytest.mark.parametrize("radius_m", [0.0, 0.4, 1.3, 20.0])
def test_neighbours_are_those_of_all_pairs(boundary, radius_m):
    sim = sw.load(SCENE % boundary).step(3)
    sim.control("many", lambda robots: np.tile([0.5, 1.0], (len(robots), 1))).step(20)
    size = np.array([6.0, 5.0]) if boundary == "Periodic" else None
    between = offsets(sim.bind("poses"), size)
    near = (np.hypot(between[..., 0], between[..., 1]) <= radius_m) & ~np.eye(67, dtype=bool)
    found = sim.neighbours(radius_m)
    assert len(found) == 67
    assert [row.tolist() for row in found] == [np.flatnonzero(row).tolist() for row in near]
    robots, others = found.pairs
    np.testing.assert_allclose(found.offsets_m, between[robots, others], atol=1e-12)
    assert found.counts.tolist() == near.sum(axis=1).tolist()
    assert (found.distances_m <= radius_m).all()


def test_neighbours_of_a_group_and_of_a_robot_have_the_rows_of_its_arrays():
    seen = {}

    def look(robots):
        seen[robots.name] = robots.neighbours(2.0), robots.poses.copy()
        return np.zeros((len(robots), 2))

    class One:
        def act(self, robot):
            seen[robot.number] = robot.neighbours(1.0)
            return 0.0, 0.0

    sim = sw.load(SCENE % "Walls")
    sim.apply("Remove", path="agents.3").step()
    sim.control("few", look).step()
    near, poses = seen["few"]
    between = offsets(poses)
    inside = (np.hypot(between[..., 0], between[..., 1]) <= 2.0) & ~np.eye(7, dtype=bool)
    assert [row.tolist() for row in near] == [np.flatnonzero(row).tolist() for row in inside]
    sim.control("many", One).step()
    numbers = [agent.number for agent in sim.agents]
    assert 3 not in numbers and 3 not in seen
    now = sim.step(0).neighbours(1.0)
    assert seen[numbers[0]] == [numbers[row] for row in now[0]]
    for wrong in (-1.0, float("nan")):
        with pytest.raises(sw.SwarmariumError, match="radius_m: expected a number"):
            sim.neighbours(wrong)
    with pytest.raises(IndexError, match="there is no row 66"):
        now[66]


def draws(seed, steps=5, **extra):
    """The random numbers of robots in some steps."""
    found = []

    def controller(robots):
        if extra.get("other"):
            robots.random(name="other")
        found.append(np.column_stack([robots.random(), robots.random(2), robots.normal(name="noise")]))
        return np.zeros((len(robots), 2))

    sim = sw.load(SCENE % "Walls", seed=seed).control("many", controller)
    if extra.get("remove"):
        sim.apply("Remove", path="agents.0")
    sim.step(steps)
    return np.array(found)


def test_random_numbers_follow_from_seed_robot_step_and_name():
    first = draws(1)
    assert first.shape == (5, 60, 4) and len(np.unique(first)) == first.size
    np.testing.assert_array_equal(first, draws(1))
    np.testing.assert_array_equal(first, draws(1, other=True))
    np.testing.assert_array_equal(first[:, 1:], draws(1, remove=True))
    assert (first != draws(2)).all()
    assert 0.0 <= first[..., :3].min() and first[..., :3].max() < 1.0
    assert abs(first[..., :3].mean() - 0.5) < 0.03 and abs(first[..., 3].std() - 1.0) < 0.1


def test_the_order_in_which_robots_draw_does_not_matter():
    class Drawer:
        order: list[int] = []

        def act(self, robot):
            found[robot.number] = [robot.random(), robot.normal(), *robot.random(2), robot.random(name="own")]
            return 0.0, 0.0

    found: dict[int, list[float]] = {}
    sim = sw.load(SCENE % "Walls").control("few", Drawer).step()
    alone, found = found, {}
    sim = sw.load(SCENE % "Walls").control("many", Drawer).control("few", Drawer).step()
    assert {number: found[number] for number in alone} == alone
    assert len({value for values in found.values() for value in values}) == 67 * 5
    # A step that is repeated has the same numbers.
    snapshot, sim = sim.snapshot(), sim
    sim.step()
    once, found = found, {}
    sim.restore(snapshot).step()
    assert found == once


def test_controllers_of_robots_may_return_any_row():
    class Any_:
        def act(self, robot):
            return rows[robot.number % len(rows)]

    rows = [(0.1, 0.2), [0.1, 0.2], np.array([0.1, 0.2])]
    sim = sw.load(SCENE % "Walls").control("few", Any_).step(2)
    np.testing.assert_array_equal(sim.bind("commands", group="few"), np.tile([0.1, 0.2], (7, 1)))
    for rows in ([(0.1, 0.2), None], [(0.1, 0.2), (0.1, 0.2, 0.3), (0.1,)], ["ab"]):
        with pytest.raises(sw.SwarmariumError, match="controller of few returned"):
            sw.load(SCENE % "Walls").control("few", Any_).step()
