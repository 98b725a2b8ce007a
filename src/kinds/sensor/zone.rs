//! Sums up the robots in a zone.

use std::f64::consts::PI;

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_LENGTH_M};
use swarmarium_base::math::cos;
use swarmarium_core::agent::Team;
use swarmarium_core::controller::Senses;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::noise::NoiseBounds;
use swarmarium_core::sensor::{Mark, Sensor, Viewpoint};
use swarmarium_core::state::NoMemory;
use swarmarium_picture::Picture;
use swarmarium_space::Space;

/// Sums up the robots in a zone around its robot: a ring, or a sector of a ring.
///
/// It reads the number of robots in the zone, and three sums over them: of the unit vectors towards them, of the unit
/// vectors along their headings, and of the vectors to them, in metres. Each sum has a part along the heading of the
/// robot and a part to its left. Distances are between centres, and nothing blocks the view.
///
/// Zones of repulsion, orientation and attraction are the perception of self-propelled particles (Couzin et al.:
/// "Collective memory and spatial sorting in animal groups", Journal of Theoretical Biology 218, 2002). The controller
/// `ZonalModel` moves robots by them, and so does `Boids`.
#[kind(section = "Robots", words = "neighbors, nearby robots, ring, count others, crowd")]
pub struct Zone {
    /// Inner radius: only robots farther away count. With 0, robots at the same place count, too.
    #[reflect(@Limits::between(0.0, MAX_LENGTH_M))]
    pub from_m: f64,
    /// Outer radius; a robot at this distance counts.
    #[reflect(@Limits::between(0.0, MAX_LENGTH_M))]
    #[default(1.0)]
    pub range_m: f64,
    /// Half of the opening angle, about the heading; π: no blind sector.
    #[reflect(@Limits::between(0.0, PI))]
    #[default(PI)]
    pub half_angle_rad: f64,
    /// Whether its own robot counts, at distance 0 and with its own heading.
    pub include_self: bool,
    /// Team or group of the robots that count; empty: all.
    pub team: String,
}

/// Radii are larger by this fraction, so that a robot at a radius counts as inside it in spite of rounding.
const SLACK: f64 = 1e-12;

/// A zone, prepared for readings.
pub struct Bounds {
    /// Squared inner radius (m²); below 0 if robots at the same place count.
    from_squared: f64,
    /// Outer radius (m).
    range_m: f64,
    /// Cosine of the half opening angle; below −1 without a blind sector.
    least_cos: f64,
    /// The number of the team or group; `None` for all robots.
    team: Option<u32>,
}

/// The number of robots in a zone, and the sums over them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ZoneSums {
    /// Number of robots.
    pub count: f64,
    /// Sum of the unit vectors towards them.
    pub directions: DVec2,
    /// Sum of the unit vectors along their headings.
    pub headings: DVec2,
    /// Sum of the vectors to them (m).
    pub offsets_m: DVec2,
}

impl ZoneSums {
    /// What the `Zone` in a slot reads, with the first axis along the heading of the robot; nothing without a slot.
    pub fn of(senses: Senses, slot: Option<u32>) -> Self {
        slot.map(|slot| Self::from_reading(senses.slot(slot))).unwrap_or_default()
    }

    fn from_reading(reading: &[f64]) -> Self {
        let &[count, direction_x, direction_y, heading_x, heading_y, offset_x, offset_y] = reading else {
            return Self::default();
        };
        Self {
            count,
            directions: DVec2::new(direction_x, direction_y),
            headings: DVec2::new(heading_x, heading_y),
            offsets_m: DVec2::new(offset_x, offset_y),
        }
    }
}

