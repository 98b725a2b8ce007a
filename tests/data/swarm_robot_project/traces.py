"""Traces of formations by consensus, in plain Python and apart from the program: equations and order of the step as in
the papers (Yang, Freeman, Lynch: TAC 2008; CDC 2006) and in the Swarm Robot Project Simulator.

`python3 traces.py` writes `ring_N10.json`, `offset_goal_N8.json`, `half_lost_N8.json`, `rice_wheels_N6.json` and
`second_order_N7.json` beside this file, which the tests compare with. It needs nothing but Python.
"""

import json
import math
from pathlib import Path

HERE = Path(__file__).parent
GOAL = [0.0, 0.0, 0.101875, 0.03572354790610808, 0.060625]


def phi(p):
    x, y = p
    return [x, y, x * x, x * y, y * y]


def descent(p, v, goal, k1, k2):
    """-Dphi(p)^T Gamma (v - goal), with Gamma = diag(k1, k1, k2, k2, k2)."""
    x, y = p
    off = [k * (a - b) for k, a, b in zip([k1, k1, k2, k2, k2], v, goal)]
    return [-(off[0] + 2 * x * off[2] + y * off[3]), -(off[1] + x * off[3] + 2 * y * off[4])]


def saturated(u, most):
    speed = math.hypot(*u)
    return u if speed <= most else [most * part / speed for part in u]


def sums(i, rows, heard):
    """Sum over the heard j of (row_i - row_j)."""
    return [sum(rows[i][m] - rows[j][m] for j in heard) for m in range(5)]


def pi_rates(inputs, v, w, neighbours, gamma, kp, ki):
    """Time derivatives of v and w of all robots."""
    dv, dw = [], []
    for i, heard in enumerate(neighbours):
        of_v, of_w = sums(i, v, heard), sums(i, w, heard)
        dv.append([gamma * (f - a) - kp * b + ki * c for f, a, b, c in zip(inputs[i], v[i], of_v, of_w)])
        dw.append([-ki * b for b in of_v])
    return dv, dw


def add(rows, rates, scale):
    return [[a + scale * b for a, b in zip(row, rate)] for row, rate in zip(rows, rates)]


def on_ellipse(count, center, a, b, turn):
    places = []
    for i in range(count):
        angle = 2 * math.pi * i / count
        x, y = a * math.cos(angle), b * math.sin(angle)
        places.append([center[0] + x * math.cos(turn) - y * math.sin(turn),
                       center[1] + x * math.sin(turn) + y * math.cos(turn)])
    return places


def write(name, trace):
    (HERE / f"{name}.json").write_text(json.dumps(trace, separators=(",", ":")) + "\n")


def synchronous(name, places, neighbours, goal, steps, every, gamma, kp, ki, k1, k2, v_max, dt=0.02):
    """All robots at every step: estimates from those of the step before, velocities from the new ones."""
    p = [list(place) for place in places]
    v, w = [[x, y, 0.0, 0.0, 0.0] for x, y in p], [[0.0] * 5 for _ in p]
    trace = [{"k": 0, "p": p, "v": v, "w": w}]
    for k in range(1, steps + 1):
        dv, dw = pi_rates([phi(place) for place in p], v, w, neighbours, gamma, kp, ki)
        v, w = add(v, dv, dt), add(w, dw, dt)
        u = [saturated(descent(place, own, goal, k1, k2), v_max) for place, own in zip(p, v)]
        p = add(p, u, dt)
        if k % every == 0:
            trace.append({"k": k, "p": p, "v": v, "w": w})
    write(name, {"dt": dt, "gamma": gamma, "kp_edge": kp, "ki_edge": ki, "k1": k1, "k2": k2, "v_max": v_max,
                 "goal": goal, "neighbours": neighbours, "initial_positions": places, "trace": trace})


class SplitMix64:
    """Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014."""

    def __init__(self, seed):
        self.state = seed

    def unit(self):
        mask = (1 << 64) - 1
        self.state = (self.state + 0x9E3779B97F4A7C15) & mask
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        return ((z ^ (z >> 31)) >> 11) * 2.0**-53

    def whole(self, low, high):
        return low + math.floor(self.unit() * (high - low + 1))


