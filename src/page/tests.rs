//! Tests of whole pages: their data are read back and compared with the simulation and with its pictures.

use std::f64::consts::TAU;
use std::io::Write as _;
use std::process::{Command, Stdio};

use bevy::math::DVec2;
use serde_json::{Value, json};
use swarmarium_core::agent::Pose;
use swarmarium_draw::{ColorBy, Overlay, Overlays, View};
use swarmarium_formats::load::load;
use swarmarium_formats::standard::Standard as _;
use swarmarium_picture::{Layer, Picture, Theme};
use swarmarium_scene::scene::Scene;
use swarmarium_simulation::edit::Edit;
use swarmarium_simulation::simulation::{Recipe, Simulation};

use crate::numbers::reading::Reader;
use crate::numbers::{self, SIDE, TURN};
use crate::recorder::MOST_EVENTS;
use crate::sketch::Sketch;
use crate::{About, Options, Page, PageError, PageRecorder, SceneFile};

/// A shipped scene with values of its parameters.
fn scene(name: &str, values: &[&str]) -> Scene {
    let values: Vec<_> = values.iter().map(|value| value.parse().unwrap()).collect();
    load(Recipe::standard().kinds(), name, &values).unwrap().scene
}

fn about() -> About {
    let file = SceneFile { name: "a.ron".into(), bytes: b"Scene()".to_vec() };
    About { command: "swarmarium open a.ron".into(), file, ..About::default() }
}

/// Records so many steps; `act` comes before each of them, and `see` after.
fn record(
    scene: &Scene,
    threads: usize,
    steps: u64,
    options: Options,
    mut act: impl FnMut(&mut Simulation),
    mut see: impl FnMut(&Simulation),
) -> (PageRecorder, Simulation) {
    let mut simulation = Simulation::with(scene, &Recipe::standard(), threads).unwrap();
    let mut recorder = PageRecorder::new(&simulation, options).unwrap();
    see(&simulation);
    for _ in 0..steps {
        act(&mut simulation);
        simulation.step(1);
        recorder.observe(&simulation).unwrap();
        see(&simulation);
    }
    (recorder, simulation)
}

fn page_of(scene: &Scene, threads: usize, steps: u64) -> Page {
    let (recorder, simulation) = record(scene, threads, steps, Options::default(), |_| {}, |_| {});
    recorder.write(&simulation, &about()).unwrap()
}

/// The data of a page, read as the script reads them.
struct Run {
    head: Value,
    /// The states, positions in metres and headings of each robot.
    robots: Vec<(Vec<i64>, [Vec<f64>; 2], Vec<f64>)>,
    /// The poses of each moving thing.
    things: Vec<Vec<Pose>>,
    metrics: Vec<Vec<f32>>,
    file: Vec<u8>,
}

