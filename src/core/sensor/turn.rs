//! Sensor kernels of a step: all sensors of one kind, or the one that has its turn.

use bevy::ecs::query::QueryItem;
use bevy::prelude::*;
use swarmarium_base::id::StableId;
use swarmarium_space::{Space, Surroundings};

use super::{ComponentSettings, Hint, Own, Reading, Sensor, SensorOf, Sensors, Viewpoint};
use crate::agent::Row;
use crate::agent::attitude::Attitude;
use crate::agent::contact::Dead;
use crate::agent::elsewhere::Elsewhere;
use crate::agent::failure::Blind;
use crate::motion::Wheels;
use crate::noise::{Kept, NoiseKinds};
use crate::radio::{Inbox, Packet};
use crate::random::Draws;
use crate::step::columns::{plain, tables};
use crate::step::plan::StepContext;
use crate::step::{ActsLater, Arena};
use crate::time::robot::RobotClock;

/// Number of sensors whose surroundings are loaded into the cache at once.
const PRELOADED: usize = 64;

/// Data prepared for sensors of one kind, for each piece of work that runs in parallel. A cache.
pub(super) struct Prepared<K: Sensor>(Vec<PreparedSet<K>>);

impl<K: Sensor> Default for Prepared<K> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<K: Sensor> Prepared<K> {
    /// The data for sensors that read sequentially.
    fn set(&mut self) -> &mut PreparedSet<K> {
        if self.0.is_empty() {
            self.0.push(PreparedSet::default());
        }
        &mut self.0[0]
    }

    /// The largest search distance (m) beyond the edges of robots in the last reading.
    fn near_m(&self) -> f64 {
        self.0.iter().map(|set| set.near_m).fold(0.0, f64::max)
    }
}

/// Data prepared for sensors of one kind, by their parameters, and their scratch buffers.
struct PreparedSet<K: Sensor> {
    entries: Vec<(K, K::Prepared)>,
    around: Surroundings,
    /// Zeros, in which readings without memory of their own are taken.
    zeros: Vec<f64>,
    /// The largest search distance (m) of sensors that read in this step.
    near_m: f64,
}

impl<K: Sensor> Default for PreparedSet<K> {
    fn default() -> Self {
        Self { entries: Vec::new(), around: Surroundings::default(), zeros: Vec::new(), near_m: 0.0 }
    }
}

impl<K: Sensor> PreparedSet<K> {
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
        now: Now,
        (id, row, hint, wheels, own): (&StableId, &Row, Option<&mut Hint>, Option<Wheels>, &Own),
        (reading, settings): (&mut Reading, Settings),
    ) {
        let Self { entries, around, zeros, .. } = self;
        let values = reading.values.edit(sensor.channels(), zeros);
        let draws = Draws { seed: now.arena.seed, owner: *id, step: now.arena.time.step };
        let from = Viewpoint { space: &now.arena.space, row: row.0 as usize, around, hint, wheels, own, draws };
        sensor.read(&entries[entry].1, memory, from, values);
        now.add_to((sensor, memory), (id, values), settings);
        reading.values.settle(zeros);
    }
}

/// The settings of a sensor, if any, with the data they need.
type Settings<'a> = Option<(&'a ComponentSettings, &'a mut Kept)>;

/// Components of a sensor, and whether it is on an object that acts after the agents.
type SensorData<'a, K> = (
    (&'a StableId, Option<&'a SensorOf>),
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
#[derive(Clone, Copy)]
struct Now<'a> {
    arena: &'a Arena,
    noise_kinds: &'a NoiseKinds,
}

impl Now<'_> {
    fn add_to<K: Sensor>(
        &self,
        (sensor, memory): (&K, &mut K::Memory),
        (id, reading): (&StableId, &mut [f64]),
        settings: Settings,
    ) {
        if let Some((ComponentSettings { noise, .. }, kept)) = settings {
            let now = (self.arena.seed, self.arena.time.step);
            let blank = || {
                let mut blank = vec![0.0; sensor.channels()];
                sensor.blank(&mut blank);
                blank
            };
            let rules: (_, &dyn Fn(usize) -> _, &dyn Fn() -> _) =
                (sensor.fields(), &|channel| sensor.noise_bounds(channel), &blank);
            self.noise_kinds.apply(noise, rules, *id, now, kept, reading);
            kept.note_reading(self.arena.time.step);
        }
        sensor.finish(memory, reading);
    }
}

