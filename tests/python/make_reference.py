"""Makes the reference page of the package from its docstrings and annotations: `python make_reference.py` writes it."""

import ast
import dataclasses
import inspect
import itertools
import re
import textwrap
from pathlib import Path

import swarmarium
import swarmarium.morse
import swarmarium.pysimiam
import swarmarium.robotswarmsimulator
from swarmarium import envs

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/reference/python.md"

HEAD = """# Python package

The package `swarmarium` runs scenes from Python, with the hashes of the command line. This page lists its classes and functions. The tutorial [Your first notebook](../tutorials/python.md) introduces them.

<!-- Written by tests/python/make_reference.py from the docstrings. -->

## Installation

From a copy of the project, with a Rust toolchain, or from a wheel:

```sh,no-run
pip install ./src/python
pip install "./src/python[gymnasium,pettingzoo]"
pip install "swarmarium-….whl[gymnasium,pettingzoo]"
```

The package needs Python 3.10 or later and NumPy. It has no window. The command line program is installed with it: `swarmarium run`, `record`, `sweep` and the other verbs. A data frame needs pandas or polars.

## Rules

| Topic | Rule |
|---|---|
| hashes | the same scene, seed and edits give the same hash as on the command line, for any number of threads |
| units | metres, seconds, radians, as the names of fields and columns say |
| order of robots | by number; arrays have a row for each robot |
| arrays | an array is memory of its own, which the simulation fills after each call that changes it; its address stays, and it outlives the simulation |
| errors | `SwarmariumError` (a `ValueError`) has the message of the command line: place, field, allowed values, nearest name |
| defects | a panic in a simulation raises `PoisonedError` (a `RuntimeError`); that simulation cannot be used any more, all others can |
| Ctrl-C | ends a long call at the end of a step; the simulation can go on, and written files are valid |
| threads | the interpreter lock is released while simulations run; a simulation is used by one thread at a time |
| fork | a simulation or batch survives a fork, unless it was loaded with `threads` above 1: then the child raises `SwarmariumError` |
| spawn | simulations cannot be sent to other processes: send a scene and a seed, or a saved run |
"""


def page() -> str:
    """The text of the page."""
    parts = [HEAD]
    for title, names in {
        "Simulations": ["load", "Simulation", "Snapshot", "Table"],
        "Controllers": ["Group", "Robot"],
        "The past": ["Timeline", "Branch", "Bookmark"],
        "Batches": ["Batch"],
        "Sweeps": ["sweep", "open_sweep", "Sweep"],
        "Videos": ["record", "Video"],
        "Pages": ["Page"],
        "MCAP files": ["McapRecording"],
        "Lists": ["kinds", "scenes", "plans", "Kind", "Field"],
        "Build": ["build_info", "BuildInfo"],
        "Records": ["Agent", "Event", "LoggedEdit", "Message"],
    }.items():
        parts.append(f"## {title}\n")
        parts += [described(name, getattr(swarmarium, name)) for name in names]
    parts.append("## Environments\n\nThe module `swarmarium.envs`.\n")
    parts += [described(name, getattr(envs, name)) for name in ("SwarmEnv", "SwarmVectorEnv", "SwarmParallelEnv")]
    parts += [described(name, getattr(envs, name)) for name in ("Task", "World", "Rollout", "Outcome")]
    parts.append("## Classes of RobotSwarmSimulator\n\nThe module `swarmarium.robotswarmsimulator`.\n")
    module = swarmarium.robotswarmsimulator
    parts += [described(name, getattr(module, name)) for name in ("load", "drive", "provide_modules")]
    parts.append("## Supervisors of pySimiam\n\nThe module `swarmarium.pysimiam`.\n")
    parts += [described(name, getattr(swarmarium.pysimiam, name)) for name in ("load", "drive")]
    parts.append("## Builder scripts of MORSE\n\nThe module `swarmarium.morse`.\n")
    parts += [described(name, getattr(swarmarium.morse, name)) for name in ("load", "configuration")]
    return "\n".join(parts).rstrip() + "\n"


