#!/usr/bin/env python3
"""What MORSE's own tests expect of ground robots, tried with pymorse on equal scenes.

  pip install pymorse==1.4;  python3 rows.py path/to/swarmarium [NAME…]

Each row writes a scene, serves it, and leads it with pymorse. Expectations and tolerances are those of MORSE's tests.
Exit status 0 iff all rows pass.
"""
import json, math, os, random, socket, subprocess, sys, tempfile, time, warnings

warnings.simplefilter("ignore")
import pymorse
from pymorse import Morse, MorseServiceFailed, MorseServicePreempted

pymorse.Morse.get_publisher_streams = lambda self: iter(())
PI = math.pi
BOTH = "links: [Stream(), Services()]"
ATRV = "body: Polygon(corners_m: [(0.57, 0.335), (-0.57, 0.335), (-0.57, -0.335), (0.57, -0.335)]), motion: Holonomic()"
ROWS = {}
SPEED = 4.0


def row(function):
    ROWS[function.__name__] = function
    return function


def group(name, at=(0.0, 0.0, 0.0), sensors="", actuators="", z=0.1, more=""):
    return (
        f'(name: "{name}", at: [({at[0]}, {at[1]}, {at[2]})], attitude: (z_m: {z}), {ATRV}, sensors: [{sensors}], '
        f"controller: External(actuators: [{actuators}]), {more})"
    )


def scene(groups, objects="", time="", top=""):
    return (
        f"Scene(name: \"row\", arena: (corner_m: (-50, -50), size_m: (100, 100)), "
        f"time: (dt_s: {1 / 60!r}, epoch: Unix, {time}), sockets: (services: 4000, streams: 60000), {top} "
        f"groups: [{', '.join(groups)}], objects: [{objects}])"
    )


BOXES = ", ".join(
    f'Polygon(name: "{n}", corners_m: [({x - .5}, {y - .5}), ({x + .5}, {y - .5}), ({x + .5}, {y + .5}), ({x - .5}, {y + .5})])'
    for n, x, y in (("RedBox", -7.5, 0.0), ("GreenBox", -6.5, 6.0), ("BlueBox", -3.5, -3.0))
)


class Served:
    """A scene that is served, and a client of it."""

    def __init__(self, text, speed=None, extra=()):
        self.file = tempfile.NamedTemporaryFile("w", suffix=".ron", delete=False)
        self.file.write(text)
        self.file.close()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        command = [BINARY, "serve", self.file.name, "--port", str(self.port), "--speed", str(speed or SPEED), *extra]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if "SCENE INITIALIZED" not in line:
            raise RuntimeError(self.process.stderr.read() or line)

    def __enter__(self):
        self.client = Morse("localhost", self.port)
        return self.client

    def __exit__(self, *_):
        try:
            self.client.close()
        except Exception:
            pass
        self.process.terminate()
        self.process.wait(10)
        os.unlink(self.file.name)


def near(got, wanted, tolerance, what=""):
    if not abs(got - wanted) <= tolerance:
        raise AssertionError(f"{what}: {got} is not {wanted} within {tolerance}")


def pose_is(pose, wanted, tolerance, fields=("x", "y", "yaw")):
    for field, value in zip(fields, wanted):
        difference = pose[field] - value
        if field in ("yaw", "pitch", "roll"):
            difference = math.atan2(math.sin(difference), math.cos(difference))
        near(difference, 0.0, tolerance, f"{field} of {pose}, wanted {wanted}")


def has(got, wanted, what=""):
    if got != wanted:
        raise AssertionError(f"{what}: {got} is not {wanted}")


def pose_of(simu, stream, after=None):
    """A pose that was read after everything that was asked for before."""
    simu.sleep(0.05)
    stream.get()
    return stream.get()


@row
def base():
    with Served(scene([group(name) for name in ("jido", "mana", "dala", "atrv")])) as simu:
        has(set(simu.robots), {"jido", "mana", "dala", "atrv"})


@row
def pose():
    with Served(scene([group("robot", sensors=f'Pose(name: "pose", mount: (z_m: -0.1), {BOTH})')])) as simu:
        got = simu.robot.pose.get()
        for field in ("x", "y", "z", "yaw", "pitch", "roll"):
            near(got[field], 0.0, 0.005, field)
        has(set(simu.streams()), {"robot.pose"})


