//! Sensor systems of a step: all sensors of one kind, or the one that has its turn.

use bevy::ecs::query::QueryItem;
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use swarmarium_base::id::StableId;
use swarmarium_space::{Space, Surroundings};

use super::{Hint, Own, Reading, Sensing, Sensor, SensorOf, Viewpoint};
use crate::agent::Row;
use crate::agent::attitude::Attitude;
use crate::agent::contact::Dead;
use crate::agent::elsewhere::Elsewhere;
use crate::agent::failure::Blind;
use crate::motion::Wheels;
use crate::noise::{Kept, NoiseKinds};
use crate::random::Seed;
use crate::step::columns::{plain, tables};
use crate::step::roster::OneOrAll;
use crate::step::{ActsLater, CurrentSpace, Workers};
use crate::time::SimTime;
use crate::time::robot::RobotClock;

/// Data prepared for sensors of one kind, for each piece of work that runs in parallel. A cache.
#[derive(Resource)]
pub(super) struct Prepared<K: Sensor>(Vec<Kit<K>>);

impl<K: Sensor> Default for Prepared<K> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<K: Sensor> Prepared<K> {
    /// The data for sensors that read sequentially.
    fn kit(&mut self) -> &mut Kit<K> {
        if self.0.is_empty() {
            self.0.push(Kit::default());
        }
        &mut self.0[0]
    }

    /// The largest search distance (m) beyond the edges of robots in the last reading.
    fn near_m(&self) -> f64 {
        self.0.iter().map(|kit| kit.near_m).fold(0.0, f64::max)
    }
}

/// Data prepared for sensors of one kind, by their parameters, and their scratch buffers.
struct Kit<K: Sensor> {
    entries: Vec<(K, K::Prepared)>,
    around: Surroundings,
    /// The largest search distance (m) of sensors that read in this step.
    near_m: f64,
}

impl<K: Sensor> Default for Kit<K> {
    fn default() -> Self {
        Self { entries: Vec::new(), around: Surroundings::default(), near_m: 0.0 }
    }
}

impl<K: Sensor> Kit<K> {
    /// Number of different sets of parameters to keep.
    const MOST: usize = 256;

    /// Finds or prepares the data for these parameters.
    ///
    /// Neighbouring sensors mostly share their parameters, so the entry `last` is tried first.
    #[inline]
    fn entry(&mut self, sensor: &K, last: usize) -> usize {
        match self.entries.get(last) {
            Some((known, _)) if known == sensor => last,
            _ => self.look_up(sensor),
        }
    }

    #[cold]
    fn look_up(&mut self, sensor: &K) -> usize {
        self.entries.iter().position(|(known, _)| known == sensor).unwrap_or_else(|| {
            if self.entries.len() >= Self::MOST {
                self.entries.clear();
            }
            self.entries.push((sensor.clone(), sensor.prepare()));
            self.entries.len() - 1
        })
    }

    #[inline]
    fn read(
        &mut self,
        entry: usize,
        (sensor, memory): (&K, &mut K::Memory),
        space: &Space,
        (row, hint, wheels, own): (&Row, Option<&mut Hint>, Option<Wheels>, &Own),
        reading: &mut Reading,
    ) {
        let channels = sensor.channels();
        if reading.values.len() != channels {
            reading.values.resize(channels, 0.0);
        }
        let Self { entries, around, .. } = self;
        let from = Viewpoint { space, row: row.0 as usize, around, hint, wheels, own };
        sensor.read(&entries[entry].1, memory, from, &mut reading.values);
    }
}

/// The settings of a sensor, if any, with the data they need.
type Settings<'a> = Option<(&'a Sensing, &'a StableId, &'a mut Kept)>;

/// Components of a sensor, and whether it is on an object that acts after the agents.
type SensorData<'a, K> = (
    Entity,
    &'a K,
    &'a mut <K as Sensor>::Memory,
    &'a Row,
    Option<&'a mut Hint>,
    &'a mut Reading,
    Settings<'a>,
    Has<ActsLater>,
);

