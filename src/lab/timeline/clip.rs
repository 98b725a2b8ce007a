//! Clips: videos of the range of the timeline.

use super::StepRange;
use crate::Lab;

impl Lab {
    /// Records the range, or the whole branch if there is none, as a video with all its frames.
    pub(crate) fn export_clip(&mut self) {
        let whole = StepRange { from: 0, to: self.host.live_end() };
        let StepRange { from, to } = self.timeline.range.unwrap_or(whole);
        self.record_part((from, to.min(whole.to)), "-clip");
    }
}
