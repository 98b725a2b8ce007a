"""Classes as users of RobotSwarmSimulator write them, for `record.py` and for the tests."""

import math

import numpy as np
from swarmsim.agent.MazeAgent import MazeAgent
from swarmsim.agent.control.AbstractController import AbstractController
from swarmsim.agent.control.BinaryController import BinaryController
from swarmsim.agent.control.StaticController import StaticController
from swarmsim.agent.control.WaypointPIDController import WaypointPIDController
from swarmsim.config import register_dictlike_type
from swarmsim.sensors.AbstractSensor import AbstractSensor
from swarmsim.sensors.BinaryFOVSensor import BinaryFOVSensor
from swarmsim.sensors.Sensor import Sensor
from swarmsim.util.pid import PID
from swarmsim.util.statistics_tools import Average, Delay, constrain, fmap


class BearingSensor(AbstractSensor):
    """The direction of a point."""

    def __init__(self, agent=None, parent=None, target=(0, 0), **kwargs):
        super().__init__(agent, parent, **kwargs)
        self.target = target

    def step(self, world):
        super().step(world)
        x, y = self.agent.pos
        bearing = math.atan2(self.target[1] - y, self.target[0] - x) - self.agent.angle
        self.current_state = math.atan2(math.sin(bearing), math.cos(bearing))


class NearestSensor(Sensor):
    """The distance of the nearest other robot."""

    config_vars = Sensor.config_vars + ["reach"]

    def __init__(self, agent=None, parent=None, reach=9.0, **kwargs):
        super().__init__(agent=agent, parent=parent, **kwargs)
        self.reach = reach

    def step(self, world):
        others = [one for one in world.population if one is not self.agent]
        self.current_state = min((np.linalg.norm(one.pos - self.position) for one in others), default=self.reach)


class CloseSensor(Sensor):
    """Whether another robot is near: for controllers of the program."""

    def __init__(self, agent=None, parent=None, reach=1.0, **kwargs):
        super().__init__(agent=agent, parent=parent, **kwargs)
        self.reach = reach

    def step(self, world):
        near = world.getNeighborsWithinDistance(self.agent.getPosition(), self.reach, excluded=self.agent)
        self.current_state = int(len(near) > 0)


class NoisySensor(Sensor):
    """A position with errors, from the random numbers of the sensor."""

    def __init__(self, agent=None, parent=None, sd=0.1, **kwargs):
        super().__init__(agent=agent, parent=parent, **kwargs)
        self.sd = sd

    def step(self, world):
        self.current_state = self.agent.getPosition() + self.rng.normal(0, self.sd, 2)


class WideSensor(BinaryFOVSensor):
    """A field of view that counts its detections."""

    def __init__(self, agent=None, parent=None, **kwargs):
        super().__init__(agent=agent, parent=parent, **kwargs)
        self.seen = 0

    def determineState(self, real_value, agent, world=None):
        super().determineState(real_value, agent, world)
        self.seen += self.current_state


class CountSensor(Sensor):
    """How many robots of another team are near, and how many objects."""

    def step(self, world):
        foes = sum(
            one.team != self.agent.team and math.dist(one.position, self.agent.position) < 1.5
            for one in world.population
            if one is not self.agent
        )
        walls = sum(math.dist(one.pos, self.agent.pos) < one.radius + 1.0 for one in world.objects)
        self.current_state = (foes, walls)


class SteerController(AbstractController):
    """Turns by its first sensor."""

    def __init__(self, agent=None, parent=None, speed=1.0, gain=1.0):
        super().__init__(agent, parent)
        self.speed, self.gain = speed, gain

    def get_actions(self, agent):
        return self.speed, self.gain * agent.sensors[0].current_state


class FlockController(AbstractController):
    """Steers to the middle of the others, and along their mean heading: it looks at all robots."""

    def __init__(self, agent=None, parent=None, speed=0.2, reach=2.0):
        super().__init__(agent=agent, parent=parent)
        self.speed, self.reach = speed, reach

    def get_actions(self, agent):
        others = [one for one in agent.world.population if one is not agent]
        near = [one for one in others if np.linalg.norm(one.getPosition() - agent.getPosition()) < self.reach]
        if not near:
            return self.speed, 0.3
        middle = np.mean([one.pos for one in near], axis=0) - agent.pos
        heading = math.atan2(*np.mean([one.orientation_uvec() for one in near], axis=0)[::-1])
        wanted = 0.5 * math.atan2(middle[1], middle[0]) + 0.5 * heading
        error = math.atan2(math.sin(wanted - agent.angle), math.cos(wanted - agent.angle))
        return self.speed, constrain(2 * error, -1.0, 1.0)


class BounceController(AbstractController):
    """Backs up for some steps after a contact."""

    def __init__(self, agent=None, parent=None, steps=5):
        super().__init__(agent=agent, parent=parent)
        self.steps, self.left = steps, 0

    def get_actions(self, agent):
        if agent.collision_flag:
            self.left = self.steps
        self.left -= 1
        return (-0.3, 0.8) if self.left >= 0 else (0.4, 0.0)


