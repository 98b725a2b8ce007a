//! The air: from one radio to all that hear it.

use bevy::ecs::system::SystemParam;
use bevy::math::DVec2;
use bevy::prelude::*;

use super::inbox::{Inbox, Links, Outbox};
use super::loss::{Chances, Known, Losses};
use super::turns::Turn;
use super::{Link, Radio, Tally};
use crate::agent::Row;
use crate::agent::contact::Dead;
use crate::agent::fault::Deaf;
use crate::clock::rate::steps;
use crate::id::StableId;
use crate::random::Seed;
use crate::scene::description::Delivery;
use crate::sensor::sight::Name;
use crate::space::{Space, Target, Who};
use crate::step::{Agents, CurrentSpace, SimTime};

/// Queries find middles nearer than a range; those just on it are to be found as well.
const RIM: f64 = 1.0 + 1e-9;

/// Everything that packets pass.
#[derive(SystemParam)]
pub(super) struct Air<'w, 's> {
    seed: Res<'w, Seed>,
    time: Res<'w, SimTime>,
    delivery: Res<'w, Delivery>,
    space: Res<'w, CurrentSpace>,
    agents: Res<'w, Agents>,
    losses: Res<'w, Losses>,
    receivers: Query<'w, 's, Receiver, Without<Dead>>,
}

