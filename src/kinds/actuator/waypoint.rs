//! Drives to points.

use std::f64::consts::FRAC_PI_3;

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_LENGTH_M};
use swarmarium_base::math::{angle_of, direction, wrap_angle};
use swarmarium_core::actuator::{Actuation, Actuator, Field, Memory, Robot, Status, Velocity};
use swarmarium_core::agent::{Pose, Team};
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::service::{About, Parameter, Property, Service, ServiceError, Value};
use swarmarium_picture::palette::Role;
use swarmarium_picture::{Layer, Picture};
use swarmarium_space::Target;

/// Drives to a point and around obstacles; turns on the spot first if the point is to the side or behind (MORSE
/// `Waypoint`).
///
/// As in MORSE, it turns in the same direction around every obstacle, and is easily trapped.
#[kind(section = "Driving", words = "go to, point, route")]
pub struct Waypoint {
    /// Whether the robot avoids obstacles.
    #[default(true)]
    pub obstacle_avoidance: bool,
    /// Rays that detect obstacles.
    pub radar: Radar,
    /// Names of objects, teams and groups that are not obstacles.
    pub ignore: Vec<String>,
    /// Whether the robot also changes its height.
    pub free_z: bool,
    /// Angle to the point below which the robot drives straight on.
    #[reflect(@Limits::between(0.0, std::f64::consts::PI))]
    #[default(10.0_f64.to_radians())]
    pub angle_tolerance_rad: f64,
    /// Speed until a command sets another one.
    #[reflect(@Limits::between(0.0, 1e3))]
    #[default(1.0)]
    pub speed_m_per_s: f64,
    /// Whether the robot returns to the point when something moves it away.
    pub remain_at_destination: bool,
}

/// Two rays ahead, one on each side of a robot.
#[derive(Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Default, Clone)]
pub struct Radar {
    /// Start of the rays ahead of the centre of the robot.
    #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
    pub ahead_m: f64,
    /// Start of the rays to the left and right of the centre.
    #[reflect(@Limits::between(0.0, MAX_LENGTH_M))]
    pub aside_m: f64,
    /// Length of the rays. Nothing counts as an obstacle when the point is nearer than this.
    #[reflect(@Limits::between(0.0, MAX_LENGTH_M))]
    pub range_m: f64,
}

impl Default for Radar {
    fn default() -> Self {
        Self { ahead_m: 0.7, aside_m: 0.4, range_m: 3.0 }
    }
}

/// The parameters of a target.
const GOAL: &[Parameter] = &[
    Parameter { name: "x", default: None },
    Parameter { name: "y", default: None },
    Parameter { name: "z", default: None },
    Parameter { name: "tolerance", default: Some(0.5) },
    Parameter { name: "speed", default: Some(1.0) },
];

const fn plain(name: &'static str) -> Service {
    Service { name, parameters: &[], sets: None, is_task: false }
}

impl Actuator for Waypoint {
    const ABOUT: About = About {
        class: "Waypoint",
        services: &[
            Service { name: "setdest", parameters: GOAL, sets: None, is_task: false },
            Service { name: "goto", parameters: GOAL, sets: None, is_task: true },
            plain("stop"),
            plain("resume"),
            plain("get_status"),
        ],
        properties: &[
            Property {
                name: "ObstacleAvoidance",
                field: "obstacle_avoidance",
                unit: 1.0,
                type_name: "bool",
                attribute: "_obstacle_avoidance",
            },
            Property { name: "FreeZ", field: "free_z", unit: 1.0, type_name: "bool", attribute: "_free_z" },
            Property {
                name: "AngleTolerance",
                field: "angle_tolerance_rad",
                unit: 1.0,
                type_name: "float",
                attribute: "_angle_tolerance",
            },
            Property { name: "Speed", field: "speed_m_per_s", unit: 1.0, type_name: "float", attribute: "_speed" },
            Property { name: "Ignore", field: "ignore", unit: 1.0, type_name: "string", attribute: "_ignore" },
            Property {
                name: "RemainAtDestination",
                field: "remain_at_destination",
                unit: 1.0,
                type_name: "bool",
                attribute: "_remain",
            },
        ],
    };
    const FIELDS: &'static [Field] = &[
        Field::number("x", 0.0),
        Field::number("y", 0.0),
        Field::number("z", 0.0),
        Field::number("tolerance", 0.5),
        Field::number("speed", 1.0),
    ];

    fn start(&self, robot: &Robot, values: &mut [f64]) {
        let DVec2 { x, y } = robot.pose.position_m;
        let start = [x, y, robot.attitude.z_m];
        values.iter_mut().zip(start).for_each(|(value, start)| *value = start);
        if let Some(speed) = values.get_mut(SPEED) {
            *speed = self.speed_m_per_s;
        }
    }

    fn act(&self, robot: &Robot, memory: &mut Memory) -> Actuation {
        let [x, y, z, tolerance, speed] = memory.numbers();
        if memory.fresh && speed > 0.0 {
            memory.status = Status::Transit;
            memory.kept.clear();
        }
        match memory.status {
            Status::Stop if memory.fresh || !memory.kept.is_empty() => {
                memory.kept.clear();
                return Velocity::ZERO.into();
            }
            Status::Stop => return Actuation::default(),
            Status::Arrived if !memory.fresh && !self.remain_at_destination => return Actuation::default(),
            Status::Arrived | Status::Transit => {}
        }
        let target = Vec3m { plane: DVec2::new(x, y), z };
        if self.distance_m(robot, target) <= tolerance.max(0.0) {
            memory.status = Status::Arrived;
            memory.end_task();
            return Velocity::ZERO.into();
        }
        memory.status = Status::Transit;
        if speed <= 0.0 {
            return Velocity::ZERO.into();
        }
        let (v, w) = self.steer(robot, target.plane, tolerance.max(0.0), speed);
        let climb = z - robot.attitude.z_m;
        let most = speed * robot.period_s;
        let attitude = (self.free_z && climb != 0.0).then(|| {
            let mut attitude = robot.attitude;
            attitude.z_m += climb.clamp(-most, most);
            attitude
        });
        Actuation { attitude, ..Velocity::drive(v, w).into() }
    }

    fn call(
        &self,
        robot: &Robot,
        memory: &mut Memory,
        service: &Service,
        arguments: &[Value],
    ) -> Result<Value, ServiceError> {
        match service.name {
            "setdest" | "goto" => {
                let goal = service.numbers(arguments)?;
                let [x, y, z, tolerance, _] = goal[..] else { return Ok(Value::Null) };
                let target = Vec3m { plane: DVec2::new(x, y), z };
                if !service.is_task && self.distance_m(robot, target) <= tolerance {
                    return Ok(false.into());
                }
                memory.tell(&goal);
                memory.kept.clear();
                memory.status = Status::Transit;
                if service.is_task {
                    memory.begin_task();
                    return Ok(Value::Null);
                }
                Ok(true.into())
            }
            "stop" => {
                // The last message on the stream is void and does not make it drive on; it still has to stop the robot.
                (memory.status, memory.fresh, memory.kept) = (Status::Stop, false, vec![1.0]);
                Ok(memory.status.to_string().into())
            }
            "resume" => {
                // As in MORSE, even without a stop before: a robot at its destination arrives again when this actuator
                // acts next.
                memory.kept.clear();
                memory.status = Status::Transit;
                Ok(memory.status.to_string().into())
            }
            _ => Ok(memory.status.to_string().into()),
        }
    }

    fn interrupt(&self, robot: &Robot, memory: &mut Memory) {
        let DVec2 { x, y } = robot.pose.position_m;
        memory.tell(&[x, y, robot.attitude.z_m]);
    }

    fn draw(&self, memory: &Memory, pose: &Pose, shows_plan: bool, picture: &mut Picture) {
        if !shows_plan || memory.status == Status::Arrived {
            return;
        }
        let [x, y, _, tolerance, _] = memory.numbers();
        let target = DVec2::new(x, y);
        picture.arrow(Layer::Sensors, Role::Goal, [pose.position_m, target], 1.5);
        picture.disc(Layer::Sensors, Role::Goal.faint(0.2), target, tolerance.max(0.0));
    }
}

