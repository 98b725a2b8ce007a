//! Gossip: robots find the mean of what each of them measures, by telling each other.

use bevy::prelude::*;
use swarmarium_base::limits::Limits;
use swarmarium_core::agent::{Command, CommandForm};
use swarmarium_core::controller::{Controller, Drive, Senses};
use swarmarium_core::kind::{Optional, SensorSlot};
use swarmarium_core::radio::Packet;

/// Numbers in a packet for each robot that its sender has heard.
const PER_LINK: usize = 3;

/// Finds the mean over all robots of a number that each of them measures, by radio
/// (Boyd, Ghosh, Prabhakar, Shah, "Randomized gossip algorithms", IEEE Trans. Inf. Theory 2006).
///
/// Gossip moves parts of the number from robot to robot, and where packets get lost or old ones are acted on, parts get
/// lost. So a robot tells no parts: of each robot that it hears it keeps the flow, that is how much it has given it in
/// all, and tells that, again and again
/// (Jesus, Baquero, Almeida, "Fault-tolerant aggregation by flow updating", DAIS 2009).
///
/// 1. At each turn of its radio it takes over what others tell of the flows between them and itself: what was changed
///    more often, and then that of the robot with the smaller number. Its estimate is its own number less all flows.
/// 2. It changes flows so that its estimate and those of others become their mean, and tells its estimate and all flows.
///
/// Flows between two robots are opposite once both have heard each other, so that the estimates add up to what the numbers
/// do: they come to the exact mean whatever gets lost, and follow when numbers change. A robot that is heard no more
/// counts no more.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
pub struct Gossip {
    /// What each robot measures.
    pub of: Measured,
    /// With whom it gossips at a turn.
    pub rule: GossipRule,
    /// How it drives meanwhile.
    pub drive: Drive,
}

/// The number that a robot measures.
#[derive(Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Default, Clone)]
pub enum Measured {
    /// Its own x coordinate, in metres.
    X,
    /// Its own y coordinate, in metres.
    Y,
    /// What one of its sensors reads. What is no number leaves it as it was; 0 at first.
    Reading {
        /// Slot of the sensor.
        #[reflect(@Limits::between(0.0, 255.0), @SensorSlot::Any)]
        sensor: u32,
        /// Which of its numbers, counted from 0.
        #[reflect(@Optional)]
        channel: u32,
    },
    /// A number drawn by each robot for itself, all between two being equally likely.
    Random {
        /// The smallest.
        #[reflect(@Limits::between(-1e9, 1e9))]
        min: f64,
        /// The largest.
        #[reflect(@Limits::between(-1e9, 1e9))]
        max: f64,
    },
    /// A number that is given.
    Number {
        /// The number.
        #[reflect(@Limits::between(-1e9, 1e9))]
        value: f64,
    },
}

impl Default for Measured {
    fn default() -> Self {
        Self::Random { min: 0.0, max: 1.0 }
    }
}

/// With whom a robot gossips at a turn of its radio.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
pub enum GossipRule {
    /// With one of those that it hears and that hear it, each equally likely (Boyd et al. 2006).
    #[default]
    Pairwise,
    /// With all of them at once (Jesus et al. 2009): fewer turns.
    Neighbourhood,
    /// It moves its own estimate towards each one that it hears, and keeps no flows: packets are of one number, all come to
    /// agree, but on a number off the mean (Aysal, Yildiz, Sarwate, Scaglione, "Broadcast gossip algorithms for
    /// consensus", IEEE Trans. Signal Process. 2009).
    Broadcast {
        /// Which part of the way.
        #[reflect(@Limits::between(0.0, 1.0))]
        mixing: f64,
    },
}

/// What a robot that gossips remembers.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq)]
pub struct Gossiping {
    /// What it measured last; nothing before it decided for the first time.
    pub own: Option<f64>,
    /// What it believes the mean to be.
    pub estimate: f64,
    /// Those that it has heard, by number.
    links: Vec<Flow>,
}

