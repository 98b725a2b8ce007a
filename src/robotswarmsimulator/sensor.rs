//! Sensors.

use std::f64::consts::{PI, TAU};

use swarmarium_base::limits::Limits;
use swarmarium_base::math::wrap_angle;
use swarmarium_base::variant::Variant;
use swarmarium_core::kind::Slot;
use swarmarium_core::sensor::{ComponentSettings, SensorFamily};
use swarmarium_kinds::noise::dropout::{Dropout, Instead};
use swarmarium_kinds::noise::flip::Flip;
use swarmarium_kinds::noise::invert::Invert;
use swarmarium_kinds::sensor::binary_fov::BinaryFov;
use swarmarium_kinds::sensor::constant::Constant;
use swarmarium_kinds::sensor::in_region::InRegion;
use swarmarium_kinds::sensor::line_of_sight::LineOfSight;
use swarmarium_kinds::sensor::point_probe::PointProbe;
use swarmarium_kinds::sensor::sight::Sight;
use swarmarium_kinds::sensor::targeter::{Choice, Hold, Quantity, Targeter};

use super::external;
use super::fields::{FINITE, Fields, Key, Reader, Spot, limits};
use super::scalar::Scalar;

const SENSORS: &[&str] =
    &["BinaryFOVSensor", "BinaryLOSSensor", "PointCollisionSensor", "RegionalSensor", "Targeter", "StaticSensor"];
/// The keys that all sensors have.
const KEYS: &[Key] = &[
    Key::carried("type"),
    Key::missing("static_position", ""),
    Key::ignored("store_history", "ignored: readings are in trace.csv, and the metric `Reading` has one of them"),
    Key::ignored("history_length", "ignored: readings are in trace.csv, and the metric `Reading` has one of them"),
    Key::dead("n_possible_states"),
    Key::looks("draw"),
    Key::looks("show"),
    Key::looks("width"),
    Key::seed(),
];
/// The keys of sensors with a rate and with errors.
const SENSING: &[Key] = &[
    Key::carried("false_positive"),
    Key::carried("false_negative"),
    Key::carried("time_step_between_sensing"),
    Key::carried("invert"),
    Key::dead("fp"),
    Key::dead("fn"),
];
const FOV: &[Key] = &[
    Key::carried("theta"),
    Key::carried("distance"),
    Key::carried("bias"),
    Key::carried("degrees"),
    Key::carried("target_team"),
    Key::carried("detect_only_origins"),
    Key::dead("walls"),
    Key::dead("wall_sensing_range"),
    Key::dead("goal_sensing_range"),
    Key::dead("detect_goal_with_added_state"),
];
const LINE: &[Key] = &[Key::carried("angle"), Key::carried("distance"), Key::carried("target_team")];
const PROBE: &[Key] = &[Key::carried("distance"), Key::carried("bias"), Key::carried("target_team")];
const REGION: &[Key] = &[Key::carried("world_object_index")];
const TARGETER: &[Key] = &[
    Key::carried("distance"),
    Key::carried("target_mode"),
    Key::carried("hold"),
    Key::carried("attribute"),
    Key::carried("target_team"),
    Key::carried("target_name"),
    Key::carried("false_negative"),
    Key::carried("time_step_between_sensing"),
    Key::dead("bias"),
];

/// The end of the name of a target that is a number in the file: in Python, it differs from the same name as a text, such
/// as those of spawned agents.
pub const NOT_A_TEXT: &str = " (not a text)";

/// The most steps between two readings of a sensor.
const MAX_PERIOD: i128 = 1_000_000;

/// Reads a sensor. An external program writes the reading of a sensor of a user's own class.
pub fn sensor(reader: &mut Reader, spot: &Spot) -> Option<Slot<SensorFamily>> {
    let instead = "It is read as a Python class: an external program writes its reading with the service `write`; its \
                   parameters are in `metadata`";
    let Some(name) = reader.type_or_own(spot, "sensor", SENSORS, instead)? else {
        return external::sensor(reader, spot);
    };
    match name {
        "BinaryFOVSensor" => field_of_view(reader, spot),
        "BinaryLOSSensor" => {
            let fields = reader.fields(spot, &[KEYS, SENSING, LINE])?;
            let bearing_rad = reader.number_or(&fields, "angle", 0.0, limits::<LineOfSight>("bearing_rad"));
            let range_m = range_m(reader, &fields, "range_m");
            let line = LineOfSight { bearing_rad, range_m, sight: sight(&fields), ..Default::default() };
            Some(reader.slot(spot, line)?.with(sensing(reader, &fields)))
        }
        "PointCollisionSensor" => {
            let fields = reader.fields(spot, &[KEYS, SENSING, PROBE])?;
            let distance_m = reader.number_or(&fields, "distance", 100.0, limits::<PointProbe>("distance_m"));
            let bearing_rad = reader.number_or(&fields, "bias", 0.0, limits::<PointProbe>("bearing_rad"));
            let probe = PointProbe { distance_m, bearing_rad, sight: Sight { obstacles: true, ..sight(&fields) } };
            Some(reader.slot(spot, probe)?.with(sensing(reader, &fields)))
        }
        "RegionalSensor" => {
            let fields = reader.fields(spot, &[KEYS, REGION])?;
            let place = fields.get("world_object_index").map_or(0, |spot| reader.whole(&spot, 0, u32::MAX.into()));
            reader.slot(spot, InRegion { regions: vec![place.to_string()] })
        }
        "Targeter" => targeter(reader, spot),
        _ => {
            reader.fields(spot, &[KEYS])?;
            reader.slot(spot, Constant::default())
        }
    }
}

