//! The aim of a camera over time: the whole arena, a position, or an agent or group that it follows.

use std::str::FromStr;

use bevy::math::DVec2;
use swarmarium_base::math;
use swarmarium_base::problem::did_you_mean;
use swarmarium_picture::camera::Camera;
use thiserror::Error;

use swarmarium_draw::Moment;
use swarmarium_scene::scene::description::{CameraKeyframe, LookAt};
use swarmarium_simulation::simulation::Simulation;

/// The default zoom of a camera that follows something, relative to the whole arena.
const CLOSE: f64 = 3.0;
/// The smallest and the largest zoom, relative to the whole arena.
const ZOOM: std::ops::RangeInclusive<f64> = 1e-3..=1e4;

/// The reason why a camera cannot be aimed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AimError {
    /// The text has none of the forms of an [`Aim`].
    #[error(
        "expected fit, follow:AGENT, follow:GROUP or X,Y,ZOOM, such as 5,5,2: metres, and zoom relative to fit; \
         follow:GROUP,2 sets the zoom, too"
    )]
    Syntax,
    /// The scene has no agent with this number.
    #[error("there is no agent {number}: the scene has {count}, counted from 0")]
    UnknownNumber {
        /// The number.
        number: u32,
        /// The number of agents in the scene.
        count: u32,
    },
    /// Neither an agent nor a group has this name.
    #[error("there is no agent or group `{name}`{suggestion}")]
    UnknownName {
        /// The name.
        name: String,
        /// The nearest name, as part of a message; empty if no name is near.
        suggestion: String,
    },
}

/// The constant aim of a camera, in the notation of the command line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Aim(pub CameraKeyframe);

impl FromStr for Aim {
    type Err = AimError;

    fn from_str(text: &str) -> Result<Self, AimError> {
        let number = |text: &str| text.trim().parse().ok().filter(|number| f64::is_finite(*number));
        let zoom = |text: &str| number(text).filter(|zoom| ZOOM.contains(zoom));
        let aim = match (text, text.strip_prefix("follow:")) {
            ("fit", _) => Some((LookAt::Fit, 1.0)),
            (_, Some(whom)) => {
                let (target, zoom) = match whom.rsplit_once(',') {
                    Some((target, times)) => (target, zoom(times)),
                    None => (whom, Some(CLOSE)),
                };
                zoom.filter(|_| !target.is_empty()).map(|zoom| (LookAt::Follow { target: target.into() }, zoom))
            }
            _ => match text.split(',').collect::<Vec<_>>()[..] {
                [x, y, times] => number(x)
                    .zip(number(y))
                    .zip(zoom(times))
                    .map(|((x, y), zoom)| (LookAt::Place { center_m: DVec2::new(x, y) }, zoom)),
                _ => None,
            },
        };
        aim.map(|(look_at, zoom)| Self(CameraKeyframe { at_s: 0.0, look_at, zoom })).ok_or(AimError::Syntax)
    }
}

