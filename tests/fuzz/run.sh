#!/usr/bin/env bash
# Fuzzes the readers of pySimiam worlds and drawings, of files of any importer, and of lines from clients of sockets:
# tests/fuzz/run.sh [world_xml|drawing|line] [seconds]
# tests/fuzz/run.sh importer:EXTENSION [seconds]   (an extension of `swarmarium list importers`)
# It needs a nightly toolchain and no other tool; `cargo fuzz run --fuzz-dir tests/fuzz world_xml` does the same.
# What it finds goes into the current folder; what is worth keeping, into tests/data/fuzz/, which a test replays.
set -euo pipefail
cd "$(dirname "$0")/../.."
target=${1:-world_xml}
seconds=${2:-600}
seeds="tests/data/fuzz/$target"
if [[ $target == importer:* ]]; then
    export FORMAT=${target#importer:}
    seeds="tests/data/importers/$FORMAT"
    target=importer
fi
folder="${CARGO_TARGET_DIR:-target}/fuzz"
export RUSTFLAGS="--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
-Cllvm-args=-sanitizer-coverage-trace-compares"
# The target is named so that build scripts and macros are not instrumented.
triple=$(rustc +nightly -vV | sed -n 's/^host: //p')
# The versions of the program itself.
cp Cargo.lock tests/fuzz/Cargo.lock
CARGO_TARGET_DIR="$folder" cargo +nightly build --release --manifest-path tests/fuzz/Cargo.toml --target "$triple" --bin "$target"
corpus="$folder/corpus/$target${FORMAT:+-$FORMAT}"
mkdir -p "$corpus"
exec "$folder/$triple/release/$target" "$corpus" "$seeds" \
    -max_total_time="$seconds" -max_len=4096 -timeout=10 -rss_limit_mb=2048 -dict=tests/fuzz/simiam.dict
