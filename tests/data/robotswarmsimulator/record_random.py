#!/usr/bin/env python3
"""Makes random worlds of RobotSwarmSimulator, and records what that program makes of them.

    python3 record_random.py [THEME …]             writes random/THEME.jsonl, all themes without a name
    python3 record_random.py --compare PROGRAM …   runs Swarmarium on the recorded worlds and lists the differences
    python3 record_random.py --compare PROGRAM --first 1000 --count 100 …
                                                   the same for new worlds, from seed 1000 on

Recording needs Python 3.12, numpy 2.4 and RobotSwarmSimulator at commit 8b5cb2f:
pip install 'numpy==2.4.6' git+https://github.com/kenblu24/RobotSwarmSimulator@8b5cb2f

Each line of a file is a JSON object:
    seed      the seed of the generator
    world     the text of the world
    steps     the number of steps that were taken; fewer than `asked` where `stop_at` ended the run
    asked     the most steps
    poses     by step: [x, y, heading] of each agent
    readings  by step: what each agent reads with its fields of view, as a text of digits; only steps at which it changes
    metrics   by step: the value of each entry of `metrics`; null is not a value

The recorder changes two things that docs/reference/compatibility/robotswarmsimulator.md lists as deliberate differences: the
search tree in front of the field of view is off, and a `DiffDriveAgent` moves once per step. Worlds in which the program
raises an error are left out. Poses are written to eleven decimals."""

import argparse
import csv
import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile
import warnings

HERE = os.path.dirname(os.path.abspath(__file__))
MOST_STEPS = 120
RECORDED = (0, 1, 2, 3, 10, 40, 80, MOST_STEPS)


class Np(str):
    """An expression of `!np`."""


# --- Worlds -----------------------------------------------------------------------------------------------------------


def written(value):
    """A value in the flow style of YAML 1.1."""
    match value:
        case Np():
            return f'!np "{value}"' if set(value) & set("[]{},:#") else f"!np {value}"
        case None | True | False:
            return {None: "null", True: "true", False: "false"}[value]
        case dict():
            return "{" + ", ".join(f"{written(key)}: {written(item)}" for key, item in value.items()) + "}"
        case list() | tuple():
            return "[" + ", ".join(map(written, value)) + "]"
        case str() if re.fullmatch("[A-Za-z_]+", value) and value.lower() not in ("yes", "no", "on", "off", "y", "n"):
            return value
        case str():
            return json.dumps(value)
        case _:
            return repr(value)


def file_of(world):
    """The text of a world: one line for each key, and one for each entry of a list of classes."""
    lines = []
    for key, value in world.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            lines += [f"{key}:"] + [f"- {written(item)}" for item in value]
        else:
            lines.append(f"{key}: {written(value)}")
    return "\n".join(lines) + "\n"


