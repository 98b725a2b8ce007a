//! Metrics with expressions over other metrics: `StepsUntil` and `JinjaMetric`.

use std::collections::{BTreeMap, BTreeSet};

use swarmarium_core::metric::Observing;
use swarmarium_kinds::metric::formula::Formula;
use swarmarium_kinds::metric::steps_until::{Meanwhile, StepsUntil};

use super::column::{Column, Scope};
use super::{Metrics, or_left_out, read_expression, read_initial};
use crate::fields::{Fields, Reader, Spot, as_number};
use crate::jinja::{self, Statement};
use crate::scalar::Scalar;
use crate::term::{Term, TermError};

impl Metrics<'_> {
    /// Reads a `StepsUntil`, whose inner metric has been read.
    pub(super) fn read_steps_until(
        &mut self,
        reader: &mut Reader,
        fields: &Fields,
        inner: &[Column],
        common: Observing,
    ) -> Option<String> {
        let spot = &fields.spot;
        let Some(metric) = inner.first() else {
            reader.problem(spot, "the `metric` is missing");
            return None;
        };
        let scope = Scope { inner, has_single: true, ..Scope::default() };
        // As in RobotSwarmSimulator, the sentinel takes precedence.
        let until = match (spot.node.get("sentinel"), fields.get("until_expression")) {
            (Some(node), _) if node.text() != Some("__none__") => {
                let value = match (node.scalar(), as_number(node)) {
                    (Scalar::Null, _) => Some("metric.value is none".to_owned()),
                    (_, Some(number)) => Some(format!("metric.value == {number:?}")),
                    (_, None) => None,
                };
                let Some(value) = value else {
                    reader.problem(spot, "the `sentinel` can only be a number, true, false or null");
                    return None;
                };
                self.translate(reader, spot, &value, &scope)
            }
            (_, Some(until)) => self.translate(reader, spot, until.node.text().unwrap_or_default(), &scope),
            _ => metric.term(false),
        };
        let until = or_left_out(reader, spot, until)?.holds();
        let meanwhile = match read_initial(reader, fields) {
            Some(value) => Meanwhile::Number { value },
            None => Meanwhile::Nothing,
        };
        self.add(reader, spot, StepsUntil { until, meanwhile }, common)
    }

    /// Reads a `JinjaMetric`. If it keeps its value while a condition does not hold, its formula names its own previous
    /// value.
    pub(super) fn read_jinja_metric(
        &mut self,
        reader: &mut Reader,
        fields: &Fields,
        inner: &[Column],
        common: Observing,
        is_listed: bool,
    ) -> Option<Column> {
        let spot = &fields.spot;
        let expression = read_expression(reader, fields)?;
        let initial = read_initial(reader, fields);
        let name = self.column_name(&Formula::default(), &common);
        let own = Column { name: Some(name.clone()), initial, ..Column::default() };
        let mut scope = Scope { inner, has_single: fields.get("metric").is_some(), ..Scope::default() };
        let statements = fields.text("template").map_or(Ok(Vec::new()), |text| jinja::template(&text));
        let statements = or_left_out(reader, spot, statements)?;
        let mut conditions = Vec::new();
        let held: Vec<Column>;
        if let Some(condition) = fields.text("eval_condition") {
            // The condition is evaluated first; the inner metrics are observed only if it holds.
            let names = inner.iter().enumerate().map(|(index, column)| (format!("{name}_{index}"), column.clone()));
            // Until the condition holds for the first time, they have no values.
            let names = names.map(|(name, column)| Column {
                name: Some(self.names.unique(&name, '_')),
                may_be_nothing: true,
                ..column
            });
            held = names.collect();
            scope = Scope { inner: &held, is_before: true, ..scope };
            let set = self.set_variables(reader, spot, &statements, &mut scope);
            let holds = set.and_then(|()| self.translate(reader, spot, &condition, &scope));
            let holds = or_left_out(reader, spot, holds)?.holds();
            for (held, column) in held.iter().zip(inner) {
                let value = column.term(false).and_then(|now| Ok(now.or_where(&holds, &held.term(true)?).value()));
                let (value, label) = (or_left_out(reader, spot, value)?, held.name.clone()?);
                let common = Observing { label: label.clone(), ..Observing::default() };
                self.add_as(reader, spot, Formula { value }, common, label)?;
            }
            conditions.push(holds);
            scope = Scope { is_before: false, variables: BTreeMap::new(), ..scope };
        }
        let set = self.set_variables(reader, spot, &statements, &mut scope);
        or_left_out(reader, spot, set)?;
        let variables = self.add_variable_columns(reader, spot, &name, &scope)?;
        let value = self.translate(reader, spot, &expression, &scope);
        let mut value = or_left_out(reader, spot, value)?;
        if let Some(condition) = fields.text("save_condition") {
            let holds = self.translate(reader, spot, &condition, &scope);
            conditions.push(or_left_out(reader, spot, holds)?.holds());
        }
        if !conditions.is_empty() {
            let before = own.term(true);
            value = value.or_where(&conditions.join(" and "), &or_left_out(reader, spot, before)?);
        }
        let may_be_nothing = value.may_be_nothing();
        let kind = Formula { value: value.value() };
        self.add_as(reader, spot, kind, common, name)?;
        if let Some(listed) = self.listed.get_mut(self.read_count).filter(|_| is_listed) {
            listed.variables = variables;
        }
        // `default` is only the value before the first step.
        let initial = initial.filter(|_| !may_be_nothing);
        Some(Column { may_be_nothing, initial, ..own })
    }

    /// Sets the variables of a template.
    fn set_variables(
        &mut self,
        reader: &mut Reader,
        spot: &Spot,
        statements: &[Statement],
        scope: &mut Scope,
    ) -> Result<(), TermError> {
        for statement in statements {
            match statement {
                Statement::Set(name, value) => {
                    let value = self.translate_parsed(reader, spot, value, scope)?;
                    scope.variables.insert(name.clone(), value);
                }
                Statement::If(branches, otherwise) => {
                    let before = scope.variables.clone();
                    self.set_variables(reader, spot, otherwise, scope)?;
                    for (condition, statements) in branches.iter().rev() {
                        let others = std::mem::replace(&mut scope.variables, before.clone());
                        let condition = self.translate_parsed(reader, spot, condition, scope)?.holds();
                        self.set_variables(reader, spot, statements, scope)?;
                        let names: BTreeSet<String> = scope.variables.keys().chain(others.keys()).cloned().collect();
                        let merged = names.into_iter().map(|name| {
                            let side = |terms: &BTreeMap<String, Term>| terms.get(&name).cloned();
                            let [value, other] = [&scope.variables, &others].map(side);
                            let merged = match (value, other) {
                                (Some(value), Some(other)) if value == other => value,
                                (value, other) => {
                                    let [value, other] = [value, other].map(|side| side.unwrap_or_else(Term::nothing));
                                    value.or_where(&condition, &other)
                                }
                            };
                            (name, merged)
                        });
                        scope.variables = merged.collect();
                    }
                }
            }
        }
        Ok(())
    }

    /// Adds columns for the variables of a template that expressions of other metrics name.
    fn add_variable_columns(
        &mut self,
        reader: &mut Reader,
        spot: &Spot,
        label: &str,
        scope: &Scope,
    ) -> Option<BTreeMap<String, Column>> {
        let mut columns = BTreeMap::new();
        for (name, term) in &scope.variables {
            if self.exported_variables.contains(name) {
                let common = Observing { label: format!("{label}_{name}"), ..Observing::default() };
                let column = self.add(reader, spot, Formula { value: term.value() }, common)?;
                // The variables have no values before the first step.
                columns.insert(name.clone(), Column { may_be_nothing: true, ..Column::named(column) });
            }
        }
        Some(columns)
    }
}
