//! Places the objects of object groups.
//!
//! They are placed before all robots of spawners, group by group. None of them overlaps a wall, a solid object, a robot
//! with a written pose, or another placed object.

use std::collections::BTreeMap;
use std::sync::Arc;

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::id::StableId;
use swarmarium_base::math::direction;
use swarmarium_base::problem::Problem;
use swarmarium_core::agent::Pose;
use swarmarium_core::kind::Slot;
use swarmarium_core::object::{self, Figure, ObjectFamily, Presence};
use swarmarium_core::random::Seed;
use swarmarium_core::spawner::{IfFull, Lack, SpawnerKinds};
use swarmarium_scene::scene::Scene;
use swarmarium_scene::scene::description::ObjectGroup;
use swarmarium_space::{Boundary, Field, Form};

use super::room::{Request, Room};
use super::{lack_message, size_m2};

/// A scene with the objects of its object groups, and the groups without room for all of them; `None` for a scene without
/// such groups. The result is always the same for a scene.
///
/// # Errors
/// The groups that have too little room and must not be left with fewer objects.
pub(crate) fn place(world: &World, scene: &Scene) -> Result<Option<(Scene, Vec<Lack>)>, Vec<Problem>> {
    if scene.object_groups.is_empty() {
        return Ok(None);
    }
    let mut scene = scene.clone().without_placed();
    let mut around = Around::of(world, &scene);
    let (mut problems, mut lacks) = (Vec::new(), Vec::new());
    for index in 0..scene.object_groups.len() {
        let group = scene.object_groups[index].clone();
        match place_group(world, &scene, (index, &group), &mut around) {
            Ok((objects, lack)) => {
                scene.objects.extend(objects);
                lacks.extend(lack);
            }
            Err(problem) => problems.push(problem),
        }
    }
    if problems.is_empty() { Ok(Some((scene, lacks))) } else { Err(problems) }
}

/// The objects of one group.
fn place_group(
    world: &World,
    scene: &Scene,
    (index, group): (usize, &ObjectGroup),
    around: &mut Around,
) -> Result<(Vec<Slot<ObjectFamily>>, Option<Lack>), Problem> {
    let count = group.placed();
    let seed = |purpose| Seed(scene.seed).stream(StableId::spawner(index as u32), purpose);
    let mut spawn = group.spawn.clone();
    let (Some(kind), Some(figure)) =
        (world.resource::<SpawnerKinds>().of_value(spawn.value()), object::figure_of(world, &group.object))
    else {
        return Ok((Vec::new(), None));
    };
    (kind.settle)(spawn.value_mut(), &scene.arena, &mut seed("settle objects"));
    // The scene was checked with this number.
    _ = (kind.fit)(spawn.value_mut(), count);
    let Some(mut placing) = (kind.placing)(spawn.value()) else { return Ok((Vec::new(), None)) };
    let spawning = spawn.common();
    let shape = Shape::new(figure, group.object.common().heading_rad, spawning.gap_m);
    let if_full = match spawning.if_full {
        _ if !spawning.avoid_overlap => IfFull::Overlap,
        IfFull::Default => IfFull::Fail,
        rule => rule,
    };
    let (rim_m, is_asked) = (shape.rim_m(), spawning.avoid_overlap);
    let mut room = ObjectRoom { around: around.clone(), shape: Arc::new(shape), is_asked };
    let mut random = seed("place objects");
    let area_m2 = size_m2(placing.area.as_ref(), &scene.arena);
    let request =
        Request { placing: &mut placing, spawning, field: around.field, numbers: 0..count, rim_m, random: &mut random };
    let placed = request.place(&mut room, if_full);
    *around = room.around;
    let missing = count - placed.poses.len() as u32;
    if missing > 0 && if_full != IfFull::Fewer {
        let message = lack_message(if_full, (placed.poses.len() as u32, count), ("objects", &group.name), area_m2);
        return Err(Problem::of_field(format!("object_groups[{index}].spawn"), message));
    }
    let lack = |count: u32, left_out| Lack { of_objects: true, group: index, count, left_out };
    let lack = match (missing, placed.overlapping.len()) {
        (0, 0) => None,
        (0, overlapping) => Some(lack(overlapping as u32, false)),
        (missing, _) => Some(lack(missing, true)),
    };
    let objects = placed.poses.iter().zip(0..).filter_map(|(pose, number)| {
        let (from, heading_rad) = (room.shape.figure.center_m, group.object.common().heading_rad);
        let object = object::moved_by(world, &group.object, pose.position_m - from, pose.heading_rad - heading_rad)?;
        let common = Presence { name: group.name_of(number), placed: true, ..object.common().clone() };
        Some(object.with(common))
    });
    Ok((objects.collect(), lack))
}

/// The shape of the objects of a group.
struct Shape {
    figure: Figure,
    /// The heading (rad) of the figure.
    heading_rad: f64,
    gap_m: f64,
}

impl Shape {
    fn new(mut figure: Figure, heading_rad: f64, gap_m: f64) -> Self {
        if figure.forms.is_empty() {
            // A point, such as a light.
            figure.forms.push(Form::Disc { center: figure.center_m, radius: 0.0 });
        }
        Self { figure, heading_rad, gap_m }
    }

