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
    # Objects and functions have no addresses in names, and sets and arrays are whole and in order.
    part = functools.partial(mill, Policy(), other, Miller().act, [other, Policy()], gain=np.arange(3), tags={"b", "a"}, few=(1,))
    arguments = (
        f"{__name__}.Policy, {__name__}.other, {__name__}.Miller.act, [{__name__}.other, {__name__}.Policy], "
        "gain=array([0, 1, 2]), tags=set('a', 'b'), few=(1,)"
    )
    assert controller_name(part) == f"{__name__}.mill({arguments})"
    assert "0x" not in controller_name(functools.partial(mill, types.SimpleNamespace(act=other)))


def test_long_names_of_controllers_are_cut(tmp_path):
    names = [controller_name(functools.partial(mill, weights=[0.5] * 1000 + [last])) for last in (1, 2)]
    assert [len(name) for name in names] == [1000, 1000] and names[0] != names[1]
    # The folder can be read again.
    controller = functools.partial(weighted, weights=list(range(300_000)))
    folder = tmp_path / "sweep"
    sw.sweep("milling", **MILL, controllers={"millers": controller}, output=folder)
    assert len(sw.sweep("milling", **MILL, controllers={"millers": controller}, output=folder, resume=True).runs) == 4


def weighted(robots, weights):
    return mill(robots)


class Policy:
    pass


def test_kept_runs_replay_without_the_controller(tmp_path):
    found = sw.sweep("milling", **MILL, controllers={"millers": mill}, output=tmp_path / "sweep", keep="all", jobs=1)
    run = sw.open_sweep(tmp_path / "sweep").load(2, 1)
    assert len(run.run()) == 60
    assert run.groups == {"millers": "External"}
    assert run.hash() == found.runs["final_state_hash"][2]
    # The folder has the other files of `swarmarium run`, too.
    native = sw.sweep("milling", **MILL, output=tmp_path / "native", keep="all")
    tables = [folder / "runs/2-1/metrics.csv" for folder in (found.path, native.path)]
    assert tables[0].read_bytes() == tables[1].read_bytes()
    manifest = json.loads((found.path / "runs/2-1/manifest.json").read_text())
    assert (manifest["steps"], manifest["error"]) == (60, None)


def test_kept_runs_of_a_plan_have_the_tables_that_it_asks_for(tmp_path):
    plan = tmp_path / "mill.sweep.ron"
    keep = "folders: First, trace: true, hash: true"
    plan.write_text(
        f'Plan(scene: "milling", stop: (steps: 20), repetitions: 2, keep: ({keep}), '
        'measures: [(name: "c", of: "circliness", take: Final)])'
    )
    found = sw.sweep(plan, controllers={"millers": mill}, output=tmp_path / "sweep")
    assert [path.name for path in (found.path / "runs").iterdir()] == ["1-1"]
    hashes = (found.path / "runs/1-1/hash.csv").read_text().splitlines()
    assert hashes[-1] == f"20,{found.runs['final_state_hash'][0]}"
    assert len((found.path / "runs/1-1/trace.csv").read_text().splitlines()) == 1 + 21 * 6


def test_the_folders_of_kept_runs_follow_the_plan(tmp_path, caplog):
    folder, more = tmp_path / "sweep", {**MILL, "repeat": 1, "controllers": {"millers": mill}, "keep": "all"}
    counts = lambda *counts: {"groups.millers.count": list(counts)}  # noqa: E731
    sw.sweep("milling", **{**more, "vary": counts(4, 6)}, output=folder)
    # The user has bookmarks in one of them.
    (folder / "runs/1-1/timeline.ron").write_text("mine")
    with caplog.at_level(logging.WARNING, "swarmarium"):
        found = sw.sweep("milling", **{**more, "vary": counts(3, 4, 6)}, output=folder, resume=True)
    assert (folder / "runs/1-1/timeline.ron").read_text() == "mine"
    assert sum("has branches or bookmarks of another run" in record.message for record in caplog.records) == 1
    opened = sw.open_sweep(folder)
    for point in (2, 3):
        run = opened.load(point)
        run.run()
        assert run.hash() == found.runs["final_state_hash"][point - 1]


