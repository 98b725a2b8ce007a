//! How many pairs of robots hear each other.

use bevy::prelude::*;

use super::fields::metric_kind;
use super::radios::Radios;
use super::{Census, Metric, NoHistory, Swarm};
use crate::kind::Limits;

metric_kind! {
    /// Of all pairs of living radios, the shares whose link is fresh, stale, or not there. It is fresh when the newer of
    /// the packets that the two hold of each other was sent at most `fresh_s` ago, stale when it is older, and not there
    /// when they hold none. No number below two radios.
    RadioLinks {
        /// The largest age of a fresh link.
        #[reflect(@Limits::up_to(1e6))]
        fresh_s: f64 = 0.5,
    }
}

impl Metric for RadioLinks {
    type Memory = NoHistory;
    const PARTS: &'static [&'static str] = &["fresh", "stale", "none"];

    fn label(&self) -> &'static str {
        "radio_links"
    }

    fn gather(&self, census: Census, gathered: &mut Vec<f64>) {
        let radios = Radios::of(census);
        let (fresh_steps, mut fresh, mut stale) = (radios.steps(self.fresh_s), 0.0, 0.0);
        radios.links(|_, _, ages| {
            let is_fresh = ages.iter().flatten().any(|age| *age <= fresh_steps);
            *if is_fresh { &mut fresh } else { &mut stale } += 1.0;
        });
        let pairs = radios.pairs();
        gathered.extend([fresh, stale, pairs - fresh - stale].map(|links| links / pairs));
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        values.copy_from_slice(swarm.gathered);
    }
}
