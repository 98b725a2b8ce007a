//! Robots of ARGoS and of its plugins.

use std::collections::{BTreeMap, BTreeSet};
use std::f64::consts::PI;

use roxmltree::Node;
use swarmarium_base::math;
use swarmarium_core::text::wording::shown;
use swarmarium_scene::scene::description::Group;

use super::arena::{self, Pose};
use super::controllers::{self, Controller, Controllers};
use super::devices::{self, Devices};
use super::distribute::Places;
use super::lua;
use super::reader::Reader;
use crate::import::simiam::classes::Counterpart;
use crate::import::stand_in::StandIn;

/// A robot that has a counterpart. Its numbers are those of ARGoS 3 (421bd763), and of its plugins for the Kilobot and the
/// Khepera IV.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Robot {
    FootBot,
    EPuck,
    KheperaIv,
    Kilobot,
}

/// The names by which options choose a robot.
pub const ROBOTS: [&str; 4] = ["footbot", "epuck", "kheperaiv", "kilobot"];

/// Robots that fly, or that are not robots on wheels, without the hyphens and underscores of their names.
const WITHOUT_COUNTERPART: [&str; 10] =
    ["eyebot", "spiri", "drone", "miniquadrotor", "crazyflie", "quadrotor", "block", "builderbot", "physxbox", "tag"];

/// The directions (degrees) of the sensors of an e-puck.
const EPUCK_DEG: [f64; 8] = [17.0, 50.0, 90.0, 150.0, 210.0, 270.0, 310.0, 343.0];
/// The most bytes of a message.
const MAX_DATA_SIZE: u32 = 256;
/// The most ids that a script knows.
const MAX_IDS: u32 = 1_000_000;
/// The most bytes of all translated controllers together.
const MAX_SCRIPT_BYTES: usize = 64 << 20;
/// The speed (m/s) that no wheel of ARGoS exceeds: its robots have no limit of their own.
const MAX_WHEEL_M_PER_S: f64 = 100.0;

impl Robot {
    /// The robot of an element, and whether the element has exactly its name.
    fn of(tag: &str) -> Option<(Self, bool)> {
        let all = [
            ("foot-bot", Self::FootBot),
            ("e-puck", Self::EPuck),
            ("epuck", Self::EPuck),
            ("pi-puck", Self::EPuck),
            ("pipuck", Self::EPuck),
            ("kheperaiv", Self::KheperaIv),
            ("kilobot", Self::Kilobot),
        ];
        let (name, robot) = all.into_iter().find(|(name, _)| tag.starts_with(name))?;
        Some((robot, tag == name && !name.starts_with("pi")))
    }

    /// The robot with a name of [`ROBOTS`].
    fn named(name: &str) -> Option<Self> {
        let all = [Self::FootBot, Self::EPuck, Self::KheperaIv, Self::Kilobot];
        ROBOTS.iter().zip(all).find(|(known, _)| **known == name).map(|(_, robot)| robot)
    }

