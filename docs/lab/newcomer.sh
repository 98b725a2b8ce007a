#!/usr/bin/env bash
# Somebody who has read nothing: from the gallery to a swarm of their own with a wall, another controller, a plot, a video
# and a saved scene, with a picture of each step.
# Needs a display (such as `Xvfb :88 -screen 0 1280x800x24`), xdotool and ImageMagick: docs/lab/newcomer.sh PROGRAM FOLDER
set -euo pipefail
program=$(realpath "$1") folder=$2
mkdir -p "$folder"
folder=$(realpath "$folder")
work=$(mktemp -d)
export XDG_CONFIG_HOME="$work/config" XDG_CACHE_HOME="$work/cache" XDG_DATA_HOME="$work/data"
cd "$work"
"$program" 2>/dev/null &
window=$!
trap 'kill "$window" 2>/dev/null || true' EXIT
sleep 8
xdotool windowfocus "$(xdotool search --name Swarmarium | head -n 1)"
press() { for key in "$@"; do xdotool key "$key"; sleep 0.4; done; }
ctrl() { xdotool keydown ctrl; sleep 0.25; xdotool key "$1"; sleep 0.25; xdotool keyup ctrl; sleep 0.4; }
to() { xdotool mousemove "$1" "$2"; sleep 0.3; }
click() { to "$1" "$2"; xdotool click 1; sleep 0.7; }
say() { xdotool type --delay 40 "$1"; sleep 0.4; }
picture() { sleep "${2:-0.6}"; import -window root -crop 1280x800+0+0 -resize 50% +dither -colors 32 "$folder/$1.png"; }

picture newcomer-1-first
press Escape
# The gallery: a new scene, an empty arena.
click 110 204
click 56 239
sleep 2
# The brush: three robots by clicks, more along a way.
press b
click 340 170; click 340 250; click 340 330
to 450 420; xdotool keydown ctrl; xdotool mousedown 1; sleep 0.3
to 550 440; to 650 420; to 760 420
xdotool mouseup 1; xdotool keyup ctrl; sleep 0.4
# A wall.
press w
to 550 150; xdotool mousedown 1; sleep 0.3; to 550 250; to 550 330; xdotool mouseup 1; sleep 0.4
press v
picture newcomer-2-robots-and-a-wall
# Another controller, found by its name.
ctrl f; say controller
click 1100 446
click 1058 357
picture newcomer-3-controller
press Escape
# A plot, a video, and the scene as a file.
click 215 761
click 620 400
press F9; sleep 4; picture newcomer-4-plot-and-video; press F9; sleep 3
ctrl s; say own; press Return; sleep 2
ctrl q
# The window closes when the video is whole.
for _ in $(seq 120); do kill -0 "$window" 2>/dev/null || break; sleep 0.5; done
ls "$work"/*.mp4 >/dev/null
grep -q Polygon "$work/own.ron"
grep -q Levy "$work/own.ron"
"$program" check "$work/own.ron"
