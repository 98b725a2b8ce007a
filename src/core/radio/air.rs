//! Transmission of packets from radios to all radios within reach.
//!
//! 1. The packets of a step are collected ([`OnAir`]), with the losses that apply to them ([`LinkLosses`]).
//! 2. If many radios send, each receiver searches its surroundings for packets, all receivers in parallel. If few send,
//!    each sender searches for receivers. Senders with a much larger reach than most also search for receivers, so that
//!    not all receivers must search that far; so does a single robot in its turn.
//! 3. [`Air::deliver`] decides for each packet and receiver, from the position relative to the receiver and from random
//!    numbers of this pair only. So the direction and the order of the search do not change the result.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::id::StableId;
use swarmarium_space::{BodyOwner, Neighbour, Space, Target};

use super::inbox::{Inbox, Links, NewPacket, Outbox};
use super::loss::{LossKinds, LossRandom, ResolvedLoss};
use super::schedule::Turn;
use super::{Link, Radio, Tally};
use crate::agent::Row;
use crate::agent::contact::Dead;
use crate::agent::failure::Deaf;
use crate::agent::name::Name;
use crate::step::Arena;
use crate::step::columns::{plain, tables};
use crate::step::plan::StepContext;
use crate::time::SimTime;
use crate::time::rate::steps;

/// Queries return centres closer than a range; this factor includes those exactly at the range.
const RIM: f64 = 1.0 + 1e-9;
/// Receivers search for packets if at least one robot in this number sends, or with worker threads one in twice this
/// number; they search for obstacles if at least as many packets need line of sight.
const CROWD: usize = 4;
/// Up to this many bodies near a receiver, all are tested as obstacles; beyond it, only those along the line of sight.
const FEW: usize = 32;

/// The arena, and the kinds of losses.
struct Air<'a> {
    arena: &'a Arena,
    losses: &'a LossKinds,
}

/// Components of a sender.
type Sender = (&'static StableId, &'static Radio, &'static mut Turn, &'static Outbox, &'static Row);

/// Components of one sender.
type SenderItem<'a> = (&'a StableId, &'a Radio, &'a mut Turn, &'a Outbox, &'a Row);

/// Components of a receiver.
type Receiver = (&'static Row, &'static Radio, &'static mut Inbox, &'static mut Links, &'static mut Tally, Has<Deaf>);

/// Components of many receivers, as columns.
type ReceiverColumns<'a> = (&'a [Row], &'a [Radio], &'a mut [Inbox], &'a mut [Links], &'a mut [Tally], bool);

/// Components of one receiver.
struct Listener<'a> {
    row: usize,
    radio: &'a Radio,
    inbox: &'a mut Inbox,
    links: &'a mut Links,
    tally: &'a mut Tally,
    is_deaf: bool,
    /// Likely index of the next packet in the inbox.
    next: usize,
}

/// All packets of a step. Not state; the allocations are reused.
#[derive(Default)]
pub(super) struct OnAir {
    packets: Vec<Sent>,
    /// Numbers of all packets, concatenated.
    numbers: Vec<f64>,
    /// Transmission of each row.
    by_row: Vec<Transmission>,
    /// Search radius of receivers (m); packets with a larger reach are not included.
    near_m: f64,
    /// Whether receivers also collect obstacles for line of sight.
    needs_bodies: bool,
    /// Whether all packets have the same channel, reach and need for line of sight.
    is_alike: bool,
}

/// Transmission of a radio in a step.
#[derive(Clone, Copy, Default)]
enum Transmission {
    #[default]
    Nothing,
    /// No packet, because of the data rate limit.
    Withheld,
    /// The packet with this index.
    Packet(u32),
}

/// A packet in transmission.
#[derive(Clone, Copy)]
struct Sent {
    id: StableId,
    row: u32,
    channel: u32,
    /// Range of its numbers.
    numbers: (u32, u32),
    /// Distance (m) beyond which it is never received.
    reach_m: f64,
    /// Whether obstacles may block it.
    needs_sight: bool,
    /// Index of its losses, if anything else can happen to it.
    losses: Option<u32>,
}

