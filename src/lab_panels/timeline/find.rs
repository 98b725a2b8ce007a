//! "Back to when": the search for the step of an event, or the step at which a condition became true.

use bevy_egui::egui::{self, Align2, Key, Pos2, TextEdit, Ui};
use swarmarium_host::clock::host::Direction;
use swarmarium_lab_state::action::{Action, MomentCondition, TimelineAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::selection::robot_name;
use swarmarium_lab_state::common::theme;
use swarmarium_lab_state::common::widgets::{choose, named};
use swarmarium_lab_state::plots::trigger::Trigger;

use crate::sheet;

/// Width of the panel, in points.
const WIDTH_PX: f32 = 340.0;

/// The tooltip of the expression field.
const EXPRESSION_HELP: &str = "Finds the step at which the expression becomes true, such as t_s > 10 or \
     agents.0.x_m < 1. It can contain metrics, paths, step, t_s and count, as in \"Pause when\" (Enter)";

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
    /// Draws the panel while it is open, at first near its icon in the upper right corner of the strip. Returns the
    /// requested actions.
    pub fn ui(&mut self, ctx: &egui::Context, lab: &Lab, corner_px: Option<Pos2>) -> Vec<Action> {
        let mut actions = Vec::new();
        if !lab.shell.popups.find {
            return actions;
        }
        let mut is_open = true;
        let window = egui::Window::new("Back to when").open(&mut is_open).pivot(Align2::RIGHT_BOTTOM);
        let corner = corner_px.unwrap_or(lab.view.rect_px.right_bottom());
        let window = window.default_pos(corner - egui::vec2(theme::PAD, theme::GAP));
        window.resizable(false).collapsible(false).fade_in(false).show(ctx, |ui| {
            ui.set_width(WIDTH_PX.min(sheet::most_px(ctx).x));
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
                    TextEdit::singleline(&mut self.expression).hint_text(Trigger::example(lab.run.host.simulation()));
                let field = ui.add(field.desired_width(f32::INFINITY));
                named(&field, "Condition to find");
                let field = field.on_hover_text(EXPRESSION_HELP);
                field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter))
            }
            _ => {
                let name = selected.map(|robot| robot_name(lab.run.host.simulation(), robot));
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