@row
def levels():
    kinds = ", ".join(
        f'MotionOdometry(name: "{name}", {level} {BOTH})'
        for name, level in (("raw", "level: Raw,"), ("diff", "level: Differential,"), ("full", "level: Integrated,"), ("plain", ""))
    )
    with Served(scene([group("robot", sensors=kinds)])) as simu:
        full = "timestamp x y z yaw pitch roll vx vy vz wz wy wx".split()
        has(set(simu.robot.raw.get()), {"timestamp", "dS"})
        has(set(simu.robot.diff.get()), set("timestamp dx dy dz dyaw dpitch droll".split()))
        has(set(simu.robot.full.get()), set(full))
        has(set(simu.robot.plain.get()), set(full))


@row
def odometry():
    sensors = (
        f'Pose(name: "pose", {BOTH}), MotionOdometry(name: "diff", level: Differential, {BOTH}), '
        f'MotionOdometry(name: "odo", level: Integrated, frame: Start, {BOTH})'
    )
    text = scene([group("robot", (5.0, 2.0, PI / 2), sensors, f'MotionVw(name: "motion", {BOTH})')])
    with Served(text, speed=1) as simu:
        total = [0.0, 0.0, 0.0]

        def add(message):
            for place, field in enumerate(("dx", "dy", "dyaw")):
                total[place] += message[field]

        simu.robot.diff.subscribe(add)
        for v, w, seconds, wanted in (
            (1.0, 0.0, 2.0, (2.0, 0.0, 0.0)),
            (-1.0, 0.0, 2.0, (0.0, 0.0, 0.0)),
            (1.0, -PI / 4, 2.0, (4 / PI, -4 / PI, -PI / 2)),
            (0.5, -PI / 8, 12.0, (0.0, 0.0, 0.0)),
        ):
            simu.robot.motion.publish({"v": v, "w": w})
            simu.sleep(seconds)
            got = simu.robot.odo.get()
            pose_is(got, wanted, 0.16)
            world = simu.robot.pose.get()
            pose_is(world, (5 - wanted[1], 2 + wanted[0], wanted[2] + PI / 2), 0.16)
            pose_is(dict(zip(("x", "y", "yaw"), total)), wanted, 0.16)


@row
def velocity():
    sensors = f'Velocity(name: "vel", {BOTH}), Velocity(name: "turned", mount: (yaw_rad: {PI / 2}, pitch_rad: {PI / 2}), {BOTH})'
    text = scene([group("robot", sensors=sensors, actuators=f'MotionXyw(name: "motion", {BOTH})')])
    with Served(text, speed=1) as simu:
        for x, y, w in ((1, 0, 0), (0, 0, 0), (0, -1, 0), (0, 0, 0), (1, 0, 1.0), (0, 0, 0)):
            simu.robot.motion.publish({"x": float(x), "y": float(y), "w": float(w)})
            simu.sleep(0.2)
            got, turned = simu.robot.vel.get(), simu.robot.turned.get()
            for value, wanted in zip(got["linear_velocity"], (x, y, 0)):
                near(value, wanted, 0.1, "linear")
            near(got["angular_velocity"][2], w, 0.1, "angular")
            for value, wanted in zip(turned["linear_velocity"], (0.0, -x, y)):
                near(value, wanted, 0.1, f"linear of a turned sensor {turned}")
            near(turned["angular_velocity"][0], -w, 0.1, f"angular of a turned sensor {turned}")


@row
def proximity():
    more = 'team: "{}"'
    targets = [
        group("Target1", (10.0, 1.0, 0.0), more=more.format("Catch_me")),
        group("Target2", (10.0, -1.0, 0.0), more=more.format("Catch_me2")),
        group("Target3", (-4.0, 0.0, 0.0), more=more.format("Catch_me")),
    ]
    robot = group(
        "robot",
        sensors=f'Neighbours(name: "prox", rate_hz: 60, range_m: 2.0, tag: "Catch_me", {BOTH})',
        actuators=f'Teleport(name: "teleport", {BOTH})',
    )
    with Served(scene([robot, *targets])) as simu:
        def seen(x=None):
            if x is not None:
                simu.robot.teleport.publish({"x": x, "y": 0.0, "z": 0.0, "yaw": 0.0, "pitch": 0.0, "roll": 0.0})
            return set(pose_of(simu, simu.robot.prox)["near_objects"])

        has(seen(), set())
        has(seen(8.0), set())
        has(seen(9.0), {"Target1"})
        has(seen(-2.8), {"Target3"})
        simu.robot.prox.set_range(20.0).result()
        has(seen(), {"Target1", "Target3"})
        simu.robot.prox.set_tracked_tag("Catch_me2").result()
        has(seen(), {"Target2"})


