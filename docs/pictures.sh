#!/usr/bin/env bash
# Takes the pictures of the reference of the window, docs/images/window/, in a real window driven by mouse and keys.
# Needs a display of its own of 1280x800 pixels (such as `Xvfb :78 -screen 0 1280x800x24`), xdotool, ImageMagick and
# ffmpeg. Usage: docs/pictures.sh [NAME…], such as `docs/pictures.sh tools timeline`; without a name, all sets:
# tools, undo, follow, fields, links, compare, plots, timeline, sweep.
set -euo pipefail
cd "$(dirname "$0")/.."
program=$(realpath "${SWARMARIUM:-${CARGO_TARGET_DIR:-target}/release/swarmarium}")
folder=${PICTURES:-$PWD/docs/images/window}
mkdir -p "$folder"
work=$(mktemp -d)
export XDG_CONFIG_HOME="$work/config" XDG_CACHE_HOME="$work/cache" XDG_DATA_HOME="$work/data"
cat >"$work/six-robots.ron" <<'RON'
(
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
close() {
    [ -n "$window" ] || return 0
    kill "$window" 2>/dev/null || true
    wait "$window" 2>/dev/null || true
    window=
}
trap 'close; [ -z "${grab:-}" ] || kill "$grab" 2>/dev/null || true; rm -rf "$work"' EXIT
open() { # SCENE [OPTION…]
    close
    rm -rf "$XDG_CONFIG_HOME" "$XDG_DATA_HOME"
    (cd "$work" && exec "$program" open "$@") 2>"$work/log" &
    window=$!
    # Rendering in software is slow.
    for _ in $(seq 60); do
        id=$(xdotool search --name Swarmarium 2>/dev/null | head -n 1) && [ -n "$id" ] && break
        sleep 0.5
    done
    sleep "${SETTLE_S:-5}"
    xdotool windowfocus "$id"
    press Escape # the tour
}
press() { for key in "$@"; do xdotool key "$key"; sleep 0.35; done; }
chord() { xdotool keydown "$1"; sleep 0.2; xdotool key "$2"; sleep 0.2; xdotool keyup "$1"; sleep 0.35; }
say() { xdotool type --delay 40 "$1"; sleep 0.4; }
palette() { chord ctrl p; say "$1"; press Return; sleep 0.4; }
move() { xdotool mousemove "$1" "$2"; sleep 0.25; }
# The point (x, y) in metres of an arena of 10 m by 10 m, in the layout of the first start at 1280x800.
to() {
    local x y
    read -r x y < <(awk -v x="$1" -v y="$2" 'BEGIN { printf "%d %d\n", 570 + (x - 5) * 40.4, 262.6 - (y - 5) * 40.4 }')
    move "$x" "$y"
}
down() { xdotool mousedown "${1:-1}"; sleep 0.25; }
up() { xdotool mouseup "${1:-1}"; sleep 0.35; }
click() { to "$1" "$2"; xdotool click "${3:-1}"; sleep 0.5; }
picture() { # NAME [SECONDS BEFORE IT]
    sleep "${2:-0.7}"
    import -window root -crop 1280x800+0+0 +repage -resize 960x600 "$work/picture.png"
    # At most 50 kB each.
    for colours in 96 64 48 32 24; do
        convert "$work/picture.png" -dither None -colors "$colours" -strip "png8:$folder/$1.png"
        [ "$(stat -c %s "$folder/$1.png")" -gt 50000 ] || break
    done
}

tools() {
    open six-robots.ron --paused --size 1280x800
    to 3 3; down; to 3.5 4; to 4 5; picture drag; up
    to 7 3; down 3; to 8 3.5; to 8 4.5; picture rotate; up 3
    press w; to 1 1; down; to 5 1; to 9 1; up; to 9.4 1.4; down; to 9.4 4; to 9.4 6; picture walls; up
    press b; for x in 2 3 4 5 6 7 8; do click "$x" 9; done; to 9 8.6; picture spawn
    press v; chord shift k; click 5 6.5; to 5.6 6.8; picture fault
    press v; click 7 7; press period period; picture inspect
    palette "agents.2.sensors.0.range_m = 4"; picture edit-robot
    press Escape; chord ctrl f; say "turn_rad"; picture sliders
}
undo() {
    open six-robots.ron --paused --size 1280x800
    to 3 3; down; to 3.5 4; to 4 5; up
    press w; to 1 1; down; to 5 1; to 9 1; up
    press v; chord shift k; click 5 6.5
    press v F7; chord ctrl z; chord ctrl z; move 640 700
    picture undo 8 # after the notices
}
follow() {
    open milling --size 1280x800 --speed 4
    sleep 4; press space
    press Tab f f t space; picture follow 6
}
fields() {
    open milling --speed 8 --size 1280x800
    palette "groups.millers.count = 12"
    press t; sleep 2.5; press space; picture trails
    press t h space; sleep 1; press space; picture heatmap
    press h; chord ctrl p; say "robots"; picture palette
}
links() {
    open formation-lossy --size 1280x800
    sleep 5; press space; picture links
}
compare() {
    open milling --speed 4 --size 1280x800
    palette "Compare with a changed parameter"; sleep 0.6
    say "detected turn"; press Return; say "1.0"; press Return; sleep 10; press space; move 640 788; picture compare
}
plots() {
    open milling --speed 4 --size 1280x800
    sleep 8; press space; move 300 680; picture plots
    palette "groups.millers.sensors.0.range_m = 1.5"
    move 1193 317; xdotool click 1; sleep 0.8; say "short range"; move 1156 367; xdotool click 1; sleep 1
    press Escape; move 1193 317; xdotool click 1; picture presets 6
}

# Moving pictures: `film` begins one, and `cut NAME [COLOURS]` ends it.
film() {
    ffmpeg -loglevel error -y -f x11grab -framerate 7 -video_size 1280x800 -draw_mouse 1 -i "$DISPLAY" \
        -c:v libx264 -preset ultrafast -qp 0 "$work/grab.mkv" &
    grab=$!
    sleep 1.2
}
cut() {
    kill -INT "$grab"
    wait "$grab" || true
    grab=
    ffmpeg -loglevel error -y -i "$work/grab.mkv" -filter_complex \
        "trim=start=0.6,setpts=PTS-STARTPTS,scale=640:400:flags=area,split[a][b];[a]palettegen=max_colors=${2:-32}:stats_mode=full[p];[b][p]paletteuse=dither=none:diff_mode=rectangle" \
        "$folder/$1.gif"
}

# The moving picture of the timeline: a swarm runs, the timeline is dragged back, the sensors get narrower, a second branch grows.
glide() { # FROM_X FROM_Y TO_X TO_Y STEPS
    for step in $(seq 0 "$5"); do
        xdotool mousemove $(($1 + ($3 - $1) * step / $5)) $(($2 + ($4 - $2) * step / $5))
        sleep 0.06
    done
}
timeline() {
    open milling --speed 8 --size 1280x800 --paused
    for panel in "Hide or show the gallery" "Show or hide the notes" "Hide or show the world tree" \
        "Hide or show the inspector"; do palette "$panel"; done
    press t
    move 600 480
    film
    press space; sleep 3.4; press space
    glide 600 480 930 765 6
    down; glide 930 765 450 765 20; up
    glide 450 765 1066 259 8
    down; glide 1066 259 1059 259 14; up
    glide 1059 259 1000 470 4
    press space; sleep 4.6
    cut timeline
}
# From a slider to a curve, from a point to one of its runs.
sweep() {
    open milling --size 1280x800 --paused
    move 1100 440
    film
    glide 1100 440 1250 468 6; xdotool click 1; sleep 0.8
    glide 1250 468 1100 620 6; xdotool click 1; sleep 1
    glide 1100 620 56 615 8; xdotool click 1; sleep 5
    glide 56 615 300 560 6; sleep 1; glide 300 560 535 560 8; sleep 1.2
    xdotool click 1; sleep 1.5
    glide 535 560 980 640 8; sleep 0.6
    picture sweep 0.1
    xdotool click 1; sleep 2.5
    move 900 200; sleep 1.5
    cut sweep 40
}

[ $# -gt 0 ] || set -- tools undo follow fields links compare plots timeline sweep
for set in "$@"; do "$set"; done
