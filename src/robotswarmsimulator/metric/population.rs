//! Expressions over the population, which become expressions over its agents one by one.

use super::Metrics;
use super::lookup::{place_of, split_index};
use crate::language::python::{Expr, visit_names};
use crate::term;

/// The most agents of a population whose expressions become expressions over each agent.
const MAX_AGENTS: usize = 200;

/// An agent of a list, and the condition under which it is in the list; `None` if it always is.
struct Candidate {
    agent: usize,
    condition: Option<Expr>,
}

impl Metrics<'_> {
    /// The expression without lists of agents, and without their names and teams, which never change.
    ///
    /// `world.population|map(attribute='angle')|max` becomes `[world.population[0].angle, …]|max`.
    pub(super) fn unfold(&self, expression: &Expr) -> Expr {
        if let Some(unfolded) = self.unfold_whole(expression) {
            return unfolded;
        }
        let one = |inner: &Expr| Box::new(self.unfold(inner));
        let all = |parts: &[Expr]| parts.iter().map(|part| self.unfold(part)).collect();
        match expression {
            Expr::Attribute(inner, name) => Expr::Attribute(one(inner), name.clone()),
            Expr::Item(inner, index) => Expr::Item(one(inner), one(index)),
            Expr::Call(inner, parts) => Expr::Call(one(inner), all(parts)),
            Expr::Filter(inner, name, parts) => Expr::Filter(one(inner), name.clone(), all(parts)),
            Expr::Test(inner, name, parts) => Expr::Test(one(inner), name.clone(), all(parts)),
            Expr::List(parts) => Expr::List(all(parts)),
            Expr::Tuple(parts) => Expr::Tuple(all(parts)),
            Expr::Signed(sign, inner) => Expr::Signed(sign, one(inner)),
            Expr::Not(inner) => Expr::Not(one(inner)),
            Expr::Binary(operator, left, right) => Expr::Binary(operator, one(left), one(right)),
            Expr::And(left, right) => Expr::And(one(left), one(right)),
            Expr::Or(left, right) => Expr::Or(one(left), one(right)),
            Expr::If(condition, value, otherwise) => Expr::If(one(condition), one(value), one(otherwise)),
            Expr::Compare(first, more) => {
                Expr::Compare(one(first), more.iter().map(|(operator, part)| (*operator, self.unfold(part))).collect())
            }
            other => other.clone(),
        }
    }

    /// The expression for one whose list of agents is gone as a whole; `None` for others.
    fn unfold_whole(&self, expression: &Expr) -> Option<Expr> {
        match expression {
            Expr::Compare(left, more) => match &more[..] {
                [(operator, right)] => self.compared_text(left, operator, right),
                _ => None,
            },
            // `(list|first).angle`.
            Expr::Attribute(inner, name) => self.of_one(inner, &|agent| Expr::Attribute(Box::new(agent), name.clone())),
            Expr::Item(inner, index) => self.of_one(inner, &|agent| Expr::Item(Box::new(agent), index.clone())),
            Expr::Call(inner, parts) => self.of_one(inner, &|agent| Expr::Call(Box::new(agent), parts.clone())),
            Expr::Filter(inner, name, _) if matches!(name.as_str(), "length" | "count") => {
                let path = term::path(inner);
                let agents = self.agent_list(inner).filter(|_| path.is_none())?;
                let one = || Box::new(Expr::Number("1".into()));
                let zero = || Box::new(Expr::Number("0".into()));
                let fixed = agents.iter().filter(|agent| agent.condition.is_none()).count();
                let counted = agents.into_iter().filter_map(|agent| agent.condition);
                let counted = counted.map(|condition| Expr::If(Box::new(condition), one(), zero()));
                let fixed = Expr::Number(fixed.to_string());
                Some(counted.fold(fixed, |sum, next| Expr::Binary("+", Box::new(sum), Box::new(next))))
            }
            Expr::Filter(..) => self.values(expression).map(Expr::List),
            _ => None,
        }
    }

    /// The values of an attribute of agents: `list|map(attribute='angle')`.
    fn values(&self, expression: &Expr) -> Option<Vec<Expr>> {
        let Expr::Filter(inner, name, arguments) = expression else { return None };
        match (name.as_str(), &arguments[..]) {
            ("list", []) => self.values(inner),
            ("map", [Expr::Named(word, path)]) if word == "attribute" => {
                let Expr::Text(path) = &**path else { return None };
                let agents = self.agent_list(inner)?;
                let value = |agent: Candidate| agent.condition.is_none().then(|| attribute(agent.agent, path));
                agents.into_iter().map(value).collect()
            }
            _ => None,
        }
    }

    /// The agents of `world.population`, with filters.
    fn agent_list(&self, expression: &Expr) -> Option<Vec<Candidate>> {
        if matches!(term::path(expression).as_deref(), Some("world.population" | "self.world.population")) {
            let all = Some(self.agents()).filter(|all| *all <= MAX_AGENTS)?;
            return Some((0..all).map(|agent| Candidate { agent, condition: None }).collect());
        }
        let Expr::Filter(inner, name, arguments) = expression else { return None };
        let agents = self.agent_list(inner)?;
        let is_selection = match name.as_str() {
            "list" => return Some(agents),
            "selectattr" => true,
            "rejectattr" => false,
            _ => return None,
        };
        let (Expr::Text(path), test) = (arguments.first()?, arguments.get(1)) else { return None };
        let test = match (test, arguments.get(2)) {
            (None, _) => None,
            (Some(Expr::Text(test)), value) => Some((operator(test)?, value?)),
            _ => return None,
        };
        // A list of agents in the value would grow with each of them.
        let mut has_names = false;
        if let Some((_, value)) = &test {
            visit_names(value, &mut |_| has_names = true);
        }
        if has_names {
            return None;
        }
        let chosen = |Candidate { agent, condition }: Candidate| {
            let value = attribute(agent, path);
            let holds = match &test {
                None => value,
                Some((operator, other)) => Expr::Compare(Box::new(value), vec![(operator, (*other).clone())]),
            };
            let holds = self.unfold(&holds);
            let condition = match (holds, condition) {
                (Expr::Truth(truth), _) if truth != is_selection => return None,
                (Expr::Truth(_), condition) => condition,
                (holds, condition) => {
                    let holds = if is_selection { holds } else { Expr::Not(Box::new(holds)) };
                    Some(match condition {
                        Some(condition) => Expr::And(Box::new(condition), Box::new(holds)),
                        None => holds,
                    })
                }
            };
            Some(Candidate { agent, condition })
        };
        Some(agents.into_iter().filter_map(chosen).collect())
    }

    /// A value of the first or the last agent of a list: `(list|first).angle`.
    fn of_one(&self, expression: &Expr, value: &dyn Fn(Expr) -> Expr) -> Option<Expr> {
        // The attribute of an attribute, as in `(list|first).pos[0]`.
        let found = match expression {
            Expr::Attribute(inner, name) => {
                return self.of_one(inner, &|agent| value(Expr::Attribute(Box::new(agent), name.clone())));
            }
            Expr::Filter(inner, name, _) if name == "first" => self.agent_list(inner)?,
            Expr::Filter(inner, name, _) if name == "last" => self.agent_list(inner)?.into_iter().rev().collect(),
            Expr::Item(inner, index) if term::path(inner).is_none() => {
                let agents = self.agent_list(inner)?;
                let Expr::Number(index) = &**index else { return None };
                let place = place_of(index.parse().ok()?, agents.len())?;
                agents.into_iter().skip(place).take(1).collect()
            }
            _ => return None,
        };
        let mut result: Option<Expr> = None;
        for Candidate { agent, condition } in found.into_iter().rev() {
            let own = value(agent_at(agent));
            result = Some(match (condition, result) {
                (Some(condition), otherwise) => {
                    let otherwise = otherwise.unwrap_or(Expr::Nothing);
                    Expr::If(Box::new(condition), Box::new(own), Box::new(otherwise))
                }
                (None, _) => own,
            });
        }
        result
    }

    /// Whether the name or the team of an agent, as text, compares with another text.
    fn compared_text(&self, left: &Expr, operator: &str, right: &Expr) -> Option<Expr> {
        let left = self.unfold(left);
        let path = term::path(&left)?;
        let (index, rest) = split_index(path.strip_prefix("world.population[")?)?;
        let agent = place_of(index, self.agents())?;
        let is_same = |text: &str| match rest {
            ".name" => Some(self.has_name(agent, text)),
            ".team" => Some(self.group_of(agent)?.0.team == text),
            _ => None,
        };
        let text = |expression: &Expr| if let Expr::Text(text) = expression { Some(text.clone()) } else { None };
        let is_in = |list: &[Expr]| {
            let same = list.iter().map(|item| is_same(&text(item)?)).collect::<Option<Vec<bool>>>()?;
            Some(same.contains(&true))
        };
        Some(Expr::Truth(match (operator, right) {
            ("==", right) => is_same(&text(right)?)?,
            ("!=", right) => !is_same(&text(right)?)?,
            ("in", Expr::List(list) | Expr::Tuple(list)) => is_in(list)?,
            ("not in", Expr::List(list) | Expr::Tuple(list)) => !is_in(list)?,
            _ => return None,
        }))
    }

    /// The group of an agent, and its number in the group.
    fn group_of(&self, agent: usize) -> Option<(&swarmarium_scene::scene::description::Group, usize)> {
        let mut rest = agent;
        for group in self.groups {
            let count = group.agents() as usize;
            if rest < count {
                return Some((group, rest));
            }
            rest -= count;
        }
        None
    }

    /// Whether an agent has a name in the file.
    fn has_name(&self, agent: usize, name: &str) -> bool {
        self.group_of(agent).is_some_and(|(group, number)| {
            let own = [group.name.clone(), format!("{}-{number}", group.name)];
            (self.groups_named)(name).iter().any(|known| own.contains(known))
        })
    }
}

/// `world.population[agent]`.
fn agent_at(agent: usize) -> Expr {
    let population = Expr::Attribute(Box::new(Expr::Name("world".into())), "population".into());
    Expr::Item(Box::new(population), Box::new(Expr::Number(agent.to_string())))
}

/// An attribute of an agent by its path, such as `pos.0`.
fn attribute(agent: usize, path: &str) -> Expr {
    path.split('.').fold(agent_at(agent), |value, part| match part.parse::<usize>() {
        Ok(_) => Expr::Item(Box::new(value), Box::new(Expr::Number(part.to_owned()))),
        Err(_) => Expr::Attribute(Box::new(value), part.to_owned()),
    })
}

/// The operator of a test of Jinja.
fn operator(test: &str) -> Option<&'static str> {
    Some(match test {
        "eq" | "equalto" | "==" => "==",
        "ne" | "!=" => "!=",
        "lt" | "lessthan" | "<" => "<",
        "le" | "<=" => "<=",
        "gt" | "greaterthan" | ">" => ">",
        "ge" | ">=" => ">=",
        "in" => "in",
        _ => return None,
    })
}
