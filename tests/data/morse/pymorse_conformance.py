#!/usr/bin/env python3
"""Black-box conformance checks for a MORSE-compatible socket server, driven by the REAL pymorse client.

  pip install pymorse==1.4 (Python 3.7 to 3.11);  python3 pymorse_conformance.py [--reference] [--port 4000]

Expects `swarmarium serve morse-reference`.  `--reference` marks a run against MORSE itself: the robustness
checks that kill real MORSE are then skipped.  Original code; exit status 0 iff everything passes.
"""
import json, os, socket, sys, time, warnings
warnings.simplefilter("ignore")
if "PYMORSE_SRC" in os.environ:
    sys.path.insert(0, os.environ["PYMORSE_SRC"])
import pymorse
from pymorse import Morse, MorseServiceFailed, MorseServicePreempted
# Python >= 3.8: Morse.close() -> get_publisher_streams() -> dir(Component) raises TypeError. Override in the harness only.
if sys.version_info >= (3, 8):
    pymorse.Morse.get_publisher_streams = lambda self: iter(())
REF = "--reference" in sys.argv
PORT = int(sys.argv[sys.argv.index("--port") + 1]) if "--port" in sys.argv else 4000
ok = bad = 0


def check(name, cond, info=""):
    global ok, bad
    ok, bad = (ok + 1, bad) if cond else (ok, bad + 1)
    if not cond:
        print("FAIL", name, info)


class Raw:
    def __init__(self, port=PORT):
        self.s = socket.create_connection(("localhost", port))
        self.s.settimeout(2)
        self.b = b""

    def line(self, timeout=2):
        self.s.settimeout(timeout)
        try:
            while b"\n" not in self.b:
                d = self.s.recv(65536)
                if not d:
                    return None
                self.b += d
        except (socket.timeout, OSError):
            return None
        l, self.b = self.b.split(b"\n", 1)
        return l.decode()

    def __call__(self, text, timeout=2):
        self.s.sendall(text if isinstance(text, bytes) else text.encode())
        return self.line(timeout)


def value(reply):
    p = reply.split(" ", 2)
    return p[0], p[1], (json.loads(p[2]) if len(p) > 2 else None)


def alive(name, payload, expect_failed=True, port=None):
    """hostile input: the server must stay up (and may answer FAILED)"""
    if REF:
        return
    r = Raw(port or PORT)
    try:
        r.s.sendall(payload)
        time.sleep(0.15)
        r.s.close()
    except OSError:
        pass
    try:
        check("alive after " + name, (Raw()("z time mode\n") or "").startswith("z SUCCESS"))
    except OSError as e:
        check("alive after " + name, False, e)


# ---- A. raw service protocol ------------------------------------------------
r = Raw()
for q in ("id1 simulation list_robots\n", "id1  simulation list_robots\n", "id1\tsimulation\tlist_robots\n",
          "id1 \t simulation \t list_robots\n", "   id1 simulation list_robots  \n", "id1 simulation list_robots []\n"):
    check("whitespace %r" % q, value(r(q)) == ("id1", "SUCCESS", ["robot", "Robi"]))
