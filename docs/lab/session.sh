#!/usr/bin/env bash
# A session in the window, driven with the mouse and the keys, with a picture of each step.
# Needs a display (such as `Xvfb :88 -screen 0 1280x800x24`), xdotool and ImageMagick: docs/lab/session.sh PROGRAM FOLDER
set -euo pipefail
program=$1 folder=$2
mkdir -p "$folder"
export XDG_CONFIG_HOME="$folder/config"
scene="$folder/scene.ron"
cp "$(dirname "$0")/../../scenes/milling.ron" "$scene"
"$program" open "$scene" --size 1280x800 &
trap 'kill %1' EXIT
sleep 4
xdotool windowfocus "$(xdotool search --name Swarmarium | head -n 1)"
picture() { sleep "${2:-1}"; import -window root -crop 1280x800+0+0 -colors 64 "$folder/$1.png"; }
press() { for key in "$@"; do xdotool key "$key"; sleep 0.3; done; }

picture 1-opens-and-plays 6
press space r
# A live slider, which the next step follows.
xdotool mousemove 1043 507 mousedown 1; sleep 0.3; xdotool mousemove 1056 507; sleep 0.3; xdotool mouseup 1; sleep 0.3
# At the first step every robot stands where the seed puts it: it can be clicked.
xdotool mousemove 617 336; sleep 0.3; xdotool click 1
picture 2-paused-and-selected
press period period period
picture 3-stepped
press r
xdotool keydown ctrl; sleep 0.2; xdotool key p; sleep 0.2; xdotool keyup ctrl; sleep 0.5
xdotool type --delay 30 "groups.millers.controller.detected.turn_rad_per_s = 1.2"
picture 4-palette
press Return Escape space
picture 5-changed 4
sed -i 's/radius_m: 0.1/radius_m: -0.1/' "$scene"
picture 6-broken-file 2
sed -i 's/radius_m: -0.1/radius_m: 0.2/' "$scene"
picture 7-mended-file 2
xdotool mousemove 70 265 click 1
picture 8-another-scene 4
press F1
picture 9-keys
