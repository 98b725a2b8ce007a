//! Sensors and other parts of robots.

use std::f64::consts::{FRAC_PI_3, PI, TAU};
use std::fmt::Write as _;

use swarmarium_core::text::wording::shown;

use super::color;
use super::values::{Pose, Reader};

/// The properties of all models that scenes express elsewhere, or that have no meaning for a part of a robot.
const OF_PARTS: [&str; 24] = [
    "name",
    "pose",
    "size",
    "origin",
    "color",
    "color_rgba",
    "update_interval",
    "obstacle_return",
    "ranger_return",
    "laser_return",
    "blob_return",
    "blobfinder_return",
    "fiducial_return",
    "gripper_return",
    "noblocks",
    "watts",
    "mass",
    "block",
    "points",
    "point",
    "polygons",
    "polygon",
    "blocks",
    "z",
];
/// The default range (m) of rangers, and that of early lasers.
const RANGE_M: [f64; 2] = [5.0, 8.0];
/// The most rays of a sensor.
const MAX_RAYS: f64 = 4096.0;

/// The parts of a robot, as texts of a scene.
#[derive(Default)]
pub struct Parts {
    /// Sensors.
    pub sensors: Vec<String>,
    /// The slot of the first infrared sensor.
    pub infrared: Option<usize>,
    /// The gripper.
    pub gripper: Option<String>,
}

/// One beam, or a fan of rays.
struct Transducer {
    pose: Pose,
    range_m: (f64, f64),
    fov_rad: f64,
    samples: f64,
    noise: String,
}

/// Reads the parts of a model that belongs to a robot. `frame` is the pose of the model on the robot; `step_s` the time of a
/// step, and `fiducials` the choice of things that fiducial finders see.
pub fn add(reader: &mut Reader, model: usize, frame: Pose, parts: &mut Parts, step_s: f64, fiducials: &str) {
    let children = reader.world.models[model].children.clone();
    for child in children {
        let kind = reader.kind_of(child).to_owned();
        let pose = frame.of_part(reader.pose(child, "pose").unwrap_or_default());
        let rate = rate(reader, child, step_s);
        match kind.as_str() {
            "block" | "sensor" => continue,
            "ranger" | "sonar" => ranger(reader, child, pose, &rate, parts),
            "laser" => laser(reader, child, pose, &rate, parts),
            "fiducial" | "fiducialfinder" => fiducial(reader, child, &rate, parts, fiducials),
            "blobfinder" => blobfinder(reader, child, pose, &rate, parts),
            "bumper" => bumper(reader, child, &rate, parts),
            "gripper" => gripper(reader, child, pose, parts),
            "model" => {
                reader.warn(child, "a body on a robot is left out: the robot has the outline of its own blocks");
                reader.note_lost(child, &OF_PARTS);
            }
            "position" => reader.warn(child, "a `position` model on a robot is left out"),
            kind => {
                let kind = shown(kind);
                reader.warn(child, format!("`{kind}` has no equivalent, and is left out"));
            }
        }
        add(reader, child, pose, parts, step_s, fiducials);
    }
}

/// The rate of a sensor as fields of a scene; empty for every step.
fn rate(reader: &mut Reader, model: usize, step_s: f64) -> String {
    match reader.number(model, "update_interval") {
        Some(interval_ms) if interval_ms > 1000.0 * step_s && interval_ms <= 1e9 => {
            format!(", rate_hz: {:?}", 1000.0 / interval_ms)
        }
        _ => String::new(),
    }
}

/// A pose as fields of a mount.
fn mount(Pose { at_m, heading_rad }: Pose) -> String {
    match at_m.length() == 0.0 && heading_rad == 0.0 {
        true => String::new(),
        false => format!(", mount: (x_m: {:?}, y_m: {:?}, yaw_rad: {heading_rad:?})", at_m.x, at_m.y),
    }
}

/// The noise of a ranger as a field. The first number is a variance.
fn noise(reader: &mut Reader, model: usize) -> String {
    let Some(numbers) = reader.lengths_m(model, "noise") else { return String::new() };
    if numbers.iter().skip(1).any(|number| *number != 0.0) {
        reader.warn_of(model, "noise", "noise in proportion to the distance, and of the direction, is left out");
    }
    match numbers[0] {
        variance if variance > 0.0 => format!(", noise: [Gaussian(std_dev: {:?})]", variance.sqrt()),
        _ => String::new(),
    }
}

