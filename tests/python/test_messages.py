"""Radio messages of robots with controllers in Python."""

import math

import numpy as np
import pytest
import swarmarium as sw


@pytest.fixture
def scene(root):
    return root / "docs/examples/hop_count.ron"


# The number of robots over which a message of robot 0 reaches each robot.
HOPS = [0, 1, 2, 3, 1, 3, 4, 5, 6, 7]


def count_hops(robots):
    reading = robots.column("readings.range_and_bearing")
    senders = reading[:, 1:].reshape(len(robots), -1, 3)
    is_heard = np.arange(senders.shape[1]) < reading[:, :1]
    hops = 1 + np.where(is_heard, senders[:, :, 2], np.inf).min(axis=1)
    hops[0] = 0
    robots.send(np.where(np.isfinite(hops), hops, np.nan))
    return np.zeros((len(robots), 2))


class Hop:
    def act(self, robot):
        heard = [message.numbers[0] for message in robot.messages]
        if robot.number == 0 or heard:
            robot.send([0 if robot.number == 0 else 1 + min(heard)])
        return 0.0, 0.0


@pytest.mark.parametrize("controller", [count_hops, Hop])
def test_messages_travel_from_robot_to_robot(scene, controller, tmp_path):
    sim = sw.load(scene).control("robots", controller)
    for step in range(12):
        sim.step()
        heard = {number: hops for number in range(10) for hops in [sim.messages(number)] if hops}
        # A message travels one hop in a step.
        expected = {number for number in range(10) if any(HOPS[other] <= step for other in neighbours(number))}
        assert set(heard) == expected
    for number in range(10):
        found = {message.sender: message.numbers for message in sim.messages(number)}
        assert found == {other: (HOPS[other],) for other in neighbours(number)}
        assert all(message.age_s == 0.1 for message in sim.messages(number))
    # The run replays without Python.
    sim.save(tmp_path / "run")
    again = sw.load(tmp_path / "run")
    assert again.step(12).hash() == sim.hash()


POSITIONS = [
    (0.5, 0.5), (1.0, 0.5), (1.5, 0.5), (2.0, 0.5), (0.5, 1.0), (1.5, 1.0), (2.0, 1.0), (2.0, 1.5), (2.0, 2.0), (1.5, 2.0),
]


def neighbours(number):
    return [
        other for other in range(10) if other != number and math.dist(POSITIONS[number], POSITIONS[other]) < 0.6
    ]


def test_range_and_bearing_of_messages(scene):
    sim = sw.load(scene).send("robots", np.arange(20).reshape(10, 2)).step()
    messages = sim.messages(1)
    assert [message.sender for message in messages] == [0, 2]
    assert [message.numbers for message in messages] == [(0.0, 1.0), (4.0, 5.0)]
    assert [message.range_m for message in messages] == pytest.approx([0.5, 0.5])
    assert [message.bearing_rad for message in messages] == pytest.approx([math.pi, 0.0])
    reading = sim.bind("readings.range_and_bearing")[1]
    assert reading[:7] == pytest.approx([2, 0.5, math.pi, 0, 0.5, 0, 4])
    assert not reading[7:].any()
    # A radio that is not situated measures no positions.
    plain = {"groups.robots.sensors": "[]", "groups.robots.radio.situated": False}
    blind = sw.load(scene, set=plain).send(0, [7.0]).step().messages(1)
    assert [(message.numbers, message.range_m, message.bearing_rad) for message in blind] == [((7.0,), None, None)]


def test_robots_are_silent_by_mask_and_by_nan(scene):
    sim = sw.load(scene)
    numbers = np.arange(10.0)
    numbers[2] = np.nan
    sim.send("robots", numbers, mask=np.arange(10) != 4).step()
    assert sim.edits[0].edit == "Message(agents:[0,1,3,5,6,7,8,9],values:[0.0,1.0,3.0,5.0,6.0,7.0,8.0,9.0])"
    assert [message.sender for message in sim.messages(1)] == [0]
    sim.send([4, 5], [[1, 2], [3, 4]]).send(2, 8).step()
    assert [message.numbers for message in sim.messages(0)] == [(1.0, 2.0)]
    assert [message.numbers for message in sim.messages(1)] == [(8.0,)]
    # No row, no edit.
    before = len(sim.edits)
    sim.send("robots", np.full((10, 3), np.nan)).step()
    assert len(sim.edits) == before and sim.messages(1) == []


def test_messages_that_cannot_be_sent_are_refused(scene):
    sim = sw.load(scene)
    with pytest.raises(sw.SwarmariumError, match="agent 1 cannot send NaN: expected finite numbers"):
        sim.send("robots", [[0, 1]] + [[0, np.nan]] * 9)
    with pytest.raises(sw.SwarmariumError, match="there is no group 'robot': the groups are robots"):
        sim.send("robot", np.zeros(10))
    with pytest.raises(ValueError, match=r"expected an array of the shape \(10, numbers\), found \(3, 2\)"):
        sim.send("robots", np.zeros((3, 2)))
    with pytest.raises(ValueError, match="mask: expected .* truth values"):
        sim.send("robots", np.zeros(10), mask=[1, 0])
    with pytest.raises(sw.SwarmariumError, match="there is no agent 40"):
        sim.messages(40)
    with pytest.raises(sw.SwarmariumError, match="at most 256 numbers, found 300"):
        sim.send(0, np.zeros(300))
    milling = sw.load("milling", set={"groups.millers.controller": "External()"})
    with pytest.raises(sw.SwarmariumError, match="agent 0 has no radio"):
        milling.send("millers", np.zeros(6))


def test_simulations_of_a_batch_send_messages_of_their_own(scene):
    batch = sw.Batch(scene, 3)
    readings = batch.bind("groups.robots.readings.range_and_bearing")
    numbers = np.arange(60.0).reshape(3, 10, 2)
    mask = np.ones((3, 10), bool)
    mask[1] = False
    for _ in range(4):
        batch.send("robots", numbers, mask).step()
    alone = sw.load(scene, seed=2)
    for _ in range(4):
        alone.send("robots", numbers[2]).step()
    assert batch.hashes()[2] == alone.hash()
    assert readings[:, 1, 0].tolist() == [2, 0, 2]
    assert readings[2, 1, 3] == 40
    with pytest.raises(ValueError, match=r"shape \(3, 10, numbers\)"):
        batch.send("robots", numbers[0])
