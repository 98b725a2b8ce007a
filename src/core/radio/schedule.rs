//! Schedules: when radios transmit.

use bevy::prelude::*;
use swarmarium_base::id::StableId;
use swarmarium_base::limits::Limits;

use super::inbox::Inbox;
use super::{MOST_S, Radio, Tally};
use crate::agent::contact::Dead;
use crate::kind::Optional;
use crate::random::{Seed, Stream};
use crate::step::Workers;
use crate::step::columns::{plain, tables};
use crate::step::order::Delivery;
use crate::time::SimTime;
use crate::time::rate::{self, steps};

/// When a radio transmits.
#[derive(Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Default, Clone)]
pub enum Schedule {
    /// Again and again after the same time, at the nearest steps.
    Periodic {
        /// Time from one turn to the next: at least a step.
        #[reflect(@Limits::up_to(MOST_S))]
        period_s: f64,
        /// When the first one is, after the start.
        #[reflect(@Limits::between(0.0, MOST_S), @Optional)]
        phase_s: f64,
    },
    /// After times that it draws anew at each turn, any number of steps from the least to the most being equally likely;
    /// to its first turn it waits no longer than the most. So radios have no common clock.
    Random {
        /// Least time from one turn to the next: at least a step.
        #[reflect(@Limits::up_to(MOST_S))]
        min_s: f64,
        /// Most time.
        #[reflect(@Limits::up_to(MOST_S))]
        max_s: f64,
    },
}

impl Default for Schedule {
    /// Those of the Swarm Robot Project Simulator.
    fn default() -> Self {
        Self::Random { min_s: 0.1, max_s: 0.3 }
    }
}

/// Where a radio is between its turns.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
pub struct Turn {
    /// Whether it has begun to count.
    is_awake: bool,
    /// The step of the last turn; before the first one, that after which it came.
    last_step: u64,
    /// Steps from the last turn to the next, where they are drawn.
    wait_steps: u64,
    /// Whether this step is one of its turns.
    is_now: bool,
    /// Steps from the turn before to this one.
    elapsed_steps: u64,
    /// Whether it sends in this step, which may be what was told in the last one.
    sends: bool,
    /// How much it may send, as of the step when it sent last or wanted to.
    pub(super) credit_bytes: f64,
    /// That step.
    pub(super) credit_step: u64,
}

impl Turn {
    /// If this step is one of its turns, the steps since the one before.
    #[inline]
    pub fn now(&self) -> Option<u64> {
        self.is_now.then_some(self.elapsed_steps)
    }

    /// The step of its last turn, if it has had one.
    #[inline]
    pub fn last_step(&self) -> Option<u64> {
        (self.elapsed_steps > 0).then_some(self.last_step)
    }

    /// The step of its next turn, where waits are drawn; `None` before it has begun.
    #[inline]
    pub fn next_step(&self) -> Option<u64> {
        self.is_awake.then(|| self.last_step + self.wait_steps)
    }

    /// Whether it sends in this step.
    #[inline]
    pub fn sends(&self) -> bool {
        self.sends
    }

    /// Begins a step.
    #[inline]
    fn begin(&mut self, beat: &Beat, time: &SimTime, delivery: Delivery, random: impl Fn() -> Stream) {
        let Beat { schedule, is_due, longest_steps, .. } = beat;
        let was_now = self.is_now;
        let mut says_hello = false;
        // Made where something is drawn: at few steps.
        let mut stream = None;
        let mut unit = || stream.get_or_insert_with(&random).unit();
        if !self.is_awake {
            *self = Self { is_awake: true, last_step: time.step.saturating_sub(1), ..Self::default() };
            self.credit_step = self.last_step;
            self.wait_steps = schedule.first_wait(time.dt_s, &mut unit);
            // Fixed turns are those of all: who comes later waits for the next.
            says_hello = self.wait_steps == 0 && (time.step == 1 || matches!(schedule, Schedule::Random { .. }));
        }
        self.is_now = match schedule {
            Schedule::Periodic { .. } => *is_due,
            // Waits may have become shorter since this one was drawn.
            Schedule::Random { .. } => time.step.saturating_sub(self.last_step) >= self.wait_steps.min(*longest_steps),
        };
        if self.is_now {
            // Before the first one there was none: nobody makes up for all that time.
            self.elapsed_steps = (time.step - self.last_step).min(*longest_steps);
            self.last_step = time.step;
            self.wait_steps = schedule.wait(time.dt_s, &mut unit);
        }
        self.sends = match delivery {
            Delivery::NextStep => was_now || says_hello,
            Delivery::SameStep => self.is_now,
        };
    }
}

