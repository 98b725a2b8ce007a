//! Helpers of metrics for radios: packet counts and held packets.

use std::collections::VecDeque;

use bevy::prelude::*;
use swarmarium_core::agent::contact::Dead;
use swarmarium_core::metric::Census;
use swarmarium_core::radio::tally::Counts;
use swarmarium_core::radio::{Connection, Connections, Inbox, Tally};
use swarmarium_core::step::HasArena as _;
use swarmarium_core::time::SimTime;
use swarmarium_core::time::rate::steps;
use swarmarium_scene::agent_view::AgentView;

/// The longest window of packet counts, in seconds.
pub(super) const MOST_WINDOW_S: f64 = 3600.0;

/// Packet counts since the start and over a window.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq)]
pub struct Traffic {
    all: Counts,
    /// The sum over the window.
    recent: Counts,
    /// The counts of the last steps, oldest first.
    window: VecDeque<Counts>,
}

impl Traffic {
    /// Gathers the packet counts of this step.
    pub(super) fn gather(census: Census, gathered: &mut Vec<f64>) {
        let (world, mut now) = (census.world(), Counts::default());
        let step = world.arena().time.step;
        for agent in AgentView::all_seen(census) {
            now += world.get::<Tally>(agent.entity()).map(|tally| tally.of(step)).unwrap_or_default();
        }
        gathered.extend([now.sent, now.withheld, now.delivered, now.lost].map(|count| count as f64));
    }

    /// Adds the gathered counts. Returns the counts of the last `window_s`, or of all steps if that is 0.
    pub(super) fn over(&mut self, window_s: f64, dt_s: f64, gathered: &[f64]) -> Counts {
        let &[sent, withheld, delivered, lost] = gathered else { return self.all };
        let [sent, withheld, delivered, lost] = [sent, withheld, delivered, lost].map(|count| count as u64);
        let now = Counts { sent, withheld, delivered, lost };
        self.all += now;
        if window_s <= 0.0 {
            (self.recent, self.window) = Default::default();
            return self.all;
        }
        self.recent += now;
        self.window.push_back(now);
        while self.window.len() as u64 > steps(window_s, dt_s).max(1) {
            self.recent -= self.window.pop_front().unwrap_or_default();
        }
        self.recent
    }
}

/// The living radios among the robots of a metric, in the order of their stable ids.
pub(super) struct Radios<'w> {
    /// The number and the inbox of each.
    all: Vec<(u32, &'w Inbox)>,
    time: SimTime,
}

impl<'w> Radios<'w> {
    pub fn of(census: Census<'w>) -> Self {
        let world = census.world();
        let radio = |entity| world.get::<Inbox>(entity).filter(|_| world.get::<Dead>(entity).is_none());
        let all =
            AgentView::all_seen(census).filter_map(|agent| Some((agent.id.index(), radio(agent.entity())?))).collect();
        Self { all, time: world.arena().time }
    }

    /// The number of radios.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// A time as the nearest number of steps.
    pub fn steps(&self, time_s: f64) -> u64 {
        steps(time_s, self.time.dt_s)
    }

    /// The number of unordered pairs of radios.
    pub fn pairs(&self) -> f64 {
        let radios = self.all.len() as f64;
        radios * (radios - 1.0).max(0.0) / 2.0
    }

    /// The ages in seconds of all held packets, from any sender.
    pub fn ages_s(&self) -> impl Iterator<Item = f64> {
        let packets = self.all.iter().flat_map(|(_, inbox)| inbox.packets());
        packets.map(|packet| packet.age_steps(self.time.step) as f64 * self.time.dt_s)
    }

    /// The connections between the radios, each with the places of both in this list.
    pub fn connections(&self, census: Census<'w>, fresh_s: f64) -> Vec<([usize; 2], Connection)> {
        let place = |row: usize| {
            let number = census.all().bodies.owners().get(row)?.number;
            self.all.binary_search_by_key(&number, |(number, _)| *number).ok()
        };
        let among = |connection: Connection| {
            let [one, other] = connection.rows.map(place);
            Some(([one?, other?], connection))
        };
        Connections::of(census.world(), census.all(), fresh_s).all().filter_map(among).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delivery_ratio_with_a_window_forgets_older_packets() {
        let mut traffic = Traffic::default();
        let step = |lost: f64| [1.0, 0.0, 2.0, lost];
        let found: Vec<_> = (0..6).map(|k| traffic.over(0.2, 0.1, &step(f64::from(k))).lost).collect();
        assert_eq!(found, [0, 1, 3, 5, 7, 9]);
        assert_eq!(traffic.over(0.0, 0.1, &step(0.0)), Counts { sent: 7, withheld: 0, delivered: 14, lost: 15 });
        assert_eq!(traffic.over(0.2, 0.1, &step(4.0)).delivery_ratio(), 1.0 / 3.0, "a window that begins anew");
    }
}
