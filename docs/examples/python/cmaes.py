"""Searches for a milling controller with CMA-ES: `pip install cma`, then `python cmaes.py [ITERATIONS]`."""

import sys

import cma
import numpy as np
from genome import evaluate

# Genomes are scaled to 0 … 1: speeds of ±0.3 m/s and turn rates of ±1 rad/s.
SCALE = np.array([0.3, 1.0, 0.3, 1.0])
iterations = int(sys.argv[1]) if len(sys.argv) > 1 else 30
training, test = range(10), range(100, 130)

search = cma.CMAEvolutionStrategy(4 * [0.5], 0.2, {"popsize": 15, "bounds": [0, 1], "seed": 1, "verbose": -9})
for iteration in range(iterations):
    asked = search.ask()
    genomes = (2 * np.array(asked) - 1) * SCALE
    fitness = evaluate(genomes, training).mean(axis=1)
    search.tell(asked, -fitness)
    print(f"{iteration + 1:3}: best of this iteration {fitness.max():.3f}", flush=True)

best = (2 * np.array(search.result.xbest) - 1) * SCALE
# The best of many is scored on seeds that did not choose it.
print(f"genome {best.round(3)}: {-search.result.fbest:.3f} in training, {evaluate(best, test).mean():.3f} on new seeds")
