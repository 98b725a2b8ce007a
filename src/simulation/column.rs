//! Numbers about agents as columns: poses, velocities, commands and readings, in the order of their numbers.

use std::cmp::Ordering;
use std::ops::RangeInclusive;

use bevy::ecs::query::{ContiguousQueryData, QueryState, ReadOnlyQueryData};
use bevy::ecs::world::WorldId;
use bevy::prelude::{Entity, Reflect, World};
use swarmarium_base::id::StableId;
use swarmarium_base::problem::{Problem, did_you_mean};
use swarmarium_core::agent::outputs::Outputs;
use swarmarium_core::agent::{Command, CommandForm, Pose};
use swarmarium_core::controller::ControllerKinds;
use swarmarium_core::controller::commanded::Commanded;
use swarmarium_core::kind::{Family as _, Kinds};
use swarmarium_core::sensor::names::snake_case;
use swarmarium_core::sensor::{ComponentSettings, Reading, SensorFamily, Sensors, sees};
use swarmarium_core::step::{Arena, HasArena as _};
use swarmarium_core::text::values::number;
use swarmarium_scene::scene::current::Description;
use swarmarium_scene::scene::path;
use swarmarium_space::{Target, ThingKind};

use crate::batch::{CommandColumn, TableRows};
use crate::read_view::ReadView;
use crate::simulation::Simulation;

/// The content of a column.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ColumnContent {
    /// x and y in metres, heading in radians.
    Poses,
    /// Displacement in the last step over its duration, along x and y, in metres per second.
    Velocities,
    /// Commands, of one form if all motion models take the same one.
    Commands(CommandForm),
    /// The numbers of the sensor in a slot, or of all sensors.
    Readings(Option<usize>),
    /// Radius in metres; 1 if the agent was pushed in its last turn, else 0; 1 if it is dead, else 0.
    Bodies,
    /// The number of the robot that each sensor has in sight, or −1 minus the place of the object; `NaN` for nothing.
    Targets,
    /// Outputs: red, green and blue of the LEDs, 0 to 1 (black while they are off); 1 if the gripper is closed, else 0; the
    /// emission. `NaN` for an agent without such parts.
    Outputs,
    /// The numbers at a path in the memory of controllers, such as `state.seen` of a script; truth values are 0 and 1. `NaN`
    /// for an agent without them.
    Memory(String),
    /// x and y of the centre in metres and heading in radians, of each object of the scene; `NaN` for an object that is gone.
    /// They belong to no agent.
    Objects,
    /// The metrics of the simulation, which belong to no agent.
    Metrics,
}

/// A column of an array for some agents.
pub struct Column {
    content: ColumnContent,
    /// Numbers in a row.
    width: usize,
    /// The numbers of the agents.
    agents: Vec<u32>,
    /// The number of objects.
    objects: usize,
    /// The world in which rows were looked up, and all its agents then.
    seen: Option<WorldId>,
    all: Vec<Entity>,
    /// The row of each agent in the tables of a step, or [`GONE`].
    rows: Vec<usize>,
    sensors: Vec<Sensor>,
    /// Whether there are numbers that no sensor has.
    has_gaps: bool,
    commands: Option<Box<Found<CommandData>>>,
    readings: Option<Box<Found<ReadingData>>>,
    given: Option<Box<CommandColumn>>,
}

/// A sensor that is read.
struct Sensor {
    entity: Entity,
    /// The place of its first number in the array.
    first: usize,
    /// How many numbers it has.
    count: usize,
    /// How many of them the array shows.
    shown: usize,
}

/// Components of entities of one world, whose places are looked up once.
struct Found<D: ReadOnlyQueryData> {
    query: QueryState<(Entity, D)>,
    rows: TableRows,
}

type CommandData = (&'static Command, Option<&'static Commanded>);
type ReadingData = &'static Reading;