/// The transducers of a ranger: its sensors, or those of early versions.
fn transducers(reader: &mut Reader, model: usize, frame: Pose) -> Vec<Transducer> {
    let mut all = Vec::new();
    for child in reader.world.models[model].children.clone() {
        if reader.kind_of(child) != "sensor" {
            continue;
        }
        let pose = frame.of_part(reader.pose(child, "pose").unwrap_or_default());
        let view = reader.numbers(child, "view");
        let range_m = reader.range_m(child, "range").unwrap_or((0.0, RANGE_M[0]));
        let mut transducer = Transducer {
            pose,
            range_m,
            fov_rad: reader.angle_rad(child, "fov").unwrap_or(0.1),
            samples: reader.number(child, "samples").unwrap_or(1.0),
            noise: noise(reader, child),
        };
        if let Some([min, max, fov]) = view.as_deref() {
            reader.warn_of(
                child,
                "view",
                "Stage ignores `view` since version 4: here it is `[min max fov]`, as before",
            );
            (transducer.range_m, transducer.fov_rad) = ((*min, *max), fov.to_radians());
        }
        reader.note_lost(
            child,
            &["pose", "size", "view", "range", "fov", "samples", "noise", "color", "color_rgba", "name"],
        );
        all.push(transducer);
    }
    let count = reader.number(model, "scount").unwrap_or_default().clamp(0.0, MAX_RAYS) as usize;
    let view = reader.lengths_m(model, "sview");
    for index in 0..count {
        let Some(pose) = reader.pose(model, &format!("spose[{index}]")) else { continue };
        let view = reader.lengths_m(model, &format!("sview[{index}]")).or_else(|| view.clone());
        let range_m = match view.as_deref() {
            Some([min, max, ..]) => (*min, *max),
            _ => (0.0, RANGE_M[0]),
        };
        all.push(Transducer { pose: frame.of_part(pose), range_m, fov_rad: 0.0, samples: 1.0, noise: String::new() });
    }
    all
}

fn ranger(reader: &mut Reader, model: usize, pose: Pose, rate: &str, parts: &mut Parts) {
    let origin = reader.pose(model, "origin").unwrap_or_default();
    let all = transducers(reader, model, pose.of_part(origin));
    if all.is_empty() {
        reader.warn(model, "this ranger has no `sensor( … )`, and is left out");
    }
    let known = ["scount", "spose", "sview", "ssize", "samples", "fov", "range"];
    reader.note_lost(model, &[OF_PARTS.as_slice(), &known].concat());
    let (beams, fans): (Vec<Transducer>, Vec<Transducer>) = all.into_iter().partition(|one| one.samples < 2.0);
    for fan in &fans {
        scanner(reader, model, fan, rate, parts);
    }
    // Beams with one range and one noise are one sensor.
    let mut left = beams;
    while !left.is_empty() {
        let (range_m, noise) = (left[0].range_m, left[0].noise.clone());
        let (alike, others): (Vec<Transducer>, Vec<Transducer>) =
            left.into_iter().partition(|one| one.range_m == range_m && one.noise == noise);
        left = others;
        let mounts: Vec<String> = alike
            .iter()
            .map(|one| format!("({:?}, {:?}, {:?})", one.pose.at_m.x, one.pose.at_m.y, one.pose.heading_rad))
            .collect();
        let (min_m, max_m) = (range_m.0.max(1e-3), range_m.1.min(1e3));
        parts.infrared = parts.infrared.or(Some(parts.sensors.len()));
        parts.sensors.push(format!(
            "Infrared(mounts: [{}], min_range_m: {min_m:?}, range_m: {max_m:?}, cone_rad: 0.0{noise}{rate})",
            mounts.join(", ")
        ));
    }
}

/// A laser of early versions, which is a ranger with one sensor.
fn laser(reader: &mut Reader, model: usize, pose: Pose, rate: &str, parts: &mut Parts) {
    let origin = reader.pose(model, "origin").unwrap_or_default();
    let max_m = reader.length_m(model, "range_max").filter(|range| *range > 0.0).unwrap_or(RANGE_M[1]);
    let fan = Transducer {
        pose: pose.of_part(origin),
        range_m: (reader.length_m(model, "range_min").unwrap_or_default().max(0.0), max_m),
        fov_rad: reader.angle_rad(model, "fov").unwrap_or(PI),
        samples: reader.number(model, "samples").unwrap_or(180.0),
        noise: String::new(),
    };
    reader.note_lost(model, &[OF_PARTS.as_slice(), &["samples", "fov", "range_max", "range_min"]].concat());
    scanner(reader, model, &fan, rate, parts);
}

