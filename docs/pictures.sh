#!/usr/bin/env bash
# Takes the pictures of the reference of the window, docs/images/window/, in a real window driven by mouse and keys.
# Needs a display of its own without a window manager, xdotool, ImageMagick and ffmpeg:
#     xvfb-run -a -s "-screen 0 1440x900x24" docs/pictures.sh [NAME…]
# such as `docs/pictures.sh tools timeline`; without a name, all sets: tools, undo, follow, fields, links, compare, plots,
# presets, timeline, sweep, milling (docs/images/milling.png), first-swarm (docs/tutorials/first-swarm.md), and tutorials (docs/
# tutorials/first-scene.md and first-script.md; without a display).
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
    for _ in $(seq 240); do
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
# Empty ground of the window, without a tooltip.
away() { move 700 533; }
press_here() { xdotool mousedown 1; sleep 0.2; xdotool mouseup 1; sleep 0.8; }
# Waits until the window above the status line does not change: time is paused, and notices have gone.
still() {
    local last="" now count=0
    for _ in $(seq 300); do
        now=$(import -window root -crop 1280x774+0+0 +repage rgb:- | md5sum)
        [ "$now" = "$last" ] && count=$((count + 1)) || count=0
        [ "$count" -lt "${1:-8}" ] || return 0
        last=$now
        sleep 0.5
    done
    echo "the window does not come to rest" >&2
}
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
    press v F7; chord ctrl z; chord ctrl z; away; still
    picture undo
}
follow() {
    open milling --size 1280x800 --speed 4
    sleep 4; press space
    press Tab f f t space; away; sleep 6; press space; still; picture follow
}
fields() {
    open milling --speed 8 --size 1280x800
    palette "groups.millers.count = 12"
    press t; away; sleep 2.5; press space; still; picture trails
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
    say "detected turn"; press Return; say "1.0"; press Return; sleep 10; press space; away; still; picture compare
}
plots() {
    open milling --speed 4 --size 1280x800
    sleep 8; press space; move 300 650; picture plots
}
presets() {
    open milling --speed 4 --size 1280x800
    sleep 6; press space
    palette "groups.millers.sensors.0.range_m = 1.5"
    move 1193 303; press_here; say "short range"; move 1157 364; press_here
    press Escape; away; still
    move 1193 303; press_here; away; picture presets
}

# Moving pictures: `film` begins one, or its next part after `halt`, and `cut NAME [COLOURS]` ends it.
parts=0
film() {
    parts=$((parts + 1))
    ffmpeg -loglevel error -y -f x11grab -framerate 7 -video_size 1280x800 -draw_mouse 1 -i "$DISPLAY" \
        -c:v libx264 -preset ultrafast -qp 0 "$work/grab-$parts.mkv" &
    grab=$!
    sleep 1.2
}
halt() {
    kill -INT "$grab"
    wait "$grab" || true
    grab=
}
cut() {
    halt
    local inputs=() filter="" joined=""
    for part in $(seq "$parts"); do
        inputs+=(-i "$work/grab-$part.mkv")
        filter+="[$((part - 1))]trim=start=0.6,setpts=PTS-STARTPTS[p$part];"
        joined+="[p$part]"
    done
    ffmpeg -loglevel error -y "${inputs[@]}" -filter_complex \
        "$filter${joined}concat=n=$parts:v=1:a=0,scale=640:400:flags=area,split[a][b];[a]palettegen=max_colors=${2:-32}:stats_mode=full[p];[b][p]paletteuse=dither=none:diff_mode=rectangle" \
        "$folder/$1.gif"
    parts=0
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
    glide 450 765 1000 358 8 # the slider "Sight half angle"
    down; glide 1000 358 955 358 14; sleep 0.6; up
    glide 955 358 700 533 4
    press space; sleep 4.6
    cut timeline
}
# From a slider to a curve, from a point to one of its runs.
sweep() {
    open milling --size 1280x800 --paused
    move 1100 440; xdotool click 5; sleep 1.5 # the panel Parameters scrolls to "Sight half angle"
    away; still 3
    film
    glide 700 533 1250 456 8; press_here
    glide 1250 456 1097 636 6; press_here; sleep 0.6
    glide 1097 636 56 584 8; press_here; sleep 5
    # On a busy computer the runs take long.
    halt
    for _ in $(seq 600); do [ -e "$XDG_DATA_HOME/swarmarium/sweeps/milling/report.html" ] && break; sleep 1; done
    move 110 450; press_here; move 38 450; press_here # another figure and back: the panel has the last runs
    still
    film
    glide 38 450 300 560 6; sleep 0.6; glide 300 560 538 544 8; sleep 1.8
    press_here; sleep 1.5
    glide 538 544 980 634 8; sleep 0.6
    picture sweep 0.1
    press_here; sleep 3.5
    move 800 250; sleep 1.5
    cut sweep 40
}
# The picture of the first page of the book.
milling() {
    close
    "$program" open milling --screenshot "$work/milling.png" --at 60 --size 1280x800 2>"$work/log"
    convert "$work/milling.png" -resize 960x600 -dither None -colors 96 -strip "png8:${PICTURES:-docs/images}/milling.png"
}
first-swarm() {
    close
    docs/images/first-swarm/pictures.sh "$program" "${PICTURES:-docs/images/first-swarm}"
}

# The pictures of docs/tutorials/first-scene.md and first-script.md: the world of their last scenes, without a window.
last_text() { # PAGE FILE: the last text of a file in a page
    awk -v name="**\`$2\`**" '$0 == name { wanted = 1 } /^```/ { if (inside) { inside = 0; kept = text }
        else if (wanted) { inside = 1; wanted = 0; text = ""; next } } inside { text = text $0 "\n" } END { printf "%s", kept }' \
        "docs/tutorials/$1.md" >"$work/$2"
}
world() { # NAME SCENE OPTION…
    local folder=${PICTURES:-docs/images/tutorials}
    mkdir -p "$folder"
    "$program" record "$work/$2" --frames 1 --overlay trails --quiet --overwrite -o "$work/world.png" "${@:3}"
    convert "$work/world.png" -dither None -colors 64 -strip "png8:$folder/$1.png"
}
tutorials() {
    last_text first-scene room.ron
    world first-scene room.ron --seed 1 --from 135.25 --trail 40 --size 720x480
    last_text first-script explore.ron
    last_text first-script explore.luau
    world first-script explore.ron --from 10 --trail 10 --size 480x480
}

[ $# -gt 0 ] || set -- tools undo follow fields links compare plots presets timeline sweep milling first-swarm tutorials
for set in "$@"; do "$set"; done