class Maker:
    """Draws the parts of a world."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.chance = lambda probability: self.random.random() < probability
        self.one = self.random.choice
        self.whole = self.random.randint
        self.teams = self.random.sample(["red", "blue", "green", 1], self.whole(1, 3))

    def number(self, low, high, digits=2):
        return round(self.random.uniform(low, high), digits)

    def maybe(self, into, probability, **values):
        """Adds each value with a probability; a function is called for it."""
        for key, value in values.items():
            if self.chance(probability):
                into[key] = value() if callable(value) else value

    def point(self):
        return [self.number(1, 5), self.number(1, 5)]

    def motion(self):
        return [self.number(-0.2, 0.6), self.one([0, self.number(-1.5, 1.5)])]

    def team(self):
        return self.one(self.teams + [None])

    # Sensors.

    def view(self):
        sensor = {"type": "BinaryFOVSensor", "theta": self.number(0.05, 3.1), "distance": self.number(0.3, 3)}
        self.maybe(sensor, 0.3, bias=lambda: self.number(-2, 2), target_team=self.team)
        self.maybe(sensor, 0.2, invert=True, time_step_between_sensing=lambda: self.whole(1, 6))
        self.maybe(
            sensor, 0.2, false_positive=lambda: self.number(0, 0.5), false_negative=lambda: self.number(0, 0.5)
        )
        if self.chance(0.1):
            sensor |= {"theta": self.number(5, 170, 0), "degrees": True}
        return sensor

    def targeter(self, names, attribute="position"):
        sensor = {"type": "Targeter"}
        if attribute is not None:
            sensor["attribute"] = attribute
        self.maybe(
            sensor,
            0.5,
            target_mode=lambda: self.one(["closest", "furthest"]),
            hold=lambda: self.one(["alwaysretarget", "retargetonloss", "holdlost", "holdfirst"]),
        )
        self.maybe(sensor, 0.3, target_team=lambda: self.one(self.teams), target_name=lambda: self.one(names))
        self.maybe(sensor, 0.25, false_negative=lambda: self.number(0, 1), time_step_between_sensing=lambda: self.whole(1, 4))
        return sensor

    # Controllers.

    def pid(self, low, high, most):
        gains = {"p": self.number(low, high)}
        self.maybe(gains, 0.5, max=most, min=-most)
        self.maybe(gains, 0.1, i=0.3, imax=1)
        return gains

    def binary(self, views):
        controller = {"type": "BinaryController"}
        match self.whole(0, 2):
            case 0:
                controller |= {"a": self.motion(), "b": self.motion()}
            case 1:
                controller |= {"a": self.motion() + self.motion()}
            case _:
                controller |= {"a": [self.motion(), self.motion()]}
        self.maybe(controller, 0.3, sensor_id=lambda: self.one(views), sense_avg_time=lambda: self.whole(1, 7))
        controller.setdefault("sensor_id", views[0])
        return controller

    def bits(self, sensors):
        ids = self.random.sample(sensors, self.whole(1, min(len(sensors), 3)))
        outputs = [self.motion() for _ in range(2 ** len(ids))]
        if self.chance(0.5):
            outputs = dict(enumerate(outputs))
        return {"type": "MultibitBinaryController", "sensor_ids": ids, "outputs": outputs, "default_output": self.motion()}

    def waypoint(self, **target):
        return {
            "type": "WaypointPIDController",
            "speed_pid": self.pid(0.2, 2, 0.7),
            "steer_pid": self.pid(0.3, 4, 2),
            **target,
        }

    def controller(self, sensors, goes_to_points):
        """A controller for an agent with these sensors."""
        views = [place for place, sensor in enumerate(sensors) if sensor["type"] == "BinaryFOVSensor"]
        points, bits = [
            [place for place, sensor in enumerate(sensors) if sensor.get("attribute", sensor["type"]) in kind]
            for kind in (("position", "pos"), ("Targeter", "angle"))
        ]
        if points:
            return self.waypoint(sensor_id=self.one(points))
        if bits:
            return self.bits(bits + views)
        choices = [lambda: {"type": "StaticController", "output": self.motion()}]
        if views:
            choices += [lambda: self.binary(views), lambda: self.binary(views), lambda: self.bits(views)]
            if views[0] == 0:
                choices.append(lambda: {"type": "Controller", "controller": self.motion() + self.motion()})
        elif goes_to_points and self.chance(0.5):
            goal = self.point()
            return self.waypoint(static_waypoint=Np(f"array([{goal[0]}, {goal[1]}])"))
        return self.one(choices)()

    # Agents.

    def collides(self):
        return self.one(["DetectAndCorrect", 3, "Detect", 1, True, "Disabled", 0, False])

    def robot(self, names=("a",), targeters=0.15):
        robot = {"type": "MazeAgent", "position": self.point(), "agent_radius": self.number(0.05, 0.25)}
        self.maybe(robot, 0.6, angle=lambda: self.number(-4, 7), team=self.team)
        self.maybe(robot, 0.3, name=lambda: self.one(names))
        self.maybe(robot, 0.15, collides=self.collides, delay=lambda: self.whole(1, 6))
        if self.chance(0.1):
            robot |= {"type": "DiffDriveAgent", "wheel_radius": self.number(0.02, 0.5)}
            # Waypoints on wheels are a known difference: a few are enough.
            targeters = targeters if self.chance(0.05) else 0
        elif self.chance(0.1):
            robot["idiosyncrasies"] = {"mean": [self.number(0.5, 1.5), self.number(0.5, 1.5)], "sd": [0, 0]}
        if self.chance(0.1):
            # The default radius of half a metre.
            del robot["agent_radius"]
        sensors = [self.view() for _ in range(self.one([0, 1, 1, 1, 2, 3]))]
        if self.chance(targeters):
            attribute = "angle" if self.chance(0.04) else self.one(["position", "position", "pos", None])
            sensors.insert(self.whole(0, len(sensors)), self.targeter(names, attribute))
        if sensors:
            robot["sensors"] = sensors
            self.maybe(robot, 0.1, track_io=True)
        # Without an effect there.
        self.maybe(robot, 0.1, stop_on_collision=True, body_color="Random", trace_length=5)
        if self.chance(0.95):
            robot["controller"] = self.controller(sensors, robot["type"] == "MazeAgent" or self.chance(0.05))
        return robot

    def fixture(self, names=("a",)):
        """An agent that does not move."""
        kind = self.one(["StaticAgent", "StaticAgent", "DetectionRegion", "StaticObject"])
        fixture = {"type": kind, "position": self.point(), "agent_radius": self.number(0.1, 0.6)}
        self.maybe(fixture, 0.4, team=self.team, name=lambda: self.one(names), collides=self.collides)
        if kind == "DetectionRegion":
            self.maybe(fixture, 0.5, target_teams=lambda: self.random.sample(self.teams, 1))
        return fixture

    def scenery(self, names):
        """An entry of `objects`."""
        thing = self.fixture(names)
        if thing["type"] == "StaticAgent":
            thing["type"] = "StaticObject"
        if thing["type"] == "StaticObject" and self.chance(0.4):
            width, height = self.number(0.2, 2), self.number(0.2, 2)
            thing["points"] = [[0, 0], [width, 0], [width, height], [0, height]]
        return thing

    # Spawners.

    def spawner(self, most, names=("a",), crowded=0.3, targeters=0.15):
        agent = self.robot(names, targeters) if self.chance(0.9) else self.fixture(names)
        spawner = {"n": self.whole(1, most), "agent": agent}
        kind = self.one(["Point", "Uniform", "UniformCircle", "Donut"])
        spawner = {"type": f"{kind}AgentSpawner"} | spawner
        size = self.number(0.1, 0.5) if self.chance(crowded) else self.number(0.5, 2)
        center = self.point()
        if kind == "Uniform":
            (x, y), (right, top) = center, (round(center[0] + size, 2), round(center[1] + size, 2))
            corners = [[x, y], [right, top]] if self.chance(0.7) else [[x, y], [right, y], [right, top], [x, top]]
            spawner["region"] = corners
            del agent["position"]
        elif kind == "UniformCircle":
            spawner |= {"center": center, "radius": size}
        elif kind == "Donut":
            spawner |= {"center": center, "inner_radius": size, "outer_radius": round(size * 1.5, 2)}
        self.maybe(spawner, 0.6, avoid_overlap=True)
        facings = ["towards", "away", "random", self.number(-3, 3), [self.number(-3, 3)], self.point()]
        self.maybe(spawner, 0.7, facing=lambda: self.one(facings))
        if self.chance(0.1):
            spawner["facing"] = spawner["agent"].get("position", [3, 3])
        self.maybe(spawner, 0.1, mode="oneshot")
        if self.chance(0.05):
            del spawner["n"]
        return spawner

    # Metrics.

    def metric(self, robots, named):
        """A metric that needs no other class, for this number of robots, of which some have names."""
        scale = {"scale": self.number(0.5, 2)} if self.chance(0.3) else {}
        flag = {"regularize": self.chance(0.5)} if self.chance(0.3) else {}
        plain = [
            {"type": "AverageSpeedBehavior"},
            {"type": "AngularMomentumBehavior"},
            {"type": "GroupRotationBehavior"},
            {"type": "RadialVarianceMetric", **flag},
            {"type": "ScatterBehavior", **flag},
            {"type": "Fatness", **scale},
            {"type": "Fatness2", **scale},
            {"type": "Tangentness", **scale},
            {"type": "Circliness"} | ({"avg_history_max": self.whole(1, 40)} if self.chance(0.5) else {}),
            {"type": "RoutRin", **scale},
            {"type": "ExplodingDispersion", **scale},
            {"type": "InteragentDispersion", **scale},
            {"type": "DistanceSizeRatio", **flag},
            {"type": "TotalCollisionsBehavior"},
            {"type": "EntityLen", "target_name": self.one(["population", "metrics"])},
            self.finder(),
            self.finder(),
            {"type": "AgentsAtGoal"},
        ]
        if named:
            plain.append({"type": "EntityLen", "target_name": self.one(named), "attribute": "collided"})
        if robots > 1:
            plain.append({"type": "Aggregation"})
        if robots > 3:
            fits = ["HyperLSQ", "Riemann", "PrattSVD", "TaubinSVD", "HyperSVD", "KMH"]
            plain += [{"type": "DelaunayDiffusion"}, {"type": f"Instant{self.one(fits)}Circularity"}]
        return self.one(plain)

    def finder(self):
        finder = {"type": "AnyAgent", "expression": self.agent_expression()}
        self.maybe(
            finder,
            0.3,
            include_teams=lambda: self.random.sample(self.teams, 1),
            exclude_names=lambda: [self.one(["a", "b"])],
            default=lambda: self.number(-2, 2),
            value_on_found=lambda: self.one(["expression", self.number(1, 9), True]),
        )
        return finder

    def agent_expression(self):
        return self.one(
            [
                f"agent.pos[0] > {self.number(1, 6)}",
                f"agent.pos[1] < {self.number(1, 6)} and agent.radius < 0.2",
                "agent.collision_flag",
                f"agent.angle > {self.number(-1, 4)}",
                "agent.dead",
                f"agent.team == '{self.one([team for team in self.teams if team != 1] or ['red'])}'",
            ]
        )

    def any_metric(self, robots, named):
        if self.chance(0.65):
            return self.metric(robots, named)
        numbers = ["ScatterBehavior", "AverageSpeedBehavior", "ExplodingDispersion", "RadialVarianceMetric"]
        inner = {"type": self.one(numbers)}
        return self.one(
            [
                {"type": "StepsUntil", "metric": inner, "until_expression": f"metric.value > {self.number(0, 0.5, 3)}"},
                {"type": "StepsUntil", "metric": {"type": "AnyAgent", "expression": self.agent_expression()}},
                {"type": "AndMetrics", "metrics": [inner, {"type": "AverageSpeedBehavior"}]},
                {
                    "type": "JinjaMetric",
                    "metrics": [inner],
                    "template": "{% set twice = 2 * metrics[0].value %}",
                    "expression": f"twice + {self.number(0, 1)}",
                },
                {"type": "JinjaMetric", "metric": inner, "expression": "metric.value > 0.1"},
                {
                    "type": "JinjaMetric",
                    "metric": inner,
                    "expression": f"metric.value * 2 if world.total_steps % {self.whole(2, 9)} else {self.number(-1, 1)}",
                    "save_condition": f"world.total_steps > {self.whole(0, 20)}",
                },
                {
                    "type": "JinjaMetric",
                    "metric": inner,
                    "expression": "[metric.value, world.population|length]|max",
                    "eval_condition": f"world.total_steps is {self.one(['odd', 'even'])}",
                    "default": self.one([0, 1.5, None]),
                },
                {"type": "StepsUntil", "metric": {"type": "EntityLen", "target_name": "population"}, "sentinel": self.whole(1, 4)},
                {"type": "StepsUntil", "metric": inner, "until_expression": "world.total_steps > 7", "default": -1},
            ]
        )

    def stop(self, metrics):
        choices = [
            self.whole(0, MOST_STEPS - 1),
            f"world.total_steps >= {self.whole(0, MOST_STEPS)}",
            f"world.total_steps * world.dt > {self.number(0, 3)}",
            f"world.population[0].pos[0] > {self.number(1, 6)}",
            f"world.population|length > 2 and world.total_steps > {self.whole(0, 60)}",
        ]
        numbers = [place for place, metric in enumerate(metrics) if metric["type"] in ("ScatterBehavior", "TotalCollisionsBehavior")]
        if numbers:
            # Before the first step, the metric has no value, with which Python does not compare.
            choices.append(f"world.total_steps > 0 and world.metrics[{self.one(numbers)}].value > {self.number(0, 0.5, 3)}")
        return self.one(choices)


def world_of(theme, seed):
    """A random world of a theme."""
    make = Maker(f"{theme} {seed}")
    names = ["a", "b", "goal", "1"]
    world = {"type": "RectangularWorld", "size": [make.number(4, 10), make.number(4, 10)], "seed": make.whole(0, 2**31)}
    make.maybe(world, 0.8, time_step=lambda: make.one([0.025, 0.05, 0.1, Np("1 / 40"), Np("1 / 30")]))
    agents, spawners, objects = [], [], []
    match theme:
        case "mixed":
            agents = [make.robot(names) if make.chance(0.8) else make.fixture(names) for _ in range(make.whole(0, 5))]
            spawners = [make.spawner(3, names) for _ in range(make.whole(0 if agents else 1, 2))]
        case "targets":
            agents = [make.robot(names, 0.5) for _ in range(make.whole(1, 5))]
            spawners = [make.spawner(3, names, targeters=0.5) for _ in range(make.whole(0, 1))]
        case "spawned":
            spawners = [make.spawner(10, names, crowded=0.6)]
            spawners[0] |= {"n": make.whole(6, 10)}
        case "catastrophes":
            agents = [make.robot(names) for _ in range(make.whole(0, 4))]
            spawners = [make.spawner(6, names, crowded=0.5)]
            for agent in agents + [spawners[0]["agent"]]:
                if agent["type"] in ("MazeAgent", "DiffDriveAgent"):
                    make.maybe(agent, 0.7, catastrophic_collisions=True)
        case "one_robot":
            agents = [make.robot(names)]
    robots = len(agents) + sum(spawner.get("n", 1) for spawner in spawners)
    if make.chance(0.25):
        objects = [make.scenery(names) for _ in range(make.whole(1, 3))]
        world["collide_walls"] = False
    movers = [agent for agent in agents + [spawner["agent"] for spawner in spawners] if agent["type"] == "MazeAgent"]
    named = sorted({agent["name"] for agent in movers if "name" in agent})
    metrics = [make.any_metric(robots, named) for _ in range(make.one([0, 1, 2, 4, 6]))]
    if objects:
        # There, an object that `AnyAgent` finds would count.
        metrics = [metric for metric in metrics if "AnyAgent" not in written(metric)]
    if make.chance(0.3):
        world["stop_at"] = make.stop(metrics)
    for key, value in (("agents", agents), ("spawners", spawners), ("objects", objects), ("metrics", metrics)):
        if value:
            world[key] = value
    return file_of(world)


# Each theme with its number of worlds.
THEMES = {"mixed": 110, "targets": 60, "spawned": 60, "catastrophes": 50, "one_robot": 40}


# --- The real program -------------------------------------------------------------------------------------------------


def prepare():
    """Loads RobotSwarmSimulator, with the documented differences."""
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    warnings.simplefilter("ignore")
    from swarmsim.agent.DiffDriveAgent import DifferentialDriveAgent
    from swarmsim.agent.MazeAgent import MazeAgent
    from swarmsim.agent.StaticAgent import StaticAgent
    from swarmsim.sensors import BinaryFOVSensor
    from swarmsim.world.RectangularWorld import RectangularWorld

    source = open(sys.modules["swarmsim.sensors.BinaryFOVSensor"].__file__).read()
    if "distances < self.r + " not in source.replace("(", "").replace(")", "") and "radii" not in source:
        sys.exit("This RobotSwarmSimulator is older than commit 8b5cb2f: its field of view measures another distance.")

    def no_tree(world):
        world.quad = None

    RectangularWorld.update_quadtree = no_tree
    step = MazeAgent.step

    def step_once(agent, world=None, **others):
        if isinstance(agent, DifferentialDriveAgent):
            return StaticAgent.step(agent, world)
        return step(agent, world, **others)

    MazeAgent.step = step_once


def value_of(metric, world):
    """The value of a metric as a number; of an agent, its place in the population."""
    value = metric.value
    if value is None:
        return None
    for place, agent in enumerate(world.population):
        if value is agent:
            return place
    value = float(value)
    return round(value, 11) if math.isfinite(value) else None


def readings_of(world):
    digits = []
    for agent in world.population:
        views = [sensor for sensor in agent.sensors if type(sensor).__name__ == "BinaryFOVSensor"]
        digits.append("".join(str(int(sensor.current_state)) for sensor in views))
    return " ".join(digits)


def record(theme, seed):
    """The line of a world; `None` if the program raises an error."""
    from swarmsim.world.RectangularWorld import RectangularWorld
    from swarmsim.world.World import config_from_yaml

    text = world_of(theme, seed)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "world.yaml")
        with open(path, "w") as file:
            file.write(text)
        try:
            world = RectangularWorld(config_from_yaml(path))
            listed, depth, add = [], [0], world.add_metric

            def add_metric(config, add_to_world=True):
                # Metrics within others are not of the list.
                depth[0] += 1
                metric = add(config, add_to_world)
                depth[0] -= 1
                if not depth[0]:
                    listed.append(metric)
                return metric

            world.add_metric = add_metric
            world.setup()
            poses, readings, metrics, before = {}, {}, {}, None
            for step in range(MOST_STEPS + 1):
                if step:
                    world.step()
                now = readings_of(world)
                if now != before:
                    readings[step] = before = now
                ends = bool(world.check_stop_at()) or step == MOST_STEPS
                if step in RECORDED or ends:
                    poses[step] = [[round(float(v), 11) for v in (*agent.pos, agent.angle)] for agent in world.population]
                    if listed and step:
                        metrics[step] = [value_of(metric, world) for metric in listed]
                if ends:
                    break
        except Exception as error:
            return None, f"{type(error).__name__}: {error}"
    if not all(math.isfinite(v) and abs(v) < 1e6 for rows in poses.values() for row in rows for v in row):
        return None, "not finite"
    line = {"seed": seed, "world": text, "steps": step, "asked": MOST_STEPS}
    line |= {"poses": poses, "readings": readings, "metrics": metrics}
    return json.loads(json.dumps(line)), None


# --- Swarmarium -------------------------------------------------------------------------------------------------------


def number(text):
    return math.nan if text is None or str(text).lower() in ("", "nan") else float({"true": 1, "false": 0}.get(text, text))


def same(ours, theirs, within=1e-9):
    return (math.isnan(ours) and math.isnan(theirs)) or abs(ours - theirs) <= within * max(1, abs(theirs))


def difference(line, program):
    """The first difference between a recorded world and what Swarmarium makes of it."""
    with tempfile.TemporaryDirectory() as folder:
        path, out = os.path.join(folder, "world.yaml"), os.path.join(folder, "out")
        with open(path, "w") as file:
            file.write(line["world"])
        command = [program, "run", path, "--trace", "-q", "-o", out]
        if not re.search(r"^stop_at: \d", line["world"], re.MULTILINE):
            # `--steps` replaces a number of steps.
            command += ["--steps", str(line["asked"])]
        ran = subprocess.run(command, capture_output=True, text=True)
        if ran.returncode:
            return "refused: " + ran.stderr.strip()[-300:]
        steps = json.load(open(out + "/manifest.json"))["steps"]
        rows = {}
        for row in csv.DictReader(open(out + "/trace.csv")):
            rows.setdefault(int(row["step"]), []).append(row)
        columns = list(csv.DictReader(open(out + "/metrics.csv")))
        warned = "".join(f" ({text})" for text in ran.stderr.strip().splitlines()[:2])
    for step, recorded in line["poses"].items():
        for place, (pose, row) in enumerate(zip(recorded, rows.get(int(step), []))):
            found = [float(row[name]) for name in ("x_m", "y_m", "heading_rad")]
            if not all(map(same, found, pose)):
                return f"step {step}: agent {place} is at {found}, not at {pose}{warned}"
    if steps != line["steps"]:
        return f"{steps} steps, not {line['steps']}{warned}"
    found = {}
    for metric in columns:
        for name, value in metric.items():
            if name not in ("step", "t_s"):
                found.setdefault(name, {})[metric["step"]] = number(value)
    names, place = list(found), 0
    recorded = line["metrics"]
    entries = line["world"].partition("\nmetrics:\n")[2].splitlines()
    for index in range(len(next(iter(recorded.values()), []))):
        # The bisection of this fit ends earlier there.
        within = 1e-7 if "KMH" in entries[index] else 1e-9
        theirs = {step: number(values[index]) for step, values in recorded.items()}
        fits = [
            at
            for at in range(place, len(names))
            if all(same(found[names[at]].get(step, math.nan), value, within) for step, value in theirs.items())
        ]
        if not fits:
            columns = {name: [found[name].get(step) for step in theirs] for name in names[place:]}
            return f"metric {index}: {theirs} expected, found {columns}{warned}"
        place = fits[0] + 1
    return None


def recorded(theme):
    with open(os.path.join(HERE, "random", f"{theme}.jsonl")) as file:
        yield from map(json.loads, file)


def new_worlds(theme, first, count):
    """Worlds that the real program runs, from a seed on; it says which errors the others raise."""
    errors, seed = {}, first
    while count:
        line, error = record(theme, seed)
        seed += 1
        if error:
            errors.setdefault(error[:70], []).append(seed)
            continue
        count -= 1
        yield line
    print(f"{theme}: errors {({error: len(seeds) for error, seeds in errors.items()})}", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("themes", nargs="*")
    parser.add_argument("--compare", metavar="PROGRAM")
    parser.add_argument("--first", type=int)
    parser.add_argument("--count", type=int)
    options = parser.parse_args()
    is_new = options.first is not None or not options.compare
    if is_new:
        prepare()
    for theme in options.themes or THEMES:
        worlds = new_worlds(theme, options.first or 0, options.count or THEMES[theme]) if is_new else recorded(theme)
        if options.compare:
            found = [(line["seed"], difference(line, options.compare)) for line in worlds]
            for seed, text in found:
                if text:
                    print(f"{theme} {seed}: {text}", flush=True)
            print(f"{theme}: {sum(bool(text) for _, text in found)} of {len(found)} worlds differ", file=sys.stderr)
        else:
            with open(os.path.join(HERE, "random", f"{theme}.jsonl"), "w") as file:
                file.writelines(json.dumps(line, separators=(",", ":")) + "\n" for line in worlds)


if __name__ == "__main__":
    main()