impl<D: ReadOnlyQueryData + ContiguousQueryData> Found<D> {
    fn new(world: &World, entities: Vec<Entity>) -> Option<Box<Self>> {
        Some(Box::new(Self { query: world.try_query()?, rows: TableRows::new(entities) }))
    }

    /// Visits the components of the entities: `visit` gets the place of an entity, the columns of its table, and its row.
    /// Returns whether all entities have them.
    fn visit<'w>(&mut self, world: &'w World, mut visit: impl FnMut(usize, &mut D::Contiguous<'w, '_>, usize)) -> bool {
        let query = self.query.query(world);
        let tables = || query.contiguous_iter_inner().into_iter().flatten();
        self.rows.visit(tables(), &mut visit) || {
            self.rows.look_up(tables().map(|(entities, _)| entities));
            self.rows.visit(tables(), &mut visit)
        }
    }
}

const GONE: usize = usize::MAX;

/// The names of columns.
const NAMES: [&str; 10] =
    ["poses", "velocities", "commands", "readings", "bodies", "targets", "outputs", "memory", "objects", "metrics"];

impl Column {
    /// The column with a name: `poses`, `velocities`, `commands`, `readings`, `readings.SENSOR`, `bodies`, `targets`,
    /// `outputs`, `memory.PATH`, `objects` or `metrics`, perhaps after `groups.NAME.`, such as `groups.millers.readings.fov`. `form` chooses the form of commands
    /// where motion models take several.
    ///
    /// # Errors
    /// If there is no such column, with the nearest name.
    pub fn named(simulation: &Simulation, name: &str, form: Option<CommandForm>) -> Result<Self, Problem> {
        Self::find(simulation, name, form).map_err(Problem::of_file)
    }

    fn find(simulation: &Simulation, name: &str, form: Option<CommandForm>) -> Result<Self, String> {
        let (group, rest) = match name.strip_prefix("groups.") {
            Some(rest) => {
                let (group, rest) = split_group(simulation, rest)
                    .ok_or_else(|| format!("`{name}`: there is no such group{}", groups(simulation, rest)))?;
                (Some(group), rest)
            }
            None => (None, name),
        };
        let members = simulation.members();
        let of_group = |member: u32| group.is_none_or(|group| group == member);
        let agents: Vec<u32> =
            members.iter().filter(|(_, member)| of_group(member.group)).map(|(number, _)| *number).collect();
        let (first, sensor) = match rest.split_once('.') {
            Some((first, sensor)) => (first, Some(sensor)),
            None => (rest, None),
        };
        let content = match (first, sensor) {
            ("poses", None) => ColumnContent::Poses,
            ("velocities", None) => ColumnContent::Velocities,
            ("commands", None) => ColumnContent::Commands(form_of(simulation, &agents, form)?),
            ("readings", None) => ColumnContent::Readings(None),
            ("readings", Some(sensor)) => ColumnContent::Readings(Some(slot_of(simulation, &agents, sensor)?)),
            ("bodies", None) => ColumnContent::Bodies,
            ("targets", None) => ColumnContent::Targets,
            ("outputs", None) => ColumnContent::Outputs,
            ("memory", Some(path)) => ColumnContent::Memory(path.to_owned()),
            ("objects", None) if group.is_none() => ColumnContent::Objects,
            ("metrics", None) if group.is_none() => ColumnContent::Metrics,
            _ => {
                let hint = did_you_mean(first, NAMES);
                return Err(format!(
                    "`{name}`: expected poses, velocities, commands, readings, readings.SENSOR, bodies, targets, \
                    outputs, memory.PATH, objects or metrics, perhaps after groups.NAME.{hint}"
                ));
            }
        };
        let width = width_of(simulation, &content, &agents).map_err(|message| format!("`{name}`: {message}"))?;
        let is_of_agents = !matches!(content, ColumnContent::Metrics | ColumnContent::Objects);
        let agents = if is_of_agents { agents } else { Vec::new() };
        let objects = if content == ColumnContent::Objects { simulation.scene().objects.len() } else { 0 };
        let (seen, all, rows, sensors) = (None, Vec::new(), Vec::new(), Vec::new());
        let (has_gaps, commands, readings, given) = (false, None, None, None);
        Ok(Self { content, width, agents, objects, seen, all, rows, sensors, has_gaps, commands, readings, given })
    }

