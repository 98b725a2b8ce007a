"""Evaluates a controller over many seeds: `python genome.py`.

A genome has four numbers: the speed and the turn rate while no robot is in sight, and those while one is.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import swarmarium as sw

FIELDS = [f"groups.millers.controller.{state}.{name}" for state in ("clear", "detected") for name in ("v_m_per_s", "turn_rad_per_s")]
STEPS, LAST, EVERY = 1000, 450, 10


def evaluate(genomes: npt.ArrayLike, seeds: Sequence[int], robots: int = 10) -> npt.NDArray[np.float64]:
    """The mean circliness of every tenth of the last 450 steps, for each genome and seed."""
    genomes = np.atleast_2d(genomes)
    each = np.repeat(genomes, len(seeds), axis=0)
    batch = sw.Batch("milling", len(each), seeds=np.tile(seeds, len(genomes)), set={"groups.millers.count": robots})
    for place, path in enumerate(FIELDS):
        batch.set(path, each[:, place])
    circliness = batch.bind("metrics")[:, batch.metric_columns.index("circliness")]
    batch.step(STEPS - LAST)
    total = np.zeros(len(each))
    for _ in range(LAST // EVERY):
        batch.step(EVERY)
        total += circliness
    return (total / (LAST // EVERY)).reshape(len(genomes), len(seeds))


if __name__ == "__main__":
    values = evaluate([0.27, -0.6, 0.27, 0.6], seeds=range(30))[0]
    # The quantile of Student's t with 29 degrees of freedom, for 95 % on both sides.
    half = 2.045 * values.std(ddof=1) / np.sqrt(len(values))
    print(f"circliness {values.mean():.3f} ± {half:.3f} (mean of {len(values)} seeds, 95 % interval)")
