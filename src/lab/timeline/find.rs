//! "Back to when": the search for the step of an event, or the step at which a condition became true.

use bevy_egui::egui::{self, Align2, Key, TextEdit, Ui};
use swarmarium_core::agent::contact::OnCollision;
use swarmarium_core::clock::host::{Direction, MomentSearch};
use swarmarium_core::events::EventKind;
use swarmarium_core::simulation::Simulation;
use swarmarium_core::timeline::Moment;

use crate::action::{MomentCondition, TimelineAction};
use crate::plots::Trigger;
use crate::progress::Progress;
use crate::selection::robot_name;
use crate::text::grouped;
use crate::widgets::{choose, named};
use crate::{Action, Lab, theme};

/// Width of the panel, in points.
const WIDTH_PX: f32 = 340.0;
/// The tooltip of the expression field.
const EXPRESSION_HELP: &str = "Finds the step at which the expression becomes true, such as t_s > 10 or \
     agents.0.x_m < 1. It can contain metrics, paths, step, t_s and count, as in \"Pause when\" (Enter)";

/// A running search.
pub struct Search {
    search: MomentSearch,
    condition: MomentCondition,
    direction: Direction,
    /// The expression of the condition.
    trigger: Option<Trigger>,
}

/// Whether a condition holds at the end of a step.
fn holds(condition: &MomentCondition, trigger: &mut Option<Trigger>, selected: Option<u32>, now: &Simulation) -> bool {
    let happened = |kind: EventKind, robot: Option<u32>| {
        let mut events = now.events().since(now.steps());
        events.any(|event| event.kind == kind && robot.is_none_or(|robot| event.who.index() == robot))
    };
    match condition {
        MomentCondition::Collision(robot) => happened(EventKind::Collision, *robot),
        MomentCondition::Switch(robot) => happened(EventKind::Switch, *robot),
        MomentCondition::Expression(_) => trigger.as_mut().is_some_and(|trigger| {
            trigger.observe(crate::plots::Watched { simulation: now, selected });
            trigger.holds()
        }),
    }
}

impl Lab {
    /// Describes the fulfilled condition in words.
    fn condition_text(&self, condition: &MomentCondition) -> String {
        let who = |robot: &Option<u32>, any: &str| {
            robot.map_or_else(|| any.to_owned(), |robot| robot_name(self.host.simulation(), robot))
        };
        match condition {
            MomentCondition::Collision(robot) => format!("{} ran into something", who(robot, "a robot")),
            MomentCondition::Switch(robot) => format!("{} changed its state", who(robot, "a supervisor")),
            MomentCondition::Expression(text) => format!("{text} became true"),
        }
    }

    fn of_robot(&self, robot: Option<u32>) -> String {
        robot.map_or_else(String::new, |robot| format!(" of {}", robot_name(self.host.simulation(), robot)))
    }

    /// Pauses and starts the search for a moment.
    pub(crate) fn find_moment(&mut self, condition: MomentCondition, direction: Direction) {
        let watched = self.plots.history.watched(self.host.simulation());
        let trigger = match &condition {
            MomentCondition::Expression(text) => match Trigger::new(text, watched) {
                Ok(Some(trigger)) => Some(trigger),
                Ok(None) => {
                    return self.tell_error(format!(
                        "Type an expression, such as {}",
                        Trigger::example(self.host.simulation())
                    ));
                }
                Err(error) => return self.tell_error(error),
            },
            _ => None,
        };
        self.host.clock_mut().paused = true;
        match self.host.search(direction) {
            Ok(search) => self.timeline.search = Some(Search { search, condition, direction, trigger }),
            Err(error) => self.tell_error(error),
        }
    }

    /// Continues the search while the budget allows it. Returns whether a search runs.
    pub(crate) fn go_on_with_search(&mut self, budget: &mut impl FnMut() -> bool) -> bool {
        let Some(Search { mut search, condition, direction, mut trigger }) = self.timeline.search.take() else {
            return false;
        };
        let now = self.host.moment();
        if search.began() != now {
            // Another moment is shown, so the search no longer starts from the present one.
            return false;
        }
        let selected = self.plots.history.selected();
        let found = search.advance(&self.host, |now| holds(&condition, &mut trigger, selected, now), &mut *budget);
        match found {
            Ok(None) => self.timeline.search = Some(Search { search, condition, direction, trigger }),
            Ok(Some(Some(step))) => {
                let time_s = step as f64 * self.host.simulation().time().dt_s;
                self.say(&format!("Step {} ({time_s:.2} s): {}", grouped(step), self.condition_text(&condition)));
                self.go_to(Moment { step, ..now });
            }
            Ok(Some(None)) => {
                let side = if direction == Direction::Back { "before" } else { "after" };
                let what = match &condition {
                    MomentCondition::Collision(robot) => format!("collision{}", self.of_robot(*robot)),
                    MomentCondition::Switch(robot) => format!("change of state{}", self.of_robot(*robot)),
                    MomentCondition::Expression(text) => format!("moment at which {text} became true"),
                };
                let mut text = format!("No {what} {side} this moment");
                let pushes = self.host.scene().on_collision == OnCollision::Push;
                if pushes && matches!(condition, MomentCondition::Collision(_)) {
                    text += ": with on_collision: Push, contacts of robots are not logged. Search for a \
                             condition instead, such as total_collisions > 0 with the metric Collisions";
                }
                self.say(&text);
            }
            Err(error) => self.tell_error(error),
        }
        true
    }