class WanderController(AbstractController):
    """Turns at random, from the random numbers of the robot."""

    def __init__(self, agent=None, parent=None, speed=0.2):
        super().__init__(agent=agent, parent=parent)
        self.speed = speed

    def get_actions(self, agent):
        return self.speed, agent.rng.uniform(-1, 1)


class WorldRandomController(AbstractController):
    """Turns at random, from the random numbers of the world."""

    def get_actions(self, agent):
        return 0.2, agent.world.rng.normal(0.0, 0.7)


class SlowBinaryController(BinaryController):
    """A binary controller that gets slower with every step."""

    def __init__(self, a, b, agent=None, parent=None, decay=0.99, **kwargs):
        super().__init__(a, b, agent=agent, parent=parent, **kwargs)
        self.decay, self.factor = decay, 1.0

    def get_actions(self, agent):
        self.factor *= self.decay
        v, w = super().get_actions(agent)
        return v * self.factor, w


class SpiralController(StaticController):
    """A static controller whose turn depends on the time."""

    def get_actions(self, agent):
        v, w = super().get_actions(agent)
        return v, w / (1 + agent.world.total_steps * agent.dt)


class PatrolController(WaypointPIDController):
    """Drives from corner to corner of the world."""

    def __init__(self, agent=None, parent=None, **kwargs):
        super().__init__(agent=agent, parent=parent, static_waypoint=np.zeros(2), **kwargs)
        width, height = agent.world.config.size
        self.corners = [np.array(corner) for corner in ((1, 1), (width - 1, 1), (width - 1, height - 1), (1, height - 1))]
        self.next = 0

    def get_actions(self, agent):
        self.static_waypoint = self.corners[self.next]
        if np.linalg.norm(self.static_waypoint - agent.pos) < 3 * agent.radius:
            self.next = (self.next + 1) % 4
        return super().get_actions(agent)


class ChaseController(WaypointPIDController):
    """Follows what its targeter finds; without a target, it turns on the spot."""

    def get_actions(self, agent):
        if agent.sensors[self.sensor_id].current_state is None:
            return 0.0, 0.5
        return super().get_actions(agent)


class TargetController(AbstractController):
    """Follows the robot that a targeter without an attribute finds."""

    def get_actions(self, agent):
        target = agent.sensors[0].current_state
        if target is None:
            return 0.0, 0.0
        way = target.pos - agent.pos
        error = math.atan2(way[1], way[0]) - agent.angle
        return min(0.3, np.linalg.norm(way)), 1.5 * math.atan2(math.sin(error), math.cos(error))


class SmoothController(AbstractController):
    """Filters its readings."""

    def __init__(self, agent=None, parent=None, window=7):
        super().__init__(agent=agent, parent=parent)
        self.mean, self.late, self.pid = Average(window), Delay(3), PID(p=1.2, min=-0.8, max=0.8)

    def get_actions(self, agent):
        near = self.mean(agent.sensors[0].get_state())
        late = self.late(float(near))
        turn = self.pid(late - 1.0)
        return fmap(constrain(late, 0.0, 3.0), 0.0, 3.0, 0.05, 0.3), turn if near else -turn


class SpeedController(AbstractController):
    """Uses how far the robot has come in the last step."""

    def get_actions(self, agent):
        moved = np.linalg.norm(agent.dpos) / agent.dt
        return 0.05 + 0.9 * moved if moved < 0.25 else 0.0, 0.4 + agent.dtheta


class TeamController(AbstractController):
    """Flees from robots of other teams, slower near objects."""

    def get_actions(self, agent):
        foes, walls = agent.sensors[0].current_state or (0, 0)
        limit = agent.world.meta["limits"]["speed"]
        return limit / (1 + walls), 0.6 * foes - 0.2


class TwoSensorsController(AbstractController):
    """Uses a sensor of the program and one of its own."""

    def get_actions(self, agent):
        fov, bearing = agent.sensors
        return (0.05 if fov.current_state else 0.25), bearing.current_state


class HomeController(AbstractController):
    """Remembers things on the robot, and returns to where it began."""

    def __init__(self, agent=None, parent=None):
        super().__init__(agent=agent, parent=parent)
        agent.home = agent.pos.copy()
        agent.trips = 0

    def get_actions(self, agent):
        way = agent.home - agent.position
        if np.linalg.norm(way) > 1.0:
            agent.trips += 1
        agent.body_color = (255, 0, 0) if agent.trips else (0, 255, 0)
        error = math.atan2(way[1], way[0]) - agent.get_heading()
        turn = math.atan2(math.sin(error), math.cos(error)) if agent.trips % 60 > 0 else 0.1
        return 0.3, turn

