//! Finds coloured things: LEDs of robots, objects and lights.

use std::f64::consts::TAU;

use bevy::math::DVec2;
use bevy::prelude::*;
use smallvec::SmallVec;
use swarmarium_base::limits::{Limits, MAX_LENGTH_M};
use swarmarium_base::math::{direction, quick_angle_of};
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::noise::NoiseBounds;
use swarmarium_core::sensor::marks::Cone;
use swarmarium_core::sensor::{Mark, Sensor, Viewpoint};
use swarmarium_core::state::NoMemory;
use swarmarium_picture::palette::Role;
use swarmarium_picture::{Layer, Picture, Width};
use swarmarium_space::{Aperture, Blockers, Neighbour, Rgb, Space, Surroundings, Target};

/// Reads the coloured things in sight, nearest first: LEDs of other robots that are on, coloured objects and lights
/// (ARGoS `colored_blob_omnidirectional_camera`).
///
/// The reading has the number of things in it, then range, bearing, red, green and blue of each. Range and bearing are
/// those of the centre, from the centre of the robot; the bearing is anticlockwise from the heading, from −π to π;
/// colours are from 0 to 1 (sRGB). The unused rest is filled with the range of the camera and zeros.
///
/// Something is in sight if its centre is within range and field of view, and if no robot and no obstacle covers a point
/// between both centres. Without `occlusion`, nothing hides anything.
#[kind(section = "Robots", words = "camera, colour, vision, blobs, see leds")]
pub struct ColorCamera {
    /// Range, between centres.
    #[reflect(@Limits::up_to(MAX_LENGTH_M))]
    #[default(2.0)]
    pub range_m: f64,
    /// Direction of the camera, anticlockwise from the heading.
    #[reflect(@Limits::between(-TAU, TAU))]
    pub bearing_rad: f64,
    /// Opening angle of the field of view; a full circle for an omnidirectional camera.
    #[reflect(@Limits::between(0.0, TAU))]
    #[default(TAU)]
    pub fov_rad: f64,
    /// Maximum number of things in a reading; of more, the nearest ones are kept.
    #[reflect(@Limits::between(1.0, 819.0))]
    #[default(8)]
    pub max_blobs: u32,
    /// Whether LEDs of robots count.
    #[default(true)]
    pub robots: bool,
    /// Whether coloured objects count that are sensed.
    #[default(true)]
    pub objects: bool,
    /// Whether lights count.
    #[default(true)]
    pub lights: bool,
    /// Whether robots and obstacles hide what is behind them.
    #[default(true)]
    pub occlusion: bool,
    /// The only colour that counts, such as `#ff0000`; empty for all colours.
    pub color: String,
    /// Largest difference to `color` that counts, in red, green and blue each, from 0 to 1.
    #[reflect(@Limits::between(0.0, 1.0))]
    pub tolerance: f64,
}

/// Number of numbers for each thing in a reading.
const BLOB: usize = 5;

/// A camera, prepared for readings.
pub struct Lens {
    /// The range (m), slightly longer, so that a thing at the range counts in spite of rounding.
    range: f64,
    /// The field of view.
    aperture: Aperture,
    /// The lowest and the highest colour that count.
    colors: (Rgb, Rgb),
}

/// A coloured thing that may be in sight.
#[derive(Clone, Copy)]
struct Blob {
    distance_squared: f64,
    offset: DVec2,
    color: Rgb,
    target: Target,
}

/// The order of things at the same distance: robots by row, then objects by place.
fn order(target: Target) -> (bool, usize) {
    match target {
        Target::Body(row) => (false, row),
        Target::Thing(place) | Target::Solid(place) => (true, place),
        Target::Wall => (true, usize::MAX),
    }
}

impl Lens {
    fn takes(&self, color: Rgb) -> bool {
        let (low, high) = self.colors;
        (0..3).all(|part| (low[part]..=high[part]).contains(&color[part]))
    }
}

