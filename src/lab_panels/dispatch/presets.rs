//! Presets: saved, loaded and deleted.

use swarmarium_lab_state::action::{GoesTo, PresetAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_simulation::edit::Edit;

use crate::parameters;

/// Saves, loads or deletes a preset, and shows the result.
pub fn preset(lab: &mut Lab, preset: &PresetAction) {
    let done = match preset {
        PresetAction::Save(name) => lab.files.presets.save(name, &parameters::preset_values(lab)).map(|()| "Saved"),
        PresetAction::Delete(name) => lab.files.presets.delete(name).map(|()| "Deleted"),
        PresetAction::Load(name) => return load_preset(lab, name),
    };
    let (PresetAction::Save(name) | PresetAction::Load(name) | PresetAction::Delete(name)) = preset;
    match done {
        Ok(word) => lab.notices.say(&format!("{word} the preset {name}")),
        Err(error) => lab.notices.tell_error(error),
    }
}

/// Loads a preset as one change, and reports values that no longer fit.
fn load_preset(lab: &mut Lab, name: &str) {
    let values = match lab.files.presets.read(name) {
        Ok(values) => values,
        Err(error) => return lab.notices.tell_error(error),
    };
    let (count, transaction) = (values.len(), lab.edits.present_transaction(&mut lab.run.host));
    // The values of B are not compared.
    let is_for_b = lab.compare.other.is_some() && lab.compare.goes_to == GoesTo::B;
    let is_wanted = |(path, value): &(String, String)| is_for_b || !parameters::has(lab, path, value);
    let wanted = values.into_iter().filter(is_wanted).map(|(path, value)| Edit::Set { path, value });
    let (fit, other): (Vec<Edit>, Vec<Edit>) =
        wanted.partition(|edit| is_for_b || lab.run.host.simulation().check(edit).is_ok());
    let other: Vec<Edit> = if lab.restart_with(&fit, transaction) { other } else { [fit, other].concat() };
    let mut refused = Vec::new();
    for edit in other {
        if let Err(problem) = lab.compare.apply_in(&mut lab.run.host, edit, transaction) {
            refused.push(lab.run.problem_text(&problem).trim_end().to_owned());
        }
    }
    if refused.is_empty() {
        return lab.notices.say(&format!("Loaded the preset {name}"));
    }
    let left_out = refused.len();
    lab.notices
        .tell_error(format!("{left_out} of {count} values of the preset {name} no longer fit\n{}", refused.join("\n")));
}
