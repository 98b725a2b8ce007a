"""Simulations: the hashes of the command line, state, parameters, edits, results, the past."""

import json
import subprocess
import warnings
from typing import get_args

import numpy as np
import pytest
import swarmarium as sw
from conftest import hashes_of


@pytest.mark.parametrize("scene", sorted(sw.scenes()))
def test_shipped_scenes_have_the_hashes_of_the_command_line(scene, program, tmp_path):
    steps = 200
    expected = hashes_of(program, scene, steps, tmp_path / "run", "--seed", "7")
    sim = sw.load(scene, seed=7)
    found = {0: sim.hash()}
    for step in (1, 50, steps):
        sim.step(step - sim.steps)
        found[step] = sim.hash()
    assert found == {step: expected[step] for step in found}


def test_the_first_lines_work():
    sim = sw.load("milling", seed=5)
    sim.step(500)
    assert sim.hash() == "458e0291af715004"
    assert (sim.steps, sim.time, sim.seed, len(sim.agents)) == (500, 12.5, 5, 6)
    assert sim.groups == {"millers": "Binary"}


def test_snapshots_bring_a_state_back():
    sim = sw.load("milling", seed=3).step(40)
    snapshot, before = sim.snapshot(), sim.hash()
    after = sim.step(60).hash()
    assert sim.restore(snapshot).hash() == before
    assert sim.step(60).hash() == after
    assert sw.load("milling", seed=3).restore(snapshot).step(60).hash() == after
    with pytest.raises(sw.SwarmariumError, match="its scene or its seed differs"):
        sw.load("milling", seed=4).restore(snapshot)


def test_parameters_are_set_and_logged():
    sim = sw.load("milling", set={"groups.millers.count": 4})
    path = "groups.millers.controller.clear.turn_rad_per_s"
    sim.set(path, -0.5).step()
    assert sim.get(path) == -0.5
    assert [edit.step for edit in sim.edits] == [1]
    assert f'path:"{path}"' in sim.edits[0].edit
    with pytest.warns(UserWarning, match="takes effect at the next reset"):
        sim.set("groups.millers.count", 7)
    sim.step()
    assert len(sim.agents) == 4
    assert len(sim.reset().agents) == 7
    assert sim.reset(seed=9).seed == 9


def test_constants_are_values_to_set():
    assert sw.load("formation", set={"N": 5}).get("N") == 5
    assert len(sw.load("formation", set={"N": 5}).agents) == 5
    assert len(sw.load("formation").reset(set={"N": 3}).agents) == 3
    with pytest.raises(TypeError, match="sed"):
        sw.load("formation", sed=5)


def test_parameters_can_be_listed():
    sim = sw.load("milling")
    found = sim.parameters("groups.millers.sensors.0")
    assert found["groups.millers.sensors.0.range_m"] == 2.0
    assert all(sim.get(path) == value for path, value in found.items())


def test_edits_change_a_run(tmp_path):
    sim = sw.load("milling").step(10)
    sim.apply("Move", agent=2, x_m=1.0, y_m=2.0, heading_rad=0.5).step()
    sim.apply('Remove(path: "agents.0")')
    sim.apply("Fault", agent=3, failure="Motors", is_active=True).step(20)
    assert [agent.number for agent in sim.agents] == [1, 2, 3, 4, 5]
    assert len(sim.edits) == 3
    sim.save(tmp_path / "run")
    assert sw.load(tmp_path / "run").step(31).hash() == sim.hash()
    with pytest.raises(sw.SwarmariumError, match="there is no agent 40"):
        sim.apply("Move", agent=40, x_m=0, y_m=0, heading_rad=0)


def test_a_saved_run_replays_on_the_command_line(program, tmp_path):
    sim = sw.load("milling", seed=2).step(30)
    sim.set("groups.millers.sensors.0.range_m", 1.0).step(30)
    sim.save(tmp_path / "run")
    expected = hashes_of(program, str(tmp_path / "run"), 60, tmp_path / "again")
    assert expected[60] == sim.hash()
    with pytest.raises(sw.SwarmariumError, match="exists already; overwrite=True"):
        sim.save(tmp_path / "run")
    sim.save(tmp_path / "run", overwrite=True)
    assert sw.load(tmp_path / "run", at=45).steps == 45
    assert sw.load(tmp_path / "run", at="end").hash() == sim.hash()
    again = sw.load(tmp_path / "run")
    assert len(again.run()) == 60 and again.hash() == sim.hash()
    with pytest.raises(sw.SwarmariumError, match="has no step 99"):
        sw.load(tmp_path / "run", at=99)


