//! Paths in expressions: values of metrics, and attributes of agents.

use swarmarium_core::expression::{self, ALWAYS, Expression, PREVIOUS};
use swarmarium_core::metric::Observing;
use swarmarium_kinds::metric::any_agent::{AGENT_NAMES, AnyAgent};

use super::Metrics;
use super::column::Scope;
use crate::fields::{Reader, Spot};
use crate::jinja::{self, Expr};
use crate::term::{self, Term, TermError};

impl Metrics<'_> {
    /// A condition over the world and its metrics, evaluated after all metrics have been observed.
    ///
    /// # Errors
    /// Names the part that has no counterpart.
    pub fn condition(&mut self, reader: &mut Reader, spot: &Spot) -> Result<String, TermError> {
        let text = spot.node.text().unwrap_or_default();
        let after = self.translate(reader, spot, text, &Scope::default())?.holds();
        // Before the first step, no metric has a value yet. A comparison that Python refuses then does not hold.
        let start = Scope { is_at_start: true, ..Scope::default() };
        let Ok(before) = self.translate(reader, spot, text, &start).map(|term| term.holds()) else { return Ok(after) };
        let at_start = expression::Scope { count: self.agents(), ..expression::Scope::default() };
        if before == after || (at_start.value(&before) == 0.0 && !at_start.holds(&after)) {
            return Ok(after);
        }
        // `default` keeps the metrics, which have no values before the first step, from making the whole one without a value.
        Ok(format!("{before} if step == 0 else default((1 if {after} else 0), 0)"))
    }

    /// The number of agents after all of them are spawned.
    pub(super) fn agents(&self) -> usize {
        self.groups.iter().map(|group| group.agents() as usize).sum()
    }

    /// Translates the text of an expression.
    pub(super) fn translate(
        &mut self,
        reader: &mut Reader,
        spot: &Spot,
        text: &str,
        scope: &Scope,
    ) -> Result<Term, TermError> {
        let text = text.trim();
        let bare = text.strip_prefix("{{").and_then(|text| text.strip_suffix("}}")).unwrap_or(text);
        self.translate_parsed(reader, spot, &jinja::expression(bare)?, scope)
    }

    /// Translates an expression, and checks that the scene can evaluate the translation.
    pub(super) fn translate_parsed(
        &mut self,
        reader: &mut Reader,
        spot: &Spot,
        expression: &Expr,
        scope: &Scope,
    ) -> Result<Term, TermError> {
        let expression = &self.unfold(expression);
        let term = term::term(expression, &mut |path| self.translate_path(reader, spot, path, scope))?;
        let more: &[&str] = if scope.has_agent { &AGENT_NAMES } else { &[] };
        let mut known: Vec<&str> = ALWAYS.iter().chain(more).copied().collect();
        known.extend(self.columns.iter().map(String::as_str));
        let later = self.listed.iter().map(|listed| &listed.column).chain(scope.inner);
        let previous = later.filter_map(|column| column.name.as_ref()).chain(&self.columns);
        let previous: Vec<String> = previous.map(|name| format!("{PREVIOUS}{name}")).collect();
        known.extend(previous.iter().map(String::as_str));
        for text in [term.value(), term.holds()] {
            Expression::check(&text, &known)?;
        }
        Ok(term)
    }

    /// Translates a path; `None` if the path is unknown.
    fn translate_path(
        &mut self,
        reader: &mut Reader,
        spot: &Spot,
        path: &str,
        scope: &Scope,
    ) -> Result<Option<Term>, TermError> {
        if let Some(term) = scope.variables.get(path) {
            return Ok(Some(term.clone()));
        }
        if path == "world.total_steps" {
            return Ok(Some(Term::number("step")));
        }
        if let Some((_, number)) = self.constants.iter().find(|(known, _)| known == path) {
            return Ok(Some(Term::number(format!("{number:?}"))));
        }
        if scope.has_single && path.strip_prefix("metric").is_some_and(is_value) {
            return scope
                .inner
                .first()
                .ok_or_else(|| TermError::NoMetric("metric".into()))?
                .term(scope.is_before)
                .map(Some);
        }
        if let Some((index, rest)) = path.strip_prefix("metrics[").and_then(split_index) {
            let inner = &scope.inner[usize::from(scope.has_single).min(scope.inner.len())..];
            let column = place_of(index, inner.len()).map(|place| &inner[place]);
            let column = column.ok_or(TermError::NoInnerMetric(index))?;
            return if is_value(rest) { column.term(scope.is_before).map(Some) } else { Ok(None) };
        }
        if let Some((index, rest)) = path.strip_prefix("world.metrics[").and_then(split_index) {
            return self.translate_listed(index, rest, scope.is_at_start);
        }
        if let Some((index, rest)) = path.strip_prefix("world.population[").and_then(split_index) {
            let Some(of_agent) = rest.strip_prefix('.').and_then(agent_term) else { return Ok(None) };
            let agent = place_of(index, self.agents()).ok_or(TermError::AgentIndex(index))?;
            let asked = (agent, of_agent.value());
            if let Some(name) = self.asked_agents.get(&asked) {
                return Ok(Some(Term::number(name)));
            }
            let when = format!("agent == {agent}");
            let kind = AnyAgent { when, value: asked.1.clone(), ..Default::default() };
            let name =
                self.add(reader, spot, kind, Observing { label: format!("agent_{agent}"), ..Default::default() });
            self.asked_agents.extend(name.clone().map(|name| (asked, name)));
            return Ok(name.map(Term::number));
        }
        match path.strip_prefix("agent.") {
            Some(rest) if scope.has_agent => Ok(agent_term(rest)),
            _ => Ok(None),
        }
    }

    /// A value of a metric in the world's list, of this step; of the step before if the metric is observed later.
    fn translate_listed(&self, index: i64, rest: &str, is_at_start: bool) -> Result<Option<Term>, TermError> {
        let place = place_of(index, self.listed.len());
        let place = place.ok_or_else(|| TermError::NoMetric(format!("world.metrics[{index}]")))?;
        let (listed, is_before) = (&self.listed[place], place >= self.read_count);
        if is_value(rest) {
            return if is_at_start { listed.column.initial_term() } else { listed.column.term(is_before) }.map(Some);
        }
        match rest.strip_prefix(".module.") {
            Some(_) if is_before => Err(TermError::LaterVariable),
            Some(name) if is_at_start => Ok(listed.variables.get(name).map(|_| Term::nothing())),
            Some(name) => listed.variables.get(name).map(|column| column.term(false)).transpose(),
            None => Ok(None),
        }
    }
}