    /// Its content.
    pub fn content(&self) -> &ColumnContent {
        &self.content
    }

    /// The number of values in a row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The numbers of the agents, one for each row; none for metrics.
    pub fn agents(&self) -> &[u32] {
        &self.agents
    }

    /// Its shape: rows and values of a row; for metrics, their number.
    pub fn shape(&self) -> Vec<usize> {
        match self.content {
            ColumnContent::Metrics => vec![self.width],
            ColumnContent::Objects => vec![self.objects, self.width],
            _ => vec![self.agents.len(), self.width],
        }
    }

    /// Whether it has commands, which users write.
    pub fn is_commands(&self) -> bool {
        matches!(self.content, ColumnContent::Commands(_))
    }

    /// The number of values.
    pub fn len(&self) -> usize {
        match self.content {
            ColumnContent::Metrics => self.width,
            ColumnContent::Objects => self.objects * self.width,
            _ => self.agents.len() * self.width,
        }
    }

    /// Whether it has no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Writes the present values into a slice of [`len`](Self::len) numbers; those of agents that are gone are `NaN`.
    ///
    /// # Panics
    /// If the slice has another length.
    pub fn fill(&mut self, now: ReadView, out: &mut [f64]) {
        assert_eq!(out.len(), self.len(), "the slice must have the length of the column");
        match self.content {
            ColumnContent::Metrics => fill_metrics(&now.arena.observed, out),
            ColumnContent::Objects => fill_objects(now.world, now.arena, out),
            _ => self.fill_agents(now.world, now.arena, out),
        }
    }

    fn fill_agents(&mut self, world: &World, arena: &Arena, out: &mut [f64]) {
        self.find_rows(world, arena);
        if self.width == 0 {
            return;
        }
        let bodies = &arena.space.bodies;
        match self.content {
            ColumnContent::Poses => {
                let (positions, headings) = (bodies.positions(), bodies.headings());
                self.each(out, |row, out| {
                    let position = positions[row];
                    out.copy_from_slice(&[position.x, position.y, headings[row]]);
                });
            }
            ColumnContent::Velocities => {
                let (dt_s, moved) = (arena.time.dt_s, bodies.displacements());
                self.each(out, |row, out| out.copy_from_slice(&[moved[row].x / dt_s, moved[row].y / dt_s]));
            }
            ColumnContent::Commands(form) => self.fill_commands(world, form, out),
            ColumnContent::Readings(slot) => {
                if !self.copy_readings(world, out) {
                    // Sensors were replaced, or have other numbers.
                    self.find_sensors(world, slot);
                    self.copy_readings(world, out);
                }
            }
            ColumnContent::Bodies => {
                let (radii, pushed, owners) = (bodies.radii(), bodies.pushed(), bodies.owners());
                self.each(out, |row, out| {
                    out.copy_from_slice(&[radii[row], f64::from(pushed[row]), f64::from(owners[row].dead)]);
                });
            }
            ColumnContent::Targets => self.each(out, |row, out| {
                let sensors = world.get::<Sensors>(self.all[row]).map_or(&[][..], Sensors::slots);
                out.fill(f64::NAN);
                for (out, sensor) in out.iter_mut().zip(sensors) {
                    *out = target_of(world, *sensor);
                }
            }),
            ColumnContent::Outputs => self.each(out, |row, out| match world.get::<Outputs>(self.all[row]) {
                Some(outputs) => out.copy_from_slice(&outputs.all_values()),
                None => out.fill(f64::NAN),
            }),
            ColumnContent::Memory(ref path) => self.each(out, |row, out| {
                let values = memory_numbers(world, self.all[row], path).unwrap_or_default();
                out.fill(f64::NAN);
                out.iter_mut().zip(values).for_each(|(out, value)| *out = value);
            }),
            ColumnContent::Metrics | ColumnContent::Objects => {}
        }
    }