d = value(r("a simulation details\n"))[2]
check("details.environment", isinstance(d["environment"], str))
rob = {x["name"]: x for x in d["robots"]}
check("details robots", list(rob) == ["robot", "Robi"])
check("details direction OUT", rob["robot"]["components"]["robot.pose"]["stream_interfaces"][0][1] == "OUT")
check("details direction IN", rob["robot"]["components"]["robot.motion"]["stream_interfaces"][0][1] == "IN")
check("details stream-only component has no services", "services" not in rob["robot"]["components"]["robot.clock"])
check("details services", {"goto", "setdest", "stop", "resume", "get_status"} <= set(rob["robot"]["components"]["robot.motion"]["services"]))
streams = value(r("b simulation list_streams\n"))[2]
ports = value(r("e simulation get_all_stream_ports\n"))[2]
check("list_streams", set(streams) == {"robot." + n for n in ("pose", "motion", "battery", "clock", "prox", "sick")} | {"Robi." + n for n in ("vel", "vw", "odo")})
check("ports consistent", set(ports) == set(streams) and all(value(r('c simulation get_stream_port ["%s"]\n' % s))[2] == p for s, p in ports.items()))
check("unknown stream", value(r('d simulation get_stream_port ["nope"]\n')) == ("d", "FAILED", "Stream unavailable for component nope"))
check("unknown service", value(r("n nocomp noservice\n")) == ("n", "FAILED", "The request noservice has not been registered in Socket service manager"))
check("one token", value(r("p\n"))[:2] == ("p", "FAILED"))
check("bad json params", value(r("s simulation list_robots notjson\n"))[1] == "FAILED")
a = value(r("u robot.motion goto [5.0, 1.0]\n"))
check("too few params text", a[1] == "FAILED" and "wrong # of parameters" in a[2])
a = value(r("v robot.motion goto [1,2,3,4,5,6]\n"))
check("too many params text", a[1] == "FAILED" and "wrong # of parameters" in a[2])
a = value(r("k communication distance_and_view\n"))
check("missing params text", a[1] == "FAILED" and "parameters expected for service" in a[2] and "wrong #" not in a[2])
check("unknown robot", value(r('m communication distance_and_view ["robot","x"]\n')) == ("m", "FAILED", "x does not exist in the simulation "))
a = value(r('j communication distance_and_view ["robot", "Robi"]\n'))[2]
check("distance_and_view", abs(a[0] - 3.0) < 1e-6 and a[1] is True, a)
check("falsy result has no payload", r("w robot.motion setdest [0.0, 0.0, 0.0]\n") == "w SUCCESS")
check("None result has no payload", r("z robot.prox set_range [20.0]\n") == "z SUCCESS")
check("activate unknown", value(r('C simulation activate ["nope"]\n')) == ("C", "FAILED", "Component 'nope' not found. Can't activate"))
r.s.sendall(b"1 time now\n2 time mode\n3 simulation list_robots\n")
check("batched requests answered in order", [r.line().split()[0] for _ in range(3)] == ["1", "2", "3"])
check("cancel of unknown id is silent", r("H cancel\n", 0.3) is None)
st = value(r("st time statistics\n"))[2]
check("statistics keys", {"mean_time", "variance_time"} <= set(st), st)
# asynchronous services
r.s.sendall(b"s1 time sleep [0.3]\n")
t = time.time()
check("sleep reply", r.line(3) == "s1 SUCCESS" and 0.25 < time.time() - t < 0.6)
r.s.sendall(b"g1 robot.motion goto [4.0,4.0,0.0,0.1,0.1]\n")
time.sleep(0.2)
r.s.sendall(b"g2 robot.motion goto [1.0,0.0,0.0,0.1,0.1]\n")
check("new goto preempts the old one", r.line() == "g1 PREEMPTED")
time.sleep(0.1)
check("cancel answers the request with PREEMPTED", r("g2 cancel\n") == "g2 PREEMPTED")
check("double cancel silent", r("g2 cancel\n", 0.3) is None)
check("goto to here succeeds", (r("g3 robot.motion goto [0.0,0.0,0.0,0.5,1.0]\n") or "") == 'g3 SUCCESS "Arrived"')
# ---- B. streams -------------------------------------------------------------
FIELDS = {"robot.pose": "timestamp x y z yaw pitch roll", "robot.battery": "timestamp charge status", "robot.clock": "timestamp",
          "robot.prox": "timestamp near_objects near_robots", "robot.sick": "timestamp point_list range_list",
          "Robi.vel": "timestamp linear_velocity angular_velocity world_linear_velocity",
          "Robi.odo": "timestamp x y z yaw pitch roll vx vy vz wz wy wx"}
