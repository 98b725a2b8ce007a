//! Radio: agents send numbers to each other in packets, which may get lost.
//!
//! 1. An agent with a [`Radio`] has turns, the moments at which it may send. At a turn its controller writes a message
//!    ([`Controller::message`](crate::controller::Controller::message)), and the radio sends it as one packet.
//! 2. Each other radio within reach receives the packet or not, independently of the others: the [`Loss`] of the sender
//!    decides.
//! 3. A radio keeps the newest packet of each sender until it is older than `max_age_s`. Controllers read the packets
//!    ([`Senses::heard`](crate::controller::Senses)), and the positions of their senders if the radio is `situated`.
//!
//! Messages of a turn are received in the next step (`delivery: NextStep`), or in the same step by agents with later
//! turns (`SameStep`); see [`Delivery`](crate::step::order::Delivery).

use bevy::prelude::*;
use swarmarium_base::limits::Limits;

use crate::kind::Slot;
use crate::state::RegisterState as _;
use crate::step::plan::{AddKernel as _, Duty};

mod air;
pub mod connections;
pub mod consensus;
pub mod inbox;
pub mod loss;
pub mod schedule;
pub mod tally;

pub use connections::{Connection, Connections};
pub use inbox::{Heard, Inbox, Numbers, Packet};
pub use loss::LossKinds;
pub use loss::{AddLoss, Loss, LossFamily, LossRandom, PacketRules};
pub use schedule::{Schedule, Turn};
pub use tally::{Counts, Tally};

use inbox::{Links, Outbox};

/// Largest size of a number, and of a packet without numbers (bytes).
const MOST_BYTES: f64 = 1e6;
/// Longest lifetime of a packet and longest time between turns (s).
const MOST_S: f64 = 1e6;

/// Adds radios, their state and the kinds of loss.
pub fn plugin(app: &mut App) {
    app.register_parameters::<Radio>("radio")
        .register_state::<Turn>("radio/turn")
        .register_state::<Inbox>("radio/inbox")
        .register_state::<Links>("radio/links");
    app.register_state::<Tally>("radio/tally").add_plugins(loss::plugin);
    let kind = app.world_mut().register_component::<Radio>();
    app.add_kernel(Duty::Wake, kind, schedule::wake_all).add_kernel(Duty::Send, kind, air::send);
}

/// The radio of an agent.
#[derive(Component, Reflect, Clone, Debug, PartialEq)]
#[reflect(Default, Clone)]
#[require(Turn, Inbox, Links, Outbox, Tally)]
pub struct Radio {
    /// Loss of packets from this radio to others.
    pub loss: Slot<LossFamily>,
    /// Pairs of robots with another loss; the first match counts.
    pub links: Vec<Link>,
    /// Radios receive only packets of their own channel.
    #[reflect(@Limits::between(0.0, 1e6))]
    pub channel: u32,
    /// Times of its turns, at which its controller writes a message and the radio sends it.
    pub schedule: Schedule,
    /// Lifetime of the newest packet of each sender.
    #[reflect(@Limits::up_to(MOST_S))]
    pub max_age_s: f64,
    /// Size of a number in a packet.
    #[reflect(@Limits::between(0.0, MOST_BYTES))]
    pub bytes_per_number: f64,
    /// Size of a packet without numbers.
    #[reflect(@Limits::between(0.0, MOST_BYTES))]
    pub overhead_bytes: f64,
    /// Limit of the data rate; 0 for none. A packet over the limit is discarded, not postponed.
    #[reflect(@Limits::between(0.0, 1e12))]
    pub budget_bytes_per_s: f64,
    /// Whether packets that are sent in one step, and would all reach this radio, destroy each other.
    pub packet_collisions: bool,
    /// Whether the radio measures the position of senders, as range-and-bearing systems do: [`Packet::from_m`].
    pub situated: bool,
}

impl Radio {
    /// Replaces the radio of an agent. Links whose kind of loss changes lose their memory.
    pub fn take_place(&self, agent: &mut EntityWorldMut) {
        let kinds = |radio: &Self| {
            let losses = std::iter::once(&radio.loss).chain(radio.links.iter().map(|link| &link.loss));
            losses.map(|loss| loss.value().as_any().type_id()).collect::<Vec<_>>()
        };
        if agent.get().is_none_or(|before| kinds(before) != kinds(self)) {
            agent.insert(Links::default());
        }
        agent.insert(self.clone());
    }
}

impl Default for Radio {
    /// The radio of the Swarm Robot Project Simulator, with packet sizes of an XBee.
    fn default() -> Self {
        Self {
            loss: Slot::new(loss::rice::Rice::default()),
            links: Vec::new(),
            channel: 0,
            schedule: Schedule::default(),
            max_age_s: 4.0,
            bytes_per_number: 4.0,
            overhead_bytes: 20.0,
            budget_bytes_per_s: 0.0,
            packet_collisions: false,
            situated: false,
        }
    }
}

/// Loss of packets between certain robots.
#[derive(Reflect, Clone, Debug, PartialEq)]
#[reflect(Default, Clone)]
pub struct Link {
    /// Senders: a group, or one robot such as `prey-3`; empty for all that have this radio.
    pub from: String,
    /// Receivers: a group, or one robot; empty for all.
    pub to: String,
    /// Loss of packets between them.
    pub loss: Slot<LossFamily>,
}

impl Default for Link {
    fn default() -> Self {
        Self { from: String::new(), to: String::new(), loss: Slot::new(loss::perfect::Perfect {}) }
    }
}
