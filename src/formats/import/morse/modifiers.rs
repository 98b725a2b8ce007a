//! Modifiers of MORSE and their counterparts among the kinds of noise, for imports and exports.

use swarmarium_core::kind::{Family as _, Kinds, Slot};
use swarmarium_core::noise::NoiseFamily;
use swarmarium_core::service::Value;
use swarmarium_scene::scene::path;
use swarmarium_scene::scene::writer::{Style, write};

use super::config::{Direction, Modifier, Options};
use super::literal::Literal;

/// A class of modifiers, and its counterpart among the kinds of noise.
struct ModifierClass {
    kind: &'static str,
    class: &'static str,
    direction: Direction,
    /// The kinds of components that MORSE's builder adds the modifier to.
    components: &'static [&'static str],
    parameters: &'static [Parameter],
    /// Parameters of the kind with a fixed value, and that value.
    fixed: &'static [(&'static str, &'static str)],
}

/// An argument of a class, and its counterpart among the parameters of the kind.
struct Parameter {
    name: &'static str,
    field: &'static str,
    /// The default of MORSE.
    default: DefaultValue,
}

/// The default of an argument.
#[derive(Clone, Copy)]
enum DefaultValue {
    Number(f64),
    Flag(bool),
}

const fn number(name: &'static str, field: &'static str, default: f64) -> Parameter {
    Parameter { name, field, default: DefaultValue::Number(default) }
}

const POSITION: Parameter = number("pos_std", "position_std_dev_m", 0.05);
const ROTATION: Parameter = number("rot_std", "rotation_std_dev_rad", 5.0 * std::f64::consts::PI / 180.0);
const PLANAR: Parameter = Parameter { name: "_2D", field: "planar", default: DefaultValue::Flag(false) };
const OFFSETS: &[Parameter] = &[
    number("x_offset", "x_offset_m", 0.0),
    number("y_offset", "y_offset_m", 0.0),
    number("z_offset", "z_offset_m", 0.0),
];
const ORIGIN: &[Parameter] = &[
    number("longitude", "origin.longitude_deg", 0.0),
    number("latitude", "origin.latitude_deg", 0.0),
    number("altitude", "origin.altitude_m", 0.0),
];
const POSITIONS: &[(&str, &str)] = &[("angles", "false")];
const PLACES: &[&str] = &["Pose", "Gps"];
const GOALS: &[&str] = &["Destination", "Waypoint", "Teleport"];

macro_rules! modifier_classes {
    ($($kind:literal = $class:literal, $direction:ident, $components:expr, $parameters:expr, $fixed:expr;)*) => {
        [$(ModifierClass {
            kind: $kind,
            class: concat!("morse.modifiers.", $class),
            direction: Direction::$direction,
            components: $components,
            parameters: $parameters,
            fixed: $fixed,
        }),*]
    };
}

