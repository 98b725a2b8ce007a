//! Radio: agents tell each other numbers, in packets that may get lost.
//!
//! 1. An agent with a [`Radio`] has its turns, at its own times: then its controller tells something
//!    ([`Controller::message`](crate::controller::Controller::message)), and the radio sends it as one packet.
//! 2. Each other radio within reach gets it or does not, independently of the others: its [`Loss`] decides.
//! 3. Of each sender a radio keeps the newest packet, until it is older than `max_age_s`; controllers read them
//!    ([`Senses::heard`](crate::controller::Senses)), and where they came from, if the radio is `situated`.
//!
//! What is told at a turn is heard from the next step on (`delivery: NextStep`), or by those whose turn comes later in
//! the same step (`SameStep`); see
//! [`Delivery`](crate::step::order::Delivery).

use bevy::prelude::*;
use swarmarium_base::limits::Limits;

use crate::kind::Slot;
use crate::state::RegisterState as _;
use crate::step::roster::Roster;

mod air;
pub mod connections;
pub mod consensus;
pub mod inbox;
pub mod loss;
pub mod schedule;
pub mod tally;

pub use connections::{Connection, Connections};
pub use inbox::{Heard, Inbox, Numbers, Packet};
pub(crate) use loss::Losses;
pub use loss::{AddLoss, Loss, LossFamily, Passage};
pub use schedule::{Schedule, Turn};
pub use tally::{Counts, Tally};

use inbox::{Links, Outbox};

/// The most bytes that a number takes, and a packet besides its numbers.
const MOST_BYTES: f64 = 1e6;
/// The longest time that a packet is kept, and between turns, in seconds.
const MOST_S: f64 = 1e6;

pub(crate) fn plugin(app: &mut App) {
    app.register_state::<Radio>("radio")
        .register_state::<Turn>("radio/turn")
        .register_state::<Inbox>("radio/inbox")
        .register_state::<Links>("radio/links");
    app.register_state::<Tally>("radio/tally").add_plugins(loss::plugin).init_resource::<air::OnAir>();
    let kind = app.world_mut().register_component::<Radio>();
    let mut roster = app.world_mut().get_resource_or_init::<Roster>();
    roster.radio.wake.add(kind, schedule::wake_all);
    roster.radio.send.add(kind, air::send);
}

/// The radio of an agent.
#[derive(Component, Reflect, Clone, Debug, PartialEq)]
#[reflect(Default, Clone)]
#[require(Turn, Inbox, Links, Outbox, Tally)]
pub struct Radio {
    /// What happens to packets on their way from this radio to others.
    pub loss: Slot<LossFamily>,
    /// Pairs of robots between which something else happens; the first that fits counts.
    pub links: Vec<Link>,
    /// Radios hear those on the same channel only.
    #[reflect(@Limits::between(0.0, 1e6))]
    pub channel: u32,
    /// When it transmits: at its turns it sends, and its controller knows that it is time.
    pub schedule: Schedule,
    /// How long it keeps the newest packet of a sender that is heard no more.
    #[reflect(@Limits::up_to(MOST_S))]
    pub max_age_s: f64,
    /// Size of a number in a packet.
    #[reflect(@Limits::between(0.0, MOST_BYTES))]
    pub bytes_per_number: f64,
    /// Size of a packet without numbers.
    #[reflect(@Limits::between(0.0, MOST_BYTES))]
    pub overhead_bytes: f64,
    /// How much it may send; 0 for any amount. A packet that is too large waits for no later turn: it is not sent.
    #[reflect(@Limits::between(0.0, 1e12))]
    pub budget_bytes_per_s: f64,
    /// Whether packets that are sent in one step, and would all get through to this radio, destroy each other.
    pub packet_collisions: bool,
    /// Whether it measures where packets come from, as range-and-bearing systems do: [`Packet::from_m`].
    pub situated: bool,
}

impl Radio {
    /// Gives an agent this radio in place of the one that it has. Links of other kinds of loss remember nothing.
    pub(crate) fn take_place(&self, agent: &mut EntityWorldMut) {
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
    /// That of the Swarm Robot Project Simulator, with the sizes of an XBee packet.
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

/// What happens to packets from some robots to some others.
#[derive(Reflect, Clone, Debug, PartialEq)]
#[reflect(Default, Clone)]
pub struct Link {
    /// Who sends: a group, or one robot such as `prey-3`; all that have this description when empty.
    pub from: String,
    /// Who receives: a group, or one robot; any when empty.
    pub to: String,
    /// What happens.
    pub loss: Slot<LossFamily>,
}

impl Default for Link {
    fn default() -> Self {
        Self { from: String::new(), to: String::new(), loss: Slot::new(loss::perfect::Perfect {}) }
    }
}
