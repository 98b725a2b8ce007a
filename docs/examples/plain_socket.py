"""Drives robots of `swarmarium serve morse-reference` with plain sockets; needs nothing but Python."""

import json
import socket
from typing import Any, TextIO


def connect(port: int) -> TextIO:
    return socket.create_connection(("localhost", port)).makefile("rw", newline="\n")


class Services:
    """Requests are lines `ID COMPONENT SERVICE [ARGUMENTS]`, replies `ID SUCCESS|FAILED|PREEMPTED [RESULT]`."""

    def __init__(self, port: int = 4000) -> None:
        self.file, self.id = connect(port), 0

    def __call__(self, component: str, service: str, *arguments: Any) -> Any:
        self.id += 1
        self.file.write(f"{self.id} {component} {service} {json.dumps(arguments)}\n")
        self.file.flush()
        _, status, *rest = self.file.readline().rstrip("\n").split(" ", 2)
        result = json.loads(rest[0]) if rest else None
        if status != "SUCCESS":
            raise RuntimeError(f"{component} {service}: {status} {result}")
        return result


services = Services()
print("robots:", services("simulation", "list_robots"))
pose = connect(services("simulation", "get_stream_port", "robot.pose"))
print("pose:", json.loads(pose.readline()))
print("going to (3, 2):", services("robot.motion", "goto", 3.0, 2.0, 0.0, 0.1, 1.0))
speed = connect(services("simulation", "get_stream_port", "Robi.vw"))
speed.write(json.dumps({"v": 0.5, "w": 0.3}) + "\n")
speed.flush()
services("time", "sleep", 2.0)
print("Robi after 2 s:", services("Robi.odo", "get_local_data"))