/// Translates an attribute of an agent.
fn agent_term(attribute: &str) -> Option<Term> {
    let number = |name: &str| Some(Term::number(name));
    match attribute {
        "pos[0]" | "position[0]" | "getPosition()[0]" | "get_x_pos()" => number("x_m"),
        "pos[1]" | "position[1]" | "getPosition()[1]" | "get_y_pos()" => number("y_m"),
        "angle" | "get_heading()" => number("heading_rad"),
        "radius" => number("radius_m"),
        "collision_flag" | "collided" => number("collided"),
        "dead" => number("dead"),
        _ => {
            let (slot, rest) = split_index(attribute.strip_prefix("sensors[")?)?;
            let name = AGENT_NAMES.iter().find(|name| **name == format!("sensor_{slot}"))?;
            (rest == ".current_state").then(|| Term::number(*name))
        }
    }
}

/// Whether the end of a path is the value of a metric.
fn is_value(rest: &str) -> bool {
    matches!(rest, ".value" | ".current_value")
}

/// The number before a bracket, and the text after the bracket.
pub(super) fn split_index(text: &str) -> Option<(i64, &str)> {
    let (index, rest) = text.split_once(']')?;
    Some((index.parse().ok()?, rest))
}

/// The place of an index, which can count from the end.
pub(super) fn place_of(index: i64, count: usize) -> Option<usize> {
    let place = if index < 0 { index.checked_add(i64::try_from(count).ok()?)? } else { index };
    usize::try_from(place).ok().filter(|place| *place < count)
}