    /// Writes the commands that are in force, which can be later than those of the last decision.
    fn fill_commands(&mut self, world: &World, form: CommandForm, out: &mut [f64]) {
        let known = self.commands.take();
        let Some(mut found) = known.or_else(|| Found::new(world, self.entities())) else { return };
        let width = self.width;
        let are_there = found.visit(world, |place, (own, given), row| {
            let out = &mut out[place * width..][..width];
            let command = given.and_then(|given| given[row].0).unwrap_or(own[row]);
            let values = command.values();
            match command.form() == form || values == [0.0; 3] {
                true => out.copy_from_slice(&values[..width]),
                // A command of another form has no values of this one.
                false => out.fill(f64::NAN),
            }
        });
        self.commands = Some(found);
        if !are_there || self.rows.contains(&GONE) {
            self.each(out, |row, out| {
                if world.get::<Command>(self.all[row]).is_none() {
                    out.fill(0.0);
                }
            });
        }
    }

    /// Commands the agents, which take commands of this form, without checks and without an entry in the log.
    pub fn write_commands(&mut self, simulation: &mut Simulation, form: CommandForm, values: &[f64]) {
        let is_written = self.given.as_mut().is_some_and(|given| given.write(simulation, form, values));
        if !is_written {
            self.look_up(simulation);
            let mut given = Box::new(CommandColumn::new(simulation, self.entities()));
            given.write(simulation, form, values);
            self.given = Some(given);
        }
    }

    /// The agents; [`Entity::PLACEHOLDER`] for those that are gone.
    fn entities(&self) -> Vec<Entity> {
        self.rows.iter().map(|row| self.all.get(*row).copied().unwrap_or(Entity::PLACEHOLDER)).collect()
    }

    /// Whether an agent in one of these rows of the tables of a step is among its agents, as of the last time.
    pub fn has_any_of(&self, rows: RangeInclusive<usize>) -> bool {
        let of_agents = || self.rows.iter().filter(|row| **row != GONE);
        of_agents().next().is_some_and(|first| first <= rows.end()) && of_agents().next_back() >= Some(rows.start())
    }

    /// Copies the readings of all agents; missing ones are `NaN`. Returns whether all sensors exist with as many numbers as
    /// before.
    fn copy_readings(&mut self, world: &World, out: &mut [f64]) -> bool {
        let entities = |sensors: &[Sensor]| sensors.iter().map(|sensor| sensor.entity).collect();
        let known = self.readings.take();
        let Some(mut found) = known.or_else(|| Found::new(world, entities(&self.sensors))) else { return true };
        if self.has_gaps {
            out.fill(f64::NAN);
        }
        let (sensors, mut are_same) = (&self.sensors, true);
        let are_there = found.visit(world, |place, readings, row| {
            let Sensor { first, count, shown, .. } = sensors[place];
            let values = readings[row].values.as_slice();
            if values.len() == count {
                out[first..first + shown].copy_from_slice(&values[..shown]);
            } else {
                are_same = false;
            }
        });
        self.readings = Some(found);
        are_there && are_same
    }

    /// Looks up the sensors that are read, and their numbers.
    fn find_sensors(&mut self, world: &World, slot: Option<usize>) {
        self.sensors.clear();
        self.readings = None;
        let (mut end, mut written) = (0, 0);
        for row in &self.rows {
            let mut first = end;
            end += self.width;
            let agent = self.all.get(*row);
            let slots = agent.and_then(|agent| world.get::<Sensors>(*agent)).map_or(&[][..], Sensors::slots);
            let chosen = match slot {
                Some(slot) => slots.get(slot..=slot).unwrap_or(&[]),
                None => slots,
            };
            for entity in chosen {
                let Some(reading) = world.get::<Reading>(*entity) else { continue };
                let count = reading.values.as_slice().len();
                let shown = count.min(end - first);
                self.sensors.push(Sensor { entity: *entity, first, count, shown });
                written += shown;
                first += shown;
            }
        }
        self.has_gaps = written < end;
    }