impl Run {
    fn of(recorder: &PageRecorder, simulation: &Simulation) -> Self {
        let bytes = recorder.data(simulation, &about()).unwrap().bytes;
        let length = u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize;
        let head: Value = serde_json::from_slice(&bytes[4..4 + length]).unwrap();
        let mut reader = Reader(&bytes[4 + length..]);
        let list = |name: &str| head[name].as_array().unwrap().clone();
        let count = |value: &Value| value["count"].as_u64().unwrap() as usize;
        let counts: Vec<usize> = list("robots").iter().map(count).collect();
        let vector = |name: &str| -> [f64; 2] { std::array::from_fn(|axis| head[name][axis].as_f64().unwrap()) };
        let (origin, step) = (vector("origin_m"), vector("step_m"));
        let metres = |axis: usize, whole: Vec<i64>| -> Vec<f64> {
            whole.into_iter().map(|whole| origin[axis] + whole as f64 * step[axis]).collect()
        };
        let turns =
            |whole: Vec<i64>| -> Vec<f64> { whole.into_iter().map(|whole| whole as f64 / TURN as f64 * TAU).collect() };
        let states: Vec<_> = counts.iter().map(|count| reader.states(*count)).collect();
        let x: Vec<_> = counts.iter().map(|count| metres(0, reader.positions(*count))).collect();
        let y: Vec<_> = counts.iter().map(|count| metres(1, reader.positions(*count))).collect();
        let headings: Vec<_> = counts.iter().map(|count| turns(reader.headings(*count))).collect();
        let robots =
            states.into_iter().zip(x).zip(y).zip(headings).map(|(((states, x), y), turns)| (states, [x, y], turns));
        let robots = robots.collect();
        let mut things = Vec::new();
        for thing in list("things").iter().filter(|thing| thing["moves"] == true) {
            let count = (thing["to"].as_u64().unwrap() - thing["from"].as_u64().unwrap()) as usize;
            let (x, y) = (metres(0, reader.positions(count)), metres(1, reader.positions(count)));
            let headings = turns(reader.headings(count));
            let pose = |at: usize| Pose { position_m: DVec2::new(x[at], y[at]), heading_rad: headings[at] };
            things.push((0..count).map(pose).collect());
        }
        let mut rest = reader.0;
        let mut take = |count: usize| {
            let (taken, left) = rest.split_at(count);
            rest = left;
            taken.to_vec()
        };
        let value = |bytes: &[u8]| f32::from_le_bytes(bytes.try_into().unwrap());
        let metrics =
            list("metrics").iter().map(|metric| take(4 * count(metric)).chunks(4).map(value).collect()).collect();
        for thing in list("things").iter().filter(|thing| thing["sketch"]["kind"] == "cells") {
            take(count(&thing["sketch"]));
        }
        let file = take(head["file"]["bytes"].as_u64().unwrap() as usize);
        assert!(rest.is_empty(), "{} bytes are left", rest.len());
        Self { head, robots, things, metrics, file }
    }
}

#[test]
fn poses_and_metrics_are_those_of_the_run_within_a_step() {
    let mut seen: Vec<(u64, u32, Pose)> = Vec::new();
    let mut values = Vec::new();
    let see = |simulation: &Simulation| {
        seen.extend(simulation.agents().map(|agent| (simulation.steps(), agent.id.index(), agent.pose)));
        values.push(simulation.metrics());
    };
    let (recorder, simulation) = record(&scene("milling", &[]), 1, 400, Options::default(), |_| {}, see);
    assert_eq!(recorder.steps_per_frame(), 4);
    let run = Run::of(&recorder, &simulation);
    assert_eq!(run.head["time"]["frames"], 101);
    assert_eq!(run.head["hash"], format!("{:016x}", simulation.hash_of_step().0));
    let step_m: f64 = run.head["step_m"][0].as_f64().unwrap().max(run.head["step_m"][1].as_f64().unwrap());
    assert!(step_m < 20.0 / SIDE as f64, "{step_m}");
    let low = simulation.scene().arena.corner_m;
    for (step, agent, pose) in seen.into_iter().filter(|(step, ..)| step % 4 == 0) {
        let (states, [x, y], headings) = &run.robots[agent as usize];
        let frame = (step / 4) as usize;
        assert!(states[frame] > 1 && states[frame] % 2 == 0);
        let found = DVec2::new(x[frame], y[frame]) + low;
        assert!((found - pose.position_m).abs().max_element() <= 0.51 * step_m + 1e-6, "{found} {pose:?}");
        let turned = swarmarium_base::math::wrap_angle(headings[frame] - pose.heading_rad);
        assert!(turned.abs() <= 0.51 * TAU / TURN as f64, "{turned}");
    }
    for (column, found) in run.metrics.iter().enumerate() {
        let expected: Vec<f32> =
            values.iter().map(|values| values.get(column).map_or(f32::NAN, |value| *value as f32)).collect();
        assert!(found.iter().zip(&expected).all(|(one, other)| one == other || (one.is_nan() && other.is_nan())));
        assert_eq!(found.len(), expected.len());
    }
    assert_eq!(run.file, b"Scene()");
}