/// What is between a robot and another one.
#[derive(Reflect, Clone, Debug, Default, PartialEq)]
struct Flow {
    /// The number of the other one.
    other: u32,
    /// How much it has given the other one.
    given: f64,
    /// How often the flow was changed, by either of them.
    changes: u64,
    /// What it believes the estimate of the other one to be.
    estimate: f64,
    /// Whether the other one has heard it.
    is_mutual: bool,
    /// When the last packet of the other one that it has taken in was sent.
    sent_step: Option<u64>,
}

impl Flow {
    /// Gives so much that the other one comes to an estimate.
    fn bring_to(&mut self, estimate: f64) {
        self.given += estimate - self.estimate;
        self.estimate = estimate;
        self.changes += 1;
    }

    /// Takes over what the other one tells.
    fn take_in(&mut self, me: u32, packet: &Packet) {
        self.sent_step = Some(packet.sent_step);
        let Some((estimate, links)) = packet.numbers.split_first() else { return };
        self.estimate = *estimate;
        let told = links.chunks_exact(PER_LINK).find(|link| link[0] == f64::from(me));
        self.is_mutual = told.is_some();
        if let Some(&[_, changes, given]) = told {
            let changes = changes as u64;
            if changes > self.changes || changes == self.changes && self.other < me {
                (self.changes, self.given) = (changes, -given);
            }
        }
    }
}

impl Gossip {
    /// What a robot measures now; nothing where its sensor reads no number.
    fn measure(&self, senses: Senses) -> Option<f64> {
        let value = match self.of {
            Measured::X => senses.pose.position_m.x,
            Measured::Y => senses.pose.position_m.y,
            Measured::Reading { sensor, channel } => *senses.slot(sensor).get(channel as usize)?,
            Measured::Random { min, max } => {
                let mut random = senses.seed.stream(senses.owner, "gossip");
                min + (max - min) * random.unit()
            }
            Measured::Number { value } => value,
        };
        value.is_finite().then_some(value)
    }

    /// Whether it keeps flows.
    fn keeps_flows(&self) -> bool {
        !matches!(self.rule, GossipRule::Broadcast { .. })
    }
}

impl Gossiping {
    /// Measures, and brings the estimate up to date.
    fn measure(&mut self, value: Option<f64>) {
        self.own = value.or(self.own).or(Some(0.0));
        self.estimate = self.own.unwrap_or_default() - self.links.iter().map(|flow| flow.given).sum::<f64>();
    }

    /// Takes in what others told since the last turn; with `mixing`, moves towards it.
    fn hear(&mut self, me: u32, packets: &[Packet], mixing: Option<f64>) {
        let is_ours =
            |packet: &&Packet| packet.numbers.len() % PER_LINK == 1 && packet.numbers.iter().all(|n| n.is_finite());
        for packet in packets.iter().filter(is_ours) {
            let place = self.links.binary_search_by_key(&packet.sender, |flow| flow.other);
            let place = place.unwrap_or_else(|place| {
                self.links.insert(place, Flow { other: packet.sender, ..Flow::default() });
                place
            });
            let flow = &mut self.links[place];
            if flow.sent_step.is_some_and(|sent_step| sent_step >= packet.sent_step) {
                continue;
            }
            flow.take_in(me, packet);
            if let Some(mixing) = mixing {
                let step = mixing * (flow.estimate - self.estimate);
                flow.given -= step;
                self.estimate += step;
            }
        }
    }
}

impl Controller for Gossip {
    type Memory = Gossiping;
    const COMMANDS: CommandForm = CommandForm::Drive;
    const NEEDS_RADIO: bool = true;