/// Losses that apply to packets of one sender.
struct LinkLosses<'a> {
    usual: ResolvedLoss<'a>,
    /// Links with their own loss: receivers and loss, in the order of the radio.
    links: Vec<(Option<Name>, ResolvedLoss<'a>)>,
}

/// Surroundings of a receiver.
#[derive(Default)]
pub(super) struct Nearby {
    /// Packets sorted by sender: row of the sender, index of the packet, and vector to the sender (m).
    packets: Vec<(u32, u32, DVec2)>,
    /// All bodies that may block packets; empty if few packets need line of sight.
    bodies: Vec<Neighbour>,
}

/// Sends the packets of one agent, or of all radios with a turn, before any controller decides.
pub(super) fn send(
    InMut(StepContext { arena, workers, turn }): InMut<StepContext>,
    (losses, mut on_air, mut nearby): (Res<LossKinds>, Local<OnAir>, Local<Vec<Nearby>>),
    mut senders: Query<Sender, Without<Dead>>,
    mut receivers: Query<Receiver, Without<Dead>>,
) {
    let (air, on_air) = (Air { arena, losses: &losses }, &mut *on_air);
    if let Some(agent) = *turn {
        if let Ok(sender) = senders.get_mut(agent) {
            send_one(sender, &air, on_air, &mut receivers);
        }
        return;
    }
    let (rows, mut all_losses) = (air.arena.space.bodies.len(), Vec::new());
    on_air.begin(rows);
    for (ids, radios, turns, outboxes, rows) in tables(&mut senders) {
        let together = ids.iter().zip(radios).zip(plain(turns)).zip(outboxes).zip(rows);
        for ((((id, radio), turn), outbox), row) in together.filter(|((((_, _), turn), _), _)| turn.sends()) {
            let transmission = on_air.add((id, radio, turn, outbox, row), &air, &mut all_losses);
            on_air.by_row[row.0 as usize] = transmission;
        }
    }
    // Receivers search in parallel, senders do not; so with worker threads, receivers search sooner.
    let crowd = if workers.helpers_for(rows).is_some() { 2 * CROWD } else { CROWD };
    let many = rows.div_ceil(crowd);
    if on_air.packets.len() < many {
        for (row, transmission) in on_air.by_row.iter().enumerate() {
            air.send(on_air, &all_losses, (row, *transmission), &mut receivers);
        }
        if !on_air.packets.is_empty() {
            receivers.iter_mut().for_each(|receiver| air.collide(&mut Listener::of(receiver)));
        }
        return;
    }
    on_air.divide(air.arena.space.arena.size.length(), many);
    let (on_air, all_losses) = (&*on_air, &*all_losses);
    for sent in on_air.packets.iter().filter(|sent| !on_air.is_near(sent)) {
        air.push(on_air, all_losses, sent, &mut receivers);
    }
    for (rows, radios, inboxes, links, tallies, are_deaf) in tables(&mut receivers) {
        let columns: ReceiverColumns = (rows, radios, plain(inboxes), plain(links), plain(tallies), are_deaf);
        workers.in_pieces(columns, rows.len(), &mut nearby, |columns, nearby| {
            air.pull_piece(on_air, all_losses, columns, nearby);
        });
    }
}

/// Sends the packet of one agent, if it has a turn.
fn send_one(
    (id, radio, turn, outbox, row): (&StableId, &Radio, Mut<Turn>, &Outbox, &Row),
    air: &Air,
    on_air: &mut OnAir,
    receivers: &mut Query<Receiver, Without<Dead>>,
) {
    if !turn.sends() {
        return;
    }
    let mut all_losses = Vec::new();
    on_air.begin(0);
    let transmission = on_air.add((id, radio, turn.into_inner(), outbox, row), air, &mut all_losses);
    air.send(on_air, &all_losses, (row.0 as usize, transmission), receivers);
}

