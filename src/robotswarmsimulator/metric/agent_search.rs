//! `AnyAgent`, which looks for an agent that meets a condition.

use swarmarium_core::expression::PREVIOUS;
use swarmarium_core::metric::Observing;
use swarmarium_kinds::metric::any_agent::AnyAgent;
use swarmarium_kinds::metric::formula::Formula;

use super::column::Scope;
use super::{Metrics, has, or_left_out, read_expression, read_initial};
use crate::fields::{Fields, Reader, as_number};
use crate::jinja::{self, Expr};
use crate::scalar::Scalar;
use crate::term::{self, Term, TermError};

impl Metrics<'_> {
    /// Reads an `AnyAgent`, which keeps the last agent that it found if it `remembers`.
    pub(super) fn read_any_agent(
        &mut self,
        reader: &mut Reader,
        fields: &Fields,
        common: Observing,
        remembers: bool,
    ) -> Option<String> {
        let spot = &fields.spot;
        let expression = read_expression(reader, fields)?;
        let excluded = read_names(reader, fields, "exclude_names");
        let mut kind = AnyAgent {
            teams: read_names(reader, fields, "include_teams"),
            except_teams: read_names(reader, fields, "exclude_teams"),
            except: excluded.iter().flat_map(|name| (self.groups_named)(name)).collect(),
            ..Default::default()
        };
        let includes_nobody = has(fields, "include_teams") && kind.teams.is_empty();
        let expression = or_left_out(reader, spot, jinja::expression(&expression))?;
        let expression = or_left_out(reader, spot, extract_teams(expression, &mut kind))?;
        let scope = Scope { has_agent: true, ..Scope::default() };
        let when = self.translate_parsed(reader, spot, &expression, &scope);
        let when = or_left_out(reader, spot, when)?;
        kind.when = if includes_nobody { "false".into() } else { when.holds() };
        let found = spot.node.get("value_on_found");
        // `otherwise`, the value without such an agent, differs from all values with one.
        (kind.value, kind.otherwise) = match found.map(|node| (as_number(node), node.text())) {
            None | Some((None, Some("agent"))) => ("agent".to_owned(), -1.0),
            Some((None, Some("expression"))) => (when.value(), 0.0),
            Some((Some(number), _)) => (format!("{number:?}"), if number == 0.0 { -1.0 } else { 0.0 }),
            Some(_) => {
                reader.problem(spot, "`value_on_found` can be `agent`, `expression`, a number, true or false");
                return None;
            }
        };
        if self.has_objects && (kind.teams.is_empty() || kind.teams.iter().any(String::is_empty)) {
            reader.warning(spot, "tests agents only; RobotSwarmSimulator tests objects, too");
        }
        let initial = read_initial(reader, fields);
        let is_found = format!("!= {:?}", kind.otherwise);
        if !remembers {
            return self.add(reader, spot, kind, common);
        }
        let name = self.column_name(&kind, &common);
        let now = Observing { label: format!("{name}_now"), ..Observing::default() };
        let now = self.add(reader, spot, kind, now)?;
        let before = Term::column(&format!("{PREVIOUS}{name}"), initial);
        let value = Term::number(&now).or_where(&format!("{now} {is_found}"), &before).value();
        self.add_as(reader, spot, Formula { value }, common, name)
    }
}

/// Moves the comparisons of teams, which are texts, from an expression into the parameters of a metric.
fn extract_teams(expression: Expr, kind: &mut AnyAgent) -> Result<Expr, TermError> {
    match expression {
        Expr::And(left, right) => {
            let (left, right) = (extract_teams(*left, kind)?, extract_teams(*right, kind)?);
            Ok(Expr::And(Box::new(left), Box::new(right)))
        }
        Expr::Compare(left, more) => match (term::path(&left).as_deref(), &more[..]) {
            (Some("agent.team"), [("==", Expr::Text(team))]) => {
                let may_be_it = kind.teams.is_empty() || kind.teams.contains(team);
                kind.teams = vec![team.clone()];
                Ok(Expr::Truth(may_be_it))
            }
            (Some("agent.team"), [("!=", Expr::Text(team))]) => {
                kind.except_teams.push(team.clone());
                Ok(Expr::Truth(true))
            }
            (Some("agent.team" | "agent.name"), _) => Err(TermError::TextComparison),
            _ => Ok(Expr::Compare(left, more)),
        },
        other => Ok(other),
    }
}

/// Reads the names in a list, or a single name. An empty name stands for agents without a name.
fn read_names(reader: &mut Reader, fields: &Fields, key: &str) -> Vec<String> {
    let Some(spot) = fields.get(key) else { return Vec::new() };
    if let Some(name) = spot.node.text() {
        return vec![name.to_owned()];
    }
    let items = reader.items(Some(spot));
    let named = items.iter().map(|item| item.node).map(|node| node.text().filter(|_| node.scalar() != Scalar::Null));
    named.map(|name| name.unwrap_or_default().to_owned()).collect()
}