def test_runs_have_tables(program, tmp_path):
    sim = sw.load("milling", seed=1)
    metrics = sim.run(100, trace=10)
    assert metrics["step"].tolist() == list(range(1, 101))
    assert metrics["circliness"][-1] == sim.values["circliness"]
    assert sim.trace.columns[:6] == ("step", "t_s", "agent", "x_m", "y_m", "heading_rad")
    assert len(sim.trace) == 11 * 6
    sim.step(20)
    assert len(sim.trace) == 11 * 6
    hashes_of(program, "milling", 100, tmp_path / "run", "--seed", "1")
    table = sw.Table.read(tmp_path / "run" / "metrics.csv")
    np.testing.assert_array_equal(table["circliness"], metrics["circliness"])
    assert sim.run(duration_s=1.0)["step"].tolist() == list(range(121, 161))
    assert metrics.to_pandas().shape == metrics.to_polars().shape == metrics.array.shape
    assert metrics.frame().shape == (100, len(metrics.columns))


def test_tables_are_maps_of_columns():
    sim = sw.load("milling", seed=1)
    table = sim.run(20, trace=True)
    assert list(table) == list(table.keys()) == list(table.columns) and "circliness" in table and 3 not in table
    few = table[["t_s", "circliness"]]
    assert few.columns == ("t_s", "circliness") and few["t_s"] is table["t_s"] and len(few) == len(table) == 20
    assert dict(table)["circliness"] is table["circliness"] is dict(table.items())["circliness"]
    assert [column.shape for column in table.values()] == [(20,)] * len(table.columns)
    # Steps and numbers of robots are whole numbers, as in tables of files.
    assert table["step"].dtype == table["step"][:0].dtype == np.int64 and table["t_s"].dtype == np.float64
    assert [sim.trace[name].dtype for name in ("step", "agent", "x_m")] == [np.int64, np.int64, np.float64]
    assert sw.load("milling").metrics["step"].dtype == np.int64
    for wrong in ("circlines", ["t_s", "circlines"]):
        with pytest.raises(KeyError, match="no column 'circlines': the columns are step, .* did you mean `circliness`"):
            table[wrong]


@pytest.mark.parametrize("duration_s", ["10s", -1, np.nan, np.inf, [1]])
def test_durations_are_numbers_of_seconds(duration_s, tmp_path):
    for use in (
        lambda: sw.load("milling").run(duration_s=duration_s),
        lambda: sw.load("milling").step().record(tmp_path / "a.apng", duration_s=duration_s),
        lambda: sw.record("milling", tmp_path / "a.apng", duration_s=duration_s),
        lambda: sw.sweep("milling", repeat=1, measure="final circliness", duration_s=duration_s),
    ):
        with pytest.raises(ValueError, match="duration_s: expected a number of seconds of at least 0, found"):
            use()
    with pytest.raises(sw.SwarmariumError, match="duration_s: expected seconds > 0"):
        sw.sweep("milling", repeat=1, measure="final circliness", duration_s=0)
    assert not list(tmp_path.iterdir())


def test_metrics_need_no_memory_if_they_are_not_kept():
    sim = sw.load("milling").keep_metrics(False).step(50)
    assert len(sim.metrics) == 0 and sim.values["circliness"] > 0.0
    assert len(sim.keep_metrics().step(5).metrics) == 5


def test_a_run_ends_where_its_scene_says():
    sim = sw.load("milling", set={"stop": "(steps: 30)"})
    assert len(sim.run()) == 30 and sim.has_ended and "stop.steps: 30" in sim.end_reason
    sim = sw.load("milling", set={"stop": '(when: "average_speed_m_per_s > 0.1")'})
    assert 0 < len(sim.run()) < 10