    /// Whether an agent, by its place, was gone when the column was filled last.
    pub fn is_gone(&self, place: usize) -> bool {
        self.rows.get(place) == Some(&GONE)
    }

    fn each(&self, out: &mut [f64], mut write: impl FnMut(usize, &mut [f64])) {
        for (row, out) in self.rows.iter().zip(out.chunks_exact_mut(self.width)) {
            if *row == GONE { out.fill(f64::NAN) } else { write(*row, out) }
        }
    }

    /// Looks up the agents, if agents came or went since the last time.
    pub fn look_up(&mut self, simulation: &Simulation) {
        let ReadView { world, arena } = simulation.read();
        self.find_rows(world, arena);
    }

    fn find_rows(&mut self, world: &World, arena: &Arena) {
        let all = &arena.agents;
        if self.seen == Some(world.id()) && *all == self.all {
            return;
        }
        self.seen = Some(world.id());
        self.all.clone_from(all);
        (self.commands, self.readings, self.given) = (None, None, None);
        let id = |agent: &Entity| world.get::<StableId>(*agent).copied();
        let row = |number: &u32| all.binary_search_by_key(&Some(StableId::agent(*number)), id).unwrap_or(GONE);
        self.rows = self.agents.iter().map(row).collect();
        if let ColumnContent::Readings(slot) = self.content {
            self.find_sensors(world, slot);
        }
    }
}

/// Writes the poses of all objects: those of things, with the headings of the scene or, of objects that move, their own.
fn fill_objects(world: &World, arena: &Arena, out: &mut [f64]) {
    out.fill(f64::NAN);
    let objects = &world.resource::<Description>().scene().objects;
    let present = arena.space.things.iter().zip(objects).zip(out.chunks_exact_mut(3));
    for ((thing, object), out) in present.filter(|((thing, _), _)| thing.what != ThingKind::Nothing) {
        out.copy_from_slice(&[thing.position.x, thing.position.y, object.common().heading_rad]);
    }
    let pose_of = |actor: &Entity| Some((world.get::<StableId>(*actor)?, world.get::<Pose>(*actor)?));
    for (id, pose) in arena.actors.iter().filter_map(pose_of) {
        if let Some(heading_rad) = out.get_mut(3 * id.index() as usize + 2) {
            *heading_rad = pose.heading_rad;
        }
    }
}

/// The numbers at a path in the memory of the controller of an agent.
///
/// # Errors
/// If there is no such value, with the nearest name, or if it is not a number.
fn memory_numbers(world: &World, agent: Entity, path: &str) -> Result<Vec<f64>, String> {
    let memory = world.resource::<ControllerKinds>().memory(world.entity(agent));
    let memory = memory.ok_or("the controllers have no memory")?;
    let value = path::get(world.resource::<Kinds>(), memory, path).map_err(|problem| problem.message)?;
    let one = |value: &dyn Reflect| number(value).or_else(|| value.downcast_ref().map(|flag: &bool| f64::from(*flag)));
    let list = || {
        let list = value.reflect_ref().as_list().ok()?;
        list.iter().map(|item| one(item.try_as_reflect()?)).collect()
    };
    one(value).map(|value| vec![value]).or_else(list).ok_or_else(|| "it has no numbers".to_owned())
}

fn fill_metrics(observed: &[f64], out: &mut [f64]) {
    match observed.len().cmp(&out.len()) {
        Ordering::Equal => out.copy_from_slice(observed),
        _ => out.fill(f64::NAN),
    }
}

