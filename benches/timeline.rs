//! Going to other moments of a run: `cargo bench --bench timeline -- [WORKLOAD [N [STEPS [THREADS]]]]` writes one JSON object
//! a line. Without arguments, 1,000 robots do 100,000 steps, and 10,000 robots 10,000.
//!
//! A run is simulated in a host twice: with its past kept within 256 MB, and without. Then the host goes to random steps,
//! one after the other, and from some of them to the neighbouring steps.

use std::time::Instant;

use swarmarium::prelude::*;
use swarmarium_host::clock::Host;

#[expect(dead_code, reason = "other benches need more of it")]
mod start;

/// The number of random steps that are gone to.
const SEEKS: u64 = 200;
/// The steps between two measurements of the cost of keyframes: the two runs go on side by side, so that both have the
/// same machine.
const SLICE: u64 = 500;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let word = |place: usize| words.get(place).map(String::as_str);
    let parse =
        |word: &str| word.parse().unwrap_or_else(|_| panic!("expected WORKLOAD N STEPS THREADS, found `{word}`"));
    let number = |place: usize| word(place).map(parse);
    let workload = word(0).unwrap_or("a");
    let threads = number(3).unwrap_or(1).max(1) as usize;
    let sizes = match (number(1), number(2)) {
        (None, _) => vec![(1_000, 100_000), (10_000, 10_000)],
        (Some(robots), steps) => vec![(robots as usize, steps.unwrap_or(10_000))],
    };
    for (robots, steps) in sizes {
        measure(workload, robots, steps, threads);
    }
}

fn host(scene: &Scene, threads: usize) -> Host {
    Host::new(scene, &Recipe::standard(), threads).unwrap_or_else(|problems| panic!("{problems}"))
}

fn seconds(act: impl FnOnce()) -> f64 {
    let began = Instant::now();
    act();
    began.elapsed().as_secs_f64()
}

/// Goes to a step; the time until it is there, in seconds.
fn seek(host: &mut Host, step: u64) -> f64 {
    seconds(|| {
        host.seek(step).unwrap_or_else(|error| panic!("{error}"));
        while host.resimulate().is_some() {
            host.continue_resimulation(|| true, |_| {});
        }
        assert_eq!(host.simulation().steps(), step);
    })
}

/// A quantile of times, in milliseconds.
fn quantile_ms(times_s: &mut [f64], part: f64) -> f64 {
    times_s.sort_by(f64::total_cmp);
    let last = times_s.len().saturating_sub(1);
    times_s.get((part * last as f64).round() as usize).map_or(f64::NAN, |time_s| time_s * 1e3)
}

fn measure(workload: &str, robots: usize, steps: u64, threads: usize) {
    let scene = start::scene(workload, robots);
    let (mut kept, mut plain) = (host(&scene, threads), host(&scene, threads));
    kept.keep_track();
    let (mut kept_s, mut plain_s, mut longest_s) = (0.0, 0.0, 0.0_f64);
    let mut hashes = Vec::new();
    for slice in 0..steps.div_ceil(SLICE) {
        let until = ((slice + 1) * SLICE).min(steps);
        plain_s += seconds(|| _ = plain.advance_to(until, || true, |_| {}));
        let mut last = Instant::now();
        kept_s += seconds(|| {
            let note = |_: &Simulation| {
                longest_s = longest_s.max(last.elapsed().as_secs_f64());
                last = Instant::now();
            };
            kept.advance_to(until, || true, note);
        });
        hashes.push((until, plain.simulation().hash()));
    }
    let stats = kept.timeline().keyframe_stats();
    // A fixed sequence of steps.
    let mut state = 7_u64;
    let mut random = |end: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % end
    };
    let (mut seeks_s, mut back_s, mut forward_s) = (Vec::new(), Vec::new(), Vec::new());
    // At the live end, too.
    for _ in 0..20 {
        let step = kept.simulation().steps() - 1;
        back_s.push(seek(&mut kept, step));
    }
    for number in 0..SEEKS {
        let step = 10 + random(steps - 20);
        seeks_s.push(seek(&mut kept, step));
        if number % 10 == 0 {
            (1..=5).for_each(|back| back_s.push(seek(&mut kept, step - back)));
            (0..5).for_each(|forth| forward_s.push(seek(&mut kept, step - 4 + forth)));
        }
    }
    for (step, hash) in hashes.iter().rev().step_by(hashes.len().div_ceil(5)) {
        seek(&mut kept, *step);
        assert_eq!(kept.simulation().hash(), *hash, "the state of step {step} is another one");
    }
    let line = serde_json::json!({
        "workload": workload, "n": robots, "threads": threads, "steps": steps,
        "step_ms": plain_s / steps as f64 * 1e3,
        "keyframes_part_of_step_time": kept_s / plain_s - 1.0,
        "longest_step_ms": longest_s * 1e3,
        "keyframes": stats.count, "keyframe_bytes": stats.bytes, "spacing": stats.spacing,
        "bytes_per_robot_and_keyframe": stats.bytes as f64 / (stats.count.max(1) * robots) as f64,
        "seek_p50_ms": quantile_ms(&mut seeks_s, 0.5), "seek_p95_ms": quantile_ms(&mut seeks_s, 0.95),
        "seek_max_ms": quantile_ms(&mut seeks_s, 1.0),
        "step_back_p95_ms": quantile_ms(&mut back_s, 0.95), "step_back_max_ms": quantile_ms(&mut back_s, 1.0),
        "step_forward_p95_ms": quantile_ms(&mut forward_s, 0.95),
    });
    println!("{line}");
}
