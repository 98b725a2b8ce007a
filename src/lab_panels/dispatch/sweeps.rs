//! Execution of the actions on sweeps.

use swarmarium_lab_state::action::{FileRequest, SweepAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::sweeps::refine;
use swarmarium_lab_state::sweeps::worker::Worker;

/// Executes the action.
pub fn act(lab: &mut Lab, action: SweepAction) {
    match action {
        SweepAction::SetUp { path, is_second } => lab.set_up_sweep(&path, is_second),
        SweepAction::SetUpMetric(column) => {
            lab.suggest_sweep();
            lab.sweep.setup = lab.sweep.setup.with_metric(&column);
            lab.show_setup();
        }
        SweepAction::ShowSetup => lab.show_setup(),
        SweepAction::HideSetup => lab.sweep.is_set_up = false,
        SweepAction::SetOptions(setup) => lab.sweep.setup = setup,
        SweepAction::Start => lab.start_sweep(),
        SweepAction::Pause => {
            if let Some(worker) = &lab.sweep.worker {
                worker.pause(!worker.is_paused());
            }
        }
        SweepAction::Cancel => lab.sweep.worker.iter().for_each(Worker::cancel),
        SweepAction::Resume => lab.sweep.go_on_with_sweep(&mut lab.notices, |plan| plan),
        SweepAction::Repeat(more) => lab.sweep.go_on_with_sweep(&mut lab.notices, |plan| refine::repeated(plan, more)),
        SweepAction::Refine { factor, range, points } => {
            lab.sweep.refine_sweep(&mut lab.notices, factor, range, points);
        }
        SweepAction::Close => {
            lab.sweep.mark_sweep_as_closed(&lab.files.places);
            lab.sweep.close_sweep();
        }
        SweepAction::Choose(point) => lab.sweep.point = point,
        SweepAction::OpenRun(run) => {
            lab.open_run_of_sweep(run);
        }
        SweepAction::BackToScene => lab.back_from_sweep(),
        SweepAction::OpenScene => lab.open_scene_of_sweep(),
        SweepAction::CompareRun(run) => lab.compare_run_of_sweep(run),
        SweepAction::RecordRun(run) => lab.record_run_of_sweep(run),
        SweepAction::SavePlan(path) => {
            let saved = lab.sweep.save_plan_of_sweep(&path);
            lab.notices.report(saved, &path, FileRequest::SavePlan);
        }
        SweepAction::SaveFolder(path) => {
            lab.sweep.save_folder_of_sweep(&mut lab.files.recordings, &mut lab.notices, path);
        }
        SweepAction::ExportFigure(format, path) => {
            lab.sweep.export_figure_of_sweep(&mut lab.files.recordings, &mut lab.notices, format, path);
        }
        SweepAction::ResumeFolder(path) => lab.open_sweep_folder(&path, true),
    }
}
