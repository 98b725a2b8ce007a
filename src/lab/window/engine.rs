//! The thread that steps the simulation: drawing delays a step only while the window reads the lab.
//!
//! One lock guards the lab. The window takes it twice per frame, to read and to act. The thread takes it for slices
//! of steps, and releases it after the current step as soon as the window asks. Steps that are expected to be long run
//! without the lock, on a copy of the simulation. For one that is longer than expected, the window does not wait longer
//! than [`PATIENCE`]: it shows the last frame again, and says which [`Work`] it waits for.

use std::ops::{Deref, DerefMut};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread::{self, JoinHandle, Thread};
use std::time::{Duration, Instant};

use bevy::prelude::*;
use swarmarium_core::text::wording::lower;
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::text::grouped;
use swarmarium_lab_state::files::recording::RecordingResult;

/// The longest time that the thread holds the lab.
const SLICE: Duration = Duration::from_millis(4);

/// The longest sleep of the thread; any change wakes it earlier.
const NAP: Duration = Duration::from_millis(50);

/// The longest time that a frame waits for the lab.
pub const PATIENCE: Duration = Duration::from_millis(45);

/// The longest time that the end of the window waits for a step.
pub const LAST_PATIENCE: Duration = Duration::from_secs(1);

/// The longest time that the thread waits for the next attempt of a caller that timed out. A hidden window may make none.
const COURTESY: Duration = Duration::from_millis(250);

/// The time between two attempts to lock the lab.
const RETRY: Duration = Duration::from_micros(100);

/// The lab and its stepping thread.
#[derive(Resource)]
pub struct Engine {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    lab: Mutex<Lab>,
    /// The number of waiting callers; the thread gives way to them.
    waiting: AtomicUsize,
    /// Whether a caller timed out: the thread yields the lab to its next attempt. Short steps leave the lab free for too
    /// short a time to meet an attempt by chance.
    is_claimed: AtomicBool,
    ended: AtomicBool,
    /// The work that keeps the lab, for callers that cannot read it.
    doing: Mutex<Option<Doing>>,
}

/// The work of the thread.
struct Doing {
    /// The step in progress.
    step: u64,
    /// Other work than steps of the run, in words.
    other: Option<String>,
    /// The beginning of the step.
    since: Instant,
}

/// Work that keeps the lab.
#[derive(Clone, Debug)]
pub struct Work {
    /// The work in words: `step 1,234`, `searching`.
    pub label: String,
    /// Its beginning.
    pub since: Instant,
}

impl Engine {
    /// Starts the thread.
    ///
    /// # Errors
    /// Returns an error if the system cannot create a thread.
    pub fn start(lab: Lab) -> std::io::Result<Self> {
        let shared = Arc::new(Shared {
            lab: Mutex::new(lab),
            waiting: AtomicUsize::new(0),
            is_claimed: AtomicBool::new(false),
            ended: AtomicBool::new(false),
            doing: Mutex::new(None),
        });
        let worker = shared.clone();
        let thread = thread::Builder::new().name("steps".into()).spawn(move || worker.run())?;
        Ok(Self { shared, thread: Some(thread) })
    }

    /// Returns a handle that outlives the window.
    pub fn after(&self) -> After {
        After(self.shared.clone())
    }

