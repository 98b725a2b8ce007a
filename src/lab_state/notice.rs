//! Notices: messages to the user. Good news passes; errors stay until they are closed.

use std::collections::VecDeque;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::action::{Action, FileAction, FileRequest, HistoryAction, PanelAction, TimeAction, WindowAction};
use crate::common::command::CommandId;
use crate::common::places;

/// The largest number of errors; older ones are removed.
const MOST_ERRORS: usize = 3;

/// The largest number of other passing notices; older ones are removed.
const MOST_PASSING: usize = 2;

/// The largest number of messages that are kept; older ones are removed.
const MOST_KEPT: usize = 500;

/// What a notice is about. It decides when the notice is out of date.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoticeSource {
    /// The window: the notice disappears when another scene is opened.
    Window,
    /// The scene file: the notice also disappears when the file is correct again.
    SceneFile,
    /// The keymap file: the notice disappears when the file is correct again.
    KeymapFile,
    /// The file of a script with this name: the notice also disappears when the script is correct again.
    Script(String),
    /// Unsaved scenes that can be recovered.
    Recovery,
    /// A file in progress: the message about the finished file replaces the notice.
    Progress(PathBuf),
}

impl NoticeSource {
    /// Whether the notice stays when another scene is opened.
    fn outlasts_scene(&self) -> bool {
        matches!(self, Self::KeymapFile | Self::Recovery)
    }
}

/// How long a notice stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lifetime {
    /// For some seconds, or until newer good news comes.
    Passing,
    /// Until the user closes it.
    UntilClosed,
}

/// A notice.
#[derive(Clone, Debug, PartialEq)]
pub struct Notice {
    /// Its number, which no other notice has.
    pub id: u64,
    /// Whether it is an error.
    pub is_error: bool,
    /// The lines; the first one is the summary.
    pub lines: Vec<String>,
    /// What it is about.
    pub source: NoticeSource,
    /// How long it stays.
    pub lifetime: Lifetime,
    /// The buttons, from left to right.
    pub offers: Vec<Offer>,
    /// How often it was added.
    pub times: u32,
}

/// A button of a notice.
#[derive(Clone, Debug, PartialEq)]
pub struct Offer {
    /// The text of the button.
    pub title: String,
    /// The hint.
    pub hint: OfferHint,
    /// The action.
    pub action: Action,
}

/// The hint of a button.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OfferHint {
    /// One sentence.
    Text(&'static str),
    /// That of a command, with its keys.
    Command(CommandId),
}

impl Offer {
    /// Whether it recovers or discards a kept scene; the notice disappears after that.
    pub fn is_of_kept(&self, path: Option<&Path>) -> bool {
        match &self.action {
            Action::File(FileAction::Recover(kept) | FileAction::Discard(kept)) => path.is_none_or(|path| kept == path),
            _ => false,
        }
    }
}

impl Notice {
    /// Creates an error, which stays until it is closed.
    pub fn error(text: &str) -> Self {
        Self { is_error: true, lifetime: Lifetime::UntilClosed, ..Self::good(text) }
    }

    /// Creates an error about the scene file, which stays until the file is correct.
    pub fn of_file(text: &str) -> Self {
        Self { source: NoticeSource::SceneFile, ..Self::error(text) }
    }

    /// Creates an error about the keymap file, which stays until the file is correct.
    pub fn of_keys(text: &str) -> Self {
        Self { source: NoticeSource::KeymapFile, ..Self::error(text) }
    }

    /// Creates an error about the file of a script, by the name of the script, which stays until the script is correct.
    pub fn of_script(name: &str, text: &str) -> Self {
        Self { source: NoticeSource::Script(name.into()), ..Self::error(text) }
    }

    /// Creates a report about the scene, such as that of an importer, which stays until it is closed.
    pub fn of_scene(text: &str) -> Self {
        Self { source: NoticeSource::SceneFile, lifetime: Lifetime::UntilClosed, ..Self::good(text) }
    }

    /// Creates a message about a success.
    pub fn good(text: &str) -> Self {
        let lines = text.lines().map(Into::into).collect();
        Self {
            id: 0,
            is_error: false,
            lines,
            source: NoticeSource::Window,
            lifetime: Lifetime::Passing,
            offers: Vec::new(),
            times: 1,
        }
    }

