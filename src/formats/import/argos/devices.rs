//! The sensors and actuators of robots.

use std::f64::consts::PI;

use roxmltree::Node;
use swarmarium_base::math;
use swarmarium_core::text::wording::shown;

use super::controllers::Controller;
use super::reader::Reader;
use super::robots::Robot;

/// The height (m) of the camera of a foot-bot above the floor.
const CAMERA_HEIGHT_M: f64 = 0.288_699_733;

/// The devices of the robots of one kind with one controller.
#[derive(Clone, Debug, Default)]
pub struct Devices {
    /// Sensors, as texts of a scene.
    pub sensors: Vec<String>,
    /// The words of ARGoS's Lua for them: fields of `robot`.
    pub fields: Vec<&'static str>,
    /// Whether readings of `proximity` and `light` are numbers, and not tables with `value` and `angle`.
    pub plain: Vec<&'static str>,
    /// Whether it has a radio.
    pub has_radio: bool,
    /// The id of the medium of its radio.
    pub medium: String,
    /// Probability that a packet is lost.
    pub loss: f64,
    /// The LEDs and the gripper, as fields of a group.
    pub parts: String,
    /// The motion model of a Kilobot whose speeds the file gives.
    pub motion: Option<String>,
}

impl Devices {
    fn add(&mut self, reader: &mut Reader, (node, path): (Node, &str), field: &'static str, sensor: String) {
        if self.fields.contains(&field) {
            return reader.left_out(node, path, "a robot has one sensor of each kind, the first one");
        }
        self.sensors.push(sensor);
        self.fields.push(field);
    }
}

/// Attributes of a device that change nothing here.
const OF_VIEW: [&str; 3] = ["show_rays", "show_frustum", "show_tag_rays"];
/// Attributes that choose between implementations of a device.
const OF_CHOICE: [&str; 4] = ["implementation", "medium", "calibrated", "data_size"];

/// Reads the devices of a controller for robots of a kind.
pub fn read(
    reader: &mut Reader,
    robot: Robot,
    controller: &Controller,
    light_height_m: f64,
    aperture_deg: f64,
    data_size: u32,
) -> Devices {
    let mut devices = Devices::default();
    for sensor in controller.sensors.iter().flat_map(Node::children).filter(Node::is_element) {
        let path = format!("controllers.{}.sensors", shown(controller.id));
        read_sensor(reader, &path, sensor, robot, (light_height_m, aperture_deg, data_size), &mut devices);
    }
    for actuator in controller.actuators.iter().flat_map(Node::children).filter(Node::is_element) {
        let path = format!("controllers.{}.actuators", shown(controller.id));
        read_actuator(reader, &path, actuator, robot, &mut devices);
    }
    devices
}

/// Checks the attributes of a device, of which some are known.
fn check(reader: &mut Reader, node: Node, path: &str, known: &[&str]) {
    reader.check(node, path, &[&OF_VIEW[..], &OF_CHOICE[..], known].concat(), &[]);
    for name in OF_VIEW {
        reader.attribute_left_out(node, path, name, "the view of the window shows sensors");
    }
}

/// Noise for the uniform noise of a sensor of ARGoS.
fn noise(reader: &mut Reader, node: Node, path: &str) -> String {
    let level = reader.number(node, path, "noise_level").filter(|level| *level > 0.0);
    let Some(level) = level else { return String::new() };
    let message = "its uniform noise is normal noise with the same standard deviation here";
    reader.warn(node, path, message);
    format!(", noise: [Gaussian(std_dev: {:?})]", level / 3.0_f64.sqrt())
}