/// Components of one sensor.
type SensorItem<'w, 's, K> = QueryItem<'w, 's, SensorData<'static, K>>;

/// Inputs of a step that are the same for all sensors.
#[derive(SystemParam)]
pub(super) struct Now<'w> {
    links: Res<'w, NoiseKinds>,
    pub(super) seed: Res<'w, Seed>,
    pub(super) time: Res<'w, SimTime>,
}

impl Now<'_> {
    fn add_to<K: Sensor>(
        &self,
        (sensor, memory): (&K, &mut K::Memory),
        reading: &mut Reading,
        settings: Option<(&Sensing, &StableId, &mut Kept)>,
    ) {
        if let Some((Sensing { noise, .. }, owner, kept)) = settings {
            let now = (*self.seed, self.time.step);
            let blank = || {
                let mut blank = vec![0.0; sensor.channels()];
                sensor.blank(&mut blank);
                blank
            };
            let rules: (_, &dyn Fn(usize) -> _, &dyn Fn() -> _) =
                (sensor.fields(), &|channel| sensor.noise_bounds(channel), &blank);
            self.links.apply(noise, rules, *owner, now, kept, &mut reading.values);
            kept.note_reading(self.time.step);
        }
        sensor.finish(memory, &mut reading.values);
    }
}

/// State of robots that their sensors may use.
#[derive(SystemParam)]
pub(super) struct Robots<'w, 's> {
    owners: Query<'w, 's, &'static SensorOf>,
    wheels: Query<'w, 's, &'static Wheels>,
    attitudes: Query<'w, 's, &'static Attitude>,
    elsewhere: Query<'w, 's, &'static Elsewhere>,
    clocks: Query<'w, 's, (&'static StableId, &'static RobotClock)>,
}

impl Robots<'_, '_> {
    /// Fills `own` with the state that a sensor needs of its robot; returns the wheels of the robot.
    #[inline]
    fn tell<K: Sensor>(&self, sensor: Entity, now: &Now, own: &mut Own) -> Option<Wheels> {
        if !K::COUNTS_TURNS && !K::KNOWS_OWN {
            return None;
        }
        let Ok(owner) = self.owners.get(sensor).map(|of| of.0) else {
            *own = Own::default();
            return None;
        };
        if K::KNOWS_OWN {
            *own = self.own(owner, now);
        }
        K::COUNTS_TURNS.then(|| self.wheels.get(owner).ok().copied()).flatten()
    }

    fn own(&self, owner: Entity, now: &Now) -> Own {
        let time = *now.time;
        let shown = self.clocks.get(owner).ok().map(|(id, clock)| clock.now_s(*now.seed, *id, &time));
        let attitude = self.attitudes.get(owner).ok().copied().unwrap_or_default();
        let elsewhere = self.elsewhere.get(owner).ok().copied().unwrap_or_default();
        Own { attitude, elsewhere, clock_s: shown.unwrap_or_else(|| time.now_s()), time }
    }

    /// The clock of the robot with a sensor, if it has one of its own.
    #[inline]
    fn clock(&self, sensor: Entity) -> Option<(StableId, &RobotClock)> {
        if self.clocks.is_empty() {
            return None;
        }
        self.clocks.get(self.owners.get(sensor).ok()?.0).ok().map(|(id, clock)| (*id, clock))
    }
}

/// Sensors of one kind, as columns.
type SensorColumns<'a, K> = (
    &'a [Entity],
    &'a [K],
    &'a mut [<K as Sensor>::Memory],
    &'a [Row],
    Option<&'a mut [Hint]>,
    &'a mut [Reading],
    Option<(&'a [Sensing], &'a [StableId], &'a mut [Kept])>,
);

