#!/usr/bin/env bash
# Runs the plans that expect published results, and keeps their tables of expected results, docs/papers/results/NAME.csv, and
# the figures of the pages, docs/papers/figures/NAME.svg: of the plans that are named, or of all.
#
#     docs/papers.sh                 writes tables and figures (about three quarters of an hour on two cores)
#     docs/papers.sh --check         runs the plans elsewhere, and fails if a result is not met or a table differs
#     docs/papers.sh --check --short takes only the plans that need seconds
set -euo pipefail
cd "$(dirname "$0")/.."
swarmarium="${SWARMARIUM:-${CARGO_TARGET_DIR:-target}/release/swarmarium}"

# These take less than ten seconds each on two cores.
short=(
    boids couzin-short formation gauci-one gauci-symmetric kuramoto-two milling-reference mills mills-border
    mills-simulator olfati-saber olfati-saber-momentum olfati-saber-three olfati-saber-two swarmalators-two vicsek-limits
)
# The figures that pages show, as PLAN/FIGURE.
figures=(
    couzin/milling_order-curve couzin-hysteresis/polarisation-curves gauci/time__s_-curve kilobots/discovery__s_-curves
    kuramoto/order-curve mills/radius__m_-curve mills-diagram/mills-map swarmalators/S_-curve
    valentini-tie/agree_on_the_better-curve vicsek/order-curves
)

check=no names=()
for argument in "$@"; do
    case "$argument" in
        --check) check=yes ;;
        --short) names+=("${short[@]}") ;;
        *) names+=("$argument") ;;
    esac
done
if [ ${#names[@]} = 0 ]; then
    for plan in scenes/papers/*.sweep.ron; do names+=("$(basename "$plan" .sweep.ron)"); done
    names+=(milling-reference)
fi

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
mkdir -p docs/papers/results docs/papers/figures
for name in "${names[@]}"; do
    plan="scenes/papers/$name.sweep.ron"
    [ -e "$plan" ] || plan="scenes/$name.sweep.ron"
    expects=no
    if grep -q 'expect:' "$plan"; then expects=yes; fi
    start=$SECONDS
    if [ "$check" = no ]; then
        "$swarmarium" sweep "$plan" --quiet -o "$out/$name"
        [ "$expects" = no ] || cp "$out/$name/expectations.csv" "docs/papers/results/$name.csv"
        for figure in "${figures[@]}"; do
            if [ "${figure%/*}" = "$name" ]; then cp "$out/$name/figures/${figure#*/}.svg" "docs/papers/figures/$name.svg"; fi
        done
    elif [ "$expects" = yes ]; then
        "$swarmarium" sweep "$plan" --check --quiet -o "$out/$name"
        cmp "$out/$name/expectations.csv" "docs/papers/results/$name.csv"
    fi
    echo "$name: $((SECONDS - start)) s"
done
