//! Frame rate of the window.

use std::time::{Duration, Instant};

use bevy::prelude::Resource;

/// The shortest time between two frames.
const FRAME: Duration = Duration::from_micros(16_667);

/// Time for which the window keeps drawing after the last change, because titles and messages fade and tooltips appear.
const LINGER: Duration = Duration::from_secs(8);

/// Time between frames at rest, in case something changes by itself, such as a file.
pub const REST: Duration = Duration::from_secs(1);

/// Time constant of the smoothed values, in seconds.
const SMOOTHING_S: f64 = 0.5;

/// Times of frames. They belong to the window, which can read them without waiting for a step.
#[derive(Resource)]
pub struct Frames {
    /// The start of this frame.
    began: Instant,
    /// The last change of the shown content.
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
    /// Starts a frame.
    pub fn begin(&mut self) {
        let now = Instant::now();
        let last_s = (now - self.began).as_secs_f64();
        // A frame that waited for an event says nothing about the frame rate.
        if !self.is_at_rest() {
            self.frame_s.add(last_s, 1.0, last_s);
        }
        self.began = now;
    }

    /// Records that the shown content changes in this frame.
    pub fn change(&mut self) {
        self.changed = self.began;
    }

    /// Whether nothing has changed for so long that the next frame can wait for an event.
    pub fn is_at_rest(&self) -> bool {
        self.began - self.changed > LINGER
    }

    /// Makes the last change so long ago that the next frame can wait for an event.
    pub fn pretend_rest(&mut self) {
        self.began = self.changed + LINGER + FRAME;
    }

    /// Returns the time until the next frame may start.
    pub fn rest(&self) -> Duration {
        FRAME.saturating_sub(self.began.elapsed())
    }

    /// Returns the frame rate in frames per second.
    pub fn per_second(&self) -> f64 {
        self.frame_s.mean().map_or(0.0, |seconds| 1.0 / seconds)
    }
}

/// Frame rate and step time.
#[derive(Debug, Default)]
pub struct FrameStats {
    /// Frames per second.
    pub per_second: f64,
    /// Figures of the last frame that did not fit on the GPU.
    pub left_out: usize,
    /// Duration of a step, in seconds.
    pub step_s: Smoothed,
    /// Steps since the last frame.
    pub steps: u64,
}

/// An exponentially smoothed mean.
#[derive(Clone, Copy, Debug, Default)]
pub struct Smoothed {
    sum: f64,
    count: f64,
}

impl Smoothed {
    /// Adds values by their sum and number, with the time since the last call.
    pub fn add(&mut self, sum: f64, count: f64, passed_s: f64) {
        let kept = swarmarium_base::math::exp(-passed_s / SMOOTHING_S);
        self.sum = self.sum * kept + sum;
        self.count = self.count * kept + count;
    }

    /// Returns the mean; `None` before the first value.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0.0 && self.sum > 0.0).then(|| self.sum / self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_frame_time_follows_recent_frames() {
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