    fn name(self) -> &'static str {
        ROBOTS[self as usize]
    }

    /// Its name in messages.
    pub fn plural(self) -> &'static str {
        ["foot-bots", "e-pucks", "Kheperas IV", "Kilobots"][self as usize]
    }

    fn radius_m(self) -> f64 {
        [0.085_036_758, 0.035, 0.0704, 0.0165][self as usize]
    }

    /// The distance (m) between its wheels.
    pub fn axle_m(self) -> f64 {
        [0.14, 0.053, 0.1054, 0.025][self as usize]
    }

    fn motion(self) -> String {
        let wheel_m = match self {
            Self::FootBot => 0.029_112_741,
            Self::EPuck => 0.0205,
            Self::KheperaIv => 0.021,
            Self::Kilobot => return Self::kilobot_motion(0.01, PI / 4.0),
        };
        format!(
            "DifferentialDrive(axle_m: {:?}, wheel_radius_m: {wheel_m:?}, max_wheel_m_per_s: {MAX_WHEEL_M_PER_S:?})",
            self.axle_m()
        )
    }

    /// The motion model of a Kilobot with a speed (m/s) and a turn rate (rad/s).
    pub fn kilobot_motion(speed: f64, turn: f64) -> String {
        format!(
            "Kilobot(speed_m_per_s: {speed:?}, turn_rad_per_s: {turn:?}, legs_apart_m: 0.025, legs_behind_m: 0.0092)"
        )
    }

    /// Its sensors of proximity, without the closing bracket. Those of the generic sensor read distances.
    pub fn proximity(self, is_plain: bool) -> Option<String> {
        Some(match self {
            Self::FootBot if is_plain => {
                "Proximity(name: \"proximity\", rays: 24, range_m: 0.1, response: Distance".into()
            }
            Self::FootBot => "Proximity(name: \"proximity\", rays: 24, range_m: 0.1, \
                              response: Inverse(scale_m: 0.0100527, offset_m: 0.000163144)"
                .into(),
            Self::EPuck => {
                let mount = |degrees: &f64| {
                    let (at, rad) = (math::direction(degrees.to_radians()) * 0.035, degrees.to_radians());
                    format!("({:?}, {:?}, {rad:?})", at.x, at.y)
                };
                let mounts: Vec<String> = EPUCK_DEG.iter().map(mount).collect();
                format!(
                    "Infrared(name: \"proximity\", mounts: [{}], min_range_m: 0.0001, range_m: 0.1, cone_rad: 0.0",
                    mounts.join(", ")
                )
            }
            Self::KheperaIv => format!(
                "Proximity(name: \"proximity\", rays: 8, from_rad: {:?}, range_m: 0.12, response: Distance",
                -PI / 8.0
            ),
            Self::Kilobot => return None,
        })
    }

    /// The fields of its ring of light sensors.
    pub fn light_ring(self) -> String {
        match self {
            Self::FootBot => "receptors: 24".into(),
            Self::EPuck => "receptors: 8".into(),
            Self::KheperaIv => format!("receptors: 8, from_rad: {:?}", -PI / 8.0),
            Self::Kilobot => "receptors: 1".into(),
        }
    }

    /// The range (m) of its sensors of proximity.
    pub fn proximity_m(self) -> f64 {
        [0.1, 0.1, 0.12, 0.0][self as usize]
    }

    /// The points of its ground sensors of a kind.
    pub fn ground(self, kind: &str) -> Option<&'static str> {
        match (self, kind) {
            (Self::FootBot, "motor_ground") => {
                Some("(0.063, 0.0116), (-0.063, 0.0116), (-0.063, -0.0116), (0.063, -0.0116)")
            }
            (Self::FootBot, "base_ground") => Some(
                "(0.08, 0.0), (0.042, 0.065), (0.0, 0.08), (-0.042, 0.065), (-0.08, 0.0), (-0.042, -0.065), \
                 (0.0, -0.08), (0.042, -0.065)",
            ),
            (Self::FootBot, _) => Some(
                "(0.063, 0.0116), (-0.063, 0.0116), (-0.063, -0.0116), (0.063, -0.0116), (0.08, 0.0), (0.042, 0.065), \
                 (0.0, 0.08), (-0.042, 0.065), (-0.08, 0.0), (-0.042, -0.065), (0.0, -0.08), (0.042, -0.065)",
            ),
            (Self::EPuck, "ground") => Some("(0.03, -0.009), (0.03, 0.0), (0.03, 0.009)"),
            (Self::KheperaIv, "ground") => Some("(0.0614, 0.01), (0.0206, 0.059), (0.0206, -0.059), (0.0614, -0.01)"),
            _ => None,
        }
    }

    /// The range (m) of its range and bearing.
    fn radio_m(self) -> f64 {
        [3.0, 0.8, 3.0, 0.1][self as usize]
    }

    /// The number of bytes of a message.
    pub fn data_size(self) -> u32 {
        [10, 2, 10, 9][self as usize]
    }

    /// The directions (rad) of the sensors of its ring, from −π to π.
    pub fn ring_rad(self) -> Vec<f64> {
        let ring =
            |count: u32, first: f64| (0..count).map(move |place| first + f64::from(place) * 360.0 / f64::from(count));
        let degrees: Vec<f64> = match self {
            Self::FootBot => ring(24, 7.5).collect(),
            Self::EPuck => EPUCK_DEG.to_vec(),
            Self::KheperaIv => ring(8, 0.0).collect(),
            Self::Kilobot => vec![0.0],
        };
        let normalized = |degrees: f64| if degrees > 180.0 { degrees - 360.0 } else { degrees };
        degrees.into_iter().map(|degrees| normalized(degrees).to_radians()).collect()
    }
}