/// What a step is to all radios with the same schedule.
struct Beat {
    schedule: Schedule,
    max_age_s: f64,
    /// Whether it is a turn, where these are fixed.
    is_due: bool,
    /// As [`Schedule::longest_steps`].
    longest_steps: u64,
    /// How old packets may be.
    max_age_steps: u64,
}

impl Beat {
    fn of(schedule: Schedule, max_age_s: f64, time: &SimTime) -> Self {
        let is_due = match schedule {
            Schedule::Periodic { period_s, phase_s } => rate::is_due(time, 1.0 / period_s, phase_s),
            Schedule::Random { .. } => false,
        };
        let (longest_steps, max_age_steps) = (schedule.longest_steps(time.dt_s), steps(max_age_s, time.dt_s));
        Self { schedule, max_age_s, is_due, longest_steps, max_age_steps }
    }

    fn is_of(&self, radio: &Radio) -> bool {
        self.schedule == radio.schedule && self.max_age_s == radio.max_age_s
    }
}

impl Schedule {
    /// Steps until the first turn.
    fn first_wait(&self, dt_s: f64, unit: impl FnMut() -> f64) -> u64 {
        match *self {
            Self::Periodic { phase_s, .. } => steps(phase_s, dt_s),
            Self::Random { max_s, .. } => whole(0, steps(max_s, dt_s), unit),
        }
    }

    /// The most steps from a turn to the next.
    pub fn longest_steps(&self, dt_s: f64) -> u64 {
        match *self {
            // Turns are at the nearest steps, so that some waits are longer than others by one.
            Self::Periodic { period_s, .. } => ((period_s / dt_s - 1e-9).ceil() as u64).max(1),
            Self::Random { max_s, .. } => steps(max_s, dt_s).max(1),
        }
    }

    /// Steps from a turn to the next, where they are drawn.
    fn wait(&self, dt_s: f64, unit: impl FnMut() -> f64) -> u64 {
        match *self {
            Self::Periodic { .. } => 0,
            Self::Random { min_s, max_s } => whole(steps(min_s, dt_s).max(1), steps(max_s, dt_s), unit),
        }
    }
}

/// A whole number from `least` to `most`, all equally likely, by a number from 0 to 1 that is drawn.
fn whole(least: u64, most: u64, mut unit: impl FnMut() -> f64) -> u64 {
    let count = most.saturating_sub(least) + 1;
    least + (unit() * count as f64) as u64
}

/// Radios, side by side.
type RadioColumns<'a> = (&'a [StableId], &'a [Radio], &'a mut [Turn], &'a mut [Inbox], &'a mut [Tally]);

/// Begins a step: those whose turn it is learn so, packets that were on their way arrive, and old ones are forgotten.
pub(super) fn wake_all(
    (seed, time, delivery): (Res<Seed>, Res<SimTime>, Res<Delivery>),
    workers: Res<Workers>,
    mut radios: Query<(&StableId, &Radio, &mut Turn, &mut Inbox, &mut Tally), Without<Dead>>,
) {
    for (ids, radios, turns, inboxes, tallies) in tables(&mut radios) {
        let columns: RadioColumns = (ids, radios, plain(turns), plain(inboxes), plain(tallies));
        workers.in_pieces(columns, ids.len(), &mut Vec::new(), |columns, (): &mut ()| {
            wake_piece(columns, *seed, &time, *delivery);
        });
    }
}