#[rustfmt::skip]
const MODIFIER_CLASSES: [ModifierClass; 20] = modifier_classes! {
    "PoseNoise" = "pose_noise.PoseNoiseModifier", Out, &["Pose", "MotionOdometry"], &[POSITION, ROTATION, PLANAR], &[];
    "PoseNoise" = "pose_noise.PositionNoiseModifier", Out, &["Gps"], &[POSITION, PLANAR], &[("rotation_std_dev_rad", "0.0")];
    "PoseNoise" = "pose_noise.OrientationNoiseModifier", Out, &["Gyroscope"], &[ROTATION, PLANAR], &[("position_std_dev_m", "0.0")];
    "OdometryNoise" = "odometry_noise.OdometryNoiseModifier", Out, &["MotionOdometry"], &[
        number("factor", "factor", 1.05), number("factor_sigma", "factor_std_dev", 0.0),
        number("gyro_drift", "gyro_drift_rad", 0.0), number("gyro_drift_sigma", "gyro_drift_std_dev_rad", 0.0),
    ], &[];
    "ImuNoise" = "imu_noise.IMUNoiseModifier", Out, &["Imu"],
        &[number("gyro_std", "gyro_std_dev_rad_per_s", 0.5), number("accel_std", "acceleration_std_dev_m_per_s2", 0.5)], &[];
    "Ned" = "ned.CoordinatesToNED", Out, PLACES, &[], POSITIONS;
    "Ned" = "ned.PoseToNED", Out, &["MotionOdometry"], &[], &[("angles", "true")];
    "Ned" = "ned.AnglesToNED", Out, &["Gyroscope"], &[], &[];
    "Ned" = "ned.CoordinatesFromNED", In, GOALS, &[], POSITIONS;
    "Ned" = "ned.AnglesFromNED", In, &["Orientation"], &[], &[];
    "Feet" = "feet.MeterToFeet", Out, PLACES, &[], &[];
    "Feet" = "feet.FeetToMeter", In, GOALS, &[], &[];
    "Utm" = "utm.CoordinatesToUTM", Out, PLACES, OFFSETS, &[];
    "Utm" = "utm.CoordinatesFromUTM", In, GOALS, OFFSETS, &[];
    "Geodetic" = "geodetic.CoordinatesToGeodetic", Out, PLACES, ORIGIN, &[];
    "Geodetic" = "geodetic.CoordinatesFromGeodetic", In, GOALS, ORIGIN, &[];
    "Ecef" = "ecef.CoordinatesToECEF", Out, PLACES, ORIGIN, &[];
    "Ecef" = "ecef.CoordinatesFromECEF", In, GOALS, ORIGIN, &[];
    "Ecef" = "geocentric.CoordinatesToGeocentric", Out, PLACES, ORIGIN, &[];
    "Ecef" = "geocentric.CoordinatesFromGeocentric", In, GOALS, ORIGIN, &[];
};

/// A modifier with arguments of the environment in place of those that it lacks, as MORSE looks them up.
pub fn with_environment(modifier: &Modifier, environment: &Options) -> Modifier {
    let mut modifier = modifier.clone();
    if let Some(known) = MODIFIER_CLASSES.iter().find(|known| known.class == modifier.class) {
        for Parameter { name, .. } in known.parameters {
            if let Some(value) = environment.get(*name) {
                modifier.options.entry((*name).to_owned()).or_insert_with(|| value.clone());
            }
        }
    }
    modifier
}

/// The noise for a modifier of a component of a kind, and warnings about the parts of the modifier that the noise lacks.
pub fn noise(kinds: &Kinds, modifier: &Modifier, component: &str) -> (Option<Slot<NoiseFamily>>, Vec<String>) {
    let Modifier { class, options, .. } = modifier;
    let found = MODIFIER_CLASSES.iter().find(|known| known.class == class);
    let Some((known, kind)) = found.and_then(|known| Some((known, kinds.get(NoiseFamily::NAME, known.kind)?))) else {
        return (None, vec![format!("there is no kind of noise for `{class}`: it is kept for exports")]);
    };
    if !known.components.contains(&component) {
        return (None, vec![format!("`{class}` changes nothing of a {component}: it is kept for exports")]);
    }
    let mut noise = Slot::<NoiseFamily>::from_value((kind.default)());
    let mut left_out = Vec::new();
    for (field, value) in known.fixed {
        // Without the parameter, the kind behaves as with the fixed value.
        let _ = path::set(kinds, &mut noise, field, value);
    }
    for Parameter { name, field, default } in known.parameters {
        let given = options.get(*name);
        let value = given.and_then(|value| default.read(value)).unwrap_or(*default);
        let is_set = path::set(kinds, &mut noise, field, &value.text()).is_ok();
        let is_read = given.is_none_or(|value| default.read(value).is_some());
        if !is_read && is_set {
            let text = default.text();
            left_out
                .push(format!("`{name}` of `{class}` is one value here, and {text} is put: it is kept for exports"));
        } else if given.is_some() && !is_set {
            left_out.push(format!("`{name}` of `{class}` says nothing here: it is kept for exports"));
        }
    }
    for name in options.keys().filter(|name| !known.parameters.iter().any(|known| known.name == name.as_str())) {
        left_out.push(format!("`{name}` of `{class}` says nothing here: it is kept for exports"));
    }
    (Some(noise), left_out)
}