/// The parts of a robot that its element gives.
#[derive(Clone, Debug, PartialEq)]
struct Kind<'d> {
    robot: Robot,
    controller: Option<&'d str>,
    radio_m: f64,
    data_size: u32,
    aperture_deg: f64,
}

/// Robots with places of their own that form one group so far.
struct Open<'d> {
    node: Node<'d, 'd>,
    path: String,
    kind: Kind<'d>,
    ids: Vec<String>,
    poses: Vec<Pose>,
}

/// What the devices of a group depend on: robot, controller, aperture of the camera as bits, and bytes of a message.
type DevicesKey = (Robot, String, u64, u32);

/// Reads robots, and joins those that follow one another and are alike.
pub struct Robots<'a, 'd> {
    controllers: &'a Controllers<'d>,
    /// Media for range and bearing that see through everything.
    media: &'a BTreeSet<String>,
    /// The robots that the user chose for elements.
    chosen: Vec<&'a StandIn>,
    open: Option<Open<'d>>,
    devices: BTreeMap<DevicesKey, Devices>,
    /// Controllers in Lua that do not run on a kind of robot.
    failed: BTreeSet<(Robot, String)>,
    /// The bytes that translations of controllers can still have.
    script_bytes_left: usize,
    warned: BTreeSet<String>,
    /// The number of robots so far.
    count: u32,
}

impl<'a, 'd> Robots<'a, 'd> {
    /// Robots with these controllers and media, and with the choices of robots for their elements.
    pub fn new(controllers: &'a Controllers<'d>, media: &'a BTreeSet<String>, chosen: Vec<&'a StandIn>) -> Self {
        Self {
            controllers,
            media,
            chosen,
            open: None,
            devices: BTreeMap::new(),
            failed: BTreeSet::new(),
            script_bytes_left: MAX_SCRIPT_BYTES,
            warned: BTreeSet::new(),
            count: 0,
        }
    }

    /// Reads a robot with a place of its own.
    pub fn one(&mut self, reader: &mut Reader, node: Node<'d, 'd>, path: &str) {
        let Some(kind) = self.kind(reader, node, path) else { return };
        let (pose, id) = (arena::pose(reader, node, path), node.attribute("id").unwrap_or_default().to_owned());
        match &mut self.open {
            Some(open) if open.kind == kind => {
                open.poses.push(pose);
                open.ids.push(id);
            }
            _ => {
                self.finish(reader);
                let path = path.to_owned();
                self.open = Some(Open { node, path, kind, ids: vec![id], poses: vec![pose] });
            }
        }
    }

    /// Reads robots that are distributed: their number, and the number in the id of the first one.
    pub fn many(
        &mut self,
        reader: &mut Reader,
        node: Node<'d, 'd>,
        path: &str,
        (quantity, first): (u32, u32),
        places: Places,
    ) {
        self.finish(reader);
        let Some(kind) = self.kind(reader, node, path) else { return };
        if let Some(body) = reader.child(node, path, "body") {
            reader.left_out(body, path, "the distribution gives poses");
        }
        let base = node.attribute("id").unwrap_or_default();
        let id = |number: u32| format!("{base}{}", u64::from(first) + u64::from(number));
        match places {
            Places::Listed(poses) => {
                let ids = (0..poses.len() as u32).map(id).collect();
                self.open = Some(Open { node, path: path.to_owned(), kind, ids, poses });
                self.finish(reader);
            }
            Places::Drawn { spawner, .. } => {
                let place = format!("count: {quantity}, spawn: {spawner}");
                let ids = || (0..quantity.min(MAX_IDS)).map(id).collect();
                self.group(reader, (node, path), &kind, &place, (&id(0), &ids));
            }
        }
    }

    /// Adds the robots that are left.
    pub fn finish(&mut self, reader: &mut Reader) {
        let Some(Open { node, path, kind, ids, poses }) = self.open.take() else { return };
        let pose = |Pose { at_m, heading_rad, .. }: &Pose| format!("({:?}, {:?}, {heading_rad:?})", at_m.x, at_m.y);
        if poses.is_empty() {
            return reader.left_out(node, &path, "it is distributed nowhere");
        }
        let place = format!("at: [{}]", poses.iter().map(pose).collect::<Vec<_>>().join(", "));
        let first = ids.first().map(String::as_str).unwrap_or_default();
        self.group(reader, (node, &path), &kind, &place, (first, &|| ids.clone()));
    }

