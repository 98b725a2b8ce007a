//! Plots over robots at the shown moment: the distribution of a number, or one number over another.

use std::collections::BTreeSet;

use swarmarium_core::text::wording::words;
use swarmarium_host::clock::host::lower;
use swarmarium_scene::agent_view::{AgentView, Sense};
use swarmarium_simulation::simulation::Simulation;

use crate::common::settings::RobotPlot;
use crate::plots::axis::round_step;
use crate::plots::pin::{self, RobotNumber};

/// The most numbers that are offered.
const MOST_CHOICES: usize = 60;

/// The fewest and the most bars of a distribution.
const BARS: [usize; 2] = [5, 40];

/// A number that robots have.
#[derive(Clone, Debug, PartialEq)]
pub struct RobotChoice {
    /// The path below a robot.
    pub path: String,
    /// The name in words.
    pub name: String,
    /// The unit.
    pub unit: &'static str,
}

impl RobotChoice {
    /// Returns the choice for a path, with the name of the channel if the path leads to a reading.
    pub fn of(simulation: &Simulation, path: &str) -> Self {
        let steps: Vec<&str> = path.split('.').collect();
        let of_reading = match steps[..] {
            ["readings", slot] => slot.parse::<usize>().ok().map(|slot| (slot, None)),
            ["readings", slot, channel] => slot.parse().ok().zip(channel.parse::<usize>().ok().map(Some)),
            _ => None,
        };
        let known = of_reading.and_then(|(slot, channel)| {
            first_of_groups(simulation).find_map(|agent| {
                let senses = agent.senses();
                let sense = senses.get(slot)?;
                let has_one = sense.reading.len() == 1;
                let channel = channel.map_or_else(|| has_one.then_some(0), |channel| (!has_one).then_some(channel))?;
                (channel < sense.reading.len()).then(|| Self::of_channel(slot, sense, channel))
            })
        });
        known.unwrap_or_else(|| {
            let (name, unit) = words(steps.last().copied().unwrap_or(path));
            Self { path: path.into(), name, unit }
        })
    }

    /// Returns the choice for a channel of a sensor.
    fn of_channel(slot: usize, sense: &Sense, channel: usize) -> Self {
        let path = match sense.reading.len() {
            1 => format!("readings.{slot}"),
            _ => format!("readings.{slot}.{channel}"),
        };
        let (name, unit) = sense.channel(channel);
        Self { path, name: format!("Sensor {slot}: {}", lower(&name)), unit }
    }
}

/// Returns the first robot of each group.
fn first_of_groups(simulation: &Simulation) -> impl Iterator<Item = AgentView<'_>> {
    let mut groups = BTreeSet::new();
    simulation.agents().filter(move |agent| groups.insert(agent.member.group))
}

/// Returns the numbers that robots have: state, commands, and the readings of the first robot of each group.
pub fn choices(simulation: &Simulation) -> Vec<RobotChoice> {
    let of_state = pin::numbers_of_robots().map(|path| {
        let (name, unit) = words(path);
        RobotChoice { path: path.into(), name, unit }
    });
    let mut all: Vec<RobotChoice> = of_state.collect();
    for agent in first_of_groups(simulation) {
        for (slot, sense) in agent.senses().iter().enumerate() {
            let channels = (0..sense.reading.len()).map(|channel| RobotChoice::of_channel(slot, sense, channel));
            for choice in channels {
                if all.iter().all(|known| known.path != choice.path) {
                    all.push(choice);
                }
            }
        }
    }
    all.truncate(MOST_CHOICES);
    all
}

/// The values of a plot over robots.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RobotValues {
    /// The number of each robot, with its values: one for a distribution, two for a scatter plot.
    pub robots: Vec<(u32, [f64; 2])>,
    /// The robots without a value.
    pub without: usize,
}

impl RobotValues {
    /// Reads the values of a plot from a simulation.
    pub fn of(simulation: &Simulation, plot: &RobotPlot) -> Self {
        let paths = plot.paths();
        let Ok(numbers) = paths.iter().map(|path| RobotNumber::new(path)).collect::<Result<Vec<_>, _>>() else {
            return Self { robots: Vec::new(), without: simulation.count() };
        };
        let mut values = Self::default();
        for agent in simulation.agents() {
            let value = |place: usize| {
                numbers.get(place).or(numbers.first()).map_or(f64::NAN, |number| number.value(simulation, &agent))
            };
            let found = [value(0), value(1)];
            if found.iter().all(|value| value.is_finite()) {
                values.robots.push((agent.id.index(), found));
            } else {
                values.without += 1;
            }
        }
        values.robots.sort_unstable_by_key(|(number, _)| *number);
        values
    }
}

/// A distribution: bars of equal width at round numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Histogram {
    /// The lower end of the first bar.
    pub start: f64,
    /// The width of a bar.
    pub width: f64,
    /// The robots of each bar.
    pub bars: Vec<Vec<u32>>,
}

