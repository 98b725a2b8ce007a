#!/usr/bin/env bash
# Makes the loops of the gallery, docs/gallery/NAME.gif: of the scenes that are named, or of all shipped ones and of the
# examples of the cookbook, which are named cookbook/NAME.
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
    for example in boids beeclust coverage segregation formation pursuit gradient tasks occlusion epidemic predator evacuation; do
        set -- "$@" "cookbook/$example"
    done
fi

mkdir -p "$out/papers" "$out/cookbook"
for name in "$@"; do
    [ "$name" = template ] && continue
    scene=scenes/$name.ron
    flags=(--frames 40 --speed 8 --overlay trails --trail 6)
    case "$name" in
        formation*) flags=(--frames 40 --speed 8 --overlay trails,connections --trail 6) ;;
        cookbook/*)
            scene=docs/examples/$name.ron
            case "${name#cookbook/}" in
                boids) flags=(--frames 20 --speed 20 --overlay trails --trail 3) ;;
                beeclust) flags=(--frames 40 --speed 150 --overlay none) ;;
                coverage) flags=(--frames 40 --speed 6 --overlay voronoi) ;;
                segregation) flags=(--frames 40 --speed 30 --overlay none) ;;
                formation) flags=(--frames 40 --speed 2 --overlay trails --trail 6) ;;
                pursuit) flags=(--frames 40 --speed 25 --overlay trails --trail 12) ;;
                gradient) flags=(--frames 40 --speed 1.5 --overlay none) ;;
                tasks) flags=(--frames 40 --speed 10 --overlay none) ;;
                occlusion) flags=(--frames 40 --speed 10 --overlay none) ;;
                epidemic) flags=(--frames 20 --speed 20 --overlay none) ;;
                predator) flags=(--frames 40 --speed 5 --overlay trails --trail 3) ;;
                evacuation) flags=(--frames 40 --speed 10 --overlay none) ;;
            esac
            ;;
    esac
    "$swarmarium" record "$scene" --size 320x240 --fps 10 "${flags[@]}" --overwrite --quiet -o "$out/$name.gif"
    if [ "$check" = yes ]; then
        cmp "$out/$name.gif" "docs/gallery/$name.gif"
    fi
done
