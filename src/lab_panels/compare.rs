//! The second world beside the first one: its half of the view, its strip and the panel of its parameters.

pub mod half;
pub mod panel;
pub mod strip;

use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::command::CommandId;

/// Returns the tooltip of the buttons that drop B.
fn end_hint(lab: &Lab) -> String {
    lab.shell.keymap.after("Ends the comparison and drops B", CommandId::CompareWithAChangedParameter, "")
}