/// State of robots that their sensors may use.
type Robots<'w, 's> = Query<'w, 's, Robot, With<Sensors>>;

/// State of one robot that its sensors may use.
type Robot = (
    Option<&'static Wheels>,
    Option<&'static Attitude>,
    Option<&'static Elsewhere>,
    Option<(&'static StableId, &'static RobotClock)>,
);

/// Fills `own` with the state that a sensor of kind `K` needs of its robot; returns the wheels of the robot.
#[inline]
fn fill_own<K: Sensor>(robots: &Robots, owner: Option<&SensorOf>, arena: &Arena, own: &mut Own) -> Option<Wheels> {
    if K::COUNTS_TURNS || K::KNOWS_OWN { look_up_owner(robots, owner, arena, own) } else { None }
}

fn look_up_owner(
    robots: &Robots,
    owner: Option<&SensorOf>,
    Arena { time, seed, .. }: &Arena,
    own: &mut Own,
) -> Option<Wheels> {
    let Some((wheels, attitude, elsewhere, clock)) = owner.and_then(|owner| robots.get(owner.0).ok()) else {
        *own = Own::default();
        return None;
    };
    let clock_s = clock.map_or_else(|| time.now_s(), |(id, clock)| clock.now_s(*seed, *id, time));
    let (attitude, elsewhere) = (attitude.copied().unwrap_or_default(), elsewhere.copied().unwrap_or_default());
    *own = Own { attitude, elsewhere, clock_s, time: *time, packets: &[] };
    wheels.copied()
}

/// Whether a sensor reads at this step. Sensors without own settings always do, and all sensors read before the first step.
#[inline(always)]
fn is_due(
    settings: &Settings,
    Arena { time, seed, .. }: &Arena,
    (robots, owner): (&Robots, Option<&SensorOf>),
) -> bool {
    let clock = || {
        let (id, clock) = robots.get(owner?.0).ok()?.3?;
        Some((clock, *seed, *id))
    };
    time.step == 0 || settings.as_ref().is_none_or(|(settings, _)| settings.is_due(time, clock))
}

/// Sensors of one kind, as columns.
type SensorColumns<'a, K> = (
    (&'a [StableId], Option<&'a [SensorOf]>),
    &'a [K],
    &'a mut [<K as Sensor>::Memory],
    &'a [Row],
    Option<&'a mut [Hint]>,
    &'a mut [Reading],
    Option<(&'a [ComponentSettings], &'a mut [Kept])>,
);

/// The received packets of robots, for kinds of sensors that read them.
type Inboxes<'a, 'w, 's> = Option<&'a Query<'w, 's, &'static Inbox>>;

/// The packets that the radio of a robot has received.
#[inline(always)]
fn packets_of<'a>(inboxes: Inboxes<'a, '_, '_>, owner: Option<&SensorOf>) -> &'a [Packet] {
    let inbox = inboxes.zip(owner).and_then(|(inboxes, owner)| inboxes.get(owner.0).ok());
    inbox.map_or(&[], Inbox::packets)
}

/// The sensors of a kind that are active.
type ActiveSensors<'w, 's, K> = Query<'w, 's, SensorData<'static, K>, (Without<Dead>, Without<Blind>)>;

/// Reads sensors of one kind: one sensor, or all sensors that read after agents have moved.
pub(super) fn sense<K: Sensor>(
    InMut(context): InMut<StepContext>,
    robots: Robots,
    (mut prepared, noise_kinds): (Local<Prepared<K>>, Local<NoiseKinds>),
    sensors: ActiveSensors<K>,
) {
    sense_by::<K>(context, (&robots, None), (&mut prepared, &noise_kinds), sensors);
}