fn read_sensor(
    reader: &mut Reader,
    path: &str,
    node: Node,
    robot: Robot,
    (light_height_m, aperture_deg, data_size): (f64, f64, u32),
    devices: &mut Devices,
) {
    let tag = node.tag_name().name();
    let path = format!("{path}.{}", shown(tag));
    let is_known = |suffix: &str| tag == suffix || tag.ends_with(&format!("_{suffix}"));
    let is_plain = ["proximity", "light"].contains(&tag);
    let none = || format!("{} have no such sensor", robot.plural());
    let count = devices.sensors.len();
    if is_known("proximity") {
        let Some(text) = robot.proximity(is_plain) else { return reader.left_out(node, &path, &none()) };
        check(reader, node, &path, &["noise_level"]);
        let noise = noise(reader, node, &path);
        devices.add(reader, (node, &path), "proximity", format!("{text}{noise})"));
    } else if is_known("light") {
        check(reader, node, &path, &["noise_level"]);
        let noise = noise(reader, node, &path);
        let text = match (robot, is_plain) {
            (_, true) => {
                reader.warn(node, &path, "lights have the intensity of their file, whose square ARGoS's sensor reads");
                "response: Uniform, aperture_rad: 6.283185307179586, law: InverseSquare(min_distance_m: 0.01), \
                 saturation: 1.0"
                    .to_owned()
            }
            (Robot::Kilobot, _) => "response: Uniform, aperture_rad: 6.283185307179586".to_owned(),
            (Robot::FootBot | Robot::KheperaIv | Robot::EPuck, _) => {
                format!("response: Linear, law: Exponential(rate_per_m: 2.0, height_m: {light_height_m:?})")
            }
        };
        let ring = robot.light_ring();
        devices.add(reader, (node, &path), "light", format!("LightSensor(name: \"light\", {ring}, {text}{noise})"));
    } else if tag == "footbot_motor_ground" || tag == "footbot_base_ground" || is_known("ground") {
        check(reader, node, &path, &["noise_level"]);
        let noise = noise(reader, node, &path);
        let field = match tag {
            "footbot_motor_ground" => "motor_ground",
            "footbot_base_ground" => "base_ground",
            _ => "ground",
        };
        let Some(points) = robot.ground(field) else { return reader.left_out(node, &path, &none()) };
        devices.add(
            reader,
            (node, &path),
            field,
            format!("GroundSensor(name: \"{field}\", points_m: [{points}]{noise})"),
        );
    } else if is_known("range_and_bearing") || tag == "kilobot_communication" {
        check(
            reader,
            node,
            &path,
            &["noise_std_dev", "nois_std_deviation", "packet_drop_prob", "loss_probability", "range"],
        );
        for name in ["noise_std_dev", "nois_std_deviation"] {
            let is_quiet = reader.number(node, &path, name).is_none_or(|noise| noise == 0.0);
            if !is_quiet {
                reader.attribute_left_out(node, &path, name, "ranges and bearings are exact; a sensor can have noise");
            }
        }
        for name in ["packet_drop_prob", "loss_probability"] {
            devices.loss = reader.number(node, &path, name).unwrap_or(devices.loss).clamp(0.0, 1.0);
        }
        devices.has_radio = true;
        devices.medium = node.attribute("medium").unwrap_or_default().to_owned();
        devices.add(
            reader,
            (node, &path),
            "range_and_bearing",
            format!("RangeAndBearing(name: \"range_and_bearing\", max_neighbours: 32, numbers: {data_size})"),
        );
    } else if tag == "colored_blob_omnidirectional_camera" && robot == Robot::FootBot {
        check(reader, node, &path, &["noise_std_dev"]);
        reader.attribute_left_out(node, &path, "noise_std_dev", "the camera is exact; a sensor can have noise");
        let range_m = math::tan(aperture_deg.clamp(1.0, 89.0) * PI / 180.0) * CAMERA_HEIGHT_M;
        let sees_lights = light_height_m < CAMERA_HEIGHT_M;
        devices.add(
            reader,
            (node, &path),
            "colored_blob_omnidirectional_camera",
            format!("ColorCamera(name: \"camera\", range_m: {range_m:?}, max_blobs: 32, lights: {sees_lights})"),
        );
    } else if tag == "positioning" {
        check(reader, node, &path, &["pos_noise_range", "angle_noise_range", "axis_noise_range"]);
        for name in ["pos_noise_range", "angle_noise_range", "axis_noise_range"] {
            reader.attribute_left_out(node, &path, name, "the position is exact; a sensor can have noise");
        }
        devices.add(reader, (node, &path), "positioning", "Pose(name: \"positioning\")".into());
    } else if tag == "differential_steering" && robot != Robot::Kilobot {
        check(reader, node, &path, &["vel_noise_range", "dist_noise_range"]);
        for name in ["vel_noise_range", "dist_noise_range"] {
            reader.attribute_left_out(node, &path, name, "encoders are exact; a sensor can have noise");
        }
        devices.add(reader, (node, &path), "steering", "Encoders(name: \"encoders\")".into());
    } else {
        reader.left_out(node, &path, &none());
    }
    if is_plain && devices.sensors.len() > count {
        devices.plain.extend(devices.fields.last());
    }
}

fn read_actuator(reader: &mut Reader, path: &str, node: Node, robot: Robot, devices: &mut Devices) {
    let tag = node.tag_name().name();
    let path = format!("{path}.{}", shown(tag));
    if tag == "differential_steering" && robot == Robot::Kilobot {
        check(reader, node, &path, &["linear_velocity", "angular_velocity", "noise_std_dev"]);
        reader.attribute_left_out(node, &path, "noise_std_dev", "a motion model has `motion_noise`");
        let speed = reader.number(node, &path, "linear_velocity").unwrap_or(0.01);
        let turn = reader.number(node, &path, "angular_velocity").unwrap_or(45.0).to_radians();
        devices.motion = Some(Robot::kilobot_motion(speed, turn));
        devices.fields.push("wheels");
    } else if tag == "differential_steering" || tag.ends_with("_wheels") {
        let noises: Vec<&str> =
            node.attributes().map(|found| found.name()).filter(|name| is_motion_noise(name)).collect();
        check(reader, node, &path, &noises);
        for name in noises {
            reader.attribute_left_out(node, &path, name, "a motion model has `motion_noise`");
        }
        devices.fields.push("wheels");
    } else if tag == "leds" || tag.ends_with("_leds") || tag.ends_with("_led") {
        check(reader, node, &path, &[]);
        if !devices.fields.contains(&"leds") {
            devices.parts += ", leds: Some(())";
            devices.fields.push("leds");
        }
    } else if tag.ends_with("range_and_bearing") || tag == "kilobot_communication" {
        check(reader, node, &path, &["range"]);
        reader.attribute_left_out(node, &path, "range", "the radio of the robot has its range");
        devices.has_radio = true;
        devices.fields.push("radio");
    } else if tag == "footbot_gripper" && robot == Robot::FootBot {
        check(reader, node, &path, &[]);
        if !devices.fields.contains(&"gripper") {
            devices.parts += ", gripper: Some((reach_m: 0.02, half_angle_rad: 0.6))";
            devices.fields.push("gripper");
        } else {
            reader.left_out(node, &path, "a robot has only one gripper");
        }
    } else {
        reader.left_out(node, &path, &format!("{} have no such actuator", robot.plural()));
    }
}

/// Whether an attribute of an actuator gives its noise: those of ARGoS begin with `noise` or `bias`.
fn is_motion_noise(name: &str) -> bool {
    ["noise", "bias", "factor"].iter().any(|begin| name.starts_with(begin))
}
