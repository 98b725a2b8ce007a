//! Swatches: small squares in the colours of robots in the world.

use bevy_egui::egui::{Rect, Response, Sense, Stroke, StrokeKind, Ui, Vec2};
use swarmarium_draw::ColorBy;
use swarmarium_draw::scenery::role_of;
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::theme;
use swarmarium_picture::palette::{RANDOM, Role};
use swarmarium_scene::agent_view::AgentView;

/// Side of a swatch, in points.
const SIDE_PX: f32 = 10.0;

/// Returns the colour of the robots of a group, by its place in the scene; `None` if they differ.
pub fn of_group(lab: &Lab, place: usize) -> Option<Role> {
    let color = lab.run.host.simulation().scene().groups.get(place).map_or("", |group| group.look.color.as_str());
    let role = Role::named(color).unwrap_or(Role::Group(place as u32));
    (lab.view.current.color_by == ColorBy::Group && color != RANDOM).then_some(role)
}

/// Returns the colour of a robot; `None` if colours show something other than the group, unless the robot is dead.
pub fn of_agent(lab: &Lab, agent: &AgentView) -> Option<Role> {
    let world = lab.run.host.simulation().world();
    let role = role_of(world, world.get_entity(agent.entity()).ok()?)?;
    (lab.view.current.color_by == ColorBy::Group || role == Role::Dim).then_some(role)
}

/// Draws a swatch; an empty one without a single colour.
pub fn ui(ui: &mut Ui, lab: &Lab, role: Option<Role>) -> Response {
    let (rect, response) = ui.allocate_exact_size(Vec2::splat(SIDE_PX), Sense::hover());
    draw(ui, lab, rect, role);
    response.on_hover_text(match role {
        Some(_) => "The colour in the world",
        None => "The robots differ in colour: see the legend in the world, or Colour by in the View panel",
    })
}

fn draw(ui: &Ui, lab: &Lab, rect: Rect, role: Option<Role>) {
    let (painter, theme) = (ui.painter(), lab.shell.settings.theme);
    match role {
        Some(role) => painter.rect_filled(rect, 2.0, theme::color(theme, role)),
        None => painter.rect_stroke(rect, 2.0, Stroke::new(1.0, theme::color(theme, Role::Dim)), StrokeKind::Inside),
    };
}

#[cfg(test)]
mod tests {
    use swarmarium_lab_testing::lab_of;

    use super::*;

    #[test]
    fn swatches_have_the_colours_that_are_drawn() {
        let group = |name: &str, look: &str| format!("(name: \"{name}\", controller: Constant(), look: ({look}))");
        let groups = [group("a", ""), group("b", "color: \"orange\""), group("c", "color: \"random\""), group("d", "")];
        let mut lab = lab_of(&format!("(groups: [{}])", groups.join(", ")));
        let of_groups = |lab: &Lab| [0, 1, 2, 3].map(|place| of_group(lab, place));
        assert_eq!(of_groups(&lab), [Some(Role::Group(0)), Some(Role::Group(1)), None, Some(Role::Group(3))]);
        let of_agents = |lab: &Lab| -> Vec<Option<Role>> {
            lab.run.host.simulation().agents().map(|agent| of_agent(lab, &agent)).collect()
        };
        let drawn = lab.view.picture(&lab.run.host, &lab.view.current);
        for role in of_agents(&lab) {
            assert!(drawn.items.iter().any(|item| Some(item.paint.role) == role), "{role:?}");
        }
        lab.view.current.color_by = ColorBy::Speed;
        assert_eq!(of_groups(&lab), [None; 4]);
        assert_eq!(of_agents(&lab), vec![None; 4]);
    }
}