def marcum_q1(a, b):
    """Q1 as a sum over Poisson weights, each with the tail of a gamma distribution."""
    half_a, half_b = a * a / 2, b * b / 2
    weight, term = math.exp(-half_a), math.exp(-half_b)
    tail, total, k = term, weight * term, 0
    while k < 2000:
        k += 1
        weight *= half_a / k
        term *= half_b / k
        tail += term
        total += weight * tail
        if k > half_a and weight < 1e-18:
            break
    return total


def received(params, distance):
    if params["LOSS"] == "uniform":
        return 1.0 - params["LOSS_P"]
    k, reach, exponent = params["RICE_K"], params["RICE_R"], params["RICE_N"]
    return marcum_q1(math.sqrt(2 * k), math.sqrt(2 * (k + 1)) * (distance / reach) ** (exponent / 2))


def driven(p, angle, u, dt, wheel_m=0.0205, axle_m=0.053, most_rad_per_s=2 * math.pi):
    """One step of an e-puck that is told a velocity: exact arc."""
    if u == [0.0, 0.0]:
        return p, angle
    off = math.atan2(u[1], u[0]) - angle
    off -= 2 * math.pi * math.floor((off + math.pi) / (2 * math.pi))
    ahead, turn = math.hypot(*u) * max(0.0, math.cos(off)), 4 * off
    wheels = [(ahead - turn * axle_m / 2) / wheel_m, (ahead + turn * axle_m / 2) / wheel_m]
    scale = min(1.0, most_rad_per_s / max(map(abs, wheels)))
    left, right = (scale * wheel * wheel_m for wheel in wheels)
    ahead, turn = (left + right) / 2, (right - left) / axle_m
    if abs(turn) < 1e-9:
        return [p[0] + ahead * dt * math.cos(angle), p[1] + ahead * dt * math.sin(angle)], angle + turn * dt
    radius, after = ahead / turn, angle + turn * dt
    return [p[0] + radius * (math.sin(after) - math.sin(angle)), p[1] - radius * (math.cos(after) - math.cos(angle))], after


def asynchronous(name, seed, center, steps, every, params):
    """Each robot at times of its own, by packets that get lost."""
    n, dt, limit = params["N"], params["DT"], params["PACKET_AGE_LIMIT"]
    random = SplitMix64(seed)
    p, angle, wait = [], [], []
    for _ in range(n):
        p.append([c + params["SIDE"] * (random.unit() - 0.5) for c in center])
        angle.append(2 * math.pi * random.unit())
        wait.append(random.whole(0, params["WAIT_MAX"]))
    age = [[0 if i == j else limit + 1 for j in range(n)] for i in range(n)]
    v, w = [[[0.0] * 5 for _ in range(n)] for _ in range(n)], [[[0.0] * 5 for _ in range(n)] for _ in range(n)]
    for i in range(n):
        v[i][i] = [*p[i], 0.0, 0.0, 0.0]
    u, last, sent, rx = [[0.0, 0.0] for _ in range(n)], [0] * n, 0, 0
    trace = []

    def record(k):
        trace.append({"k": k, "p": p[:], "angle": angle[:], "u": u[:], "wait": wait[:], "last": last[:],
                      "v_own": [v[i][i] for i in range(n)], "w_own": [w[i][i] for i in range(n)],
                      "age": [row[:] for row in age], "tx": sent, "rx": rx, "rng_state": str(random.state)})

    record(0)
    for k in range(1, steps + 1):
        for i in range(n):
            for j in range(n):
                if i != j:
                    age[i][j] += 1
        for i in range(n):
            if params["DRIVE"] == "diff":
                p[i], angle[i] = driven(p[i], angle[i], u[i], dt)
            else:
                p[i] = [a + dt * b for a, b in zip(p[i], u[i])]
        for i in range(n):
            if k - last[i] < wait[i]:
                continue
            for j in range(n):
                if j == i:
                    continue
                sent += 1
                if random.unit() < received(params, math.dist(p[i], p[j])):
                    rx += 1
                    v[j][i], w[j][i], age[j][i] = v[i][i], w[i][i], 0
            heard = [j for j in range(n) if j != i and age[i][j] <= limit]
            elapsed = (k - last[i]) * dt
            kp, ki = params["KP_TOTAL"] / n, params["KI_TOTAL"] / n
            of_v, of_w = sums(i, v[i], heard), sums(i, w[i], heard)
            rate = [params["GAMMA"] * (f - a) - kp * b + ki * c
                    for f, a, b, c in zip(phi(p[i]), v[i][i], of_v, of_w)]
            w[i][i] = [a - elapsed * ki * b for a, b in zip(w[i][i], of_v)]
            v[i][i] = [a + elapsed * b for a, b in zip(v[i][i], rate)]
            u[i] = saturated(descent(p[i], v[i][i], GOAL, params["K1"], params["K2"]), params["V_MAX"])
            last[i], wait[i] = k, random.whole(params["WAIT_MIN"], params["WAIT_MAX"])
        if k % every == 0:
            record(k)
    write(name, {"seed": seed, "center": center, "params": params, "goal": GOAL, "trace": trace})