/// Reads sensors of one kind: one sensor, or all sensors that read after agents have moved.
pub(super) fn sense<K: Sensor>(
    In(turn): OneOrAll,
    mut space: ResMut<CurrentSpace>,
    now: Now,
    workers: Res<Workers>,
    robots: Robots,
    mut prepared: ResMut<Prepared<K>>,
    mut sensors: Query<SensorData<'static, K>, (Without<Dead>, Without<Blind>)>,
) {
    if let Some(sensor) = turn {
        if let Ok(sensor) = sensors.get_mut(sensor) {
            sense_one::<K>(sensor, prepared.kit(), &mut space, &now, &robots);
        }
        return;
    }
    prepared.0.iter_mut().for_each(|kit| kit.near_m = 0.0);
    for (entities, kinds, memories, rows, hints, readings, settings, acts_later) in tables(&mut sensors) {
        if acts_later {
            continue;
        }
        let settings = settings.map(|(settings, owners, kept)| (settings, owners, plain(kept)));
        let columns: SensorColumns<K> =
            (entities, kinds, plain(memories), rows, hints.map(plain), plain(readings), settings);
        workers.in_pieces(columns, rows.len(), &mut prepared.0, |columns, kit| {
            sense_piece(columns, kit, (&space, &now, &robots));
        });
    }
    if K::COUNTS_COLLISIONS {
        for (_, sensor, memory, row, .., acts_later) in &sensors {
            if !acts_later {
                note_collisions(&mut space, row, sensor.collided(memory));
            }
        }
    }
    // The next step finds all robots without neighbours at once.
    space.watch(prepared.near_m());
}

fn sense_piece<K: Sensor>(
    (entities, sensors, memories, rows, mut hints, readings, mut settings): SensorColumns<K>,
    kit: &mut Kit<K>,
    (space, now, robots): (&Space, &Now, &Robots),
) {
    let (mut entry, mut own) = (usize::MAX, Own::default());
    let together = entities.iter().zip(sensors).zip(memories).zip(rows).zip(readings);
    for (place, ((((entity, sensor), memory), row), reading)) in together.enumerate() {
        let hint = hints.as_mut().map(|hints| &mut hints[place]);
        let settings = settings.as_mut().map(|(own, owners, kept)| (&own[place], &owners[place], &mut kept[place]));
        if Sensing::is_due(settings.as_ref().map(|(settings, ..)| *settings), now, || robots.clock(*entity)) {
            let last = entry;
            entry = kit.entry(sensor, last);
            if entry != last {
                kit.near_m = kit.near_m.max(sensor.near_m());
            }
            let wheels = robots.tell::<K>(*entity, now, &mut own);
            kit.read(entry, (sensor, memory), space, (row, hint, wheels, &own), reading);
            now.add_to((sensor, memory), reading, settings);
        }
    }
}

/// Records the number of other robots that the robot in a row collides with; active objects do not collide.
fn note_collisions(space: &mut Space, row: &Row, others: u32) {
    let row = row.0 as usize;
    if row < space.bodies.len() {
        space.bodies.set_collided(row, others);
    }
}

/// Reads one sensor.
fn sense_one<K: Sensor>(
    (entity, sensor, mut memory, row, hint, mut reading, settings, _): SensorItem<K>,
    kit: &mut Kit<K>,
    space: &mut Space,
    now: &Now,
    robots: &Robots,
) {
    let settings = settings.map(|(settings, owner, kept)| (settings, owner, kept.into_inner()));
    if Sensing::is_due(settings.as_ref().map(|(settings, ..)| *settings), now, || robots.clock(entity)) {
        let mut own = Own::default();
        let entry = kit.entry(sensor, 0);
        let wheels = robots.tell::<K>(entity, now, &mut own);
        let hint = hint.map(Mut::into_inner);
        kit.read(entry, (sensor, &mut memory), space, (row, hint, wheels, &own), &mut reading);
        now.add_to((sensor, &mut memory), &mut reading, settings);
    }
    if K::COUNTS_COLLISIONS {
        note_collisions(space, row, sensor.collided(&memory));
    }
}
