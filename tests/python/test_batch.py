"""Batches."""

import numpy as np
import pytest
import swarmarium as sw


@pytest.mark.parametrize("threads", [1, 3])
def test_each_simulation_has_the_hashes_that_it_has_alone(threads):
    batch = sw.Batch("milling", 7, seed=3, threads=threads)
    batch.step(20).step(30)
    alone = [sw.load("milling", seed=seed).step(50).hash() for seed in range(3, 10)]
    assert batch.hashes() == alone
    batch.reset([1, 4], seeds=[3, 9]).step(50)
    again = batch.hashes()
    assert again[1] == alone[0] and again[4] == alone[6]
    assert batch.steps.tolist() == [100, 50, 100, 100, 50, 100, 100]


def test_commands_and_states_are_arrays(swarm, tmp_path):
    batch = sw.Batch(swarm, 4, log=True)
    commands, poses = batch.bind("groups.led.commands"), batch.bind("poses")
    assert commands.shape == (4, 5, 2) and poses.shape == (4, 8, 3)
    assert batch.bind("metrics").shape == (4, 2) and batch.metric_columns[0] == "circliness"
    assert batch.groups == {"led": [0, 1, 2, 3, 4], "free": [5, 6, 7]}
    for step in range(10):
        commands[...] = np.random.default_rng(step).uniform(-0.5, 0.5, commands.shape)
        batch.step(3)
    alone = sw.load(swarm, seed=2)
    own = alone.bind("groups.led.commands")
    for step in range(10):
        own[...] = np.random.default_rng(step).uniform(-0.5, 0.5, commands.shape)[2]
        alone.step(3)
    np.testing.assert_array_equal(poses[2], alone.bind("poses"))
    assert batch.hashes()[2] == alone.hash()
    batch.save(2, tmp_path / "run")
    saved = sw.load(tmp_path / "run")
    saved.run()
    assert (saved.steps, saved.hash()) == (30, alone.hash())
    with pytest.raises(sw.SwarmariumError, match="exists already; overwrite=True replaces it"):
        batch.save(2, tmp_path / "run")
    # Commands that no step has sent are a part of the run.
    commands[...] = 0.2
    batch.save(2, tmp_path / "run", overwrite=True)
    assert sw.load(tmp_path / "run").step(33).hash() == batch.step(3).hashes()[2]


def test_parameters_differ_between_simulations():
    path = "groups.millers.sensors.0.range_m"
    batch = sw.Batch("milling", 3, seeds=[1, 1, 1]).set(path, np.array([0.5, 1.0, 2.0])).step(100)
    alone = [sw.load("milling", seed=1, set={path: value}).step(100).hash() for value in (0.5, 1.0, 2.0)]
    assert batch.hashes() == alone
    # In a running simulation, they are edits.
    later = sw.load("milling", seed=1, set={path: 1.0}).step(100).set(path, 0.7).step(50).hash()
    assert batch.set(path, [0.7], places=[1]).step(50).hashes()[1] == later
    batch.set(path, np.array([0.5, 1.0, 2.0]))
    # A reset keeps them.
    batch.reset(seeds=[5, 5, 5]).step(100)
    fresh = [sw.load("milling", seed=5, set={path: value}).step(100).hash() for value in (0.5, 1.0, 2.0)]
    assert batch.hashes() == fresh


def test_values_of_their_own_do_not_slow_down_other_simulations(swarm):
    batch = sw.Batch(swarm, 4, seeds=[7] * 4, threads=2)
    paths = {"groups.free.controller.clear.v_m_per_s": np.linspace(0.0, 0.3, 4), "groups.led.sensors.0.range_m": np.linspace(1, 2, 4)}
    for path, values in paths.items():
        batch.set(path, values)
    commands, poses, readings = batch.bind("groups.led.commands"), batch.bind("poses"), batch.bind("groups.led.readings")
    for place in range(4):
        alone = sw.load(swarm, seed=7, set={path: float(values[place]) for path, values in paths.items()})
        own, seen, read = alone.bind("groups.led.commands"), alone.bind("poses"), alone.bind("groups.led.readings")
        if place == 0:
            for step in range(20):
                commands[...] = 0.1 + 0.01 * step, 0.3
                batch.step(2)
        for step in range(20):
            own[...] = 0.1 + 0.01 * step, 0.3
            alone.step(2)
        assert batch.hashes()[place] == alone.hash()
        np.testing.assert_array_equal(poses[place], seen)
        np.testing.assert_array_equal(readings[place], read)


