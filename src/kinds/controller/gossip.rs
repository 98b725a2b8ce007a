//! Gossip: robots compute the mean of their measurements by radio.

use bevy::prelude::*;
use swarmarium_base::limits::Limits;
use swarmarium_core::agent::{Command, CommandForm};
use swarmarium_core::controller::{Controller, Drive, Senses};
use swarmarium_core::kind::{Optional, SearchWords, SensorSlot, kind};
use swarmarium_core::radio::Packet;

/// The number of transmitted numbers for each robot that the sender has heard.
const PER_LINK: usize = 3;

/// Computes the mean over all robots of a number that each of them measures, by radio (Boyd, Ghosh, Prabhakar, Shah,
/// "Randomized gossip algorithms", IEEE Trans. Inf. Theory 2006).
///
/// Plain gossip moves shares of the number from robot to robot; lost or outdated packets lose shares. Therefore a robot
/// transmits no shares: for each robot that it hears it keeps the flow, the total amount that it has given to it, and
/// transmits the flow again and again (Jesus, Baquero, Almeida, "Fault-tolerant aggregation by flow updating", DAIS
/// 2009).
///
/// 1. At each turn of its radio, a robot adopts the flows that other robots transmit for the links to it, if they have
///    been changed more often than its own; in a tie, those of the robot with the smaller number. Its estimate is its
///    own number minus all flows.
/// 2. It changes flows so that its estimate and those of its partners become their mean, and transmits its estimate and
///    all flows.
///
/// The flows of a link are opposite once both robots have heard each other, so that the estimates have the same sum as
/// the numbers: they converge to the exact mean whatever packets are lost, and follow when the numbers change. A robot
/// that is out of contact drops out of the mean.
#[kind(Copy, section = "Radio", words = "consensus, average, agree, mean")]
pub struct Gossip {
    /// Number that each robot measures. `X` or `Y`: its own coordinate, in metres. `Reading(sensor, channel)`: the
    /// number `channel`, counted from 0, of the sensor in the slot `sensor`; a value that is not a number is ignored.
    /// `Random(min, max)`: drawn once from a uniform distribution. `Number(value)`: a fixed number.
    pub of: Measured,
    /// Partners of a robot at a turn of its radio. `Pairwise`: one of the robots with which it is in mutual contact,
    /// with equal probability. `Neighbourhood`: all of these robots at once. `Broadcast(mixing)`: all robots that it
    /// hears; the estimate moves towards that of each by the fraction `mixing` of the difference, from 0 to 1, and the
    /// robots agree, but not exactly on the mean.
    pub rule: GossipRule,
    /// Motion of the robot meanwhile.
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
    /// A reading of one of its sensors. A value that is not a number is ignored; the initial number is 0.
    Reading {
        /// Slot of the sensor.
        #[reflect(@Limits::between(0.0, 255.0), @SensorSlot::Any)]
        sensor: u32,
        /// Channel of the reading, counted from 0.
        #[reflect(@Optional)]
        channel: u32,
    },
    /// A random number, drawn by each robot for itself from a uniform distribution.
    Random {
        /// Smallest number.
        #[reflect(@Limits::between(-1e9, 1e9))]
        min: f64,
        /// Largest number.
        #[reflect(@Limits::between(-1e9, 1e9))]
        max: f64,
    },
    /// A fixed number.
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

/// The partners of a robot at a turn of its radio.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
pub enum GossipRule {
    /// One of the robots with which it is in mutual contact, with equal probability (Boyd et al. 2006).
    #[default]
    Pairwise,
    /// All of these robots at once (Jesus et al. 2009), which needs fewer turns.
    Neighbourhood,
    /// The estimate moves towards that of each robot that is heard, without flows. Packets contain one number and all
    /// robots agree, but not exactly on the mean (Aysal, Yildiz, Sarwate, Scaglione, "Broadcast gossip algorithms for
    /// consensus", IEEE Trans. Signal Process. 2009).
    Broadcast {
        /// Fraction of the difference by which the estimate moves.
        #[reflect(@Limits::between(0.0, 1.0))]
        mixing: f64,
    },
}

/// The memory of a robot that gossips.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq)]
pub struct Gossiping {
    /// The last measurement; `None` before the first decision.
    pub own: Option<f64>,
    /// The estimate of the mean.
    pub estimate: f64,
    /// The links to the robots that it has heard, by number.
    links: Vec<Flow>,
}

/// The link from a robot to another one.
#[derive(Reflect, Clone, Debug, Default, PartialEq)]
struct Flow {
    /// The number of the other robot.
    other: u32,
    /// The amount given to the other robot.
    given: f64,
    /// How often either of the two changed the flow.
    changes: u64,
    /// The last known estimate of the other robot.
    estimate: f64,
    /// Whether the other robot has heard this one.
    is_mutual: bool,
    /// The step in which the last accepted packet of the other robot was sent.
    sent_step: Option<u64>,
}

impl Flow {
    /// Gives the amount that brings the other robot to an estimate.
    fn bring_to(&mut self, estimate: f64) {
        self.given += estimate - self.estimate;
        self.estimate = estimate;
        self.changes += 1;
    }