def test_failed_runs_that_are_kept_have_their_error(tmp_path):
    def fails(robots):
        if robots.simulation.steps == 5:
            raise RuntimeError("lost")
        return mill(robots)

    with pytest.warns(UserWarning, match="all runs of the sweep failed, as point 1, repetition 1: RuntimeError: lost"):
        found = sw.sweep("milling", **MILL, controllers={"millers": fails}, output=tmp_path / "sweep", keep="failed")
    for name in ("1-1", "2-2"):
        manifest = json.loads((found.path / "runs" / name / "manifest.json").read_text())
        line = fails.__code__.co_firstlineno + 2
        assert (manifest["steps"], manifest["error"]) == (5, f"RuntimeError: lost (test_sweeps.py:{line}, in fails)")
    assert sw.open_sweep(found.path).load(1).run()["step"].tolist() == [1, 2, 3, 4, 5]


TWO_GROUPS = """(
    groups: [
        (name: "b", count: 2, controller: Constant(v_m_per_s: 0.1)),
        (name: "a", count: 2, controller: Constant(v_m_per_s: 0.1)),
    ],
    metrics: [AverageSpeed()],
)"""


def test_controllers_act_in_the_same_order_in_each_process(tmp_path):
    def leads(robots):
        return np.full((2, 2), 0.01 * robots.simulation.steps)

    def follows(robots):
        return np.array(robots.simulation.bind("commands", group="b"))

    controllers = {"b": leads, "a": follows}
    plan = {"repeat": 1, "steps": 5, "measure": "final average_speed_m_per_s"}
    found = sw.sweep(TWO_GROUPS, **plan, controllers=controllers, output=tmp_path / "s")
    for given in (controllers, {"a": follows, "b": leads}):
        run = sw.open_sweep(tmp_path / "s", controllers=given).load(1)
        run.run()
        assert run.hash() == found.runs["final_state_hash"][0]


def test_runs_open_before_the_tables_are_written(tmp_path):
    found = sw.sweep("milling", **MILL, controllers={"millers": mill}, output=tmp_path / "sweep", keep="first")
    (found.path / "runs.csv").unlink()
    kept = sw.open_sweep(found.path).load(1)
    assert len(kept.run()) == 60 and kept.groups == {"millers": "External"}
    assert sw.open_sweep(found.path, controllers={"millers": mill}).load(1, 2).run(60)["step"][-1] == 60
    with pytest.raises(sw.SwarmariumError, match="the sweep has 2 points and 2 repetitions"):
        found.load(3)


def test_sweeps_that_controllers_cannot_drive_are_refused_before_they_begin(tmp_path):
    plan = tmp_path / "late.sweep.ron"
    plan.write_text(
        'Plan(scene: "milling", begin: (step: 10), stop: (steps: 20), '
        'measures: [(name: "c", of: "circliness", take: Final)])'
    )
    with pytest.raises(sw.SwarmariumError, match="drive runs from their start, and this plan begins later"):
        sw.sweep(plan, controllers={"millers": mill}, output=tmp_path / "sweep")
    assert not (tmp_path / "sweep").exists()


def turn(robots, turn_rad_per_s):
    seen = robots.column("readings", sensor="fov")[:, 0] > 0.5
    return np.column_stack([np.full(len(robots), 0.27), np.where(seen, turn_rad_per_s, -turn_rad_per_s)])


class Turner:
    """The same for one robot."""

    def __init__(self, turn_rad_per_s):
        self.turn_rad_per_s = turn_rad_per_s

    def act(self, robot):
        return 0.27, self.turn_rad_per_s if robot.reading("fov")[0] > 0.5 else -self.turn_rad_per_s


TURNS = {"vary": {"controllers.millers.turn_rad_per_s": [0.3, 0.6]}, "repeat": 2, "measure": "final circliness", "steps": 60}


