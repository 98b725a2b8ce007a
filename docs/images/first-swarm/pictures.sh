#!/usr/bin/env bash
# Does in the window the steps of docs/tutorials/first-swarm.md, and takes its pictures.
# Needs a display (such as `Xvfb :88 -screen 0 1280x800x24`), xdotool and ImageMagick:
# docs/images/first-swarm/pictures.sh PROGRAM FOLDER
set -euo pipefail
program=$(realpath "$1") folder=$2
mkdir -p "$folder"
folder=$(realpath "$folder")
work=$(mktemp -d)
export XDG_CONFIG_HOME="$work/config" XDG_CACHE_HOME="$work/cache" XDG_DATA_HOME="$work/data"
mkdir "$work/here"
cd "$work/here"
"$program" 2>/dev/null &
window=$!
trap 'kill "$window" 2>/dev/null || true' EXIT
for _ in $(seq 60); do id=$(xdotool search --name Swarmarium | head -n 1) && [ -n "$id" ] && break; sleep 0.5; done
sleep 7
xdotool windowfocus "$id"
press() { for key in "$@"; do xdotool key "$key"; sleep 0.5; done; }
to() { xdotool mousemove "$1" "$2"; sleep 0.35; }
click() { to "$1" "$2"; xdotool click 1; sleep 0.7; }
say() { xdotool type --delay 50 "$1"; sleep 0.5; }
away() { to 870 450; sleep 0.6; }
picture() { # NAME [WIDTHxHEIGHT+X+Y]
    sleep 0.7
    import -window root -crop "${2:-1280x800+0+0}" +repage -dither None -colors 96 -strip "png8:$folder/$1.png"
}

picture 1-first-window
press Escape
away
# The window pauses at a step at which the place of a robot is known.
click 780 600; say "step >= 3868"; press Return
away
sleep 20
click 780 600; press ctrl+a BackSpace Return
click 657 257
away
picture 2-inspector 1060x510+220+0
# A robot leaves the mill, and comes back.
to 657 257; xdotool mousedown 1; sleep 0.3; to 528 348; to 400 440; sleep 0.2; xdotool mouseup 1; sleep 0.5
press space; sleep 8; press space
press ctrl+z; sleep 1
click 840 200
# Ten robots.
click 1140 368; say 10; press Return
press space; sleep 17; press space
# A plot and a figure.
click 1000 600; say agents.0.x_m; press Return; sleep 1
click 1232 600; sleep 1
click 413 191; click 413 221; click 413 251; click 427 284; sleep 0.6
picture 4-export-figure 500x610+320+75
click 353 655; sleep 1; press Return; sleep 1; press Escape Escape Escape
away
picture 3-ten-robots
# The past.
to 975 765; xdotool mousedown 1; sleep 0.3; for x in 900 800 700 600 510; do to $x 765; done; xdotool mouseup 1; sleep 0.5
click 1170 21; say "30 s"; press Return; sleep 1
away
picture 5-rewound 1280x756+0+44
# Another future.
click 1135 468; say "0.25 rad"; press Return; sleep 1
away
press space; sleep 10; press space
picture 6-branch 1280x756+0+44
press Escape ctrl+p; say "60 s"; press Return; sleep 1
xdotool keydown shift; sleep 0.2; click 650 748; xdotool keyup shift; sleep 2
to 870 420
picture 7-compare 700x493+220+44
click 850 339
# A video.
press Home t F9 space; sleep 9
picture 8-recording 1060x540+220+0
press F9; sleep 4; press space Escape
# The scene.
press ctrl+s; sleep 1; say ten-robots; press Return; sleep 2
press ctrl+q
for _ in $(seq 120); do kill -0 "$window" 2>/dev/null || break; sleep 0.5; done
ls "$work/here/milling-7.mp4" "$work/here/milling-plots.svg"
grep -q "count: 10" "$work/here/ten-robots.ron"
grep -q "half_angle_rad: 0.25" "$work/here/ten-robots.ron"
"$program" check "$work/here/ten-robots.ron"