impl Histogram {
    /// Sorts robots into bars: about as many as the root of their number (as in most spreadsheets), or one for each whole
    /// number; `None` without robots.
    pub fn of(values: &RobotValues) -> Option<Self> {
        let numbers = || values.robots.iter().map(|(_, [value, _])| *value);
        let (low, high) = numbers().fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)));
        if low > high {
            return None;
        }
        let are_whole = numbers().all(|value| value.fract() == 0.0 && value.abs() < 1e9);
        let [least, most] = BARS;
        let (start, width) = if are_whole && high - low < most as f64 {
            (low - 0.5, 1.0)
        } else {
            let wanted = libm::sqrt(values.robots.len() as f64).ceil().clamp(least as f64, most as f64);
            let size = low.abs().max(high.abs());
            let range = if high - low > size * 1e-9 { high - low } else { (size * 0.1).max(f64::MIN_POSITIVE) };
            let width = round_step(range / wanted);
            ((low / width).floor() * width, width)
        };
        let place = |value: f64| (((value - start) / width).floor().max(0.0) as usize).min(4 * most);
        let mut bars = vec![Vec::new(); place(high) + 1];
        values.robots.iter().for_each(|(number, [value, _])| {
            let last = bars.len() - 1;
            bars[place(*value).min(last)].push(*number);
        });
        Some(Self { start, width, bars })
    }

    /// Returns the ends of a bar.
    pub fn ends(&self, bar: usize) -> [f64; 2] {
        [bar, bar + 1].map(|edge| self.start + edge as f64 * self.width)
    }
}

#[cfg(test)]
mod tests {
    use swarmarium_lab_testing::{do_steps, lab_on};

    use super::*;

    fn values(numbers: &[f64]) -> RobotValues {
        let robots = (0..).zip(numbers).map(|(robot, value)| (robot, [*value, *value])).collect();
        RobotValues { robots, without: 0 }
    }

    fn counts(numbers: &[f64]) -> (f64, f64, Vec<usize>) {
        let histogram = Histogram::of(&values(numbers)).unwrap();
        assert_eq!(histogram.bars.iter().map(Vec::len).sum::<usize>(), numbers.len());
        let in_bars = histogram.bars.iter().map(Vec::len).collect();
        (histogram.start, histogram.width, in_bars)
    }

    #[test]
    fn bars_of_whole_numbers_stand_at_the_numbers() {
        assert_eq!(counts(&[0.0, 2.0, 2.0, 5.0]), (-0.5, 1.0, vec![1, 0, 2, 0, 0, 1]));
        assert_eq!(counts(&[3.0]), (2.5, 1.0, vec![1]));
    }

    #[test]
    fn every_robot_is_in_a_bar_whatever_the_values_are() {
        assert_eq!(counts(&[0.1, 0.2, 0.9]), (0.0, 0.2, vec![1, 1, 0, 0, 1]));
        for numbers in [&[1e-9, 2.5e-9][..], &[-1e300, 1e300], &[0.3; 50], &[1e12, 1e12 + 0.5], &[5e-324, 1.0]] {
            let (_, width, bars) = counts(numbers);
            assert!(width > 0.0 && bars.len() <= 200, "{numbers:?}: {width} {bars:?}");
        }
        assert_eq!(Histogram::of(&RobotValues::default()), None);
    }

    #[test]
    fn plots_over_robots_read_states_and_readings() {
        let mut lab = lab_on("milling");
        do_steps(&mut lab, 20);
        let simulation = lab.run.host.simulation();
        let names: Vec<String> = choices(simulation).into_iter().map(|choice| choice.path).collect();
        for choice in choices(simulation) {
            assert_eq!(RobotChoice::of(simulation, &choice.path), choice, "a single path has the same words");
        }
        assert!(names.contains(&"speed_m_per_s".into()) && names.contains(&"readings.0".into()), "{names:?}");
        let found = RobotValues::of(simulation, &RobotPlot::Scatter("x_m".into(), "y_m".into()));
        let of_simulation = |number: u32| simulation.agent(number).unwrap().pose.position_m.to_array();
        assert_eq!(found.robots.len(), 6);
        assert!(found.robots.iter().all(|(number, values)| *values == of_simulation(*number)));
        let readings = RobotValues::of(simulation, &RobotPlot::Distribution("readings.0".into()));
        assert!(readings.robots.len() + readings.without == 6 && readings.without == 0, "{readings:?}");
        let nothing = RobotValues::of(simulation, &RobotPlot::Distribution("readings.9".into()));
        assert_eq!((nothing.robots.len(), nothing.without), (0, 6));
        let invalid = RobotValues::of(simulation, &RobotPlot::Distribution("nonsense".into()));
        assert_eq!((invalid.robots.len(), invalid.without), (0, 6));
    }
}