    /// Adds a button for a command; the notice stays until it is pressed or closed.
    #[must_use]
    pub fn with_offer(self, id: CommandId, action: Action) -> Self {
        self.with(Offer { title: id.command().title.into(), hint: OfferHint::Command(id), action })
    }

    /// Adds a button with its own hint; the notice stays until it is pressed or closed.
    #[must_use]
    pub fn with_button(self, title: impl Into<String>, hint: &'static str, action: Action) -> Self {
        self.with(Offer { title: title.into(), hint: OfferHint::Text(hint), action })
    }

    fn with(mut self, offer: Offer) -> Self {
        self.offers.push(offer);
        Self { lifetime: Lifetime::UntilClosed, ..self }
    }

    /// Makes the notice disappear by itself, even if it has buttons.
    #[must_use]
    pub fn passing(self) -> Self {
        Self { lifetime: Lifetime::Passing, ..self }
    }

    /// Makes the notice disappear when a file is complete.
    #[must_use]
    pub fn of_progress(self, path: &Path) -> Self {
        Self { source: NoticeSource::Progress(path.into()), ..self }
    }

    /// Makes the notice one about scenes that can be recovered, which stays when another scene is opened.
    #[must_use]
    pub fn of_recovery(self) -> Self {
        Self { source: NoticeSource::Recovery, ..self }
    }

    /// Whether it says and offers the same as another notice.
    fn is_like(&self, other: &Self) -> bool {
        (&self.lines, self.is_error, &self.offers) == (&other.lines, other.is_error, &other.offers)
    }

    /// Whether it offers the list of kept scenes.
    fn is_summary(&self) -> bool {
        self.offers.iter().any(|offer| offer.action == Action::Panel(PanelAction::Unsaved))
    }

    /// Returns all lines.
    pub fn text(&self) -> String {
        self.lines.join("\n")
    }
}

/// A message that was shown: a notice with the time at which it was added last.
#[derive(Clone, Debug)]
pub struct Message {
    /// The notice.
    pub notice: Notice,
    /// When it was added last.
    pub at: Instant,
}

/// All notices: errors, permanent ones, and a few passing ones.
#[derive(Debug, Default)]
pub struct Notices {
    list: Vec<Notice>,
    /// The notices of this window, the newest last, including closed ones.
    history: VecDeque<Message>,
    /// The number of notices that were added.
    added: u64,
}

impl Notices {
    /// Adds a notice. It replaces the ones that it supersedes; an equal one is counted.
    pub fn add(&mut self, mut notice: Notice) {
        self.remember(&notice);
        let is_equal = |old: &Notice| old.is_like(&notice);
        if let Some(at) = self.list.iter().position(is_equal) {
            notice.times += self.list.remove(at).times;
        }
        self.added += 1;
        notice.id = self.added;
        let is_of_file = |notice: &Notice| {
            notice.is_error && matches!(notice.source, NoticeSource::SceneFile | NoticeSource::Script(_))
        };
        self.list.retain(|old| !(is_of_file(&notice) && is_of_file(old) && notice.source == old.source));
        // Errors come first, so that they do not move when good news comes and goes.
        let at = if notice.is_error { self.errors() } else { self.list.len() };
        self.list.insert(at, notice);
        self.drop_oldest(MOST_ERRORS, |notice| notice.is_error);
        self.drop_oldest(MOST_PASSING, |notice| notice.lifetime == Lifetime::Passing);
    }

    /// Adds a notice to the history; one that is like the last one is counted.
    fn remember(&mut self, notice: &Notice) {
        let times = self.history.pop_back_if(|last| last.notice.is_like(notice)).map_or(0, |last| last.notice.times);
        let notice = Notice { times: notice.times + times, ..notice.clone() };
        self.history.push_back(Message { notice, at: Instant::now() });
        self.history.drain(..self.history.len().saturating_sub(MOST_KEPT));
    }

    /// Returns the notices of this window, the newest last, including closed ones.
    pub fn history(&self) -> impl ExactSizeIterator<Item = &Message> {
        self.history.iter()
    }

    /// Removes all messages from the history.
    pub fn clear_history(&mut self) {
        self.history.clear();
    }

    /// Removes the oldest of some notices while there are too many.
    fn drop_oldest(&mut self, most: usize, counts: impl Fn(&Notice) -> bool) {
        if self.list.iter().filter(|notice| counts(notice)).count() > most
            && let Some(oldest) = self.list.iter().position(counts)
        {
            self.list.remove(oldest);
        }
    }

