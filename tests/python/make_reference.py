"""Makes the reference page of the package from its docstrings and annotations: `python make_reference.py` writes it."""

import ast
import dataclasses
import enum
import importlib
import inspect
import itertools
import re
import textwrap
from pathlib import Path

import swarmarium
import swarmarium.flags
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
pip install ~/Downloads/swarmarium-0.1.0-*.whl
pip install "$(echo ~/Downloads/swarmarium-0.1.0-*.whl)[gymnasium,pettingzoo,progress]"
```

The last lines name the file of the wheel, as on the page [Install](../install.md#install-the-python-package). The package needs Python 3.10 or later and NumPy. It has no window. The command line program is installed with it: `swarmarium run`, `record`, `sweep` and the other commands. A data frame needs pandas or polars.

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
| warnings | losses of importers, robots without room and failed scripts are warnings of the module `warnings` |
| log | messages of `sweep`, `record` and pages go to the logger `swarmarium` of the module `logging` |
| progress | long calls take `progress`: a function of the finished units and their total, `True` for a bar of tqdm, or `False`; by default, a bar appears after a second in a terminal or a notebook, if tqdm is installed (`pip install "swarmarium[progress]"`) |
| types | the package is typed; misspelt options and names of arrays fail in type checkers |
"""


IDS = """Gymnasium knows the tasks by their ids after an import of `swarmarium.envs`; without one, the id has the module before it, as in `swarmarium:Swarmarium/Aggregation-v0`:

| Id | Task |
|---|---|
| `Swarmarium/Aggregation-v0` | `Aggregation`, with its argument `robots` |
| `Swarmarium/Formation-v0` | `Formation`, with its argument `robots` |
| `Swarmarium/PredatorPrey-v0` | `PredatorPrey`, with its argument `predators` |
| `Swarmarium/Scene-v0` | `SceneTask`, with its arguments `scene`, `groups`, `reward` and so on |

```python,no-run
import gymnasium
import swarmarium.envs