@row
def sick():
    sensors = f'LaserScanner(name: "sick", range_m: 10.0, window_deg: 180.0, resolution_deg: 1.0, {BOTH})'
    with Served(scene([group("robot", (-4.5, 0.0, PI), sensors)], BOXES)) as simu:
        got = simu.robot.sick.get()
        points, ranges = got["point_list"], got["range_list"]
        has((len(points), len(ranges)), (181, 181))
        for k in range(80, 100):
            near(points[k][0], 2.5, 0.05, f"x of {k}")
        for k, y in ((90, 0.0), (85, -2.5 * math.tan(math.radians(5))), (95, 2.5 * math.tan(math.radians(5)))):
            near(points[k][1], y, 0.05, f"y of {k}")
        for k in range(105, 180):
            has((points[k], ranges[k]), ([0.0, 0.0, 0.0], 10.0), k)
        for k in range(16, 22):
            near(ranges[k], 5.8, 0.15, k) if ranges[k] < 10.0 else None


@row
def infrared():
    sensors = f'LaserScanner(name: "ir", range_m: 5.0, window_deg: 20.0, resolution_deg: 1.0, {BOTH})'
    with Served(scene([group("robot", (-4.5, 0.0, PI), sensors)], BOXES)) as simu:
        ranges = simu.robot.ir.get()["range_list"]
        has(len(ranges), 21)
        has(all(0 < distance < 5 for distance in ranges), True, ranges)


@row
def collision():
    sensors = f'Collision(name: "collision", radius_m: 0.1, mount: (x_m: 0.7), {BOTH})'
    robot = group("robot", (-3.0, 0.0, 0.0), sensors, f'MotionVw(name: "motion", {BOTH})')
    with Served(scene([robot, group("dala", (0.0, 0.0, 0.0))]), speed=1) as simu:
        has(simu.robot.collision.get(timeout=0.1), None)
        simu.robot.motion.publish({"v": 1.0, "w": 0.0})
        simu.sleep(1.0)
        has(simu.robot.collision.get(timeout=0.1), None)
        simu.sleep(1.0)
        has(simu.robot.collision.get(timeout=1.0)["objects"], "dala")


EARTH = "longitude_deg: 43.6, latitude_deg: 1.4333, altitude_m: 135.0"


@row
def gps():
    sensors = f'Gps(name: "gps", {BOTH}), Gps(name: "raw", level: Raw, origin: ({EARTH}), {BOTH})'
    robot = group("robot", (10.0, 8.0, 0.0), sensors, f'Teleport(name: "teleport", {BOTH})')
    with Served(scene([robot])) as simu:
        got = simu.robot.gps.get()
        pose_is(got, (10.0, 8.0, 0.1), 0.02, ("x", "y", "z"))
        raw = simu.robot.raw.get()
        near(raw["longitude"], 43.6, 1e-4), near(raw["latitude"], 1.4333, 1e-4), near(raw["altitude"], 135.1, 0.02)
        simu.robot.teleport.publish({"x": 100.0, "y": 200.0, "z": 50.0, "yaw": 0.0, "pitch": 0.0, "roll": 0.0})
        raw = pose_of(simu, simu.robot.raw)
        near(raw["latitude"], 1.4351, 1e-4), near(raw["longitude"], 43.6009, 1e-4), near(raw["altitude"], 185.003, 0.02)


