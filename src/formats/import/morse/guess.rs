//! Guesses about components. A configuration does not state their kinds: only their names and the classes of their streams
//! are known.

use super::config::{Direction, Stream};

/// A word that indicates a kind, and the rate of the kind in MORSE's builder, in hertz.
struct Keyword {
    word: &'static str,
    kind: &'static str,
    rate_hz: f64,
}

const fn keyword(word: &'static str, kind: &'static str) -> Keyword {
    Keyword { word, kind, rate_hz: 60.0 }
}

const SENSORS: [Keyword; 22] = [
    keyword("imu", "Imu"),
    keyword("odo", "MotionOdometry"),
    keyword("pose", "Pose"),
    keyword("gps", "Gps"),
    keyword("gyro", "Gyroscope"),
    keyword("accel", "Accelerometer"),
    keyword("compass", "Compass"),
    keyword("magneto", "Compass"),
    keyword("battery", "Battery"),
    keyword("clock", "Clock"),
    keyword("thermo", "Thermometer"),
    Keyword { word: "prox", kind: "Neighbours", rate_hz: 12.0 },
    Keyword { word: "sick", kind: "LaserScanner", rate_hz: 10.0 },
    Keyword { word: "hokuyo", kind: "LaserScanner", rate_hz: 10.0 },
    Keyword { word: "laser", kind: "LaserScanner", rate_hz: 10.0 },
    Keyword { word: "lidar", kind: "LaserScanner", rate_hz: 10.0 },
    Keyword { word: "scan", kind: "LaserScanner", rate_hz: 10.0 },
    Keyword { word: "infrared", kind: "LaserScanner", rate_hz: 10.0 },
    keyword("collision", "Collision"),
    keyword("bumper", "Collision"),
    keyword("veloc", "Velocity"),
    keyword("speed", "Velocity"),
];

const ACTUATORS: [Keyword; 14] = [
    keyword("waypoint", "Waypoint"),
    keyword("destination", "Destination"),
    keyword("orientation", "Orientation"),
    keyword("teleport", "Teleport"),
    keyword("read_pose", "Teleport"),
    keyword("keyboard", "Keyboard"),
    keyword("light", "Light"),
    keyword("xyw", "MotionXyw"),
    keyword("xy_omega", "MotionXyw"),
    keyword("diff", "MotionVwDiff"),
    keyword("motion", "MotionVw"),
    keyword("v_omega", "MotionVw"),
    keyword("vw", "MotionVw"),
    keyword("twist", "MotionVw"),
];

/// The sensor for unknown sensors. It reads 0.
pub const ANY_SENSOR: &str = "Constant";
/// The actuator for unknown actuators.
const ANY_ACTUATOR: &str = "MotionVw";

/// The guess about a component.
#[derive(Clone, Debug, PartialEq)]
pub struct Guess {
    /// Whether it is a sensor.
    pub is_sensor: bool,
    /// The name of its kind.
    pub kind: &'static str,
    /// Its rate, in hertz.
    pub rate_hz: f64,
    /// The reason for the guess.
    pub reason: String,
}

/// Guesses the kind of a component from its name and its streams.
pub fn guess(name: &str, streams: &[Stream]) -> Guess {
    let is_sensor = streams.iter().find_map(|stream| Some(direction(stream)? == Direction::Out));
    let classes =
        streams.iter().map(|stream| (stream.class.to_lowercase(), format!("by its stream `{}`", stream.class)));
    let mut hints: Vec<(String, String)> = classes.collect();
    hints.push((name.to_lowercase(), "by its name".into()));
    let find = |words: &'static [Keyword], is_sensor: bool| {
        hints.iter().find_map(|(hint, reason)| {
            let found = words.iter().find(|word| hint.contains(word.word))?;
            Some(Guess { is_sensor, kind: found.kind, rate_hz: found.rate_hz, reason: reason.clone() })
        })
    };
    let unknown = |is_sensor: bool| Guess {
        is_sensor,
        kind: if is_sensor { ANY_SENSOR } else { ANY_ACTUATOR },
        rate_hz: 60.0,
        reason: "as nothing says what it is".into(),
    };
    match is_sensor {
        Some(true) => find(&SENSORS, true).unwrap_or_else(|| unknown(true)),
        Some(false) => find(&ACTUATORS, false).unwrap_or_else(|| unknown(false)),
        None => find(&ACTUATORS, false).or_else(|| find(&SENSORS, true)).unwrap_or_else(|| unknown(true)),
    }
}

/// The direction of a stream: the stated one, or one that the name of its class indicates.
pub fn direction(stream: &Stream) -> Option<Direction> {
    let class = stream.class.rsplit('.').next().unwrap_or_default();
    let ends = |ends: &[&str]| ends.iter().any(|end| class.ends_with(end));
    stream.direction.or_else(|| match class {
        _ if ends(&["Reader", "Subscriber"]) => Some(Direction::In),
        _ if ends(&["Publisher", "PublisherLisp", "Poster", "Notifier", "Sensor"]) => Some(Direction::Out),
        _ => None,
    })
}

/// The direction of the data of a sensor or an actuator without a stated direction.
pub fn default_direction(is_sensor: bool) -> Direction {
    if is_sensor { Direction::Out } else { Direction::In }
}

#[cfg(test)]
mod tests {
    use crate::standard::Standard as _;
    use swarmarium_core::actuator::ActuatorFamily;
    use swarmarium_core::kind::Family as _;
    use swarmarium_core::sensor::SensorFamily;
    use swarmarium_simulation::simulation::Recipe;

    use super::*;

    fn stream(class: &str, direction: Option<Direction>) -> Stream {
        Stream { manager: "m".into(), class: class.into(), direction, options: Default::default() }
    }

    #[test]
    fn every_guessed_kind_exists() {
        let recipe = Recipe::standard();
        let has = |family: &str, words: &[Keyword]| {
            words.iter().filter(|word| recipe.kinds().get(family, word.kind).is_none()).map(|word| word.kind).collect()
        };
        let missing: [Vec<&str>; 2] = [has(SensorFamily::NAME, &SENSORS), has(ActuatorFamily::NAME, &ACTUATORS)];
        assert!(missing.iter().all(Vec::is_empty), "{missing:?}");
    }

    #[test]
    fn streams_and_names_indicate_kinds() {
        let socket = "morse.middleware.socket_datastream.";
        for (name, class, is_sensor, kind) in [
            ("pose", "SocketPublisher", true, "Pose"),
            ("odometry", "SocketPublisher", true, "MotionOdometry"),
            ("waypoint", "SocketReader", false, "Waypoint"),
            ("motion", "SocketReader", false, "MotionVw"),
            ("x", "SocketReader", false, "MotionVw"),
            ("x", "SocketPublisher", true, "Constant"),
            ("light", "SocketPublisher", true, "Constant"),
        ] {
            let found = guess(name, &[stream(&format!("{socket}{class}"), None)]);
            assert_eq!(found.is_sensor, is_sensor, "{name}");
            assert_eq!(found.kind, kind, "{name}");
        }
        let ros = guess("front", &[stream("morse.middleware.ros.laserscanner.LaserScanPublisher", None)]);
        assert_eq!(ros.kind, "LaserScanner");
        assert_eq!(ros.rate_hz, 10.0);
        assert_eq!(guess("waypoint", &[]).kind, "Waypoint");
        assert_eq!(guess("gps", &[stream("x.Odd", Some(Direction::In))]).kind, "MotionVw");
    }
}
