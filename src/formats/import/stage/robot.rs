//! Position models as robots.

use std::fmt::Write as _;

use bevy::math::DVec2;
use swarmarium_core::kind::{Kinds, Slot};
use swarmarium_core::sensor::SensorFamily;
use swarmarium_core::text::wording::shown;
use swarmarium_scene::scene::reader as scene_reader;
use swarmarium_space::polygon;

use super::object::color;
use super::sensor::{self, Parts};
use super::shape::{self, Shape};
use super::values::{Pose, Reader};

/// The properties of robots that scenes express.
const PROPERTIES: [&str; 19] = [
    "name",
    "color",
    "color_rgba",
    "drive",
    "velocity_bounds",
    "acceleration_bounds",
    "wheelbase",
    "localization",
    "localization_origin",
    "odom_error",
    "velocity",
    "ctrl",
    "obstacle_return",
    "fiducial_return",
    "ranger_return",
    "gripper_return",
    "update_interval",
    "mass",
    "power",
];
/// The speed (m/s) of a robot without bounds.
const SPEED_M_PER_S: f64 = 1.0;
/// The speed (m/s) of Stage's controller `wander`.
const WANDER_M_PER_S: f64 = 0.4;

/// A robot as a group of a scene, without its name, its colour and its pose.
pub struct Robot {
    /// The fields of its group as a text. Equal robots have equal texts.
    pub fields: String,
    /// The name of the macro or type by which the world makes it.
    pub made_by: String,
    /// Its own name, if it has one.
    pub name: Option<String>,
    /// Its colour.
    pub color: String,
    /// Its pose.
    pub pose: Pose,
    /// Its controllers in Stage.
    pub controllers: Vec<String>,
    /// The number of its model.
    pub model: usize,
}

/// The parts of the whole world on which robots depend.
pub struct Context<'a> {
    /// The kinds that the scene can have.
    pub kinds: &'a Kinds,
    /// The time of a step.
    pub step_s: f64,
    /// The choice of things that fiducial finders see, as fields of a sight.
    pub fiducials: String,
}

/// The team of everything that fiducial finders see.
pub const FIDUCIAL_TEAM: &str = "fiducial";

/// Reads a robot.
pub fn robot(reader: &mut Reader, model: usize, pose: Pose, context: &Context) -> Robot {
    let mut parts = Parts::default();
    sensor::add(reader, model, Pose::default(), &mut parts, context.step_s, &context.fiducials);
    localization(reader, model, &mut parts);
    check_sensors(reader, model, context.kinds, &mut parts);
    let mut fields = format!("body: {}, {}", body(reader, model), motion(reader, model));
    if !reader.flag(model, "obstacle_return", true) {
        reader.warn_of(model, "obstacle_return", "robots pass through this one; obstacles and walls still stop it");
        fields += ", collides: Detect";
    }
    if reader.number(model, "ranger_return").is_some_and(|number| number < 0.0) {
        reader.warn_of(model, "ranger_return", "rangers see this robot: `ranger_return -1` has no effect on robots");
    }
    if reader.flag(model, "fiducial_return", false) && !context.fiducials.is_empty() {
        let _ = write!(fields, ", team: \"{FIDUCIAL_TEAM}\"");
    }
    if reader.flag(model, "gripper_return", false) {
        reader.warn_of(model, "gripper_return", "grippers grasp objects only: this robot cannot be grasped");
    }
    let controllers = controllers(reader, model);
    let controller = controller(reader, model, &parts, &controllers);
    if let Some(gripper) = &parts.gripper {
        let _ = write!(fields, ", gripper: Some({gripper})");
    }
    let _ = write!(fields, ", sensors: [{}], controller: {controller}", parts.sensors.join(", "));
    reader.note_lost(model, &[PROPERTIES.as_slice(), &shape::PROPERTIES].concat());
    Robot {
        fields,
        made_by: reader.name_of(model).to_owned(),
        name: reader.text(model, "name").map(|(_, name)| name).filter(|name| !name.is_empty()),
        color: color(reader, model),
        pose,
        controllers,
        model,
    }
}

