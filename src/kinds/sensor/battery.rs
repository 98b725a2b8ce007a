//! Measures the charge of a robot.

use bevy::prelude::*;
use swarmarium_base::limits::Limits;
use swarmarium_core::agent::Team;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::sensor::{Gauge, Sensor, Viewpoint};
use swarmarium_core::service::{About, Fields, Property};
use swarmarium_space::{Space, ThingKind};

/// Reads the charge in percent, which falls with time and rises while the centre of the robot is in a charging region
/// (MORSE `Battery`). The charge has no effect: a robot continues at 0 %.
#[kind(section = "Own state", words = "energy, charge, power")]
pub struct Battery {
    /// Charge at the start.
    #[reflect(@Limits::between(0.0, 100.0))]
    #[default(100.0)]
    pub start_percent: f64,
    /// Rate at which the charge falls, and rises in a charging region.
    #[reflect(@Limits::between(0.0, 1e6))]
    #[default(0.05)]
    pub discharge_percent_per_s: f64,
    /// Name or team of the charging regions.
    #[default("Charging".into())]
    pub zone: String,
}

/// The status of a battery.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Status {
    #[default]
    Charged,
    Charging,
    Discharging,
}

/// The charge of a battery.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
pub struct Charge {
    percent: f64,
    status: Status,
    /// The step of the last reading; `None` before the first.
    as_of: Option<u64>,
}

impl Battery {
    fn is_charging(&self, team: u32, space: &Space, row: usize) -> bool {
        let at = space.bodies.positions()[row];
        let charges = |thing: &&swarmarium_space::Thing| {
            thing.what == ThingKind::Region && !self.zone.is_empty() && (thing.name == self.zone || thing.team == team)
        };
        space.things.iter().filter(charges).any(|thing| thing.overlaps(&space.arena, at, 0.0))
    }
}

impl Sensor for Battery {
    /// The number of the team of the charging regions.
    type Prepared = u32;
    type Memory = Charge;
    const KNOWS_OWN: bool = true;
    const NAMES: &'static [&'static str] = &["charge"];
    const ABOUT: About = About {
        class: "Battery",
        services: &[],
        properties: &[Property {
            name: "DischargingRate",
            field: "discharge_percent_per_s",
            unit: 1.0,
            type_name: "float",
            attribute: "_discharging_rate",
        }],
    };

    fn prepare(&self) -> u32 {
        Team::named(&self.zone).0
    }

    fn blank(&self, reading: &mut [f64]) {
        reading.fill(self.start_percent);
    }

    fn units(&self) -> &'static [&'static str] {
        &["%"]
    }

    fn gauge(&self) -> Gauge {
        Gauge::Bars { empty: 0.0, full: 100.0 }
    }

    fn read(&self, team: &u32, charge: &mut Charge, from: Viewpoint, reading: &mut [f64]) {
        let time = from.own.time;
        match charge.as_of {
            None => charge.percent = self.start_percent,
            Some(before) if before < time.step => {
                let change = self.discharge_percent_per_s * (time.step - before) as f64 * time.dt_s;
                let is_charging = self.is_charging(*team, from.space, from.row);
                let changed = if is_charging { charge.percent + change } else { charge.percent - change };
                charge.percent = changed.clamp(0.0, 100.0);
                charge.status = match is_charging {
                    true if charge.percent >= 100.0 => Status::Charged,
                    true => Status::Charging,
                    false => Status::Discharging,
                };
            }
            Some(_) => {}
        }
        charge.as_of = Some(time.step);
        reading[0] = charge.percent;
    }

    fn message(&self, charge: &Charge, reading: &[f64], _: &dyn Fn(u32) -> String, message: &mut Fields) -> bool {
        let status = match charge.status {
            Status::Charged => "Charged",
            Status::Charging => "Charging",
            Status::Discharging => "Discharging",
        };
        let percent = reading.first().copied().unwrap_or_default();
        message.extend([("charge".into(), percent.into()), ("status".into(), status.into())]);
        true
    }
}

#[cfg(test)]
mod tests {
    use bevy::math::DVec2;
    use swarmarium_space::{Boundary, Form, Thing};

    use super::*;
    use crate::sensor::tests::{Looks, put, space_with};

    #[test]
    fn battery_charge_is_that_of_the_test_of_morse() {
        let mut space = space_with(Boundary::Open, &[(DVec2::ZERO, 0.3)]);
        let position = DVec2::new(10.0, 0.0);
        let corners = [(5.0, -5.0), (15.0, -5.0), (15.0, 5.0), (5.0, 5.0)].map(DVec2::from).to_vec();
        let zone = Thing { name: "Charging".into(), what: ThingKind::Region, position, ..Thing::default() };
        space.things.push(Thing { forms: vec![Form::Polygon(corners)], ..zone });
        let battery = Battery { discharge_percent_per_s: 10.0, ..Battery::default() };
        let mut looks = Looks::of(&battery);
        assert_eq!(looks.read(&space), [100.0]);
        let mut after = |seconds: u64, space: &Space| {
            let reading = looks.read_after(10 * seconds, space);
            let status = looks.message(&reading).unwrap()[1].1.text().unwrap().to_owned();
            (reading[0].round(), status)
        };
        assert_eq!(after(2, &space), (80.0, "Discharging".into()));
        assert_eq!(after(10, &space), (0.0, "Discharging".into()));
        put(&mut space, DVec2::new(7.0, 0.0), 0.0);
        assert_eq!(after(2, &space), (20.0, "Charging".into()));
        assert_eq!(after(60, &space), (100.0, "Charged".into()));
        put(&mut space, DVec2::ZERO, 0.0);
        assert_eq!(after(2, &space), (80.0, "Discharging".into()));
    }
}