fn wake_piece((ids, radios, turns, inboxes, tallies): RadioColumns, seed: Seed, time: &SimTime, delivery: Delivery) {
    let mut beat = Beat::of(Schedule::default(), 0.0, time);
    let together = ids.iter().zip(radios).zip(turns).zip(inboxes).zip(tallies);
    for ((((id, radio), turn), inbox), tally) in together {
        // Neighbours in memory mostly have the same turns.
        if !beat.is_of(radio) {
            beat = Beat::of(radio.schedule, radio.max_age_s, time);
        }
        let random = || seed.stream(*id, "radio turn").at_step(time.step);
        turn.begin(&beat, time, delivery, random);
        let come = inbox.take_in(time.step);
        tally.at(time.step).delivered += come as u64;
        // Some are too old when they come.
        inbox.forget(time.step, beat.max_age_steps);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turns_of(turns: &Schedule, agent: u32, steps: u64, delivery: Delivery) -> (Vec<u64>, Vec<u64>) {
        let mut turn = Turn::default();
        let (mut now, mut sends) = (Vec::new(), Vec::new());
        for step in 1..=steps {
            let time = SimTime { step, dt_s: 0.02 };
            let beat = Beat::of(*turns, 1.0, &time);
            turn.begin(&beat, &time, delivery, || Seed(5).stream(StableId::agent(agent), "radio turn").at_step(step));
            if let Some(elapsed) = turn.now() {
                assert_eq!(elapsed, step - now.last().copied().unwrap_or(0));
                now.push(step);
            }
            if turn.sends {
                sends.push(step);
            }
        }
        (now, sends)
    }

    #[test]
    fn fixed_turns_are_at_the_nearest_steps_and_sent_one_later() {
        let turns = Schedule::Periodic { period_s: 0.1, phase_s: 0.04 };
        assert_eq!(turns_of(&turns, 0, 20, Delivery::NextStep), (vec![2, 7, 12, 17], vec![3, 8, 13, 18]));
        assert_eq!(turns_of(&turns, 0, 10, Delivery::SameStep), (vec![2, 7], vec![2, 7]));
        let every = Schedule::Periodic { period_s: 0.02, phase_s: 0.0 };
        assert_eq!(turns_of(&every, 0, 3, Delivery::NextStep), (vec![1, 2, 3], vec![1, 2, 3]), "and before the first");
    }

    fn begun(turn: &mut Turn, turns: &Schedule, step: u64) -> Option<u64> {
        let random = || Seed(5).stream(StableId::agent(0), "radio turn").at_step(step);
        let time = SimTime { step, dt_s: 0.02 };
        turn.begin(&Beat::of(*turns, 1.0, &time), &time, Delivery::NextStep, random);
        turn.now()
    }

    #[test]
    fn the_first_turn_makes_up_for_no_more_than_a_period() {
        let late = Schedule::Periodic { period_s: 0.2, phase_s: 20.0 };
        let mut turn = Turn::default();
        assert_eq!((1..=1000).find_map(|step| begun(&mut turn, &late, step)), Some(10));
    }

    #[test]
    fn who_comes_later_waits_for_the_turn_of_all() {
        let mut turn = Turn::default();
        let fixed = Schedule::Periodic { period_s: 0.2, phase_s: 0.0 };
        begun(&mut turn, &fixed, 4);
        assert!(!turn.sends());
        assert_eq!((5..=20).find(|step| begun(&mut turn, &fixed, *step).is_some()), Some(10));
    }

    #[test]
    fn waits_that_become_shorter_do_so_at_once() {
        let mut turn = Turn::default();
        let long = Schedule::Random { min_s: 1e5, max_s: 1e5 };
        assert!((1..10).all(|step| begun(&mut turn, &long, step).is_none()));
        let short = Schedule::Random { min_s: 0.1, max_s: 0.2 };
        assert_eq!((10..40).find(|step| begun(&mut turn, &short, *step).is_some()), Some(10));
    }

    #[test]
    fn random_waits_are_equally_likely_and_everybody_has_their_own() {
        let waits = |agent| {
            let (turns, _) = turns_of(&Schedule::default(), agent, 50_000, Delivery::NextStep);
            assert!(turns[0] <= 15);
            turns.windows(2).map(|pair| pair[1] - pair[0]).collect::<Vec<_>>()
        };
        let first = waits(0);
        for wait in 5..=15 {
            let share = first.iter().filter(|found| **found == wait).count() as f64 / first.len() as f64;
            assert!((share - 1.0 / 11.0).abs() < 0.02, "{wait} steps: {share}");
        }
        assert!(first.iter().all(|wait| (5..=15).contains(wait)));
        assert_ne!(first, waits(1));
    }
}