    /// Returns all notices, errors first.
    pub fn iter(&self) -> impl Iterator<Item = &Notice> {
        self.list.iter()
    }

    /// Removes the errors about the scene file.
    pub fn clear_scene_errors(&mut self) {
        self.list.retain(|notice| notice.source != NoticeSource::SceneFile);
    }

    /// Removes the errors about a script.
    pub fn clear_script_errors(&mut self, name: &str) {
        self.list.retain(|notice| !matches!(&notice.source, NoticeSource::Script(of) if of == name));
    }

    /// Removes the errors about the keymap file.
    pub fn clear_keymap_errors(&mut self) {
        self.list.retain(|notice| notice.source != NoticeSource::KeymapFile);
    }

    /// Removes the offer of a kept scene that was recovered or discarded. Returns whether the scene was offered at the
    /// start of the window.
    pub fn drop_recovery(&mut self, path: &Path) -> bool {
        let is_of_it = |offer: &Offer| offer.is_of_kept(Some(path));
        self.history.iter_mut().for_each(|message| message.notice.offers.retain(|offer| !is_of_it(offer)));
        let is_over = |notice: &mut Notice| notice.is_summary() || notice.offers.iter().any(is_of_it);
        let dropped: Vec<Notice> = self.list.extract_if(.., is_over).collect();
        dropped.iter().any(Notice::is_summary)
    }

    /// Removes the notice about a file in progress.
    pub fn drop_progress(&mut self, path: &Path) {
        self.list.retain(|notice| !matches!(&notice.source, NoticeSource::Progress(of) if of == path));
    }

    /// Removes the notices about the previous scene.
    pub fn scene_opened(&mut self) {
        self.list.retain(|notice| notice.source.outlasts_scene());
    }

    /// Removes the offer to make changes again.
    pub fn drop_offers(&mut self) {
        let is_old = |offer: &Offer| offer.action == Action::History(HistoryAction::RestoreChanges);
        self.list.retain(|notice| !notice.offers.iter().any(is_old));
        self.history.iter_mut().for_each(|message| message.notice.offers.retain(|offer| !is_old(offer)));
    }

    /// Removes the question about robots without room.
    pub fn drop_question_of_room(&mut self) {
        let is_of_room = |offer: &Offer| matches!(offer.action, Action::Time(TimeAction::StartCrowded(_)));
        self.list.retain(|notice| !notice.offers.iter().any(is_of_room));
        self.history.iter_mut().for_each(|message| message.notice.offers.retain(|offer| !is_of_room(offer)));
    }

    /// Closes the last notice. Returns whether there was one.
    pub fn close_last(&mut self) -> bool {
        self.list.pop().is_some()
    }

    /// Closes a notice.
    pub fn close(&mut self, id: u64) {
        self.list.retain(|notice| notice.id != id);
    }

    fn errors(&self) -> usize {
        self.iter().filter(|notice| notice.is_error).count()
    }
}

impl Notices {
    /// Shows an error, if there is one.
    pub fn tell(&mut self, done: Result<(), impl Display>) {
        if let Err(error) = done {
            self.tell_error(error);
        }
    }

    /// Shows an error with its causes.
    pub fn tell_error(&mut self, error: impl Display) {
        self.add(Notice::error(&format!("{error:#}")));
    }

    /// Shows the reason why a file could not be saved, with a button that asks for another file.
    pub fn tell_unsaved(&mut self, error: impl Display, request: FileRequest) {
        let ask = Action::File(FileAction::Ask(request));
        let notice = Notice::error(&format!("{error:#}"));
        self.add(notice.with_button("Save as…", "Asks for another folder or name", ask));
    }

    /// Shows a message for some seconds.
    pub fn say(&mut self, text: &str) {
        self.add(Notice::good(text));
    }

    /// Shows whether a file was saved. If it was not, the user can choose another one with the dialog of a request.
    pub fn report(&mut self, saved: anyhow::Result<()>, path: &Path, request: impl Into<Option<FileRequest>>) {
        match saved {
            Ok(()) => self.say_saved(&format!("Saved {}", path.display()), path),
            Err(error) => match request.into() {
                Some(request) => self.tell_unsaved(error, request),
                None => self.tell_error(error),
            },
        }
    }

    /// Shows that a file was saved, with buttons that open its folder and copy its path.
    pub fn say_saved(&mut self, text: &str, path: &Path) {
        self.add(saved(text, path));
    }
}