@row
def battery():
    robot = group(
        "robot",
        sensors=f'Battery(name: "battery", discharge_percent_per_s: 10.0, {BOTH})',
        actuators=f'Teleport(name: "teleport", {BOTH})',
    )
    with Served(scene([robot], 'Region(name: "Charging", area: Box(min_m: (5.0, -5.0), max_m: (15.0, 5.0)))'), speed=1) as simu:
        at = lambda: simu.robot.battery.get()
        before = at()
        simu.sleep(2.0)
        now = at()
        near(now["charge"] - before["charge"], -20.0, 0.7), has(now["status"], "Discharging")
        simu.sleep(9.0)
        near(at()["charge"], 0.0, 0.001)
        simu.robot.teleport.publish({"x": 7.0, "y": 0.0, "z": 0.0, "yaw": 0.0, "pitch": 0.0, "roll": 0.0})
        simu.sleep(2.0)
        now = at()
        near(now["charge"], 20.0, 0.7), has(now["status"], "Charging")
        simu.robot.teleport.publish({"x": 0.0, "y": 0.0, "z": 0.0, "yaw": 0.0, "pitch": 0.0, "roll": 0.0})
        simu.sleep(2.5)
        near(at()["charge"], 0.0, 0.001)


@row
def gyroscope():
    text = scene([group("robot", sensors=f'Gyroscope(name: "gyro", {BOTH})')])
    tilt = f"attitude: (z_m: 0.1, pitch_rad: {PI / 8}, roll_rad: {PI / 16})"
    text = text.replace("attitude: (z_m: 0.1)", tilt).replace("at: [(0.0, 0.0, 0.0)]", f"at: [(0.0, 0.0, {PI / 2})]")
    with Served(text) as simu:
        pose_is(simu.robot.gyro.get(), (PI / 2, PI / 8, PI / 16), 0.02, ("yaw", "pitch", "roll"))


def drive(kind, commands):
    robot = group(
        "robot",
        sensors=f'Pose(name: "pose", {BOTH})',
        actuators=f'{kind}(name: "motion", {BOTH}), Teleport(name: "teleport", {BOTH})',
    )
    with Served(scene([robot]), speed=1) as simu:
        for command, seconds, wanted, tolerance in commands:
            start = simu.robot.pose.get()["timestamp"]
            service = getattr(simu.robot.motion, "set_speed", None) if kind == "MotionVw" else None
            if service:
                service(*command.values()).result()
            else:
                simu.robot.motion.publish(command)
            simu.sleep(seconds)
            got = simu.robot.pose.get()
            simu.robot.motion.publish({name: 0.0 for name in command})
            pose_is(got, wanted, tolerance)
            simu.sleep(0.1)
            place = dict(zip(("x", "y", "yaw"), wanted), z=0.0, pitch=0.0, roll=0.0)
            simu.robot.teleport.publish(place)
            simu.sleep(0.1)


@row
def vw():
    c = lambda v, w: {"v": v, "w": w}
    drive("MotionVw", (
        (c(1.0, 0.0), 2.0, (2.0, 0.0, 0.0), 0.1),
        (c(-1.0, 0.0), 2.0, (0.0, 0.0, 0.0), 0.1),
        (c(1.0, -PI / 4), 2.0, (4 / PI, -4 / PI, -PI / 2), 0.1),
        (c(0.5, -PI / 8), 12.0, (0.0, 0.0, 0.0), 0.1),
        (c(-2.0, PI / 2), 3.0, (4 / PI, -4 / PI, -PI / 2), 0.2),
    ))


@row
def xyw():
    c = lambda x, y, w: {"x": x, "y": y, "w": w}
    drive("MotionXyw", (
        (c(1.0, 0.0, 0.0), 2.0, (2.0, 0.0, 0.0), 0.12),
        (c(-1.0, 0.0, 0.0), 2.0, (0.0, 0.0, 0.0), 0.12),
        (c(0.0, -1.0, 0.0), 2.0, (0.0, -2.0, 0.0), 0.12),
        (c(0.0, 1.0, 0.0), 2.0, (0.0, 0.0, 0.0), 0.12),
        (c(-1.0, 1.0, 0.0), 2.0, (-2.0, 2.0, 0.0), 0.12),
        (c(1.0, -1.0, 0.0), 2.0, (0.0, 0.0, 0.0), 0.12),
        (c(1.0, 0.0, -PI / 4), 2.0, (4 / PI, -4 / PI, -PI / 2), 0.12),
        (c(0.5, 0.0, -PI / 8), 12.0, (0.0, 0.0, 0.0), 0.12),
    ))


def waypoint_robot():
    return scene([group("robot", sensors=f'Pose(name: "pose", {BOTH})', actuators=f'Waypoint(name: "motion", {BOTH})')])


