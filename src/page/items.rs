//! The surroundings of the robots over time: what stands still, moves, appears and goes.

use bevy::math::DVec2;
use swarmarium_core::agent::Pose;
use swarmarium_picture::{Item, Shape};

use crate::sketch::Sketch;

/// The part of the arena's longer side that an item may move between two frames; farther is a jump.
const JUMP: f64 = 0.25;

/// A shape over a span of frames.
#[derive(Clone, Debug)]
pub struct Thing {
    /// The shape; that of a moving thing in its own frame.
    pub sketch: Sketch,
    /// The place among the shapes of its first frame.
    pub order: usize,
    /// The first frame, and the one after the last.
    pub frames: [usize; 2],
    /// The poses in all of these frames, if the thing moves.
    pub poses: Vec<Pose>,
}

/// Everything around the robots, frame by frame.
#[derive(Debug)]
pub struct Surroundings {
    /// All things, in the order in which they appeared.
    pub things: Vec<Thing>,
    /// The shapes of the last frame, and the things that they are.
    last: Vec<(Item, usize)>,
    /// The tolerance of a motion, and the longest step of one, in metres.
    tolerance_m: f64,
    jump_m: f64,
    frames: usize,
    /// The size of all things in bytes.
    bytes: usize,
}

impl Surroundings {
    /// Nothing yet, in an arena of this size, in metres.
    pub fn new(size_m: DVec2) -> Self {
        let (tolerance_m, jump_m) = (size_m.max_element() * 1e-7, size_m.max_element() * JUMP);
        Self { things: Vec::new(), last: Vec::new(), tolerance_m, jump_m, frames: 0, bytes: 0 }
    }

    /// The size of all things in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Adds a frame. Cells of fields change only in a frame that `refreshes`.
    pub fn add(&mut self, items: Vec<Item>, refreshes: bool) {
        let frame = self.frames;
        self.frames += 1;
        let last = std::mem::take(&mut self.last);
        let partners = partners(&last, &items);
        for (order, item) in items.into_iter().enumerate() {
            let known = partners(order).map(|place| &last[place]);
            let is_cells = matches!(item.shape, Shape::Cells(_));
            match known {
                Some((before, thing)) if *before == item || (is_cells && !refreshes) => {
                    self.bytes += size_of::<Pose>() * self.things[*thing].stay(frame);
                    self.last.push((before.clone(), *thing));
                }
                Some((_, thing)) if self.follow(*thing, &Sketch::of(&item), frame) => self.last.push((item, *thing)),
                _ => {
                    let sketch = Sketch::of(&item);
                    if sketch.is_finite() {
                        self.bytes += size_of::<Thing>() + sketch.bytes();
                        self.last.push((item, self.things.len()));
                        self.things.push(Thing { sketch, order, frames: [frame, frame + 1], poses: Vec::new() });
                    }
                }
            }
        }
    }

    /// Moves a thing to a shape, if a rigid motion without a jump leads there.
    fn follow(&mut self, thing: usize, to: &Sketch, frame: usize) -> bool {
        let (tolerance_m, jump_m) = (self.tolerance_m, self.jump_m);
        let thing = &mut self.things[thing];
        let start = match thing.poses.first() {
            Some(start) => *start,
            None => Pose { position_m: thing.sketch.center_m(), heading_rad: 0.0 },
        };
        let own = match thing.poses.is_empty() {
            true => thing.sketch.within(&start),
            false => thing.sketch.clone(),
        };
        let Some(pose) = own.motion_to(to, tolerance_m) else { return false };
        let before = thing.poses.last().unwrap_or(&start);
        if before.position_m.distance(pose.position_m) > jump_m {
            return false;
        }
        let known = thing.poses.len();
        if thing.poses.is_empty() {
            thing.poses = vec![start; frame - thing.frames[0]];
        }
        thing.sketch = own;
        thing.poses.push(pose);
        self.bytes += size_of::<Pose>() * (thing.poses.len() - known);
        thing.frames[1] = frame + 1;
        true
    }
}