class SightController(AbstractController):
    """Uses what its field of view has in sight: its name, distance and class."""

    def __init__(self, agent=None, parent=None):
        super().__init__(agent=agent, parent=parent)
        self.names = set()

    def get_actions(self, agent):
        eye = next(one for one in agent.get_sensors() if isinstance(one, BinaryFOVSensor))
        other = eye.agent_in_sight
        if other is None:
            return 0.1, 0.5
        assert isinstance(other, MazeAgent) and eye.get_state() == eye.current_state == 1
        self.names.add(other.name)
        way = other.getPosition() - agent.getPosition()
        return min(0.3, np.linalg.norm(way) / (1 + len(self.names))), 0.3 * eye.theta - 0.2 * eye.bias


class MeetController(AbstractController):
    """Looks at the sensors, controllers and memories of others."""

    def __init__(self, agent=None, parent=None, kind="a"):
        super().__init__(agent=agent, parent=parent)
        self.kind, self.count = kind, 0

    def get_actions(self, agent):
        self.count += 1
        others = [one for one in self.agent.world.population if one is not self.parent]
        same = [one for one in others if getattr(one.controller, "kind", None) == self.kind]
        seen = sum(one.sensors[0].current_state for one in same)
        ahead = agent.getFrontalPoint() - agent.pos
        wide = agent.getVelocity() @ ahead / agent.dt
        return 0.1 + 0.1 * len(same) - 0.2 * wide, 0.2 * seen - 0.1 + 0.01 * (self.count % 5)


class GoalController(AbstractController):
    """Drives to the objects of the world one after another; goals come first."""

    def __init__(self, agent=None, parent=None):
        super().__init__(agent=agent, parent=parent)
        self.next = 0

    def get_actions(self, agent):
        world = agent.world
        places = [*world.goals, *world.objects]
        place = places[self.next % len(places)]
        way = place.pos - agent.pos
        if math.hypot(*way) < place.radius + agent.radius:
            self.next += 1
        error = math.atan2(way[1], way[0]) - agent.angle
        slow = 0.5 if any(one.collision_flag for one in world.objects if one.name == "area") else 1.0
        return 0.4 * slow, 2 * math.atan2(math.sin(error), math.cos(error))


class FragileController(AbstractController):
    """Drives ahead; the robots that are left turn away from the dead ones."""

    def get_actions(self, agent):
        dead = [one for one in agent.world.population if one.dead]
        return 0.3, 0.4 * len(dead) * (-1 if agent.name == "1" else 1)


class OldFileController(AbstractController):
    """Uses the description of its agent and of the world."""

    def get_actions(self, agent):
        config, world = agent.config, agent.world
        assert config.position is not None and world.config.seed == world.seed
        speed = config.agent_radius * 2 + world.config.time_step + agent.world.config.radius / 100
        return speed, 0.1 * len(agent.sensors) + (0.3 if agent.team == config.team == "red" else -0.3)


class GustSensor(AbstractSensor):
    """A disturbance that is the same for all robots in a step, from the random numbers of the world."""

    last = (None, 0.0)

    def step(self, world):
        kind = type(self)
        if kind.last[0] != world.total_steps:
            kind.last = (world.total_steps, world.rng.uniform(-1, 1))
        self.current_state = kind.last[1]


class TurnSensor(Sensor):
    """How the robot has turned and moved in the last step, and whether it was pushed."""

    def __init__(self, agent=None, parent=None, weight=1.0, **kwargs):
        super().__init__(agent=agent, parent=parent, **kwargs)
        self.weight = weight
        self.before = None

    def step(self, world):
        if self.before is None:
            self.before = self.agent.angle
        turned, self.before = self.agent.angle - self.before, self.agent.angle
        moved = float(np.linalg.norm(self.agent.dpos)) / world.dt
        self.current_state = self.weight * (moved - 3 * turned + 0.5 * self.agent.collision_flag)


class MemorySensor(Sensor):
    """A sensor that senses every few steps, and reads other sensors of its robot."""

    def __init__(self, agent=None, parent=None, every=4, **kwargs):
        super().__init__(agent=agent, parent=parent, **kwargs)
        self.every, self.steps, self.detections = every, 0, 0

    def step(self, world):
        self.steps += 1
        self.detections += self.agent.sensors[0].current_state
        if self.steps % self.every == 0:
            self.current_state, self.detections = self.detections / self.every, 0


for kind, classes in {
    "sensors": (BearingSensor, NearestSensor, CloseSensor, NoisySensor, WideSensor, CountSensor, GustSensor, TurnSensor, MemorySensor),
    "controller": (
        SteerController,
        FlockController,
        BounceController,
        WanderController,
        WorldRandomController,
        SlowBinaryController,
        SpiralController,
        PatrolController,
        ChaseController,
        TargetController,
        SmoothController,
        SpeedController,
        TeamController,
        TwoSensorsController,
        HomeController,
        SightController,
        MeetController,
        GoalController,
        FragileController,
        OldFileController,
    ),
}.items():
    for one in classes:
        register_dictlike_type(kind, one.__name__, one)