@row
def waypoint_stream():
    with Served(waypoint_robot()) as simu:
        simu.robot.motion.publish({"x": 4.0, "y": 2.0, "z": 0.0, "tolerance": 0.5, "speed": 1.0})
        simu.sleep(10.0)
        pose_is(simu.robot.pose.get(), (4.0, 2.0), 0.5)
        simu.robot.motion.publish({"x": 0.0, "y": 0.0, "z": 0.0, "tolerance": 1.0, "speed": 1.0})
        simu.sleep(10.0)
        got = simu.robot.pose.get()
        has(0.5 < math.hypot(got["x"], got["y"]) < 1.01, True, got)


@row
def waypoint_services():
    with Served(waypoint_robot(), speed=1) as simu:
        x = lambda: simu.robot.pose.get()["x"]
        go = simu.robot.motion.goto
        has(go(2.0, 0.0, 0.0, 0.1, 1.0).result(5), "Arrived")
        near(x(), 2.0, 0.11)
        action = go(4.0, 0.0, 0.0, 0.1, 1.0)
        simu.sleep(1.0)
        near(x(), 3.0, 0.15), has(action.running(), True)
        action.cancel()
        has(type(action.exception(1)), MorseServicePreempted)
        simu.sleep(0.5)
        near(x(), 3.0, 0.15)
        has(go(4.0, 0.0, 0.0, 0.1, 1.0).result(3), "Arrived")
        action = go(6.0, 0.0, 0.0, 0.1, 1.0)
        simu.sleep(1.0)
        has(simu.robot.motion.get_status().result(), "Transit")
        simu.robot.motion.stop().result()
        has(simu.robot.motion.get_status().result(), "Stop")
        has(action.running(), True)
        stopped = x()
        near(stopped, 5.0, 0.2)
        simu.sleep(0.5)
        near(x(), stopped, 0.03)
        has(simu.robot.motion.resume().result(), "Transit")
        simu.sleep(0.5)
        near(x(), stopped + 0.5, 0.2)
        has(action.result(5), "Arrived")
        near(x(), 6.0, 0.15)


@row
def destination():
    robot = group(
        "robot",
        sensors=f'Pose(name: "pose", {BOTH})',
        actuators=f'Destination(name: "motion", speed_m_per_s: 2.0, tolerance_m: 0.3, remain_at_destination: true, {BOTH})',
    )
    with Served(scene([robot]), speed=1) as simu:
        pose = lambda: simu.robot.pose.get()
        z = pose()["z"]
        simu.robot.motion.publish({"x": 10.0, "y": 0.0, "z": z})
        simu.sleep(3.0)
        near(pose()["x"], 6.0, 0.15)
        simu.sleep(2.0)
        near(pose()["x"], 9.7, 0.1)
        simu.robot.motion.publish({"x": 10.0, "y": 10.0, "z": z})
        simu.sleep(3.0)
        near(pose()["y"], 6.0, 0.2)
        simu.sleep(3.0)
        near(pose()["y"], 9.7, 0.1)
        simu.robot.motion.publish({"x": 10.0, "y": 10.0, "z": 10.0})
        simu.sleep(6.0)
        near(pose()["z"], 9.7, 0.15)
        simu.robot.motion.publish({"x": 0.0, "y": 0.0, "z": 0.0})
        simu.sleep(12.0)
        got = pose()
        near(math.hypot(got["x"], got["y"]), 0.0, 0.31)
        for field in ("yaw", "pitch", "roll"):
            near(got[field], 0.0, 0.02, field)


@row
def orientation():
    robot = group(
        "robot",
        sensors=f'Pose(name: "pose", {BOTH})',
        actuators=f'Orientation(name: "motion", {BOTH})',
    )
    with Served(scene([robot])) as simu:
        draw = random.Random(1).uniform
        for _ in range(5):
            wanted = (draw(-PI, PI), draw(-1.4, 1.4), draw(-PI, PI))
            simu.robot.motion.publish(dict(zip(("yaw", "pitch", "roll"), wanted)))
            simu.sleep(0.3)
            pose_is(pose_of(simu, simu.robot.pose), wanted, 0.12, ("yaw", "pitch", "roll"))