/// The shapes of a frame of a recorder, rebuilt from its parts, layer by layer.
fn rebuilt(recorder: &PageRecorder, frame: usize, pixels_per_m: f64, low: DVec2) -> Vec<Sketch> {
    let mut all: Vec<Sketch> = Vec::new();
    let mut things: Vec<_> = recorder.surroundings.things.iter().collect();
    things.sort_by_key(|thing| (thing.sketch.layer, thing.order));
    for thing in things.into_iter().filter(|thing| thing.frames[0] <= frame && frame < thing.frames[1]) {
        let pose = thing.poses.get(frame - thing.frames[0]).copied();
        all.push(pose.map_or_else(|| thing.sketch.clone(), |pose| thing.sketch.at(&pose)));
    }
    for track in recorder.robots.values() {
        let Some(state) = frame.checked_sub(track.from).and_then(|at| track.states.get(at)) else { continue };
        let [x, y, turns] = track.poses[frame - track.from].map(f64::from);
        let pose = Pose { position_m: DVec2::new(x, y) + low, heading_rad: turns * TAU };
        let body = recorder.bodies.get(*state as usize / 2 - 1).unwrap();
        let radius_px = body.radius_m * pixels_per_m;
        let level = usize::from(radius_px >= 1.5) + usize::from(radius_px >= 5.0);
        for scaled in &body.levels[level] {
            let mut sketch = scaled.sketch.clone();
            sketch.numbers.iter_mut().zip(&scaled.pixels).for_each(|(m, px)| *m += px / pixels_per_m);
            let upright = Pose { heading_rad: 0.0, ..pose };
            all.push(sketch.at(if sketch.layer == Layer::Agents { &pose } else { &upright }));
        }
    }
    all.sort_by_key(|sketch| sketch.layer);
    all
}

/// The shapes of the recorder's picture, layer by layer.
fn drawn(picture: &Picture) -> Vec<Sketch> {
    let mut all: Vec<Sketch> = picture.items.iter().map(Sketch::of).collect();
    all.sort_by_key(|sketch| sketch.layer);
    all
}

#[test]
fn frames_have_the_shapes_of_the_pictures_of_videos() {
    let overlays = Overlays::NONE.with(Overlay::Grid).with(Overlay::Fields);
    let shipped = swarmarium_scene::scene::shipped::all().map(|(name, _)| name);
    let mut compared = 0;
    for name in shipped {
        let scene = scene(name, &[]);
        let mut view = View::fit(&scene, DVec2::new(1280.0, 720.0));
        view.overlays = overlays;
        let mut pictures = Vec::new();
        let see = |simulation: &Simulation| {
            let every = ((0.1 / simulation.time().dt_s).round() as u64).max(1);
            if simulation.steps().is_multiple_of(every) {
                pictures.push(drawn(&simulation.picture(&view)));
            }
        };
        let (recorder, simulation) = record(&scene, 1, 30, Options::default(), |_| {}, see);
        // Fields are shown once a second only.
        if !scene.fields.is_empty() || simulation.count() > 600 {
            continue;
        }
        for (frame, expected) in pictures.iter().enumerate() {
            let found = rebuilt(&recorder, frame, view.camera.pixels_per_m, scene.arena.corner_m);
            assert_eq!(found.len(), expected.len(), "{name}: frame {frame}");
            for (found, expected) in found.iter().zip(expected) {
                let tolerance_m = 1e-5 * scene.arena.size_m.max_element();
                assert!(found.is_near(expected, tolerance_m), "{name}: frame {frame}: {found:?}, not {expected:?}");
            }
            compared += found.len();
        }
    }
    assert!(compared > 10_000, "{compared}");
}

