//! Schedules: the turns of radios.

use bevy::prelude::*;
use swarmarium_base::id::StableId;
use swarmarium_base::limits::Limits;

use super::inbox::Inbox;
use super::{MOST_S, Radio, Tally};
use crate::agent::contact::Dead;
use crate::kind::Optional;
use crate::random::{Seed, Stream};
use crate::step::columns::{plain, tables};
use crate::step::order::Delivery;
use crate::step::plan::StepContext;
use crate::time::SimTime;
use crate::time::rate::{self, steps};

/// The times at which a radio sends (its turns).
#[derive(Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Default, Clone)]
pub enum Schedule {
    /// At a constant period, each turn at the nearest step.
    Periodic {
        /// Time between turns: at least a step.
        #[reflect(@Limits::up_to(MOST_S))]
        period_s: f64,
        /// Time of the first turn after the start.
        #[reflect(@Limits::between(0.0, MOST_S), @Optional)]
        phase_s: f64,
    },
    /// At random intervals, drawn at each turn: every number of steps from the shortest to the longest is equally
    /// likely. The time to the first turn is at most the longest. So radios have no common clock.
    Random {
        /// Shortest time between turns: at least a step.
        #[reflect(@Limits::up_to(MOST_S))]
        min_s: f64,
        /// Longest time between turns.
        #[reflect(@Limits::up_to(MOST_S))]
        max_s: f64,
    },
}

impl Default for Schedule {
    /// The schedule of the Swarm Robot Project Simulator.
    fn default() -> Self {
        Self::Random { min_s: 0.1, max_s: 0.3 }
    }
}

/// State of the schedule of a radio.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
pub struct Turn {
    /// Whether the schedule has started.
    is_awake: bool,
    /// The step of the last turn; before the first one, the step before the start of the schedule.
    last_step: u64,
    /// Steps from the last turn to the next, for random schedules.
    wait_steps: u64,
    /// Whether this step is a turn.
    is_now: bool,
    /// Steps from the previous turn to the last one.
    elapsed_steps: u64,
    /// Whether the radio sends in this step, possibly the message of the last one.
    sends: bool,
    /// Remaining data rate allowance as of the last attempt to send.
    pub(super) credit_bytes: f64,
    /// The step of that attempt.
    pub(super) credit_step: u64,
}

impl Turn {
    /// If this step is a turn, the steps since the previous one.
    #[inline]
    pub fn now(&self) -> Option<u64> {
        self.is_now.then_some(self.elapsed_steps)
    }

    /// The step of the last turn, if there was one.
    #[inline]
    pub fn last_step(&self) -> Option<u64> {
        (self.elapsed_steps > 0).then_some(self.last_step)
    }

    /// The step of the next turn, for random schedules; `None` before the schedule has started.
    #[inline]
    pub fn next_step(&self) -> Option<u64> {
        self.is_awake.then(|| self.last_step + self.wait_steps)
    }

    /// Whether the radio sends in this step.
    #[inline]
    pub fn sends(&self) -> bool {
        self.sends
    }