def described(name: str, thing: object) -> str:
    """A class with its members, or a function."""
    if not inspect.isclass(thing):
        return f"### `{name}`\n\n{signature(name, thing)}\n\n{prose(thing)}\n"
    lines = [f"### `{name}`\n\n{prose(thing)}\n"]
    rows = [(field, note) for field, note in attributes(thing).items()]
    own = [(key, member) for key, member in vars(thing).items() if not key.startswith("_") or key == "__init__"]
    rows += [(key, first(member.fget)) for key, member in own if isinstance(member, property)]
    if rows:
        lines.append("| Attribute | Meaning |\n|---|---|")
        lines += [f"| `{key}` | {note} |" for key, note in rows]
        lines.append("")
    for key, member in own:
        function = getattr(thing, key) if isinstance(member, (staticmethod, classmethod)) else member
        if inspect.isfunction(function) or inspect.ismethod(function):
            shown = name if key == "__init__" else f"{name}.{key}"
            if key == "__init__" and not function.__doc__:
                continue
            lines.append(f"{signature(shown, function)}\n\n{prose(function)}\n")
    return "\n".join(lines)


def signature(name: str, function: object) -> str:
    """A function with its parameters, as a block of code that no test runs."""
    text = str(inspect.signature(function))
    text = re.sub(r"\bself(, )?", "", text, count=1).replace("'", "")
    text = re.sub(r"npt\.NDArray\[[^]]*\]|\bArray\b", "array", text).replace("os.PathLike[str]", "Path")
    text = re.sub(r" -> None$", "", text)
    return f"```python,no-run\n{name}{text}\n```"


def prose(thing: object) -> str:
    """A docstring as Markdown: without examples of the interpreter, with a table of arguments."""
    text = inspect.cleandoc(thing.__doc__ or "")
    text = re.sub(r"\n+>>>(.|\n)*?(\n\n|$)", "\n\n", text).strip()
    body, _, rest = text.partition("\nArgs:\n")
    if not rest:
        return raised(body)
    arguments, _, after = rest.partition("\n\n")
    rows = []
    for line in arguments.splitlines():
        if re.match(r"    \S", line):
            argument, _, note = line.strip().partition(": ")
            rows.append([argument, note])
        else:
            rows[-1][1] += " " + line.strip()
    table = "\n".join(f"| `{argument}` | {note} |" for argument, note in rows)
    return raised(f"{body.strip()}\n\n| Argument | Meaning |\n|---|---|\n{table}\n\n{after}".strip())


def raised(text: str) -> str:
    """The section of exceptions as sentences."""
    return re.sub(r"Raises:\n((?: .*\n?)+)", lambda found: "Raises " + "; ".join(
        re.sub(r"^(\w+): ", r"`\1` ", " ".join(one.split())) for one in re.split(r"\n(?=    \S)", found[1].rstrip())
    ).lstrip(), text)


def first(function: object) -> str:
    """A docstring in one line."""
    return " ".join(inspect.cleandoc(function.__doc__ or "").split())


def attributes(thing: type) -> dict[str, str]:
    """The attributes that are described below their assignments, in the class or in its constructor."""
    found = {field.name: "" for field in dataclasses.fields(thing)} if dataclasses.is_dataclass(thing) else {}
    body = ast.parse(textwrap.dedent(inspect.getsource(thing))).body[0].body
    bodies = [body] + [part.body for part in body if isinstance(part, ast.FunctionDef) and part.name == "__init__"]
    for one, note in (pair for lines in bodies for pair in itertools.pairwise(lines)):
        is_note = isinstance(note, ast.Expr) and isinstance(note.value, ast.Constant) and isinstance(note.value.value, str)
        if is_note and isinstance(one, (ast.Assign, ast.AnnAssign)):
            target = one.target if isinstance(one, ast.AnnAssign) else one.targets[0]
            found[target.id if isinstance(target, ast.Name) else target.attr] = " ".join(note.value.value.split())
    return {name: note for name, note in found.items() if not name.startswith("_")}


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
