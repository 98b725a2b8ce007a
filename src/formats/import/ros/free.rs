//! Free places on a map.

use std::collections::VecDeque;

use bevy::math::DVec2;
use swarmarium_core::object::Object as _;
use swarmarium_core::object::drawing::Drawing;
use swarmarium_space::{Form, polygon};

/// The most pixels of a map on which a free place is searched.
const MAX_PIXELS: usize = 1 << 26;

/// The centre of the free pixel that is nearest to a place (pixels, y up), with a clearance (m) to everything that is not free
/// and to the edge of the map. Outside of the map, its centre is the place. `None` if no pixel has the clearance.
pub fn free_pixel(not_free: &Drawing, m_per_pixel: f64, wanted: DVec2, clearance_m: f64) -> Option<DVec2> {
    let size = not_free.page;
    let (width, height) = (size.x as usize, size.y as usize);
    if width == 0 || height == 0 || width.saturating_mul(height) > MAX_PIXELS {
        return None;
    }
    let plain = Drawing { m_per_unit: 1.0, size_m: None, position_m: DVec2::ZERO, turn_rad: 0.0, ..not_free.clone() };
    // Distances in steps, also diagonal ones, up to the clearance.
    let clearance = clearance_m / m_per_pixel;
    // From the centre of a pixel to the edge of another one.
    let steps = (clearance + 0.5).ceil().clamp(1.0, 1000.0) as u16;
    let mut distance = vec![u16::MAX; width * height];
    let mut next = VecDeque::<u32>::new();
    for form in plain.figure().forms {
        let Form::Polygon(corners) = form else { continue };
        let (low, high) = polygon::bounds(&corners);
        for y in low.y.max(0.0) as usize..(high.y as usize).min(height) {
            for x in low.x.max(0.0) as usize..(high.x as usize).min(width) {
                distance[y * width + x] = 0;
            }
        }
    }
    let neighbours = |x, y| around(x, y).filter(|(x, y)| *x < width && *y < height).map(|(x, y)| y * width + x);
    for (place, own) in distance.iter().enumerate() {
        // The others lead nowhere; an image can have millions of them.
        if *own == 0 && neighbours(place % width, place / width).any(|near| distance[near] != 0) {
            next.push_back(place as u32);
        }
    }
    while let Some(place) = next.pop_front() {
        let place = place as usize;
        let (x, y, own) = (place % width, place / width, distance[place]);
        if own >= steps {
            continue;
        }
        for place in neighbours(x, y) {
            if distance[place] == u16::MAX {
                distance[place] = own + 1;
                next.push_back(place as u32);
            }
        }
    }
    let is_inside = wanted.cmpge(DVec2::ZERO).all() && wanted.cmplt(size).all();
    let wanted = if is_inside { wanted } else { size / 2.0 };
    let margin = usize::from(steps);
    let is_free = |x: usize, y: usize| {
        distance[y * width + x] >= steps
            && (margin..width.saturating_sub(margin)).contains(&x)
            && (margin..height.saturating_sub(margin)).contains(&y)
    };
    let center = |x: usize, y: usize| DVec2::new(x as f64 + 0.5, y as f64 + 0.5);
    let mut best: Option<(f64, DVec2)> = None;
    for y in 0..height {
        for x in 0..width {
            let away = center(x, y).distance_squared(wanted);
            if best.is_none_or(|(nearest, _)| away < nearest) && is_free(x, y) {
                best = Some((away, center(x, y)));
            }
        }
    }
    // The place itself, if it is on the pixel that was found, and has the clearance: it can be at the edge of this pixel.
    let has_clearance = || {
        let (low, high) = ((wanted - clearance).floor(), (wanted + clearance).ceil());
        let columns = low.x.max(0.0) as usize..(high.x as usize).min(width);
        let mut lines = low.y.max(0.0) as usize..(high.y as usize).min(height);
        lines.all(|y| {
            columns.clone().all(|x| {
                let corner = DVec2::new(x as f64, y as f64);
                let nearest = wanted.clamp(corner, corner + 1.0);
                distance[y * width + x] != 0 || nearest.distance(wanted) >= clearance
            })
        })
    };
    best.map(|(_, found)| {
        let is_on_it = (found - wanted).abs().max_element() <= 0.5;
        if is_on_it && has_clearance() { wanted } else { found }
    })
}

/// The eight pixels around one, of which some can be outside of the image.
fn around(x: usize, y: usize) -> impl Iterator<Item = (usize, usize)> {
    let (left, below) = (x.wrapping_sub(1), y.wrapping_sub(1));
    let columns = [left, x, x + 1];
    [below, y, y + 1].into_iter().flat_map(move |y| columns.map(move |x| (x, y)))
}
