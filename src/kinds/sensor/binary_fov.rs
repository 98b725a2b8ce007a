//! Detects whether anything is in a field of view.

use std::f64::consts::PI;

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_LENGTH_M};
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::sensor::{Cone, Gauge, Hint, Sensor, Viewpoint};
use swarmarium_core::state::NoMemory;
use swarmarium_picture::Picture;
use swarmarium_space::{Aperture, Neighbour, Sector, Space, Target};

use super::{Sight, SightFilter};

/// Reads 1 while another robot is in its field of view, else 0 (RobotSwarmSimulator `BinaryFOVSensor`).
///
/// A robot counts as soon as its edge is in range and its body touches the cone. Obstacles, walls, goals and regions
/// within the cone count if `sight` includes them.
#[kind(section = "Robots", words = "see, camera, eye, field of view, vision, look")]
#[require(Hint)]
pub struct BinaryFov {
    /// Range, to the edge of a robot.
    #[reflect(@Limits::up_to(MAX_LENGTH_M))]
    #[default(2.0)]
    pub range_m: f64,
    /// Half of the opening angle.
    #[reflect(@Limits::between(0.0, PI))]
    #[default(0.45)]
    pub half_angle_rad: f64,
    /// Direction of the axis of the cone, anticlockwise from the heading.
    #[reflect(@Limits::between(-2.0 * PI, 2.0 * PI))]
    pub bearing_rad: f64,
    /// Whether the centre of a robot must be in the cone and in range (RobotSwarmSimulator `detect_only_origins`).
    pub centers_only: bool,
    /// Range for obstacles and walls; 0: the same as for robots.
    #[reflect(@Limits::between(0.0, MAX_LENGTH_M))]
    pub wall_range_m: f64,
    /// Range for goals and regions; 0: the same as for robots.
    #[reflect(@Limits::between(0.0, MAX_LENGTH_M))]
    pub goal_range_m: f64,
    /// Reading while a goal or region is seen; it takes precedence over everything else in view. With 2, a controller
    /// can tell it from robots and walls (RobotSwarmSimulator `detect_goal_with_added_state`).
    #[reflect(@Limits::between(0.0, 1e6))]
    #[default(1.0)]
    pub goal_reading: f64,
    /// Things that count, and whether they can be hidden.
    pub sight: Sight,
}

impl BinaryFov {
    /// Visits the robots that count, until `enough` accepts one. Returns whether it did.
    #[inline]
    fn look(
        &self,
        wanted: &SightFilter,
        (space, row): (&Space, usize),
        sector: &Sector,
        mut enough: impl FnMut(Neighbour) -> bool,
    ) -> bool {
        let eye = space.bodies.positions()[row];
        let visit = |other: Neighbour| wanted.sees_agent(space, row, &other) && enough(other);
        if self.centers_only {
            space.index().centers_within_sector(eye, sector, Some(row), visit)
        } else {
            space.within_sector(eye, sector, Some(row), visit)
        }
    }

    /// Whether any robot counts. Tests the previous target first.
    #[inline]
    fn sees_any(
        &self,
        (aperture, wanted): &(Aperture, SightFilter),
        (space, row): (&Space, usize),
        hint: Option<&mut Hint>,
    ) -> bool {
        let sector = aperture.toward(space.bodies.facings()[row]);
        if let Some(hint) = &hint
            && !self.centers_only
            && hint.0 as usize != row
            && let Some(last) = space.in_sector(hint.0 as usize, space.bodies.positions()[row], &sector)
            && wanted.sees_agent(space, row, &last)
        {
            return true;
        }
        let mut seen = None;
        self.look(wanted, (space, row), &sector, |other| {
            seen = Some(other.row);
            true
        });
        if let (Some(hint), Some(row)) = (hint, seen) {
            hint.0 = row as u32;
        }
        seen.is_some()
    }

    /// The nearest obstacle or wall that counts, with its distance in metres.
    #[inline(never)]
    fn scenery(
        &self,
        (aperture, wanted): &(Aperture, SightFilter),
        (space, row): (&Space, usize),
    ) -> Option<(f64, Target)> {
        if !wanted.obstacles && !wanted.walls {
            return None;
        }
        let sector = sector(aperture, space.bodies.facings()[row], self.wall_range_m);
        let mut nearest: Option<(f64, Target)> = None;
        space.scenery_in_sector(space.bodies.positions()[row], &sector, Some(row), |point, target| {
            let counts = wanted.takes(space, row, target) && wanted.shows(space, row, point, target);
            if counts && nearest.is_none_or(|(distance, _)| point.length() < distance) {
                nearest = Some((point.length(), target));
            }
        });
        nearest
    }