impl Zone {
    /// The sums over the other robots in the zone, in the frame of the arena.
    fn sums(bounds: &Bounds, space: &Space, row: usize) -> ZoneSums {
        let (bodies, mut sums) = (&space.bodies, ZoneSums::default());
        let (facing, facings, reach) = (bodies.facings()[row], bodies.facings(), DVec2::splat(bounds.range_m));
        let range_squared = bounds.range_m * bounds.range_m;
        space.index().near_box(bodies.positions()[row], (-reach, reach), |other| {
            let squared = other.offset.length_squared();
            if other.row == row || squared > range_squared || squared <= bounds.from_squared {
                return;
            }
            let has_team = |team: u32| {
                other.group == team || bodies.owners().get(other.row).is_some_and(|owner| owner.name == team)
            };
            if bounds.team.is_some_and(|team| !has_team(team)) {
                return;
            }
            let direction = other.offset.normalize_or_zero();
            // A robot at the same place has no direction.
            if direction != DVec2::ZERO && direction.dot(facing) < bounds.least_cos {
                return;
            }
            sums.count += 1.0;
            sums.directions += direction;
            sums.headings += facings[other.row];
            sums.offsets_m += other.offset;
        });
        sums
    }
}

impl Sensor for Zone {
    type Prepared = Bounds;
    type Memory = NoMemory;
    const NAMES: &'static [&'static str] =
        &["count", "direction_x", "direction_y", "heading_x", "heading_y", "offset_x", "offset_y"];

    fn prepare(&self) -> Bounds {
        let range_m = self.range_m * (1.0 + SLACK);
        let from_m = self.from_m * (1.0 + SLACK);
        let from_squared = if from_m > 0.0 { from_m * from_m } else { -1.0 };
        let least_cos = if self.half_angle_rad < PI { cos(self.half_angle_rad) } else { -2.0 };
        let team = (!self.team.is_empty()).then(|| Team::named(&self.team).0);
        Bounds { from_squared, range_m, least_cos, team }
    }

    fn channels(&self) -> usize {
        Self::NAMES.len()
    }

    fn units(&self) -> &'static [&'static str] {
        &["", "", "", "", "", "m", "m"]
    }

    fn noise_bounds(&self, channel: usize) -> NoiseBounds {
        if channel == 0 { NoiseBounds::Exempt } else { NoiseBounds::Free }
    }

    fn read(&self, bounds: &Bounds, _: &mut NoMemory, from: Viewpoint, reading: &mut [f64]) {
        let mut sums = Self::sums(bounds, from.space, from.row);
        let facing = from.space.bodies.facings()[from.row];
        if self.include_self {
            sums.count += 1.0;
            sums.headings += facing;
        }
        let in_body = |sum: DVec2| [facing.dot(sum), facing.perp_dot(sum)];
        let [direction, heading, offset] = [sums.directions, sums.headings, sums.offsets_m].map(in_body);
        reading[0] = sums.count;
        reading[1..3].copy_from_slice(&direction);
        reading[3..5].copy_from_slice(&heading);
        reading[5..7].copy_from_slice(&offset);
    }

    fn problem(&self) -> Option<String> {
        (self.from_m > self.range_m).then(|| format!("`from_m` must be at most `range_m`, which is {}", self.range_m))
    }

    fn draw(&self, _: &NoMemory, space: &Space, row: usize, reading: &[f64], picture: &mut Picture) {
        let mark = Mark { detects: reading[0] > f64::from(u8::from(self.include_self)) };
        let (center, heading) = (space.bodies.positions()[row], space.bodies.headings()[row]);
        let edges = [heading - self.half_angle_rad, heading + self.half_angle_rad];
        for radius_m in [self.from_m, self.range_m].into_iter().filter(|radius_m| *radius_m > 0.0) {
            if self.half_angle_rad < PI {
                mark.arc(center, radius_m, edges, picture);
            } else {
                mark.circle(center, radius_m, picture);
            }
        }
        if self.half_angle_rad < PI {
            for edge in edges.map(swarmarium_base::math::direction) {
                mark.segment([center + self.from_m * edge, center + self.range_m * edge], picture);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use proptest::prelude::*;
    use swarmarium_base::math::direction;
    use swarmarium_space::{Body, Boundary};

    use super::*;
    use crate::sensor::tests::{put, read, space_with};

    /// Robots with headings; the first one has the sensor.
    fn space(boundary: Boundary, poses: &[(DVec2, f64)]) -> Space {
        let mut space = space_with(boundary, &poses.iter().map(|(at, _)| (*at, 0.1)).collect::<Vec<_>>());
        for (row, (position, heading)) in poses.iter().enumerate() {
            space.bodies.set(row, Body { position: *position, heading: *heading, radius: 0.1, ..Body::default() });
        }
        put(&mut space, poses[0].0, poses[0].1);
        space
    }

    fn assert_near(found: &[f64], expected: [f64; 7]) {
        assert!(found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-12), "{found:?}");
    }

    #[test]
    fn a_zone_is_summed_up_in_the_frame_of_the_body() {
        let poses = [
            (DVec2::new(1.0, 1.0), FRAC_PI_2),
            (DVec2::new(1.0, 3.0), 0.0),
            (DVec2::new(0.0, 1.0), FRAC_PI_2),
            (DVec2::new(9.0, 1.0), 1.0),
        ];
        let space = space(Boundary::Open, &poses);
        let zone = Zone { range_m: 2.0, ..Zone::default() };
        // One robot 2 m ahead, which faces to the right, and one 1 m to the left, with the same heading.
        assert_near(&read(&zone, &space), [2.0, 1.0, 1.0, 1.0, -1.0, 2.0, 1.0]);
        let with_self = Zone { include_self: true, ..zone.clone() };
        assert_near(&read(&with_self, &space), [3.0, 1.0, 1.0, 2.0, -1.0, 2.0, 1.0]);
        let ring = Zone { from_m: 1.0, ..zone.clone() };
        assert_near(&read(&ring, &space), [1.0, 1.0, 0.0, 0.0, -1.0, 2.0, 0.0]);
        let ahead = Zone { half_angle_rad: 1.5, ..zone };
        assert_near(&read(&ahead, &space), [1.0, 1.0, 0.0, 0.0, -1.0, 2.0, 0.0]);
    }

    #[test]
    fn zones_reach_across_a_periodic_border() {
        let poses = [(DVec2::new(0.25, 1.0), 0.0), (DVec2::new(9.75, 1.0), 0.0)];
        let zone = Zone::default();
        // The arenas of the tests measure 10 m by 10 m.
        assert_near(&read(&zone, &space(Boundary::Periodic, &poses)), [1.0, -1.0, 0.0, 1.0, 0.0, -0.5, 0.0]);
        assert_near(&read(&zone, &space(Boundary::Open, &poses)), [0.0; 7]);
    }

    proptest! {
        /// Zones that adjoin each other count each robot once.
        #[test]
        fn adjoining_zones_add_up(at in prop::collection::vec((0.0..10.0_f64, 0.0..10.0_f64, -3.0..3.0_f64), 1..30),
                                  border in 0.1..3.0_f64, periodic: bool) {
            let poses: Vec<_> = at.iter().map(|(x, y, heading)| (DVec2::new(*x, *y), *heading)).collect();
            let space = space(if periodic { Boundary::Periodic } else { Boundary::Open }, &poses);
            let whole = read(&Zone { range_m: 4.0, ..Zone::default() }, &space);
            let inner = read(&Zone { range_m: border, ..Zone::default() }, &space);
            let outer = read(&Zone { from_m: border, range_m: 4.0, ..Zone::default() }, &space);
            for channel in 0..7 {
                prop_assert!((inner[channel] + outer[channel] - whole[channel]).abs() < 1e-9);
            }
            let facing = direction(poses[0].1);
            let all = poses[1..].iter().map(|(at, _)| space.arena.offset(poses[0].0, *at)).filter(|way| way.length() <= 4.0);
            let ahead: f64 = all.map(|way| way.dot(facing)).sum();
            prop_assert!((whole[5] - ahead).abs() < 1e-9);
        }
    }
}