#[test]
fn robots_that_jump_die_and_come_are_in_the_data() {
    let mut scene = scene("milling", &["arena.boundary=Periodic"]);
    scene.groups[0].look.trail_s = 3.0;
    let act = |simulation: &mut Simulation| {
        let edit = match simulation.steps() {
            10 => Edit::Move { agent: 0, x_m: 1.0, y_m: 1.0, heading_rad: 0.0 },
            20 => Edit::Set { path: "groups.millers.count".into(), value: "8".into() },
            30 => Edit::Set { path: "groups.millers.look.color".into(), value: "\"orange\"".into() },
            _ => return,
        };
        simulation.apply(edit).unwrap();
    };
    let (recorder, simulation) = record(&scene, 1, 60, Options::default(), act, |_| {});
    let run = Run::of(&recorder, &simulation);
    let jumps = |robot: usize| -> Vec<usize> {
        let states = run.robots[robot].0.iter().enumerate();
        states.filter(|(_, state)| *state % 2 == 1).map(|(frame, _)| frame).collect()
    };
    // Step 11 has the edit, and frame 3 is step 12.
    assert_eq!(jumps(0), [3]);
    assert!(jumps(1).is_empty());
    let captions = run.head["captions"].as_array().unwrap();
    assert_eq!(captions.len(), 3, "{captions:?}");
    assert_eq!(captions[1][0], 0.525);
    assert!(run.robots.len() >= 6);
    let first = |robot: usize| run.robots[robot].0[0] / 2;
    assert_ne!(run.robots[0].0.last().unwrap() / 2, first(0), "another colour is another body");
    assert_eq!(run.head["groups"][0]["trail_s"], 3.0);
}

#[test]
fn objects_that_are_pushed_move_and_others_stand() {
    let scene = scene("transport", &[]);
    let (recorder, simulation) = record(&scene, 1, 1200, Options::default(), |_| {}, |_| {});
    let run = Run::of(&recorder, &simulation);
    assert!(!run.things.is_empty(), "nothing moves");
    let way_m = |poses: &Vec<Pose>| poses[0].position_m.distance(poses[poses.len() - 1].position_m);
    assert!(run.things.iter().any(|poses| way_m(poses) > 1e-3));
    let still = run.head["things"].as_array().unwrap().iter().filter(|thing| thing["moves"] == false).count();
    assert!(still >= 2, "the floor and the walls stand");
}

#[test]
fn equal_runs_give_equal_bytes_with_any_number_of_threads() {
    let scene = scene("milling", &["groups.millers.count=40"]);
    let page = page_of(&scene, 1, 200);
    assert_eq!(page.html, page_of(&scene, 1, 200).html);
    assert_eq!(page.html, page_of(&scene, 4, 200).html);
    let other = Scene { seed: 8, ..scene };
    assert_ne!(page.html, page_of(&other, 1, 200).html);
}

#[test]
fn a_page_needs_nothing_else_and_texts_are_escaped() {
    let mut scene = scene("milling", &[]);
    scene.name = "</title><script>alert(\"x\")</script> {{data}} & 'more'".into();
    scene.about = "<img src=x onerror=alert(1)>\nsecond".into();
    let page = page_of(&scene, 1, 20);
    let html = &page.html;
    assert!(html.starts_with("<!DOCTYPE html>") && html.trim_end().ends_with("</html>"));
    for tag in ["<script", "</script>"] {
        assert_eq!(html.matches(tag).count(), 2, "{tag}");
    }
    assert!(!html.contains("<img"));
    assert!(html.contains("&lt;img src=x onerror=alert(1)&gt;<br>second"), "the description is text");
    assert!(html.contains("{{data}} &amp; &#39;more&#39;"), "a marker in a text is text");
    assert!(html.contains("default-src 'none'"));
    for word in ["http://", "https://", "src=\"", "@import", "url(", "fetch(", "XMLHttpRequest", "WebSocket", "eval("] {
        assert!(!html.contains(word), "{word}");
    }
    assert!(html.contains("<code id=\"command\">swarmarium open a.ron</code>"));
    for id in html.split("$('").skip(1).map(|rest| rest.split('\'').next().unwrap()) {
        assert!(html.contains(&format!("id=\"{id}\"")), "the script uses {id}");
    }
    // The colours of the page are those of the themes.
    let ground = swarmarium_picture::palette::hex(Theme::Dark.rgb(swarmarium_picture::Role::Ground));
    assert!(html.contains(&format!("--ground:{ground};")));
}