impl Thing {
    /// Keeps the thing where it is for a frame. Returns the number of added poses.
    fn stay(&mut self, frame: usize) -> usize {
        self.frames[1] = frame + 1;
        let pose = self.poses.last().copied();
        self.poses.extend(pose);
        usize::from(pose.is_some())
    }
}

/// The shapes of the last frame that those of the next one continue, by place: all in order if there are as many; else
/// those of the equal beginning and end.
fn partners(last: &[(Item, usize)], next: &[Item]) -> impl Fn(usize) -> Option<usize> + use<> {
    let (before, now) = (last.len(), next.len());
    let is_same = |pair: &(&(Item, usize), &Item)| {
        let ((one, _), other) = pair;
        one == *other || Sketch::of(one).is_like(&Sketch::of(other))
    };
    let few = before.min(now);
    let (first, end) = match before == now {
        true => (few, 0),
        false => {
            let first = last.iter().zip(next).take_while(is_same).count();
            let end = last.iter().rev().zip(next.iter().rev()).take_while(is_same).count();
            (first, end.min(few - first))
        }
    };
    move |place| match place {
        place if place < first => Some(place),
        place if place + end >= now => Some(place + before - now),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use swarmarium_picture::{Cells, Layer, Role};

    use super::*;

    fn item(shape: Shape) -> Item {
        Item { layer: Layer::Objects, paint: Role::Obstacle.into(), shape }
    }

    fn disc(x: f64) -> Item {
        item(Shape::Disc { center: DVec2::new(x, 0.0), radius_m: 0.5 })
    }

    fn spans(surroundings: &Surroundings) -> Vec<([usize; 2], usize)> {
        surroundings.things.iter().map(|thing| (thing.frames, thing.poses.len())).collect()
    }

    #[test]
    fn things_stand_move_jump_appear_and_go() {
        let mut surroundings = Surroundings::new(DVec2::splat(10.0));
        surroundings.add(vec![disc(0.0), disc(5.0)], true);
        surroundings.add(vec![disc(0.0), disc(5.0)], true);
        surroundings.add(vec![disc(0.0), disc(5.5)], true);
        assert_eq!(spans(&surroundings), [([0, 3], 0), ([0, 3], 3)]);
        assert_eq!(surroundings.things[1].poses[2].position_m, DVec2::new(5.5, 0.0));
        // Across the arena, another thing begins.
        surroundings.add(vec![disc(0.0), disc(-4.0)], true);
        assert_eq!(spans(&surroundings), [([0, 4], 0), ([0, 3], 3), ([3, 4], 0)]);
        // The first one goes.
        let polygon = item(Shape::Polygon(vec![DVec2::ZERO, DVec2::X, DVec2::Y]));
        surroundings.add(vec![polygon.clone(), disc(0.0), disc(-4.0)], true);
        surroundings.add(vec![disc(0.0), disc(-4.0)], true);
        assert_eq!(spans(&surroundings)[3], ([4, 5], 0));
        let size = |thing: &Thing| size_of::<Thing>() + thing.sketch.bytes() + size_of::<Pose>() * thing.poses.len();
        assert_eq!(surroundings.bytes(), surroundings.things.iter().map(size).sum::<usize>());
        assert_eq!(spans(&surroundings)[0].0, [0, 6]);
    }

    #[test]
    fn cells_change_only_when_they_are_refreshed() {
        let cells = |level: u8| {
            let levels = vec![level];
            item(Shape::Cells(Cells { corner: DVec2::ZERO, cell_m: DVec2::ONE, columns: 1, levels }))
        };
        let mut surroundings = Surroundings::new(DVec2::splat(10.0));
        for (level, refreshes) in [(1, true), (2, false), (3, false), (4, true)] {
            surroundings.add(vec![cells(level)], refreshes);
        }
        assert_eq!(spans(&surroundings), [([0, 3], 0), ([3, 4], 0)]);
    }
}