/// A camera that moves from keyframe to keyframe and remembers the last positions of the agents that it follows.
#[derive(Clone, Debug, PartialEq)]
pub struct Operator {
    /// The keyframes, by time.
    stops: Vec<Stop>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Stop {
    at_s: f64,
    target: Target,
    center_m: DVec2,
    zoom: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Target {
    Place,
    Agent(u32),
    Group(u32),
}

impl Operator {
    /// Creates a camera for a simulation; without keyframes it shows the whole arena.
    ///
    /// # Errors
    /// If a keyframe names an agent or group that does not exist.
    pub fn new(keyframes: &[CameraKeyframe], simulation: &Simulation) -> Result<Self, AimError> {
        let arena_center_m = simulation.scene().arena.center_m();
        let stop = |CameraKeyframe { at_s, look_at, zoom }: &CameraKeyframe| {
            let (target, center_m) = match look_at {
                LookAt::Fit => (Target::Place, arena_center_m),
                LookAt::Place { center_m } => (Target::Place, *center_m),
                LookAt::Follow { target: name } => (target(name, simulation)?, arena_center_m),
            };
            Ok::<_, AimError>(Stop { at_s: *at_s, target, center_m, zoom: *zoom })
        };
        let fit = CameraKeyframe::default();
        let keyframes = if keyframes.is_empty() { std::slice::from_ref(&fit) } else { keyframes };
        let mut stops = keyframes.iter().map(stop).collect::<Result<Vec<_>, _>>()?;
        stops.sort_by(|a, b| a.at_s.total_cmp(&b.at_s));
        Ok(Self { stops })
    }

    /// The camera at a moment, where `fit` shows the whole arena. If the followed agent is gone, the camera stays at
    /// its last position.
    pub fn camera(&mut self, moment: &Moment, fit: &Camera) -> Camera {
        for stop in &mut self.stops {
            let seen = match stop.target {
                Target::Place => None,
                Target::Agent(number) => moment.position_m(number),
                Target::Group(place) => moment.center_m(place),
            };
            stop.center_m = seen.filter(|place| place.is_finite()).unwrap_or(stop.center_m);
        }
        let next = self.stops.partition_point(|stop| stop.at_s <= moment.now_s());
        let from = self.stops[next.saturating_sub(1)];
        let to = self.stops.get(next).copied().unwrap_or(from);
        let part = match to.at_s - from.at_s {
            between if between > 0.0 => ((moment.now_s() - from.at_s) / between).clamp(0.0, 1.0),
            _ => 0.0,
        };
        // The camera starts and stops smoothly; the zoom changes by a constant factor per part of the way.
        let soft = part * part * (3.0 - 2.0 * part);
        let zoom = math::exp(math::ln(from.zoom) * (1.0 - soft) + math::ln(to.zoom) * soft);
        let [least, most] = Camera::ZOOM;
        let pixels_per_m = (fit.pixels_per_m * zoom).clamp(least, most);
        Camera { center_m: from.center_m.lerp(to.center_m, soft), pixels_per_m, ..*fit }
    }
}

/// The target of a text: the number of an agent, the name of a group, or the name of an agent such as `millers-3`.
fn target(who: &str, simulation: &Simulation) -> Result<Target, AimError> {
    let scene = simulation.scene();
    let count: u32 = scene.groups.iter().map(|group| group.agents()).sum();
    if let Ok(number) = who.parse::<u32>() {
        return match number < count || simulation.agent(number).is_some() {
            true => Ok(Target::Agent(number)),
            false => Err(AimError::UnknownNumber { number, count }),
        };
    }
    if let Some(place) = scene.groups.iter().position(|group| group.name == who) {
        return Ok(Target::Group(place as u32));
    }
    if let Some(agent) = simulation.agents().find(|agent| agent.name() == who) {
        return Ok(Target::Agent(agent.id.index()));
    }
    let names = scene.groups.iter().map(|group| group.name.as_str());
    Err(AimError::UnknownName { name: who.to_owned(), suggestion: did_you_mean(who, names) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn aim(text: &str) -> Result<Vec<CameraKeyframe>, AimError> {
        text.parse::<Aim>().map(|Aim(keyframe)| vec![keyframe])
    }

    #[test]
    fn camera_aims_are_parsed() {
        let of = |look_at, zoom| Ok(vec![CameraKeyframe { at_s: 0.0, look_at, zoom }]);
        assert_eq!(aim("fit"), of(LookAt::Fit, 1.0));
        assert_eq!(aim("1,-2.5,4"), of(LookAt::Place { center_m: DVec2::new(1.0, -2.5) }, 4.0));
        assert_eq!(aim("follow:millers"), of(LookAt::Follow { target: "millers".into() }, CLOSE));
        assert_eq!(aim("follow:3,1.5"), of(LookAt::Follow { target: "3".into() }, 1.5));
        for bad in ["", "follow:", "1,2", "1,2,0", "1,2,x", "NaN,0,1", "follow:a,-1", "somewhere"] {
            assert!(aim(bad).is_err(), "{bad}");
        }
    }
}