    /// The nearest goal or region that counts, with its distance in metres.
    #[inline(never)]
    fn place(
        &self,
        (aperture, wanted): &(Aperture, SightFilter),
        (space, row): (&Space, usize),
    ) -> Option<(f64, Target)> {
        wanted.nearest_place(space, row, &sector(aperture, space.bodies.facings()[row], self.goal_range_m))
    }
}

/// The cone of a robot with the given range (m), or with its own range if that is 0.
fn sector(aperture: &Aperture, facing: DVec2, range_m: f64) -> Sector {
    let mut sector = aperture.toward(facing);
    if range_m > 0.0 {
        sector.range = range_m;
    }
    sector
}

impl Sensor for BinaryFov {
    /// The cone, and the things that count.
    type Prepared = (Aperture, SightFilter);
    type Memory = NoMemory;

    fn prepare(&self) -> Self::Prepared {
        (Aperture::new(self.half_angle_rad, self.range_m, self.bearing_rad), self.sight.prepare())
    }

    fn gauge(&self) -> Gauge {
        Gauge::Cone { bearing_rad: self.bearing_rad, half_angle_rad: self.half_angle_rad }
    }

    #[inline]
    fn read(&self, prepared: &Self::Prepared, _: &mut NoMemory, from: Viewpoint, reading: &mut [f64]) {
        let Viewpoint { space, row, hint, .. } = from;
        let wanted = &prepared.1;
        reading[0] = if (wanted.goals || wanted.regions) && self.place(prepared, (space, row)).is_some() {
            self.goal_reading
        } else {
            let sees_agent = wanted.agents && self.sees_any(prepared, (space, row), hint);
            let looks_further = !sees_agent && (wanted.obstacles || wanted.walls);
            f64::from(sees_agent || (looks_further && self.scenery(prepared, (space, row)).is_some()))
        };
    }

    fn sees(&self, prepared: &Self::Prepared, _: &NoMemory, from: Viewpoint) -> Option<Target> {
        let mut nearest: Option<(f64, usize)> = None;
        let mut keep = |other: Neighbour| {
            let found = (other.offset.length_squared(), other.row);
            nearest = Some(nearest.map_or(found, |before| if found.0 < before.0 { found } else { before }));
            false
        };
        let Viewpoint { space, row, .. } = from;
        let (aperture, wanted) = prepared;
        if wanted.agents {
            self.look(wanted, (space, row), &aperture.toward(space.bodies.facings()[row]), &mut keep);
        }
        let agent = nearest.map(|(_, row)| Target::Body(row));
        let others = || self.place(prepared, (space, row)).or_else(|| self.scenery(prepared, (space, row)));
        agent.or_else(|| others().map(|(_, target)| target))
    }