    /// Locks the lab after the current step. Steps continue when the guard is dropped.
    pub fn lab(&self) -> LabGuard<'_> {
        self.shared.waiting.fetch_add(1, Ordering::SeqCst);
        let lab = self.shared.lock();
        self.shared.waiting.fetch_sub(1, Ordering::SeqCst);
        LabGuard { lab, thread: self.thread.as_ref().map(JoinHandle::thread) }
    }

    /// As [`lab`](Self::lab); `None` if the current step takes longer. After it, the thread waits for the next attempt.
    pub fn lab_within(&self, patience: Duration) -> Option<LabGuard<'_>> {
        self.shared.waiting.fetch_add(1, Ordering::SeqCst);
        let lab = self.shared.lock_within(patience);
        self.shared.is_claimed.store(lab.is_none(), Ordering::SeqCst);
        self.shared.waiting.fetch_sub(1, Ordering::SeqCst);
        Some(LabGuard { lab: lab?, thread: self.thread.as_ref().map(JoinHandle::thread) })
    }

    /// Returns the work that keeps the lab; `None` if the thread does not have it.
    pub fn work(&self) -> Option<Work> {
        let doing = self.shared.doing();
        let Doing { step, other, since } = doing.as_ref()?;
        let label = other.clone().unwrap_or_else(|| format!("step {}", grouped(*step)));
        Some(Work { label, since: *since })
    }
}

/// The lab after the window has closed.
pub struct After(Arc<Shared>);

impl After {
    /// Keeps the unsaved scene, waits for the files of recordings, and returns the messages about both. During a step
    /// without end, the scene stays as it was kept last.
    pub fn close(&self) -> Vec<RecordingResult> {
        let Some(mut lab) = self.0.lock_within(LAST_PATIENCE) else { return Vec::new() };
        let lab = &mut *lab;
        let kept = lab.files.autosave.end_autosave(&lab.run, &lab.timeline);
        lab.files.recordings.close().into_iter().chain(kept).collect()
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.shared.ended.store(true, Ordering::SeqCst);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let began = Instant::now();
            while !thread.is_finished() {
                if began.elapsed() > LAST_PATIENCE {
                    // It ends with the program.
                    return;
                }
                thread::sleep(RETRY);
            }
            // A panic of the thread was reported when it happened.
            let _ = thread.join();
        }
    }
}

/// The locked lab; no step runs while it exists.
pub struct LabGuard<'a> {
    lab: MutexGuard<'a, Lab>,
    thread: Option<&'a Thread>,
}

impl Deref for LabGuard<'_> {
    type Target = Lab;

    fn deref(&self) -> &Lab {
        &self.lab
    }
}

impl DerefMut for LabGuard<'_> {
    fn deref_mut(&mut self) -> &mut Lab {
        &mut self.lab
    }
}

impl Drop for LabGuard<'_> {
    fn drop(&mut self) {
        if let Some(thread) = self.thread {
            thread.unpark();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Lab> {
        self.lab.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_within(&self, patience: Duration) -> Option<MutexGuard<'_, Lab>> {
        let began = Instant::now();
        loop {
            match self.lab.try_lock() {
                Ok(lab) => return Some(lab),
                Err(TryLockError::Poisoned(error)) => return Some(error.into_inner()),
                Err(TryLockError::WouldBlock) if began.elapsed() >= patience => return None,
                Err(TryLockError::WouldBlock) => thread::sleep(RETRY),
            }
        }
    }

    fn doing(&self) -> MutexGuard<'_, Option<Doing>> {
        self.doing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self) {
        let mut last = Instant::now();
        while !self.ended.load(Ordering::SeqCst) {
            // Locks are not fair: without this, the window could wait for many slices.
            while self.waiting.load(Ordering::SeqCst) > 0 {
                thread::yield_now();
            }
            self.await_claimant();
            let rest = self.slice_or_fail(&mut last);
            if rest > Duration::ZERO {
                thread::park_timeout(rest);
            }
        }
    }

    /// Waits for the next attempt of a caller that timed out.
    fn await_claimant(&self) {
        let began = Instant::now();
        while self.is_claimed.load(Ordering::SeqCst) && !self.ended.load(Ordering::SeqCst) {
            if began.elapsed() > COURTESY {
                self.is_claimed.store(false, Ordering::SeqCst);
            }
            thread::sleep(RETRY);
        }
    }

    /// Runs a slice. A panic of a kind stops the time instead of the window, so that the user can open another scene.
    fn slice_or_fail(&self, last: &mut Instant) -> Duration {
        catch_unwind(AssertUnwindSafe(|| self.slice(last))).unwrap_or_else(|_| {
            self.lock().step_failed();
            NAP
        })
    }

    /// Steps for a while. Returns the time until there is more to do.
    fn slice(&self, last: &mut Instant) -> Duration {
        let mut lab = self.lock();
        if !lab.has_room_for_steps() {
            lab.serve();
            return NAP;
        }
        let began = Instant::now();
        let real_s = (began - *last).as_secs_f64();
        *last = began;
        let other = lab.progress().filter(|progress| progress.steps > 0).map(|progress| lower(&progress.label));
        *self.doing() = Some(Doing { step: lab.run.host.simulation().steps() + 1, other, since: began });
        let next_s = lab.advance(real_s, || {
            let now = Instant::now();
            if let Some(doing) = &mut *self.doing() {
                (doing.step, doing.since) = (doing.step + 1, now);
            }
            let is_wanted = self.waiting.load(Ordering::SeqCst) > 0 || self.is_claimed.load(Ordering::SeqCst);
            !is_wanted && now - began < SLICE
        });
        *self.doing() = None;
        next_s.map_or(NAP, |seconds| Duration::from_secs_f64(seconds.min(NAP.as_secs_f64())))
    }
}

