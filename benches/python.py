"""Measures the Python package: `python benches/python.py`. It needs a quiet machine.

The best of some repetitions counts. `python benches/python.py --vmas` measures VMAS, if that is installed.
"""

import sys
import time
from pathlib import Path

import numpy as np

if "--vmas" not in sys.argv:
    import swarmarium as sw
    from swarmarium.envs import Formation, Rollout

REPETITIONS = 5


def best(act, repetitions=REPETITIONS):
    """The shortest time of a call in seconds."""
    times = []
    for _ in range(repetitions):
        began = time.perf_counter()
        act()
        times.append(time.perf_counter() - began)
    return min(times)


def small_worlds(count=1000, robots=3):
    """Worlds of three robots that get a command at every action."""
    rollout = Rollout(Formation(robots), count)
    commands = rollout.world.commands["robots"]
    random = np.random.default_rng(1)
    for steps in (1, 4, 10, 100):
        actions = max(200 // steps, 2)

        def act():
            for _ in range(actions):
                commands[..., :2] = random.uniform(-1.0, 1.0, (count, robots, 2))
                rollout.batch.step(steps)

        rate = count * robots * steps * actions / best(act)
        print(f"{count} worlds of {robots} robots, {steps:3} steps per action: {rate:.3g} robot-steps/s", flush=True)
    rollout.reset(np.ones(count, dtype=bool), list(range(count)))

    def environment():
        for _ in range(20):
            rollout.step(random.uniform(-1.0, 1.0, (count, robots, 2)))

    rate = count * robots * 20 / best(environment)
    print(f"the same as an environment, with observations and rewards: {rate:.3g} robot-actions/s", flush=True)


def flocking(count=200, robots=10):
    """Worlds of robots that flock by range and bearing, with their native controllers: workload B of `swarmarium bench`."""
    side = (robots / 0.5) ** 0.5
    settings = {
        "groups.0.count": robots,
        "arena.corner_m": (0.0, 0.0),
        "arena.size_m": (side, side),
        "groups.0.spawn": f"UniformBox(min_m: (0.2, 0.2), max_m: ({side - 0.2}, {side - 0.2}))",
    }
    batch = sw.Batch(Path(__file__).parents[1] / "scenes/bench/b.ron", count, set=settings)
    for steps in (1, 20):
        rate = count * robots * steps / best(lambda steps=steps: batch.step(steps), 20)
        print(f"{count} worlds of {robots} flocking robots, {steps:2} steps per call: {rate:.3g} robot-steps/s", flush=True)


def controllers():
    """A controller of a whole group in NumPy beside the same one in Rust, in turn."""

    def mill(group):
        seen = group.column("readings.fov")[:, 0] > 0.5
        return np.column_stack([np.full(len(group), 0.27), np.where(seen, 0.6, -0.6)])

    for robots in (100, 1000, 10_000):
        side = robots**0.5
        settings = {
            "groups.millers.count": robots,
            "groups.millers.spawn": f"UniformSquare(side_m: {2 * side})",
            "arena.size_m": (2.5 * side, 2.5 * side),
        }
        native = sw.load("milling", seed=1, set=settings)
        python = sw.load("milling", seed=1, set=settings).control("millers", mill)
        steps = max(100_000 // robots, 10)
        ratios = []
        for _ in range(2 * REPETITIONS):
            one, other = (best(lambda sim=sim: sim.step(steps), 1) for sim in (native, python))
            ratios.append(other / one)
        assert (native.bind("poses") == python.bind("poses")).all()
        print(f"{robots} robots: NumPy {np.median(ratios):.2f} times as long as Rust (median)", flush=True)


def views(steps=1_000_000):
    """Live arrays over a million steps: their addresses, and memory that grows in Python."""
    import tracemalloc

    sim = sw.load("milling")
    poses, readings = sim.bind("poses"), sim.bind("readings")
    address = lambda: [array.__array_interface__["data"][0] for array in (poses, readings)]  # noqa: E731
    before = address()
    sim.step(1000)
    tracemalloc.start()
    first = tracemalloc.get_traced_memory()[0]
    began = time.perf_counter()
    for _ in range(steps):
        sim.step()
    last = tracemalloc.get_traced_memory()[0]
    per_step = (time.perf_counter() - began) / steps * 1e6
    tracemalloc.stop()
    print(f"{steps} calls of step: same addresses: {address() == before}, {last - first} bytes more, {per_step:.1f} µs each")


def vmas(count=1000):
    """The task simple_spread of VMAS, with random actions."""
    import torch
    from vmas import make_env

    env = make_env("simple_spread", num_envs=count, device="cpu", continuous_actions=True, n_agents=3)
    env.reset()

    def act():
        for _ in range(20):
            env.step([2.0 * torch.rand(count, 2) - 1.0 for _ in env.agents])

    print(f"VMAS simple_spread, {count} worlds: {count * 3 * 20 / best(act):.3g} robot-actions/s", flush=True)


if __name__ == "__main__":
    if "--vmas" in sys.argv:
        vmas()
    else:
        small_worlds()
        flocking()
        controllers()
        views()