    fn command(&self, memory: &mut Gossiping, senses: Senses) -> Command {
        let (me, packets) = (senses.owner.index(), senses.heard.packets);
        memory.measure(self.measure(senses));
        if senses.heard.turn.is_some() {
            if let GossipRule::Broadcast { mixing } = self.rule {
                memory.hear(me, packets, Some(mixing));
                return self.drive.into();
            }
            // Both forget, and have back what they gave.
            memory.links.retain(|flow| packets.binary_search_by_key(&flow.other, |packet| packet.sender).is_ok());
            memory.hear(me, packets, None);
            memory.measure(None);
            let mutual = || memory.links.iter().filter(|flow| flow.is_mutual);
            let (others, chance) = (mutual().count(), senses.random("gossip").unit());
            // Of all, or of the one that is drawn.
            let drawn = matches!(self.rule, GossipRule::Pairwise).then_some((chance * others as f64) as usize);
            let is_in = |place: usize| drawn.is_none_or(|drawn| drawn == place);
            let asked = mutual().enumerate().filter(|(place, _)| is_in(*place));
            let (sum, count) =
                asked.fold((memory.estimate, 1), |(sum, count), (_, flow)| (sum + flow.estimate, count + 1));
            let mean = sum / f64::from(count);
            let mutual = memory.links.iter_mut().filter(|flow| flow.is_mutual);
            mutual.enumerate().filter(|(place, _)| is_in(*place)).for_each(|(_, flow)| flow.bring_to(mean));
            memory.measure(None);
        }
        self.drive.into()
    }

    fn message(&self, memory: &Gossiping, senses: Senses, message: &mut Vec<f64>) {
        if memory.own.is_none() {
            message.push(self.measure(senses).unwrap_or_default());
            return;
        }
        message.push(memory.estimate);
        if self.keeps_flows() {
            for Flow { other, changes, given, .. } in &memory.links {
                message.extend([f64::from(*other), *changes as f64, *given]);
            }
        }
    }

    fn estimate(memory: &Gossiping) -> &[f64] {
        std::slice::from_ref(&memory.estimate)
    }

