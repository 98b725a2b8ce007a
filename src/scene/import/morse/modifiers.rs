//! Modifiers of MORSE and the kinds of noise that they are here, both ways.

use super::config::{Direction, Modifier, Options};
use crate::component::Value;
use crate::kind::{Family as _, Kinds, NoiseFamily, Open};
use crate::scene::path;
use crate::scene::writer::{Style, write};

/// A class of modifiers, and the kind of noise that it is.
struct Known {
    kind: &'static str,
    class: &'static str,
    direction: Direction,
    /// The kinds of components that MORSE's builder gives it to; it prefers the first class that fits.
    of: &'static [&'static str],
    parameters: &'static [Parameter],
    /// Parameters of the kind that it has no choice of, with their values.
    fixed: &'static [(&'static str, &'static str)],
}

/// An argument of a class, and the parameter that it is.
struct Parameter {
    name: &'static str,
    field: &'static str,
    /// What MORSE takes where nothing is said.
    default: Default,
}

#[derive(Clone, Copy)]
enum Default {
    Number(f64),
    Flag(bool),
}

const fn number(name: &'static str, field: &'static str, default: f64) -> Parameter {
    Parameter { name, field, default: Default::Number(default) }
}

const POSITION: Parameter = number("pos_std", "position_m", 0.05);
const ROTATION: Parameter = number("rot_std", "rotation_rad", 5.0 * std::f64::consts::PI / 180.0);
const PLANAR: Parameter = Parameter { name: "_2D", field: "planar", default: Default::Flag(false) };
const OFFSETS: &[Parameter] = &[
    number("x_offset", "x_offset_m", 0.0),
    number("y_offset", "y_offset_m", 0.0),
    number("z_offset", "z_offset_m", 0.0),
];
const ORIGIN: &[Parameter] = &[
    number("longitude", "longitude_deg", 0.0),
    number("latitude", "latitude_deg", 0.0),
    number("altitude", "altitude_m", 0.0),
];
const AXES: &[(&str, &str)] = &[("angles", "false")];
const PLACES: &[&str] = &["Pose", "Gps"];
const GOALS: &[&str] = &["Destination", "Waypoint", "Teleport"];

macro_rules! known {
    ($($kind:literal = $class:literal, $direction:ident, $of:expr, $parameters:expr, $fixed:expr;)*) => {
        [$(Known {
            kind: $kind,
            class: concat!("morse.modifiers.", $class),
            direction: Direction::$direction,
            of: $of,
            parameters: $parameters,
            fixed: $fixed,
        }),*]
    };
}

#[rustfmt::skip]
const KNOWN: [Known; 20] = known! {
    "PoseNoise" = "pose_noise.PoseNoiseModifier", Out, &["Pose", "MotionOdometry"], &[POSITION, ROTATION, PLANAR], &[];
    "PoseNoise" = "pose_noise.PositionNoiseModifier", Out, &["Gps"], &[POSITION, PLANAR], &[("rotation_rad", "0.0")];
    "PoseNoise" = "pose_noise.OrientationNoiseModifier", Out, &["Gyroscope"], &[ROTATION, PLANAR], &[("position_m", "0.0")];
    "OdometryNoise" = "odometry_noise.OdometryNoiseModifier", Out, &["MotionOdometry"], &[
        number("factor", "factor", 1.05), number("factor_sigma", "factor_spread", 0.0),
        number("gyro_drift", "gyro_drift_rad", 0.0), number("gyro_drift_sigma", "gyro_drift_spread_rad", 0.0),
    ], &[];
    "ImuNoise" = "imu_noise.IMUNoiseModifier", Out, &["Imu"],
        &[number("gyro_std", "gyro_rad_per_s", 0.5), number("accel_std", "acceleration_m_per_s2", 0.5)], &[];
    "Ned" = "ned.CoordinatesToNED", Out, PLACES, &[], AXES;
    "Ned" = "ned.PoseToNED", Out, &["MotionOdometry"], &[], &[("angles", "true")];
    "Ned" = "ned.AnglesToNED", Out, &["Gyroscope"], &[], &[];
    "Ned" = "ned.CoordinatesFromNED", In, GOALS, &[], AXES;
    "Ned" = "ned.AnglesFromNED", In, &["Orientation"], &[], &[];
    "Feet" = "feet.MeterToFeet", Out, PLACES, &[], &[];
    "Feet" = "feet.FeetToMeter", In, GOALS, &[], &[];
    "Utm" = "utm.CoordinatesToUTM", Out, PLACES, OFFSETS, &[];
    "Utm" = "utm.CoordinatesFromUTM", In, GOALS, OFFSETS, &[];
    "Geodetic" = "geodetic.CoordinatesToGeodetic", Out, PLACES, ORIGIN, &[];
    "Geodetic" = "geodetic.CoordinatesFromGeodetic", In, GOALS, ORIGIN, &[];
    "Ecef" = "ecef.CoordinatesToECEF", Out, PLACES, ORIGIN, &[];
    "Ecef" = "ecef.CoordinatesFromECEF", In, GOALS, ORIGIN, &[];
    "Ecef" = "geocentric.CoordinatesToGeocentric", Out, &[], ORIGIN, &[];
    "Ecef" = "geocentric.CoordinatesFromGeocentric", In, &[], ORIGIN, &[];
};

