//! The state of changes and undo, and of the tools that make changes.

pub mod clipboard;
pub mod driving;
pub mod parts;
pub mod shared_edits;
pub mod starts;

use swarmarium_base::problem::Problem;
use swarmarium_host::clock::Host;
use swarmarium_simulation::edit::Edit;

use crate::common::footprints::Footprints;
use crate::common::kept_changes;
use crate::common::toolbox::Toolbox;
use crate::edit::clipboard::Clipboard;
use crate::edit::driving::Driving;
use crate::edit::shared_edits::{OwnStart, SharedEdits};
use crate::edit::starts::Starts;
use crate::notice::{Notice, Notices};
use crate::plots::history::History;
use crate::plots::turning::Turning;
use crate::run::RunState;

impl EditState {
    /// Returns the user's changes of the run, without overwritten ones and without shared ones.
    pub(super) fn own_changes(&self, run: &RunState) -> Vec<Edit> {
        let (shared, simulation) = (&self.shared, run.host.simulation());
        if !shared.are_of(&run.host) {
            return run.changes();
        }
        let logged = simulation.edits().iter().filter(|logged| !shared.has_made(logged)).map(|logged| &logged.edit);
        kept_changes::condensed(run.host.carried.iter().chain(logged).chain(simulation.waiting_edits()))
    }

    /// Continues with the shared changes in a restarted run.
    pub(super) fn go_on_shared(&mut self, run: &mut RunState, start: Option<OwnStart>) {
        let Some(OwnStart { added, .. }) = start else { return };
        // Robots and objects of the shared run do not exist yet, so changes of them are left out.
        let transaction = run.host.new_transaction();
        run.host.apply_all(&added, transaction);
        // These are in the log of the new run.
        run.host.carried.retain(|edit| matches!(edit, Edit::Set { .. }));
        self.shared.begin(&run.host, &run.opened.edits);
    }
}

impl EditState {
    /// Tells the user about groups whose robots found no room, each time their numbers have changed.
    pub fn tell_without_room(&mut self, run: &RunState, notices: &mut Notices) {
        let without_room = run.host.simulation().without_room();
        if without_room == self.without_room {
            return;
        }
        let texts: Vec<String> = without_room.iter().map(|problem| run.problem_text(problem)).collect();
        if !texts.is_empty() {
            notices.add(Notice::of_scene(&texts.join("\n")));
        }
        self.without_room = without_room;
    }
}

/// The state of changes and undo.
#[derive(Default)]
pub struct EditState {
    /// The present transaction; 0 if each edit has its own.
    pub transaction: u64,
    /// The transaction of the last edits.
    pub last: u64,
    /// Whether the user has been told that changes can restart the run.
    pub knows_restarts: bool,
    /// The groups without room that the user has been told about.
    pub without_room: Vec<Problem>,
    /// The number of swaps of the host's simulation by undo and redo that were handled.
    pub swaps: u64,
    /// The state of the run that is simulated again.
    pub ahead: Option<RerunState>,
    /// The changes that were replaced when the file was read again.
    pub set_aside: Vec<Edit>,
    /// The changes of the open shared scene.
    pub shared: SharedEdits,
    /// The starts that are being prepared.
    pub starts: Starts,
    /// The present tool and the settings of tools.
    pub toolbox: Toolbox,
    /// Copied robots and objects.
    pub clipboard: Clipboard,
    /// The robots that are driven with keys or a gamepad.
    pub driving: Driving,
}

/// The state of a run that is simulated again: its collected past and its changes.
#[derive(Default)]
pub struct RerunState {
    /// The plots of the future present branch; `None` if those of the present branch continue.
    pub history: Option<History>,
    /// The collected past of robots, as far as it is drawn.
    pub footprints: Footprints,
    /// The headings of robots in the last two simulated steps.
    pub turning: Turning,
    /// The step after which the branch changes, after an undo.
    pub changed_after: Option<u64>,
}

impl EditState {
    /// Returns the present transaction.
    pub fn present_transaction(&self, host: &mut Host) -> u64 {
        if self.transaction > 0 { self.transaction } else { host.new_transaction() }
    }
}
