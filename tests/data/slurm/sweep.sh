#!/bin/sh
# Checks that a sweep has the same results through Slurm as on this machine, also after tasks were killed.
#
#   tests/data/slurm/rig.sh tests/data/slurm/sweep.sh SWARMARIUM OUT
#
# OUT is a folder that does not exist yet. STEPS (20000) is the length of a run: a task has to last long enough for this
# script to catch it while it runs.
set -eu

program=$(realpath "$1")
mkdir "$2"
out=$(realpath "$2")
plan=$out/check.sweep.ron

fail() {
    echo "sweep: $1" >&2
    exit 1
}

# The rig has no other jobs than those of this script.
wait_for_jobs() {
    tries=0
    while [ -n "$(squeue -h)" ]; do
        tries=$((tries + 1))
        [ $tries -lt 1500 ] || fail "jobs are still there after 5 minutes: $(squeue -h)"
        sleep 0.2
    done
}

submit() {
    "$program" sweep submit "$plan" -o "$1" --slurm --partition main --time 00:10:00 --mem 500M --chunk 10
}

collect() {
    "$program" sweep collect "$1"
    wait_for_jobs
}

compare() {
    for file in runs.csv summary.csv; do
        cmp "$out/local/$file" "$1/$file" || fail "$1/$file differs; errors of tasks: $(cat "$1/slurm/errors.log")"
    done
}

# Sends a signal to a task that runs.
signal_one() {
    tries=0
    until task=$(squeue -h -r -t RUNNING -o %i | head -n 1) && [ -n "$task" ]; do
        tries=$((tries + 1))
        [ $tries -lt 300 ] || fail "no task was caught while it ran: set STEPS to more than ${STEPS:-20000}"
        sleep 0.1
    done
    # Time for the task to start its first runs.
    sleep 0.5
    echo "sweep: $1 for task $task"
    case $1 in
    TERM) scancel "$task" ;;
    KILL) scancel --signal=KILL --full "$task" ;;
    esac
}

cat >"$plan" <<PLAN
Plan(
    scene: "milling",
    factors: [(path: "groups.millers.count", values: List([4, 6, 8]))],
    repetitions: 10,
    stop: (steps: ${STEPS:-20000}),
    measures: [(name: "circliness", take: Final)],
)
PLAN

echo "sweep: on this machine"
"$program" sweep "$plan" -o "$out/local"

echo "sweep: through Slurm"
submit "$out/slurm"
# A second submission would do the same runs twice.
if submit "$out/slurm" 2>"$out/refused.txt"; then
    fail "a second submission was not refused"
fi
"$program" sweep status "$out/slurm"
# Waits for the tasks by itself.
collect "$out/slurm"
"$program" sweep status "$out/slurm"
compare "$out/slurm"

for signal in TERM KILL; do
    echo "sweep: with $signal for a task"
    folder=$out/$signal
    submit "$folder"
    signal_one "$signal"
    wait_for_jobs
    "$program" sweep status "$folder" | tee "$out/status.txt"
    grep -q "CANCELLED\|FAILED" "$out/status.txt" || fail "the task ended before it was signalled: set STEPS higher"
    submit "$folder"
    collect "$folder"
    compare "$folder"
done

echo "sweep: cancelled"
folder=$out/cancelled
submit "$folder"
"$program" sweep cancel "$folder"
wait_for_jobs
submit "$folder"
collect "$folder"
compare "$folder"

echo "sweep: all results are the same"