impl OnAir {
    /// Begins a step, or a turn of a single row.
    fn begin(&mut self, rows: usize) {
        self.packets.clear();
        self.numbers.clear();
        self.by_row.clear();
        self.by_row.resize(rows, Transmission::Nothing);
        self.is_alike = true;
    }

    /// Adds the packet of a sender, if it has a message and its data rate allows it.
    fn add<'a>(
        &mut self,
        (id, radio, turn, Outbox(numbers), row): SenderItem<'a>,
        air: &Air<'a>,
        all_losses: &mut Vec<LinkLosses<'a>>,
    ) -> Transmission {
        if numbers.is_empty() {
            return Transmission::Nothing;
        }
        let Some(usual) = air.losses.of(&radio.loss) else { return Transmission::Nothing };
        if !radio.affords(numbers.len(), turn, &air.arena.time) {
            return Transmission::Withheld;
        }
        // Most radios have no links, and lose nothing.
        let has_losses = !radio.links.is_empty() || !usual.is_plain();
        let losses = has_losses
            .then(|| LinkLosses::of(air.losses, radio, usual, &air.arena.space.bodies.owners()[row.0 as usize]));
        let losses = losses.filter(|losses| !losses.is_plain());
        let usual = (usual.reach_m, usual.rules.line_of_sight);
        let (reach_m, needs_sight) = losses.as_ref().map_or(usual, |losses| (losses.reach_m(), losses.needs_sight()));
        let losses = losses.map(|losses| {
            all_losses.push(losses);
            all_losses.len() as u32 - 1
        });
        let first = self.numbers.len() as u32;
        self.numbers.extend_from_slice(numbers);
        let numbers = (first, self.numbers.len() as u32);
        let sent = Sent { id: *id, row: row.0, channel: radio.channel, numbers, reach_m, needs_sight, losses };
        self.is_alike &= self.packets.last().is_none_or(|last| sent.is_alike(last));
        self.packets.push(sent);
        Transmission::Packet(self.packets.len() as u32 - 1)
    }

    /// Selects the packets that receivers search for: those whose reach is at most twice the root mean square of all,
    /// with each reach limited to the diagonal of the arena.
    ///
    /// Thus at most a quarter of the packets are left to their senders (Markov's inequality), and no receiver searches
    /// more than four times the mean area of a packet. If all reaches are equal, none is left. Receivers collect
    /// obstacles if at least `many` of the packets that they search for need line of sight.
    fn divide(&mut self, diagonal_m: f64, many: usize) {
        if let Some(sent) = self.packets.first().filter(|_| self.is_alike) {
            (self.near_m, self.needs_bodies) = (sent.reach_m, sent.needs_sight);
            return;
        }
        let square = |sent: &Sent| sent.reach_m.min(diagonal_m) * sent.reach_m.min(diagonal_m);
        let most = 4.0 * self.packets.iter().map(square).sum::<f64>() / self.packets.len() as f64;
        let near = self.packets.iter().filter(|sent| square(sent) <= most);
        (self.near_m, self.needs_bodies) = (
            near.clone().map(|sent| sent.reach_m).fold(0.0, f64::max),
            near.filter(|sent| sent.needs_sight).count() >= many,
        );
    }

    /// Whether receivers search for this packet, rather than its sender for them.
    fn is_near(&self, sent: &Sent) -> bool {
        sent.reach_m <= self.near_m
    }

    fn numbers(&self, &Sent { numbers: (first, end), .. }: &Sent) -> &[f64] {
        &self.numbers[first as usize..end as usize]
    }
}

impl Sent {
    /// Whether channel, reach and need for line of sight equal those of another packet.
    fn is_alike(&self, other: &Self) -> bool {
        (self.channel, self.reach_m, self.needs_sight) == (other.channel, other.reach_m, other.needs_sight)
    }
}

impl<'a> Listener<'a> {
    fn of(
        (row, radio, inbox, links, tally, is_deaf): (
            &Row,
            &'a Radio,
            Mut<'a, Inbox>,
            Mut<'a, Links>,
            Mut<'a, Tally>,
            bool,
        ),
    ) -> Self {
        let (inbox, links, tally) = (inbox.into_inner(), links.into_inner(), tally.into_inner());
        Self { row: row.0 as usize, radio, inbox, links, tally, is_deaf, next: 0 }
    }
}