env = gymnasium.make("Swarmarium/Aggregation-v0", robots=20)
own = gymnasium.make("Swarmarium/Scene-v0", scene="milling", groups="millers", reward="circliness")
envs = gymnasium.make_vec("Swarmarium/Aggregation-v0", num_envs=64)
```
"""


TYPES = [
    "Form",
    "ColumnName",
    "Sensor",
    "ControlFunction",
    "Controller",
    "ControllerWithParameters",
    "ProgressFunction",
    "Progress",
    "Rate",
    "Family",
    "Numbers",
]
"""The types that annotations name."""


def page() -> str:
    """The text of the page."""
    parts = [HEAD]
    for title, names in {
        "Simulations": ["load", "Simulation", "Snapshot", "Table", "Neighbours"],
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
        "Exceptions": ["SwarmariumError", "PoisonedError"],
    }.items():
        parts.append(f"## {title}\n")
        parts += [described(name, getattr(swarmarium, name)) for name in names]
    parts.append(aliases())
    parts.append("## Options\n\nThe module `swarmarium.flags` has them as types.\n")
    for name, flags in (("sweep", "SweepFlags"), ("record", "RecordFlags"), ("Simulation.show", "PageFlags")):
        parts.append(options(name, getattr(swarmarium.flags, flags)))
    parts.append("## Environments\n\nThe module `swarmarium.envs`. Importing it needs neither Gymnasium nor PettingZoo.\n")
    parts.append(IDS)
    parts += [described(name, getattr(envs, name)) for name in ("SwarmEnv", "SwarmVectorEnv", "SwarmParallelEnv")]
    parts += [described(name, getattr(envs, name)) for name in ("Task", "SceneTask", *envs.TASKS, "World", "Rollout", "Outcome")]
    parts.append("## Classes of RobotSwarmSimulator\n\nThe module `swarmarium.robotswarmsimulator`.\n")
    module = swarmarium.robotswarmsimulator
    parts += [described(f"robotswarmsimulator.{name}", getattr(module, name)) for name in ("load", "drive", "provide_modules")]
    parts.append("## Supervisors of pySimiam\n\nThe module `swarmarium.pysimiam`.\n")
    parts += [described(f"pysimiam.{name}", getattr(swarmarium.pysimiam, name)) for name in ("load", "drive")]
    parts.append("## Builder scripts of MORSE\n\nThe module `swarmarium.morse`.\n")
    parts += [described(f"morse.{name}", getattr(swarmarium.morse, name)) for name in ("load", "configuration")]
    return "\n".join(parts).rstrip() + "\n"


def described(name: str, thing: object) -> str:
    """A class with its members, or a function."""
    if not inspect.isclass(thing):
        return f"### `{name}`\n\n{signature(name, thing)}\n\n{prose(thing)}\n"
    if issubclass(thing, BaseException):
        return f"### `{name}`\n\n{prose(thing)} It is a `{thing.__base__.__name__}`.\n"
    lines = [f"### `{name}`\n\n{prose(thing)}\n"]
    rows = list(attributes(thing).items())
    # Methods that replace those of `Task` have their descriptions there.
    inherited = vars(envs.Task).keys() - {"__init__"} if thing is not envs.Task and issubclass(thing, envs.Task) else ()
    members = [(key, member) for key, member in vars(thing).items() if key not in inherited]
    own = [(key, member) for key, member in members if not key.startswith("_") or key == "__init__"]
    rows += [(key, (returned(member.fget), "", first(member.fget))) for key, member in own if isinstance(member, property)]
    if rows:
        lines.append(table_of(rows))
    for key, member in own:
        function = getattr(thing, key) if isinstance(member, (staticmethod, classmethod)) else member
        if inspect.isfunction(function) or inspect.ismethod(function):
            if key == "__init__":
                if "Args:" in (function.__doc__ or ""):
                    lines.append(f"{signature(name, function)}\n\n{prose(function)}\n")
                continue
            shown = f"{name}.{key}"
            lines.append(f"#### `{shown}`\n\n{signature(shown, function)}\n\n{prose(function)}\n")
    return "\n".join(lines)


def options(name: str, flags: type) -> str:
    """The options of a verb, those of its base classes last."""
    rows: dict[str, tuple[str, str]] = {}
    waiting = [flags]
    while waiting:
        one = waiting.pop(0)
        body = ast.parse(textwrap.dedent(inspect.getsource(one))).body[0]
        for key, (kind, _, note) in attributes(one).items():
            rows.setdefault(key, (kind, note))
        waiting += [getattr(swarmarium.flags, base.id) for base in body.bases if base.id != "TypedDict"]
    table = "\n".join(f"| `{key}` | {coded(kind)} | {note} |" for key, (kind, note) in rows.items())
    return f"### Options of `{name}`\n\n| Option | Type | Meaning |\n|---|---|---|\n{table}\n"


def table_of(rows: list[tuple[str, tuple[str, str, str]]]) -> str:
    """A table of attributes with their types, their defaults if there are some, and their descriptions."""
    has_defaults = any(default for _, (_, default, _) in rows)
    heads = ["Attribute", "Type", *(["Default"] if has_defaults else []), "Meaning"]
    lines = [f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}"]
    for key, (kind, default, note) in rows:
        cells = [f"`{key}`", coded(kind), *([coded(default)] if has_defaults else []), note]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def aliases() -> str:
    """The types that annotations name, from their modules."""
    rows = {}
    for name in ("batch", "columns", "control", "kinds", "mcap", "progress"):
        module = importlib.import_module(f"swarmarium.{name}")
        for one, note in itertools.pairwise(ast.parse(inspect.getsource(module)).body):
            if isinstance(one, ast.Assign) and one.targets[0].id in TYPES:
                meaning = " ".join(note.value.value.split())
                rows[one.targets[0].id] = f"{coded(ast.unparse(one.value))} | {meaning}"
    table = "| Type | Definition | Meaning |\n|---|---|---|\n" + "\n".join(f"| `{name}` | {rows[name]} |" for name in TYPES)
    protocol = described("RobotController", swarmarium.RobotController)
    return f"## Types\n\nThe module `swarmarium` has them for annotations of your own code.\n\n{table}\n\n{protocol}"


def coded(text: str) -> str:
    """Code in a cell of a table; nothing for none."""
    return f"`{plain(text)}`".replace("|", "\\|") if text else ""


def returned(function: object) -> str:
    """The type that a function returns."""
    return str(inspect.signature(function).return_annotation)


def plain(annotation: str) -> str:
    """An annotation as readers know it."""
    annotation = re.sub(r"npt\.NDArray\[[^]]*\]|\bArray\b", "array", annotation).replace("npt.ArrayLike", "array")
    annotation = annotation.replace("os.PathLike[str]", "Path").replace("Unpack[", "").replace("Flags]", "Flags")
    return annotation.replace("'", '"')


def shown_default(value: object) -> str:
    """A default as code."""
    return str(value) if isinstance(value, enum.Enum) else repr(value).replace("'", '"')


def signature(name: str, function: object) -> str:
    """A function with its parameters, as a block of code that no test runs."""
    found = inspect.signature(function)
    parts, is_keyword_only = [], False
    for parameter in found.parameters.values():
        if parameter.name == "self":
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not is_keyword_only:
            is_keyword_only = True
            parts.append("*")
        stars = {parameter.VAR_KEYWORD: "**", parameter.VAR_POSITIONAL: "*"}.get(parameter.kind, "")
        text = stars + parameter.name
        if parameter.annotation is not parameter.empty:
            text += f": {plain(str(parameter.annotation))}"
        if parameter.default is not parameter.empty:
            text += f" = {shown_default(parameter.default)}"
        parts.append(text)
    returned = "" if found.return_annotation in (found.empty, "None", None) else f" -> {plain(str(found.return_annotation))}"
    text = f"{name}({', '.join(parts)}){returned}"
    if len(text) > 110:
        text = f"{name}(\n" + "".join(f"    {part},\n" for part in parts) + f"){returned}"
    return f"```python,no-run\n{text}\n```"


def prose(thing: object) -> str:
    """A docstring as Markdown: examples as blocks of code at the end, with a table of arguments."""
    text = inspect.cleandoc(thing.__doc__ or "")
    examples = re.findall(r"^>>>(?:.|\n)*?(?=\n\n|\Z)", text, re.M)
    text = re.sub(r"^>>>(?:.|\n)*?(?:\n\n|\Z)", "", text, flags=re.M).strip()
    text = text.replace("```python\n", "```python,no-run\n")
    text = re.sub(rf"see `({'|'.join(TYPES)})`", r"see [`\1`](#types)", text)
    blocks = "".join(f"\n\n```python,no-run\n{example}\n```" for example in examples)
    return (described_arguments(text).strip() + blocks).strip()


def described_arguments(text: str) -> str:
    """A docstring with a table of its arguments."""
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
        re.sub(r"^([\w.]+): ", r"`\1` ", " ".join(one.split())).removesuffix(".")
        for one in re.split(r"\n(?=    \S)", found[1].rstrip())
    ).lstrip() + ".\n", text)


def first(function: object) -> str:
    """A docstring in one line."""
    return " ".join(inspect.cleandoc(function.__doc__ or "").split())


def attributes(thing: type) -> dict[str, tuple[str, str, str]]:
    """The attributes that are described below their assignments, in the class or in its constructor, each with its type, its
    default in the class, and its description."""
    fields = dataclasses.fields(thing) if dataclasses.is_dataclass(thing) else ()
    found = {field.name: (str(field.type), "", "") for field in fields}
    body = ast.parse(textwrap.dedent(inspect.getsource(thing))).body[0].body
    bodies = [body] + [part.body for part in body if isinstance(part, ast.FunctionDef) and part.name == "__init__"]
    for one, note in (pair for lines in bodies for pair in itertools.pairwise(lines)):
        is_note = isinstance(note, ast.Expr) and isinstance(note.value, ast.Constant) and isinstance(note.value.value, str)
        if is_note and isinstance(one, (ast.Assign, ast.AnnAssign)):
            target = one.target if isinstance(one, ast.AnnAssign) else one.targets[0]
            kind = ast.unparse(one.annotation) if isinstance(one, ast.AnnAssign) else ""
            is_of_class = isinstance(target, ast.Name)
            default = ast.unparse(one.value) if is_of_class and one.value is not None else ""
            found[target.id if is_of_class else target.attr] = kind, default, " ".join(note.value.value.split())
    return {name: parts for name, parts in found.items() if not name.startswith("_")}


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
