"""Random calls: whatever is called with whatever, the interpreter lives and errors are exceptions."""

import os
import tempfile
import warnings

import numpy as np
import swarmarium as sw
from conftest import SWARM
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

CALLS = int(os.environ.get("RANDOM_CALLS", "2000"))

numbers = st.one_of(st.integers(-3, 40), st.floats(allow_nan=True, allow_infinity=True), st.integers())
names = st.sampled_from(
    ["poses", "velocities", "commands", "metrics", "readings", "groups.led.readings.fov", "groups.led.commands", "groups.free.poses"]
) | st.text(max_size=12)
paths = st.sampled_from(
    ["groups.led.count", "groups.free.controller.clear.v_m_per_s", "groups.led.controller", "agents.1.body.radius_m", "seed"]
) | st.text(max_size=12)
values = st.one_of(numbers, st.text(max_size=10), st.booleans(), st.none(), st.sampled_from(["External()", "Binary()", "(1, 2)"]))


def fits(path, value):
    """Whether a machine of any size bears a value: a million robots in each world of a batch are allowed, and take minutes."""
    return not (path.endswith("count") and isinstance(value, (int, float)) and 200 < value <= 1_000_000)


assignments = st.tuples(paths, values).filter(lambda assignment: fits(*assignment))
expected = (sw.SwarmariumError, ValueError, TypeError, OverflowError, KeyError, AttributeError)


class Calls(RuleBasedStateMachine):
    """Calls on one simulation and one batch."""

    def __init__(self):
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        path = os.path.join(self.folder.name, "swarm.ron")
        with open(path, "w", encoding="utf-8") as file:
            file.write(SWARM)
        self.sim, self.batch = sw.load(path), sw.Batch(path, 3, threads=2)
        self.arrays, self.snapshots = [], []

    def teardown(self):
        # What was written may be refused, once for each array; then everything still works.
        for _ in self.arrays:
            self.attempt(self.sim.step)
        self.sim.step(2)
        self.sim.hash()
        for array in self.arrays:
            np.asarray(array).sum()
        self.folder.cleanup()

    def attempt(self, call):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                return call()
            except sw.PoisonedError:
                raise
            except expected:
                return None

    @rule(steps=st.integers(-2, 30) | st.just(2**64))
    def step(self, steps):
        if steps < 2**60:
            self.attempt(lambda: self.sim.step(steps))
            self.attempt(lambda: self.batch.step(steps))
        else:
            self.attempt(lambda: self.sim.keep_trace(steps))

    @rule(name=names, form=st.sampled_from([None, "drive", "wheels", "course", "x"]), of_batch=st.booleans())
    def bind(self, name, form, of_batch):
        array = self.attempt(lambda: (self.batch if of_batch else self.sim).bind(name, form))
        if array is not None:
            self.arrays.append(array)

    @rule(data=st.data())
    def write(self, data):
        written = [array for array in self.arrays if array.flags.writeable and array.size]
        if written:
            array = data.draw(st.sampled_from(written))
            array.flat[data.draw(st.integers(0, array.size - 1))] = data.draw(st.floats())

    @rule(assignment=assignments)
    def set(self, assignment):
        path, value = assignment
        self.attempt(lambda: self.sim.set(path, value))
        self.attempt(lambda: self.batch.set(path, value))
        self.attempt(lambda: self.sim.get(path))

    @rule(kind=st.sampled_from(["Move", "Remove", "Spawn", "Fault", "Command", "Set", "Feed", "X"]), data=st.data())
    def apply(self, kind, data):
        fields = {
            "Move": {"agent": numbers, "x_m": numbers, "y_m": numbers, "heading_rad": numbers},
            "Remove": {"path": st.sampled_from(["agents.1", "agents.99", "objects.0", "groups.led"])},
            "Spawn": {"group": st.sampled_from(["led", "x"]), "x_m": numbers, "y_m": numbers, "heading_rad": numbers},
            "Fault": {"agent": numbers, "failure": st.sampled_from(["Total", "Motors", "X"]), "is_active": st.booleans()},
            "Command": {
                "form": st.sampled_from(["Drive", "Course"]),
                "agents": st.lists(st.integers(0, 9), max_size=4),
                "values": st.lists(st.floats(), max_size=8),
            },
        }.get(kind)
        if fields is None:
            drawn = dict(zip(("path", "value"), data.draw(assignments), strict=True))
        else:
            drawn = {name: data.draw(field) for name, field in fields.items()}
        self.attempt(lambda: self.sim.apply(kind, **drawn))

    @rule(text=st.text(max_size=30))
    def apply_text(self, text):
        self.attempt(lambda: self.sim.apply(text))

    @rule()
    def snapshot(self):
        snapshot = self.attempt(self.sim.snapshot)
        if snapshot is not None:
            self.snapshots.append(snapshot)

    @rule(data=st.data())
    def restore(self, data):
        if self.snapshots:
            snapshot = data.draw(st.sampled_from(self.snapshots))
            self.attempt(lambda: self.sim.restore(snapshot))

    @rule(seed=st.none() | st.integers())
    def reset(self, seed):
        self.attempt(lambda: self.sim.reset(seed))
        self.attempt(lambda: self.batch.reset(seeds=None if seed is None else [seed] * 3))

    @rule(step=st.integers(0, 60), name=st.none() | st.text(max_size=4))
    def travel(self, step, name):
        self.attempt(lambda: self.sim.timeline.seek(step))
        self.attempt(lambda: self.sim.timeline.fork(name))
        self.attempt(lambda: self.sim.timeline.switch(name or "main", step))
        self.attempt(lambda: self.sim.timeline.bookmark(name or "here"))

    @rule()
    def read(self):
        sim, batch = self.sim, self.batch
        for call in (
            lambda: (sim.steps, sim.time, sim.has_ended, sim.end_reason, sim.seed, repr(sim)),
            lambda: (sim.edits, sim.events, sim.agents, sim.groups, sim.values, sim.metrics.array, sim.scene()),
            lambda: (sim.hash(), batch.hashes(), batch.steps, batch.ended, batch.groups),
            lambda: sim.trace.array,
            lambda: sim.picture(64, 64),
        ):
            self.attempt(call)


TestCalls = Calls.TestCase
TestCalls.settings = settings(
    max_examples=max(CALLS // 50, 1),
    stateful_step_count=50,
    deadline=None,
    # The same calls on every run, unless more are asked for.
    derandomize="RANDOM_CALLS" not in os.environ,
    suppress_health_check=list(HealthCheck),
)
