//! Cuts triangles off at the border of a part of the window, where two worlds stand side by side.

use bevy::math::{DVec2, Vec2};

use super::tessellate::Triangles;
use crate::draw::Camera;
use crate::math::direction;

/// What lies on one side of a line: `normal · p ≤ distance`, in the pixels of the triangles.
#[derive(Clone, Copy)]
struct Side {
    normal: Vec2,
    distance: f32,
}

impl Side {
    /// How far a point is inside.
    fn depth(&self, at: Vec2) -> f32 {
        self.distance - self.normal.dot(at)
    }
}

/// A corner on its way to be cut.
#[derive(Clone, Copy)]
struct Corner {
    at: Vec2,
    color: [f32; 4],
}

/// Cuts off what a camera would show outside of a screen of this size, in logical pixels.
pub fn clip(triangles: &mut Triangles, camera: &Camera, size_px: Vec2) {
    let sides = sides(camera, size_px);
    let indices = std::mem::take(&mut triangles.indices);
    let mut cut = Vec::new();
    for corners in indices.as_chunks::<3>().0 {
        let places = corners.map(|corner| at(triangles, corner));
        let depths = sides.map(|side| places.map(|place| side.depth(place)));
        if depths.iter().flatten().all(|depth| *depth >= 0.0) {
            triangles.indices.extend(corners);
        } else if depths.iter().all(|depths| depths.iter().any(|depth| *depth > 0.0)) {
            cut.clear();
            cut.extend(corners.map(|corner| Corner { at: at(triangles, corner), color: color(triangles, corner) }));
            sides.iter().for_each(|side| cut = inside(&cut, side));
            fan(triangles, &cut);
        }
    }
}

fn at(triangles: &Triangles, corner: u32) -> Vec2 {
    let [x, y, _] = triangles.positions[corner as usize];
    Vec2::new(x, y)
}

fn color(triangles: &Triangles, corner: u32) -> [f32; 4] {
    triangles.colors[corner as usize]
}

/// The four borders of the screen, in the pixels of the triangles, which are neither turned nor mirrored.
fn sides(camera: &Camera, size_px: Vec2) -> [Side; 4] {
    let back = direction(-camera.turn_rad);
    let mirror = DVec2::new(1.0, camera.y_axis.up());
    let half = size_px / 2.0;
    let borders = [(DVec2::X, half.x), (-DVec2::X, half.x), (DVec2::Y, half.y), (-DVec2::Y, half.y)];
    borders.map(|(normal, distance)| Side { normal: (back.rotate(normal) * mirror).as_vec2(), distance })
}

/// The part of a convex polygon on one side of a line (Sutherland, Hodgman: "Reentrant polygon clipping", 1974).
fn inside(polygon: &[Corner], side: &Side) -> Vec<Corner> {
    let mut kept = Vec::with_capacity(polygon.len() + 1);
    for (place, to) in polygon.iter().enumerate() {
        let from = &polygon[(place + polygon.len() - 1) % polygon.len()];
        let (before, after) = (side.depth(from.at), side.depth(to.at));
        if (before < 0.0) != (after < 0.0) {
            kept.push(between(from, to, before / (before - after)));
        }
        if after >= 0.0 {
            kept.push(*to);
        }
    }
    kept
}

fn between(from: &Corner, to: &Corner, part: f32) -> Corner {
    let color = std::array::from_fn(|index| from.color[index] + (to.color[index] - from.color[index]) * part);
    Corner { at: from.at.lerp(to.at, part), color }
}

fn fan(triangles: &mut Triangles, polygon: &[Corner]) {
    let first = triangles.positions.len() as u32;
    for corner in polygon {
        triangles.positions.push([corner.at.x, corner.at.y, 0.0]);
        triangles.colors.push(corner.color);
    }
    for corner in 2..polygon.len() as u32 {
        triangles.indices.extend([first, first + corner - 1, first + corner]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::description::YAxis;

    fn camera(turn_rad: f64, y_axis: YAxis) -> Camera {
        Camera { center_m: DVec2::ZERO, pixels_per_m: 1.0, screen_px: DVec2::splat(200.0), y_axis, turn_rad }
    }

    fn triangles(corners: [[f32; 2]; 3]) -> Triangles {
        Triangles {
            positions: corners.map(|[x, y]| [x, y, 0.0]).to_vec(),
            colors: vec![[0.5, 0.25, 1.0, 1.0]; 3],
            indices: vec![0, 1, 2],
        }
    }

    /// The area of all triangles.
    fn area(triangles: &Triangles) -> f32 {
        let of = |corners: &[u32; 3]| {
            let [a, b, c] = corners.map(|corner| at(triangles, corner));
            (b - a).perp_dot(c - a).abs() / 2.0
        };
        triangles.indices.as_chunks::<3>().0.iter().map(of).sum()
    }

    #[test]
    fn what_is_inside_stays_and_what_is_outside_goes() {
        let mut inside = triangles([[-10.0, 0.0], [10.0, 0.0], [0.0, 10.0]]);
        let before = inside.clone();
        clip(&mut inside, &camera(0.0, YAxis::Up), Vec2::splat(40.0));
        assert_eq!(inside, before);
        let mut outside = triangles([[30.0, 0.0], [50.0, 0.0], [40.0, 10.0]]);
        clip(&mut outside, &camera(0.0, YAxis::Up), Vec2::splat(40.0));
        assert!(outside.indices.is_empty());
    }

    #[test]
    fn what_lies_across_is_cut_at_the_border_and_keeps_its_colour() {
        let mut across = triangles([[-100.0, -100.0], [300.0, -100.0], [-100.0, 300.0]]);
        clip(&mut across, &camera(0.0, YAxis::Up), Vec2::new(20.0, 60.0));
        assert!((area(&across) - 1200.0).abs() < 0.1, "{}", area(&across));
        for corner in &across.indices {
            let place = at(&across, *corner);
            assert!(place.x.abs() <= 10.01 && place.y.abs() <= 30.01, "{place}");
            let off = color(&across, *corner).into_iter().zip([0.5, 0.25, 1.0, 1.0]).map(|(a, b)| (a - b).abs());
            assert!(off.fold(0.0, f32::max) < 1e-5);
        }
    }

    #[test]
    fn the_border_is_that_of_the_screen_however_the_world_is_turned() {
        for (turn_rad, y_axis) in [(0.7, YAxis::Up), (0.7, YAxis::Down), (-2.0, YAxis::Down)] {
            let mut across = triangles([[-300.0, -300.0], [900.0, -300.0], [-300.0, 900.0]]);
            let camera = camera(turn_rad, y_axis);
            clip(&mut across, &camera, Vec2::new(20.0, 60.0));
            assert!((area(&across) - 1200.0).abs() < 0.5, "{}", area(&across));
            for corner in &across.indices {
                let at_px = camera.screen_from_world(at(&across, *corner).as_dvec2()) - camera.screen_px / 2.0;
                assert!(at_px.x.abs() < 10.1 && at_px.y.abs() < 30.1, "{at_px}");
            }
        }
    }
}