/// The notice about a saved file, with buttons for its folder and its path.
pub fn saved(text: &str, path: &Path) -> Notice {
    let path = PathBuf::from(places::absolute(path));
    let copy = Action::Window(WindowAction::Copy(path.display().to_string()));
    let folder = if path.is_dir() { path } else { path.parent().unwrap_or(&path).to_path_buf() };
    let open = Action::Window(WindowAction::OpenFolder(folder));
    let notice = Notice::good(text)
        .with_button("Open folder", "Opens the folder of the file in the file manager", open)
        .with_button("Copy path", "Copies the path of the file", copy);
    notice.passing()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(notices: &Notices) -> Vec<String> {
        notices.iter().map(Notice::text).collect()
    }

    #[test]
    fn error_notices_stay_and_success_notices_fade() {
        let mut notices = Notices::default();
        notices.add(Notice::error("bad"));
        notices.add(Notice::good("Saved"));
        notices.add(Notice::good("Copied"));
        notices.add(Notice::error("worse"));
        notices.add(Notice::error("bad"));
        assert_eq!(texts(&notices), ["worse", "bad", "Saved", "Copied"]);
        assert_eq!(notices.list[1].times, 2, "it was told twice");
        notices.add(Notice::good("Undone"));
        assert_eq!(texts(&notices), ["worse", "bad", "Copied", "Undone"]);
        let passing = notices.iter().filter(|notice| notice.lifetime == Lifetime::Passing).map(|notice| notice.id);
        passing.collect::<Vec<_>>().into_iter().for_each(|id| notices.close(id));
        assert_eq!(texts(&notices), ["worse", "bad"]);
        ["a", "b", "c"].into_iter().for_each(|text| notices.add(Notice::error(text)));
        assert_eq!(texts(&notices), ["a", "b", "c"]);
        assert!(notices.close_last());
        assert_eq!(texts(&notices), ["a", "b"]);
    }

    #[test]
    fn the_history_keeps_closed_messages_and_counts_equal_ones() {
        let mut notices = Notices::default();
        for text in ["Saved", "Copied", "Copied"] {
            notices.say(text);
        }
        notices.tell_error("bad");
        while notices.close_last() {}
        let kept: Vec<_> = notices.history().map(|it| (it.notice.text(), it.notice.times)).collect();
        assert_eq!(kept, [("Saved".into(), 1), ("Copied".into(), 2), ("bad".into(), 1)]);
        (0..MOST_KEPT).for_each(|number| notices.say(&number.to_string()));
        assert_eq!(notices.history().next().map(|first| first.notice.text()).as_deref(), Some("0"));
        notices.clear_history();
        assert_eq!(notices.history().len(), 0);
    }

    #[test]
    fn an_offer_notice_stays_and_success_notices_fade() {
        let mut notices = Notices::default();
        notices.add(
            Notice::good("read again")
                .with_offer(CommandId::MakeChangesAgain, Action::History(HistoryAction::RestoreChanges)),
        );
        notices.add(Notice::good("Saved"));
        notices.add(Notice::error("bad"));
        notices.add(Notice::good("Copied"));
        assert_eq!(texts(&notices), ["bad", "read again", "Saved", "Copied"]);
        notices.drop_offers();
        assert_eq!(texts(&notices), ["bad", "Saved", "Copied"]);
    }

    #[test]
    fn a_broken_file_has_one_notice_until_it_is_fixed() {
        let mut notices = Notices::default();
        notices.add(Notice::error("else"));
        notices.add(Notice::of_file("one"));
        notices.add(Notice::of_file("two"));
        assert_eq!(texts(&notices), ["else", "two"]);
        notices.clear_scene_errors();
        assert_eq!(texts(&notices), ["else"]);
    }

    #[test]
    fn each_broken_script_has_one_notice_until_it_is_fixed() {
        let mut notices = Notices::default();
        notices.add(Notice::of_script("a.luau", "one"));
        notices.add(Notice::of_script("b.luau", "two"));
        notices.add(Notice::of_script("a.luau", "three"));
        assert_eq!(texts(&notices), ["two", "three"]);
        notices.clear_script_errors("b.luau");
        assert_eq!(texts(&notices), ["three"]);
        notices.scene_opened();
        assert_eq!(texts(&notices), [""; 0]);
    }
}
