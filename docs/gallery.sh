#!/usr/bin/env bash
# Makes the loops of the gallery, docs/gallery/NAME.gif: of the scenes that are named, or of all shipped ones.
# `docs/gallery.sh --check NAME…` makes them elsewhere and says whether they are those of the gallery.
set -euo pipefail
cd "$(dirname "$0")/.."
swarmarium="${SWARMARIUM:-${CARGO_TARGET_DIR:-target}/release/swarmarium}"

out=docs/gallery
check=no
if [ "${1:-}" = "--check" ]; then
    check=yes
    shift
    out=$(mktemp -d)
    trap 'rm -rf "$out"' EXIT
fi
if [ $# = 0 ]; then
    for scene in scenes/*.ron scenes/papers/*.ron; do
        scene=${scene#scenes/}
        case "$scene" in *.sweep.ron) ;; *) set -- "$@" "${scene%.ron}" ;; esac
    done
fi

mkdir -p "$out/papers"
for name in "$@"; do
    [ "$name" = template ] && continue
    overlays=trails
    case "$name" in formation*) overlays=trails,connections ;; esac
    "$swarmarium" record "scenes/$name.ron" --size 320x240 --fps 10 --frames 40 --speed 8 --overlay "$overlays" \
        --trail 6 --overwrite --quiet -o "$out/$name.gif"
    if [ "$check" = yes ]; then
        cmp "$out/$name.gif" "docs/gallery/$name.gif"
    fi
done