/// The body: the outline of its block, or the hull of its blocks.
fn body(reader: &mut Reader, model: usize) -> String {
    let Shape { size_m, origin, outlines_m, has_image, .. } = shape::shape(reader, model, false);
    let half = size_m / 2.0;
    let mut corners = match outlines_m.as_slice() {
        [one] => one.clone(),
        [] => {
            if has_image {
                reader.warn_of(
                    model,
                    "bitmap",
                    "the body of a robot is not an image: it is a rectangle of the same size",
                );
            }
            vec![-half, DVec2::new(half.x, -half.y), half, DVec2::new(-half.x, half.y)]
        }
        many => {
            reader.warn(model, "a robot has one outline: the convex hull of its blocks is used");
            polygon::convex_hull(&many.concat())
        }
    };
    if polygon::signed_area(&corners) < 0.0 {
        corners.reverse();
    }
    let corners: Vec<String> = corners
        .into_iter()
        .map(|corner| origin.point(corner))
        .map(|corner| format!("({:?}, {:?})", corner.x, corner.y))
        .collect();
    match size_m.min_element() > 0.0 && corners.len() >= 3 {
        true => format!("Polygon(corners_m: [{}])", corners.join(", ")),
        false => {
            reader.warn_of(model, "size", "a robot without an area is a disc of 1 cm radius");
            "Disc(radius_m: 0.01)".to_owned()
        }
    }
}

fn motion(reader: &mut Reader, model: usize) -> String {
    let bounds = reader.lengths_m(model, "velocity_bounds");
    let (back, ahead) = match bounds.as_deref() {
        Some([min, max, ..]) => (min.abs(), max.abs()),
        _ => (SPEED_M_PER_S, SPEED_M_PER_S),
    };
    let speed = ahead.max(back).max(1e-3);
    let size_m = reader.size_m(model).unwrap_or(DVec2::splat(0.4));
    let drive = reader.text(model, "drive").map(|(_, drive)| drive).unwrap_or_else(|| "diff".to_owned());
    if let Some([x, y, _, turn, ..] | [x, y, turn]) = reader.numbers(model, "velocity").as_deref()
        && [x, y, turn].iter().any(|number| **number != 0.0)
    {
        reader.warn_of(model, "velocity", "an initial velocity is left out: robots start at rest");
    }
    match drive.as_str() {
        "omni" => format!("motion: Holonomic(max_speed_m_per_s: {speed:?})"),
        "car" => {
            let wheelbase_m = reader.length_m(model, "wheelbase").unwrap_or(1.0).max(1e-3);
            let acceleration = match reader.lengths_m(model, "acceleration_bounds").as_deref() {
                Some([_, max, ..]) => max.abs().max(1e-3),
                _ => 1.0,
            };
            let (ahead, back) = (ahead.max(1e-3), back);
            format!(
                "motion: Ackermann(wheelbase_m: {wheelbase_m:?}, max_speed_m_per_s: {ahead:?}, \
                 max_reverse_m_per_s: {back:?}, max_acceleration_m_per_s2: {acceleration:?})"
            )
        }
        drive => {
            if drive != "diff" {
                let drive = shown(drive);
                let message = format!("expected `diff`, `omni` or `car`, found `{drive}`: `diff` is used, as in Stage");
                reader.warn_of(model, "drive", message);
            }
            for name in ["velocity_bounds", "acceleration_bounds"] {
                if reader.property(model, name).is_some() {
                    let message = match name {
                        "velocity_bounds" => {
                            "the largest speed is that of each wheel; the bound of the turn rate is left out"
                        }
                        _ => "wheels reach their speed at once: bounds of the acceleration are left out",
                    };
                    reader.warn_of(model, name, message);
                }
            }
            let axle_m = if size_m.y > 0.0 { size_m.y } else { 0.4 };
            format!("motion: DifferentialDrive(axle_m: {axle_m:?}, max_wheel_m_per_s: {speed:?})")
        }
    }
}