fn scanner(reader: &mut Reader, model: usize, fan: &Transducer, rate: &str, parts: &mut Parts) {
    let Transducer { pose, range_m: (min_m, max_m), fov_rad, samples, noise } = fan;
    let window_deg = fov_rad.to_degrees().abs().min(360.0);
    let mut samples = samples.trunc();
    if samples > MAX_RAYS {
        reader.warn(model, format!("at most {MAX_RAYS} rays fit in a scanner, found {samples}"));
        samples = MAX_RAYS;
    }
    let (window_deg, resolution_deg) = match samples {
        2.0.. if window_deg > 0.0 => (window_deg, window_deg / (samples - 1.0)),
        _ => (0.0, 1.0),
    };
    let limits = if *min_m > 0.0 { format!(", limits: (min_range_m: {min_m:?})") } else { String::new() };
    parts.sensors.push(format!(
        "LaserScanner(window_deg: {window_deg:?}, resolution_deg: {resolution_deg:?}, range_m: {max_m:?}{}{limits}{noise}{rate})",
        mount(*pose)
    ));
}

fn fiducial(reader: &mut Reader, model: usize, rate: &str, parts: &mut Parts, sight: &str) {
    let range_m = reader.length_m(model, "range_max").unwrap_or(8.0);
    let lost =
        "reads the nearest thing in range, in all directions: `fov`, `range_min`, `range_max_id` and keys are left out";
    reader.warn(model, format!("a fiducial finder is a `Targeter`, which {lost}"));
    let known = ["range_max", "range_min", "range_max_id", "fov", "fiducial_key", "ignore_zloc"];
    reader.note_lost(model, &[OF_PARTS.as_slice(), &known].concat());
    let range_m = range_m.max(0.0);
    let reads = "[Found, Distance, Bearing, Number]";
    parts.sensors.push(format!("Targeter(range_m: {range_m:?}, reads: {reads}, sight: ({sight}){rate})"));
}

fn blobfinder(reader: &mut Reader, model: usize, pose: Pose, rate: &str, parts: &mut Parts) {
    let range_m = reader.length_m(model, "range").filter(|range| *range > 0.0).unwrap_or(12.0);
    let fov_rad = reader.angle_rad(model, "fov").unwrap_or(FRAC_PI_3).abs().min(TAU);
    let bearing_rad = pose.heading_rad + reader.angle_rad(model, "pan").unwrap_or_default();
    let names = reader.texts(model, "colors");
    let only = match names.as_slice() {
        [one] => color::named(one).map(|color| format!(", color: \"{color}\"")).unwrap_or_default(),
        _ => String::new(),
    };
    let lost = "reads range, bearing and colour of things, of any colour if there are several `colors`, and no image";
    reader.warn(model, format!("a blob finder is a `ColorCamera`, which {lost}; its robots see LEDs and objects"));
    reader
        .note_lost(model, &[OF_PARTS.as_slice(), &["range", "fov", "pan", "colors", "colors_count", "image"]].concat());
    let bearing_rad = swarmarium_base::math::wrap_angle(bearing_rad);
    parts.sensors.push(format!(
        "ColorCamera(range_m: {range_m:?}, bearing_rad: {bearing_rad:?}, fov_rad: {fov_rad:?}{only}{rate})"
    ));
}

fn bumper(reader: &mut Reader, model: usize, rate: &str, parts: &mut Parts) {
    reader.warn(model, "bumpers are one `Collision` sensor, which reads contacts of the whole body");
    reader.note_lost(model, &[OF_PARTS.as_slice(), &["bcount", "bpose", "blength"]].concat());
    let mut text = "Collision(".to_owned();
    let _ = write!(text, "{})", rate.trim_start_matches(", "));
    parts.sensors.push(text);
}

fn gripper(reader: &mut Reader, model: usize, pose: Pose, parts: &mut Parts) {
    if parts.gripper.is_some() {
        return reader.warn(model, "a robot has one gripper: this one is left out");
    }
    let size_m = reader.size_m(model).unwrap_or(bevy::math::DVec2::new(0.2, 0.3));
    let bearing_rad = if pose.at_m.length() > 0.0 { swarmarium_base::math::angle_of(pose.at_m) } else { 0.0 };
    reader.warn(model, "paddles and break beams of a gripper are left out: it grasps what is in its reach");
    reader.note_lost(model, &[OF_PARTS.as_slice(), &["paddle_size", "paddle_state", "autosnatch"]].concat());
    let reach_m = size_m.x.clamp(1e-3, 10.0);
    parts.gripper = Some(format!("(reach_m: {reach_m:?}, bearing_rad: {bearing_rad:?})"));
    parts.sensors.push("GripSensor()".to_owned());
}