for n, f in FIELDS.items():
    m = json.loads(Raw(ports[n]).line())
    check("fields " + n, list(m) == f.split(), list(m))
m = json.loads(Raw(ports["robot.sick"]).line())
check("181 rays", len(m["range_list"]) == len(m["point_list"]) == 181)
check("ray 90 is straight ahead, hits wall at 5.5", abs(m["range_list"][90] - 5.5) < 0.6 and abs(m["point_list"][90][1]) < 1e-6, m["range_list"][90])
check("miss = range and origin", m["range_list"][0] == 10.0 and m["point_list"][0] == [0.0, 0.0, 0.0])
for n, hz in (("robot.clock", 60), ("robot.prox", 12), ("robot.sick", 10)):
    c = Raw(ports[n])
    ts = [json.loads(c.line())["timestamp"] for _ in range(hz + 1)]
    check("rate %s" % n, abs((ts[-1] - ts[0]) - 1.0) < 1.6 / 60, ts[-1] - ts[0])
    if hz != 60:
        dts = [b - a for a, b in zip(ts, ts[1:])]
        check("period %s" % n, max(abs(x - 1.0 / hz) for x in dts) < 1.1 / 60, (min(dts), max(dts)))
# ---- C. pymorse -------------------------------------------------------------
m = Morse("localhost", PORT)
check("robots", m.robots == ["robot", "Robi"])
check("streams()", set(m.streams()) == set(streams))
p = m.robot.pose.get()
check("get()", set(p) == set(FIELDS["robot.pose"].split()))
check("last() before any message", m.robot.clock.last() is None)
check("get() then last()", m.robot.clock.get()["timestamp"] <= m.robot.clock.last()["timestamp"])
t0 = m.time()
m.sleep(0.5)
check("sleep is simulated time", abs(m.time() - t0 - 0.5) < 0.08)
f = m.robot.motion.goto(1.0, 0.0, 0.0, 0.2, 1.0)
check("goto running", f.running() and not f.done())
check("goto result", f.result(5) == "Arrived" and f.done())
check("goto displacement", abs(m.robot.pose.get()["x"] - 0.8) < 0.1)
for args in ((5.0, 1.0), (10.0, 5.0, 0.0, 0.5, 1.0, 0.0)):
    check("TypeError for %d args" % len(args), type(m.robot.motion.goto(*args).exception(2)) is TypeError)
try:
    m.rpc("communication", "distance_and_view")
    check("MorseServiceFailed", False)
except MorseServiceFailed:
    check("MorseServiceFailed", True)
