"""Writes expected.json: what RobotSwarmSimulator 1.2.5 makes of the worlds in worlds.yaml.

It needs that program: `pip install swarmsim==1.2.5 numpy==2.4.6`, then `python record.py`.
"""

import json
import os
from pathlib import Path

os.environ["SDL_VIDEODRIVER"] = "dummy"
HERE = Path(__file__).parent
STEPS = 120
COMMON = {"type": "RectangularWorld", "size": [6, 6], "time_step": 0.05, "seed": 3, "collide_walls": False}


def poses(world):
    """The poses of all robots."""
    return [[*map(float, one.pos), float(one.angle)] for one in world.population]


def main():
    import classes  # noqa: F401
    from swarmsim import yaml
    from swarmsim.world.World import config_from_dict, world_from_config

    worlds = yaml.load((HERE / "worlds.yaml").read_text())
    expected = {}
    for name, own in worlds.items():
        own = {**COMMON, **own}
        # As JSON, which is YAML.
        text = json.dumps(own)
        world = world_from_config(config_from_dict(own))
        world.setup()
        found = [poses(world)]
        for _ in range(STEPS):
            # Without the search tree, which misses robots.
            world.quad = None
            world.step()
            found.append(poses(world))
        expected[name] = {"world": text, "poses": {step: found[step] for step in (0, 1, 20, STEPS)}}
    text = ",\n".join(f" {json.dumps(name)}: {json.dumps(world)}" for name, world in expected.items())
    (HERE / "expected.json").write_text("{\n" + text + "\n}\n")


if __name__ == "__main__":
    main()
