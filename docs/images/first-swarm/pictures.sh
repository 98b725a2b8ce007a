#!/usr/bin/env bash
# Does in the window the steps of docs/tutorials/first-swarm.md, and takes its pictures.
# Needs a display without a window manager that is larger than the window of 1280x800 pixels, xdotool and ImageMagick:
# xvfb-run -a -s "-screen 0 1440x900x24" docs/images/first-swarm/pictures.sh PROGRAM FOLDER
set -euo pipefail
program=$(realpath "$1") folder=$2
mkdir -p "$folder"
folder=$(realpath "$folder")
work=$(mktemp -d)
export HOME="$work" XDG_CONFIG_HOME="$work/config" XDG_CACHE_HOME="$work/cache" XDG_DATA_HOME="$work/data"
mkdir "$work/here"
cd "$work/here"
"$program" 2>"$work/log" &
window=$!
trap 'kill "$window" 2>/dev/null || true; wait "$window" 2>/dev/null || true; rm -rf "$work"' EXIT
for _ in $(seq 240); do id=$(xdotool search --name Swarmarium | head -n 1) && [ -n "$id" ] && break; sleep 0.5; done
sleep 7
xdotool windowfocus "$id"
[ "$(xdotool getwindowgeometry "$id" | awk '/Geometry/ { print $2 }')" = 1280x800 ] || { echo "the display is too small" >&2; exit 1; }

# Places in the window at its first start, while nothing is selected.
clock=(1165 21)
robots=(1140 355) half_angle=(1140 456) # the second one after a notch of the wheel
pause_when=(520 564) pin_a_value=(733 564) figure=(1168 564)
figure_boxes=(395 188 395 218 395 248) figure_svg=(408 316) figure_save=(339 690)
end_comparison=(850 391)
nothing=(700 533) # no tooltip

press() { for key in "$@"; do xdotool key "$key"; sleep 0.5; done; }
to() { xdotool mousemove "$1" "$2"; sleep 0.4; }
down() { xdotool mousedown 1; sleep 0.3; }
up() { xdotool mouseup 1; sleep 0.8; }
click() { to "$1" "$2"; down; up; }
say() { xdotool type --delay 50 "$1"; sleep 0.6; }
palette() { press ctrl+p; say "$1"; press Return; sleep 0.5; }
# The point (x, y) of the arena, in metres.
at() { to $(awk -v x="$1" -v y="$2" 'BEGIN { printf "%d %d\n", 368 + x * 40.3, 464 - y * 40.3 }'); }
away() { to "${nothing[@]}"; sleep 0.6; }
# Waits until the window above the status line has not changed for some seconds: the run is paused, and notices are gone.
still() {
    local last="" now count=0
    for _ in $(seq 300); do
        now=$(import -window root -crop 1280x774+0+0 +repage rgb:- | md5sum)
        [ "$now" = "$last" ] && count=$((count + 1)) || count=0
        [ "$count" -lt 8 ] || return 0
        last=$now
        sleep 0.5
    done
    echo "the window does not come to rest" >&2
    exit 1
}
# Runs until a condition holds: a step is exact on a computer of any speed.
run_until() {
    click "${pause_when[@]}"; say "$1"; press Return
    away
    [ "${2:-}" = runs ] || press space
    sleep 5
    still
    palette "Remove the pause condition"
}
picture() { # NAME [WIDTHxHEIGHT+X+Y]
    sleep 0.7
    import -window root -crop "${2:-1280x800+0+0}" +repage -dither None -colors 96 -strip "png8:$folder/$1.png"
}
# Whether some robot sees another one, and some robot none: their sectors are orange and grey.
sees() {
    import -window root -crop 400x330+380+90 +repage "$work/world.png"
    for colour in "#725022" "#3a3f49"; do
        [ "$(convert "$work/world.png" -fuzz 3% -fill white -opaque "$colour" -fuzz 0 -fill black +opaque white \
            -format '%[fx:int(mean*w*h)]' info:)" -gt 1500 ] || return 1
    done
}

for _ in $(seq 40); do sees && break; sleep 0.3; done
picture 1-first-window
press Escape
run_until "step >= 3868" runs
# A step at which the place of a robot is known.
at 7.02 5.53; down; up
away
still
picture 2-inspector 1060x518+220+0
# A robot leaves the mill, and comes back.
at 7.02 5.53; down; at 3 3; at 1 1; up
run_until "step >= 5068"
press ctrl+z
sleep 1
still
at 8 2; down; up
# Ten robots.
click "${robots[@]}"; say 10; press Return
run_until "step >= 2802"
away
still
picture 3-ten-robots
# A plot and a figure.
click "${pin_a_value[@]}"; say agents.0.x_m; press Return; sleep 1.5
click "${figure[@]}"; sleep 2
for box in 0 2 4; do click "${figure_boxes[@]:box:2}"; done
click "${figure_svg[@]}"; sleep 1
picture 4-export-figure 536x640+302+72
click "${figure_save[@]}"; sleep 1.5; press Return; sleep 2; press Escape
# The past.
to 756 745; down; for x in 700 650 600 550 500; do to "$x" 745; done; up
click "${clock[@]}"; say "30 s"; press Return; sleep 1
away
still
picture 5-rewound 1280x756+0+44
# Another future.
to 1100 440; xdotool click 5; sleep 1.5
click "${half_angle[@]}"; say "0.25 rad"; press Return; sleep 1
run_until "t_s >= 72"
still
picture 6-branch 1280x756+0+44
palette "60 s"; sleep 2
still
xdotool keydown shift; sleep 0.2; click 600 748; xdotool keyup shift; sleep 3
away
still
picture 7-compare 1280x756+0+44
click "${end_comparison[@]}"; sleep 1
# A video.
press Home; sleep 1.5; press t F9; sleep 1; press space
away
sleep 9
picture 8-recording 1060x518+220+0
press F9; sleep 0.5; press space
sleep 5
still
# The scene.
press ctrl+s; sleep 1.5; say ten-robots; press Return; sleep 3
press ctrl+q
for _ in $(seq 120); do kill -0 "$window" 2>/dev/null || break; sleep 0.5; done
cd "$work/Swarmarium"
ls milling-7.mp4 milling-plots.svg
grep -q "count: 10" ten-robots.ron
grep -q "half_angle_rad: 0.25" ten-robots.ron
"$program" check ten-robots.ron