impl ColorCamera {
    /// Visits the things in sight, nearest first, until `visit` returns false.
    fn visit(
        &self,
        lens: &Lens,
        space: &Space,
        row: usize,
        around: &mut Surroundings,
        mut visit: impl FnMut(Blob) -> bool,
    ) {
        let (eye, sector) = (space.bodies.positions()[row], lens.aperture.toward(space.bodies.facings()[row]));
        let mut blobs: SmallVec<[Blob; 16]> = SmallVec::new();
        let mut near: SmallVec<[Neighbour; 16]> = SmallVec::new();
        let mut offer = |offset: DVec2, color: Rgb, target| {
            let distance_squared = offset.length_squared();
            let is_in = distance_squared <= lens.range * lens.range && sector.holds(offset) && lens.takes(color);
            if is_in {
                blobs.push(Blob { distance_squared, offset, color, target });
            }
        };
        let sees_robots = self.robots && space.bodies.have_leds();
        if sees_robots || self.occlusion {
            space.index().within_range(eye, lens.range, Some(row), |body| {
                if let Some(color) = space.bodies.led(body.row).filter(|_| sees_robots) {
                    offer(body.offset, color, Target::Body(body.row));
                }
                if self.occlusion {
                    near.push(body);
                }
            });
        }
        let objects = space.colored_objects().iter().filter(|_| self.objects);
        for &place in objects.chain(space.lights().iter().filter(|_| self.lights)) {
            let (place, thing) = (place as usize, &space.things[place as usize]);
            if let Some(color) = thing.color.filter(|_| thing.row != Some(row)) {
                offer(space.arena.offset(eye, thing.position), color, Target::Thing(place));
            }
        }
        if blobs.is_empty() {
            return;
        }
        blobs.sort_unstable_by(|a, b| {
            a.distance_squared.total_cmp(&b.distance_squared).then_with(|| order(a.target).cmp(&order(b.target)))
        });
        if self.occlusion {
            space.blocking_solids(row, lens.range, Blockers { bodies: true, solids: true }, around);
        }
        for blob in blobs {
            if (!self.occlusion || space.is_shown(&near, around, blob.offset, blob.target)) && !visit(blob) {
                return;
            }
        }
    }
}

impl Sensor for ColorCamera {
    type Prepared = Lens;
    type Memory = NoMemory;

    fn prepare(&self) -> Lens {
        let range = self.range_m * (1.0 + 1e-9);
        let aperture = Aperture::new(self.fov_rad / 2.0, range, self.bearing_rad);
        let colors = match Role::named(&self.color) {
            None => ([0; 3], [255; 3]),
            Some(role) => {
                let most = (self.tolerance * 255.0).round() as u8;
                let color = role.seen();
                (color.map(|part| part.saturating_sub(most)), color.map(|part| part.saturating_add(most)))
            }
        };
        Lens { range, aperture, colors }
    }

    fn channels(&self) -> usize {
        1 + BLOB * self.max_blobs as usize
    }

    fn channel(&self, channel: usize) -> (String, &'static str) {
        let Some(channel) = channel.checked_sub(1) else { return ("Count".into(), "") };
        let (name, unit) =
            [("Range", "m"), ("Bearing", "rad"), ("Red", ""), ("Green", ""), ("Blue", "")][channel % BLOB];
        (format!("{name} {}", channel / BLOB), unit)
    }

    fn noise_bounds(&self, channel: usize) -> NoiseBounds {
        match channel.checked_sub(1).map(|channel| channel % BLOB) {
            None => NoiseBounds::Exempt,
            Some(0) => NoiseBounds::distance(0.0, self.range_m),
            Some(1) => NoiseBounds::Free,
            Some(_) => NoiseBounds::Within { low: 0.0, high: 1.0, nothing: None },
        }
    }

    fn blank(&self, reading: &mut [f64]) {
        reading.fill(0.0);
        for blob in reading[1..].chunks_exact_mut(BLOB) {
            blob[0] = self.range_m;
        }
    }

    fn read(&self, lens: &Lens, _: &mut NoMemory, from: Viewpoint, reading: &mut [f64]) {
        let Viewpoint { space, row, around, .. } = from;
        let turned_back = space.bodies.facings()[row] * DVec2::new(1.0, -1.0);
        self.blank(reading);
        let Some((count, values)) = reading.split_first_mut() else { return };
        let mut rest = values.chunks_exact_mut(BLOB);
        let mut left = self.max_blobs;
        self.visit(lens, space, row, around, |Blob { distance_squared, offset, color, .. }| {
            let Some(values) = rest.next() else { return false };
            let range = distance_squared.sqrt().min(self.range_m);
            let [red, green, blue] = color.map(|part| f64::from(part) / 255.0);
            values.copy_from_slice(&[range, quick_angle_of(turned_back.rotate(offset)), red, green, blue]);
            left -= 1;
            left > 0
        });
        *count = f64::from(self.max_blobs - left);
    }

    fn sees(&self, lens: &Lens, _: &NoMemory, from: Viewpoint) -> Option<Target> {
        let mut nearest = None;
        self.visit(lens, from.space, from.row, from.around, |blob| {
            nearest = Some(blob.target);
            false
        });
        nearest
    }

    fn problem(&self) -> Option<String> {
        let is_fine = self.color.is_empty() || Role::named(&self.color).is_some();
        (!is_fine).then(|| format!("`color`: {}", Role::no_color(&self.color)))
    }

