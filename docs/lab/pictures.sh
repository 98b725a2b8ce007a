#!/usr/bin/env bash
# Takes the pictures of docs/lab.md in a real window, driven with the mouse and the keys.
# Needs a display (such as `Xvfb :88 -screen 0 1280x800x24`), xdotool and ImageMagick: docs/lab/pictures.sh PROGRAM FOLDER
set -euo pipefail
program=$1 folder=$2
mkdir -p "$folder"
work=$(mktemp -d)
export XDG_CONFIG_HOME="$work/config" XDG_CACHE_HOME="$work/cache" XDG_DATA_HOME="$work/data"
cat >"$work/mill.ron" <<'RON'
Scene(
    name: "Six robots",
    arena: (size_m: (10.0, 10.0), boundary: Walls),
    groups: [(
        name: "millers",
        at: [(3, 3, 0), (7, 3, 1.6), (7, 7, 3.1), (3, 7, 4.7), (5, 3.5, 0.8), (5, 6.5, 4)],
        body: Disc(radius_m: 0.2),
        sensors: [BinaryFov(range_m: 2.5, half_angle_rad: 0.45)],
        controller: Binary(
            clear: (v_m_per_s: 0.27, turn_rad_per_s: -0.6),
            detected: (v_m_per_s: 0.27, turn_rad_per_s: 0.6),
        ),
    )],
    objects: [Disc(center_m: (1.5, 8.5), radius_m: 0.5)],
    metrics: [Circliness(), AverageSpeed()],
)
RON

window=
open() { # SCENE [OPTION…]
    [ -z "$window" ] || { kill "$window" 2>/dev/null; wait "$window" 2>/dev/null || true; }
    rm -rf "$XDG_CONFIG_HOME" "$XDG_DATA_HOME"
    "$program" open "$@" --size 1280x800 2>/dev/null &
    window=$!
    # A GPU in software takes its time.
    for _ in $(seq 60); do id=$(xdotool search --name Swarmarium | head -n 1) && [ -n "$id" ] && break; sleep 0.5; done
    sleep 5
    xdotool windowfocus "$id"
    press Escape
}
trap 'kill "$window" 2>/dev/null || true' EXIT
press() { for key in "$@"; do xdotool key "$key"; sleep 0.3; done; }
chord() { xdotool keydown "$1"; sleep 0.2; xdotool key "$2"; sleep 0.2; xdotool keyup "$1"; sleep 0.3; }
say() { xdotool type --delay 30 "$1"; sleep 0.3; }
# A point of an arena of ten by ten metres, in the panel of the world as it is at first.
to() { read -r x y < <(awk -v x="$1" -v y="$2" 'BEGIN { printf "%d %d\n", 570 + (x - 5) * 46.6, 297 - (y - 5) * 46.6 }'); xdotool mousemove "$x" "$y"; sleep 0.2; }
down() { xdotool mousedown "${1:-1}"; sleep 0.2; }
up() { xdotool mouseup "${1:-1}"; sleep 0.3; }
click() { to "$1" "$2"; xdotool click "${3:-1}"; sleep 0.4; }
picture() { sleep "${2:-0.6}"; import -window root -crop 1280x800+0+0 -resize 50% +dither -colors 48 "$folder/$1.png"; }
find_action() { chord ctrl p; say "$1"; press Return; sleep 0.4; }

open "$work/mill.ron" --paused
to 3 3; down; to 3.5 4; to 4 5; picture drag; up
to 7 3; down 3; to 8 3.5; to 8 4.5; picture rotate; up 3
press w; to 1 1; down; to 5 1; to 9 1; picture walls; up
press b; for x in 2 3 4 5 6 7 8; do click "$x" 9; done; to 9 8.6; picture spawn
press v; chord shift k; click 5 6.5; to 5.6 6.5; picture fault
press v; click 7 7; press period period; picture inspect
find_action "agents.2.sensors.0.range_m = 4"; picture edit-robot
press Escape; chord ctrl f; say "turn_rad"; picture sliders
press Escape Escape; chord ctrl z; chord ctrl z; press F7; picture undo 1
press F7
open milling
press space; click 5 5; press Tab f f; press space; picture follow 3
open milling --speed 8
press t; sleep 4; picture trails
press t h; sleep 3; picture heatmap
chord ctrl p; say "robots"; picture palette
press Escape
open formation-lossy
sleep 6; press d; picture links
open milling --speed 4
find_action "Compare with a changed parameter"; sleep 0.6; say "detected turn"; press Return; say "1.0"; press Return; picture compare 8
open milling --speed 4
sleep 4; xdotool mousemove 420 720; picture plots
find_action "groups.millers.sensors.0.range_m = 1.5"; xdotool mousemove 1193 330 click 1; sleep 0.8; picture presets