EDITS = """[
    (step: 7, edit: Move(agent: 0, x_m: 1.0, y_m: 1.0, heading_rad: 0.0)),
    (step: 20, edit: Remove(path: "agents.1")),
]"""


def final_hash(folder):
    return json.loads((folder / "manifest.json").read_text())["final_state_hash"]


def test_a_shared_scene_runs_beyond_its_last_edit(program, tmp_path):
    (tmp_path / "e.ron").write_text(EDITS)
    run = [*program, "run", "milling", "--steps", "50", "--edits", "e.ron", "-q", "-o", "run"]
    subprocess.run(run, check=True, cwd=tmp_path)
    share = [*program, "share", "milling", "--set", "stop.steps=50", "--edits", "e.ron", "-o", "s.swarm", "-q"]
    subprocess.run(share, check=True, cwd=tmp_path)
    for source in ("s.swarm", "run"):
        sim = sw.load(tmp_path / source)
        assert (len(sim.run()), sim.steps, sim.hash()) == (50, 50, final_hash(tmp_path / "run")), source


def test_runs_of_sweeps_have_the_hashes_of_their_rows(program, tmp_path):
    (tmp_path / "e.ron").write_text(EDITS)
    (tmp_path / "a.sweep.ron").write_text(
        'Plan(scene: "milling", begin: (step: 30, edits: "e.ron"), stop: (steps: 40), repetitions: 2,'
        ' factors: [(path: "groups.millers.sensors[0].range_m", values: List([1, 2]))])'
    )
    subprocess.run([*program, "sweep", "a.sweep.ron", "-q", "-o", "later"], check=True, cwd=tmp_path)
    vary = ["--vary", "groups.millers.count=4,6", "--steps", "50", "--repeat", "1", "-q", "-o", "kept"]
    subprocess.run([*program, "sweep", "milling", "--keep", "all", *vary], check=True, cwd=tmp_path)
    vary[1] = "groups.millers.count=6,4"
    subprocess.run([*program, "sweep", "milling", "--resume", *vary], check=True, cwd=tmp_path)
    for folder in ("later", "kept"):
        runs = sw.open_sweep(tmp_path / folder).runs
        for point, repetition, steps, row in zip(
            runs["point"], runs["repetition"], runs["steps"], runs["final_state_hash"], strict=True
        ):
            sim = sw.open_sweep(tmp_path / folder).load(int(point), int(repetition))
            sim.run()
            assert (sim.steps, sim.hash()) == (steps, row), (folder, point, repetition)
    with pytest.raises(sw.SwarmariumError, match="is a sweep folder: its runs are .*POINT-REPETITION"):
        sw.load(tmp_path / "later")


