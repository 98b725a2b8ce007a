"""What the tests of the Python package share."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def root() -> Path:
    """The root of the project."""
    return ROOT


@pytest.fixture(scope="session")
def program() -> list[str]:
    """The command line: the program that `SWARMARIUM` names, or that of the package."""
    named = os.environ.get("SWARMARIUM")
    found = [named] if named else [shutil.which("swarmarium") or "swarmarium"]
    subprocess.run([*found, "--version"], check=True, capture_output=True)
    return found


@pytest.fixture
def swarm(tmp_path: Path) -> str:
    """A small scene whose robots take commands."""
    path = tmp_path / "swarm.ron"
    path.write_text(SWARM, encoding="utf-8")
    return str(path)


SWARM = """Scene(
    name: "Swarm",
    arena: (size_m: (6.0, 6.0)),
    groups: [
        (
            name: "led",
            count: 5,
            spawn: UniformSquare(side_m: 3.0),
            body: Disc(radius_m: 0.1),
            sensors: [BinaryFov(), Proximity(rays: 4)],
            controller: External(),
        ),
        (name: "free", count: 3, spawn: UniformSquare(side_m: 2.0), sensors: [BinaryFov()], controller: Binary()),
    ],
    metrics: [Circliness(), AverageSpeed()],
)"""


def hashes_of(program: list[str], scene: str, steps: int, folder: Path, *flags: str) -> dict[int, str]:
    """The hashes of a run of the command line, by step."""
    command = [*program, "run", scene, "--steps", str(steps), "--hash", "--quiet", "-o", str(folder), *flags]
    subprocess.run(command, check=True, capture_output=True, text=True)
    rows = re.findall(r"^(\d+),([0-9a-f]{16})$", (folder / "hash.csv").read_text(encoding="utf-8"), re.M)
    return {int(step): digits for step, digits in rows}
