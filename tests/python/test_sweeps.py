"""Sweeps with controllers in Python, progress, and the log."""

import functools
import gc
import json
import logging
import pickle
import sys
import types
import warnings

import numpy as np
import pytest
import swarmarium as sw
from swarmarium.control import controller_name

MILL = {"vary": {"groups.millers.count": [4, 6]}, "repeat": 2, "measure": "final circliness", "steps": 60}


def mill(robots):
    """The controller of the scene milling."""
    seen = robots.column("readings", sensor="fov")[:, 0] > 0.5
    return np.column_stack([np.full(len(robots), 0.27), np.where(seen, 0.6, -0.6)])


class Miller:
    """The same for one robot."""

    def act(self, robot):
        return 0.27, 0.6 if robot.reading("fov")[0] > 0.5 else -0.6


@pytest.mark.parametrize("controller", [mill, Miller])
def test_a_sweep_with_controllers_in_python_has_the_results_of_the_native_ones(controller, tmp_path):
    native = sw.sweep("milling", **MILL)
    python = sw.sweep("milling", **MILL, controllers={"millers": controller}, output=tmp_path / "sweep")
    assert python.runs["circliness"].tolist() == native.runs["circliness"].tolist()
    for name in ("summary.csv", "comparisons.csv"):
        assert (python.path / name).read_bytes() == (native.path / name).read_bytes()
    # Each run opens with its controllers, and ends with the hash of its row.
    for row in range(4):
        run = python.load(int(python.runs["point"][row]), int(python.runs["repetition"][row]))
        run.run()
        assert run.hash() == python.runs["final_state_hash"][row]
    with pytest.raises(sw.SwarmariumError, match=r"`millers` had a controller in Python .*open_sweep"):
        sw.open_sweep(tmp_path / "sweep").load(1)
    with pytest.raises(sw.SwarmariumError, match=r"`millers` had a controller in Python .*open_sweep"):
        sw.load(tmp_path / "sweep/runs/1-1")
    again = sw.open_sweep(tmp_path / "sweep", controllers={"millers": controller})
    assert again.load(1).run(60)["step"][-1] == 60


def other(robots):
    return np.zeros((len(robots), 2))


def test_runs_of_other_controllers_are_not_mixed(tmp_path):
    folder = tmp_path / "sweep"
    sw.sweep("milling", **MILL, controllers={"millers": mill}, output=folder)
    assert json.loads((folder / "controllers.json").read_text()) == {"millers": f"{__name__}.mill"}
    more = {**MILL, "repeat": 3, "output": folder, "resume": True}
    for controllers, message in (
        (None, rf"`millers` had a controller in Python \(`{__name__}.mill`\); .*resume=True, controllers="),
        ({}, "`millers` had a controller in Python"),
        ({"millers": other}, f"had the controller `{__name__}.mill` in Python, and `{__name__}.other` is given"),
    ):
        with pytest.raises(sw.SwarmariumError, match=message):
            sw.sweep("milling", **more, controllers=controllers)
        with pytest.raises(sw.SwarmariumError, match="`millers` had"):
            sw.open_sweep(folder, controllers=controllers).load(1)
    assert len(sw.open_sweep(folder).runs) == 4
    assert len(sw.sweep("milling", **more, controllers={"millers": mill}).runs) == 6
    # A sweep without controllers does not get some.
    sw.sweep("milling", **MILL, output=tmp_path / "native")
    with pytest.raises(sw.SwarmariumError, match=f"`millers` had no controller in Python, and `{__name__}.mill` is given"):
        sw.sweep("milling", **{**more, "output": tmp_path / "native"}, controllers={"millers": mill})
    # `overwrite` makes a new sweep.
    sw.sweep("milling", **MILL, output=folder, overwrite=True)
    assert not (folder / "controllers.json").exists()


def test_controllers_have_the_same_names_in_each_process():
    assert controller_name(Miller) == f"{__name__}.Miller"
    assert controller_name(functools.partial(mill, noise=0.5)) == f"{__name__}.mill(noise=0.5)"
    assert controller_name(types.SimpleNamespace()) == "types.SimpleNamespace"


def test_kept_runs_replay_without_the_controller(tmp_path):
    found = sw.sweep("milling", **MILL, controllers={"millers": mill}, output=tmp_path / "sweep", keep="all", jobs=1)
    run = sw.open_sweep(tmp_path / "sweep").load(2, 1)
    assert len(run.run()) == 60
    assert run.groups == {"millers": "External"}
    assert run.hash() == found.runs["final_state_hash"][2]


def test_a_controller_that_fails_is_a_failed_row(caplog):
    def fails(robots):
        if len(robots) == 6 and robots.simulation.steps == 5:
            raise RuntimeError("lost")
        return np.zeros((len(robots), 2))

    with caplog.at_level(logging.WARNING, "swarmarium"):
        found = sw.sweep("milling", **MILL, controllers={"millers": fails})
    assert found.runs["status"].tolist() == ["done", "done", "failed", "failed"]
    assert found.runs["steps"].tolist() == [60, 60, 5, 5]
    assert sum("RuntimeError: lost" in record.message for record in caplog.records) == 2
    with pytest.raises(sw.SwarmariumError, match="no group 'miller'"):
        sw.load("milling").control("miller", fails)


