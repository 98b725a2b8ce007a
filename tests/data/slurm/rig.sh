#!/bin/sh
# Runs a command inside a real Slurm of one node on this machine, and shuts that Slurm down afterwards.
#
#   tests/data/slurm/rig.sh COMMAND [ARGUMENT…]
#
# Root is not needed: Debian's packages are unpacked into a temporary folder and run there as the present user. The
# exit status is the command's, or 77 (skipped) where the packages cannot be fetched or Slurm does not start.
# The rig trusts every user of this machine (auth/none), and is for tests only.
#
#   RIG_CPUS            CPUs of the node (2); they may be more than the machine has
#   RIG_MAX_ARRAY_SIZE  Slurm's MaxArraySize (1001)
#   RIG_PORT            the first of two ports on 127.0.0.1 (any from 20000 on, by the id of the process)
#   RIG_DEBS            a folder that keeps the packages for the next time
#   RIG_KEEP            keeps the temporary folder, with the logs of Slurm, if it is not empty
set -u

if [ $# -eq 0 ]; then
    echo "usage: $0 COMMAND [ARGUMENT...]" >&2
    exit 2
fi

packages="slurmctld slurmd slurm-client slurm-wlm-basic-plugins munge libmunge2 libslurm38 libhwloc15 libnuma1"
rig=$(mktemp -d "${TMPDIR:-/tmp}/slurm-rig.XXXXXX") || exit 1
controller=
daemon=

stop() {
    for process in $daemon $controller; do
        kill "$process" 2>/dev/null
    done
    # Both end within a second or two; a daemon that hangs is killed.
    for process in $daemon $controller; do
        waited=0
        while kill -0 "$process" 2>/dev/null && [ $waited -lt 100 ]; do
            sleep 0.1
            waited=$((waited + 1))
        done
        kill -9 "$process" 2>/dev/null
    done
    # Steps are processes of their own (slurmstepd), which a daemon that ends leaves to its successor.
    for step in /proc/[0-9]*; do
        if [ "$(readlink "$step/exe" 2>/dev/null)" = "$rig/usr/sbin/slurmstepd-wlm" ]; then
            kill -9 "${step#/proc/}" 2>/dev/null
        fi
    done
    if [ -n "${RIG_KEEP:-}" ]; then
        echo "rig: logs are in $rig/run" >&2
    else
        rm -rf "$rig"
    fi
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

skip() {
    echo "rig: skipped: $1" >&2
    exit 77
}

fetch() {
    debs=${RIG_DEBS:-$rig/debs}
    mkdir -p "$debs" || exit 1
    for package in $packages; do
        ls "$debs/${package}"_*.deb >/dev/null 2>&1 && continue
        command -v apt-get >/dev/null && command -v dpkg >/dev/null || skip "apt-get and dpkg are needed"
        # The names end in the version, so that a package is downloaded by name.
        (cd "$debs" && apt-get download "$package" >"$rig/apt.log" 2>&1) || {
            tail -n 3 "$rig/apt.log" >&2
            skip "the package $package cannot be fetched"
        }
    done
    for package in $packages; do
        for deb in "$debs/${package}"_*.deb; do
            dpkg -x "$deb" "$rig" || skip "$deb cannot be unpacked"
        done
    done
}

configure() {
    libraries=$(dirname "$rig"/usr/lib/*/slurm-wlm)
    host=$(hostname)
    me=$(id -un)
    # In MB. Without it, Slurm assumes 1 MB and refuses every job with --mem.
    memory=$(awk '/^MemTotal:/ { print int($2 / 1024) }' /proc/meminfo)
    port=${RIG_PORT:-$((20000 + $$ % 20000))}
    run=$rig/run
    mkdir -p "$run/state" "$run/spool" || exit 1
    cat >"$run/slurm.conf" <<CONF
ClusterName=rig
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
AuthType=auth/none
CredType=cred/none
SlurmUser=$me
SlurmdUser=$me
PluginDir=$libraries/slurm-wlm
StateSaveLocation=$run/state
SlurmdSpoolDir=$run/spool
SlurmctldPidFile=$run/slurmctld.pid
SlurmdPidFile=$run/slurmd.pid
SlurmctldLogFile=$run/slurmctld.log
SlurmdLogFile=$run/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/builtin
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/filetxt
JobCompLoc=$run/jobs.txt
MpiDefault=none
ReturnToService=2
KillWait=10
MinJobAge=300
MaxArraySize=${RIG_MAX_ARRAY_SIZE:-1001}
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
SlurmdParameters=config_overrides
NodeName=$host NodeAddr=127.0.0.1 CPUs=${RIG_CPUS:-2} RealMemory=$memory State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
    export SLURM_CONF="$run/slurm.conf"
    export LD_LIBRARY_PATH="$libraries/slurm-wlm:$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
    export PATH="$rig/usr/bin:$PATH"
}

start() {
    "$rig/usr/sbin/slurmctld-wlm" -D -c >"$run/slurmctld.out" 2>&1 &
    controller=$!
    # The path of slurmstepd is a constant of the program: -d names the unpacked one.
    "$rig/usr/sbin/slurmd-wlm" -D -d "$rig/usr/sbin/slurmstepd-wlm" -N "$host" >"$run/slurmd.out" 2>&1 &
    daemon=$!
    tries=0
    until [ "$(sinfo -h -o %T 2>/dev/null)" = idle ]; do
        tries=$((tries + 1))
        if [ $tries -gt 100 ] || ! kill -0 "$controller" 2>/dev/null || ! kill -0 "$daemon" 2>/dev/null; then
            tail -n 5 "$run"/slurmctld.out "$run"/slurmd.out "$run"/*.log >&2
            skip "Slurm does not start"
        fi
        sleep 0.2
    done
}

fetch
configure
start
"$@"
