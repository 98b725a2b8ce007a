"""Controllers in Luau, and the same ones in Python."""

import numpy as np
import pytest
import swarmarium as sw

SCENE = """(
    seed: 3, arena: (size_m: (4.0, 4.0), boundary: Walls), time: (dt_s: 0.05),
    groups: [(name: "robots", count: 8, spawn: UniformBox(min_m: (0.5, 0.5), max_m: (3.5, 3.5)),
        body: Disc(radius_m: 0.05), sensors: [BinaryFov(name: "eye", range_m: 1.0)],
        radio: (loss: Perfect(), schedule: Periodic(period_s: 0.05)), controller: %s)],
)"""

LUAU = """
parameters = { turn = 0.6 }
state = { seen = 0 }
function step(self, senses)
    local sum = 0
    for _, message in senses.messages do
        sum += message[1]
    end
    if senses.eye > 0.5 then
        self.seen += 1
    end
    self:send(self.seen, self.id)
    return 0.1 + 0.01 * self.seen / (1 + self.seen), self.turn - 0.001 * sum
end
"""


class Counter:
    """The same as the script."""

    def __init__(self):
        self.seen = 0

    def act(self, robot):
        total = 0.0
        for message in robot.messages:
            total += message.numbers[0]
        if robot.reading("eye")[0] > 0.5:
            self.seen += 1
        robot.send([self.seen, robot.number])
        return 0.1 + 0.01 * self.seen / (1 + self.seen), 0.6 - 0.001 * total


@pytest.fixture
def scenes(tmp_path):
    (tmp_path / "count.luau").write_text(LUAU)
    (tmp_path / "script.ron").write_text(SCENE % 'Script(file: "count.luau")')
    (tmp_path / "python.ron").write_text(SCENE % "External()")
    return tmp_path


def test_a_script_moves_robots_as_the_same_controller_in_python_does(scenes):
    # A radio that loses nothing: messages from Python are written before the step that sends them, those of a script in
    # it, so a radio that loses packets draws the loss of other steps.
    script = sw.load(scenes / "script.ron")
    python = sw.load(scenes / "python.ron").control("robots", Counter)
    for _ in range(200):
        assert np.array_equal(script.step().bind("poses"), python.step().bind("poses"))
    assert script.bind("memory.state.seen").max() > 20


def test_scripts_in_arrays_sweeps_and_snapshots(scenes):
    sim = sw.load(scenes / "script.ron", set={"groups.robots.controller.parameters.turn": 1.2})
    assert sim.bind("groups.robots.memory.state.seen").shape == (8, 1)
    sim.step(20)
    snapshot, hash = sim.snapshot(), sim.step(30).hash()
    sim.restore(snapshot)
    assert sim.step(30).hash() == hash
    with pytest.raises(sw.SwarmariumError, match="did you mean `turn`"):
        sw.load(scenes / "script.ron", set={"groups.robots.controller.parameters.tunr": 1.2})


def test_a_failure_of_a_script_is_a_warning(tmp_path):
    (tmp_path / "a.ron").write_text('(groups: [(name: "g", count: 3, controller: Script(file: "a.luau"))])')
    (tmp_path / "a.luau").write_text("function step(self, senses)\n  if senses.step == 5 then error('no way') end\n  return 0, 0\nend")
    sim = sw.load(tmp_path / "a.ron").step(4)
    with pytest.warns(UserWarning, match=r"a.luau:2: no way \(robot 0 in step 5\)"):
        sim.step(3)


def test_a_batch_of_scripts_has_the_hashes_of_single_runs(scenes):
    single = [sw.load(scenes / "script.ron", seed=seed).step(50).hash() for seed in range(4)]
    batch = sw.Batch(scenes / "script.ron", 4, seeds=range(4))
    batch.step(50)
    assert list(batch.hashes()) == single