/// The modifier of MORSE for the noise of a component of a kind; `None` if MORSE has none.
pub fn modifier(kinds: &Kinds, noise: &Slot<NoiseFamily>, component: &str, direction: Direction) -> Option<Modifier> {
    let kind = kinds.of_value(NoiseFamily::NAME, noise.value())?.name;
    let get = |field: &str| path::get(kinds, noise, field).ok();
    let is_fixed =
        |(field, value): &(&str, &str)| get(field).is_none_or(|found| write(kinds, found, Style::Short) == *value);
    let fits =
        |known: &&ModifierClass| known.kind == kind && known.direction == direction && known.fixed.iter().all(is_fixed);
    let known = MODIFIER_CLASSES.iter().filter(|known| known.components.contains(&component)).find(fits)?;
    let mut options = Options::new();
    for Parameter { name, field, default } in known.parameters {
        let Some(value) = get(field) else { continue };
        let changed = match default {
            DefaultValue::Number(default) => {
                value.downcast_ref::<f64>().filter(|value| *value != default).map(|value| Value::Number(*value))
            }
            DefaultValue::Flag(default) => {
                value.downcast_ref::<bool>().filter(|value| *value != default).map(|value| Value::Bool(*value))
            }
        };
        options.extend(changed.map(|value| ((*name).to_owned(), Literal::Leaf(value))));
    }
    Some(Modifier { class: known.class.into(), direction: Some(direction), options })
}

impl DefaultValue {
    /// Reads a value of the same type.
    fn read(self, value: &Literal) -> Option<Self> {
        match (self, value) {
            (Self::Flag(_), Literal::Leaf(Value::Bool(value))) => Some(Self::Flag(*value)),
            (Self::Number(_), value) => value.number().map(Self::Number),
            _ => None,
        }
    }

    /// The value as scenes write it.
    fn text(self) -> String {
        match self {
            Self::Number(number) => format!("{number:?}"),
            Self::Flag(flag) => flag.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::standard::Standard as _;
    use swarmarium_simulation::simulation::Recipe;

    use super::*;

    #[test]
    fn a_default_in_place_of_a_value_for_each_axis_is_a_warning() {
        let class = "morse.modifiers.pose_noise.PoseNoiseModifier".to_owned();
        let each = Literal::list([0.1, 0.2, 0.0].map(|number| Literal::Leaf(Value::Number(number))));
        let modifier = Modifier { class, direction: None, options: Options::from([("pos_std".to_owned(), each)]) };
        let (_, left_out) = noise(Recipe::standard().kinds(), &modifier, "Pose");
        assert!(left_out.len() == 1 && left_out[0].contains("0.05 is put"), "{left_out:?}");
    }

    #[test]
    fn each_modifier_class_is_a_noise_kind_and_round_trips() {
        let recipe = Recipe::standard();
        let kinds = recipe.kinds();
        for known in &MODIFIER_CLASSES {
            let given = |parameter: &Parameter| {
                let value = match parameter.default {
                    DefaultValue::Number(default) => Value::Number(default + 0.25),
                    DefaultValue::Flag(default) => Value::Bool(!default),
                };
                (parameter.name.to_owned(), Literal::Leaf(value))
            };
            let options: Options = known.parameters.iter().map(given).collect();
            let modifier = Modifier { class: known.class.into(), direction: Some(known.direction), options };
            for component in known.components {
                let (noise, left_out) = noise(kinds, &modifier, component);
                assert_eq!(left_out, Vec::<String>::new(), "{}", known.class);
                let back = super::modifier(kinds, &noise.unwrap(), component, known.direction).unwrap();
                assert_eq!(back.options, modifier.options, "{}", known.class);
                // `geocentric` is another name of `ecef`.
                assert!(
                    back.class == known.class || known.class.contains("geocentric"),
                    "{} {}",
                    back.class,
                    known.class
                );
            }
        }
    }

    #[test]
    fn without_arguments_the_defaults_of_morse_count_and_none_are_written() {
        let recipe = Recipe::standard();
        for known in &MODIFIER_CLASSES {
            let modifier = Modifier { class: known.class.into(), direction: None, options: Options::new() };
            let noise = noise(recipe.kinds(), &modifier, known.components[0]).0.unwrap();
            let back = super::modifier(recipe.kinds(), &noise, known.components[0], known.direction).unwrap();
            assert_eq!(back.options, Options::new(), "{}", known.class);
        }
    }
}
