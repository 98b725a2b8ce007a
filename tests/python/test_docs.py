"""The pages, examples and the notebook of the package run and are up to date."""

import contextlib
import doctest
import importlib
import inspect
import io
import os
import pkgutil
import re
import shutil
import subprocess
import sys
import warnings

import nbformat
import make_notebook as notebook
import pytest
import make_reference as reference
import swarmarium
from nbclient import NotebookClient
from swarmarium import envs

GUIDES = [
    "control-robots-from-python",
    "from-vmas-or-pettingzoo",
    "many-small-simulations",
    "search-for-controllers",
    "train-robots",
]


def test_the_notebook_is_that_of_its_page(root):
    page = notebook.PAGE.read_text(encoding="utf-8")
    assert notebook.NOTEBOOK.read_text(encoding="utf-8") == notebook.notebook(page), "run tests/python/make_notebook.py"


def test_the_reference_is_that_of_the_docstrings():
    assert reference.PAGE.read_text(encoding="utf-8") == reference.page(), "run tests/python/make_reference.py"


def printed(made):
    """The text that each cell of a notebook prints; progress bars and warnings are left out."""
    outputs = [[output for output in cell.get("outputs", []) if output.get("name") == "stdout"] for cell in made.cells]
    return ["".join(output.text for output in texts) for texts in outputs]


def test_the_notebook_runs_and_its_page_shows_its_output(tmp_path):
    made = nbformat.read(notebook.NOTEBOOK, as_version=4)
    shown, figures = printed(made), len(notebook.pictures(made))
    NotebookClient(made, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert printed(made) == shown
    assert len(notebook.pictures(made)) == figures >= 4
    if kept := os.environ.get("NOTEBOOK_OUTPUT"):
        nbformat.write(made, kept)


@pytest.mark.parametrize("name", GUIDES)
def test_guides_run(root, tmp_path, name, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = (root / f"docs/guides/{name}.md").read_text(encoding="utf-8")
    # A reader saves the files that the page links.
    for file in re.findall(r"\]\(\.\./examples/([^)]+)\)", page):
        shutil.copy(root / "docs/examples" / file, tmp_path)
    module, shows = {"__name__": name}, 0
    for found in notebook.CODE.finditer(page):
        printed, shown = io.StringIO(), notebook.TEXT.match(page, found.end())
        with warnings.catch_warnings(), contextlib.redirect_stdout(printed):
            warnings.simplefilter("ignore")
            exec(compile(found[1], name, "exec"), module)
        if shown:
            shows += 1
            assert printed.getvalue() == shown[1]
    assert shows >= (10 if name == "control-robots-from-python" else 0)


@pytest.mark.parametrize(
    "command",
    [["genome.py"], ["grid.py", "5"], ["cmaes.py", "2"], ["map_elites.py", "2"], ["train_aggregation.py", "8"]],
    ids=lambda command: command[0],
)
def test_examples_run(root, command):
    folder = root / "docs/examples/python"
    done = subprocess.run([sys.executable, *command], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout, done.stderr


def test_the_cookbook_has_the_output_of_its_program(root):
    page = (root / "docs/cookbook/flocking.md").read_text(encoding="utf-8")
    folder = root / "docs/examples/cookbook"
    done = subprocess.run([sys.executable, "vicsek.py"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert f"```text\n{done.stdout}```" in page


def test_every_function_and_method_has_an_example():
    names = ["Simulation", "Group", "Robot", "Timeline", "Batch", "Sweep", "Table", "Page"]
    things = {name: getattr(swarmarium, name) for name in swarmarium.__all__ if inspect.isfunction(getattr(swarmarium, name))}
    for name in names:
        methods = vars(getattr(swarmarium, name)).items()
        things |= {f"{name}.{key}": one for key, one in methods if inspect.isfunction(one) and not key.startswith("_")}
    classes = [swarmarium.Batch, swarmarium.Neighbours, envs.SwarmEnv, envs.SwarmVectorEnv, envs.SwarmParallelEnv, envs.Task]
    things |= {one.__name__: one for one in [*classes, envs.SceneTask, envs.Rollout]}
    assert len(things) > 60
    assert not [name for name, one in things.items() if not re.search(">>>|```python", one.__doc__ or "")]


def test_examples_in_docstrings_hold():
    for module in pkgutil.walk_packages(swarmarium.__path__, "swarmarium."):
        if not module.name.endswith(("_native", "__main__")):
            tried = doctest.testmod(importlib.import_module(module.name))
            assert tried.failed == 0, module.name
    tried = doctest.testmod(swarmarium)
    assert tried.attempted >= 3 and tried.failed == 0
