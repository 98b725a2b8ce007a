//! How often the window draws.

use std::time::{Duration, Instant};

use bevy::prelude::Resource;

/// Frames are drawn at most this often.
const FRAME: Duration = Duration::from_micros(16_667);
/// The window goes on drawing for so long after the last change: titles and messages fade, and tooltips appear.
const LINGER: Duration = Duration::from_secs(8);
/// Then it draws this often, in case that something changes by itself, such as a file.
pub const REST: Duration = Duration::from_secs(1);
/// Real time over which what is shown is smoothed, in seconds.
const SMOOTHING_S: f64 = 0.5;

/// Times of frames. The window's own: to look at it nobody waits for a step.
#[derive(Resource)]
pub struct Frames {
    /// When this frame began.
    began: Instant,
    /// When what is shown changed last.
    changed: Instant,
    frame_s: Smoothed,
}

impl Default for Frames {
    fn default() -> Self {
        let now = Instant::now();
        Self { began: now, changed: now, frame_s: Smoothed::default() }
    }
}

impl Frames {
    /// Begins a frame.
    pub fn begin(&mut self) {
        let now = Instant::now();
        let last_s = (now - self.began).as_secs_f64();
        // A frame that waited for an event tells nothing about how fast frames can be.
        if !self.is_at_rest() {
            self.frame_s.add(last_s, 1.0, last_s);
        }
        self.began = now;
    }

    /// Takes note that what is shown changes in this frame.
    pub fn change(&mut self) {
        self.changed = self.began;
    }

    /// Whether nothing has changed for so long that the next frame can wait for an event.
    pub fn is_at_rest(&self) -> bool {
        self.began - self.changed > LINGER
    }

    #[cfg(test)]
    pub fn pretend_rest(&mut self) {
        self.began = self.changed + LINGER + FRAME;
    }

    /// The time left until the next frame may begin.
    pub fn rest(&self) -> Duration {
        FRAME.saturating_sub(self.began.elapsed())
    }

    /// Frames drawn in a second.
    pub fn per_second(&self) -> f64 {
        self.frame_s.mean().map_or(0.0, |seconds| 1.0 / seconds)
    }
}

/// How fast frames and steps are.
#[derive(Debug, Default)]
pub struct FrameStats {
    /// Frames drawn in a second.
    pub per_second: f64,
    /// Figures of the last frame that the GPU had no room for.
    pub left_out: usize,
    /// What a step takes, in seconds.
    pub step_s: Smoothed,
    /// Steps since the last frame was drawn.
    pub steps: u64,
}

/// A mean that forgets.
#[derive(Clone, Copy, Debug, Default)]
pub struct Smoothed {
    sum: f64,
    count: f64,
}

impl Smoothed {
    /// Adds a sum of values, their number, and the time since the last ones.
    pub fn add(&mut self, sum: f64, count: f64, passed_s: f64) {
        let kept = swarmarium_base::math::exp(-passed_s / SMOOTHING_S);
        self.sum = self.sum * kept + sum;
        self.count = self.count * kept + count;
    }

    /// The mean; `None` before the first value.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0.0 && self.sum > 0.0).then(|| self.sum / self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_follows_and_forgets() {
        let mut mean = Smoothed::default();
        assert_eq!(mean.mean(), None);
        (0..10).for_each(|_| mean.add(8.0, 2.0, 0.016));
        assert!(mean.mean().is_some_and(|value| (value - 4.0).abs() < 1e-9));
        (0..200).for_each(|_| mean.add(1.0, 1.0, 0.1));
        assert!(mean.mean().is_some_and(|value| (value - 1.0).abs() < 1e-6));
    }

    #[test]
    fn frames_rest_some_time_after_the_last_change() {
        let mut frames = Frames::default();
        assert!(!frames.is_at_rest());
        frames.pretend_rest();
        assert!(frames.is_at_rest());
        frames.change();
        assert!(!frames.is_at_rest());
    }

    #[test]
    fn a_frame_rests_until_the_next_one_may_begin() {
        let mut frames = Frames::default();
        frames.begin();
        assert!(frames.rest() <= FRAME);
        std::thread::sleep(FRAME);
        assert_eq!(frames.rest(), Duration::ZERO);
    }
}