    fn draw(&self, _: &NoMemory, space: &Space, row: usize, reading: &[f64], picture: &mut Picture) {
        let (eye, heading) = (space.bodies.positions()[row], space.bodies.headings()[row]);
        let Some((count, values)) = reading.split_first() else { return };
        if self.fov_rad >= TAU {
            Mark { detects: *count > 0.0 }.circle(eye, self.range_m, picture);
        } else {
            let cone =
                Cone { range_m: self.range_m, half_angle_rad: self.fov_rad / 2.0, bearing_rad: self.bearing_rad };
            cone.draw(space, row, *count > 0.0, picture);
        }
        for blob in values.chunks_exact(BLOB).take(*count as usize) {
            let &[range, bearing, red, green, blue] = blob else { return };
            let color = Role::Own([red, green, blue].map(|part| (part * 255.0).round() as u8));
            let end = eye + range * direction(heading + bearing);
            picture.segment(Layer::Sensors, color, [eye, end], Width::Pixels(1.5));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};

    use proptest::prelude::*;
    use swarmarium_base::math::{atan2, hypot};
    use swarmarium_space::{Boundary, Form, Thing, ThingKind};

    use super::*;
    use crate::sensor::tests::{put, read, sees, space_with};

    const EYE: DVec2 = DVec2::splat(5.0);
    const RED: Rgb = [255, 0, 0];
    const BLUE: Rgb = [0, 0, 255];

    /// A robot at the eye, and robots with LEDs at these places relative to it.
    fn space(others: &[((f64, f64), Option<Rgb>)]) -> Space {
        let bodies = others.iter().map(|(offset, _)| (EYE + DVec2::from(*offset), 0.1));
        let mut space = space_with(Boundary::Open, &std::iter::once((EYE, 0.1)).chain(bodies).collect::<Vec<_>>());
        for (row, (_, color)) in others.iter().enumerate() {
            space.bodies.set_led(row + 1, *color);
        }
        space
    }

    /// The blobs of a reading: range, bearing and colour.
    fn blobs(camera: &ColorCamera, space: &Space) -> Vec<(f64, f64, [f64; 3])> {
        let reading = read(camera, space);
        let (count, values) = reading.split_first().unwrap();
        let blobs = values.chunks_exact(BLOB).map(|blob| (blob[0], blob[1], [blob[2], blob[3], blob[4]]));
        let blobs: Vec<_> = blobs.collect();
        let (seen, rest) = blobs.split_at(*count as usize);
        assert!(rest.iter().all(|blob| *blob == (camera.range_m, 0.0, [0.0; 3])), "{rest:?}");
        seen.to_vec()
    }

    #[test]
    fn the_nearest_leds_come_first() {
        let others = [((0.0, 1.5), Some(BLUE)), ((-1.0, 0.0), Some(RED)), ((0.5, 0.0), None), ((0.0, -2.5), Some(RED))];
        let mut space = space(&others);
        let camera = ColorCamera::default();
        let red = (1.0, std::f64::consts::PI, [1.0, 0.0, 0.0]);
        assert_eq!(blobs(&camera, &space), [red, (1.5, FRAC_PI_2, [0.0, 0.0, 1.0])]);
        assert_eq!(sees(&camera, &space), Some(Target::Body(2)));
        assert_eq!(blobs(&ColorCamera { max_blobs: 1, ..camera.clone() }, &space), [red]);
        assert_eq!(blobs(&ColorCamera { range_m: 1.0, ..camera.clone() }, &space), [red], "at the range");
        assert_eq!(blobs(&ColorCamera { robots: false, ..camera.clone() }, &space), []);
        put(&mut space, EYE, FRAC_PI_2);
        space.bodies.set_led(1, Some([0, 51, 0]));
        let turned = blobs(&camera, &space);
        assert!((turned[0].1 - FRAC_PI_2).abs() < 1e-12 && turned[1].1.abs() < 1e-12, "{turned:?}");
        assert_eq!(turned[1].2, [0.0, 0.2, 0.0], "the LEDs have changed");
        // LEDs of dead robots are off.
        space.bodies.stop(1);
        assert_eq!(blobs(&camera, &space).len(), 1);
    }

    #[test]
    fn the_field_of_view_and_the_colour_filter_select() {
        let space = space(&[((1.0, 0.0), Some(RED)), ((0.0, 1.0), Some(BLUE)), ((0.0, -1.2), Some([250, 3, 0]))]);
        let narrow = ColorCamera { fov_rad: FRAC_PI_2, bearing_rad: FRAC_PI_2, ..Default::default() };
        assert_eq!(blobs(&narrow, &space), [(1.0, FRAC_PI_2, [0.0, 0.0, 1.0])]);
        assert_eq!(blobs(&ColorCamera { bearing_rad: FRAC_PI_4 + 0.01, ..narrow }, &space).len(), 1);
        let red = |tolerance| ColorCamera { color: "#ff0000".into(), tolerance, ..Default::default() };
        assert_eq!([red(0.0), red(0.01), red(0.02)].map(|camera| blobs(&camera, &space).len()), [1, 1, 2]);
        assert!(ColorCamera { color: "red".into(), ..Default::default() }.problem().is_some());
    }

    #[test]
    fn robots_and_obstacles_hide_and_objects_and_lights_are_seen() {
        let mut space =
            space(&[((1.0, 0.0), Some(RED)), ((1.8, 0.0), Some(BLUE)), ((0.0, 1.0), None), ((0.0, 1.9), Some(RED))]);
        let object = |center: DVec2, color, space: &mut Space| {
            let solid = space.solids.add_disc(center, 0.2).unwrap();
            let forms = vec![Form::Disc { center, radius: 0.2 }];
            space.things.push(Thing { position: center, forms, solids: solid..solid + 1, color, ..Thing::default() });
        };
        object(EYE - DVec2::X, Some([0, 255, 0]), &mut space);
        object(EYE - 1.5 * DVec2::Y, None, &mut space);
        for (position, color) in
            [(EYE - 1.8 * DVec2::Y, RED), (EYE - 1.7 * DVec2::X, RED), (EYE + DVec2::new(-0.5, -0.5), BLUE)]
        {
            let what = ThingKind::Light { intensity: 1.0 };
            space.things.push(Thing { what, position, color: Some(color), ..Thing::default() });
        }
        space.list_colored();
        let camera = ColorCamera::default();
        let ranges = |camera: &ColorCamera| -> Vec<f64> {
            blobs(camera, &space).iter().map(|(range, ..)| (range * 100.0).round() / 100.0).collect()
        };
        assert_eq!(ranges(&camera), [0.71, 1.0, 1.0]);
        assert_eq!(ranges(&ColorCamera { objects: false, ..camera.clone() }), [0.71, 1.0]);
        assert_eq!(ranges(&ColorCamera { lights: false, ..camera.clone() }), [1.0, 1.0]);
        let all = ColorCamera { occlusion: false, ..camera };
        assert_eq!(ranges(&all), [0.71, 1.0, 1.0, 1.7, 1.8, 1.8, 1.9]);
        assert_eq!(sees(&ColorCamera { lights: false, ..all }, &space), Some(Target::Body(1)), "robots before objects");
    }

    proptest! {
        #[test]
        fn blobs_equal_brute_force(
            others in prop::collection::vec(((-3.0..3.0, -3.0..3.0), 0_u8..3), 0..12),
            max_blobs in 1_u32..6,
            (heading, bearing_rad, fov_rad) in (-4.0..4.0, -3.0..3.0, 0.3..7.0),
        ) {
            let colored: Vec<_> = others.iter().map(|(at, color)| (*at, (*color > 0).then_some([*color, 0, 0]))).collect();
            let mut space = space(&colored);
            put(&mut space, EYE, heading);
            let fov_rad: f64 = if fov_rad > TAU { TAU } else { fov_rad };
            let camera = ColorCamera { max_blobs, bearing_rad, fov_rad, ..Default::default() };
            let mut expected = Vec::new();
            for (place, ((x, y), color)) in colored.iter().enumerate() {
                let (Some(color), distance) = (color, hypot(*x, *y)) else { continue };
                let angle = (atan2(*y, *x) - heading - bearing_rad).rem_euclid(TAU);
                let aside = angle.min(TAU - angle);
                prop_assume!((aside - fov_rad / 2.0).abs() > 1e-9 && (distance - 2.0).abs() > 1e-9);
                let gap = |(other, ((a, b), _)): (usize, &((f64, f64), Option<Rgb>))| {
                    let part = ((a * x + b * y) / (distance * distance)).clamp(0.0, 1.0);
                    if other == place { f64::INFINITY } else { hypot(a - part * x, b - part * y) - 0.1 }
                };
                let gaps: Vec<f64> = colored.iter().enumerate().map(gap).collect();
                prop_assume!(gaps.iter().all(|gap| gap.abs() > 1e-9));
                if distance < 2.0 && aside < fov_rad / 2.0 && gaps.iter().all(|gap| *gap > 0.0) {
                    expected.push((distance, f64::from(color[0]) / 255.0));
                }
            }
            expected.sort_by(|a, b| a.0.total_cmp(&b.0));
            expected.truncate(max_blobs as usize);
            let found: Vec<_> = blobs(&camera, &space).iter().map(|(range, _, color)| (*range, color[0])).collect();
            prop_assert_eq!(found.len(), expected.len());
            for (found, expected) in found.iter().zip(&expected) {
                prop_assert!((found.0 - expected.0).abs() < 1e-12 && found.1 == expected.1, "{:?} {:?}", found, expected);
            }
        }
    }
}
