//! Detects whether anything is on a straight line.

use std::f64::consts::PI;

use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_LENGTH_M};
use swarmarium_base::math::direction;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::sensor::marks::drawn_length_m;
use swarmarium_core::sensor::{Gauge, Mark, Sensor, Viewpoint};
use swarmarium_core::state::NoMemory;
use swarmarium_picture::{Layer, Picture, Shape, Width};
use swarmarium_space::{Hit, Space, Target};

use super::{Sight, SightFilter};

/// Reads 1 while something that counts is on a straight line from the centre of the robot, else 0 (RobotSwarmSimulator
/// `BinaryLOSSensor`).
///
/// With occlusion, the first thing on the line must be one that counts.
#[kind(section = "Robots", words = "see, ray, straight ahead, eye")]
pub struct LineOfSight {
    /// Length of the line; 0: unlimited.
    #[reflect(@Limits::between(0.0, MAX_LENGTH_M))]
    pub range_m: f64,
    /// Direction of the line, anticlockwise from the heading.
    #[reflect(@Limits::between(-2.0 * PI, 2.0 * PI))]
    pub bearing_rad: f64,
    /// Width of the line, for a beam.
    #[reflect(@Limits::between(0.0, MAX_LENGTH_M))]
    pub width_m: f64,
    /// Things that count, and whether the first thing on the line hides those behind it.
    pub sight: Sight,
}

impl LineOfSight {
    /// The nearest thing on the line that counts and is not hidden.
    fn hit(&self, wanted: &SightFilter, space: &Space, row: usize) -> Option<Hit> {
        let length = if self.range_m > 0.0 { self.range_m } else { f64::INFINITY };
        let (eye, along) = (space.bodies.positions()[row], direction(space.bodies.headings()[row] + self.bearing_rad));
        let (mut free, mut nearest) = (f64::INFINITY, None::<Hit>);
        space.meet(eye, along, length, self.width_m / 2.0, Some(row), |hit| {
            free = free.min(hit.distance);
            if wanted.takes(space, row, hit.target) && nearest.is_none_or(|before| hit.distance < before.distance) {
                nearest = Some(hit);
            }
        });
        if wanted.goals || wanted.regions {
            // They hide nothing, and rays pass through them.
            space.meet_things(eye, along, length, self.width_m / 2.0, |hit| {
                let is_nearer = nearest.is_none_or(|before| hit.distance < before.distance);
                if is_nearer && wanted.takes_place(space, row, hit.target) {
                    nearest = Some(hit);
                }
            });
        }
        nearest.filter(|hit| !wanted.occludes() || hit.distance <= free)
    }
}

impl Sensor for LineOfSight {
    type Prepared = SightFilter;
    type Memory = NoMemory;

    fn prepare(&self) -> SightFilter {
        self.sight.prepare()
    }

    fn gauge(&self) -> Gauge {
        Gauge::Cone { bearing_rad: self.bearing_rad, half_angle_rad: 0.0 }
    }

    fn read(&self, wanted: &SightFilter, _: &mut NoMemory, from: Viewpoint, reading: &mut [f64]) {
        reading[0] = f64::from(self.hit(wanted, from.space, from.row).is_some());
    }

    fn sees(&self, wanted: &SightFilter, _: &NoMemory, from: Viewpoint) -> Option<Target> {
        self.hit(wanted, from.space, from.row).map(|hit| hit.target)
    }

    fn draw(&self, _: &NoMemory, space: &Space, row: usize, reading: &[f64], picture: &mut Picture) {
        let mark = Mark { detects: reading.iter().any(|value| *value > 0.0) };
        let (eye, along) = (space.bodies.positions()[row], direction(space.bodies.headings()[row] + self.bearing_rad));
        // Drawn up to the thing that is detected.
        let seen = self.hit(&self.sight.prepare(), space, row).filter(|_| mark.detects);
        let wall = space.arena.wall_distance(eye, along);
        let length = seen.map_or(drawn_length_m(self.range_m, space).min(wall), |hit| hit.distance);
        let end = eye + length * along;
        if self.width_m > 0.0 {
            let aside = along.perp() * (self.width_m / 2.0);
            picture.add(
                Layer::Sensors,
                mark.area(),
                Shape::Polygon(vec![eye - aside, end - aside, end + aside, eye + aside]),
            );
        }
        mark.segment([eye, end], picture);
        if mark.detects {
            let tick = along.perp() * (4.0 / picture.pixels_per_m);
            picture.segment(Layer::Sensors, mark.line(), [end - tick, end + tick], Width::Pixels(3.0));
        }
    }
}

