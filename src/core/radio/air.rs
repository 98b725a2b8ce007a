//! The air: from one radio to all that hear it.
//!
//! 1. What is sent in a step is gathered ([`OnAir`]), with what may become of it on its way ([`Fate`]).
//! 2. Where many send, each receiver looks around for packets, all receivers at the same time; where few do, each
//!    sender looks for receivers. So do those whose packets reach much farther than most, lest all receivers look that
//!    far, and a robot that sends in its turn.
//! 3. [`Air::deliver`] has the say for each packet and each receiver, whoever looked for whom: from where the receiver
//!    is, with random numbers of these two alone. So the order in which it is asked changes nothing.

use bevy::ecs::system::SystemParam;
use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::id::StableId;
use swarmarium_space::{BodyOwner, Neighbour, Space, Target};

use super::inbox::{Inbox, Links, News, Outbox};
use super::loss::{Chances, Losses, ResolvedLoss};
use super::schedule::Turn;
use super::{Link, Radio, Tally};
use crate::agent::Row;
use crate::agent::contact::Dead;
use crate::agent::failure::Deaf;
use crate::agent::name::Name;
use crate::random::Seed;
use crate::step::columns::{plain, tables};
use crate::step::order::Delivery;
use crate::step::roster::OneOrAll;
use crate::step::{Agents, CurrentSpace, Workers};
use crate::time::SimTime;
use crate::time::rate::steps;

/// Queries find middles nearer than a range; those just on it are to be found as well.
const RIM: f64 = 1.0 + 1e-9;
/// Receivers look for packets where at least one robot in so many sends, and with helpers one in twice as many; for
/// what may be in between where as many packets can be stopped.
const CROWD: usize = 4;
/// Up to so many bodies near a receiver, all are asked whether they are in the way; of more, those along the way.
const FEW: usize = 32;

/// Everything that packets pass.
#[derive(SystemParam)]
pub(super) struct Air<'w> {
    seed: Res<'w, Seed>,
    time: Res<'w, SimTime>,
    delivery: Res<'w, Delivery>,
    space: Res<'w, CurrentSpace>,
    agents: Res<'w, Agents>,
    losses: Res<'w, Losses>,
}

/// What of an agent sends.
type Sender = (&'static StableId, &'static Radio, &'static mut Turn, &'static Outbox, &'static Row);

/// That of one agent.
type SenderItem<'a> = (&'a StableId, &'a Radio, &'a mut Turn, &'a Outbox, &'a Row);

/// What of an agent receives.
type Receiver = (&'static Row, &'static Radio, &'static mut Inbox, &'static mut Links, &'static mut Tally, Has<Deaf>);

/// That of many agents, side by side.
type ReceiverColumns<'a> = (&'a [Row], &'a [Radio], &'a mut [Inbox], &'a mut [Links], &'a mut [Tally], bool);

/// That of one agent.
struct Listener<'a> {
    row: usize,
    radio: &'a Radio,
    inbox: &'a mut Inbox,
    links: &'a mut Links,
    tally: &'a mut Tally,
    is_deaf: bool,
    /// Where the next packet is likely to be kept.
    next: usize,
}

/// All that is sent in a step. No state: its memory serves again.
#[derive(Resource, Default)]
pub(super) struct OnAir {
    packets: Vec<Sent>,
    /// What is told, one packet after the other.
    numbers: Vec<f64>,
    /// What each row says.
    by_row: Vec<Says>,
    /// How far (m) receivers look for packets: for all but those that reach farther.
    near_m: f64,
    /// Whether receivers look for what may stop packets, too.
    needs_bodies: bool,
    /// Whether all packets have the same channel, the same reach, and the same need of sight.
    is_alike: bool,
}

/// What a radio says in a step.
#[derive(Clone, Copy, Default)]
enum Says {
    #[default]
    Nothing,
    /// Nothing, since its budget forbids it.
    Withheld,
    /// The packet in a place.
    Packet(u32),
}