    /// Begins a step.
    #[inline]
    fn begin(&mut self, resolved: &ResolvedSchedule, time: &SimTime, delivery: Delivery, random: impl Fn() -> Stream) {
        let ResolvedSchedule { schedule, is_due, longest_steps, .. } = resolved;
        let was_now = self.is_now;
        let mut says_hello = false;
        // Created only at the few steps that draw.
        let mut stream = None;
        let mut unit = || stream.get_or_insert_with(&random).unit();
        if !self.is_awake {
            *self = Self { is_awake: true, last_step: time.step.saturating_sub(1), ..Self::default() };
            self.credit_step = self.last_step;
            self.wait_steps = schedule.first_wait(time.dt_s, &mut unit);
            // Periodic turns are common to all radios: a radio added later waits for the next one.
            says_hello = self.wait_steps == 0 && (time.step == 1 || matches!(schedule, Schedule::Random { .. }));
        }
        self.is_now = match schedule {
            Schedule::Periodic { .. } => *is_due,
            // The schedule may have been shortened since this interval was drawn.
            Schedule::Random { .. } => time.step.saturating_sub(self.last_step) >= self.wait_steps.min(*longest_steps),
        };
        if self.is_now {
            // Before the first turn, the elapsed time is limited to one interval.
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

/// Values of a step that are common to all radios with the same schedule.
struct ResolvedSchedule {
    schedule: Schedule,
    max_age_s: f64,
    /// Whether the step is a turn, for periodic schedules.
    is_due: bool,
    /// As [`Schedule::longest_steps`].
    longest_steps: u64,
    /// Largest age of packets.
    max_age_steps: u64,
}

impl ResolvedSchedule {
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

    /// Largest number of steps between turns.
    pub fn longest_steps(&self, dt_s: f64) -> u64 {
        match *self {
            // Turns are at the nearest steps, so that some intervals are longer by one step.
            Self::Periodic { period_s, .. } => ((period_s / dt_s - 1e-9).ceil() as u64).max(1),
            Self::Random { max_s, .. } => steps(max_s, dt_s).max(1),
        }
    }

    /// Steps between turns, for random schedules.
    fn wait(&self, dt_s: f64, unit: impl FnMut() -> f64) -> u64 {
        match *self {
            Self::Periodic { .. } => 0,
            Self::Random { min_s, max_s } => whole(steps(min_s, dt_s).max(1), steps(max_s, dt_s), unit),
        }
    }
}

/// A uniformly distributed integer from `least` to `most`, computed from a random number in [0, 1).
fn whole(least: u64, most: u64, mut unit: impl FnMut() -> f64) -> u64 {
    let count = most.saturating_sub(least) + 1;
    least + (unit() * count as f64) as u64
}

/// Radios, as columns.
type RadioColumns<'a> = (&'a [StableId], &'a [Radio], &'a mut [Turn], &'a mut [Inbox], &'a mut [Tally]);

/// Begins a step: updates turns, delivers delayed packets and removes old ones.
pub(super) fn wake_all(
    InMut(StepContext { arena, workers, .. }): InMut<StepContext>,
    mut radios: Query<(&StableId, &Radio, &mut Turn, &mut Inbox, &mut Tally), Without<Dead>>,
) {
    for (ids, radios, turns, inboxes, tallies) in tables(&mut radios) {
        let columns: RadioColumns = (ids, radios, plain(turns), plain(inboxes), plain(tallies));
        workers.in_pieces(columns, ids.len(), &mut Vec::new(), |columns, (): &mut ()| {
            wake_piece(columns, arena.seed, &arena.time, arena.delivery);
        });
    }
}

fn wake_piece((ids, radios, turns, inboxes, tallies): RadioColumns, seed: Seed, time: &SimTime, delivery: Delivery) {
    let mut resolved = ResolvedSchedule::of(Schedule::default(), 0.0, time);
    let together = ids.iter().zip(radios).zip(turns).zip(inboxes).zip(tallies);
    for ((((id, radio), turn), inbox), tally) in together {
        // Neighbours in memory mostly have the same schedule.
        if !resolved.is_of(radio) {
            resolved = ResolvedSchedule::of(radio.schedule, radio.max_age_s, time);
        }
        let random = || seed.stream(*id, "radio turn").at_step(time.step);
        turn.begin(&resolved, time, delivery, random);
        let come = inbox.take_in(time.step);
        tally.at(time.step).delivered += come as u64;
        // Some packets are too old on arrival.
        inbox.forget(time.step, resolved.max_age_steps);
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
            let resolved = ResolvedSchedule::of(*turns, 1.0, &time);
            turn.begin(&resolved, &time, delivery, || {
                Seed(5).stream(StableId::agent(agent), "radio turn").at_step(step)
            });
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
    fn periodic_sends_are_at_the_nearest_steps_and_sent_one_step_later() {
        let turns = Schedule::Periodic { period_s: 0.1, phase_s: 0.04 };
        assert_eq!(turns_of(&turns, 0, 20, Delivery::NextStep), (vec![2, 7, 12, 17], vec![3, 8, 13, 18]));
        assert_eq!(turns_of(&turns, 0, 10, Delivery::SameStep), (vec![2, 7], vec![2, 7]));
        let every = Schedule::Periodic { period_s: 0.02, phase_s: 0.0 };
        assert_eq!(turns_of(&every, 0, 3, Delivery::NextStep), (vec![1, 2, 3], vec![1, 2, 3]), "and before the first");
    }

    fn begun(turn: &mut Turn, turns: &Schedule, step: u64) -> Option<u64> {
        let random = || Seed(5).stream(StableId::agent(0), "radio turn").at_step(step);
        let time = SimTime { step, dt_s: 0.02 };
        turn.begin(&ResolvedSchedule::of(*turns, 1.0, &time), &time, Delivery::NextStep, random);
        turn.now()
    }

    #[test]
    fn the_first_radio_turn_makes_up_for_at_most_one_period() {
        let late = Schedule::Periodic { period_s: 0.2, phase_s: 20.0 };
        let mut turn = Turn::default();
        assert_eq!((1..=1000).find_map(|step| begun(&mut turn, &late, step)), Some(10));
    }

    #[test]
    fn a_later_robot_waits_for_the_common_radio_turn() {
        let mut turn = Turn::default();
        let fixed = Schedule::Periodic { period_s: 0.2, phase_s: 0.0 };
        begun(&mut turn, &fixed, 4);
        assert!(!turn.sends());
        assert_eq!((5..=20).find(|step| begun(&mut turn, &fixed, *step).is_some()), Some(10));
    }

    #[test]
    fn a_shorter_radio_period_takes_effect_at_once() {
        let mut turn = Turn::default();
        let long = Schedule::Random { min_s: 1e5, max_s: 1e5 };
        assert!((1..10).all(|step| begun(&mut turn, &long, step).is_none()));
        let short = Schedule::Random { min_s: 0.1, max_s: 0.2 };
        assert_eq!((10..40).find(|step| begun(&mut turn, &short, *step).is_some()), Some(10));
    }

    #[test]
    fn random_radio_waits_are_uniform_and_independent() {
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