/// The thing that a sensor has in sight, as a number.
fn target_of(world: &World, sensor: Entity) -> f64 {
    let seen = world.get_entity(sensor).ok().and_then(|sensor| sees(world, sensor));
    match seen {
        Some(Target::Body(row)) => {
            world.arena().space.bodies.owners().get(row).map_or(f64::NAN, |owner| f64::from(owner.number))
        }
        Some(Target::Thing(place)) => -1.0 - place as f64,
        Some(Target::Solid(_) | Target::Wall) | None => f64::NAN,
    }
}

/// The group at the start of a path, by name or place, and the rest of the path. Names can have dots.
fn split_group<'p>(simulation: &Simulation, path: &'p str) -> Option<(u32, &'p str)> {
    let groups = &simulation.scene().groups;
    let by_name = groups.iter().enumerate().filter_map(|(place, group)| {
        let rest = path.strip_prefix(group.name.as_str())?.strip_prefix('.')?;
        Some((place as u32, rest))
    });
    by_name.max_by_key(|(_, rest)| usize::MAX - rest.len()).or_else(|| {
        let (place, rest) = path.split_once('.')?;
        let place: u32 = place.parse().ok()?;
        (place < groups.len() as u32).then_some((place, rest))
    })
}

/// The names of the groups, for a message.
fn groups(simulation: &Simulation, typed: &str) -> String {
    let typed = typed.split('.').next().unwrap_or(typed);
    let names: Vec<&str> = simulation.scene().groups.iter().map(|group| group.name.as_str()).collect();
    format!("{}; the groups are: {}", did_you_mean(typed, names.iter().copied()), names.join(", "))
}

/// The name of a form of commands.
pub fn form_name(form: CommandForm) -> &'static str {
    match form {
        CommandForm::Drive => "drive",
        CommandForm::Wheels => "wheels",
        CommandForm::Velocity => "velocity",
        CommandForm::Course => "course",
    }
}

/// The form of the commands of agents: the given one, or the first one that all of them take. Speed and turn rate come
/// first, as most robots take them.
fn form_of(simulation: &Simulation, agents: &[u32], form: Option<CommandForm>) -> Result<CommandForm, String> {
    let mut common: Option<Vec<CommandForm>> = None;
    for agent in agents.iter().filter_map(|number| simulation.agent(*number)) {
        let taken = agent.command_forms();
        match &mut common {
            Some(common) => common.retain(|form| taken.contains(form)),
            None => common = Some(taken.to_vec()),
        }
    }
    // Without robots, every form is allowed.
    let Some(common) = common else { return Ok(form.unwrap_or(CommandForm::Drive)) };
    match form {
        Some(form) if common.contains(&form) => Ok(form),
        Some(form) => {
            let taken: Vec<&str> = common.iter().map(|form| form_name(*form)).collect();
            Err(format!("the motion models take commands of the form {}, not {}", taken.join(" or "), form_name(form)))
        }
        None if common.contains(&CommandForm::Drive) => Ok(CommandForm::Drive),
        None => common.first().copied().ok_or_else(|| {
            "the robots take commands of different forms: bind groups.NAME.commands of each group".to_owned()
        }),
    }
}