/// A packet on the air.
#[derive(Clone, Copy)]
struct Sent {
    id: StableId,
    row: u32,
    channel: u32,
    /// Where its numbers begin and end.
    numbers: (u32, u32),
    /// The distance (m) beyond which nobody hears it.
    reach_m: f64,
    /// Whether something in between may stop it.
    needs_sight: bool,
    /// The place of its fate, if anything else can become of it.
    fate: Option<u32>,
}

/// What becomes of packets of one sender.
struct Fate<'a> {
    usual: ResolvedLoss<'a>,
    /// Links with a loss of their own: to whom, and which; in the order of the radio.
    links: Vec<(Option<Name>, ResolvedLoss<'a>)>,
}

/// What is near a receiver.
#[derive(Default)]
pub(super) struct Nearby {
    /// The packets, by sender: its row, the place of its packet, and the way to it (m).
    packets: Vec<(u32, u32, DVec2)>,
    /// All bodies that may be in between; none where few packets need sight.
    bodies: Vec<Neighbour>,
}

/// Sends the packets of one agent, or of all radios whose turn it was, before anybody decides.
pub(super) fn send(
    In(turn): OneOrAll,
    (air, workers, mut on_air, mut nearby): (Air, Res<Workers>, ResMut<OnAir>, Local<Vec<Nearby>>),
    mut senders: Query<Sender, Without<Dead>>,
    mut receivers: Query<Receiver, Without<Dead>>,
) {
    let on_air = &mut *on_air;
    if let Some(agent) = turn {
        if let Ok(sender) = senders.get_mut(agent) {
            send_one(sender, &air, on_air, &mut receivers);
        }
        return;
    }
    let (rows, mut fates) = (air.space.bodies.len(), Vec::new());
    on_air.begin(rows);
    for (ids, radios, turns, outboxes, rows) in tables(&mut senders) {
        let together = ids.iter().zip(radios).zip(plain(turns)).zip(outboxes).zip(rows);
        for ((((id, radio), turn), outbox), row) in together.filter(|((((_, _), turn), _), _)| turn.sends()) {
            let says = on_air.add((id, radio, turn, outbox, row), &air, &mut fates);
            on_air.by_row[row.0 as usize] = says;
        }
    }
    // With helpers, to look for packets takes a part of the time, and to look for receivers does not.
    let crowd = if workers.helpers_for(rows).is_some() { 2 * CROWD } else { CROWD };
    let many = rows.div_ceil(crowd);
    if on_air.packets.len() < many {
        for (row, says) in on_air.by_row.iter().enumerate() {
            air.send(on_air, &fates, (row, *says), &mut receivers);
        }
        if !on_air.packets.is_empty() {
            receivers.iter_mut().for_each(|receiver| air.collide(&mut Listener::of(receiver)));
        }
        return;
    }
    on_air.divide(air.space.arena.size.length(), many);
    let (on_air, fates) = (&*on_air, &*fates);
    for sent in on_air.packets.iter().filter(|sent| !on_air.is_near(sent)) {
        air.push(on_air, fates, sent, &mut receivers);
    }
    for (rows, radios, inboxes, links, tallies, are_deaf) in tables(&mut receivers) {
        let columns: ReceiverColumns = (rows, radios, plain(inboxes), plain(links), plain(tallies), are_deaf);
        workers.in_pieces(columns, rows.len(), &mut nearby, |columns, nearby| {
            air.pull_piece(on_air, fates, columns, nearby);
        });
    }
}

/// Sends the packet of one agent, if it is its turn.
fn send_one(
    (id, radio, turn, outbox, row): (&StableId, &Radio, Mut<Turn>, &Outbox, &Row),
    air: &Air,
    on_air: &mut OnAir,
    receivers: &mut Query<Receiver, Without<Dead>>,
) {
    if !turn.sends() {
        return;
    }
    let mut fates = Vec::new();
    on_air.begin(0);
    let says = on_air.add((id, radio, turn.into_inner(), outbox, row), air, &mut fates);
    air.send(on_air, &fates, (row.0 as usize, says), receivers);
}