/// The place of the speed among the values.
const SPEED: usize = 4;

/// A point in space, in metres.
#[derive(Clone, Copy)]
struct Vec3m {
    plane: DVec2,
    z: f64,
}

impl Waypoint {
    fn distance_m(&self, robot: &Robot, target: Vec3m) -> f64 {
        let climb = if self.free_z { target.z - robot.attitude.z_m } else { 0.0 };
        let plane = robot.way_to(target.plane).length();
        (plane * plane + climb * climb).sqrt()
    }

    /// The speed (m/s) and the turn rate (rad/s) towards a point.
    fn steer(&self, robot: &Robot, target_m: DVec2, tolerance_m: f64, speed: f64) -> (f64, f64) {
        let way = robot.way_to(target_m);
        let distance = way.length();
        if distance == 0.0 {
            return (0.0, 0.0);
        }
        let angle = wrap_angle(angle_of(way) - robot.pose.heading_rad);
        let off = angle.abs();
        // Half the rate that would turn too far, to avoid oscillation.
        let turn = if off < speed * robot.period_s { off / robot.period_s / 2.0 } else { speed / 2.0 };
        let v = if off >= FRAC_PI_3 { 0.0 } else { speed.min(distance / robot.period_s) };
        let looks = self.obstacle_avoidance && v > 0.0 && distance + tolerance_m > self.radar.range_m;
        let w = match () {
            // Even if the point is straight ahead: MORSE hardly turns in that case.
            () if looks && self.is_blocked(robot, -1.0) => speed / 2.0,
            () if looks && self.is_blocked(robot, 1.0) => -speed / 2.0,
            () if off < self.angle_tolerance_rad => 0.0,
            () => turn.copysign(angle),
        };
        (v, w)
    }

    /// Whether an obstacle is ahead on one side; 1 is the left side.
    fn is_blocked(&self, robot: &Robot, side: f64) -> bool {
        let Radar { ahead_m, aside_m, range_m } = self.radar;
        let facing = direction(robot.pose.heading_rad);
        let eye = robot.pose.position_m + facing.rotate(DVec2::new(ahead_m, side * aside_m));
        let hit = robot.space.first_hit(eye, facing, range_m, Some(robot.row));
        hit.is_some_and(|hit| !self.ignores(robot, hit.target))
    }

    fn ignores(&self, robot: &Robot, target: Target) -> bool {
        let space = robot.space;
        let mut ignored = self.ignore.iter().filter(|name| !name.is_empty());
        let thing = match target {
            Target::Wall => return false,
            Target::Body(row) => {
                let (team, name) = (space.bodies.groups()[row], space.bodies.owners()[row].name);
                return ignored.map(|name| Team::named(name).0).any(|wanted| [team, name].contains(&wanted));
            }
            Target::Solid(solid) => space.owner_of(solid),
            Target::Thing(place) => Some(place),
        };
        let Some(thing) = thing.and_then(|place| space.things.get(place)) else { return false };
        ignored.any(|name| *name == thing.name || Team::named(name).0 == thing.team)
    }
}