def second_order(name, steps, every, dt):
    """The agents of the paper, p'' = -B p' - Dphi^T Gamma (v - goal), all in touch all the time: Runge and Kutta's rule."""
    n, damping, gamma, kp, ki, k1, k2, reach = 7, 100.0, 6.0, 20.0, 0.2, 80.0, 8.0, 40.0
    goal = [0.0, 0.0, 50.0, 0.0, 50.0]
    places = on_ellipse(n, [1.0, -2.0], 10.0, 6.0, 0.4)

    def rates(state):
        p, q, v, w = state
        near = [[j for j in range(n) if j != i and math.dist(p[i], p[j]) < reach] for i in range(n)]
        dv, dw = pi_rates([phi(place) for place in p], v, w, near, gamma, kp, ki)
        dq = [[g - damping * b for g, b in zip(descent(a, e, goal, k1, k2), speed)] for a, speed, e in zip(p, q, v)]
        return q, dq, dv, dw

    state = (places, [[0.0, 0.0] for _ in places], [[x, y, 0.0, 0.0, 0.0] for x, y in places], [[0.0] * 5 for _ in places])
    trace = []
    for k in range(steps + 1):
        if k % every == 0:
            trace.append({"k": k, "p": state[0], "velocity": state[1], "v": state[2], "w": state[3]})
        one = rates(state)
        two = rates([add(rows, rate, dt / 2) for rows, rate in zip(state, one)])
        three = rates([add(rows, rate, dt / 2) for rows, rate in zip(state, two)])
        four = rates([add(rows, rate, dt) for rows, rate in zip(state, three)])
        for rate, weight in [(one, 1), (two, 2), (three, 2), (four, 1)]:
            state = tuple(add(rows, part, weight * dt / 6) for rows, part in zip(state, rate))
    write(name, {"dt": dt, "damping": damping, "gamma": gamma, "kp_edge": kp, "ki_edge": ki, "k1": k1, "k2": k2,
                 "reach": reach, "goal": goal, "trace": trace})


def main():
    ring = [sorted({(i - 1) % 10, (i + 1) % 10}) for i in range(10)]
    synchronous("ring_N10", on_ellipse(10, [1.0, 0.7], 0.3, 0.2, 0.3), ring, GOAL, 4000, 500,
                1.0, 2.0 / 3, 1.5 / 3, 0.5, 0.5 / 0.325, 0.1)
    x, y = 1.0, -0.6
    offset = [x, y, GOAL[2] + x * x, GOAL[3] + x * y, GOAL[4] + y * y]
    everybody = [[j for j in range(8) if j != i] for i in range(8)]
    synchronous("offset_goal_N8", on_ellipse(8, [0.2, 0.3], 0.3, 0.2, 0.3), everybody, offset, 4000, 500,
                1.0, 2.0 / 8, 1.5 / 8, 0.5, 0.5 / 0.325, 0.1)
    usual = {"N": 8, "DT": 0.02, "WAIT_MIN": 5, "WAIT_MAX": 15, "PACKET_AGE_LIMIT": 200, "SIDE": 0.6, "GAMMA": 1.0,
             "KP_TOTAL": 2.0, "KI_TOTAL": 1.5, "K1": 0.5, "K2": 0.5 / 0.325, "V_MAX": 0.1, "LOSS": "uniform",
             "LOSS_P": 0.5, "RICE_K": 4.0, "RICE_R": 0.6, "RICE_N": 2.0, "DRIVE": "holonomic"}
    asynchronous("half_lost_N8", 20090508, [1.0, 0.7], 2000, 250, usual)
    asynchronous("rice_wheels_N6", 20090509, [0.5, 0.4], 2000, 250, {**usual, "N": 6, "LOSS": "rice", "DRIVE": "diff"})
    second_order("second_order_N7", 2000, 200, 0.002)


if __name__ == "__main__":
    main()
