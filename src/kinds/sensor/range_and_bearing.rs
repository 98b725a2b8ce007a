//! Measures where the senders of radio messages are, and reads what they send.

use bevy::prelude::*;
use smallvec::SmallVec;
use swarmarium_base::limits::Limits;
use swarmarium_base::math::{direction, wrap_angle};
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::noise::NoiseBounds;
use swarmarium_core::sensor::{Mark, RadioSensor, Sensor, Viewpoint};
use swarmarium_core::service::{Fields, Value};
use swarmarium_core::state::NoMemory;
use swarmarium_picture::Picture;
use swarmarium_space::Space;

/// Reads the packets that the situated radio of its robot keeps, nearest sender first: the number of senders, and for each
/// of them its range in metres, its bearing in radians, and the numbers of its message.
///
/// The radio decides which robots are heard, and when: its range, losses, line of sight and times of sending. Range and
/// bearing are those at the moment of sending, in the frame of the receiving robot. Of senders at equal range, the one
/// with the smaller number comes first. The unused rest of the reading is 0; noise changes neither this rest nor the
/// number of senders and the numbers of messages.
#[kind(Copy, section = "Robots", words = "radio, rab, distance and direction, messages")]
pub struct RangeAndBearing {
    /// Maximum number of senders in a reading; if more are heard, the nearest ones are kept.
    #[reflect(@Limits::between(1.0, 1024.0))]
    #[default(8)]
    pub max_neighbours: u32,
    /// Numbers of each message in a reading. A shorter message is filled with zeros; further numbers of a longer one are left
    /// out.
    #[reflect(@Limits::between(0.0, 256.0))]
    #[default(1)]
    pub numbers: u32,
}

/// Numbers of a sender before those of its message: range and bearing.
const PLACE: usize = 2;
/// Senders that are sorted without an allocation.
const FEW: usize = 32;

impl RangeAndBearing {
    /// Numbers of each sender in a reading.
    fn stride(&self) -> usize {
        PLACE + self.numbers as usize
    }

    /// The numbers of each sender in a reading, which can have noise.
    fn senders<'r>(&self, reading: &'r [f64]) -> impl Iterator<Item = &'r [f64]> + use<'r> {
        let (count, rest) = reading.split_first().map_or((0, reading), |(count, rest)| (*count as usize, rest));
        rest.chunks_exact(self.stride()).take(count)
    }
}

impl Sensor for RangeAndBearing {
    type Prepared = ();
    type Memory = NoMemory;

    fn prepare(&self) {}

    fn channels(&self) -> usize {
        1 + self.max_neighbours as usize * self.stride()
    }

    fn channel(&self, channel: usize) -> (String, &'static str) {
        let Some(channel) = channel.checked_sub(1) else { return ("Neighbours".into(), "") };
        let place = channel / self.stride();
        match channel % self.stride() {
            0 => (format!("Range {place}"), "m"),
            1 => (format!("Bearing {place}"), "rad"),
            number => (format!("Number {} of neighbour {place}", number - PLACE), ""),
        }
    }

    fn noise_bounds(&self, channel: usize) -> NoiseBounds {
        match channel.checked_sub(1).map(|channel| channel % self.stride()) {
            Some(0) => NoiseBounds::Within { low: 0.0, high: f64::INFINITY, nothing: None },
            Some(1) => NoiseBounds::Free,
            _ => NoiseBounds::Exempt,
        }
    }

    fn read(&self, (): &(), _: &mut NoMemory, from: Viewpoint, reading: &mut [f64]) {
        let packets = from.own.packets;
        let square = |place: usize| packets[place].from_m.length_squared();
        let mut near: SmallVec<[(f64, u32); FEW]> =
            (0..packets.len()).map(|place| (square(place), place as u32)).collect();
        // Packets are sorted by sender, so that the place decides as the number of the sender does.
        let order = |one: &(f64, u32), other: &(f64, u32)| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1));
        let most = self.max_neighbours as usize;
        if near.len() > most {
            near.select_nth_unstable_by(most, order);
            near.truncate(most);
        }
        near.sort_unstable_by(order);
        let Some((count, rest)) = reading.split_first_mut() else { return };
        *count = near.len() as f64;
        let mut places = rest.chunks_exact_mut(self.stride());
        for ((square, place), out) in near.into_iter().zip(&mut places) {
            let packet = &packets[place as usize];
            out[0] = square.sqrt();
            out[1] = packet.bearing_rad();
            let (message, known) = (&mut out[PLACE..], packet.numbers.len());
            let shown = known.min(message.len());
            message[..shown].copy_from_slice(&packet.numbers[..shown]);
            message[shown..].fill(0.0);
        }
        places.for_each(|unused| unused.fill(0.0));
    }

    fn finish(&self, _: &mut NoMemory, reading: &mut [f64]) {
        let Some((count, rest)) = reading.split_first_mut() else { return };
        let (used, unused) = rest.split_at_mut((*count as usize * self.stride()).min(rest.len()));
        for sender in used.chunks_exact_mut(self.stride()) {
            sender[1] = wrap_angle(sender[1]);
        }
        unused.fill(0.0);
    }

    fn message(&self, _: &NoMemory, reading: &[f64], _: &dyn Fn(u32) -> String, message: &mut Fields) -> bool {
        let sender = |sender: &[f64]| {
            let numbers = Value::numbers(sender[PLACE..].iter().copied());
            Value::Map(vec![
                ("range".into(), sender[0].into()),
                ("bearing".into(), sender[1].into()),
                ("data".into(), numbers),
            ])
        };
        message.push(("neighbours".into(), Value::List(self.senders(reading).map(sender).collect())));
        true
    }

    fn draw(&self, _: &NoMemory, space: &Space, row: usize, reading: &[f64], picture: &mut Picture) {
        let (eye, heading_rad) = (space.bodies.positions()[row], space.bodies.headings()[row]);
        for sender in self.senders(reading) {
            let way_m = sender[0] * direction(heading_rad + sender[1]);
            Mark { detects: true }.segment([eye, eye + way_m], picture);
        }
    }
}

