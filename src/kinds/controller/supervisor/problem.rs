//! Problems of supervisors, as messages for authors of scenes.

use std::collections::{HashMap, HashSet};

use swarmarium_core::expression::{ALWAYS, Expression};
use swarmarium_core::text::wording::suggestion;

use super::Supervisor;
use super::condition::{Angle, Condition, Test};
use super::context::NAMES;

/// The maximum number of tests of one condition, counted through all conditions that it combines. They are evaluated
/// recursively and must fit on the stack.
const MAX_TESTS: u64 = 256;

/// The first problem, with the path to it.
pub fn of(supervisor: &Supervisor) -> Option<String> {
    let states: Vec<&str> = supervisor.states.iter().map(|state| state.name.as_str()).collect();
    if states.is_empty() {
        return Some("states: a supervisor needs at least one state".into());
    }
    let conditions: Vec<&str> = supervisor.conditions.iter().map(|condition| condition.name.as_str()).collect();
    let condition_problems = supervisor.conditions.iter().enumerate().find_map(|(place, condition)| {
        let wrong = of_condition(condition, &conditions[..place], &conditions, &states);
        wrong.map(|(field, message)| format!("conditions[{place}].{field}: {message}"))
    });
    let unknown = |what: &str, name: &str, known: &[&str]| {
        let near = || suggestion(name, known);
        (!known.contains(&name)).then(|| format!("there is no {what} `{name}`{}", near()))
    };
    let state_problems = supervisor.states.iter().enumerate().find_map(|(place, state)| {
        let wrong = match state.name.as_str() {
            "" => Some(("name".to_owned(), "a state needs a name".to_owned())),
            name if states[..place].contains(&name) => Some(("name".into(), format!("the name `{name}` is taken"))),
            _ => None,
        };
        let notes = || match state.record_when.as_str() {
            "" => None,
            notes => unknown("condition", notes, &conditions).map(|message| ("record_when".to_owned(), message)),
        };
        let exits = || {
            state.transitions.iter().enumerate().find_map(|(exit, transition)| {
                let itself =
                    (transition.to == state.name).then(|| "a transition must lead to another state".to_owned());
                let to = itself.or_else(|| unknown("state", &transition.to, &states));
                let to = to.map(|message| (format!("transitions[{exit}].to"), message));
                to.or_else(|| {
                    let when = unknown("condition", &transition.when, &conditions);
                    when.map(|message| (format!("transitions[{exit}].when"), message))
                })
            })
        };
        let outputs = || state.outputs.problem().map(|(field, message)| (format!("outputs.{field}"), message));
        let wrong = wrong.or_else(notes).or_else(outputs).or_else(exits);
        wrong.map(|(field, message)| format!("states[{place}].{field}: {message}"))
    });
    condition_problems
        .or_else(|| oversized(&supervisor.conditions))
        .or(state_problems)
        .or_else(|| unreachable(supervisor))
}

/// The problem of a condition and the field in which it is.
fn of_condition(condition: &Condition, above: &[&str], all: &[&str], states: &[&str]) -> Option<(String, String)> {
    let Condition { name, test } = condition;
    if name.is_empty() || above.contains(&name.as_str()) {
        let message =
            if name.is_empty() { "a condition needs a name".into() } else { format!("the name `{name}` is taken") };
        return Some(("name".into(), message));
    }
    let part = |name: &String| {
        let is_below = all.contains(&name.as_str()) && !above.contains(&name.as_str());
        let below = is_below.then(|| format!("`{name}` must stand above the conditions that use it"));
        below.or_else(|| {
            let near = suggestion(name, above);
            (!above.contains(&name.as_str())).then(|| format!("there is no condition `{name}` above this one{near}"))
        })
    };
    let state = |field: &str, name: &String| {
        let near = suggestion(name, states);
        let message = format!("there is no state `{name}`{near}");
        (!states.contains(&name.as_str())).then(|| (format!("test.{field}"), message))
    };
    match test {
        Test::All { of } | Test::Any { of } if of.is_empty() => {
            Some(("test.of".into(), "it needs at least one condition".into()))
        }
        Test::All { of } | Test::Any { of } => {
            let wrong = of.iter().enumerate().find_map(|(place, name)| Some((place, part(name)?)));
            wrong.map(|(place, message)| (format!("test.of[{place}]"), message))
        }
        Test::Not { of } => part(of).map(|message| ("test.of".into(), message)),
        Test::Within { of: Angle::Way { state: name }, .. } => state("of.state", name),
        Test::Within { of: Angle::OffLastWay { way }, .. } => state("of.way", way),
        Test::Within { of: Angle::OffWall { along, way }, .. } => {
            state("of.along", along).or_else(|| state("of.way", way))
        }
        Test::RawOffWall { along, way } => state("along", along).or_else(|| state("way", way)),
        Test::Expression { holds } => {
            let known = [&ALWAYS[..], &NAMES].concat();
            Expression::check(holds, &known).err().map(|error| ("test.holds".into(), error.to_string()))
        }
        Test::Nearer { .. }
        | Test::Farther { .. }
        | Test::Within { .. }
        | Test::After { .. }
        | Test::Above { .. }
        | Test::Below { .. } => None,
    }
}

/// A condition that takes too long to evaluate because it combines too many others.
fn oversized(conditions: &[Condition]) -> Option<String> {
    let mut tests: HashMap<&str, u64> = HashMap::new();
    conditions.iter().enumerate().find_map(|(place, Condition { name, test })| {
        let parts = test.parts().iter().filter_map(|part| tests.get(part.as_str()));
        let all = parts.fold(1_u64, |sum, tests| sum.saturating_add(*tests));
        tests.insert(name, all);
        (all > MAX_TESTS).then(|| {
            format!("conditions[{place}].test.of: `{name}` is made of {all} tests, each counted as often as it is named; at most {MAX_TESTS} are allowed")
        })
    })
}

/// A state that cannot be reached from the first one.
fn unreachable(supervisor: &Supervisor) -> Option<String> {
    let mut reached = HashSet::new();
    let mut open: Vec<_> = supervisor.states.first().into_iter().collect();
    while let Some(state) = open.pop() {
        if reached.insert(state.name.as_str()) {
            open.extend(state.transitions.iter().filter_map(|exit| supervisor.state(&exit.to)));
        }
    }
    let alone = supervisor.states.iter().position(|state| !reached.contains(state.name.as_str()))?;
    let name = &supervisor.states[alone].name;
    Some(format!("states[{alone}].name: no transition leads to `{name}`"))
}