impl OnAir {
    /// Begins a step, or a turn in which no row but one says anything.
    fn begin(&mut self, rows: usize) {
        self.packets.clear();
        self.numbers.clear();
        self.by_row.clear();
        self.by_row.resize(rows, Says::Nothing);
        self.is_alike = true;
    }

    /// Adds the packet of a sender, if there is something to tell and it may be sent.
    fn add<'a>(
        &mut self,
        (id, radio, turn, Outbox(numbers), row): SenderItem<'a>,
        air: &'a Air,
        fates: &mut Vec<Fate<'a>>,
    ) -> Says {
        if numbers.is_empty() {
            return Says::Nothing;
        }
        let Some(fate) = Fate::of(&air.losses, radio, &air.space.bodies.owners()[row.0 as usize]) else {
            return Says::Nothing;
        };
        if !radio.affords(numbers.len(), turn, &air.time) {
            return Says::Withheld;
        }
        let (reach_m, needs_sight) = (fate.reach_m(), fate.needs_sight());
        let fate = (!fate.is_plain()).then(|| {
            fates.push(fate);
            fates.len() as u32 - 1
        });
        let first = self.numbers.len() as u32;
        self.numbers.extend_from_slice(numbers);
        let numbers = (first, self.numbers.len() as u32);
        let sent = Sent { id: *id, row: row.0, channel: radio.channel, numbers, reach_m, needs_sight, fate };
        self.is_alike &= self.packets.last().is_none_or(|last| sent.is_alike(last));
        self.packets.push(sent);
        Says::Packet(self.packets.len() as u32 - 1)
    }

    /// Decides for which packets receivers look: for those that reach at most twice as far as packets do in the root
    /// mean square, where none counts as reaching farther than from corner to corner.
    ///
    /// So at most a quarter are left to their senders: more would have a greater mean square by themselves (Markov's
    /// inequality). And no receiver looks around in more than four times the area that a packet reaches in the mean.
    /// Where all reach as far, none is left. Receivers look for bodies if `many` of the packets that they look for need
    /// sight.
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

    /// Whether receivers look for a packet, and not its sender for them.
    fn is_near(&self, sent: &Sent) -> bool {
        sent.reach_m <= self.near_m
    }

    fn numbers(&self, &Sent { numbers: (first, end), .. }: &Sent) -> &[f64] {
        &self.numbers[first as usize..end as usize]
    }
}

impl Sent {
    /// Whether it has the channel, the reach and the need of sight of another packet.
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
    /// Lets receivers look for the packets that are near them.
    fn pull_piece(
        &self,
        on_air: &OnAir,
        fates: &[Fate],
        (rows, radios, inboxes, links, tallies, is_deaf): ReceiverColumns,
        nearby: &mut Nearby,
    ) {
        let together = rows.iter().zip(radios).zip(inboxes).zip(links).zip(tallies);
        for ((((row, radio), inbox), links), tally) in together {
            let mut receiver = Listener { row: row.0 as usize, radio, inbox, links, tally, is_deaf, next: 0 };
            self.pull(on_air, fates, nearby, &mut receiver);
        }
    }

    #[inline]
    fn pull(&self, on_air: &OnAir, fates: &[Fate], nearby: &mut Nearby, receiver: &mut Listener) {
        let row = receiver.row;
        self.note(on_air.by_row[row], receiver.tally);
        if !receiver.is_deaf {
            nearby.gather(&self.space, on_air, row, receiver.radio.channel);
            for &(_, place, offset) in &nearby.packets {
                let sent = &on_air.packets[place as usize];
                let is_in_sight = || nearby.shows(&self.space, row, sent.row as usize, offset);
                self.deliver(on_air, fates, sent, receiver, offset, is_in_sight);
            }
        }
        self.collide(receiver);
    }