/// The kind of noise that a modifier is, and what of the modifier it does not say.
pub fn noise(kinds: &Kinds, modifier: &Modifier) -> (Option<Open<NoiseFamily>>, Vec<String>) {
    let Modifier { class, options, .. } = modifier;
    let found = KNOWN.iter().find(|known| known.class == class);
    let Some((known, kind)) = found.and_then(|known| Some((known, kinds.get(NoiseFamily::NAME, known.kind)?))) else {
        return (None, vec![format!("there is no kind of noise for `{class}`: it is kept for exports")]);
    };
    let mut open = Open::<NoiseFamily>::from_value((kind.default)());
    let mut left_out = Vec::new();
    for (field, value) in known.fixed {
        // A kind without the parameter has no choice either.
        let _ = path::set(kinds, &mut open, field, value);
    }
    for Parameter { name, field, default } in known.parameters {
        let given = options.get(*name);
        let wanted = given.and_then(|value| default.read(value)).unwrap_or(*default);
        let is_set = path::set(kinds, &mut open, field, &wanted.text()).is_ok();
        if given.is_some_and(|value| !is_set || default.read(value).is_none()) {
            left_out.push(format!("`{name}` of `{class}` says nothing here: it is kept for exports"));
        }
    }
    for name in options.keys().filter(|name| !known.parameters.iter().any(|known| known.name == name.as_str())) {
        left_out.push(format!("`{name}` of `{class}` says nothing here: it is kept for exports"));
    }
    (Some(open), left_out)
}

/// The modifier that a kind of noise of a component is in MORSE; `None` when there is none.
pub fn modifier(kinds: &Kinds, noise: &Open<NoiseFamily>, component: &str, direction: Direction) -> Option<Modifier> {
    let kind = kinds.of_value(NoiseFamily::NAME, noise.value())?.name;
    let get = |field: &str| path::get(kinds, noise, field).ok();
    let is_so =
        |(field, value): &(&str, &str)| get(field).is_none_or(|found| write(kinds, found, Style::Short) == *value);
    let fits = |known: &&Known| known.kind == kind && known.direction == direction && known.fixed.iter().all(is_so);
    let all: Vec<&Known> = KNOWN.iter().filter(fits).collect();
    let known = *all.iter().find(|known| known.of.contains(&component)).or(all.first())?;
    let mut options = Options::new();
    for Parameter { name, field, default } in known.parameters {
        let Some(value) = get(field) else { continue };
        let told = match default {
            Default::Number(default) => {
                value.downcast_ref::<f64>().filter(|value| *value != default).map(|value| Value::Number(*value))
            }
            Default::Flag(default) => {
                value.downcast_ref::<bool>().filter(|value| *value != default).map(|value| Value::Bool(*value))
            }
        };
        options.extend(told.map(|value| ((*name).to_owned(), value)));
    }
    Some(Modifier { class: known.class.into(), direction: Some(direction), options })
}

impl Default {
    /// A value of the same type.
    fn read(self, value: &Value) -> Option<Self> {
        match (self, value) {
            (Self::Flag(_), Value::Bool(value)) => Some(Self::Flag(*value)),
            (Self::Number(_), value) => value.number().map(Self::Number),
            _ => None,
        }
    }

    /// As scenes write it.
    fn text(self) -> String {
        match self {
            Self::Number(number) => format!("{number:?}"),
            Self::Flag(flag) => flag.to_string(),
        }
    }
}
