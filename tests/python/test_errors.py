"""Errors, panics, signals and processes."""

import multiprocessing
import os
import re
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import swarmarium as sw


def test_messages_are_those_of_the_command_line(tmp_path):
    path = tmp_path / "bad.ron"
    path.write_text('Scene(groups: [(name: "a", cont: 3, controller: Binari())])', encoding="utf-8")
    with pytest.raises(sw.SwarmariumError) as caught:
        sw.load(path)
    text = str(caught.value)
    assert "bad.ron:1:" in text and "did you mean `count`" in text and "did you mean `Binary`" in text
    assert isinstance(caught.value, ValueError)
    for wrong in (
        lambda: sw.load("millling"),
        lambda: sw.load("milling", set={"groups.millers.cont": 3}),
        lambda: sw.load("milling", threads=0),
        lambda: sw.load("drawing.svg", scale=0),
        lambda: sw.load("milling", at=3),
        lambda: sw.record("milling", tmp_path / "a.mp4", duraton=3),
        lambda: sw.sweep("milling", vary={"groups.millers.cont": [1]}, measure="mean circliness"),
        lambda: sw.open_sweep(tmp_path),
        lambda: sw.load("milling").trace,
        lambda: sw.load("milling").get("groups.millers.cont"),
    ):
        with pytest.raises(sw.SwarmariumError):
            wrong()
    sim = sw.load("milling")
    for wrong in (
        lambda: sim.step(-1),
        lambda: sim.step(1.5),
        lambda: sim.run(-1),
        lambda: sim.run(1, 2.0),
        lambda: sim.timeline.seek(-1),
        lambda: sim.picture(100_000, 100),
        lambda: sw.load("milling", seed=-1),
        lambda: sw.Batch("milling", 2).reset([-1]),
    ):
        with pytest.raises(ValueError, match="expected|exclude"):
            wrong()


def test_a_panic_poisons_its_simulation_only():
    sim, other = sw.load("milling"), sw.load("milling")
    with pytest.raises(sw.PoisonedError, match="a defect"):
        sim._native.panic("a defect")
    for call in (sim.step, sim.hash, lambda: sim.bind("poses"), lambda: sim.agents):
        with pytest.raises(sw.PoisonedError, match="a defect"):
            call()
    other.step(5)


def test_ctrl_c_ends_a_long_run_at_a_step():
    sim = sw.load("milling")
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        sim.step(2**62)
    timer.join()
    steps = sim.steps
    assert steps > 0
    assert sim.hash() == sw.load("milling").step(steps).hash()


def test_ctrl_c_ends_a_sweep_and_keeps_its_runs(tmp_path):
    script = (
        "import swarmarium as sw\n"
        f"sw.sweep('milling', vary={{'seed': list(range(400))}}, measure='mean circliness', steps=20000, output={str(tmp_path / 's')!r})"
    )
    process = subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.PIPE, text=True)
    log = tmp_path / "s" / "logs"
    while not (log.is_dir() and any(path.stat().st_size > 500 for path in log.iterdir())):
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert "KeyboardInterrupt" in errors and process.returncode != 0
    assert any(path.stat().st_size > 500 for path in log.iterdir())


def test_threads_do_not_share_a_simulation():
    sim, began = sw.load("milling"), threading.Event()
    problems = []

    def use():
        began.wait()
        try:
            sim.hash()
        except sw.SwarmariumError as problem:
            problems.append(str(problem))

    thread = threading.Thread(target=use)
    thread.start()
    began.set()
    for _ in range(200):
        sim.step(2000)
        if not thread.is_alive():
            break
    thread.join()
    in_use = "the simulation is in use: by another thread, or by the step in which this controller or sensor acts"
    assert problems in ([], [in_use])


def step_in_child(sim, queue):
    queue.put(sim.step(100).hash())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_simulations_survive_a_fork():
    context = multiprocessing.get_context("fork")
    sim, queue = sw.load("milling"), context.Queue()
    child = context.Process(target=step_in_child, args=(sim, queue))
    child.start()
    found = queue.get(timeout=60)
    child.join()
    assert found == sim.step(100).hash()
    several = sw.load("milling", threads=2)
    read, write = os.pipe()
    if os.fork() == 0:
        try:
            several.step()
            text = "no error"
        except sw.SwarmariumError as problem:
            text = str(problem)
        os.write(write, text.encode())
        os._exit(0)
    os.close(write)
    assert "made before a fork" in os.read(read, 1000).decode()
    os.wait()