/// Reads a `BinaryFOVSensor`.
fn field_of_view(reader: &mut Reader, spot: &Spot) -> Option<Slot<SensorFamily>> {
    let fields = reader.fields(spot, &[KEYS, SENSING, FOV])?;
    // In RobotSwarmSimulator, `degrees` converts `theta` alone.
    let unit_rad = if reader.is_on_or(&fields, "degrees", false) { 1f64.to_radians() } else { 1.0 };
    let theta_limits = in_unit(Limits::between(0.0, f64::MAX), unit_rad);
    let theta_rad = reader.number_or(&fields, "theta", 10.0, theta_limits) * unit_rad;
    let bias_rad = bias_rad(reader, &fields);
    let (half_angle_rad, bearing_rad) = cone(theta_rad, bias_rad);
    if theta_rad > PI {
        let about = format!(
            "`theta` is {theta_rad}, more than half a turn: taken as what that sees there, {half_angle_rad:.3} to each \
             side of {bearing_rad:.3}; the edges differ by a radius"
        );
        reader.warning(&fields.get("theta").unwrap_or(fields.spot.clone()), about);
    }
    let range_m = reader.number_or(&fields, "distance", 100.0, limits::<BinaryFov>("range_m"));
    let centers_only = reader.is_on_or(&fields, "detect_only_origins", false);
    let sight = sight(&fields);
    let fov = BinaryFov { range_m, half_angle_rad, bearing_rad, centers_only, sight, ..Default::default() };
    Some(reader.slot(spot, fov)?.with(sensing(reader, &fields)))
}

/// The bias of a field of view, less whole turns beyond the limits of scenes.
fn bias_rad(reader: &mut Reader, fields: &Fields) -> f64 {
    let bias_rad = reader.number_or(fields, "bias", 0.0, FINITE);
    if limits::<BinaryFov>("bearing_rad").allow(bias_rad) {
        return bias_rad;
    }
    let wrapped_rad = wrap_angle(bias_rad);
    let about = format!("in radians, also with `degrees`, as in RobotSwarmSimulator: taken as {wrapped_rad:.3}");
    reader.warning(&fields.get("bias").unwrap_or(fields.spot.clone()), about);
    wrapped_rad
}

/// The half angle and the bearing of a field of view. Beyond half a turn to each side, its edges have changed sides, and
/// RobotSwarmSimulator sees all directions except those between them.
fn cone(theta_rad: f64, bias_rad: f64) -> (f64, f64) {
    if theta_rad <= PI {
        return (theta_rad, bias_rad);
    }
    let turn_rad = theta_rad.rem_euclid(TAU);
    let (edge_rad, is_behind) = if turn_rad <= PI { (turn_rad, false) } else { (TAU - turn_rad, true) };
    let bearing_rad = if is_behind { wrap_angle(bias_rad + PI) } else { bias_rad };
    (edge_rad.max(PI - edge_rad), bearing_rad)
}

