"""Order over noise of the model of Vicsek et al. (1995), with the numbers of neighbours as indices."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import swarmarium as sw

Array = npt.NDArray[np.float64]

SCENE = Path(__file__).with_name("vicsek.ron")


def vicsek(noise_rad: float, rng: np.random.Generator) -> Callable[[sw.Group], Array]:
    def controller(robots: sw.Group) -> Array:
        heading = robots.poses[:, 2]
        # A row of the reading has the number and the distance of each neighbour; −1 stands for an unused place.
        numbers = robots.column("readings.near")[:, 0::2].astype(int)
        others = np.where(numbers >= 0, np.exp(1j * heading)[numbers], 0)
        mean = np.angle(np.exp(1j * heading) + others.sum(axis=1))
        turn = mean - heading + noise_rad * (rng.random(len(robots)) - 0.5)
        return np.column_stack([np.zeros(len(robots)), np.angle(np.exp(1j * turn))])

    return controller


for noise_rad in (0.5, 2.0, 4.0):
    rng = np.random.default_rng(1)
    sim = sw.load(SCENE, seed=1).control("particles", vicsek(noise_rad, rng))
    sim.run(500)
    order = np.mean(sim.metrics["polarisation"][300:])
    print(f"noise {noise_rad}: order {order:.2f}")