f = m.robot.motion.goto(5.0, 0.0, 0.0, 0.2, 0.2)
time.sleep(0.2)
f.cancel()
check("cancel -> MorseServicePreempted", type(f.exception(2)) is MorseServicePreempted and not f.running())
f1 = m.robot.motion.goto(2.0, 1.0, 0.0, 0.1, 0.1)
time.sleep(0.2)
f2 = m.robot.motion.goto(0.0, 1.0, 0.0, 0.1, 0.1)
check("preemption", type(f1.exception(2)) is MorseServicePreempted and f2.running())
time.sleep(0.1)
f2.cancel()
f2.exception(2)
check("future == value", bool(m.robot.motion.get_status() == m.robot.motion.get_status().result()))
x0 = m.Robi.odo.get()["x"]
m.Robi.vw.publish({"v": 1.0, "w": 0.0})
m.sleep(1.0)
o = m.Robi.odo.get()
check("v=1 for 1 s", abs(o["x"] - x0 - 1.0) < 0.06 and abs(o["vx"] - 1.0) < 1e-3, o["x"] - x0)
check("velocity sensor", abs(m.Robi.vel.get()["linear_velocity"][0] - 1.0) < 1e-3)
m.Robi.vw.publish({"v": 0.0, "w": 0.0})
m.sleep(0.1)
m.Robi.vw.set_speed(0.0, 1.0).result()
y0 = m.Robi.odo.get()["yaw"]
m.sleep(1.0)
check("w=1 for 1 s", abs(m.Robi.odo.get()["yaw"] - y0 - 1.0) < 0.06)
m.Robi.vw.stop().result()
n = []
m.robot.pose.subscribe(n.append)
m.sleep(1.0)
m.robot.pose.unsubscribe(n.append) if n.append in m.robot.pose.stream._callbacks else None
check("60 Hz subscription", abs(len(n) - 60) <= 2, len(n))
m.deactivate("robot.pose")
m.robot.pose.get(timeout=0.1)
check("deactivated stream is silent", m.robot.pose.get(timeout=0.3) is None)
m.activate("robot.pose")
check("reactivated", m.robot.pose.get(timeout=0.5) is not None)
check("set_range", m.robot.prox.set_range(1.0).result() is None)
m.sleep(0.2)
check("proximity empty", m.robot.prox.get()["near_objects"] == {})
m.robot.prox.set_range(30.0).result()
m.sleep(0.2)
check("proximity sees Robi", list(m.robot.prox.get()["near_objects"]) == ["Robi"])
check("reset", m.reset() == "Objects restored to initial position")
m.sleep(0.1)
check("reset restores pose", abs(m.Robi.odo.get()["x"]) < 1e-6)
# time scale: ticks per simulated second unchanged, wall rate scaled
for k in (0.5, 2.0, 1.0):
    check("set_time_scale", m.rpc("time", "set_time_scale", k) is True)
    n = []
    cb = n.append
    t, w = m.time(), time.time()
    m.robot.pose.subscribe(cb)
    time.sleep(1.0)
    cnt = len(n)
    ds, dw = m.time() - t, time.time() - w
    m.robot.pose.stream._callbacks[:] = []
    check("time scale %g" % k, abs(ds / dw - k) < 0.06 * k and abs(cnt - 60 * k) <= 4, (ds / dw, cnt))
m.close()
# ---- D. robustness (kills real MORSE) ---------------------------------------
alive("partial line", b"id1 simulation list_ro")
alive("two tokens", b"id1 simulation\n")
alive("empty line", b"\n")
alive("5 kB request", b'id1 simulation get_stream_port ["' + b"a" * 5000 + b'"]\n')
alive("params number", b"id1 simulation list_robots 5\n")
alive("params object", b'id1 simulation list_robots {"a":1}\n')
alive("invalid utf-8", b"\xff\xfe simulation list_robots\n")
alive("wrong type", b'id1 robot.motion goto ["a", 0, 0]\n')
vw = ports["Robi.vw"]
for nm, pl in (("missing key", b'{"v": 0.0}\n'), ("bad json", b'{"v": 1.0,}\n'), ("no newline", b'{"v": 1.0'),
               ("wrong json type", b'{"v": "fast", "w": 0}\n'), ("list", b"[1,2]\n"), ("invalid utf-8", b"\xff\xff\n")):
    alive("stream " + nm, pl, port=vw)
if not REF:
    q = Raw()
    q.s.sendall(b"7 cancel\n7 robot.motion goto [50.0,0.0,0.0,0.1,0.1]\n")
    check("cancel that overtakes its request", q.line() == "7 PREEMPTED")
    q.s.sendall(b"8 time sleep [0.2]\n9 time sleep [0.2]\n")
    check("concurrent sleeps", sorted([q.line(), q.line()]) == ["8 SUCCESS", "9 SUCCESS"])
    q.s.sendall(b"10 time sleep [5]\n")
    time.sleep(0.1)
    check("sleep can be cancelled", q("10 cancel\n") == "10 PREEMPTED")
    big = Raw()
    big.s.sendall(b"11 simulation list_ro")
    time.sleep(0.1)
    check("request split over two segments", value(big(b"bots\n"))[1] == "SUCCESS")
print("python %s  ok=%d fail=%d" % (sys.version.split()[0], ok, bad))
os._exit(1 if bad else 0)