    /// Returns the progress of the search.
    pub(crate) fn search_progress(&self) -> Option<Progress> {
        self.timeline.search.as_ref().map(|search| search.search.progress())
    }

    /// Cancels the search. Returns whether one was running.
    pub(crate) fn cancel_search(&mut self) -> bool {
        self.timeline.search.take().is_some()
    }
}

/// The subject of the search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Sought {
    #[default]
    Collision,
    Switch,
    Expression,
}

/// The panel "Back to when".
#[derive(Default)]
pub struct FindPanel {
    sought: Sought,
    of_selected: bool,
    expression: String,
}

impl FindPanel {
    /// Draws the panel while it is open, and returns the requested actions.
    pub fn ui(&mut self, ctx: &egui::Context, lab: &Lab) -> Vec<Action> {
        let mut actions = Vec::new();
        if !lab.popups.find {
            return actions;
        }
        let mut is_open = true;
        let window = egui::Window::new("Back to when").open(&mut is_open).pivot(Align2::RIGHT_BOTTOM);
        let corner = lab.timeline.corner_px.unwrap_or(lab.viewport.rect_px.right_bottom());
        let window = window.default_pos(corner - egui::vec2(theme::PAD, theme::GAP));
        window.resizable(false).collapsible(false).fade_in(false).show(ctx, |ui| {
            ui.set_width(WIDTH_PX);
            self.content(ui, lab, &mut actions);
        });
        if !is_open {
            actions.push(TimelineAction::FindPanel.into());
        }
        actions
    }

    fn content(&mut self, ui: &mut Ui, lab: &Lab, actions: &mut Vec<Action>) {
        let choices = [
            (Sought::Collision, "A collision", "Finds a step in which a robot collided with something"),
            (Sought::Switch, "A change of state", "Finds a step in which a supervisor changed its state"),
            (Sought::Expression, "A condition", "Finds a step at which an expression became true"),
        ];
        ui.horizontal(|ui| choose(ui, &mut self.sought, &choices));
        let selected = lab.plots.history.selected();
        let enters = match self.sought {
            Sought::Expression => {
                let field =
                    TextEdit::singleline(&mut self.expression).hint_text(Trigger::example(lab.host.simulation()));
                let field = ui.add(field.desired_width(f32::INFINITY));
                named(&field, "Condition to find");
                let field = field.on_hover_text(EXPRESSION_HELP);
                field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter))
            }
            _ => {
                let name = selected.map(|robot| robot_name(lab.host.simulation(), robot));
                let text = name.map_or("Only of the selected robot".into(), |name| format!("Only of {name}"));
                let hint = "Searches only events of the selected robot; select a robot first";
                ui.add_enabled_ui(selected.is_some(), |ui| {
                    ui.checkbox(&mut self.of_selected, text).on_hover_text(hint).on_disabled_hover_text(hint);
                });
                false
            }
        };
        let robot = selected.filter(|_| self.of_selected);
        let condition = match self.sought {
            Sought::Collision => MomentCondition::Collision(robot),
            Sought::Switch => MomentCondition::Switch(robot),
            Sought::Expression => MomentCondition::Expression(self.expression.trim().into()),
        };
        ui.horizontal(|ui| {
            let buttons = [
                ("⏴ Last time", "Goes to the last such step before the present moment (Enter)", Direction::Back),
                ("Next time ⏵", "Goes to the next such step after the present moment", Direction::Forward),
            ];
            for (name, hint, direction) in buttons {
                let is_clicked = ui.button(name).on_hover_text(hint).clicked();
                if is_clicked || (enters && direction == Direction::Back) {
                    actions.push(TimelineAction::Find(condition.clone(), direction).into());
                }
            }
        });
    }
}