    fn problem(&self) -> Option<String> {
        match self.of {
            Measured::Random { min, max } if min > max => {
                Some(format!("`max` is at least `min`, which is {min}, found {max}"))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use bevy::math::DVec2;
    use proptest::prelude::*;
    use swarmarium_base::id::StableId;
    use swarmarium_core::agent::Pose;
    use swarmarium_core::radio::Heard;
    use swarmarium_core::random::Seed;
    use swarmarium_core::time::SimTime;

    use super::*;

    /// Robots that measure their x coordinate, on a graph, and what each of them has heard last.
    struct Village {
        gossip: Gossip,
        numbers: Vec<f64>,
        robots: Vec<Gossiping>,
        heard: Vec<Vec<Packet>>,
        step: u64,
    }

    impl Village {
        fn new(rule: GossipRule, numbers: &[f64]) -> Self {
            let gossip = Gossip { of: Measured::X, rule, ..Gossip::default() };
            let (robots, heard) = (vec![Gossiping::default(); numbers.len()], vec![Vec::new(); numbers.len()]);
            Self { gossip, numbers: numbers.to_vec(), robots, heard, step: 0 }
        }

        /// All have a turn at once, and then send; `hears` says who hears whom.
        fn round(&mut self, hears: impl Fn(usize, usize, u64) -> bool) {
            self.step += 1;
            let time = SimTime { step: self.step, dt_s: 0.1 };
            let mut told = Vec::new();
            for (robot, memory) in self.robots.iter_mut().enumerate() {
                let pose = Pose { position_m: DVec2::new(self.numbers[robot], 0.0), heading_rad: 0.0 };
                let heard = Heard { packets: &self.heard[robot], turn: Some(1) };
                let owner = StableId::agent(robot as u32);
                let senses = Senses { pose: &pose, time: &time, heard, owner, seed: Seed(3), ..Senses::of(&[]) };
                self.gossip.command(memory, senses);
                let mut numbers = Vec::new();
                self.gossip.message(memory, senses, &mut numbers);
                told.push(Packet {
                    sender: robot as u32,
                    sent_step: self.step,
                    numbers: numbers.into(),
                    ..Packet::default()
                });
            }
            for (robot, heard) in self.heard.iter_mut().enumerate() {
                for packet in &told {
                    if packet.sender as usize != robot && hears(robot, packet.sender as usize, self.step) {
                        heard.retain(|old| old.sender != packet.sender);
                        heard.push(packet.clone());
                    }
                }
                heard.sort_by_key(|packet| packet.sender);
            }
        }

        fn worst(&self, mean: f64) -> f64 {
            self.robots.iter().map(|robot| (robot.estimate - mean).abs()).fold(0.0, f64::max)
        }

        fn mean(&self) -> f64 {
            self.numbers.iter().sum::<f64>() / self.numbers.len() as f64
        }
    }

    /// Whether a packet gets through that is lost with a probability.
    fn passes(loss: f64, robot: usize, other: usize, step: u64) -> bool {
        let stream = Seed(9).stream(StableId::agent(robot as u32), "loss").branch(other as u64).at_step(step);
        stream.clone().unit() >= loss
    }

    #[test]
    fn the_mean_is_exact_whatever_gets_lost() {
        for rule in [GossipRule::Pairwise, GossipRule::Neighbourhood] {
            for loss in [0.0, 0.3, 0.7] {
                let mut village = Village::new(rule, &[0.0, 1.0, 5.0, -7.0, 10.0, 3.0, 2.0]);
                (0..600).for_each(|_| village.round(|robot, other, step| passes(loss, robot, other, step)));
                assert!(village.worst(village.mean()) < 1e-9, "{rule:?}, {loss}: {}", village.worst(village.mean()));
            }
        }
    }

    #[test]
    fn broadcast_gossip_agrees_on_something_else() {
        let mut village = Village::new(GossipRule::Broadcast { mixing: 0.5 }, &[0.0, 1.0, 5.0, -7.0, 10.0]);
        (0..600).for_each(|_| village.round(|robot, other, step| passes(0.3, robot, other, step)));
        let agreed = village.robots[0].estimate;
        assert!(village.worst(agreed) < 1e-9);
        assert!((agreed - village.mean()).abs() > 1e-3, "{agreed}");
    }

    #[test]
    fn the_mean_follows_what_is_measured_and_those_who_are_left() {
        let mut village = Village::new(GossipRule::Pairwise, &[0.0, 1.0, 5.0, -7.0]);
        (0..200).for_each(|_| village.round(|_, _, _| true));
        village.numbers[1] = 21.0;
        (0..200).for_each(|_| village.round(|_, _, _| true));
        assert!(village.worst(4.75) < 1e-9);
        village.heard.iter_mut().for_each(|heard| heard.retain(|packet| packet.sender != 1));
        (0..200).for_each(|_| village.round(|robot, other, _| robot != 1 && other != 1));
        village.robots.remove(1);
        assert!(village.worst(-2.0 / 3.0) < 1e-9, "what was given to the one that is gone comes back");
    }

    #[test]
    fn who_is_not_heard_gives_nothing_away() {
        let mut village = Village::new(GossipRule::Neighbourhood, &[0.0, 8.0]);
        (0..50).for_each(|_| village.round(|robot, _, _| robot == 0));
        assert_eq!([village.robots[0].estimate, village.robots[1].estimate], [0.0, 8.0]);
    }

    proptest! {
        /// In a chain, where each hears two others at most.
        #[test]
        fn chains_find_the_mean(numbers in prop::collection::vec(-10.0..10.0_f64, 2..7), pairwise in any::<bool>()) {
            let rule = if pairwise { GossipRule::Pairwise } else { GossipRule::Neighbourhood };
            let mut village = Village::new(rule, &numbers);
            (0..1500).for_each(|_| {
                village.round(|robot, other, step| robot.abs_diff(other) == 1 && passes(0.2, robot, other, step));
            });
            prop_assert!(village.worst(village.mean()) < 1e-6, "{}", village.worst(village.mean()));
        }
    }
}
