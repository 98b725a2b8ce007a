#!/usr/bin/env bash
# One session in a real window, end to end: it opens and plays, a robot is dragged, a wall drawn, what was done undone and
# done again, two seconds recorded, and the window closed.
# Needs a display (such as `Xvfb :83 -screen 0 1400x900x24`) and xdotool: tests/window/session.sh PROGRAM [FOLDER]
set -euo pipefail
program=$1 folder=${2:-$(mktemp -d)}
mkdir -p "$folder"
export XDG_CONFIG_HOME="$folder/config" XDG_CACHE_HOME="$folder/cache" XDG_DATA_HOME="$folder/data"
cp "$(dirname "$0")/scene.ron" "$folder/scene.ron"
"$program" open "$folder/scene.ron" --size 1280x720 2>"$folder/window.log" &
window=$!
trap 'kill "$window" 2>/dev/null || true' EXIT

fail() { echo "session.sh: $*" >&2; cat "$folder/window.log" >&2; exit 1; }
# The answer to a service of MORSE.
ask() {
    exec 3<>/dev/tcp/127.0.0.1/46117
    echo "1 simulation $1" >&3
    head -n 1 <&3
    exec 3>&-
}
# Waits until an answer has a text.
until_says() { # SERVICE PATTERN WHAT
    for _ in $(seq 60); do
        if ask "$1" 2>/dev/null | grep -Eq "$2"; then return; fi
        sleep 0.25
    done
    fail "$3: $(ask "$1")"
}
press() { for key in "$@"; do xdotool key "$key"; sleep 0.25; done; }
# Ctrl and a key, all at once.
ctrl() { for key in "$@"; do xdotool key "ctrl+$key"; sleep 0.25; done; }
# A point of the world, in metres, when the world has the whole window.
at() { awk -v x="$1" -v y="$2" 'BEGIN { k = 0.92 * 72; printf "%d %d", 640 + (x - 5) * k, 360 - (y - 5) * k }'; }
drag() { # FROM_X FROM_Y TO_X TO_Y, on the screen
    xdotool mousemove "$1" "$2"; sleep 0.2
    xdotool mousedown 1; sleep 0.2
    xdotool mousemove $((($1 + $3) / 2)) $((($2 + $4) / 2)); sleep 0.2
    xdotool mousemove "$3" "$4"; sleep 0.3
    xdotool mouseup 1; sleep 0.3
}

until_says list_robots left "the scene opens"
for _ in $(seq 60); do id=$(xdotool search --name Swarmarium | head -n 1) && [ -n "$id" ] && break; sleep 0.25; done
[ -n "${id:-}" ] || fail "no window opens"
# The first frames take their time on a GPU in software.
sleep 4
xdotool windowfocus "$id"
# The tour of the first start goes; then the world has the whole window.
press Escape shift+F11
sleep 0.5

# shellcheck disable=SC2046
drag $(at 3 5) $(at 4 6.5)
until_says get_scene_objects '"left".*\[ *(3\.9|4\.0)[0-9]*, *6\.[45]' "a robot is dragged"

press w
# shellcheck disable=SC2046
drag $(at 2 2) $(at 8 2)
press v
ctrl s
for _ in $(seq 20); do grep -q Polygon "$folder/scene.ron" && break; sleep 0.25; done
grep -q Polygon "$folder/scene.ron" || fail "no wall was drawn"

press shift+F11
# The wall; then the robot; and both again.
ctrl z
sleep 1
until_says get_scene_objects '"left".*\[ *(3\.9|4\.0)[0-9]*, *6\.[45]' "the wall alone is undone"
ctrl z
until_says get_scene_objects '"left".*\[ *3\.0[0-9]*, *5\.0' "what was done is undone"
ctrl y y
until_says get_scene_objects '"left".*\[ *(3\.9|4\.0)[0-9]*, *6\.[45]' "what was undone is done again"

press F9
sleep 2.5
press F9
for _ in $(seq 40); do video=$(ls "$folder"/*.mp4 2>/dev/null | head -n 1) && break; sleep 0.25; done
[ -n "${video:-}" ] || fail "no video was recorded"
ctrl q
for _ in $(seq 40); do kill -0 "$window" 2>/dev/null || break; sleep 0.25; done
kill -0 "$window" 2>/dev/null && fail "the window does not close"
wait "$window" || fail "the program failed"
if command -v ffprobe >/dev/null 2>&1; then
    seconds=$(ffprobe -v error -show_entries format=duration -of csv=p=0 "$video")
    awk -v s="$seconds" 'BEGIN { exit !(s > 1.5 && s < 6) }' || fail "the video has $seconds s"
fi

# A window that another program destroys ends the program, and its recording.
"$program" open "$folder/scene.ron" --size 1280x720 2>"$folder/window.log" &
window=$!
until_says list_robots left "the scene opens again"
for _ in $(seq 60); do id=$(xdotool search --name Swarmarium | head -n 1) && [ -n "$id" ] && break; sleep 0.25; done
sleep 4
xdotool windowfocus "$id"
videos=$(ls "$folder"/*.mp4 | wc -l)
press F9
sleep 2.5
xdotool windowclose "$id"
for _ in $(seq 80); do kill -0 "$window" 2>/dev/null || break; sleep 0.25; done
kill -0 "$window" 2>/dev/null && fail "a window that is destroyed does not end the program"
status=0
wait "$window" || status=$?
[ "$status" = 1 ] || fail "the exit code of a window that is destroyed is $status"
[ "$(ls "$folder"/*.mp4 | wc -l)" = $((videos + 1)) ] || fail "the recording of a window that is destroyed is lost"
trap - EXIT
echo "A session in the window: done"