@row
def orientation_speed():
    robot = group(
        "robot",
        sensors=f'Pose(name: "pose", {BOTH})',
        actuators=f'Orientation(name: "motion", speed_rad_per_s: 0.5, {BOTH})',
    )
    with Served(scene([robot]), speed=1) as simu:
        yaw = lambda: simu.robot.pose.get()["yaw"]
        turn = lambda to: simu.robot.motion.publish({"yaw": to, "pitch": 0.0, "roll": 0.0})
        turn(3.0)
        simu.sleep(1.0)
        near(yaw(), 0.5, 0.07)
        simu.sleep(6.0)
        near(yaw(), 3.0, 0.05)
        turn(-3.0)
        simu.sleep(1.0)
        pose_is({"yaw": yaw()}, (-3.0,), 0.07, ("yaw",))
        turn(2.0)
        simu.sleep(1.0)
        pose_is({"yaw": yaw()}, (2.8,), 0.07, ("yaw",))
        simu.sleep(2.0)
        near(yaw(), 2.0, 0.05)


@row
def teleport():
    robot = group("robot", sensors=f'Pose(name: "pose", {BOTH})', actuators=f'Teleport(name: "teleport", {BOTH})')
    with Served(scene([robot])) as simu:
        draw = random.Random(2).uniform
        fields = ("x", "y", "z", "yaw", "pitch", "roll")
        for _ in range(15):
            wanted = tuple(draw(-30, 30) for _ in "xyz") + (draw(-PI, PI), draw(-1.4, 1.4), draw(-PI, PI))
            simu.robot.teleport.publish(dict(zip(fields, wanted)))
            simu.sleep(0.2)
            pose_is(simu.robot.pose.get(), wanted, 0.15, fields)


@row
def time_scale():
    robot = group("robot", sensors=f'Pose(name: "pose", {BOTH})', actuators=f'MotionVw(name: "motion", {BOTH})')
    with Served(scene([robot]), speed=1) as simu:
        simu.robot.motion.publish({"v": 1.0, "w": 0.0})
        for scale, tolerance in ((1.0, 0.06), (0.5, 0.06), (2.0, 0.2)):
            simu.rpc("time", "set_time_scale", scale)
            seen = []
            start, x = simu.time(), simu.robot.pose.get()["x"]
            simu.robot.pose.subscribe(seen.append)
            time.sleep(2.0)
            count = len(seen)
            simu.robot.pose.stream._callbacks[:] = []
            near(simu.time() - start, 2.0 * scale, tolerance, "time")
            near(simu.robot.pose.get()["x"] - x, 2.0 * scale, 0.25, "way")
            near(count, 120 * scale, 4, "messages")


@row
def socket_sync():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    text = scene([group("robot", sensors=f'Clock(name: "clock", {BOTH})')], time=f"pacing: External(port: {port})")
    with Served(text.replace(f"dt_s: {1 / 60!r}", "dt_s: 0.1"), speed=1) as simu:
        def now():
            return simu.robot.clock.get_local_data().result()["timestamp"]

        before = now()
        time.sleep(0.3)
        has(now() > before, True, "free")
        sync = socket.create_connection(("localhost", port))
        time.sleep(0.3)
        before = now()
        time.sleep(0.3)
        near(now(), before, 1e-9, "held")
        sync.sendall(b"foo")
        time.sleep(0.3)
        near(now(), before + 0.1, 1e-4, "one step")
        sync.close()
        time.sleep(0.5)
        has(now() > before + 0.15, True, "free again")


@row
def communication():
    robots = [group("mana"), group("minnie", (10.0, 0.0, 0.0)), group("munu", (-10.0, 0.0, 0.0))]
    with Served(scene(robots, BOXES)) as simu:
        ask = lambda *names: simu.rpc("communication", "distance_and_view", *names)
        for names in ((), ("mana",), ("mana", "nobody")):
            try:
                ask(*names)
            except (MorseServiceFailed, TypeError):
                continue
            raise AssertionError(f"{names} was answered")
        for names, wanted in ((("mana", "minnie"), (10.0, True)), (("mana", "munu"), (10.0, False)), (("minnie", "munu"), (20.0, False))):
            distance, view = ask(*names)
            near(distance, wanted[0], 0.01), has(view, wanted[1], names)