/// Leaves out sensors with values that scenes do not allow, with a warning.
fn check_sensors(reader: &mut Reader, model: usize, kinds: &Kinds, parts: &mut Parts) {
    parts.sensors.retain(|sensor| {
        let Err(problems) = scene_reader::read::<Slot<SensorFamily>>(kinds, "", sensor) else { return true };
        let reasons: Vec<String> = problems.problems.into_iter().map(|problem| problem.message).collect();
        let kind = sensor.split('(').next().unwrap_or_default();
        reader.warn(model, format!("its sensor `{kind}` is left out: {}", reasons.join("; ")));
        false
    });
    parts.infrared = parts.sensors.iter().position(|sensor| sensor.starts_with("Infrared("));
}

/// Adds the sensor of the pose that a position model reports.
fn localization(reader: &mut Reader, model: usize, parts: &mut Parts) {
    let mode = reader.text(model, "localization").map(|(_, mode)| mode).unwrap_or_else(|| "gps".to_owned());
    let origin = reader.pose(model, "localization_origin");
    let sensor = match (mode.as_str(), origin) {
        ("odom", _) => {
            let errors = reader.numbers(model, "odom_error").unwrap_or_else(|| vec![0.03, 0.03, 0.0, 0.05]);
            // Stage draws each factor once, uniformly between ±E/2.
            let of = |place: usize| errors.get(place).copied().unwrap_or_default().abs() / 12_f64.sqrt();
            let (way, turn) = (of(0).max(of(1)), of(errors.len().saturating_sub(1)));
            let message = "odometry drifts with errors that are drawn for each reading: in Stage once for each robot";
            reader.warn_of(model, "localization", message);
            format!(
                "MotionOdometry(noise: [OdometryNoise(factor: 1.0, factor_std_dev: {:?}, gyro_drift_std_dev_rad: {:?})])",
                way.min(1e3),
                (turn / 10.0).min(10.0)
            )
        }
        ("gps", None) => "MotionOdometry()".to_owned(),
        ("gps", Some(origin)) if origin == Pose::default() => "Pose()".to_owned(),
        ("gps", Some(_)) => {
            reader.warn_of(
                model,
                "localization_origin",
                "another origin is left out: the robot reads its pose in the world",
            );
            "Pose()".to_owned()
        }
        (other, _) => {
            let message = format!("expected `gps` or `odom`, found `{}`: `gps` is used", shown(other));
            reader.warn_of(model, "localization", message);
            "Pose()".to_owned()
        }
    };
    parts.sensors.push(sensor);
}

/// The names of controllers with their arguments.
pub fn controllers(reader: &Reader, model: usize) -> Vec<String> {
    reader.texts(model, "ctrl").into_iter().filter(|name| !name.is_empty()).collect()
}

fn controller(reader: &mut Reader, model: usize, parts: &Parts, controllers: &[String]) -> String {
    let first = |name: &String| name.split_whitespace().next().map(str::to_owned);
    let names: Vec<String> = controllers.iter().filter_map(first).collect();
    let is_omni = reader.text(model, "drive").is_some_and(|(_, drive)| drive == "omni");
    if names == ["wander"] {
        let spares = match parts.infrared {
            Some(slot) => format!(", infrared: {slot}"),
            None => String::new(),
        };
        let how = match parts.infrared {
            Some(_) => "which turns away from what its single-beam rangers see, not from what its laser sees",
            None => "which runs into things, as the robot has no ranger with single beams",
        };
        reader.warn_of(model, "ctrl", format!("`wander` is the behaviour `Wander` of a supervisor, {how}"));
        return format!(
            "Supervisor(v_m_per_s: {WANDER_M_PER_S:?}{spares}, conditions: [], \
             states: [(name: \"wander\", behaviour: Wander())])"
        );
    }
    if let Some(name) = names.first() {
        let message = format!("`{}` is a plug-in of Stage: the robot waits for commands of a program", shown(name));
        reader.warn_of(model, "ctrl", message);
    }
    let gripper = if parts.gripper.is_some() { ", Gripper()" } else { "" };
    let motion = if is_omni { "MotionXyw()" } else { "MotionVw()" };
    format!("External(actuators: [{motion}{gripper}])")
}
