//! The presets in the palette.

use swarmarium_lab_state::action::{Action, ParameterAction, PresetAction};
use swarmarium_lab_state::app::Lab;

/// Returns the entries for the palette.
pub fn actions(lab: &Lab) -> impl Iterator<Item = (String, &'static str, Action)> {
    let number = lab.files.presets.names().len() + 1;
    let new = format!("Preset {number}");
    let hint = "Saves the parameters of all groups as this preset";
    let save = (
        format!("Save the parameters as {new}"),
        hint,
        Action::Parameter(ParameterAction::Preset(PresetAction::Save(new))),
    );
    let known = lab.files.presets.names().iter().flat_map(|name| {
        let (load, delete) = (PresetAction::Load(name.clone()), PresetAction::Delete(name.clone()));
        [
            (
                format!("Load the preset {name}"),
                "Sets the parameters to the values of the preset",
                Action::Parameter(ParameterAction::Preset(load)),
            ),
            (
                format!("Delete the preset {name}"),
                "Deletes the file of the preset",
                Action::Parameter(ParameterAction::Preset(delete)),
            ),
        ]
    });
    std::iter::once(save).chain(known)
}