#[cfg(test)]
mod tests {
    use bevy::math::DVec2;
    use swarmarium_space::{Boundary, Form, Thing, ThingKind};

    use super::*;
    use crate::sensor::tests::{read, sees, space_with};

    #[test]
    fn line_of_sight_hits_bodies_on_the_line() {
        let eye = DVec2::splat(5.0);
        let mut space = space_with(Boundary::Walls, &[(eye, 0.1), (eye + 3.0 * DVec2::X, 0.1)]);
        let mut line = LineOfSight::default();
        assert_eq!(read(&line, &space), vec![1.0]);
        assert_eq!(sees(&line, &space), Some(Target::Body(1)));
        line.range_m = 2.8;
        assert_eq!(read(&line, &space), [0.0]);
        line.range_m = 2.95;
        assert_eq!(read(&line, &space), [1.0], "its edge is in range");
        line.range_m = 0.0;
        space.solids.add_disc(eye + DVec2::X, 0.2).unwrap();
        assert_eq!(read(&line, &space), [1.0], "obstacles do not hide by default");
        line.sight.occlusion = true;
        assert_eq!(read(&line, &space), [0.0]);
        line.sight.obstacles = true;
        assert_eq!(sees(&line, &space), Some(Target::Solid(0)));
        let goal = Form::Disc { center: eye - 2.0 * DVec2::X, radius: 0.5 };
        let goal = Thing { what: ThingKind::Goal, position: eye, forms: vec![goal], ..Thing::default() };
        space.things.push(goal);
        line.bearing_rad = PI;
        assert_eq!(read(&line, &space), [0.0]);
        line.sight.goals = true;
        assert_eq!(sees(&line, &space), Some(Target::Thing(0)));
        line.bearing_rad = 0.0;
        assert_eq!(sees(&line, &space), Some(Target::Solid(0)), "what is behind it is not on the line");
        (line.range_m, line.bearing_rad) = (1.4, PI);
        assert_eq!(read(&line, &space), [0.0]);
        (line.range_m, line.sight.goals) = (0.0, false);
        line.sight.walls = true;
        assert_eq!(sees(&line, &space), Some(Target::Wall));
    }

    #[test]
    fn line_of_sight_with_a_width_hits_bodies_beside_the_line() {
        let eye = DVec2::splat(5.0);
        let mut space = space_with(Boundary::Open, &[(eye, 0.1), (eye + DVec2::new(1.0, 0.25), 0.1)]);
        assert_eq!(read(&LineOfSight::default(), &space), [0.0]);
        assert_eq!(read(&LineOfSight { width_m: 0.29, ..Default::default() }, &space), [0.0]);
        assert_eq!(read(&LineOfSight { width_m: 0.31, ..Default::default() }, &space), [1.0]);
        // Goals are not an exception; those behind the robot are hidden from a beam that the robot stops.
        let corners = [(2.0, 0.2), (3.0, 0.2), (3.0, 0.4)].map(|(x, y)| eye + DVec2::new(x, y)).to_vec();
        space.things.push(Thing { what: ThingKind::Goal, forms: vec![Form::Polygon(corners)], ..Thing::default() });
        let goals = |width_m, occlusion| {
            let sight = Sight { agents: false, goals: true, occlusion, ..Default::default() };
            sees(&LineOfSight { width_m, sight, ..Default::default() }, &space)
        };
        assert_eq!([goals(0.0, false), goals(0.39, false)], [None; 2]);
        assert_eq!([goals(0.41, false), goals(0.41, true)], [Some(Target::Thing(0)), None]);
    }
}