impl Air<'_> {
    /// Receivers search for nearby packets.
    fn pull_piece(
        &self,
        on_air: &OnAir,
        all_losses: &[LinkLosses],
        (rows, radios, inboxes, links, tallies, is_deaf): ReceiverColumns,
        nearby: &mut Nearby,
    ) {
        let together = rows.iter().zip(radios).zip(inboxes).zip(links).zip(tallies);
        for ((((row, radio), inbox), links), tally) in together {
            let mut receiver = Listener { row: row.0 as usize, radio, inbox, links, tally, is_deaf, next: 0 };
            self.pull(on_air, all_losses, nearby, &mut receiver);
        }
    }

    #[inline]
    fn pull(&self, on_air: &OnAir, all_losses: &[LinkLosses], nearby: &mut Nearby, receiver: &mut Listener) {
        let row = receiver.row;
        self.note(on_air.by_row[row], receiver.tally);
        if !receiver.is_deaf {
            nearby.gather(&self.arena.space, on_air, row, receiver.radio.channel);
            for &(_, place, offset) in &nearby.packets {
                let sent = &on_air.packets[place as usize];
                let is_in_sight = || nearby.shows(&self.arena.space, row, sent.row as usize, offset);
                self.deliver(on_air, all_losses, sent, receiver, offset, is_in_sight);
            }
        }
        self.collide(receiver);
    }

    /// Records the transmission of a row, and sends its packet.
    fn send(
        &self,
        on_air: &OnAir,
        all_losses: &[LinkLosses],
        (row, transmission): (usize, Transmission),
        receivers: &mut Query<Receiver, Without<Dead>>,
    ) {
        if matches!(transmission, Transmission::Nothing) {
            return;
        }
        if let Some(own) = self.receiver(row, receivers) {
            self.note(transmission, own.tally);
        }
        if let Transmission::Packet(place) = transmission {
            self.push(on_air, all_losses, &on_air.packets[place as usize], receivers);
        }
    }

    /// Sends a packet to all receivers within reach.
    fn push(
        &self,
        on_air: &OnAir,
        all_losses: &[LinkLosses],
        sent: &Sent,
        receivers: &mut Query<Receiver, Without<Dead>>,
    ) {
        let (space, row) = (&self.arena.space, sent.row as usize);
        let (positions, center) = (&space.bodies.positions()[..space.bodies.len()], space.bodies.positions()[row]);
        let mut offer = |other: usize, offset: DVec2| {
            if let Some(mut receiver) = self.receiver(other, receivers)
                && receiver.radio.channel == sent.channel
                && !receiver.is_deaf
            {
                let except = [Target::Body(other), Target::Body(row)];
                let is_in_sight = || space.shows(positions[other], -offset, &except);
                self.deliver(on_air, all_losses, sent, &mut receiver, -offset, is_in_sight);
            }
        };
        if sent.reach_m.is_finite() {
            space.index().centers_within_range(center, sent.reach_m * RIM, Some(row), |near| {
                offer(near.row, near.offset);
            });
        } else {
            for (other, position) in positions.iter().enumerate().filter(|(other, _)| *other != row) {
                offer(other, space.arena.offset(center, *position));
            }
        }
    }

    /// Decides whether a receiver on the channel of a packet gets it; the sender is at `offset` (m) from the receiver.
    #[inline]
    fn deliver(
        &self,
        on_air: &OnAir,
        all_losses: &[LinkLosses],
        sent: &Sent,
        receiver: &mut Listener,
        offset: DVec2,
        is_in_sight: impl FnOnce() -> bool,
    ) {
        let row = receiver.row;
        let loss =
            sent.losses.map(|losses| all_losses[losses as usize].loss_to(&self.arena.space.bodies.owners()[row]));
        let (reach_m, needs_sight) =
            loss.map_or((sent.reach_m, sent.needs_sight), |loss| (loss.reach_m, loss.rules.line_of_sight));
        let distance_m = offset.length();
        // Other links of the sender may reach farther.
        if distance_m > reach_m {
            return;
        }
        let tally = receiver.tally.at(self.arena.time.step);
        let passes = !needs_sight || is_in_sight();
        let late_steps = match loss {
            _ if !passes => None,
            None => Some(0),
            Some(loss) => {
                self.late_steps(sent.id, loss, distance_m, self.arena.space.bodies.owners()[row], receiver.links)
            }
        };
        let Some(late_steps) = late_steps else {
            tally.lost += 1;
            return;
        };
        let from_m = if receiver.radio.situated {
            let facing = self.arena.space.bodies.facings()[row];
            // Adding zero normalises the sign of zero, so that the direction of the search does not matter.
            DVec2::new(facing.x, -facing.y).rotate(offset + DVec2::ZERO)
        } else {
            DVec2::ZERO
        };
        let (sent_step, numbers) = (self.arena.delivery.sent_step(self.arena.time.step), on_air.numbers(sent));
        let news = NewPacket { sender: sent.id.index(), sent_step, from_m, numbers };
        if late_steps == 0 && !receiver.radio.packet_collisions {
            receiver.inbox.keep(news, &mut receiver.next);
            tally.delivered += 1;
        } else {
            receiver.inbox.expect(news, self.arena.time.step + late_steps);
        }
    }

    /// Delay of a packet in steps; `None` if it is lost.
    fn late_steps(
        &self,
        sender: StableId,
        loss: ResolvedLoss,
        distance_m: f64,
        receiver: BodyOwner,
        links: &mut Links,
    ) -> Option<u64> {
        let (one, other) = (sender.index(), receiver.number);
        let packet =
            self.arena.seed.stream(sender, "radio").at_step(self.arena.delivery.sent_step(self.arena.time.step));
        let pair =
            self.arena.seed.stream(StableId::agent(one.min(other)), "radio pair").branch(u64::from(one.max(other)));
        let mut random = LossRandom { packet: packet.branch(u64::from(other)), pair };
        let mut passes = |memory: &mut Option<f64>| loss.passes(distance_m, memory, &mut random);
        let gets_through = if loss.remembers() { links.update(one, passes) } else { passes(&mut None) };
        let mut late_s = loss.rules.delay_s;
        if loss.rules.jitter_s > 0.0 {
            late_s += loss.rules.jitter_s * random.packet.unit();
        }
        gets_through.then(|| steps(late_s, self.arena.time.dt_s))
    }

    /// Counts a transmission, or a packet withheld by the data rate limit.
    fn note(&self, transmission: Transmission, tally: &mut Tally) {
        match transmission {
            Transmission::Nothing => {}
            Transmission::Withheld => tally.at(self.arena.time.step).withheld += 1,
            Transmission::Packet(_) => tally.at(self.arena.time.step).sent += 1,
        }
    }

    /// Applies packet collisions to the packets of this step.
    fn collide(&self, receiver: &mut Listener) {
        if receiver.radio.packet_collisions {
            let tally = receiver.tally.at(self.arena.time.step);
            tally.lost += receiver.inbox.collide(self.arena.delivery.sent_step(self.arena.time.step)) as u64;
            tally.delivered += receiver.inbox.take_in(self.arena.time.step) as u64;
        }
    }

    /// The receiver in a row.
    fn receiver<'q>(&self, row: usize, receivers: &'q mut Query<Receiver, Without<Dead>>) -> Option<Listener<'q>> {
        let agent = *self.arena.agents.get(row)?;
        receivers.get_mut(agent).ok().map(Listener::of)
    }
}