#[cfg(test)]
mod tests {
    use bevy::prelude::ReflectDefault;
    use swarmarium_core::agent::{Command, CommandForm};
    use swarmarium_core::controller::{AddController as _, Controller, Senses};
    use swarmarium_core::state::NoMemory;
    use swarmarium_formats::standard::Standard as _;
    use swarmarium_host::speed::UNLIMITED;
    use swarmarium_lab_testing::{lab_on, lab_with};
    use swarmarium_simulation::simulation::Recipe;

    use super::*;

    /// A controller that panics when it decides.
    #[derive(Component, Reflect, Clone, Default)]
    #[reflect(Default, Clone)]
    struct Faulty {}

    impl Controller for Faulty {
        type Memory = NoMemory;
        const COMMANDS: CommandForm = CommandForm::Drive;

        fn command(&self, _: &mut NoMemory, _: Senses) -> Command {
            panic!("as it should");
        }
    }

    #[test]
    fn a_caller_without_patience_has_the_lab_after_the_current_step() {
        let mut lab = lab_on("milling");
        lab.run.host.clock_mut().paused = false;
        lab.run.host.clock_mut().set_scale(UNLIMITED);
        let engine = Engine::start(lab).unwrap();
        for attempts in 0..50 {
            let before = engine.lab().run.host.simulation().steps();
            let steps = loop {
                match engine.lab_within(Duration::ZERO) {
                    Some(lab) => break lab.run.host.simulation().steps(),
                    None => thread::sleep(Duration::from_millis(1)),
                }
            };
            // Without the claim, a million steps are possible.
            assert!(steps - before < 100_000, "{attempts}: {before} to {steps}");
            engine.lab().begin_frame(60.0);
        }
    }

    #[test]
    fn a_step_that_panics_stops_time_and_not_the_window() {
        let recipe = Recipe::standard().with(|app: &mut App| {
            app.add_controller::<Faulty>();
        });
        let mut lab = lab_with(&recipe, "(groups: [(name: \"g\", controller: Faulty())])");
        lab.run.host.clock_mut().paused = false;
        let engine = Engine::start(lab).unwrap();
        let text = loop {
            if let Some(notice) = engine.lab().notices.iter().next() {
                break notice.lines.join(" ");
            }
            thread::yield_now();
        };
        assert!(text.contains("the run is paused"), "{text}");
        assert!(engine.lab().run.host.clock().paused);
        engine.lab().open_source("milling");
        engine.lab().run.host.clock_mut().paused = false;
        while engine.lab().run.host.simulation().steps() == 0 {
            thread::yield_now();
        }
    }
}
