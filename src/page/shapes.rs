//! The bodies of robots: each is stored once, and robots refer to it as long as they look like it.

use std::collections::HashMap;

use swarmarium_core::agent::Pose;
use swarmarium_draw::View;
use swarmarium_draw::scenery::{NOSE_PX, POINT_PX, RobotArtist};
use swarmarium_picture::{Layer, Picture, Role};

use crate::sketch::Sketch;

/// The radius at which robots are compared, in logical pixels: all details show.
const COMPARED_PX: f64 = 20.0;
/// The radii at which a robot is drawn for each of its levels of detail, in logical pixels: two for each level, from which
/// the parts of its measures in metres and in pixels follow.
const LEVELS_PX: [[f64; 2]; 3] =
    [[0.4 * POINT_PX, 0.8 * POINT_PX], [1.2 * POINT_PX, 0.8 * NOSE_PX], [2.0 * NOSE_PX, COMPARED_PX]];

/// A sketch whose measures have a part in metres and one in logical pixels.
#[derive(Clone, Debug, PartialEq)]
pub struct Scaled {
    /// The sketch with the part in metres.
    pub sketch: Sketch,
    /// The part in logical pixels of each number.
    pub pixels: Vec<f64>,
}

/// A body of robots, with its marks.
#[derive(Clone, Debug)]
pub struct Body {
    /// The sketches at each level of detail: as a point, with a nose, in full.
    pub levels: [Vec<Scaled>; 3],
    /// The radius in metres.
    pub radius_m: f64,
    /// The colour of the trail.
    pub trail: Role,
    compared: Vec<Sketch>,
}

impl Body {
    /// The colour of its first shape.
    pub fn color(&self) -> Option<Role> {
        self.compared.first().map(|sketch| sketch.paint.role)
    }
}

/// All bodies of a run.
#[derive(Debug, Default)]
pub struct Bodies {
    all: Vec<Body>,
    /// The bodies that differ by measures only, by everything else.
    alike: HashMap<String, Vec<usize>>,
}

/// A robot to draw.
#[derive(Clone, Copy, Debug)]
pub struct Robot {
    /// Its row.
    pub row: usize,
    /// Its pose.
    pub pose: Pose,
    /// Its radius in metres.
    pub radius_m: f64,
    /// The colour of its trail.
    pub trail: Role,
}

impl Bodies {
    /// The place of the body of a robot, which is added if it is new. The robot looked like `before` in the last frame.
    pub fn place(&mut self, artist: &RobotArtist, view: &View, robot: Robot, before: Option<usize>) -> usize {
        let compared = sketches(artist, view, robot, COMPARED_PX);
        let tolerance_m = 1e-5 * robot.radius_m;
        let is_same = |body: &Body| {
            body.trail == robot.trail
                && (body.radius_m - robot.radius_m).abs() <= tolerance_m
                && body.compared.len() == compared.len()
                && body.compared.iter().zip(&compared).all(|(one, other)| one.is_near(other, tolerance_m))
        };
        if let Some(place) = before.filter(|place| is_same(&self.all[*place])) {
            return place;
        }
        // A robot whose LED fades has another body in each frame, so there may be many.
        let look: Vec<_> = compared.iter().map(|sketch| (sketch.layer, sketch.paint, &sketch.form)).collect();
        let alike = self.alike.entry(format!("{:?} {look:?}", robot.trail)).or_default();
        if let Some(place) = alike.iter().find(|place| is_same(&self.all[**place])) {
            return *place;
        }
        alike.push(self.all.len());
        let levels = LEVELS_PX.map(|radii_px| level(artist, view, robot, radii_px));
        self.all.push(Body { levels, radius_m: robot.radius_m, trail: robot.trail, compared });
        self.all.len() - 1
    }

    /// The bodies in the order in which they appeared.
    pub fn iter(&self) -> impl Iterator<Item = &Body> {
        self.all.iter()
    }

    /// The body with a number.
    pub fn get(&self, place: usize) -> Option<&Body> {
        self.all.get(place)
    }

    /// The number of bodies.
    pub fn len(&self) -> usize {
        self.all.len()
    }
}

/// The shapes of a robot at a radius in pixels, in its own frame.
fn sketches(artist: &RobotArtist, view: &View, robot: Robot, radius_px: f64) -> Vec<Sketch> {
    let mut view = *view;
    view.camera.pixels_per_m = radius_px / robot.radius_m.max(1e-9);
    let mut picture = Picture { pixels_per_m: view.camera.pixels_per_m, ..Picture::default() };
    artist.draw(robot.row, &view, &mut picture);
    let own = |item| {
        let sketch = Sketch::of(item);
        let is_upright = sketch.layer != Layer::Agents;
        let heading_rad = if is_upright { 0.0 } else { robot.pose.heading_rad };
        sketch.within(&Pose { heading_rad, ..robot.pose })
    };
    picture.items.iter().map(own).collect()
}

/// A level of detail: from the measures at two zooms, their parts in metres and in pixels.
fn level(artist: &RobotArtist, view: &View, robot: Robot, radii_px: [f64; 2]) -> Vec<Scaled> {
    let [far, near] = radii_px.map(|radius_px| sketches(artist, view, robot, radius_px));
    let [far_m, near_m] = radii_px.map(|radius_px| robot.radius_m.max(1e-9) / radius_px);
    let scaled = |(far, near): (&Sketch, &Sketch)| {
        let pixels = far.numbers.iter().zip(&near.numbers).map(|(far, near)| (far - near) / (far_m - near_m));
        let pixels: Vec<f64> = pixels.collect();
        let mut sketch = near.clone();
        sketch.numbers.iter_mut().zip(&pixels).for_each(|(number, pixels)| *number -= pixels * near_m);
        Scaled { sketch, pixels }
    };
    far.iter().zip(&near).filter(|(far, near)| far.is_like(near)).map(scaled).collect()
}