    /// Radius of the disc around the centre that encloses it (m).
    fn rim_m(&self) -> f64 {
        let center_m = self.figure.center_m;
        let rim = |form: &Form| match form {
            Form::Disc { center, radius } => center.distance(center_m) + radius,
            Form::Polygon(corners) => corners.iter().map(|corner| corner.distance(center_m)).fold(0.0, f64::max),
        };
        self.figure.forms.iter().map(rim).fold(0.0, f64::max)
    }

    fn at(&self, pose: &Pose) -> impl Iterator<Item = Form> {
        let facing = direction(pose.heading_rad - self.heading_rad);
        let to = pose.position_m - facing.rotate(self.figure.center_m);
        self.figure.forms.iter().map(move |form| form.placed(to, facing))
    }
}

/// Everything that objects must not overlap, in a grid of cells.
#[derive(Clone)]
struct Around {
    field: Field,
    cell_m: f64,
    forms: Vec<Form>,
    /// Indices of forms by cell.
    cells: BTreeMap<(i64, i64), Vec<u32>>,
    /// Indices of forms that would be in very many cells, or that may be near across a periodic boundary.
    wide: Vec<u32>,
}

/// The largest number of cells of a form that is not wide.
const MAX_CELLS: i64 = 64;

impl Around {
    /// What the scene has before its object groups are placed.
    fn of(world: &World, scene: &Scene) -> Self {
        let field = Field::new(scene.arena.size_m, scene.arena.boundary).at(scene.arena.corner_m);
        let figures: Vec<Figure> =
            scene.object_groups.iter().filter_map(|group| object::figure_of(world, &group.object)).collect();
        let rims = figures.into_iter().map(|figure| Shape::new(figure, 0.0, 0.0).rim_m());
        let cell_m = 2.0 * rims.fold(1e-3, f64::max);
        let mut around = Self { field, cell_m, forms: Vec::new(), cells: BTreeMap::new(), wide: Vec::new() };
        for object in &scene.objects {
            let figure = object::figure_of(world, object).unwrap_or_default();
            if figure.is_solid && object.common().blocks {
                figure.forms.into_iter().for_each(|form| around.add(form));
            }
        }
        for group in &scene.groups {
            for pose in group.placements().map(Pose::from) {
                around.add(Form::Disc { center: pose.position_m, radius: group.body.radius_m() });
            }
        }
        around
    }

    /// The cells of a box.
    fn cells_of(&self, (low, high): (DVec2, DVec2)) -> ((i64, i64), (i64, i64)) {
        let cell = |point: DVec2| {
            let cell = (point / self.cell_m).floor();
            (cell.x as i64, cell.y as i64)
        };
        (cell(low), cell(high))
    }

    fn add(&mut self, form: Form) {
        let index = self.forms.len() as u32;
        let bounds @ (low, high) = form.outline().bounds();
        let crosses = self.field.boundary == Boundary::Periodic
            && (low.cmplt(self.field.low + self.cell_m).any() || high.cmpgt(self.field.high() - self.cell_m).any());
        let ((left, bottom), (right, top)) = self.cells_of(bounds);
        let cells = (right - left).saturating_add(1).saturating_mul((top - bottom).saturating_add(1));
        if crosses || cells > MAX_CELLS {
            self.wide.push(index);
        } else {
            for cell in (bottom..=top).flat_map(|y| (left..=right).map(move |x| (x, y))) {
                self.cells.entry(cell).or_default().push(index);
            }
        }
        self.forms.push(form);
    }

    /// Whether a form is at least a gap (m) away from everything.
    fn is_free(&self, form: &Form, gap_m: f64) -> bool {
        let (low, high) = form.outline().bounds();
        if self.field.boundary == Boundary::Walls
            && ((low - gap_m).cmplt(self.field.low).any() || (high + gap_m).cmpgt(self.field.high()).any())
        {
            return false;
        }
        let is_near = |index: &u32| self.forms[*index as usize].is_within(&self.field, form, gap_m);
        if self.wide.iter().any(is_near) {
            return false;
        }
        let crosses = self.field.boundary == Boundary::Periodic
            && (low.cmplt(self.field.low + gap_m).any() || high.cmpgt(self.field.high() - gap_m).any());
        let ((left, bottom), (right, top)) = self.cells_of((low - gap_m, high + gap_m));
        let cells = (right - left).saturating_add(1).saturating_mul((top - bottom).saturating_add(1));
        if crosses || cells > self.cells.len() as i64 {
            return !(0..self.forms.len() as u32).any(|index| is_near(&index));
        }
        let mut cells = (bottom..=top).flat_map(|y| (left..=right).map(move |x| (x, y)));
        !cells.any(|cell| self.cells.get(&cell).is_some_and(|near| near.iter().any(is_near)))
    }
}

/// The room for the objects of one group.
#[derive(Clone)]
struct ObjectRoom {
    around: Around,
    shape: Arc<Shape>,
    /// Whether overlaps are avoided; otherwise every place is free.
    is_asked: bool,
}

impl Room for ObjectRoom {
    fn is_free(&self, pose: &Pose) -> bool {
        !self.is_asked || self.shape.at(pose).all(|form| self.around.is_free(&form, self.shape.gap_m))
    }

    fn take(&mut self, pose: &Pose) {
        for form in self.shape.clone().at(pose) {
            self.around.add(form);
        }
    }
}
