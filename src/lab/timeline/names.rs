//! Bookmarks and the names of branches.

use swarmarium_core::timeline::{Moment, TimelineError};

use crate::Lab;
use crate::action::TimelineItem;

impl Lab {
    /// Adds a bookmark at the present moment and starts to edit its name.
    pub(crate) fn add_bookmark(&mut self) {
        let moment = self.playhead();
        let timeline = self.host.timeline();
        let is_taken = |name: &str| timeline.bookmarks().iter().any(|bookmark| bookmark.name == name);
        let name = (1_u64..).map(|number| format!("bookmark-{number}")).find(|name| !is_taken(name));
        let name = name.unwrap_or_else(|| "bookmark".into());
        match self.host.timeline_mut().bookmark(&name, moment) {
            Ok(()) => self.ask_name(TimelineItem::Bookmark(name)),
            Err(error) => self.tell_error(error),
        }
    }

    /// Starts to edit a name.
    pub(crate) fn ask_name(&mut self, item: TimelineItem) {
        let name = match &item {
            TimelineItem::Branch(branch) => self.host.timeline().branch(*branch).map(|branch| branch.name().to_owned()),
            TimelineItem::Bookmark(name) => Some(name.clone()),
        };
        self.timeline.naming = name.map(|name| (item, name));
    }

    /// Renames a branch or a bookmark.
    pub(crate) fn rename_item(&mut self, item: &TimelineItem, name: &str) {
        self.timeline.naming = None;
        let timeline = self.host.timeline_mut();
        let done = match item {
            TimelineItem::Branch(branch) => timeline.rename(*branch, name),
            TimelineItem::Bookmark(before) if before == name.trim() => Ok(()),
            TimelineItem::Bookmark(before) => timeline.bookmarked(before).and_then(|moment: Moment| {
                timeline.bookmark(name, moment)?;
                timeline.remove_bookmark(before);
                Ok(())
            }),
        };
        self.tell(done);
    }

    /// Removes a branch or a bookmark.
    pub(crate) fn remove_item(&mut self, item: &TimelineItem) {
        let timeline = self.host.timeline_mut();
        let done: Result<(), TimelineError> = match item {
            TimelineItem::Branch(branch) => timeline.remove(*branch),
            TimelineItem::Bookmark(name) => {
                timeline.remove_bookmark(name);
                Ok(())
            }
        };
        if let (TimelineItem::Branch(branch), Ok(())) = (item, &done) {
            self.plots.other_runs.retain(|(known, _)| known != &branch.0);
            self.compare_ends_with(*branch);
        }
        self.tell(done);
    }
}
