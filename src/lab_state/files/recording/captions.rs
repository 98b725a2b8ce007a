//! Captions: each change of a run is named in the video for some seconds.

use swarmarium_host::clock::host::{Names, in_words};
use swarmarium_scene::scene::{Scene, constants};
use swarmarium_simulation::edit::{Edit, LoggedEdit, parts};
use swarmarium_simulation::simulation::Simulation;

use crate::common::selection::robot_name;

/// The duration of a caption in seconds of the video.
const SHOWN_S: f64 = 3.0;

/// The largest number of captions at once; older ones disappear.
const MOST: usize = 3;

/// The captions of one world.
pub struct Captions {
    /// The scene before the next edit of the log.
    scene: Scene,
    /// The number of read edits of the log, and the last one.
    read: usize,
    last: Option<LoggedEdit>,
    shown: Vec<Caption>,
}

/// A caption.
struct Caption {
    transaction: u64,
    /// The parameter that is set, and its value before.
    set: Option<(String, Option<String>)>,
    text: String,
    until_s: f64,
}

impl Captions {
    /// Creates captions for the changes after the present moment of a simulation.
    pub fn new(simulation: &Simulation) -> Self {
        let log = simulation.edits();
        let (scene, read) = (simulation.scene().clone(), log.len());
        Self { scene, read, last: log.last().cloned(), shown: Vec::new() }
    }

    /// Reads the changes since the last call. `now_s` is the time in the video, in seconds.
    ///
    /// After a jump to another moment, earlier changes get no caption.
    pub fn observe(&mut self, simulation: &Simulation, now_s: f64) {
        let log = simulation.edits();
        self.shown.retain(|caption| caption.until_s > now_s);
        let known = self.read.checked_sub(1).and_then(|place| log.get(place));
        match (known, &self.last) {
            (known, last) if known == last.as_ref() => {}
            // A drag while the run is paused replaces its last edit.
            (Some(known), Some(last)) if (known.step, known.transaction) == (last.step, last.transaction) => {
                self.read -= 1;
            }
            _ => return *self = Self::new(simulation),
        }
        let new = &log[self.read.min(log.len())..];
        for run in new.chunk_by(|one, next| one.transaction == next.transaction) {
            self.take(run, simulation, now_s);
        }
        if new.iter().any(|logged| logged.edit.is_of_population()) {
            self.scene.clone_from(simulation.scene());
        }
        self.read = log.len();
        self.last = log.last().cloned();
    }

    /// Adds the caption of the edits of one change, or renews it.
    fn take(&mut self, run: &[LoggedEdit], simulation: &Simulation, now_s: f64) {
        let edits: Vec<&Edit> = run.iter().map(|logged| &logged.edit).filter(|edit| edit.is_change()).collect();
        let Some(first) = run.first().filter(|_| !edits.is_empty()) else { return };
        let transaction = first.transaction;
        let of_change = |caption: &Caption| transaction > 0 && caption.transaction == transaction;
        let earlier = self.shown.iter().position(of_change).map(|place| self.shown.remove(place));
        let kinds = simulation.kinds();
        let set = one_parameter(&edits).map(|(path, value)| {
            let known = earlier.and_then(|caption| caption.set).filter(|(known, _)| known == path);
            let before = known.map_or_else(|| constants::text_at(kinds, &self.scene, path), |(_, before)| before);
            (path, before, value)
        });
        let names = Names { robot: &|number| robot_name(simulation, number), kinds, scene: simulation.scene_ahead() };
        let text = match &set {
            Some((path, before, value)) => names.from_to(path, before.as_deref(), value),
            None => in_words(&edits, &names),
        };
        let set = set.map(|(path, before, _)| (path.to_owned(), before));
        self.shown.push(Caption { transaction, set, text, until_s: now_s + SHOWN_S });
        let excess = self.shown.len().saturating_sub(MOST);
        self.shown.drain(..excess);
        for edit in edits {
            // Parameters of single robots are not in the scene. Robots and objects that come or go change it with the
            // simulation.
            let _ = parts::change(kinds, &mut self.scene, edit);
        }
    }

    /// Returns the texts to show, the newest last.
    pub fn texts(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.shown.iter().map(|caption| caption.text.as_str())
    }
}

/// Returns the parameter that all edits set, and its last value; `None` for other edits.
fn one_parameter<'e>(edits: &[&'e Edit]) -> Option<(&'e str, &'e str)> {
    let sets = edits.iter().map(|edit| match edit {
        Edit::Set { path, value } => Some((path.as_str(), value.as_str())),
        _ => None,
    });
    let sets: Vec<(&str, &str)> = sets.collect::<Option<_>>()?;
    let (path, value) = *sets.last()?;
    sets.iter().all(|(other, _)| *other == path).then_some((path, value))
}
