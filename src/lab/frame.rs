//! How the window shares time between drawing and stepping. The only wall clock of the lab.

use std::time::{Duration, Instant};

/// Frames are drawn at most this often.
const FRAME: Duration = Duration::from_micros(16_667);
/// Time that steps may take in a frame, even when drawing is quick.
const STEPS: Duration = Duration::from_millis(12);
/// Time that steps may take in a frame, even when drawing is slow.
const STEPS_MOST: Duration = Duration::from_millis(100);
/// Real time over which what is shown is smoothed, in seconds.
const SMOOTHING_S: f64 = 0.5;

/// Times of frames and steps.
pub struct Frames {
    /// When this frame began.
    began: Instant,
    /// What the last frame spent on everything but steps and sleep.
    drawing: Duration,
    stepping: Duration,
    frame_s: Smoothed,
    step_s: Smoothed,
    last_s: f64,
}

impl Default for Frames {
    fn default() -> Self {
        Self {
            began: Instant::now(),
            drawing: Duration::ZERO,
            stepping: Duration::ZERO,
            frame_s: Smoothed::default(),
            step_s: Smoothed::default(),
            last_s: 0.0,
        }
    }
}

impl Frames {
    /// Begins a frame; the seconds since the last one began.
    pub fn begin(&mut self) -> f64 {
        let now = Instant::now();
        self.last_s = (now - self.began).as_secs_f64();
        self.began = now;
        self.frame_s.add(self.last_s, 1.0, self.last_s);
        self.last_s
    }

    /// Tells whether this frame has time for another step: half of it at least, so slow drawing cannot starve them.
    pub fn budget(&self) -> impl FnMut() -> bool + use<> {
        let (began, most) = (self.began, self.drawing.clamp(STEPS, STEPS_MOST));
        move || began.elapsed() < most
    }

    /// Takes note that the steps of this frame are done.
    pub fn stepped(&mut self, steps: u64) {
        self.stepping = self.began.elapsed();
        if steps > 0 {
            self.step_s.add(self.stepping.as_secs_f64(), steps as f64, self.last_s);
        }
    }

    /// Ends a frame: sleeps until the next one may be drawn.
    pub fn end(&mut self) {
        let spent = self.began.elapsed();
        self.drawing = spent.saturating_sub(self.stepping);
        if let Some(left) = FRAME.checked_sub(spent) {
            std::thread::sleep(left);
        }
    }

    /// Frames drawn in a second.
    pub fn per_second(&self) -> f64 {
        self.frame_s.mean().map_or(0.0, |seconds| 1.0 / seconds)
    }

    /// What a step takes on average, in seconds; `None` before the first one.
    pub fn step_s(&self) -> Option<f64> {
        self.step_s.mean()
    }
}

/// A mean that forgets.
#[derive(Clone, Copy, Debug, Default)]
struct Smoothed {
    sum: f64,
    count: f64,
}

impl Smoothed {
    fn add(&mut self, sum: f64, count: f64, passed_s: f64) {
        let kept = crate::math::exp(-passed_s / SMOOTHING_S);
        self.sum = self.sum * kept + sum;
        self.count = self.count * kept + count;
    }

    fn mean(&self) -> Option<f64> {
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
    fn a_frame_has_time_for_steps_and_then_no_more() {
        let frames = Frames::default();
        let mut budget = frames.budget();
        assert!(budget());
        std::thread::sleep(STEPS);
        assert!(!budget());
    }
}
