//! Moments in words: "first collision of millers-3".

use strum::IntoEnumIterator as _;
use swarmarium_host::clock::host::Seek;
use swarmarium_simulation::simulation::Simulation;

use crate::action::MomentCondition;
use crate::common::moments::MomentKind;
use crate::common::offset::{self, Offset};

/// Words for the moment among all moments of a kind.
const SEEKS: &[(Seek, &[&str])] = &[
    (Seek::First, &["first", "earliest"]),
    (Seek::Previous, &["previous", "prev", "before"]),
    (Seek::Next, &["next", "following", "after"]),
    (Seek::Last, &["last", "latest", "final"]),
];

/// Words that are ignored.
const FILLERS: &[&str] =
    &["the", "a", "an", "when", "find", "moment", "step", "time", "go", "to", "did", "does", "swarm"];

/// Words for moments of any kind.
const ANY: &[&str] = &["anything", "any", "event", "events", "moment", "moments"];

/// Returns the words for a kind, each in the singular.
fn words(kind: MomentKind) -> &'static [&'static str] {
    match kind {
        MomentKind::Collision => {
            &["collision", "collide", "contact", "crash", "bump", "touch", "hit", "ran into", "run into"]
        }
        MomentKind::Arrival => &["arrival", "arrive", "arrived", "goal reached", "reach goal", "reached goal"],
        MomentKind::Fault => &["fault", "failure", "fail", "failed", "breakdown", "defect"],
        MomentKind::Switch => {
            &["change of state", "state change", "switch", "switched", "transition", "behaviour change", "supervisor"]
        }
        MomentKind::Grip => &["grasp or release", "grasp", "grip", "release", "pick up", "grab"],
        MomentKind::Script => &["error of a script", "script error", "error", "script failure"],
        MomentKind::Loss => &["packet loss", "loss", "lost packet", "radio loss"],
        MomentKind::Split => &["split", "break up", "separate", "separation"],
        MomentKind::Merge => &["merge", "join", "reunion", "reunite"],
        MomentKind::Highest => &["maximum", "highest", "max", "peak", "best value", "largest"],
        MomentKind::Lowest => &["minimum", "lowest", "min", "trough", "smallest"],
        MomentKind::Steady => {
            &["steady state", "steady", "settled", "settle", "equilibrium", "converged", "convergence"]
        }
    }
}

/// Moments in words.
#[derive(Clone, Debug, PartialEq)]
pub struct Phrase {
    /// The condition.
    pub condition: MomentCondition,
    /// The moment among those, if it is named.
    pub seek: Option<Seek>,
    /// The distance of the wanted moment from it, if one is named.
    pub offset: Option<Offset>,
}

/// Reads moments in words; `None` if the text does not name a kind of moment.
pub fn read(text: &str, simulation: &Simulation) -> Option<Phrase> {
    let text = text.trim().to_lowercase();
    match offset::split(&text) {
        Some((offset, moment)) => Some(Phrase { offset: Some(offset), ..read_moment(moment.into(), simulation)? }),
        None => read_moment(text, simulation),
    }
}

/// Reads moments in words in lower case.
fn read_moment(text: String, simulation: &Simulation) -> Option<Phrase> {
    let (text, robot) = match text.rsplit_once(" of ").or_else(|| text.rsplit_once(" by ")) {
        Some((before, name)) => match robot(name.trim(), simulation) {
            Some(robot) => (before.to_owned(), Some(robot)),
            None => (text, None),
        },
        None => (text, None),
    };
    let is = |word: &str, words: &[&str]| words.contains(&word);
    let all: Vec<&str> = text.split_whitespace().collect();
    let seek = all.iter().find_map(|word| SEEKS.iter().find(|(_, words)| is(word, words)).map(|(seek, _)| *seek));
    let rest: Vec<&str> = all.iter().copied().filter(|word| !SEEKS.iter().any(|(_, words)| is(word, words))).collect();
    let (asked, fillers): (Vec<&str>, Vec<&str>) = rest.iter().partition(|word| !is(word, FILLERS));
    let asked = asked.join(" ");
    let singular = |text: &str| text.strip_suffix('s').map(str::to_owned);
    let matches = |kind: MomentKind| {
        let names = [kind.name(), kind.plural()];
        let known = |text: &str| names.contains(&text) || is(text, words(kind));
        known(&asked) || known(&rest.join(" ")) || singular(&asked).is_some_and(|asked| known(&asked))
    };
    let any = is(&asked, ANY) || (asked.is_empty() && seek.is_some() && is("moment", &fillers));
    let condition = match MomentKind::iter().find(|kind| matches(*kind)) {
        Some(kind) => MomentCondition::Kind(kind, robot.filter(|_| kind.has_robots())),
        None if any => MomentCondition::Any,
        None => return None,
    };
    Some(Phrase { condition, seek, offset: None })
}

/// Returns the number of the robot with a name or a number.
fn robot(name: &str, simulation: &Simulation) -> Option<u32> {
    let number = name.strip_prefix("robot ").unwrap_or(name).parse().ok();
    let number = number.filter(|number| simulation.agent(*number).is_some());
    number.or_else(|| Some(simulation.agents().find(|agent| agent.name().to_lowercase() == name)?.id.index()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use swarmarium_lab_testing::lab_on;

    #[test]
    fn distances_from_a_moment_are_read_from_words() {
        let lab = lab_on("milling");
        let read = |text: &str| read(text, lab.run.host.simulation());
        let first = Phrase {
            condition: MomentCondition::Kind(MomentKind::Collision, None),
            seek: Some(Seek::First),
            offset: Some(Offset::Time(-3.0)),
        };
        assert_eq!(read("3 s before the first collision"), Some(first));
        assert_eq!(read("3 s before breakfast"), None);
    }

    #[test]
    fn moments_are_read_from_words() {
        let lab = lab_on("milling");
        let read = |text: &str| read(text, lab.run.host.simulation()).map(|phrase| (phrase.condition, phrase.seek));
        let kind = |kind| MomentCondition::Kind(kind, None);
        assert_eq!(read("first collision"), Some((kind(MomentKind::Collision), Some(Seek::First))));
        assert_eq!(read(" Last  Collisions "), Some((kind(MomentKind::Collision), Some(Seek::Last))));
        assert_eq!(read("the next crash"), Some((kind(MomentKind::Collision), Some(Seek::Next))));
        assert_eq!(read("previous change of state"), Some((kind(MomentKind::Switch), Some(Seek::Previous))));
        assert_eq!(read("steady state"), Some((kind(MomentKind::Steady), None)));
        assert_eq!(read("when did the swarm split"), Some((kind(MomentKind::Split), None)));
        assert_eq!(read("first moment"), Some((MomentCondition::Any, Some(Seek::First))));
        let name = lab.run.host.simulation().agent(2).unwrap().name();
        let of_robot = MomentCondition::Kind(MomentKind::Collision, Some(2));
        assert_eq!(read(&format!("first collision of {name}")), Some((of_robot.clone(), Some(Seek::First))));
        assert_eq!(read("collision of 2"), Some((of_robot, None)));
        for other in ["", "circliness > 0.9", "open milling", "first", "collision detection", "27.5 s", "reset"] {
            assert_eq!(read(other), None, "{other}");
        }
        for kind in MomentKind::iter() {
            assert_eq!(read(kind.name()), Some((MomentCondition::Kind(kind, None), None)));
            assert_eq!(read(kind.plural()), Some((MomentCondition::Kind(kind, None), None)));
        }
    }
}
