"""Measures the Python package: `python benches/python.py`. It needs a quiet machine.

Parts that are compared run in turn, and the best of some repetitions counts. `--smoke` runs all parts with few worlds and
steps, as a check that they work. `--vmas` measures the environments in turn with VMAS, which must be installed.
"""

import sys
import time
from pathlib import Path

import numpy as np
import swarmarium as sw
from swarmarium.envs import Formation, Rollout, SwarmVectorEnv

SMOKE = "--smoke" in sys.argv
REPETITIONS = 1 if SMOKE else 5
RAYS = "[Proximity(rays: 8, range_m: 1.0)]"
RANDOM = np.random.default_rng(1)


def fewer(number):
    """A number of worlds or steps; in a smoke run, a hundredth."""
    return max(number // 100, 2) if SMOKE else number


def in_turn(*acts):
    """The shortest times in seconds of calls that are made in turn."""
    times = [[] for _ in acts]
    for _ in range(REPETITIONS):
        for act, own in zip(acts, times):
            began = time.perf_counter()
            act()
            own.append(time.perf_counter() - began)
    return [min(own) for own in times]


def resident():
    """The memory of this process in bytes; `None` where the system does not say."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * 4096
    except OSError:
        return None


def actions_of(count, robots, width):
    """Random actions in turn. They are made before, so that their time does not count."""
    return [RANDOM.uniform(-1.0, 1.0, (count, robots, width)) for _ in range(4)]


def commanded(count, robots, rays=False, steps=1, actions=200):
    """A call that gives the robots of a batch new commands and reads their poses and readings, and its robot-steps."""
    settings = {"groups.robots.count": robots} | ({"groups.robots.sensors": RAYS} if rays else {})
    batch = sw.Batch(Formation().source, count, set=settings)
    commands = batch.bind("commands", "velocity")
    given = actions_of(count, robots, 2)

    # Arrays are filled as long as a program refers to them.
    def act(_seen=(batch.bind("poses"), batch.bind("readings"))):
        for action in range(actions):
            commands[..., :2] = given[action % len(given)]
            batch.step(steps)

    return act, count * robots * steps * actions


def batches():
    """Batches of small worlds with new commands at each action, beside the first of them."""
    parts, bytes_of_one = [], []
    # The memory of the library itself is not that of a world.
    warm, _ = commanded(2, 3, True, 1, 1)
    warm()
    for count, robots, rays, steps, actions in (
        (1000, 3, False, 1, 200),
        (1000, 3, False, 10, 20),
        (1000, 3, True, 1, 100),
        (1000, 10, True, 1, 30),
        (30_000, 3, False, 1, 10),
    ):
        count = fewer(count)
        name = f"{count} worlds of {robots} robots{', 8 rays' if rays else ''}, steps per action {steps}"
        before = resident()
        parts.append((name, *commanded(count, robots, rays, steps, actions)))
        after = resident()
        bytes_of_one.append((after - before) / count if before and after else float("nan"))
    times = in_turn(*(act for _, act, _ in parts))
    rates = [work / seconds for (_, _, work), seconds in zip(parts, times)]
    for (name, _, _), rate, size in zip(parts, rates, bytes_of_one):
        print(f"{name}: {rate:.3g} robot-steps/s, {rate / rates[0]:.2f} of the first; {size / 1e3:.1f} kB per world", flush=True)


def environment(count=1000, actions=101):
    """The environment `Formation` with observations, rewards and a reset of each episode, beside its batch."""
    task, count = Formation(), fewer(count)
    envs = SwarmVectorEnv(task, count)
    envs.reset(seed=1)
    given = [action.astype(np.float32) for action in actions_of(count, 3, 2)]

    def act():
        for action in range(actions):
            envs.step(given[action % len(given)])

    batch, work = commanded(count, 3, steps=task.steps_per_action, actions=actions)
    own, of_batch = (work / seconds for seconds in in_turn(act, batch))
    print(f"{count} environments Formation: {own:.3g} robot-steps/s, {own / of_batch:.2f} of their batch", flush=True)


def flocking(count=200, robots=10):
    """Worlds of robots that flock by range and bearing, with their native controllers: workload B of `swarmarium bench`."""
    side = (robots / 0.5) ** 0.5
    settings = {
        "groups.0.count": robots,
        "arena.corner_m": (0.0, 0.0),
        "arena.size_m": (side, side),
        "groups.0.spawn": f"UniformBox(min_m: (0.2, 0.2), max_m: ({side - 0.2}, {side - 0.2}))",
    }
    batch = sw.Batch(Path(__file__).parents[1] / "scenes/bench/b.ron", fewer(count), set=settings)
    for steps in (1, 20):
        (seconds,) = in_turn(lambda steps=steps: [batch.step(steps) for _ in range(20 // steps)])
        rate = len(batch) * robots * 20 / seconds
        print(f"{len(batch)} worlds of {robots} flocking robots, steps per call {steps}: {rate:.3g} robot-steps/s", flush=True)


def controllers():
    """A controller of a whole group in NumPy beside the same one in Rust."""

    def mill(group):
        seen = group.column("readings", sensor="fov")[:, 0] > 0.5
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
        steps = fewer(max(100_000 // robots, 10))
        one, other = in_turn(lambda: native.step(steps), lambda: python.step(steps))
        assert (native.bind("poses") == python.bind("poses")).all()
        print(f"{robots} robots: NumPy takes {other / one:.2f} times as long as Rust", flush=True)


def views():
    """Live arrays over many steps: their addresses, and memory that grows in Python."""
    import tracemalloc

    sim, steps = sw.load("milling"), fewer(1_000_000)
    arrays = sim.bind("poses"), sim.bind("readings")
    address = lambda: [array.__array_interface__["data"][0] for array in arrays]  # noqa: E731
    before = address()
    sim.step(1000)
    tracemalloc.start()
    first, began = tracemalloc.get_traced_memory()[0], time.perf_counter()
    for _ in range(steps):
        sim.step()
    seconds, last = time.perf_counter() - began, tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert address() == before
    print(f"{steps} calls of step: {last - first} bytes more in Python, {seconds / steps * 1e6:.1f} µs each", flush=True)


def vmas():
    """The task `Formation`, with one step per action, beside `simple_spread` of VMAS."""
    import torch
    from vmas import make_env

    for count, actions in ((fewer(1000), 20), (fewer(30_000), 5)):
        env = make_env("simple_spread", num_envs=count, device="cpu", continuous_actions=True, n_agents=3)
        env.reset()
        task = Formation()
        task.steps_per_action = 1
        rollout = Rollout(task, count)
        given = actions_of(count, 3, 2)
        of_vmas = [[torch.tensor(action[:, robot], dtype=torch.float32) for robot in range(3)] for action in given]
        own, other = in_turn(
            lambda: [rollout.step(given[action % len(given)]) for action in range(actions)],
            lambda: [env.step(of_vmas[action % len(given)]) for action in range(actions)],
        )
        rates = [count * 3 * actions / seconds for seconds in (own, other)]
        print(f"{count} worlds: Formation {rates[0]:.3g}, VMAS {rates[1]:.3g} robot-actions/s: {other / own:.1f} times", flush=True)


if __name__ == "__main__":
    if "--vmas" in sys.argv:
        vmas()
    else:
        batches()
        environment()
        flocking()
        controllers()
        views()
