"""Trains robots with one bit of sight to gather, with an evolution strategy: `python train_aggregation.py [ITERATIONS]`.

The policy has four numbers: the commands while no robot is in sight, and those while one is, as in Gauci et al. 2014. It
needs NumPy only, and about a minute on two cores.
"""

import sys
import time
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from swarmarium.envs import Aggregation, Rollout

ITERATIONS = int(sys.argv[1]) if len(sys.argv) > 1 else 40
CANDIDATES, EPISODES, ELITE = 24, 4, 6

task = Aggregation(robots=10)
rollout = Rollout(task, CANDIDATES * EPISODES)
limits = rollout.action_limits[1]
random = np.random.default_rng(1)


def returns(policies: npt.NDArray[np.float64], seeds: Sequence[int]) -> npt.NDArray[np.float64]:
    """The mean return of each policy over episodes with these seeds: metres by which the robots came closer."""
    count = len(policies) * len(seeds)
    table = np.repeat(policies, len(seeds), axis=0).reshape(count, 1, 2, 2)
    everywhere = np.ones(len(rollout.batch), dtype=bool)
    observations = rollout.reset(everywhere, list(seeds) * (len(rollout.batch) // len(seeds)))[:count]
    total, running = np.zeros(count), np.ones(count, dtype=bool)
    actions = np.zeros((len(rollout.batch), len(rollout.agents), 2))
    for _ in range(task.max_actions):
        seen = observations[..., 0] > 0.5
        actions[:count] = np.where(seen[..., None], table[:, :, 1], table[:, :, 0]) * limits
        done = rollout.step(actions)
        observations = done.observations[:count]
        total += running * done.rewards[:count].mean(axis=1)
        running &= ~done.terminated[:count]
    return np.asarray(total.reshape(len(policies), len(seeds)).mean(axis=1))


mean, deviation = np.zeros(4), np.full(4, 0.5)
test = list(range(1000, 1000 + EPISODES * CANDIDATES // 2))
before = returns(np.clip(random.normal(0.0, 0.5, (2, 4)), -1, 1), test).mean()
began = time.time()
for iteration in range(ITERATIONS):
    candidates = np.clip(random.normal(mean, deviation, (CANDIDATES, 4)), -1, 1)
    fitness = returns(candidates, random.integers(2**31, size=EPISODES).tolist())
    best = candidates[np.argsort(fitness)[-ELITE:]]
    mean, deviation = best.mean(axis=0), 0.9 * best.std(axis=0) + 0.1 * deviation
    print(f"{iteration + 1:3}: mean return {fitness.mean():6.3f} m, best {fitness.max():6.3f} m", flush=True)

after = returns(np.clip(mean, -1, 1)[None], test)[0]
v, turn = (mean.reshape(2, 2) * limits).T
print(f"no robot in sight: {v[0]:.3f} m/s, {turn[0]:.2f} rad/s; a robot in sight: {v[1]:.3f} m/s, {turn[1]:.2f} rad/s")
print(f"return on new seeds: {after:.3f} m; random policies: {before:.3f} m; {time.time() - began:.0f} s of training")
assert after > before, "nothing was learned"
