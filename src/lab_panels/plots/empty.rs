//! The line in place of empty plots, which offers values to plot.

use bevy_egui::egui::{Button, Label, RichText, Ui};
use swarmarium_lab_state::action::{Action, PartAction, PlotAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::theme;

/// Maximum number of robots in a mean speed, since each is read after every step.
const MOST_ROBOTS: usize = 100;

/// Height of the buttons, in points.
const BUTTON_PX: f32 = 20.0;

/// Draws the line and returns the requested actions.
pub fn line(ui: &mut Ui, lab: &Lab) -> Vec<Action> {
    let mut actions = Vec::new();
    ui.spacing_mut().interact_size.y = BUTTON_PX;
    ui.spacing_mut().button_padding.y = 1.0;
    ui.spacing_mut().item_spacing.x = theme::GAP;
    ui.horizontal(|ui| {
        ui.add_space(theme::GAP);
        let hint = "The scene has no metrics and no value is pinned";
        ui.add(Label::new(RichText::new("Nothing to plot").weak()).extend()).on_hover_text(hint);
        let hint = match (lab.plots.history.selected(), lab.run.host.simulation().count()) {
            (_, 0) => "The scene has no robots",
            (Some(_), _) => "Plots the speed of the selected robot, in metres per second",
            (None, 1..=MOST_ROBOTS) => "Plots the mean speed of the robots, in metres per second",
            (None, _) => "Plots the speed of the first robot, in metres per second",
        };
        let has_robots = lab.run.host.simulation().count() > 0;
        let pin = ui.add_enabled(has_robots, Button::new("Pin speed")).on_hover_text(hint);
        if pin.on_disabled_hover_text(hint).clicked() {
            actions.extend(speed(lab).map(|path| Action::Plot(PlotAction::Pin(path))));
        }
        let hint = "Opens the catalogue of metrics, which observe the run from its start";
        if ui.button("Add a metric…").on_hover_text(hint).clicked() {
            actions.push(PartAction::Open("metrics".into()).into());
        }
    });
    actions
}

/// Returns the path of a speed to plot: of the selected robot, or the mean of all robots, or the first of very many.
fn speed(lab: &Lab) -> Option<String> {
    let simulation = lab.run.host.simulation();
    if let Some(number) = lab.plots.history.selected() {
        return Some(format!("agents.{number}.speed_m_per_s"));
    }
    let numbers: Vec<u32> = simulation.members().into_iter().map(|(number, _)| number).take(MOST_ROBOTS + 1).collect();
    match numbers[..] {
        [] => None,
        [first, _, ..] if numbers.len() <= MOST_ROBOTS => {
            let rest: Vec<String> = numbers.iter().skip(1).map(|number| format!("agents.{number}")).collect();
            Some(format!("mean(agents.{first},{}).speed_m_per_s", rest.join(",")))
        }
        [first, ..] => Some(format!("agents.{first}.speed_m_per_s")),
    }
}

#[cfg(test)]
mod tests {
    use bevy_egui::egui::{Event, Key};
    use egui_kittest::kittest::Queryable as _;
    use swarmarium_lab_state::common::layout::Pane;
    use swarmarium_lab_testing::{click, do_steps, lab_of, lab_on, window};

    const EMPTY: &str = "(groups: [(name: \"a\", count: 3, controller: Constant(v_m_per_s: 0.5))])";

    #[test]
    fn an_empty_plot_panel_is_one_line_until_a_number_is_pinned() {
        let (mut window, lab) = window(lab_of(EMPTY));
        let height = |lab: &swarmarium_lab_state::app::Lab| lab.view.rect_px.height();
        let before = height(&lab.borrow());
        assert!(window.query_by_label("Pin a value").is_none());
        click(&mut window, "Pin speed");
        assert_eq!(
            lab.borrow().plots.history.pins().collect::<Vec<_>>(),
            ["mean(agents.0,agents.1,agents.2).speed_m_per_s"]
        );
        window.get_by_label("Pin a value");
        window.get_by_label("Mean speed of 3 robots");
        let by_px = before - height(&lab.borrow());
        assert!((by_px - 160.0).abs() < 1.0, "the panel has its size again: {by_px}");
        window.get_by_label_contains("Unpin ").click();
        window.run_steps(4);
        assert_eq!(height(&lab.borrow()), before);
        assert_eq!(lab.borrow().shell.settings.layout.size_px(Pane::Plots), Some(186.0));
    }

    #[test]
    fn a_metric_is_added_with_a_restart_and_undone() {
        let mut before = lab_of(EMPTY);
        do_steps(&mut before, 5);
        let (mut window, lab) = window(before);
        click(&mut window, "Add a metric…");
        window.event(Event::Text("how fast".into()));
        window.run_steps(3);
        window.key_press(Key::Enter);
        window.run_steps(4);
        assert_eq!(lab.borrow().run.restarts, 1);
        do_steps(&mut lab.borrow_mut(), 5);
        window.run_steps(4);
        assert_eq!(lab.borrow().run.host.simulation().metric_columns(), ["average_speed_m_per_s"]);
        window.get_by_label("Average speed");
        window.get_by_label("Pin a value");
    }

    #[test]
    fn the_selected_robot_is_the_one_whose_speed_is_pinned() {
        let mut lab = lab_on("simiam-week3");
        assert!(super::speed(&lab).is_some_and(|path| path.starts_with("mean(agents.0,")));
        lab.select(Some(swarmarium_lab_state::common::selection::Item::Agent(2)));
        assert_eq!(super::speed(&lab).as_deref(), Some("agents.2.speed_m_per_s"));
    }
}
