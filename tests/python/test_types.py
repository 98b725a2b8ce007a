"""The types of the package: complete, true for the examples, and strict about misspelt options."""

import importlib.util
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from test_docs import GUIDES

GOOD = """\
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import swarmarium as sw
from swarmarium import envs


def mill(robots: sw.Group) -> npt.NDArray[np.float64]:
    seen = robots.column("readings", sensor="fov")[:, 0] > 0.5
    near = robots.neighbours(1.0)
    return np.column_stack([near.counts + robots.random(), np.where(seen, 0.6, -0.6)])


class Miller:
    def __init__(self) -> None:
        self.turn = 0.6

    def act(self, robot: sw.Robot) -> tuple[float, float]:
        speed: float = robot.random()
        return speed, self.turn if robot.reading("fov")[0] > 0.5 else -self.turn


sim = sw.load("milling", seed=3, set={"groups.millers.count": 5})
sim.control("millers", mill).control("millers", Miller).control("millers", lambda robots: robots.commands)
commands = sim.bind("commands", "drive", group="millers")
sim.run(10, progress=lambda done, total: print(done, total))
columns: list[str] = list(sim.metrics.frame().columns)
video: sw.Video = sim.record(Path("a.mp4"), speed=2, light=True)
batch = sw.Batch("milling", 3, seeds=np.arange(3))
batch.reset(np.array([True, False, True]), seeds=np.array([1, 2]))
found = sw.sweep("milling", vary={"groups.millers.count": [4, 6]}, repeat=2, seed=1, controllers={"millers": Miller})
found.frame().to_csv("runs.csv")
form: sw.Form = "drive"
name: sw.ColumnName = "poses"
family: sw.Family = "sensors"
sensor: sw.Sensor = 0
controllers: dict[str, sw.Controller] = {"millers": mill, "others": Miller}
whole: sw.RobotController = Miller()
progress: sw.Progress = True
few: sw.Table = sim.metrics[["step", "t_s"]]
column: npt.NDArray[Any] = sim.metrics["step"]
kinds: dict[str, sw.Kind] = sw.kinds(family)


class Disperse(envs.Task):
    source = "milling"
    groups = "millers"
    form = "drive"


several = envs.SwarmVectorEnv(Disperse(), 3, autoreset_mode="SameStep")
observed, rewards, ended, cut, infos = several.step(several.action_space.sample())
totals: npt.NDArray[np.float64] = rewards
are_over: npt.NDArray[np.bool_] = ended | cut
agents = envs.SwarmParallelEnv(Disperse(), render_mode="rgb_array")
seen, earned, done, stopped, details = agents.step({"millers_0": np.zeros(2, dtype=np.float32)})
reward: float = earned["millers_0"]
is_over: bool = done["millers_0"] or stopped["millers_0"]
"""

BAD = {
    'sw.load("milling", sed=3)': "call-arg",
    'sw.sweep("milling", repeats=3)': "call-arg",
    'sw.sweep("milling", keep="some")': "arg-type",
    'sw.record("milling", "a.mp4", sped=3)': "call-arg",
    'sim.record("a.mp4", light="yes")': "arg-type",
    'sim.show(colour_by="state")': "call-arg",
    'sim.bind("pses")': "arg-type",
    'sim.bind("commands", "wheel")': "arg-type",
    'sim.bind("readings", sensr="fov")': "call-arg",
    'sim.control("millers")': "call-arg",
    'sim.reset(sed=3)': "call-arg",
    'sw.Batch("milling", 2, seds=[1, 2])': "call-arg",
    'sim.run(duration=3)': "call-arg",
    'sim.step("3")': "arg-type",
    'sim.agents[0].id': "attr-defined",
    'sw.kinds("sensor")': "arg-type",
    'envs.SwarmEnv(envs.Aggregation(), render_mode="human")': "arg-type",
    'envs.SwarmVectorEnv(envs.Aggregation(), 2, autoreset_mode="same")': "arg-type",
}


# The packages are checked once.
CACHE = tempfile.TemporaryDirectory(prefix="swarmarium-mypy-")


def mypy(folder: Path, *files: Path, flags: tuple[str, ...] = ()) -> tuple[int, str]:
    """The exit status and the messages of mypy."""
    config = Path(__file__).parent / "mypy.ini"
    command = [sys.executable, "-m", "mypy", "--config-file", str(config), "--cache-dir", CACHE.name]
    done = subprocess.run([*command, *flags, *map(str, files)], capture_output=True, text=True, cwd=folder)
    return done.returncode, done.stdout + done.stderr


def test_usual_code_passes_the_strict_check(tmp_path):
    file = tmp_path / "good.py"
    file.write_text(GOOD, encoding="utf-8")
    assert mypy(tmp_path, file)[0] == 0, mypy(tmp_path, file)[1]


def test_misspelt_options_fail(tmp_path):
    file = tmp_path / "bad.py"
    start = 'import swarmarium as sw\nfrom swarmarium import envs\nsim = sw.load("milling")\n'
    file.write_text(start + "\n".join(BAD) + "\n", encoding="utf-8")
    status, text = mypy(tmp_path, file)
    found = dict(re.findall(r"bad\.py:(\d+): error: .*\[([a-z-]+)\]$", text, re.M))
    missed = [line for row, (line, code) in enumerate(BAD.items(), 4) if not re.fullmatch(code, found.get(str(row), ""))]
    assert status == 1 and not missed, text


def test_the_examples_pass_the_strict_check(root, tmp_path):
    files = [*(root / "docs/examples").glob("*.py"), *(root / "docs/examples/python").glob("*.py")]
    status, text = mypy(tmp_path, *files)
    assert len(files) >= 9 and status == 0, text


# Functions of pages have no annotations, which notebooks do without. All else is as strict.
PAGES = ("--allow-untyped-defs", "--allow-untyped-calls", "--check-untyped-defs", "--allow-redefinition", "--allow-subclassing-any")


@pytest.mark.parametrize("name", ["tutorials/python", *(f"guides/{guide}" for guide in GUIDES)])
def test_the_code_of_pages_has_no_mistakes(root, tmp_path, name):
    page = (root / f"docs/{name}.md").read_text(encoding="utf-8")
    file = tmp_path / "page.py"
    file.write_text("\n".join(re.findall(r"^```python,no-run\n(.*?)^```", page, re.M | re.S)), encoding="utf-8")
    status, text = mypy(tmp_path, file, flags=PAGES)
    assert status == 0, text


@pytest.mark.skipif(shutil.which("pyright") is None, reason="pyright is not installed")
def test_nearly_all_types_are_known(tmp_path):
    # The types of other packages are theirs.
    command = ["pyright", "--verifytypes", "swarmarium", "--ignoreexternal", "--outputjson"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    if not done.stdout.lstrip().startswith("{"):
        pytest.skip("pyright could not be downloaded")
    report = json.loads(done.stdout)["typeCompleteness"]
    unknown = [symbol["name"] for symbol in report["symbols"] if symbol["isExported"] and not symbol["isTypeKnown"]]
    assert report["exportedSymbolCounts"]["withKnownType"] > 1000
    assert report["completenessScore"] >= 0.98, unknown


def test_the_package_says_that_it_has_types():
    spec = importlib.util.find_spec("swarmarium")
    assert spec is not None and spec.origin is not None
    assert (Path(spec.origin).parent / "py.typed").is_file()