def test_a_run_ends_at_a_condition_and_then_makes_no_step():
    sim = sw.load("milling", seed=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        table = sim.run(until="circliness > 0.5")
    assert table["circliness"][-1] > 0.5 and (table["circliness"][:-1] <= 0.5).all()
    end = sim.steps
    assert len(sim.run()) == 0 and sim.steps == end
    assert sim.run(until="circliness > 0.9")["circliness"][-1] > 0.9 and sim.steps > end
    with pytest.raises(ValueError, match="circlines"):
        sim.run(until="circlines > 0.5")


def test_the_past_can_be_reached_and_changed():
    sim = sw.load("milling", seed=1).step(300)
    end = sim.hash()
    timeline = sim.timeline
    assert timeline.seek(100).hash() == sw.load("milling", seed=1).step(100).hash()
    timeline.bookmark("early")
    assert timeline.seek("5s").steps == 200
    assert timeline.seek("early").steps == 100
    with pytest.raises(ValueError, match="late.*early"):
        timeline.seek("late")
    sim.set("groups.millers.controller.clear.turn_rad_per_s", 0.1).step(10)
    assert [branch.end for branch in timeline.branches] == [300, 110]
    first = timeline.branches[0].name
    assert timeline.branch != first
    assert timeline.switch(first).hash() == end
    assert timeline.bookmarks == [sw.Bookmark("early", first, 100)]
    with pytest.raises(sw.SwarmariumError, match="has no step 999"):
        timeline.seek(999)


def test_kinds_have_fields_and_units():
    fov = sw.kinds("sensors")["BinaryFov"]
    fields = {field.name: field for field in fov.fields}
    assert fields["range_m"].unit == "m" and fields["half_angle_rad"].range == (0.0, np.pi)
    assert "sensor/BinaryFov" in sw.kinds() and "milling.sweep" in sw.plans()
    with pytest.raises(sw.SwarmariumError, match="family: expected one of kinds, sensors, .* did you mean `sensors`"):
        sw.kinds("sensor")
    with pytest.raises(KeyError, match="there is no kind 'BinaryFow'; did you mean `BinaryFov`"):
        sw.kinds("sensors")["BinaryFow"]
    assert all(sw.kinds(family) for family in get_args(sw.Family))


def test_videos_are_those_of_the_command_line(program, tmp_path):
    video = sw.record("milling", tmp_path / "a.mp4", seed=1, duration_s=0.5, size=(320, 180))
    command = "record milling --seed 1 --duration 0.5 --size 320x180 --quiet -o".split()
    subprocess.run([*program, *command, str(tmp_path / "b.mp4")], check=True)
    assert video.path.read_bytes() == (tmp_path / "b.mp4").read_bytes()
    assert "<video" in video._repr_html_()
    sim = sw.load("milling").step(20)
    sim.set("groups.millers.controller.clear.v_m_per_s", 0.1).step(20)
    assert sim.record(tmp_path / "c.gif", size=(160, 120)).path.stat().st_size > 1000
    assert sim.picture().startswith(b"\x89PNG")


def test_sweeps_are_those_of_the_command_line(program, tmp_path):
    sweep = sw.sweep(
        "milling",
        vary={"groups.millers.count": [4, 6], "groups.millers.sensors.0.range_m": "1..2/2"},
        repeat=2,
        measure=["mean circliness", "time until circliness > 0.5"],
        duration_s=5,
        output=tmp_path / "python",
    )
    command = [
        *program, "sweep", "milling", "--vary", "groups.millers.count=4,6",
        "--vary", "groups.millers.sensors.0.range_m=1..2/2", "--repeat", "2", "--measure", "mean circliness",
        "--measure", "time until circliness > 0.5", "--duration", "5", "-q", "-o", str(tmp_path / "program"),
    ]  # fmt: skip
    subprocess.run(command, check=True)
    for name in ("runs.csv", "summary.csv", "plan.ron", "scene.ron"):
        assert (tmp_path / "python" / name).read_bytes() == (tmp_path / "program" / name).read_bytes(), name
    assert len(sweep.runs) == 8 and len(sweep.summary) == 8
    run = sweep.load(point=3, repetition=2)
    run.run()
    row = (sweep.runs["point"] == 3) & (sweep.runs["repetition"] == 2)
    assert [run.hash()] == sweep.runs["final_state_hash"][row].tolist()
    assert sweep.frame().attrs["program"] == "swarmarium"
    assert "<svg" in sweep._repr_html_()
    assert len(sw.open_sweep(tmp_path / "python").runs) == 8
    with pytest.raises(sw.SwarmariumError, match="exists already"):
        sw.sweep("milling", vary={"seed": [1]}, measure="mean circliness", steps=5, output=tmp_path / "python")


def test_tables_keep_hashes_and_texts(tmp_path):
    path = tmp_path / "runs.csv"
    rows = ["final_state_hash,value,error", '00123e4567890123,1,"""a"" is not ""b"""', "1234567890123456,,"]
    path.write_text("\n".join(rows), encoding="utf-8")
    table = sw.Table.read(path)
    assert table["final_state_hash"].tolist() == ["00123e4567890123", "1234567890123456"]
    assert table["value"][0] == 1.0 and np.isnan(table["value"][1])
    assert table["error"].tolist() == ['"a" is not "b"', ""]


def test_snapshots_of_other_runs_are_no_moments():
    sim = sw.load("milling", seed=1)
    sim.timeline  # noqa: B018
    other = sw.load("milling", seed=1).set("groups.millers.sensors.0.range_m", 0.5).step(30).snapshot()
    with pytest.raises(sw.SwarmariumError, match="has no such moment"):
        sim.step(40).restore(other)
    own = sim.snapshot()
    assert sim.step(5).restore(own).steps == 40


def test_texts_survive_the_notation():
    sim = sw.load("milling")
    sim.set("about", '"Räuber \\"x\\" \\n"')
    assert sim.get("about") == 'Räuber "x" \n'
    with pytest.raises(sw.SwarmariumError, match="no component `Räuber`"):
        sim.apply("Call", component="Räuber", service="x", arguments=[])


def test_agents_show_edits_that_wait():
    sim = sw.load("milling").step()
    sim.set("agents.2.controller.clear.v_m_per_s", 0.1)
    assert sim.get("agents.2.controller.clear.v_m_per_s") == 0.1


def test_worlds_of_other_programs_load(root):
    with pytest.warns(UserWarning, match="SeekController"):
        sim = sw.load(root / "docs/examples/own_classes.yaml")
    assert sim.groups == {"seeker": "External"}


def test_variables_of_other_sources_than_worlds_are_refused(swarm):
    for source in ("milling", swarm, "(groups: [])"):
        for load in (sw.load, lambda source, variables: sw.Batch(source, 1, variables=variables)):
            with pytest.raises(sw.SwarmariumError, match="variables: only RobotSwarmSimulator worlds `.yaml` use it"):
                load(source, variables={"a": 1})
    with pytest.raises(sw.SwarmariumError, match="^lenient=True: only pySimiam and Sim.I.am worlds"):
        sw.load("milling", lenient=True)
    with pytest.raises(sw.SwarmariumError, match="^variables: only RobotSwarmSimulator worlds"):
        sw.record("milling", "a.apng", variables={"a": 1})


def test_drawings_have_walls_and_worlds_have_robots_by_choice(tmp_path):
    drawing = tmp_path / "walls.svg"
    lines = "<line x1='0' y1='0' x2='100' y2='0'/><line x1='0' y1='0' x2='0' y2='100'/>"
    drawing.write_text(f"<svg><g>{lines}</g></svg>", encoding="utf-8")
    with pytest.warns(UserWarning, match="there is no robot"):
        walls = sw.load(drawing, strokes=0.02)
    assert walls.scene().count("Polygon(") == 2
    world = tmp_path / "own.xml"
    robot = "<supervisor type='K3DefaultSupervisor'/><pose x='0' y='0' theta='0'/>"
    world.write_text(f"<simulation><robot type='UltraBot'>{robot}</robot></simulation>", encoding="utf-8")
    assert '"quickbot.robot.type", text: "UltraBot"' in sw.load(world, robots={"UltraBot": "quickbot"}).scene()
    for wrong in ({"strokes": 0}, {"strokes": "wide"}, {"robots": {"UltraBot": "atrv"}}):
        with pytest.raises(sw.SwarmariumError, match="expected"):
            sw.load(world, **wrong)


def test_tables_have_times_as_decimals():
    table = sw.load("milling", set={"time.dt_s": 0.1}).keep_metrics().step(30).metrics
    assert [float(time) for time in table["t_s"][[2, 5, 28]]] == [0.3, 0.6, 2.9]


def test_robots_that_find_no_room_are_warned_of(tmp_path):
    scene = tmp_path / "full.ron"
    scene.write_text(
        '(arena: (size_m: (2.0, 2.0), boundary: Walls), groups: [(name: "crowd", count: 10, spawn: UniformBox(max_m: (2, 2)))])'
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sim = sw.load(scene)
    with pytest.warns(UserWarning, match=r"groups\[0\].spawn: \d+ of 300 robots found no room"):
        sim.reset(set={"groups.crowd.count": 300})
    with pytest.warns(UserWarning, match=r"groups\[1\].spawn: 40 of 40 robots found no room"):
        sim.apply("Add", list="groups", value='(name: "late", count: 40, spawn: UniformBox(max_m: (2, 2)))')
    assert any(event.text.startswith("Found no room") for event in sim.events)