@pytest.mark.parametrize("controller", [turn, Turner])
def test_parameters_of_controllers_are_factors(controller, tmp_path):
    folder = tmp_path / "sweep"
    found = sw.sweep("milling", **TURNS, controllers={"millers": controller}, output=folder, keep="first")
    assert found.runs["turn_rad_per_s"].tolist() == [0.3, 0.3, 0.6, 0.6]
    assert found.summary["turn_rad_per_s"].tolist() == [0.3, 0.6]
    assert json.loads((folder / "controllers.json").read_text()) == {"millers": f"{__name__}.{controller.__name__}"}
    native = sw.sweep("milling", steps=60, repeat=2, measure="final circliness")
    assert found.runs["circliness"].tolist()[2:] == native.runs["circliness"].tolist()
    # Kept runs need no controller, and the others get their values again.
    opened = sw.open_sweep(folder, controllers={"millers": controller})
    for row, (point, repetition) in enumerate(((1, 1), (1, 2), (2, 1), (2, 2))):
        run = opened.load(point, repetition)
        run.run()
        assert run.hash() == found.runs["final_state_hash"][row]
    # The folder grows by other values.
    before = found.runs["final_state_hash"].tolist()
    more = {**TURNS, "vary": {"controllers.millers.turn_rad_per_s": [0.3, 0.5, 0.6]}}
    grown = sw.sweep("milling", **more, controllers={"millers": controller}, output=folder, resume=True)
    hashes = [grown.runs["final_state_hash"][row] for row in (0, 1, 4, 5)]
    assert hashes == before


def test_factors_of_controllers_need_controllers_with_these_parameters(tmp_path):
    for controllers in (None, {}):
        with pytest.raises(sw.SwarmariumError, match="is a parameter of a controller in Python, and the group `millers` has none"):
            sw.sweep("milling", **TURNS, controllers=controllers, output=tmp_path / "sweep")
    with pytest.raises(sw.SwarmariumError, match="turn has no parameter `gain`: its parameters are robots, turn_rad_per_s"):
        sw.sweep("milling", vary={"controllers.millers.gain": [1]}, controllers={"millers": turn})
    with pytest.raises(sw.SwarmariumError, match="there is no group `miller`; did you mean `millers`"):
        sw.sweep("milling", vary={"controllers.miller.gain": [1]}, controllers={"millers": turn})
    assert not (tmp_path / "sweep").exists()


def test_a_class_with_arguments_makes_an_instance_for_each_robot():
    turner = functools.partial(Turner, turn_rad_per_s=0.6)
    sims = [sw.load("milling").control("millers", controller).step(20) for controller in (turner, Miller)]
    assert sims[0].hash() == sims[1].hash()


def test_a_controller_that_fails_is_a_failed_row(caplog):
    def fails(robots):
        if len(robots) == 6 and robots.simulation.steps == 5:
            raise RuntimeError("lost")
        return np.zeros((len(robots), 2))

    with caplog.at_level(logging.WARNING, "swarmarium"):
        found = sw.sweep("milling", **MILL, controllers={"millers": fails})
    assert found.runs["status"].tolist() == ["done", "done", "failed", "failed"]
    assert found.runs["steps"].tolist() == [60, 60, 5, 5]
    assert sum("RuntimeError: lost (test_sweeps.py:" in record.message for record in caplog.records) == 2
    # A run that is made again raises the exception itself.
    with pytest.raises(RuntimeError, match="^lost"):
        found.load(2).run()
    with pytest.raises(sw.SwarmariumError, match="no group 'miller'"):
        sw.load("milling").control("miller", fails)


def test_errors_of_the_package_are_recorded_without_its_lines():
    with pytest.warns(UserWarning, match="all runs of the sweep failed"):
        found = sw.sweep("milling", **MILL, controllers={"millers": lambda robots: 3})
    assert found.runs["error"][0].endswith("expected an array of the shape (4, 2)")
    with pytest.raises(sw.SwarmariumError, match="^controllers: there is no group `miller`; did you mean `millers`?"):
        sw.sweep("milling", **MILL, controllers={"miller": mill})