/// As [`sense`], for sensors that read the packets of radios.
pub(super) fn sense_with_radio<K: Sensor>(
    InMut(context): InMut<StepContext>,
    (robots, inboxes): (Robots, Query<&'static Inbox>),
    (mut prepared, noise_kinds): (Local<Prepared<K>>, Local<NoiseKinds>),
    sensors: ActiveSensors<K>,
) {
    sense_by::<K>(context, (&robots, Some(&inboxes)), (&mut prepared, &noise_kinds), sensors);
}

// Inlined, so that kinds without a radio have nothing to do for packets.
#[inline(always)]
fn sense_by<K: Sensor>(
    StepContext { arena, workers, turn }: &mut StepContext,
    (robots, inboxes): (&Robots, Inboxes),
    (prepared, noise_kinds): (&mut Prepared<K>, &NoiseKinds),
    mut sensors: ActiveSensors<K>,
) {
    if let Some(sensor) = *turn {
        if let Ok(sensor) = sensors.get_mut(sensor) {
            sense_one::<K>(sensor, prepared.set(), (arena, noise_kinds), (robots, inboxes));
        }
        return;
    }
    let now = Now { arena, noise_kinds };
    prepared.0.iter_mut().for_each(|set| set.near_m = 0.0);
    for (owners, kinds, memories, rows, hints, readings, settings, acts_later) in tables(&mut sensors) {
        if acts_later {
            continue;
        }
        let settings = settings.map(|(settings, kept)| (settings, plain(kept)));
        let columns: SensorColumns<K> =
            (owners, kinds, plain(memories), rows, hints.map(plain), plain(readings), settings);
        workers.in_pieces(columns, rows.len(), &mut prepared.0, |columns, set| {
            sense_piece(columns, set, (now, robots, inboxes));
        });
    }
    if K::COUNTS_COLLISIONS {
        for (_, sensor, memory, row, .., acts_later) in &sensors {
            if !acts_later {
                note_collisions(&mut arena.space, row, sensor.collided(memory));
            }
        }
    }
    // The next step finds all robots without neighbours at once.
    arena.space.watch(prepared.near_m());
}

#[inline(always)]
fn sense_piece<K: Sensor>(
    ((ids, owners), sensors, memories, rows, mut hints, readings, mut settings): SensorColumns<K>,
    set: &mut PreparedSet<K>,
    (now, robots, inboxes): (Now, &Robots, Inboxes),
) {
    let (mut known, mut own) = (None, Own::default());
    let together = sensors.iter().zip(memories).zip(rows).zip(readings);
    for (place, (((sensor, memory), row), reading)) in together.enumerate() {
        if place.is_multiple_of(PRELOADED) && set.near_m > 0.0 {
            let next = rows[place..].iter().take(PRELOADED);
            now.arena.space.preload(next.map(|row| row.0 as usize), set.near_m);
        }
        let owner = owners.map(|owners| &owners[place]);
        let hint = hints.as_mut().map(|hints| &mut hints[place]);
        let settings = settings.as_mut().map(|(own, kept)| (&own[place], &mut kept[place]));
        if is_due(&settings, now.arena, (robots, owner)) {
            let entry = set.entry(sensor, known.unwrap_or(0));
            if known.replace(entry) != Some(entry) {
                set.near_m = set.near_m.max(sensor.near_m());
            }
            let wheels = fill_own::<K>(robots, owner, now.arena, &mut own);
            if inboxes.is_some() {
                own.packets = packets_of(inboxes, owner);
            }
            set.read(entry, (sensor, memory), now, (&ids[place], row, hint, wheels, &own), (reading, settings));
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
#[inline(always)]
fn sense_one<K: Sensor>(
    ((id, owner), sensor, mut memory, row, hint, mut reading, settings, _): SensorItem<K>,
    set: &mut PreparedSet<K>,
    (arena, noise_kinds): (&mut Arena, &NoiseKinds),
    (robots, inboxes): (&Robots, Inboxes),
) {
    let now = Now { arena, noise_kinds };
    let settings = settings.map(|(settings, kept)| (settings, kept.into_inner()));
    if is_due(&settings, arena, (robots, owner)) {
        let mut own = Own::default();
        let entry = set.entry(sensor, 0);
        let wheels = fill_own::<K>(robots, owner, arena, &mut own);
        own.packets = packets_of(inboxes, owner);
        let hint = hint.map(Mut::into_inner);
        set.read(entry, (sensor, &mut memory), now, (id, row, hint, wheels, &own), (&mut reading, settings));
    }
    if K::COUNTS_COLLISIONS {
        note_collisions(&mut arena.space, row, sensor.collided(&memory));
    }
}