@row
def pose_noise():
    noise = "noise: [PoseNoise(position_m: 1.0, rotation_rad: 1.0)],"
    sensors = ", ".join(
        f'{kind}(name: "{name}{suffix}", {level} {noisy} {BOTH})'
        for kind, name, level in (("Pose", "pose", ""), ("Gyroscope", "gyro", ""), ("Gps", "gps", ""), ("MotionOdometry", "odo", "level: Integrated,"))
        for suffix, noisy in (("", ""), ("_noised", noise))
    )
    with Served(scene([group("robot", (10.0, 8.0, 0.0), sensors, f'MotionVw(name: "motion", {BOTH})')])) as simu:
        simu.robot.motion.publish({"v": 1.0, "w": 0.5})
        simu.sleep(1.0)
        for name, fields in (("pose", "x y z yaw pitch roll"), ("gyro", "yaw pitch roll"), ("gps", "x y z"), ("odo", "x y z yaw pitch roll")):
            clean = getattr(simu.robot, name).get()
            noised = getattr(simu.robot, name + "_noised").get()
            for field in fields.split():
                has(abs(clean[field] - noised[field]) > 0.001, True, f"{name}.{field}: {clean[field]}, {noised[field]}")


def modified(noise, wanted, tolerance, field_names=("x", "y", "z"), start=(10.0, 8.0)):
    sensors = f'Pose(name: "pose", {BOTH}), Pose(name: "modified", noise: [{noise}], {BOTH})'
    actuators = f'Teleport(name: "teleport", {BOTH}), Teleport(name: "teleport_modified", noise: [{noise}], {BOTH})'
    with Served(scene([group("robot", (*start, 0.0), sensors, actuators)])) as simu:
        pose_is(simu.robot.modified.get(), wanted[0], tolerance, field_names)
        place = lambda x, y, z: {"x": x, "y": y, "z": z, "yaw": 0.0, "pitch": 0.0, "roll": 0.0}
        simu.robot.teleport.publish(place(100.0, 200.0, 50.0))
        simu.sleep(0.2)
        there = pose_of(simu, simu.robot.modified)
        pose_is(there, wanted[1], tolerance, field_names)
        # And back, by the actuator that is told in those terms.
        simu.robot.teleport_modified.publish(place(*wanted[0]))
        simu.sleep(0.2)
        pose_is(pose_of(simu, simu.robot.pose), (*start, 0.1), 0.15, field_names)


@row
def feet():
    modified("Feet()", ((32.8084, 26.246, 0.328), (328.084, 656.168, 164.042)), 0.02)


@row
def ned():
    modified("Ned()", ((8.0, 10.0, -0.1), (200.0, 100.0, -50.0)), 1e-6)


@row
def utm():
    offset = (123456789.0, -4242.0, 421.0)
    noise = f"Utm(x_offset_m: {offset[0]}, y_offset_m: {offset[1]}, z_offset_m: {offset[2]})"
    move = lambda *place: tuple(value + by for value, by in zip(place, offset))
    modified(noise, (move(10.0, 8.0, 0.1), move(100.0, 200.0, 50.0)), 0.02)


@row
def geodetic():
    sensors = f'Pose(name: "geodetic", noise: [Geodetic(origin: ({EARTH}, round_origin: true))], {BOTH})'
    with Served(scene([group("robot", (10.0, 8.0, 0.0), sensors)])) as simu:
        got = simu.robot.geodetic.get()
        near(got["x"], 43.6000883, 2e-6, got), near(got["y"], 1.433372470, 2e-6, got), near(got["z"], 135.1, 0.02)


@row
def ecef():
    noise = f"Ecef(origin: ({EARTH}, round_origin: true))"
    modified(noise, ((4617522.748, 4397221.061, 158481.297), (4617493.329, 4397317.326, 158674.479)), 0.02)


BINARY = sys.argv[1]
names = sys.argv[2:] or list(ROWS)
failed = 0
for name in names:
    began = time.time()
    try:
        ROWS[name]()
        print(f"pass {name} ({time.time() - began:.1f} s)", flush=True)
    except BaseException as error:
        failed += 1
        print(f"FAIL {name}: {type(error).__name__}: {error}", flush=True)
print(f"{len(names) - failed} of {len(names)} rows pass")
os._exit(1 if failed else 0)