TEXTS = ["a,b", "c", "1", "pi/2", "true", "None", " d ", "", 'e"f', "g\\", "h\n", "0.1..2", "1..=3", "log 1..2", "i, (j", "ü"]


@pytest.mark.parametrize("values", [TEXTS, *([text] for text in TEXTS), [True, 1, 2.5, np.float64(3.5), np.int64(4), "5"]])
def test_controllers_get_values_as_they_are(values, tmp_path):
    seen = []

    def note(robots, value):
        seen.append(value)
        return np.zeros((len(robots), 2))

    plan = {"vary": {"controllers.millers.value": values}, "steps": 1, "measure": "final circliness", "jobs": 1}
    found = sw.sweep("milling", **plan, controllers={"millers": note}, output=tmp_path / "sweep")
    assert len(found.runs) == len(values)
    assert sorted(map(repr, seen)) == sorted(repr(one.item() if isinstance(one, np.generic) else one) for one in values)
    seen.clear()
    found.load(len(values)).run()
    assert seen == values[-1:]


@pytest.mark.parametrize("value", [None, (1, 2), [1], {}, np.zeros(2), b"a"])
def test_controllers_get_no_other_values(value):
    with pytest.raises(sw.SwarmariumError, match="vary: controllers.millers.value: expected numbers, truth values and texts, found"):
        sw.sweep("milling", vary={"controllers.millers.value": [1, value]}, controllers={"millers": lambda robots, value: 0})


def test_a_text_of_a_scene_is_one_value():
    plan = {"steps": 1, "measure": "final circliness"}
    for values in (["a,b", "c"], ["1..2"], ['"a,b"', "c"]):
        assert len(sw.sweep("milling", vary={"groups.millers.name": values}, **plan).runs) == len(values)
    kinds = ["[]", "[BinaryFov(range_m: 1.0), BinaryFov()]"]
    assert len(sw.sweep("milling", vary={"groups.millers.sensors": kinds}, **plan).runs) == 2
    with pytest.raises(sw.SwarmariumError, match='vary: groups.millers.count: "4,6": expected an integer'):
        sw.sweep("milling", vary={"groups.millers.count": ["4,6"]}, **plan)


def test_arguments_of_sweeps_are_checked(tmp_path):
    path = "groups.millers.count"
    for wrong, message in (
        ({"vary": {path: 0.3}}, f'vary: {path}: expected a list of values, or a range such as "0.1..2.0/8", found 0.3'),
        ({"vary": [path]}, "vary: expected paths of parameters with their values, such as .* found"),
        ({"vary": {path: []}}, f"vary: {path}: expected at least one value, found none"),
        ({"vary": {path: {1: 2}}}, f"vary: {path}: expected a list of values, .* found"),
        ({"vary": {3: [1]}}, "vary: expected paths of parameters such as .* found 3"),
        ({"measure": 3}, "measure: expected a measure such as .* found 3"),
        ({"seeds": 3, "repeat": None}, "seeds: expected a list of seeds, or a range such as .* found 3"),
        ({"steps": None, "duration_s": 1, "until": "circlines > 1"}, "until: .*did you mean `circliness`"),
        ({"duration_s": 1}, "duration_s and steps exclude each other"),
        ({"controllers": [mill]}, "controllers: expected groups with their controllers, found"),
        ({"controllers": {"millers": 3}}, "controllers: millers: expected a function or a class, found 3"),
    ):
        with pytest.raises(sw.SwarmariumError, match=message):
            sw.sweep("milling", **{**MILL, **wrong}, output=tmp_path / "sweep")
    with pytest.raises(sw.SwarmariumError, match="controllers: millers: expected a function or a class, found 3"):
        sw.open_sweep(tmp_path, controllers={"millers": 3})
    assert not (tmp_path / "sweep").exists()


def test_a_sweep_without_series_says_so():
    found = sw.sweep("milling", **MILL, series=20)
    assert found.series["step"][:3].tolist() == [20, 40, 60]
    with pytest.raises(sw.SwarmariumError, match="series.csv: there is no such file; make the sweep with series=100"):
        sw.sweep("milling", **MILL).series  # noqa: B018


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