impl RadioSensor for RangeAndBearing {
    const NEEDS_BEARINGS: bool = true;
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use bevy::math::DVec2;
    use swarmarium_base::math::direction;
    use swarmarium_core::radio::Packet;
    use swarmarium_space::Boundary;

    use super::*;
    use crate::sensor::tests::{Looks, space_with};

    fn packet(sender: u32, from_m: (f64, f64), numbers: &[f64]) -> Packet {
        Packet { sender, sent_step: 0, from_m: from_m.into(), numbers: numbers.into() }
    }

    fn read(sensor: &RangeAndBearing, packets: &[Packet]) -> Vec<f64> {
        let space = space_with(Boundary::Open, &[(DVec2::ZERO, 0.1)]);
        let mut looks = Looks::of(sensor);
        looks.own.packets = packets;
        looks.read(&space)
    }

    #[test]
    fn range_and_bearing_reads_the_nearest_senders_first() {
        let packets =
            [packet(2, (0.0, -2.0), &[7.0]), packet(3, (1.0, 0.0), &[8.0, 9.0, 10.0]), packet(5, (-2.0, 0.0), &[])];
        let sensor = RangeAndBearing { max_neighbours: 4, numbers: 2 };
        let expected = [3.0, 1.0, 0.0, 8.0, 9.0, 2.0, -PI / 2.0, 7.0, 0.0, 2.0, PI, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        assert_eq!(read(&sensor, &packets), expected);
        let two = RangeAndBearing { max_neighbours: 2, numbers: 0 };
        // Of the two at equal range, the one with the smaller number is kept.
        assert_eq!(read(&two, &packets), [2.0, 1.0, 0.0, 2.0, -PI / 2.0]);
        assert_eq!(read(&two, &[]), [0.0; 5]);
    }

    #[test]
    fn range_and_bearing_agrees_with_a_full_sort() {
        let at = |place: u32| direction(f64::from(place) * 2.4) * f64::from(place * 37 % 101);
        let packets: Vec<Packet> = (0..100).map(|place| packet(place, at(place).into(), &[f64::from(place)])).collect();
        let mut all: Vec<u32> = (0..100).collect();
        all.sort_by(|one, other| at(*one).length_squared().total_cmp(&at(*other).length_squared()));
        for max_neighbours in [1, 40, 100, 120] {
            let reading = read(&RangeAndBearing { max_neighbours, numbers: 1 }, &packets);
            let count = max_neighbours.min(100) as usize;
            assert_eq!(reading[0], count as f64);
            let senders: Vec<u32> = reading[1..].chunks_exact(3).take(count).map(|sender| sender[2] as u32).collect();
            assert_eq!(senders, all[..count]);
            for sender in reading[1..].chunks_exact(3).take(count) {
                let there = at(sender[2] as u32);
                let here = sender[0] * direction(sender[1]);
                assert!((there - here).length() < 1e-12 * (1.0 + there.length()), "{there} {here}");
            }
        }
    }

    #[test]
    fn noise_of_range_and_bearing_leaves_unused_places_alone() {
        let sensor = RangeAndBearing { max_neighbours: 2, numbers: 1 };
        let mut reading = [1.0, 0.5, 4.0, 7.0, 0.2, -0.1, 0.0];
        sensor.finish(&mut NoMemory, &mut reading);
        assert_eq!(reading, [1.0, 0.5, 4.0 - 2.0 * PI, 7.0, 0.0, 0.0, 0.0]);
        let exempt = |channel| sensor.noise_bounds(channel) == NoiseBounds::Exempt;
        assert_eq!([0, 1, 2, 3, 4, 5, 6].map(exempt), [true, false, false, true, false, false, true]);
        let names: Vec<String> = (0..7).map(|channel| sensor.channel(channel).0).collect();
        let expected = [
            "Neighbours",
            "Range 0",
            "Bearing 0",
            "Number 0 of neighbour 0",
            "Range 1",
            "Bearing 1",
            "Number 0 of neighbour 1",
        ];
        assert_eq!(names, expected);
    }

    #[test]
    fn range_and_bearing_tells_clients_of_each_sender() {
        let sensor = RangeAndBearing { max_neighbours: 3, numbers: 2 };
        let message = Looks::of(&sensor).message(&[1.0, 2.0, 0.5, 7.0, 8.0, 0.0, 0.0, 0.0, 0.0]).unwrap();
        let sender = vec![
            ("range".into(), 2.0.into()),
            ("bearing".into(), 0.5.into()),
            ("data".into(), Value::numbers([7.0, 8.0])),
        ];
        assert_eq!(message, vec![("neighbours".to_string(), Value::List(vec![Value::Map(sender)]))]);
    }
}
