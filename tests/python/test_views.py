"""Live arrays."""

import gc
import tracemalloc

import numpy as np
import pytest
import swarmarium as sw


def address(array):
    return array.__array_interface__["data"][0]


def test_arrays_show_the_live_state(swarm):
    sim = sw.load(swarm)
    poses, led, metrics = sim.bind("poses"), sim.bind("groups.led.poses"), sim.bind("metrics")
    assert poses.shape == (8, 3) and led.shape == (5, 3) and metrics.shape == (2,)
    before = poses.copy()
    sim.bind("groups.led.commands")[...] = 0.2, 0.5
    sim.run(10, trace=10)
    assert (poses[:5] != before[:5]).any()
    np.testing.assert_array_equal(led, poses[:5])
    last = sim.trace.array[-8:]
    np.testing.assert_array_equal(poses, last[:, 3:6])
    assert metrics.tolist() == list(sim.values.values())
    fov, bumps = sim.bind("groups.led.readings.fov"), sim.bind("groups.led.readings.1")
    assert fov.shape == (5, 1) and bumps.shape == (5, 4)
    np.testing.assert_array_equal(np.hstack([fov, bumps]), sim.bind("groups.led.readings"))
    speed = np.hypot(*sim.bind("velocities")[0])
    assert 0.0 < speed < 0.21


def test_only_commands_can_be_written(swarm):
    sim = sw.load(swarm)
    for name in ("poses", "velocities", "metrics", "groups.led.readings"):
        array = sim.bind(name)
        assert not array.flags.writeable
        with pytest.raises(ValueError):
            array[...] = 0.0
    with pytest.raises(sw.SwarmariumError, match="the controller Binary commands agent 5"):
        commands = sim.bind("commands")
        commands[6] = 0.3, 0.0
        commands[5] = 0.3, 0.0
        sim.step()
    # What was refused is not there any more, and the rest works.
    assert (commands[5:] == sw.load(swarm).bind("commands")[5:]).all()
    commands[0] = 0.3, 0.0
    sim.step()
    assert commands[0].tolist() == [0.3, 0.0]
    commands[0] = np.nan
    with pytest.raises(sw.SwarmariumError, match="expected -1000 to 1000"):
        sim.step()


def test_commands_are_logged_as_edits(swarm, tmp_path):
    sim = sw.load(swarm)
    commands = sim.bind("groups.led.commands")
    for step in range(40):
        commands[...] = np.random.default_rng(step).uniform(-0.5, 0.5, commands.shape)
        sim.step()
    assert [edit.step for edit in sim.edits] == list(range(1, 41))
    sim.save(tmp_path / "run")
    assert sw.load(tmp_path / "run").step(40).hash() == sim.hash()


def test_arrays_outlive_their_simulation_and_its_robots(swarm):
    sim = sw.load(swarm)
    poses = sim.bind("poses")
    sim.apply("Remove", path="agents.2").step()
    assert np.isnan(poses[2]).all() and np.isfinite(np.delete(poses, 2, axis=0)).all()
    sim.apply("Spawn", group="led", x_m=1.0, y_m=1.0, heading_rad=0.0).step()
    assert poses.shape == (8, 3) and sim.bind("poses").shape == (8, 3) and len(sim.agents) == 8
    assert sim.bind("poses") is not poses and np.isfinite(sim.bind("poses")).all()
    last, row = poses.copy(), poses[0]
    del sim
    gc.collect()
    np.testing.assert_array_equal(poses, last)
    assert row.tolist() == last[0].tolist()


def test_the_same_array_is_bound_twice(swarm):
    sim = sw.load(swarm)
    first = sim.bind("poses")
    assert address(first) == address(sim.bind("poses"))


def test_addresses_stay_and_nothing_is_allocated(swarm):
    sim = sw.load(swarm)
    poses, readings = sim.bind("poses"), sim.bind("groups.led.readings")
    places = address(poses), address(readings)
    sim.step(1000)
    tracemalloc.start()
    before = tracemalloc.take_snapshot()
    for _ in range(20_000):
        sim.step()
    growth = sum(row.size_diff for row in tracemalloc.take_snapshot().compare_to(before, "lineno"))
    tracemalloc.stop()
    assert (address(poses), address(readings)) == places
    # The table of metrics grows outside of Python.
    assert growth < 20_000


def test_names_that_do_not_exist_are_refused(swarm):
    sim = sw.load(swarm)
    for name, text in {
        "pose": "did you mean `poses`",
        "groups.leed.poses": "did you mean `led`",
        "readings": "bind groups.NAME.readings of each group",
        "groups.led.readings.sonar": "the sensors are 0 (binary_fov), 1 (proximity)",
        "groups.led": "there is no such group",
        "": "expected poses",
    }.items():
        with pytest.raises(sw.SwarmariumError, match=text.replace("(", r"\(").replace(")", r"\)")):
            sim.bind(name)
    with pytest.raises(sw.SwarmariumError, match="not wheels"):
        sim.bind("groups.led.commands", form="wheels")
    with pytest.raises(sw.SwarmariumError, match="did you mean `drive`"):
        sim.bind("groups.led.commands", form="driv")