impl Nearby {
    /// Collects the packets that may reach a receiver, except those with a reach beyond its search radius, and the
    /// bodies that may block them.
    fn gather(&mut self, space: &Space, on_air: &OnAir, row: usize, channel: u32) {
        let Self { packets, bodies } = self;
        packets.clear();
        bodies.clear();
        let (center, near_m) = (space.bodies.positions()[row], on_air.near_m * RIM);
        let is_heard = |sent: &Sent| sent.channel == channel && on_air.is_near(sent);
        // Mostly all packets are alike and need no individual test.
        let hears_all = on_air.is_alike && on_air.packets.first().is_some_and(|sent| sent.channel == channel);
        let mut take = |other: usize, offset: DVec2| {
            if let Transmission::Packet(place) = on_air.by_row[other]
                && (hears_all || is_heard(&on_air.packets[place as usize]))
            {
                packets.push((other as u32, place, offset));
            }
        };
        if near_m.is_infinite() {
            for other in on_air.packets.iter().map(|sent| sent.row as usize).filter(|other| *other != row) {
                take(other, space.arena.offset(center, space.bodies.positions()[other]));
            }
        } else if on_air.needs_bodies {
            space.index().within_range(center, near_m, Some(row), |body| {
                bodies.push(body);
                take(body.row, body.offset);
            });
        } else {
            space.index().centers_within_range(center, near_m, Some(row), |near| take(near.row, near.offset));
        }
        // Inboxes are filled in order of senders.
        packets.sort_unstable_by_key(|(row, ..)| *row);
    }

