//! The menu of colours of a group, opened from its swatch.

use bevy_egui::egui::{self, Popup, Response, Sense, Vec2};
use swarmarium_lab_state::action::Action;
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::theme;
use swarmarium_lab_state::common::widgets::named;
use swarmarium_picture::palette::{Role, hex};
use swarmarium_simulation::edit::Edit;

/// The names of the colours, as scenes write them.
const NAMES: [&str; 8] = ["sky blue", "orange", "green", "purple", "blue", "vermilion", "yellow", "dim"];

/// Side of a swatch in the menu, in points.
const SWATCH_PX: f32 = 22.0;

/// Draws the colours for the group at a place while its menu is open. Returns the requested action.
pub fn ui(lab: &Lab, place: usize, swatch: &Response) -> Option<Action> {
    let group = lab.run.host.simulation().scene_ahead().groups.get(place)?;
    let set = |color: &str| {
        Action::Edit(Edit::Set { path: format!("groups.{place}.look.color"), value: format!("{color:?}") })
    };
    let mut wanted = None;
    let popup = Popup::menu(swatch).close_behavior(egui::PopupCloseBehavior::CloseOnClickOutside);
    popup.show(|ui| {
        ui.horizontal(|ui| {
            for name in NAMES {
                let Some(role) = Role::named(name) else { continue };
                let (rect, response) = ui.allocate_exact_size(Vec2::splat(SWATCH_PX), Sense::click());
                named(&response, &format!("Colour {name}"));
                ui.painter().rect_filled(rect.shrink(2.0), 3.0, theme::color(lab.shell.settings.theme, role));
                if response.on_hover_text(format!("Gives the group this colour: {name}")).clicked() {
                    wanted = Some(set(name));
                }
            }
        });
        let present = Role::named(&group.look.color).unwrap_or(Role::Group(place as u32));
        let mut color = theme::color(lab.shell.settings.theme, present);
        let edited = egui::color_picker::color_picker_color32(ui, &mut color, egui::color_picker::Alpha::Opaque);
        if edited {
            let [red, green, blue, _] = color.to_array();
            wanted = Some(set(&hex([red, green, blue])));
        }
        let own = ui.button("Default colour").on_hover_text("Uses the palette colour for the place of the group");
        if own.clicked() {
            wanted = Some(set(""));
        }
    });
    wanted
}