/// What of an agent sends.
type Sender = (&'static StableId, &'static Radio, &'static mut Turn, &'static Outbox, &'static Row);

/// What of an agent receives.
type Receiver = (&'static Radio, &'static mut Inbox, &'static mut Links, &'static mut Tally, Has<Deaf>);

/// All whose turn it was send, before anybody decides.
pub(super) fn send_all(mut air: Air, mut senders: Query<Sender, Without<Dead>>) {
    let mut any_sent = false;
    for (id, radio, mut turn, message, row) in &mut senders {
        if turn.sends() {
            any_sent |= air.send(*id, radio, &mut turn, &message.0, row.0 as usize);
        }
    }
    if any_sent {
        air.collide();
    }
}

/// The one sends whose turn it is.
pub(super) fn send_one(In(agent): In<Entity>, mut air: Air, mut senders: Query<Sender, Without<Dead>>) {
    if let Ok((id, radio, mut turn, message, row)) = senders.get_mut(agent)
        && turn.sends()
    {
        air.send(*id, radio, &mut turn, &message.0, row.0 as usize);
    }
}

impl Air<'_, '_> {
    /// Sends one packet, if there is something to tell and it may be sent.
    fn send(&mut self, id: StableId, radio: &Radio, turn: &mut Turn, numbers: &[f64], row: usize) -> bool {
        if numbers.is_empty() {
            return false;
        }
        let is_sent = radio.affords(numbers.len(), turn, &self.time);
        self.note(row, is_sent);
        if !is_sent {
            return false;
        }
        let Self { seed, time, delivery, space, agents, losses, receivers } = self;
        let Some(way) = Way::of(losses, radio, space, row) else { return false };
        let sent_step = delivery.sent_step(time.step);
        let packet = seed.stream(id, "radio").at_step(sent_step);
        let sender = id.index();
        let mut offer = |other: usize, offset: DVec2| {
            let receiver = agents.0.get(other).and_then(|agent| receivers.get_mut(*agent).ok());
            let Some((Radio { collisions, channel, .. }, mut inbox, mut links, mut tally, is_deaf)) = receiver else {
                return;
            };
            if *channel != radio.channel || is_deaf {
                return;
            }
            let (who, distance_m) = (space.bodies.who()[other], offset.length());
            let loss = way.loss_to(who);
            // Others of its links may reach farther.
            if distance_m > loss.reach_m {
                return;
            }
            let tally = tally.at(time.step);
            if loss.passage.line_of_sight && !way.shows(other, offset) {
                tally.lost += 1;
                return;
            }
            let (one, last) = (sender.min(who.number), sender.max(who.number));
            let pair = seed.stream(StableId::agent(one), "radio pair").branch(u64::from(last));
            let mut chances = Chances { packet: packet.branch(u64::from(who.number)), pair };
            let mut passes = |memory: &mut Option<f64>| loss.passes(distance_m, memory, &mut chances);
            let gets_through = if loss.remembers() { links.update(sender, passes) } else { passes(&mut None) };
            if !gets_through {
                tally.lost += 1;
                return;
            }
            let late_s = loss.passage.delay_s + loss.passage.jitter_s * chances.packet.unit();
            match steps(late_s, time.dt_s) {
                0 if !collisions => {
                    inbox.keep(sender, sent_step, numbers);
                    tally.delivered += 1;
                }
                late => inbox.expect(sender, sent_step, numbers, time.step + late),
            }
        };
        let center = space.bodies.positions()[row];
        if way.reach_m.is_finite() {
            space.index().centers_within_range(center, way.reach_m * RIM, Some(row), |near| {
                offer(near.row, near.offset);
            });
        } else {
            let positions = space.bodies.positions()[..space.bodies.len()].iter().enumerate();
            positions.filter(|(other, _)| *other != row).for_each(|(other, position)| {
                offer(other, space.arena.offset(center, *position));
            });
        }
        true
    }

    /// Notes that the radio in a row sends a packet, or that its budget forbids it.
    fn note(&mut self, row: usize, is_sent: bool) {
        let Self { time, agents, receivers, .. } = self;
        if let Some((.., mut tally, _)) = agents.0.get(row).and_then(|agent| receivers.get_mut(*agent).ok()) {
            let tally = tally.at(time.step);
            let count = if is_sent { &mut tally.sent } else { &mut tally.withheld };
            *count += 1;
        }
    }

    /// Lets packets destroy each other that have just been sent.
    fn collide(&mut self) {
        let Self { time, delivery, receivers, .. } = self;
        for (radio, mut inbox, _, mut tally, _) in receivers {
            if radio.collisions {
                let tally = tally.at(time.step);
                tally.lost += inbox.collide(delivery.sent_step(time.step)) as u64;
                tally.delivered += inbox.take_in(time.step) as u64;
            }
        }
    }
}

impl Radio {
    /// Whether it may send so many numbers; if so, they are paid for.
    fn affords(&self, numbers: usize, turn: &mut Turn, time: &SimTime) -> bool {
        let budget = self.budget_bytes_per_s;
        if budget <= 0.0 {
            return true;
        }
        let size = self.overhead_bytes + self.bytes_per_number * numbers as f64;
        let elapsed_s = time.step.saturating_sub(turn.credit_step) as f64 * time.dt_s;
        // What is not used is saved up for a second, or for one packet.
        turn.credit_bytes = (turn.credit_bytes + budget * elapsed_s).min(budget.max(size));
        turn.credit_step = time.step;
        // Sums of parts of the budget may miss a whole packet by a rounding.
        let affords = turn.credit_bytes >= size * (1.0 - 1e-9);
        if affords {
            turn.credit_bytes = (turn.credit_bytes - size).max(0.0);
        }
        affords
    }
}

/// What becomes of packets of one sender.
struct Way<'a> {
    space: &'a Space,
    row: usize,
    usual: Known<'a>,
    /// Links with a loss of their own: to whom, and which; in the order of the radio.
    links: Vec<(Option<Name>, Known<'a>)>,
    reach_m: f64,
}

impl<'a> Way<'a> {
    fn of(losses: &Losses, radio: &'a Radio, space: &'a Space, row: usize) -> Option<Self> {
        let usual = losses.of(&radio.loss)?;
        let me = space.bodies.who()[row];
        // Most radios have none, then nothing is allocated.
        let own = radio.links.iter().filter(|link| Name::of(&link.from).is_none_or(|name| name.is_of(me)));
        let links: Vec<_> = own.filter_map(|Link { to, loss, .. }| Some((Name::of(to), losses.of(loss)?))).collect();
        let reach_m = links.iter().map(|(_, loss)| loss.reach_m).fold(usual.reach_m, f64::max);
        Some(Self { space, row, usual, links, reach_m })
    }

    /// What happens to a packet to a robot.
    fn loss_to(&self, who: Who) -> Known<'a> {
        let own = self.links.iter().find(|(to, _)| to.is_none_or(|name| name.is_of(who)));
        own.map_or(self.usual, |(_, loss)| *loss)
    }

    fn shows(&self, other: usize, offset: DVec2) -> bool {
        let center = self.space.bodies.positions()[self.row];
        self.space.shows(center, offset, &[Target::Body(self.row), Target::Body(other)])
    }
}