def test_progress_is_a_function_of_runs_frames_and_steps(tmp_path):
    seen: list[tuple[int, int]] = []
    note = lambda done, total: seen.append((done, total))  # noqa: E731
    sw.sweep("milling", **MILL, progress=note)
    assert seen and seen[-1] == (4, 4)
    seen.clear()
    sw.record("milling", tmp_path / "a.apng", frames=3, size=(160, 120), progress=note)
    assert seen[-1] == (3, 3)
    seen.clear()
    sw.load("milling").run(250, progress=note)
    assert seen[-1] == (250, 250) and len(seen) > 50
    seen.clear()
    sw.load("milling").control("millers", mill).run(20, progress=note)
    assert seen == [(step, 20) for step in range(1, 21)]


def test_an_exception_of_the_progress_ends_the_sweep(tmp_path):
    def stop(done, total):
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        sw.sweep("milling", **MILL, output=tmp_path / "sweep", progress=stop)
    # It goes on.
    assert len(sw.sweep("milling", **MILL, output=tmp_path / "sweep", resume=True).runs) == 4


def test_a_bar_of_tqdm_appears_if_it_is_wanted(monkeypatch):
    made = []

    class Bar:
        def __init__(self, total, unit, leave, delay):
            self.n, self.total, self.is_closed = 0, total, False
            made.append(self)

        def update(self, count):
            self.n += count

        def close(self):
            self.is_closed = True

    monkeypatch.setitem(sys.modules, "tqdm.auto", types.SimpleNamespace(tqdm=Bar))
    sw.load("milling").run(50, progress=True)
    assert [(bar.n, bar.total, bar.is_closed) for bar in made] == [(50, 50, True)]
    sw.load("milling").run(50, progress=False)
    sw.load("milling").run(50)
    assert len(made) == 1
    # Without tqdm, lines appear in the log.
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    sw.load("milling").run(50, progress=True)


def test_messages_go_to_the_log_and_nothing_is_printed(capfd, caplog, tmp_path):
    with caplog.at_level(logging.INFO, "swarmarium"):
        sw.sweep("milling", **MILL)
    assert any("tables and figures" in record.message for record in caplog.records)
    assert capfd.readouterr() == ("", "")


def test_an_unnamed_sweep_is_deleted_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = sw.sweep("milling", **MILL)
        folder = found.path
        assert folder.is_dir()
        del found
        gc.collect()
    assert not folder.exists()


def test_messages_name_the_options_of_python(tmp_path):
    (tmp_path / "a.apng").write_text("x")
    with pytest.raises(sw.SwarmariumError, match="overwrite=True") as raised:
        sw.record("milling", tmp_path / "a.apng", frames=1)
    assert "--" not in str(raised.value)
    sw.sweep("milling", **MILL, output=tmp_path / "sweep")
    with pytest.raises(sw.SwarmariumError, match="resume=True continues it, overwrite=True replaces") as raised:
        sw.sweep("milling", **MILL, output=tmp_path / "sweep")
    assert "--" not in str(raised.value)
    with pytest.raises(sw.SwarmariumError, match="repeats: there is no such option of `sweep`; did you mean `repeat`") as raised:
        sw.sweep("milling", repeats=3)  # type: ignore[call-arg]
    assert "--" not in str(raised.value) and "help" not in str(raised.value)


def test_texts_are_scenes_everywhere(tmp_path):
    text = '(groups: [(name: "a", count: 3, controller: Constant(v_m_per_s: 0.1))], metrics: [AverageSpeed()])'
    assert sw.load(text).groups == {"a": "Constant"}
    assert sw.load(f"// A comment.\n Scene{text}", seed=3, set={"groups.a.count": 5}).step().agents[4].number == 4
    assert len(sw.Batch(text, 2).step(3).bind("poses")[0]) == 3
    assert len(sw.sweep(text, vary={"groups.a.count": [1, 2]}, steps=5, measure="final average_speed_m_per_s").runs) == 2
    assert sw.record(text, tmp_path / "a.apng", frames=1).path.is_file()
    sim = sw.load(text)
    sim.step(5).save(tmp_path / "run")
    assert sw.load(tmp_path / "run", at="end").hash() == sim.hash()
    with pytest.raises(sw.SwarmariumError, match=r"scene:1:\d+: .*did you mean"):
        sw.load('(groups: [(name: "a", cuont: 3)])')
    with pytest.raises(sw.SwarmariumError, match="the text of a scene begins with"):
        sw.load("groups: [(count: 3)]")


def test_objects_of_a_process_are_not_pickled():
    sim = sw.load("milling")
    for thing, name in ((sim, "Simulation"), (sw.Batch("milling", 1), "Batch"), (sim.snapshot(), "Snapshot"), (sim.timeline, "Timeline")):
        with pytest.raises(TypeError, match=f"cannot pickle or copy a {name} of swarmarium: ") as raised:
            pickle.dumps(thing)
        assert "_native" not in str(raised.value)


def test_batches_timelines_and_kinds_are_shown_in_notebooks():
    batch = sw.Batch("milling", 12, seed=40).step(5)
    html = batch._repr_html_()
    assert "12 simulations" in html and "<td>40</td><td>5</td>" in html and "circliness" in html and "the first 10 of 12" in html
    sim = sw.load("milling").step(10)
    timeline = sim.timeline
    timeline.bookmark("a < b")
    timeline.seek(4).set("groups.millers.sensors.0.range_m", 1.0).step(3)
    html = timeline._repr_html_()
    assert html.count("<line") == 3 and "a &lt; b: step 10" in html and "main" in html
    kind = sw.Kind("sensor", "A<B>", "x & y", (sw.Field("f", "t<u>", None, '"<"', None, None, "<script>"),))
    html = kind._repr_html_()
    assert "<script>" not in html and "A&lt;B&gt;" in html and "x &amp; y" in html