    /// The kind of a robot; `None` if it has no counterpart.
    fn kind(&self, reader: &mut Reader, node: Node<'d, 'd>, path: &str) -> Option<Kind<'d>> {
        let tag = node.tag_name().name();
        let controller = reader.child(node, path, "controller");
        let chosen = self.chosen.iter().rev().find(|chosen| chosen.is_for(tag));
        let chosen = chosen.and_then(|chosen| match chosen.counterpart {
            Counterpart::Robot(name) => Robot::named(name),
            _ => None,
        });
        let robot = match (chosen, Robot::of(tag)) {
            (Some(robot), _) | (None, Some((robot, true))) => robot,
            (None, found) => {
                let plain = tag.replace(['-', '_'], "");
                if WITHOUT_COUNTERPART.contains(&&*plain) || (found.is_none() && controller.is_none()) {
                    reader.left_out(node, path, "it has no counterpart");
                    return None;
                }
                let robot = found.map_or(Robot::FootBot, |(robot, _)| robot);
                let (tag, name) = (shown(tag), robot.name());
                let other = if robot == Robot::EPuck { "footbot" } else { "epuck" };
                let message = format!(
                    "`<{tag}>` is a robot of a plugin, and is read as a `{name}`; `--robot {tag}={other}` chooses another one"
                );
                reader.warn(node, path, message);
                robot
            }
        };
        let known = [
            "id",
            "rab_range",
            "rab_data_size",
            "communication_range",
            "omnidirectional_camera_aperture",
            "battery",
            "bat_model",
            "debug",
        ];
        reader.check(node, path, &known, &["body", "controller", "battery", "dynamics2d"]);
        for name in ["battery", "bat_model"] {
            reader.attribute_left_out(node, path, name, "robots have no battery that runs down");
        }
        reader.attribute_left_out(node, path, "debug", "it changes the view only");
        for (part, reason) in [
            ("battery", "robots have no battery that runs down"),
            ("dynamics2d", "pushes have no friction between robots"),
        ] {
            if let Some(found) = reader.child(node, path, part) {
                reader.left_out(found, path, reason);
            }
        }
        if let Some(controller) = controller {
            reader.check(controller, &format!("{path}.controller"), &["config"], &["params"]);
            if let Some(params) = reader.child(controller, path, "params") {
                reader.left_out(params, path, "all robots of a controller have its parameters");
            }
        }
        let radio_m = reader.number(node, path, "rab_range").or(reader.number(node, path, "communication_range"));
        let data_size = reader.whole(node, path, "rab_data_size");
        if data_size.is_some_and(|size| size > MAX_DATA_SIZE) {
            let reason = format!("a message has at most {MAX_DATA_SIZE} bytes: it has {}", robot.data_size());
            reader.attribute_left_out(node, path, "rab_data_size", &reason);
        }
        let data_size = data_size.filter(|size| *size <= MAX_DATA_SIZE);
        Some(Kind {
            robot,
            controller: controller.and_then(|controller| controller.attribute("config")),
            radio_m: radio_m.filter(|range| *range > 0.0).unwrap_or(robot.radio_m()),
            data_size: data_size.unwrap_or(robot.data_size()),
            aperture_deg: reader.number(node, path, "omnidirectional_camera_aperture").unwrap_or(70.0),
        })
    }

    /// Adds a group of robots of a kind.
    fn group(
        &mut self,
        reader: &mut Reader,
        (node, path): (Node, &str),
        kind: &Kind<'d>,
        place: &str,
        (first_id, ids): (&str, &dyn Fn() -> Vec<String>),
    ) {
        if !reader.has_room(node, path) {
            return;
        }
        let controller = self.controllers.iter().find(|known| Some(known.id) == kind.controller).copied();
        let Some(controller) = controller else {
            let id = shown(kind.controller.unwrap_or_default());
            let message = format!(
                "there is no controller `{id}`: its robots have the controller `External`, without sensors, and stand until \
                 a program drives them"
            );
            reader.warn(node, path, message);
            return self.add(reader, (node, path), kind, place, (&Devices::default(), "External()"), first_id);
        };
        let devices = self.devices(reader, kind, &controller);
        let text = self.controller(reader, kind, &controller, &devices, ids);
        self.add(reader, (node, path), kind, place, (&devices, &text), first_id);
    }

    /// The devices of the robots of a kind with a controller. Their warnings come once.
    fn devices(&mut self, reader: &mut Reader, kind: &Kind, controller: &Controller) -> Devices {
        let key = (kind.robot, controller.id.to_owned(), kind.aperture_deg.to_bits(), kind.data_size);
        if let Some(known) = self.devices.get(&key) {
            return known.clone();
        }
        let height_m = reader.light_height_m;
        let devices = devices::read(reader, kind.robot, controller, height_m, kind.aperture_deg, kind.data_size);
        self.devices.insert(key, devices.clone());
        devices
    }

    /// The controller of a group, as a text of a scene.
    fn controller(
        &mut self,
        reader: &mut Reader,
        kind: &Kind,
        controller: &Controller,
        devices: &Devices,
        ids: &dyn Fn() -> Vec<String>,
    ) -> String {
        if let Some(text) = controllers::chosen(reader, controller) {
            return text;
        }
        if !controller.is_lua() {
            if self.warned.insert(controller.id.to_owned()) {
                controllers::warn_external(reader, controller, "is a program in C++");
            }
            return "External()".into();
        }
        let key = (kind.robot, controller.id.to_owned());
        if self.failed.contains(&key) {
            return "External()".into();
        }
        let body = lua::Body { robot: kind.robot, devices, data_size: kind.data_size, ids: &ids(), first: self.count };
        let script =
            lua::script(reader, controller, &body).and_then(|text| match text.len() <= self.script_bytes_left {
                true => Ok(text),
                false => {
                    Err(vec![format!("is left out: scripts of a scene take at most {} MiB", MAX_SCRIPT_BYTES >> 20)])
                }
            });
        match script {
            Ok(text) => {
                self.script_bytes_left -= text.len();
                text
            }
            Err(reasons) => {
                self.failed.insert(key);
                if self.warned.insert(controller.id.to_owned()) {
                    for reason in reasons {
                        controllers::warn_external(reader, controller, &reason);
                    }
                }
                "External()".into()
            }
        }
    }

    fn add(
        &mut self,
        reader: &mut Reader,
        (node, path): (Node, &str),
        kind: &Kind,
        place: &str,
        (devices, controller): (&Devices, &str),
        first_id: &str,
    ) {
        let robot = kind.robot;
        let name = reader.quoted(&group_name(first_id, robot));
        let motion = devices.motion.clone().unwrap_or_else(|| robot.motion());
        let sensors = devices.sensors.join(", ");
        let radio = if devices.has_radio { self.radio(reader, kind, devices) } else { String::new() };
        let (radius, parts) = (robot.radius_m(), &devices.parts);
        let text = format!(
            "(name: {name}, {place}, body: Disc(radius_m: {radius:?}), motion: {motion}, sensors: [{sensors}], \
             controller: {controller}{radio}{parts})"
        );
        if let Some(group) = reader.scene_part::<Group>(node, path, &text) {
            self.count = self.count.saturating_add(group.agents());
            reader.add_group(group);
        }
    }

    fn radio(&self, reader: &Reader, kind: &Kind, Devices { loss, medium, .. }: &Devices) -> String {
        let dt_s = reader.scene.time.dt_s;
        let is_blocked = !self.media.contains(medium);
        let range = kind.radio_m;
        format!(
            ", radio: Some((loss: Bernoulli(probability: {loss:?}, range_m: {range:?}, line_of_sight: {is_blocked}), \
             schedule: Periodic(period_s: {dt_s:?}), max_age_s: {dt_s:?}, situated: true))"
        )
    }
}

/// The name of a group of robots: the id of the first one without the number at its end.
fn group_name(id: &str, robot: Robot) -> String {
    let base = id.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '_' || letter == '-');
    let plain = |letter: char| if letter.is_alphanumeric() || letter == '_' || letter == '-' { letter } else { '_' };
    let name: String = base.chars().take(64).map(plain).collect();
    if name.is_empty() { robot.name().into() } else { name }
}