    /// Adopts the contents of a packet of the other robot.
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
    /// The present measurement; `None` if the sensor reads no number.
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
    /// Records a measurement and updates the estimate.
    fn measure(&mut self, value: Option<f64>) {
        self.own = value.or(self.own).or(Some(0.0));
        self.estimate = self.own.unwrap_or_default() - self.links.iter().map(|flow| flow.given).sum::<f64>();
    }

    /// Processes the packets since the last turn; with `mixing`, moves the estimate towards theirs.
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
            // Both robots forget the link and regain what they gave.
            memory.links.retain(|flow| packets.binary_search_by_key(&flow.other, |packet| packet.sender).is_ok());
            memory.hear(me, packets, None);
            memory.measure(None);
            let mutual = || memory.links.iter().filter(|flow| flow.is_mutual);
            let (others, chance) = (mutual().count(), senses.random("gossip").unit());
            // All partners, or the one that is drawn.
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

    fn message(&self, memory: &mut Gossiping, senses: Senses, message: &mut Vec<f64>) {
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
                Some(format!("`max` must be at least `min`, which is {min}, found {max}"))
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

    /// Robots that measure their x coordinate, on a graph, with the last packets that each has received.
    struct GossipNetwork {
        gossip: Gossip,
        numbers: Vec<f64>,
        robots: Vec<Gossiping>,
        heard: Vec<Vec<Packet>>,
        step: u64,
    }

    impl GossipNetwork {
        fn new(rule: GossipRule, numbers: &[f64]) -> Self {
            let gossip = Gossip { of: Measured::X, rule, ..Gossip::default() };
            let (robots, heard) = (vec![Gossiping::default(); numbers.len()], vec![Vec::new(); numbers.len()]);
            Self { gossip, numbers: numbers.to_vec(), robots, heard, step: 0 }
        }

        /// All robots have a turn at once and then send; `hears` defines the graph.
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

    /// Whether a packet survives a loss with the given probability.
    fn passes(loss: f64, robot: usize, other: usize, step: u64) -> bool {
        let stream = Seed(9).stream(StableId::agent(robot as u32), "loss").branch(other as u64).at_step(step);
        stream.clone().unit() >= loss
    }

    #[test]
    fn gossip_mean_is_exact_with_any_packet_loss() {
        for rule in [GossipRule::Pairwise, GossipRule::Neighbourhood] {
            for loss in [0.0, 0.3, 0.7] {
                let mut network = GossipNetwork::new(rule, &[0.0, 1.0, 5.0, -7.0, 10.0, 3.0, 2.0]);
                (0..600).for_each(|_| network.round(|robot, other, step| passes(loss, robot, other, step)));
                assert!(network.worst(network.mean()) < 1e-9, "{rule:?}, {loss}: {}", network.worst(network.mean()));
            }
        }
    }

    #[test]
    fn broadcast_gossip_agrees_on_a_value_other_than_the_mean() {
        let mut network = GossipNetwork::new(GossipRule::Broadcast { mixing: 0.5 }, &[0.0, 1.0, 5.0, -7.0, 10.0]);
        (0..600).for_each(|_| network.round(|robot, other, step| passes(0.3, robot, other, step)));
        let agreed = network.robots[0].estimate;
        assert!(network.worst(agreed) < 1e-9);
        assert!((agreed - network.mean()).abs() > 1e-3, "{agreed}");
    }

    #[test]
    fn gossip_mean_follows_measurements_and_remaining_robots() {
        let mut network = GossipNetwork::new(GossipRule::Pairwise, &[0.0, 1.0, 5.0, -7.0]);
        (0..200).for_each(|_| network.round(|_, _, _| true));
        network.numbers[1] = 21.0;
        (0..200).for_each(|_| network.round(|_, _, _| true));
        assert!(network.worst(4.75) < 1e-9);
        network.heard.iter_mut().for_each(|heard| heard.retain(|packet| packet.sender != 1));
        (0..200).for_each(|_| network.round(|robot, other, _| robot != 1 && other != 1));
        network.robots.remove(1);
        assert!(network.worst(-2.0 / 3.0) < 1e-9, "the amount given to a lost robot comes back");
    }

    #[test]
    fn gossip_without_receivers_gives_no_mass_away() {
        let mut network = GossipNetwork::new(GossipRule::Neighbourhood, &[0.0, 8.0]);
        (0..50).for_each(|_| network.round(|robot, _, _| robot == 0));
        assert_eq!([network.robots[0].estimate, network.robots[1].estimate], [0.0, 8.0]);
    }

    proptest! {
        /// In a chain, where each hears two others at most.
        #[test]
        fn gossip_in_a_chain_finds_the_mean(numbers in prop::collection::vec(-10.0..10.0_f64, 2..7), pairwise in any::<bool>()) {
            let rule = if pairwise { GossipRule::Pairwise } else { GossipRule::Neighbourhood };
            let mut network = GossipNetwork::new(rule, &numbers);
            (0..1500).for_each(|_| {
                network.round(|robot, other, step| robot.abs_diff(other) == 1 && passes(0.2, robot, other, step));
            });
            prop_assert!(network.worst(network.mean()) < 1e-6, "{}", network.worst(network.mean()));
        }
    }
}