/// Reads a `Targeter`, which tests agents first, and then objects.
fn targeter(reader: &mut Reader, spot: &Spot) -> Option<Slot<SensorFamily>> {
    let fields = reader.fields(spot, &[KEYS, TARGETER])?;
    let choices = [("closest", Choice::Nearest), ("furthest", Choice::Farthest)];
    let holds = [
        ("retargetonloss", Hold::RetargetOnLoss),
        ("alwaysretarget", Hold::AlwaysRetarget),
        ("holdlost", Hold::HoldLost),
        ("holdfirst", Hold::HoldFirst),
    ];
    let attributes: [(&str, &[Quantity]); 5] = [
        ("position", &[Quantity::X, Quantity::Y]),
        ("pos", &[Quantity::X, Quantity::Y]),
        ("x_pos", &[Quantity::X]),
        ("y_pos", &[Quantity::Y]),
        ("angle", &[Quantity::Heading]),
    ];
    let choice = one_of(reader, &fields, "target_mode", &choices).unwrap_or(Choice::First);
    let hold = one_of(reader, &fields, "hold", &holds).unwrap_or_default();
    let attribute = one_of(reader, &fields, "attribute", &attributes);
    // Without an attribute, the reading is the agent itself, which counts as true.
    let reads = attribute.unwrap_or(&[Quantity::Found, Quantity::Number]).to_vec();
    let range_m = range_m(reader, &fields, "range_m");
    if let Some(distance) = fields.get("distance").filter(|_| range_m > 0.0) {
        reader.warning(&distance, "holds here; RobotSwarmSimulator takes no notice of it");
    }
    let mut sight = Sight { obstacles: true, goals: true, regions: true, ..sight(&fields) };
    if !fields.is_text("target_name") {
        sight.name.push_str(NOT_A_TEXT);
    }
    // The position is the array of the target itself, which changes as it moves. Other attributes are plain numbers.
    let is_live = reads.contains(&Quantity::X);
    let variant = if is_live { Variant::Classic } else { Variant::Corrected };
    let names = Vec::new();
    let targeter = reader.slot(spot, Targeter { range_m, choice, hold, reads, sight, names, variant })?;
    let mut sensing = sensing(reader, &fields);
    sensing.noise.clear();
    let probability = reader.number_or(&fields, "false_negative", 0.0, limits::<Dropout>("probability"));
    // A missed target is chosen again. `holdfirst` never misses; `holdlost` and plain numbers keep the last reading.
    let keeps = !is_live && (attribute.is_some() || hold == Hold::HoldLost);
    let instead = if keeps { Instead::Last } else { Instead::Nothing };
    if probability > 0.0 && hold != Hold::HoldFirst {
        sensing.noise.extend(reader.slot(spot, Dropout { probability, instead }));
    }
    Some(targeter.with(sensing))
}

/// The meaning of the word of a key; `None` without the key. An unknown word is a problem.
fn one_of<T: Copy>(reader: &mut Reader, fields: &Fields, name: &str, words: &[(&str, T)]) -> Option<T> {
    let spot = fields.get(name)?;
    let found = words.iter().find(|(word, _)| spot.node.text() == Some(word)).map(|(_, meaning)| *meaning);
    if found.is_none() {
        let words: Vec<String> = words.iter().map(|(word, _)| format!("`{word}`")).collect();
        reader.problem(&spot, format!("expected one of {}", words.join(", ")));
    }
    found
}

/// Reads the `distance` of a sensor without a default, where 0 means no limit.
fn range_m(reader: &mut Reader, fields: &Fields, name: &str) -> f64 {
    let spot = fields.get("distance").filter(|spot| spot.node.scalar() != Scalar::Float(f64::INFINITY));
    spot.map_or(0.0, |spot| reader.number(&spot, limits::<LineOfSight>(name)))
}

/// Reads the targets that a sensor can detect.
fn sight(fields: &Fields) -> Sight {
    let text = |name| fields.text(name).unwrap_or_default();
    Sight { team: text("target_team"), name: text("target_name"), ..Default::default() }
}

/// Reads the rate of a sensor and its errors: first false readings, then the inversion.
fn sensing(reader: &mut Reader, fields: &Fields) -> ComponentSettings {
    let period = fields.get("time_step_between_sensing").map_or(1, |spot| reader.whole(&spot, 1, MAX_PERIOD));
    let (period_s, is_slower) = (period as f64 * reader.dt_s, period > 1);
    let mut noise = Vec::new();
    let mut probability = |name| reader.number_or(fields, name, 0.0, limits::<Flip>(name));
    let flip = Flip { false_positive: probability("false_positive"), false_negative: probability("false_negative") };
    if flip != Flip::default() {
        noise.extend(reader.slot(&fields.spot, flip));
    }
    if reader.is_on_or(fields, "invert", false) {
        noise.extend(reader.slot(&fields.spot, Invert {}));
    }
    // In RobotSwarmSimulator, the first reading comes after a whole period.
    let (rate_hz, phase_s) = if is_slower { (1.0 / period_s, period_s) } else { (0.0, 0.0) };
    ComponentSettings { rate_hz, phase_s, noise, ..ComponentSettings::default() }
}

/// Limits for a number in another unit.
pub fn in_unit(limits: Limits, unit: f64) -> Limits {
    if limits == FINITE { FINITE } else { Limits { min: limits.min / unit, max: limits.max / unit, ..limits } }
}