#[test]
fn two_hundred_robots_for_five_minutes_have_less_than_five_megabytes() {
    let scene = scene("milling", &["groups.millers.count=200", "groups.millers.spawn.radius_m=4"]);
    let page = page_of(&scene, 1, 12_000);
    assert_eq!((page.robots, page.frames), (200, 3001));
    assert!(page.html.len() <= 5_000_000, "{} bytes", page.html.len());
    println!("{} bytes", page.html.len());
}

#[test]
fn bad_options_and_large_pages_are_errors() {
    let few = scene("milling", &[]);
    let simulation = Simulation::with(&few, &Recipe::standard(), 1).unwrap();
    let refused = |options: Options| PageRecorder::new(&simulation, options).unwrap_err().to_string();
    assert_eq!(refused(Options { rate_hz: 0.0, ..Options::default() }), "rate 0 Hz: expected 0.01 to 1000");
    assert!(refused(Options { rate_hz: f64::NAN, ..Options::default() }).starts_with("rate NaN Hz"));
    let speed = refused(Options { color_by: ColorBy::Speed, ..Options::default() });
    assert_eq!(speed, "colours by `speed` change at every step: expected group or state");
    let many = scene("milling", &["groups.millers.count=60", "groups.millers.spawn.radius_m=4"]);
    let page = |options: Options| {
        let (recorder, simulation) = record(&many, 1, 2000, options, |_| {}, |_| {});
        recorder.write(&simulation, &about())
    };
    let whole = page(Options::default()).unwrap().html.len();
    let least = page(Options { rate_hz: 0.1, ..Options::default() }).unwrap().html.len();
    let options = Options { max_bytes: whole - (whole - least) / 3, ..Options::default() };
    let error = page(options).unwrap_err();
    let PageError::TooLarge { rate_hz: Some(rate_hz), from_hz, .. } = error else { panic!("{error}") };
    assert!(rate_hz < from_hz && rate_hz >= 1.0, "{error}");
    assert!(error.to_string().contains("MB: expected at most 0.1 MB; a rate of"), "{error}");
    assert!(page(Options { rate_hz, ..options }).is_ok(), "the rate is low enough");
    let error = page(Options { max_bytes: least / 2, ..options }).unwrap_err();
    assert!(matches!(error, PageError::TooLarge { rate_hz: None, .. }), "{error}");
    assert!(error.to_string().contains("MB; a shorter part of the run makes it smaller"), "{error}");
}

#[test]
fn a_page_ends_with_the_last_step() {
    let (mut recorder, simulation) = record(&scene("milling", &[]), 1, 61, Options::default(), |_| {}, |_| {});
    recorder.finish(&simulation).unwrap();
    recorder.finish(&simulation).unwrap();
    let run = Run::of(&recorder, &simulation);
    let time = &run.head["time"];
    assert_eq!((&time["frames"], &time["frame_s"], &time["last_s"]), (&json!(17), &json!(0.1), &json!(1.525)));
    let low = simulation.scene().arena.corner_m;
    for agent in simulation.agents() {
        let (states, [x, y], _) = &run.robots[agent.id.index() as usize];
        assert_eq!((states.len(), states[16] % 2), (17, 0), "the shorter way is not a jump");
        assert!((DVec2::new(x[16], y[16]) + low).distance(agent.pose.position_m) < 1e-3);
    }
}

