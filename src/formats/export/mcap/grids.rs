//! Floors and scalar fields as `nav_msgs/OccupancyGrid`: a number from 0 to 100 for each square cell.

use std::collections::BTreeSet;
use std::sync::Arc;

use bevy::math::DVec2;
use swarmarium_base::math::angle_of;
use swarmarium_core::step::HasArena as _;
use swarmarium_simulation::simulation::Simulation;
use swarmarium_space::color::grey;
use swarmarium_space::{FloorGrid, Form, ScalarField};

use super::batch::{Batch, Channels};
use super::cdr::Cdr;
use super::definitions::MessageType;
use super::observer::metric;
use super::topics::{in_topic, unique};
use super::transforms::{WORLD, half_turn};

/// The largest number of cells of a message; larger grids have coarser cells.
const MAX_CELLS: f64 = (1 << 20) as f64;

/// A rectangle in the arena that is divided into cells.
struct Rectangle {
    corner_m: DVec2,
    /// The length of its sides (m).
    size_m: DVec2,
    turn_rad: f64,
    /// The numbers of cells along its sides; they need not be square.
    cells: [usize; 2],
}

impl Rectangle {
    /// A message in which each square cell has the value of the cell of the rectangle at its centre; `value` is a function of
    /// column and line.
    fn message(&self, time_ns: u64, value: impl Fn(usize, usize) -> i8) -> Vec<u8> {
        let Self { corner_m, size_m, turn_rad, cells } = self;
        let count = DVec2::new(cells[0] as f64, cells[1] as f64);
        let finest_m = (size_m / count).min_element();
        let resolution_m = finest_m.max((size_m.x * size_m.y / MAX_CELLS).sqrt());
        let [columns, lines] =
            [size_m.x, size_m.y].map(|side_m| (side_m / resolution_m - 1e-6).ceil().max(1.0) as usize);
        let mut message = Cdr::default();
        message.header(time_ns, WORLD);
        message.time(time_ns);
        message.f32(resolution_m);
        message.length(columns);
        message.length(lines);
        let [sine, cosine] = half_turn(*turn_rad);
        message.f64s(&[corner_m.x, corner_m.y, 0.0, 0.0, 0.0, sine, cosine]);
        let at = |place: usize, side_m: f64, count: usize| {
            let part = (place as f64 + 0.5) * resolution_m / side_m;
            ((part * count as f64) as usize).min(count.saturating_sub(1))
        };
        let across: Vec<usize> = (0..columns).map(|column| at(column, size_m.x, cells[0])).collect();
        let mut data = Vec::with_capacity(columns * lines);
        for line in 0..lines {
            let line = at(line, size_m.y, cells[1]);
            data.extend(across.iter().map(|column| value(*column, line) as u8));
        }
        message.bytes(&data);
        message.into_bytes()
    }
}

/// The floors that the log has at present: their cells, corners and topics, by number of the object.
#[derive(Debug, Default)]
pub(super) struct Floors {
    known: Vec<Option<(Arc<FloorGrid>, Vec<DVec2>, String)>>,
}

impl Floors {
    /// Adds the floors that have changed. A dark cell is occupied: black is 100, white 0.
    ///
    /// # Errors
    /// When there are too many topics.
    pub fn add(&mut self, simulation: &Simulation, channels: &mut Channels, batch: &mut Batch) -> anyhow::Result<()> {
        let things = &simulation.world().arena().space.things;
        self.known.resize(things.len(), None);
        let mut taken = BTreeSet::new();
        for (number, (thing, known)) in things.iter().zip(&mut self.known).enumerate() {
            let (Some(floor), Some(Form::Polygon(corners))) = (&thing.floor, thing.forms.first()) else { continue };
            let name = if thing.name.is_empty() { number.to_string() } else { thing.name.clone() };
            let topic = unique(&mut taken, format!("/floor/{}", in_topic(&name)), number);
            let is_known = known
                .as_ref()
                .is_some_and(|(grid, place, of)| Arc::ptr_eq(grid, floor) && place == corners && *of == topic);
            let &[corner_m, right, _, up] = corners.as_slice() else { continue };
            if is_known || floor.cells.is_empty() {
                continue;
            }
            let rectangle = Rectangle {
                corner_m,
                size_m: DVec2::new((right - corner_m).length(), (up - corner_m).length()),
                turn_rad: angle_of(right - corner_m),
                cells: [floor.columns, floor.lines()],
            };
            let dark = |column: usize, line: usize| {
                let color = floor.cells.get(line * floor.columns + column).copied().unwrap_or_default();
                (100.0 * (1.0 - grey(color))).round() as i8
            };
            let channel = channels.get(topic.clone(), MessageType::Grid, batch)?;
            batch.messages.push((channel, rectangle.message(batch.time_ns, dark)));
            *known = Some((Arc::clone(floor), corners.clone(), topic));
        }
        Ok(())
    }
}

/// The fields that the log has at present.
#[derive(Debug, Default)]
pub(super) struct Fields {
    known: Vec<ScalarField>,
}

impl Fields {
    /// Adds the fields that have changed, in percent of their present largest value, which is a topic of its own.
    ///
    /// # Errors
    /// When there are too many topics.
    pub fn add(&mut self, simulation: &Simulation, channels: &mut Channels, batch: &mut Batch) -> anyhow::Result<()> {
        let fields = simulation.world().arena().space.fields.all();
        let mut taken = BTreeSet::new();
        for (place, field) in fields.iter().enumerate() {
            let topic = unique(&mut taken, format!("/field/{}", in_topic(&field.settings().name)), place);
            if self.known.get(place).is_some_and(|known| known.is_same(field)) {
                continue;
            }
            let (grid, full, values) = (field.grid(), field.largest(), field.values());
            let rectangle = Rectangle {
                corner_m: grid.arena.low,
                size_m: grid.cell_m * DVec2::new(grid.columns as f64, grid.rows as f64),
                turn_rad: 0.0,
                cells: [grid.columns, grid.rows],
            };
            let part = |column: usize, line: usize| {
                let value = values.get(line * grid.columns + column).copied().unwrap_or_default();
                if full > 0.0 { (100.0 * value / full).round() as i8 } else { 0 }
            };
            let channel = channels.get(topic.clone(), MessageType::Grid, batch)?;
            batch.messages.push((channel, rectangle.message(batch.time_ns, part)));
            let channel = channels.get(topic + "/full", MessageType::Metric, batch)?;
            batch.messages.push((channel, metric(batch.time_ns, simulation.steps(), full)));
        }
        self.known = fields.to_vec();
        Ok(())
    }
}