    /// Notes what a row says, and sends it.
    fn send(
        &self,
        on_air: &OnAir,
        fates: &[Fate],
        (row, says): (usize, Says),
        receivers: &mut Query<Receiver, Without<Dead>>,
    ) {
        if matches!(says, Says::Nothing) {
            return;
        }
        if let Some(own) = self.receiver(row, receivers) {
            self.note(says, own.tally);
        }
        if let Says::Packet(place) = says {
            self.push(on_air, fates, &on_air.packets[place as usize], receivers);
        }
    }

    /// Sends a packet to all that hear it.
    fn push(&self, on_air: &OnAir, fates: &[Fate], sent: &Sent, receivers: &mut Query<Receiver, Without<Dead>>) {
        let (space, row) = (&self.space, sent.row as usize);
        let (positions, center) = (&space.bodies.positions()[..space.bodies.len()], space.bodies.positions()[row]);
        let mut offer = |other: usize, offset: DVec2| {
            if let Some(mut receiver) = self.receiver(other, receivers)
                && receiver.radio.channel == sent.channel
                && !receiver.is_deaf
            {
                let except = [Target::Body(other), Target::Body(row)];
                let is_in_sight = || space.shows(positions[other], -offset, &except);
                self.deliver(on_air, fates, sent, &mut receiver, -offset, is_in_sight);
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

    /// Decides what becomes of a packet at a receiver that has its sender at `offset` (m), and is on its channel.
    #[inline]
    fn deliver(
        &self,
        on_air: &OnAir,
        fates: &[Fate],
        sent: &Sent,
        receiver: &mut Listener,
        offset: DVec2,
        is_in_sight: impl FnOnce() -> bool,
    ) {
        let row = receiver.row;
        let loss = sent.fate.map(|fate| fates[fate as usize].loss_to(&self.space.bodies.owners()[row]));
        let (reach_m, needs_sight) =
            loss.map_or((sent.reach_m, sent.needs_sight), |loss| (loss.reach_m, loss.passage.line_of_sight));
        let distance_m = offset.length();
        // Others of its links may reach farther.
        if distance_m > reach_m {
            return;
        }
        let tally = receiver.tally.at(self.time.step);
        let passes = !needs_sight || is_in_sight();
        let late_steps = match loss {
            _ if !passes => None,
            None => Some(0),
            Some(loss) => self.late_steps(sent.id, loss, distance_m, self.space.bodies.owners()[row], receiver.links),
        };
        let Some(late_steps) = late_steps else {
            tally.lost += 1;
            return;
        };
        let from_m = if receiver.radio.situated {
            let facing = self.space.bodies.facings()[row];
            // Zero has one sign then, whoever looked for whom.
            DVec2::new(facing.x, -facing.y).rotate(offset + DVec2::ZERO)
        } else {
            DVec2::ZERO
        };
        let (sent_step, numbers) = (self.delivery.sent_step(self.time.step), on_air.numbers(sent));
        let news = News { sender: sent.id.index(), sent_step, from_m, numbers };
        if late_steps == 0 && !receiver.radio.packet_collisions {
            receiver.inbox.keep(news, &mut receiver.next);
            tally.delivered += 1;
        } else {
            receiver.inbox.expect(news, self.time.step + late_steps);
        }
    }

    /// How many steps a packet is on its way over a distance; `None` if it gets lost.
    fn late_steps(
        &self,
        sender: StableId,
        loss: ResolvedLoss,
        distance_m: f64,
        receiver: BodyOwner,
        links: &mut Links,
    ) -> Option<u64> {
        let (one, other) = (sender.index(), receiver.number);
        let packet = self.seed.stream(sender, "radio").at_step(self.delivery.sent_step(self.time.step));
        let pair = self.seed.stream(StableId::agent(one.min(other)), "radio pair").branch(u64::from(one.max(other)));
        let mut chances = Chances { packet: packet.branch(u64::from(other)), pair };
        let mut passes = |memory: &mut Option<f64>| loss.passes(distance_m, memory, &mut chances);
        let gets_through = if loss.remembers() { links.update(one, passes) } else { passes(&mut None) };
        let mut late_s = loss.passage.delay_s;
        if loss.passage.jitter_s > 0.0 {
            late_s += loss.passage.jitter_s * chances.packet.unit();
        }
        gets_through.then(|| steps(late_s, self.time.dt_s))
    }

    /// Notes that a radio sends a packet, or that its budget forbids it.
    fn note(&self, says: Says, tally: &mut Tally) {
        match says {
            Says::Nothing => {}
            Says::Withheld => tally.at(self.time.step).withheld += 1,
            Says::Packet(_) => tally.at(self.time.step).sent += 1,
        }
    }

    /// Lets packets destroy each other that have just been sent.
    fn collide(&self, receiver: &mut Listener) {
        if receiver.radio.packet_collisions {
            let tally = receiver.tally.at(self.time.step);
            tally.lost += receiver.inbox.collide(self.delivery.sent_step(self.time.step)) as u64;
            tally.delivered += receiver.inbox.take_in(self.time.step) as u64;
        }
    }

    /// The radio in a row.
    fn receiver<'q>(&self, row: usize, receivers: &'q mut Query<Receiver, Without<Dead>>) -> Option<Listener<'q>> {
        let agent = *self.agents.0.get(row)?;
        receivers.get_mut(agent).ok().map(Listener::of)
    }
}

impl Nearby {
    /// Gathers the packets that a receiver may hear, but for those that reach farther than it looks, and what may be in
    /// between.
    fn gather(&mut self, space: &Space, on_air: &OnAir, row: usize, channel: u32) {
        let Self { packets, bodies } = self;
        packets.clear();
        bodies.clear();
        let (center, near_m) = (space.bodies.positions()[row], on_air.near_m * RIM);
        let is_heard = |sent: &Sent| sent.channel == channel && on_air.is_near(sent);
        // Mostly they are alike, and need not be looked at.
        let hears_all = on_air.is_alike && on_air.packets.first().is_some_and(|sent| sent.channel == channel);
        let mut take = |other: usize, offset: DVec2| {
            if let Says::Packet(place) = on_air.by_row[other]
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
        // So inboxes are filled from one end to the other.
        packets.sort_unstable_by_key(|(row, ..)| *row);
    }

    /// Whether nothing is between a receiver and a sender at `offset` (m).
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

impl<'a> Fate<'a> {
    fn of(losses: &'a Losses, radio: &'a Radio, me: &BodyOwner) -> Option<Self> {
        let usual = losses.of(&radio.loss)?;
        // Most radios have none, then nothing is allocated.
        let own = radio.links.iter().filter(|link| Name::of(&link.from).is_none_or(|name| name.is_of(*me)));
        let links = own.filter_map(|Link { to, loss, .. }| Some((Name::of(to), losses.of(loss)?))).collect();
        Some(Self { usual, links })
    }

    /// What happens to a packet to a robot.
    fn loss_to(&self, owner: &BodyOwner) -> ResolvedLoss<'a> {
        let own = self.links.iter().find(|(to, _)| to.is_none_or(|name| name.is_of(*owner)));
        own.map_or(self.usual, |(_, loss)| *loss)
    }

    /// Whether all that is within reach, and in sight where that matters, gets through at once.
    fn is_plain(&self) -> bool {
        let passage = self.usual.passage;
        self.links.is_empty() && self.usual.is_lossless() && passage.delay_s == 0.0 && passage.jitter_s == 0.0
    }

    fn reach_m(&self) -> f64 {
        self.links.iter().map(|(_, loss)| loss.reach_m).fold(self.usual.reach_m, f64::max)
    }

    fn needs_sight(&self) -> bool {
        self.usual.passage.line_of_sight || self.links.iter().any(|(_, loss)| loss.passage.line_of_sight)
    }
}