    /// Whether there is a line of sight from a receiver to a sender at `offset` (m).
    #[inline]
    fn shows(&self, space: &Space, row: usize, sender: usize, offset: DVec2) -> bool {
        let (eye, except) = (space.bodies.positions()[row], [Target::Body(row), Target::Body(sender)]);
        match self.bodies.len() {
            1..=FEW => space.shows_past(&self.bodies, eye, offset, &except),
            _ => space.shows(eye, offset, &except),
        }
    }
}

impl Radio {
    /// Whether the data rate limit allows a packet with this many numbers; if so, it is charged.
    fn affords(&self, numbers: usize, turn: &mut Turn, time: &SimTime) -> bool {
        let budget = self.budget_bytes_per_s;
        if budget <= 0.0 {
            return true;
        }
        let size = self.overhead_bytes + self.bytes_per_number * numbers as f64;
        let elapsed_s = time.step.saturating_sub(turn.credit_step) as f64 * time.dt_s;
        // Unused data rate accumulates for one second, or for one packet.
        turn.credit_bytes = (turn.credit_bytes + budget * elapsed_s).min(budget.max(size));
        turn.credit_step = time.step;
        // Rounding errors of the sum must not withhold a packet.
        let affords = turn.credit_bytes >= size * (1.0 - 1e-9);
        if affords {
            turn.credit_bytes = (turn.credit_bytes - size).max(0.0);
        }
        affords
    }
}

impl<'a> LinkLosses<'a> {
    fn of(losses: &'a LossKinds, radio: &'a Radio, usual: ResolvedLoss<'a>, me: &BodyOwner) -> Self {
        let own = radio.links.iter().filter(|link| Name::of(&link.from).is_none_or(|name| name.is_of(*me)));
        let links = own.filter_map(|Link { to, loss, .. }| Some((Name::of(to), losses.of(loss)?))).collect();
        Self { usual, links }
    }

    /// Loss that applies to packets to a robot.
    fn loss_to(&self, owner: &BodyOwner) -> ResolvedLoss<'a> {
        let own = self.links.iter().find(|(to, _)| to.is_none_or(|name| name.is_of(*owner)));
        own.map_or(self.usual, |(_, loss)| *loss)
    }

    /// Whether every packet within reach, and in line of sight if needed, arrives at once.
    fn is_plain(&self) -> bool {
        self.links.is_empty() && self.usual.is_plain()
    }

    fn reach_m(&self) -> f64 {
        self.links.iter().map(|(_, loss)| loss.reach_m).fold(self.usual.reach_m, f64::max)
    }

    fn needs_sight(&self) -> bool {
        self.usual.rules.line_of_sight || self.links.iter().any(|(_, loss)| loss.rules.line_of_sight)
    }
}
