//! What a component may be. A configuration does not say: names of components and classes of streams are all there is.

use super::config::{Direction, Stream};

/// A kind that a word speaks for, with the rate that MORSE's builder gives it, in hertz.
struct Word {
    word: &'static str,
    kind: &'static str,
    rate_hz: f64,
}

const fn word(word: &'static str, kind: &'static str) -> Word {
    Word { word, kind, rate_hz: 60.0 }
}

const SENSORS: [Word; 22] = [
    word("imu", "Imu"),
    word("odo", "MotionOdometry"),
    word("pose", "Pose"),
    word("gps", "Gps"),
    word("gyro", "Gyroscope"),
    word("accel", "Accelerometer"),
    word("compass", "Compass"),
    word("magneto", "Compass"),
    word("battery", "Battery"),
    word("clock", "Clock"),
    word("thermo", "Thermometer"),
    Word { word: "prox", kind: "Neighbours", rate_hz: 12.0 },
    Word { word: "sick", kind: "LaserScanner", rate_hz: 10.0 },
    Word { word: "hokuyo", kind: "LaserScanner", rate_hz: 10.0 },
    Word { word: "laser", kind: "LaserScanner", rate_hz: 10.0 },
    Word { word: "lidar", kind: "LaserScanner", rate_hz: 10.0 },
    Word { word: "scan", kind: "LaserScanner", rate_hz: 10.0 },
    Word { word: "infrared", kind: "LaserScanner", rate_hz: 10.0 },
    word("collision", "Collision"),
    word("bumper", "Collision"),
    word("veloc", "Velocity"),
    word("speed", "Velocity"),
];

const ACTUATORS: [Word; 14] = [
    word("waypoint", "Waypoint"),
    word("destination", "Destination"),
    word("orientation", "Orientation"),
    word("teleport", "Teleport"),
    word("read_pose", "Teleport"),
    word("keyboard", "Keyboard"),
    word("light", "Light"),
    word("xyw", "MotionXyw"),
    word("xy_omega", "MotionXyw"),
    word("diff", "MotionVwDiff"),
    word("motion", "MotionVw"),
    word("v_omega", "MotionVw"),
    word("vw", "MotionVw"),
    word("twist", "MotionVw"),
];

/// The sensor that stands for what is not known: it reads 0.
pub const ANY_SENSOR: &str = "Constant";
/// The actuator that stands for what is not known.
const ANY_ACTUATOR: &str = "MotionVw";

/// What a component is taken for.
#[derive(Clone, Debug, PartialEq)]
pub struct Guess {
    /// Whether it is a sensor.
    pub is_sensor: bool,
    /// The name of its kind.
    pub kind: &'static str,
    /// How often it acts, in hertz.
    pub rate_hz: f64,
    /// What spoke for it.
    pub because: String,
}

/// What a component of this name with these streams may be.
pub fn guess(name: &str, streams: &[Stream]) -> Guess {
    let is_sensor = streams.iter().find_map(|stream| Some(direction(stream)? == Direction::Out));
    let classes =
        streams.iter().map(|stream| (stream.class.to_lowercase(), format!("by its stream `{}`", stream.class)));
    let mut hints: Vec<(String, String)> = classes.collect();
    hints.push((name.to_lowercase(), "by its name".into()));
    let find = |words: &'static [Word], is_sensor: bool| {
        hints.iter().find_map(|(hint, because)| {
            let found = words.iter().find(|word| hint.contains(word.word))?;
            Some(Guess { is_sensor, kind: found.kind, rate_hz: found.rate_hz, because: because.clone() })
        })
    };
    let unknown = |is_sensor: bool| Guess {
        is_sensor,
        kind: if is_sensor { ANY_SENSOR } else { ANY_ACTUATOR },
        rate_hz: 60.0,
        because: "as nothing says what it is".into(),
    };
    match is_sensor {
        Some(true) => find(&SENSORS, true).unwrap_or_else(|| unknown(true)),
        Some(false) => find(&ACTUATORS, false).unwrap_or_else(|| unknown(false)),
        None => find(&ACTUATORS, false).or_else(|| find(&SENSORS, true)).unwrap_or_else(|| unknown(true)),
    }
}

/// Which way the data of a stream go: as it says, or as its class is called.
pub fn direction(stream: &Stream) -> Option<Direction> {
    let class = stream.class.rsplit('.').next().unwrap_or_default();
    let ends = |ends: &[&str]| ends.iter().any(|end| class.ends_with(end));
    stream.direction.or_else(|| match class {
        _ if ends(&["Reader", "Subscriber"]) => Some(Direction::In),
        _ if ends(&["Publisher", "PublisherLisp", "Poster", "Notifier", "Sensor"]) => Some(Direction::Out),
        _ => None,
    })
}

/// The way that data go through a part without more words.
pub fn natural(is_sensor: bool) -> Direction {
    if is_sensor { Direction::Out } else { Direction::In }
}

#[cfg(test)]
mod tests {
    use swarmarium_core::actuator::ActuatorFamily;
    use swarmarium_core::kind::Family as _;
    use swarmarium_core::sensor::SensorFamily;
    use swarmarium_core::simulation::Recipe;
    use swarmarium_kinds::Standard as _;

    use super::*;

    fn stream(class: &str, direction: Option<Direction>) -> Stream {
        Stream { manager: "m".into(), class: class.into(), direction, options: Default::default() }
    }

    #[test]
    fn there_is_every_kind_that_is_guessed() {
        let recipe = Recipe::standard();
        let has = |family: &str, words: &[Word]| {
            words.iter().filter(|word| recipe.kinds().get(family, word.kind).is_none()).map(|word| word.kind).collect()
        };
        let missing: [Vec<&str>; 2] = [has(SensorFamily::NAME, &SENSORS), has(ActuatorFamily::NAME, &ACTUATORS)];
        assert!(missing.iter().all(Vec::is_empty), "{missing:?}");
    }

    #[test]
    fn streams_and_names_speak_for_kinds() {
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
            assert_eq!((found.is_sensor, found.kind), (is_sensor, kind), "{name}");
        }
        let ros = guess("front", &[stream("morse.middleware.ros.laserscanner.LaserScanPublisher", None)]);
        assert_eq!((ros.kind, ros.rate_hz), ("LaserScanner", 10.0));
        assert_eq!(guess("waypoint", &[]).kind, "Waypoint");
        assert_eq!(guess("gps", &[stream("x.Odd", Some(Direction::In))]).kind, "MotionVw");
    }
}
