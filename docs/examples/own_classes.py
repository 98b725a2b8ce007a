"""An external program with the classes of own_classes.yaml, for `swarmarium serve own_classes.yaml`.

python3 own_classes.py [STEPS [SERVICES DATA TOKENS]]: the number of steps, and the ports of the three sockets.
"""

import json
import math
import socket
import sys
from collections.abc import Sequence
from typing import Any, TextIO

STEPS, *PORTS = [*map(int, sys.argv[1:]), *(400, 4000, 4001, 6000)[len(sys.argv) - 1 :]]


class BearingSensor:
    def __init__(self, target: Sequence[float]) -> None:
        self.target = target

    def read(self, pose: dict[str, float]) -> float:
        bearing = math.atan2(self.target[1] - pose["y"], self.target[0] - pose["x"]) - pose["yaw"]
        return math.atan2(math.sin(bearing), math.cos(bearing))


class SeekController:
    def __init__(self, speed: float, gain: float) -> None:
        self.speed, self.gain = speed, gain

    def get_actions(self, bearing: float) -> tuple[float, float]:
        return self.speed, self.gain * bearing


sensor, controller = BearingSensor([3.0, 3.0]), SeekController(0.3, 1.5)

services, data, tokens = (socket.create_connection(("localhost", port)).makefile("rw", newline="\n") for port in PORTS)


def tell(stream: TextIO, line: str) -> str:
    stream.write(line + "\n")
    stream.flush()
    return stream.readline()


def step(commands: dict[str, Any]) -> dict[str, Any]:
    """Runs one step with these commands, and returns the readings of all sensors after it."""
    done = int(tell(tokens, f"step 1 {json.dumps(commands)}").split()[1])
    worlds: map[dict[str, Any]] = map(json.loads, data)
    return next(world for world in worlds if world["step"] == done)


world = step({})
robots = [name.removesuffix(".pose") for name in world if name.endswith(".pose")]
for _ in range(STEPS - 1):
    commands = {}
    for robot in robots:
        bearing = sensor.read(world[f"{robot}.pose"])
        tell(services, f"id {robot}.sensor_0 write [{bearing}]")
        v, w = controller.get_actions(bearing)
        commands[f"{robot}.controller"] = {"v": v, "w": w}
    world = step(commands)

farthest = max(math.hypot(world[f"{robot}.pose"]["x"] - 3.0, world[f"{robot}.pose"]["y"] - 3.0) for robot in robots)
print(f"{len(robots)} robots are at most {farthest:.3f} m from the point that they seek")