/// The numbers in a row of a column.
fn width_of(simulation: &Simulation, content: &ColumnContent, agents: &[u32]) -> Result<usize, String> {
    let slot = match content {
        ColumnContent::Poses | ColumnContent::Bodies | ColumnContent::Objects => return Ok(3),
        ColumnContent::Velocities => return Ok(2),
        ColumnContent::Commands(form) => return Ok(form.width()),
        ColumnContent::Outputs => return Ok(Outputs::WIDTH),
        ColumnContent::Metrics => return Ok(simulation.metric_columns().len()),
        ColumnContent::Targets => {
            let sensors =
                agents.iter().filter_map(|number| simulation.agent(*number)).map(|agent| agent.readings().count());
            return Ok(sensors.max().unwrap_or(0));
        }
        ColumnContent::Memory(path) => {
            let numbers =
                |number: &u32| Some(memory_numbers(simulation.world(), simulation.agent(*number)?.entity(), path));
            let mut known: Vec<Result<Vec<f64>, String>> = agents.iter().filter_map(numbers).collect();
            let most = known.iter().flatten().map(Vec::len).max();
            return most.map_or_else(|| known.pop().map_or(Ok(0), |last| last.map(|values| values.len())), Ok);
        }
        ColumnContent::Readings(slot) => *slot,
    };
    let widths = agents.iter().filter_map(|number| simulation.agent(*number)).map(|agent| {
        let readings = agent.readings().map(<[f64]>::len);
        match slot {
            Some(slot) => readings.clone().nth(slot).unwrap_or(0),
            None => readings.sum(),
        }
    });
    let widths: Vec<usize> = widths.collect();
    match (widths.iter().min(), widths.iter().max()) {
        (Some(least), Some(most)) if least != most => {
            Err(format!("some robots have {least} readings and others {most}: bind groups.NAME.readings of each group"))
        }
        (_, most) => Ok(most.copied().unwrap_or(0)),
    }
}

/// The slot of the sensor that a name means: its place, its own name, or its kind, which can be shortened to one of its
/// words (`fov` for `BinaryFov`).
fn slot_of(simulation: &Simulation, agents: &[u32], name: &str) -> Result<usize, String> {
    let Some(agent) = agents.first().and_then(|number| simulation.agent(*number)) else {
        return name.parse().map_err(|_| format!("`readings.{name}`: there are no robots"));
    };
    let world = simulation.world();
    let sensors = world.get::<Sensors>(agent.entity()).map_or(&[][..], Sensors::slots);
    if let Some(slot) = name.parse().ok().filter(|slot| *slot < sensors.len()) {
        return Ok(slot);
    }
    let kinds = simulation.kinds();
    let described: Vec<(String, String)> = sensors
        .iter()
        .map(|sensor| {
            let entity = world.entity(*sensor);
            let own = entity.get::<ComponentSettings>().map_or_else(String::new, |sensing| sensing.name.clone());
            let kind = kinds.family(SensorFamily::NAME).find(|kind| (kind.component)(entity).is_some());
            (own, kind.map_or_else(String::new, |kind| snake_case(kind.name)))
        })
        .collect();
    let typed = name.to_lowercase();
    let matches = |test: &dyn Fn(&(String, String)) -> bool| -> Vec<usize> {
        (0..described.len()).filter(|slot| test(&described[*slot])).collect()
    };
    let tests: [&dyn Fn(&(String, String)) -> bool; 3] =
        [&|(own, _)| *own == name, &|(_, kind)| *kind == typed || kind.replace('_', "") == typed, &|(_, kind)| {
            kind.split('_').any(|word| word == typed)
        }];
    let found = tests.iter().map(|test| matches(*test)).find(|found| !found.is_empty()).unwrap_or_default();
    match found[..] {
        [slot] => Ok(slot),
        _ => {
            let names = described.iter().enumerate().map(|(slot, (own, kind))| match own.is_empty() {
                true => format!("{slot} ({kind})"),
                false => format!("{slot} ({own}, {kind})"),
            });
            let names = names.collect::<Vec<_>>().join(", ");
            let trouble = if found.is_empty() { "no sensor has this name" } else { "several sensors have this name" };
            let known =
                if names.is_empty() { "the robots have no sensors".into() } else { format!("the sensors are {names}") };
            Err(format!("`readings.{name}`: {trouble}; {known}"))
        }
    }
}

impl Simulation {
    /// The column with a name, such as `poses`, `readings.fov` or `groups.millers.commands`.
    ///
    /// # Errors
    /// If there is no such column, with the nearest name.
    pub fn column(&self, name: &str) -> Result<Column, Problem> {
        Column::named(self, name, None)
    }
}
