"""Illuminates the behaviours of one-bit controllers with MAP-Elites: `pip install ribs`, then `python map_elites.py [ITERATIONS]`.

The archive has a cell for each pair of mean speed and mean distance from the centre; a cell keeps the controller with the
highest circliness.
"""

import sys

import numpy as np
import swarmarium as sw
from genome import FIELDS
from ribs.archives import GridArchive
from ribs.emitters import GaussianEmitter
from ribs.schedulers import Scheduler

SCALE = np.array([0.3, 1.0, 0.3, 1.0])
iterations = int(sys.argv[1]) if len(sys.argv) > 1 else 50

archive = GridArchive(solution_dim=4, dims=[20, 20], ranges=[(0.0, 0.3), (0.0, 3.0)], seed=1)
emitters = [GaussianEmitter(archive, sigma=0.2, x0=[0.0] * 4, bounds=[(-1, 1)] * 4, batch_size=50, seed=2)]
scheduler = Scheduler(archive, emitters)
batch = sw.Batch("milling", 50, seeds=[1] * 50)
poses, velocities, metrics = batch.bind("poses"), batch.bind("velocities"), batch.bind("metrics")
circliness = metrics[:, batch.metric_columns.index("circliness")]

for iteration in range(iterations):
    solutions = scheduler.ask()
    # Values that are set before the first step take less time than edits of running simulations.
    batch.reset()
    for place, path in enumerate(FIELDS):
        batch.set(path, np.asarray(solutions)[:, place] * SCALE[place])
    batch.step(800)
    away = poses[..., :2] - poses[..., :2].mean(axis=1, keepdims=True)
    measures = np.column_stack([np.hypot(*velocities.T).mean(axis=0), np.hypot(away[..., 0], away[..., 1]).mean(axis=1)])
    scheduler.tell(np.nan_to_num(circliness), measures)

stats = archive.stats
print(f"{stats.num_elites} behaviours, best circliness {stats.obj_max:.3f}")
