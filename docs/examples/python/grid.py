"""A grid of parameters × seeds, with a table, a figure and runs that open: `python grid.py [SECONDS]`."""

import sys

import swarmarium as sw

duration = float(sys.argv[1]) if len(sys.argv) > 1 else 100.0
sweep = sw.sweep(
    "milling",
    vary={"groups.millers.count": [6, 10, 14], "groups.millers.sensors.0.half_angle_rad": "0.3..0.7/5"},
    repeat=5,
    measure=f"mean circliness over last {duration / 5:g}",
    duration_s=duration,
)
table = sweep.frame()
measure = table.columns[-2]
print(table.pivot_table(index=table.columns[1], columns=table.columns[2], values=measure).round(3))
best = table.iloc[int(table[measure].argmax())].to_dict()
print(f"best run: point {best['point']}, repetition {best['repetition']}, {measure} {best[measure]:.3f}")
run = sweep.load(best["point"], best["repetition"])
run.run()
assert run.hash() == best["final_state_hash"]
