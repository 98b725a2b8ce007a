//! Where a camera looks over time: at the whole arena, at one place, or after somebody.

use std::str::FromStr;

use bevy::math::DVec2;

use super::{Camera, Moment};
use crate::scene::problem::did_you_mean;
use crate::simulation::Simulation;

/// How much closer than the whole arena a camera is that follows somebody.
const CLOSE: f64 = 3.0;
/// The farthest and the closest zoom, as multiples of the whole arena.
const ZOOM: std::ops::RangeInclusive<f64> = 0.001..=10_000.0;

/// Where a camera looks, as a user says it.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Aim {
    /// At the whole arena.
    #[default]
    Fit,
    /// At one place.
    At {
        /// The place, in metres.
        center_m: DVec2,
        /// How much closer than the whole arena.
        zoom: f64,
    },
    /// After an agent, by number or name, or after the middle of a group.
    Follow {
        /// Whom.
        who: String,
        /// How much closer than the whole arena.
        zoom: f64,
    },
}

impl FromStr for Aim {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| text.trim().parse().ok().filter(|number| f64::is_finite(*number));
        let zoom = |text: &str| number(text).filter(|zoom| ZOOM.contains(zoom));
        let aim = match (text, text.strip_prefix("follow:")) {
            ("fit", _) => Some(Self::Fit),
            (_, Some(whom)) => {
                let (who, zoom) = match whom.rsplit_once(',') {
                    Some((who, times)) => (who, zoom(times)),
                    None => (whom, Some(CLOSE)),
                };
                zoom.filter(|_| !who.is_empty()).map(|zoom| Self::Follow { who: who.into(), zoom })
            }
            _ => match text.split(',').collect::<Vec<_>>()[..] {
                [x, y, times] => number(x)
                    .zip(number(y))
                    .zip(zoom(times))
                    .map(|((x, y), zoom)| Self::At { center_m: DVec2::new(x, y), zoom }),
                _ => None,
            },
        };
        aim.ok_or_else(|| {
            "expected fit, follow:AGENT, follow:GROUP or X,Y,ZOOM, such as 5,5,2: metres, and times closer than fit; \
             follow:GROUP,2 has a zoom too"
                .into()
        })
    }
}

/// A camera that keeps its aim; it remembers where it looked last.
#[derive(Clone, Debug, PartialEq)]
pub struct Operator {
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
    /// A camera for a simulation.
    ///
    /// # Errors
    /// When there is nobody of that name.
    pub fn new(aim: &Aim, simulation: &Simulation) -> Result<Self, String> {
        let middle = simulation.scene().arena.size_m / 2.0;
        Ok(match aim {
            Aim::Fit => Self { target: Target::Place, center_m: middle, zoom: 1.0 },
            Aim::At { center_m, zoom } => Self { target: Target::Place, center_m: *center_m, zoom: *zoom },
            Aim::Follow { who, zoom } => Self { target: target(who, simulation)?, center_m: middle, zoom: *zoom },
        })
    }

    /// The camera of a moment; whoever is not there leaves it where it was.
    pub fn camera(&mut self, moment: &Moment, arena_size_m: DVec2, screen_px: DVec2) -> Camera {
        let seen = match self.target {
            Target::Place => None,
            Target::Agent(number) => moment.position_m(number),
            Target::Group(place) => moment.middle_m(place),
        };
        self.center_m = seen.filter(|place| place.is_finite()).unwrap_or(self.center_m);
        let fit = Camera::fit(arena_size_m, screen_px);
        let [least, most] = Camera::ZOOM;
        let pixels_per_m = (fit.pixels_per_m * self.zoom).clamp(least, most);
        Camera { center_m: self.center_m, pixels_per_m, ..fit }
    }
}

/// Whom a word means: the number of an agent, the name of a group, or the name of an agent, such as `millers-3`.
fn target(who: &str, simulation: &Simulation) -> Result<Target, String> {
    let scene = simulation.scene();
    let all: u32 = scene.groups.iter().map(|group| group.agents()).sum();
    if let Ok(number) = who.parse::<u32>() {
        return match number < all {
            true => Ok(Target::Agent(number)),
            false => Err(format!("there is no agent {number}: the scene has {all}, counted from 0")),
        };
    }
    if let Some(place) = scene.groups.iter().position(|group| group.name == who) {
        return Ok(Target::Group(place as u32));
    }
    if let Some(agent) = simulation.agents().find(|agent| agent.name() == who) {
        return Ok(Target::Agent(agent.id.index()));
    }
    let names = scene.groups.iter().map(|group| group.name.as_str());
    Err(format!("there is no agent or group `{who}`{}", did_you_mean(who, names)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::description::Scene;
    use crate::scene::{reader, shipped};
    use crate::simulation::Recipe;

    fn milling() -> Scene {
        reader::read(Recipe::standard().kinds(), "milling", shipped::get("milling").unwrap()).unwrap()
    }

    #[test]
    fn aims_are_read_from_words() {
        assert_eq!("fit".parse(), Ok(Aim::Fit));
        assert_eq!("1,-2.5,4".parse(), Ok(Aim::At { center_m: DVec2::new(1.0, -2.5), zoom: 4.0 }));
        assert_eq!("follow:millers".parse(), Ok(Aim::Follow { who: "millers".into(), zoom: CLOSE }));
        assert_eq!("follow:3,1.5".parse(), Ok(Aim::Follow { who: "3".into(), zoom: 1.5 }));
        for bad in ["", "follow:", "1,2", "1,2,0", "1,2,x", "NaN,0,1", "follow:a,-1", "somewhere"] {
            assert!(bad.parse::<Aim>().is_err(), "{bad}");
        }
    }

    #[test]
    fn cameras_follow_agents_and_groups() {
        let scene = milling();
        let simulation = Simulation::new(&scene).unwrap();
        let screen_px = DVec2::new(1280.0, 720.0);
        let center = |aim: &str| {
            let mut operator = Operator::new(&aim.parse().unwrap(), &simulation)?;
            Ok::<_, String>(operator.camera(&simulation.now(), scene.arena.size_m, screen_px).center_m)
        };
        let third = simulation.agent(3).unwrap().pose.position_m;
        assert_eq!((center("follow:3"), center("follow:millers-3")), (Ok(third), Ok(third)));
        let sum: DVec2 = simulation.agents().map(|agent| agent.pose.position_m).sum();
        assert!((center("follow:millers").unwrap() - sum / 6.0).length() < 1e-12);
        assert_eq!(center("fit"), Ok(DVec2::splat(5.0)));
        assert!(center("follow:6").unwrap_err().contains("the scene has 6"));
        assert!(center("follow:milers").unwrap_err().contains("did you mean `millers`"));
    }

    #[test]
    fn zoom_is_counted_from_the_whole_arena() {
        let scene = milling();
        let simulation = Simulation::new(&scene).unwrap();
        let of = |aim: &str| {
            let mut operator = Operator::new(&aim.parse().unwrap(), &simulation).unwrap();
            operator.camera(&simulation.now(), scene.arena.size_m, DVec2::splat(500.0)).pixels_per_m
        };
        assert!((of("5,5,2") / of("fit") - 2.0).abs() < 1e-12);
    }
}