/// Runs a script with the functions of the page and its data as `run`, and returns the JSON that it prints; `None` without
/// Node.js.
fn in_node(recorder: &PageRecorder, simulation: &Simulation, script: &str) -> Option<Value> {
    let program = format!(
        "const {{ inflate, readRun, poseOf, frameAt }} = require({:?});\n\
         const run = readRun(inflate(require('fs').readFileSync(0)));\n\
         console.log(JSON.stringify({script}));",
        concat!(env!("CARGO_MANIFEST_DIR"), "/page.js")
    );
    let mut node = Command::new("node");
    let node = node.args(["-e", &program]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut node = node.spawn().ok()?;
    let bytes = numbers::deflate(&recorder.data(simulation, &about()).unwrap().bytes);
    node.stdin.take().unwrap().write_all(&bytes).unwrap();
    let output = node.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

#[test]
fn the_script_reads_the_data_and_interpolates_between_frames() {
    let scene = scene("milling", &[]);
    let (mut recorder, simulation) = record(&scene, 1, 61, Options::default(), |_| {}, |_| {});
    recorder.finish(&simulation).unwrap();
    let script = "{ poses: [[3, 0], [3, 0.5], [16, 0]].map(([frame, part]) => poseOf(run.robots[2], frame, part)), \
                  places: [0, 0.25, 1.5, 1.5125, 1.525, 9].map((time) => frameAt(run.time, time)), \
                  file: String.fromCharCode(...run.file.data) }";
    // A machine without Node.js has no JavaScript outside of a browser.
    let Some(found) = in_node(&recorder, &simulation, script) else { return };
    let run = Run::of(&recorder, &simulation);
    let (_, [x, y], headings) = &run.robots[2];
    let pose = |frame: usize| [x[frame], y[frame], headings[frame]];
    let [before, after] = [pose(3), pose(4)];
    let middle: [f64; 3] = std::array::from_fn(|axis| (before[axis] + after[axis]) / 2.0);
    for (place, expected) in [before, middle, pose(16)].into_iter().enumerate() {
        for (name, expected) in ["x", "y", "heading"].into_iter().zip(expected) {
            let value = found["poses"][place][name].as_f64().unwrap();
            assert!((value - expected).abs() < 1e-4, "{place} {name}: {value}, not {expected}");
        }
    }
    let places: Vec<f64> = found["places"]
        .as_array()
        .unwrap()
        .iter()
        .map(|place| place["frame"].as_f64().unwrap() + place["part"].as_f64().unwrap())
        .collect();
    let expected = [0.0, 2.5, 15.0, 15.5, 16.0, 16.0];
    assert!(places.iter().zip(expected).all(|(one, other)| (one - other).abs() < 1e-6), "{places:?}");
    assert_eq!(found["file"], "Scene()");
}

#[test]
fn robots_of_random_colours_have_no_common_one() {
    let scene = scene("milling", &["groups.millers.look.color=\"random\""]);
    let (recorder, simulation) = record(&scene, 1, 4, Options::default(), |_| {}, |_| {});
    let run = Run::of(&recorder, &simulation);
    assert_eq!(run.head["groups"][0]["color"], Value::Null);
}

#[test]
fn events_beyond_the_first_are_counted() {
    let scene = scene("collective_perception", &["groups.robots.count=100"]);
    let (recorder, simulation) = record(&scene, 1, 1200, Options::default(), |_| {}, |_| {});
    let all = simulation.events().count();
    assert!(all > MOST_EVENTS as u64, "{all}");
    assert_eq!((recorder.events.len(), recorder.left_out), (MOST_EVENTS, all - MOST_EVENTS as u64));
}

#[test]
fn colours_by_state_have_a_legend() {
    let scene = scene("foraging", &[]);
    let options = Options { color_by: ColorBy::State, ..Options::default() };
    let (recorder, simulation) = record(&scene, 1, 40, options, |_| {}, |_| {});
    let run = Run::of(&recorder, &simulation);
    let colors = run.head["colors"].as_array().unwrap();
    let legend: Vec<(&str, &str)> = run.head["legend"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| (entry[1].as_str().unwrap(), colors[entry[0].as_u64().unwrap() as usize][0].as_str().unwrap()))
        .collect();
    let expected = [("1 search", "#56b4e9"), ("2 carry", "#e69f00"), ("3 deliver", "#009e73"), ("4 leave", "#cc79a7")];
    assert_eq!(legend, expected);
    assert!(run.head["bodies"].as_array().is_some_and(|bodies| !bodies.is_empty()));
}