def step_batch_in_child(batch, queue):
    batch.step(100)
    queue.put(batch.hashes())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_batches_with_threads_survive_a_fork():
    context = multiprocessing.get_context("fork")
    batch, queue = sw.Batch("milling", 4, threads=2), context.Queue()
    batch.step()
    child = context.Process(target=step_batch_in_child, args=(batch, queue))
    child.start()
    found = queue.get(timeout=60)
    child.join(timeout=60)
    assert child.exitcode == 0
    batch.step(100)
    assert found == batch.hashes()


def hash_of(seed):
    return sw.load("milling", seed=seed).step(50).hash()


def test_spawned_processes_work():
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        assert pool.map(hash_of, [1, 2]) == [hash_of(1), hash_of(2)]


def test_the_package_has_the_program():
    done = subprocess.run([sys.executable, "-m", "swarmarium", "list", "scenes"], capture_output=True, text=True, check=True)
    assert "milling" in done.stdout
    bad = subprocess.run([sys.executable, "-m", "swarmarium", "check", "no.ron"], capture_output=True, text=True)
    assert bad.returncode == 2 and "no.ron" in bad.stderr


def test_arguments_of_the_wrong_kind_are_named(tmp_path):
    sim = sw.load("milling", seed=1)
    for wrong, told in (
        (lambda: sw.load(5), "source: expected the name of a scene"),
        (lambda: sw.load("milling", set=[("a", 1)]), "set: expected a mapping"),
        (lambda: sim.neighbours("a"), "radius_m: expected a number in metres"),
        (lambda: sim.metrics[1:3], "expected the name of a column or a list of names, found slice"),
    ):
        with pytest.raises(TypeError, match=re.escape(told)):
            wrong()
    for wrong, told in (
        (lambda: sim.picture(height=100_000), "height: expected 16 to 8192 pixels, found 100000"),
        (lambda: sim.picture(3, 100), "width: expected 16 to 8192 pixels, found 3"),
        (lambda: sim.control("millers", 5), "controller: expected a function of a Group"),
        (lambda: sim.control("millers", type("Idle", (), {})).step(), "found the class Idle"),
        (lambda: sim.record(tmp_path / "a.mp4", overwrite="yes"), "overwrite: expected True or False, found 'yes'"),
    ):
        with pytest.raises(sw.SwarmariumError, match=re.escape(told)):
            wrong()
    with pytest.raises(KeyError, match="did you mean `circliness`"):
        sim.values["circlines"]
    assert np.asarray(sim.metrics).shape == sim.metrics.array.shape
    # The group still has its own controller.
    sim.control("millers", None)
    assert sim.step(2).groups["millers"] == "Binary"


def test_a_controller_cannot_step_its_simulation():
    sim = sw.load("milling", seed=1)

    def controller(robots):
        robots.simulation.step()

    with pytest.raises(sw.SwarmariumError, match="in use: by the step in which this controller acts"):
        sim.control("millers", controller).step()
    assert sim.control("millers", None).step().steps == 1


@pytest.mark.skipif(sys.version_info < (3, 11), reason="notes of exceptions are new in Python 3.11")
def test_exceptions_of_controllers_tell_the_robot_the_group_and_the_step():
    class Divider:
        def act(self, robot):
            return 0.1 / (robot.number - 3), 0.0

    sim = sw.load("milling", seed=1).step(4).control("millers", Divider)
    with pytest.raises(ZeroDivisionError) as caught:
        sim.step()
    assert caught.value.__notes__ == ["robot 3", "in step 5, in the controller of the group millers"]


def test_likely_mistakes_of_a_scene_are_warnings():
    body = {"groups.millers.count": 3000, "groups.millers.body": "Disc(radius_m: 0.2)"}
    with pytest.warns(UserWarning, match="of 3000 robots found no room in the area of the spawner"):
        sw.load("milling", set=body)
