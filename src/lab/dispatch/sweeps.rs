//! Execution of the actions on sweeps.

use crate::action::SweepAction;
use crate::app::Lab;
use crate::sweeps::refine;
use crate::sweeps::worker::Worker;

impl SweepAction {
    /// Executes the action.
    pub fn act(self, lab: &mut Lab) {
        match self {
            Self::SetUp { path, is_second } => lab.set_up_sweep(&path, is_second),
            Self::SetUpMetric(column) => {
                lab.suggest_sweep();
                lab.sweep.setup = lab.sweep.setup.with_metric(&column);
                lab.show_setup();
            }
            Self::ShowSetup => lab.show_setup(),
            Self::HideSetup => lab.sweep.is_set_up = false,
            Self::SetOptions(setup) => lab.sweep.setup = setup,
            Self::Start => lab.start_sweep(),
            Self::Pause => {
                if let Some(worker) = &lab.sweep.worker {
                    worker.pause(!worker.is_paused());
                }
            }
            Self::Cancel => lab.sweep.worker.iter().for_each(Worker::cancel),
            Self::Resume => lab.sweep.go_on_with_sweep(&mut lab.notices, |plan| plan),
            Self::Repeat(more) => lab.sweep.go_on_with_sweep(&mut lab.notices, |plan| refine::repeated(plan, more)),
            Self::Refine { factor, range, points } => lab.sweep.refine_sweep(&mut lab.notices, factor, range, points),
            Self::Close => {
                lab.sweep.mark_sweep_as_closed(&lab.files.places);
                lab.sweep.close_sweep();
            }
            Self::Choose(point) => lab.sweep.point = point,
            Self::OpenRun(run) => {
                lab.open_run_of_sweep(run);
            }
            Self::OpenScene => lab.open_scene_of_sweep(),
            Self::CompareRun(run) => lab.compare_run_of_sweep(run),
            Self::RecordRun(run) => lab.record_run_of_sweep(run),
            Self::SavePlan(path) => {
                let saved = lab.sweep.save_plan_of_sweep(&path);
                lab.notices.report(saved, &path);
            }
            Self::SaveFolder(path) => lab.sweep.save_folder_of_sweep(&mut lab.files.recordings, &mut lab.notices, path),
            Self::ExportFigure(format, path) => {
                lab.sweep.export_figure_of_sweep(&mut lab.files.recordings, &mut lab.notices, format, path);
            }
            Self::ResumeFolder(path) => lab.open_sweep_folder(&path, true),
        }
    }
}