    fn draw(&self, _: &NoMemory, space: &Space, row: usize, reading: &[f64], picture: &mut Picture) {
        let Self { range_m, half_angle_rad, bearing_rad, wall_range_m, goal_range_m, .. } = *self;
        let cone = Cone { range_m, half_angle_rad, bearing_rad };
        cone.draw(space, row, reading.iter().any(|value| *value > 0.0), picture);
        let Sight { obstacles, walls, goals, regions, .. } = self.sight;
        for (looks, other_m) in [(obstacles || walls, wall_range_m), (goals || regions, goal_range_m)] {
            if looks && other_m > 0.0 && other_m != range_m {
                Cone { range_m: other_m, ..cone }.draw_end(space, row, picture);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use swarmarium_space::{Boundary, Form, Thing, ThingKind};

    use super::*;
    use crate::sensor::tests::{read, sees, space_with};

    fn looking_for(sight: Sight) -> BinaryFov {
        BinaryFov { sight, ..Default::default() }
    }

    fn scenery() -> Sight {
        Sight { agents: false, obstacles: true, walls: true, ..Default::default() }
    }

    #[test]
    fn binary_fov_sees_obstacles_and_walls_in_cone_and_range() {
        let eye = DVec2::splat(5.0);
        let mut space = space_with(Boundary::Walls, &[(eye, 0.1), (eye + DVec2::X, 0.1)]);
        let mut fov = looking_for(scenery());
        assert_eq!(read(&fov, &space), [0.0], "the robot ahead does not count");
        fov.wall_range_m = 4.9;
        assert_eq!(read(&fov, &space), [0.0]);
        fov.wall_range_m = 5.1;
        assert_eq!(read(&fov, &space), vec![1.0]);
        assert_eq!(sees(&fov, &space), Some(Target::Wall));
        space.solids.add_disc(eye + DVec2::new(0.0, 2.0), 0.5).unwrap();
        fov.wall_range_m = 2.0;
        assert_eq!(read(&fov, &space), [0.0], "beside the cone");
        fov.bearing_rad = PI / 2.0;
        assert_eq!(read(&fov, &space), vec![1.0]);
        assert_eq!(sees(&fov, &space), Some(Target::Solid(0)));
        fov.sight.obstacles = false;
        assert_eq!(read(&fov, &space), [0.0]);
    }

    #[test]
    fn binary_fov_with_occlusion_ignores_hidden_robots() {
        let eye = DVec2::splat(5.0);
        let mut space = space_with(Boundary::Walls, &[(eye, 0.1), (eye + 1.5 * DVec2::X, 0.1)]);
        space.solids.add_disc(eye + DVec2::X, 0.2).unwrap();
        let mut fov = BinaryFov { half_angle_rad: 0.1, ..Default::default() };
        assert_eq!(read(&fov, &space), [1.0]);
        fov.sight.occlusion = true;
        assert_eq!(read(&fov, &space), [0.0]);
        fov.sight.obstacles = true;
        assert_eq!(read(&fov, &space), vec![1.0]);
        assert_eq!(sees(&fov, &space), Some(Target::Solid(0)));
        let mut behind = looking_for(Sight { occlusion: true, ..scenery() });
        (behind.half_angle_rad, behind.sight.obstacles, behind.wall_range_m) = (0.02, false, 9.0);
        assert_eq!(read(&behind, &space), [0.0], "the wall is behind the robot and the obstacle");
        behind.bearing_rad = PI;
        assert_eq!(read(&behind, &space), [1.0]);
    }

    #[test]
    fn binary_fov_has_a_separate_reading_for_goals() {
        let eye = DVec2::splat(5.0);
        let mut space = space_with(Boundary::Open, &[(eye, 0.1), (eye + DVec2::X, 0.1)]);
        let disc = |offset: DVec2| vec![Form::Disc { center: eye + offset, radius: 0.5 }];
        let goal =
            Thing { what: ThingKind::Goal, name: "home".into(), position: eye + 3.0 * DVec2::X, ..Thing::default() };
        space.things.push(Thing { forms: disc(3.0 * DVec2::X), ..goal });
        let mut fov = looking_for(Sight { goals: true, ..Default::default() });
        assert_eq!(read(&fov, &space), [1.0], "the robot");
        (fov.goal_range_m, fov.goal_reading) = (2.6, 2.0);
        assert_eq!(read(&fov, &space), [2.0]);
        fov.sight.occlusion = true;
        assert_eq!(read(&fov, &space), [1.0], "the robot hides it");
        fov.sight = Sight { goals: true, agents: false, name: "home".into(), ..Default::default() };
        assert_eq!(read(&fov, &space), vec![2.0]);
        assert_eq!(sees(&fov, &space), Some(Target::Thing(0)));
        fov.sight.name = "hole".into();
        assert_eq!(read(&fov, &space), [0.0]);
        fov.sight = Sight { regions: true, agents: false, ..Default::default() };
        assert_eq!(read(&fov, &space), [0.0], "it is not a region");
    }

    #[test]
    fn binary_fov_can_test_centers_only() {
        let eye = DVec2::splat(5.0);
        let reads = |at: DVec2, centers_only| {
            let space = space_with(Boundary::Open, &[(eye, 0.1), (eye + at, 0.3)]);
            read(&BinaryFov { centers_only, ..Default::default() }, &space)[0]
        };
        let beside = 1.5 * swarmarium_base::math::direction(0.5);
        assert_eq!([reads(beside, false), reads(beside, true)], [1.0, 0.0]);
        assert_eq!([reads(2.2 * DVec2::X, false), reads(2.2 * DVec2::X, true)], [1.0, 0.0]);
        assert_eq!(reads(2.0 * DVec2::X, true), 1.0);
    }
}