def test_robots_without_the_controller_external_refuse_commands_later_too(swarm):
    batch = sw.Batch(swarm, 2)
    commands = batch.bind("commands")
    batch.step()
    commands[0, 6] = 0.1, 0.1
    with pytest.raises(sw.SwarmariumError, match="simulation 0: .*External"):
        batch.step()
    assert batch.steps.tolist() == [1, 1]


def test_commands_of_the_others_survive_a_reset(swarm):
    batch = sw.Batch(swarm, 3)
    commands = batch.bind("groups.led.commands")
    commands[...] = 0.2, 0.1
    batch.step(5).reset(np.array([False, True, False]))
    assert commands[0, 0].tolist() == [0.2, 0.1] and not commands[1].any()


def test_written_commands_are_never_lost(swarm):
    batch = sw.Batch(swarm, 2, set={"groups.free.controller": "Constant()"})
    commands = batch.bind("groups.led.commands")
    commands[...] = 0.2, 0.5
    before = batch.bind("groups.led.poses").copy()
    batch.step(0).set("groups.free.controller", "External()").step()
    assert (batch.bind("groups.led.poses") != before).all(axis=(0, 1)).all()


def test_logged_batches_take_parameters_for_all(swarm, tmp_path):
    batch = sw.Batch(swarm, 2, log=True).set("groups.free.controller.clear.v_m_per_s", 0.1)
    batch.bind("groups.led.commands")[...] = 0.2, 0.5
    batch.step(3).save(1, tmp_path / "run")
    assert sw.load(tmp_path / "run", at=3).hash() == batch.hashes()[1]


def test_all_or_none_advance(swarm):
    batch = sw.Batch(swarm, 4)
    commands = batch.bind("groups.led.commands")
    commands[...] = 0.1
    commands[2, 1] = np.nan
    with pytest.raises(sw.SwarmariumError, match="simulation 2: agent 1"):
        batch.step(150)
    assert batch.steps.tolist() == [0] * 4
    commands[2, 1] = 0.1
    assert batch.step(150).steps.tolist() == [150] * 4
    path = "groups.free.controller.clear.v_m_per_s"
    with pytest.raises(sw.SwarmariumError, match="simulation 3"):
        batch.set(path, [0.1, 0.1, 0.1, 1e9])
    assert batch.get(path) != 0.1
    with pytest.raises(sw.SwarmariumError, match="did you mean"):
        batch.get(path + "x")


def test_runs_with_edits_are_no_batches(swarm, tmp_path):
    sim = sw.load(swarm).set("groups.free.controller.clear.v_m_per_s", 0.1).step(2)
    sim.save(tmp_path / "run")
    with pytest.raises(sw.SwarmariumError, match="has edits"):
        sw.Batch(tmp_path / "run", 2)
    with pytest.raises(sw.SwarmariumError, match="log=True"):
        sw.Batch(swarm, 2).save(0, tmp_path / "batch")


def test_errors_name_the_simulation(swarm):
    batch = sw.Batch(swarm, 3)
    commands = batch.bind("groups.led.commands")
    commands[1, 2] = np.inf
    with pytest.raises(sw.SwarmariumError, match="simulation 1: agent 2"):
        batch.step()
    with pytest.raises(sw.SwarmariumError, match="there is no simulation 3"):
        batch.reset([3])
    with pytest.raises(ValueError, match="expected 3 truth values"):
        batch.reset(np.array([True]))
    with pytest.raises(sw.SwarmariumError, match="simulation 0"):
        batch.set("groups.led.bodi", 1)
    with pytest.raises(ValueError, match="seeds: expected 2"):
        sw.Batch(swarm, 2, seeds=[1])
    with pytest.raises(ValueError, match="count: expected at least 1, found 0"):
        sw.Batch(swarm, 0)
    with pytest.raises(ValueError, match="threads: expected at least 1, found 0"):
        sw.Batch(swarm, 1, threads=0)
    with pytest.raises(ValueError, match="count: expected a whole number, found 2.5"):
        sw.Batch(swarm, 2.5)


def test_seeds_and_the_first_seed_exclude_each_other(swarm):
    with pytest.raises(ValueError, match="seeds and seed exclude each other"):
        sw.Batch(swarm, 2, seeds=[1, 2], seed=1)
    with pytest.raises(ValueError, match="seed: expected a number from 0"):
        sw.Batch(swarm, 2, seed=-1)
    assert sw.Batch(swarm, 2).seeds == [0, 1] and sw.Batch(swarm, 2, seed=7).seeds == [7, 8]
