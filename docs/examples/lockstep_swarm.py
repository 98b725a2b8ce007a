"""A swarm that is led from Python, in lock step with the world: `swarmarium serve morse-swarm`.

Each robot chases the next one (cyclic pursuit), so that all end up on a circle. No step happens before this program has
decided, and its commands come with the token for the step, so that every run is the same.
Bruckstein, Cohen, Efrat: "Ants, crickets and frogs in cyclic pursuit", 1991.
"""

import json
import math
import socket
import sys
from typing import Any, TextIO

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 8000


def connect(port: int) -> TextIO:
    return socket.create_connection(("localhost", port)).makefile("rw", newline="\n")


readings, sync = connect(4001), connect(5000)


def step(commands: dict[str, Any] | None = None) -> dict[str, Any]:
    """Lets one step happen, in which these commands hold; what all sensors read after it."""
    sync.write(f"step 1 {json.dumps(commands or {})}\n")
    sync.flush()
    sync.readline()
    world: dict[str, Any] = json.loads(readings.readline())
    return world


world = step()
robots = [name.removesuffix(".pose") for name in world if name.endswith(".pose")]
for _ in range(STEPS - 1):
    commands = {}
    for robot, chased in zip(robots, robots[1:] + robots[:1]):
        me, it = world[f"{robot}.pose"], world[f"{chased}.pose"]
        bearing = math.atan2(it["y"] - me["y"], it["x"] - me["x"]) - me["yaw"]
        turn = math.atan2(math.sin(bearing), math.cos(bearing))
        commands[f"{robot}.wheels"] = {"v": 0.3, "w": max(-1.0, min(1.0, 1.2 * turn))}
    world = step(commands)

poses = [world[f"{robot}.pose"] for robot in robots]
x, y = (sum(pose[axis] for pose in poses) / len(poses) for axis in "xy")
radii = [math.hypot(pose["x"] - x, pose["y"] - y) for pose in poses]
print(f"step {world['step']}: {len(robots)} robots {min(radii):.3f} to {max(radii):.3f} m from their centre")
