#!/usr/bin/env bash
# Runs the plans of the reproductions, and keeps their tables of expected results, docs/papers/results/NAME.csv, and the
# figures of their pages, docs/papers/figures. Of the plans that are named, or of all.
#
#     docs/papers.sh                 writes them (about an hour on two cores)
#     docs/papers.sh --check         runs the plans elsewhere, and fails if a table differs
#     docs/papers.sh --check --short takes only the plans that need seconds
set -euo pipefail
cd "$(dirname "$0")/.."
swarmarium="${SWARMARIUM:-${CARGO_TARGET_DIR:-target}/release/swarmarium}"

# These take less than ten seconds each on two cores.
short=(couzin-short kuramoto-two mills mills-border mills-simulator olfati-saber olfati-saber-momentum olfati-saber-three
    olfati-saber-two swarmalators-two vicsek-limits)
# The figures that pages show, as PLAN/FIGURE.
figures=(couzin/milling_order-curve gauci/time__s_-curve kuramoto/order-curve mills/radius__m_-curve mills-diagram/mills-map
    swarmalators/S_-by-K vicsek/order-curves)

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
fi

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
mkdir -p docs/papers/results docs/papers/figures
for name in "${names[@]}"; do
    checked=()
    grep -q 'expect:' "scenes/papers/$name.sweep.ron" && checked=(--check)
    start=$SECONDS
    nice "$swarmarium" sweep "scenes/papers/$name.sweep.ron" "${checked[@]}" --quiet -o "$out/$name"
    echo "$name: $((SECONDS - start)) s"
    table="$out/$name/expectations.csv"
    if [ -e "$table" ]; then
        if [ "$check" = yes ]; then cmp "$table" "docs/papers/results/$name.csv"; else cp "$table" "docs/papers/results/$name.csv"; fi
    fi
    if [ "$check" = no ]; then
        for figure in "${figures[@]}"; do
            if [ "${figure%/*}" = "$name" ]; then cp "$out/$name/figures/${figure#*/}.svg" "docs/papers/figures/$name.svg"; fi
        done
    fi
done