def test_written_commands_are_never_lost(swarm):
    for between in (
        lambda sim: sim.set("groups.free.controller.clear.v_m_per_s", 0.1),
        lambda sim: sim.apply("Move", agent=7, x_m=1.0, y_m=1.0, heading_rad=0.0),
        lambda sim: sim.snapshot(),
        lambda sim: sim.bind("groups.led.poses"),
        lambda sim: sim.apply("Remove", path="agents.7").bind("groups.led.commands"),
    ):
        sim = sw.load(swarm)
        sim.bind("groups.led.commands")[...] = 0.2, 0.5
        before = sim.bind("groups.led.poses").copy()
        between(sim)
        sim.step()
        assert (sim.bind("groups.led.poses") != before).all(axis=0).all(), between


def test_forms_do_not_show_each_others_commands(tmp_path):
    settings = {"groups.gatherers.controller": "External()", "groups.gatherers.count": 2}
    sim = sw.load("aggregation", set=settings)
    drive, wheels = sim.bind("commands"), sim.bind("commands", form="wheels")
    drive[...] = 0.1, 0.1
    sim.step()
    assert np.isnan(wheels).all()
    wheels[...] = 0.1, 0.1
    headings = sim.bind("poses")[:, 2].copy()
    sim.step()
    np.testing.assert_array_equal(sim.bind("poses")[:, 2], headings)


def test_a_new_state_forgets_what_was_written(swarm):
    sim = sw.load(swarm)
    snapshot, commands = sim.snapshot(), sim.bind("groups.led.commands")
    for renew in (lambda: sim.restore(snapshot), sim.reset):
        commands[...] = np.nan
        renew()
        assert not commands.any()
        sim.step()
        assert sim.edits == []


def test_commands_wait_for_the_rate_of_a_controller(swarm):
    sim = sw.load(swarm, set={"groups.led.controller.rate_hz": 5.0})
    commands, poses = sim.bind("groups.led.commands"), sim.bind("groups.led.poses")
    sim.step()
    commands[...] = 0.2, 0.0
    sim.step()
    assert (commands[:, 0] == 0.2).all()
    before = poses.copy()
    commands[...] = 0.0
    sim.step(30)
    np.testing.assert_array_equal(poses, before)


def test_commands_of_removed_robots_are_left_out(swarm):
    sim = sw.load(swarm)
    commands = sim.bind("groups.led.commands")
    sim.apply("Remove", path="agents.0").step()
    commands[...] = 0.2, 0.5
    sim.step()
    assert np.isnan(commands[0]).all() and (commands[1:] == [0.2, 0.5]).all()


def test_robots_without_sensors_have_empty_readings(swarm):
    bare = sw.load(swarm, set={"groups.free.sensors": "[]", "groups.free.controller": "External()"})
    assert bare.bind("groups.free.readings").shape == (3, 0)
    bare.step(3)


def test_arrays_do_not_accumulate(swarm):
    sim = sw.load(swarm).control("led", lambda robots: np.zeros((len(robots), 2)))
    for _ in range(20):
        sim.apply("Spawn", group="led", x_m=1.0, y_m=1.0, heading_rad=0.0).step()
        sim.apply("Remove", path=f"agents.{sim.agents[-1].number}").step()
    assert sim._native.views() <= 2


def test_outputs_are_set_by_edits_and_shown(tmp_path):
    scene = tmp_path / "lamps.ron"
    scene.write_text(
        "Scene(groups: [(name: 'a', count: 2, leds: Some(()), controller: External()), (name: 'b')])".replace("'", '"')
    )
    sim = sw.load(scene)
    outputs = sim.bind("outputs")
    np.testing.assert_array_equal(outputs[:2], np.zeros((2, 5)))
    assert np.isnan(outputs[2]).all()
    sim.apply("Output", output="Led", agents=[1], values=[1.0, 0.2, 0.0]).step()
    np.testing.assert_array_equal(outputs[:2], [[0, 0, 0, 0, 0], [1.0, 0.2, 0, 0, 0]])
    with pytest.raises(sw.SwarmariumError, match="expected 0 to 1"):
        sim.apply("Output", output="Led", agents=[1], values=[2.0, 0.0, 0.0])
    with pytest.raises(sw.SwarmariumError, match="agent 2 has no LEDs"):
        sim.apply("Output", output="Led", agents=[2], values=[1.0, 0.0, 0.0])
    sim.save(tmp_path / "run")
    assert sw.load(tmp_path / "run", at="end").hash() == sim.hash()


def test_objects_are_an_array_that_follows_them(tmp_path):
    scene = tmp_path / "push.ron"
    scene.write_text(
        """Scene(
            arena: (size_m: (4.0, 2.0), boundary: Walls), time: (dt_s: 0.05),
            groups: [(name: "pusher", at: [(0.5, 1.0, 0.0)], body: Disc(radius_m: 0.1), controller: Constant(v_m_per_s: 0.2))],
            objects: [
                Disc(name: "ball", center_m: (1.0, 1.0), radius_m: 0.1, movable: (mass_kg: 1.0)),
                Disc(name: "post", center_m: (3.0, 0.5), radius_m: 0.1, heading_rad: 0.5),
            ],
        )"""
    )
    sim = sw.load(scene)
    objects = sim.bind("objects")
    np.testing.assert_array_equal(objects, [[1.0, 1.0, 0.0], [3.0, 0.5, 0.5]])
    sim.step(100)
    # It has been pushed from a distance of 0.3 m by a robot that has driven 1 m.
    np.testing.assert_allclose(objects[0], [1.7, 1.0, 0.0], atol=1e-9)
    sim.apply("Remove", path="objects.1").step()
    assert np.isnan(objects[1]).all()
