//! Choices of robots and supervisors of this program for classes that files of other programs name.

use swarmarium_core::text::wording::{join, shown};

use super::Report;
use super::argos::ROBOTS;
use super::simiam::classes::{Counterpart, counterparts as of_simiam};

/// The choice of a robot or supervisor of this program for a class of a user's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StandIn {
    /// The class, with or without its module.
    pub class: String,
    /// The robot or supervisor.
    pub counterpart: Counterpart,
}

impl StandIn {
    /// Whether it is for a class of this name.
    pub fn is_for(&self, name: &str) -> bool {
        self.class == name || name.rsplit_once('.').is_some_and(|(_, class)| class == self.class)
    }

    /// Reads the choice of a robot: `CLASS=ROBOT`.
    ///
    /// # Errors
    /// With the names of all robots.
    pub fn of_robot(text: &str) -> Result<Self, StandInError> {
        Self::read(text, true)
    }

    /// Reads the choice of a supervisor: `CLASS=SUPERVISOR`.
    ///
    /// # Errors
    /// With the names of all supervisors.
    pub fn of_supervisor(text: &str) -> Result<Self, StandInError> {
        Self::read(text, false)
    }

    fn read(text: &str, is_robot: bool) -> Result<Self, StandInError> {
        let error = StandInError { is_robot };
        let (class, name) = text.split_once('=').ok_or(error)?;
        let (class, name) = (class.trim(), name.trim());
        let counterpart = counterparts(is_robot).find(|(known, _)| known.eq_ignore_ascii_case(name));
        let (_, counterpart) = counterpart.filter(|_| !class.is_empty()).ok_or(error)?;
        Ok(Self { class: class.to_owned(), counterpart })
    }

    /// The name of the robot or supervisor.
    fn name(&self) -> &'static str {
        match self.counterpart {
            Counterpart::Robot(name) | Counterpart::Supervisor(name) => name,
            Counterpart::Human | Counterpart::Own => "",
        }
    }
}

/// The choices that a file can have, of those of the user: their robots or supervisors are among the known ones. Others, and
/// those for classes that the file does not have, are warnings.
pub(super) fn usable<'a>(
    choices: &'a [StandIn],
    known: &[&str],
    is_in_file: impl Fn(&StandIn) -> bool,
    report: &mut Report,
) -> Vec<&'a StandIn> {
    let mut usable = Vec::new();
    for choice in choices {
        let (name, class) = (choice.name(), shown(&choice.class));
        let role = if matches!(choice.counterpart, Counterpart::Robot(_)) { "robot" } else { "supervisor" };
        if !known.contains(&name) {
            let known = join(&each_once(known.iter().copied()), "or");
            report.warning(
                0,
                "",
                format!("`--{role} {class}={name}` has no effect: expected {known} for a file of this kind"),
            );
        } else if !is_in_file(choice) {
            report.warning(
                0,
                "",
                format!("`--{role} {class}={name}` has no effect: no {role} of the file has this class"),
            );
        } else {
            usable.push(choice);
        }
    }
    usable
}

/// The names of this program for the robots, or for the supervisors, of pySimiam, and for the robots of ARGoS.
fn counterparts(is_robot: bool) -> impl Iterator<Item = (&'static str, Counterpart)> {
    let of_argos = ROBOTS.into_iter().filter(move |_| is_robot).map(|name| (name, Counterpart::Robot(name)));
    of_simiam(is_robot).chain(of_argos)
}

/// Names without those that came before.
fn each_once<'a>(all: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut names = Vec::new();
    for name in all {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// A text is not the choice of a robot or supervisor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", expected_stand_in(*.is_robot))]
pub struct StandInError {
    /// Whether a robot was expected, and not a supervisor.
    is_robot: bool,
}

fn expected_stand_in(is_robot: bool) -> String {
    let (form, example) = if is_robot { ("ROBOT", "UltraBot") } else { ("SUPERVISOR", "mine.MySupervisor") };
    let names = each_once(counterparts(is_robot).map(|(name, _)| name));
    let last = names.last().copied().unwrap_or_default();
    format!("expected CLASS={form} with the {} {}, such as {example}={last}", form.to_lowercase(), join(&names, "or"))
}
