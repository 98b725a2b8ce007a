//! The palette: finds every action by its name or by a synonym.
//!
//! Commands come from the command table; scenes, groups and parameters from the lab. `path = value` changes a
//! parameter, and a time or a step goes to that moment. An event in words, such as `first collision`, or a condition goes
//! to the moment that it finds.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::ops::Range;

use bevy_egui::egui::text::LayoutJob;
use bevy_egui::egui::{self, Align2, Button, Key, Modifiers, ScrollArea, TextEdit, TextFormat, Ui};
use swarmarium_formats::templates;
use swarmarium_host::clock::host::Seek;
use swarmarium_host::timeline::Moment;
use swarmarium_lab_state::action::{
    Action, FileAction, FileRequest, MomentCondition, PanelAction, PartAction, PlotAction, SelectionAction, TimeAction,
    TimelineAction, TimelineItem, WindowAction,
};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::command::{COMMANDS, CommandId, synonyms};
use swarmarium_lab_state::common::matcher::{self, Match, Query, Rank};
use swarmarium_lab_state::common::offset::{self, Offset};
use swarmarium_lab_state::common::selection::{self, Item};
use swarmarium_lab_state::common::text::shortened;
use swarmarium_lab_state::common::theme;
use swarmarium_lab_state::common::widgets::{cursor_to_end, named};
use swarmarium_lab_state::files::autosave::Unsaved;
use swarmarium_lab_state::run::output_folder;
use swarmarium_lab_state::timeline::words::{self, Phrase};
use swarmarium_picture::palette::{Role, Theme};
use swarmarium_scene::scene::{path, shipped};
use swarmarium_simulation::edit::Edit;

use crate::catalogue::choices::{self, Choice};
use crate::parameters::{Marks, reason};
use crate::tour::Landmark;
use crate::{command_actions, gallery, inspector, presets, sheet, tour};

/// The largest number of listed entries.
pub const MOST: usize = 60;

/// The width of the palette, in points.
const WIDTH_PX: f32 = 520.0;

/// The largest height of the list, in points.
const LIST_PX: f32 = 360.0;

/// The largest distance from the top of the window, in points.
const MOST_TOP_PX: f32 = 80.0;

/// The most characters of the typed text that an answer repeats.
const MOST_REPEATED: usize = 60;

/// The width of an entry, in points, for each character of the text at its right.
const DETAIL_PX: f32 = 9.0;

/// The initial text of the palette when it asks for a moment.
pub const MOMENT: &str = "go to ";

/// The palette.
#[derive(Default)]
pub struct Palette {
    query: String,
    /// The index of the chosen entry in the list.
    chosen: usize,
    /// The initial text, while the palette is open.
    opened_with: Option<&'static str>,
    many: Many,
    /// The titles and tags of shipped scenes by name; read when the palette opens.
    scenes: SceneWords,
}

/// The titles and tags of shipped scenes in lower case, by name.
pub type SceneWords = BTreeMap<&'static str, Vec<String>>;

/// Matching agents and parameters, and the metrics that can be added, cached because there may be too many to search or to
/// make in each frame.
#[derive(Default)]
pub struct Many {
    /// The query and the state that was searched.
    state: Option<(String, Marks, usize)>,
    found: Vec<Found>,
    /// The metrics that can be added, and the state from which they were made.
    metrics: Option<(Marks, Vec<PaletteEntry>)>,
}

/// An entry of the palette.
#[derive(Clone)]
pub struct PaletteEntry {
    /// The title, by which the entry is found.
    pub title: String,
    /// The suffix of the title: "…" if a dialog follows.
    after: &'static str,
    hint: String,
    section: &'static str,
    /// The keys of the same command.
    keys: String,
    /// Everyday words, in lower case, beyond those of the commands.
    synonyms: Vec<&'static str>,
    /// The action; without one, choosing the entry types its title.
    pub action: Option<Action>,
}

/// A matching entry.
#[derive(Clone)]
struct Found {
    entry: PaletteEntry,
    rank: Rank,
    /// The typed parts of its title, as ranges of bytes.
    typed: Vec<Range<usize>>,
    /// The matching synonym.
    synonym: Option<String>,
}

impl PaletteEntry {
    /// Creates an entry with an action.
    pub fn new(title: impl Into<String>, hint: impl Into<String>, action: Action) -> Self {
        let section = match action {
            Action::File(_) => "Scene",
            Action::Selection(_) => "Select",
            Action::Plot(_) => "Plots",
            Action::Time(_) => "Time",
            Action::Edit(_) | Action::Edits(_) | Action::Parameter(_) => "Parameters",
            Action::Part(_) => "Add",
            _ => "",
        };
        let after = if matches!(action, Action::File(FileAction::Ask(_))) { "…" } else { "" };
        Self {
            title: title.into(),
            after,
            hint: hint.into(),
            section,
            keys: String::new(),
            synonyms: Vec::new(),
            action: Some(action),
        }
    }

    /// Matches the entry. Scenes also match by title and tags, and metrics by synonyms; commands of equal rank come first.
    fn find(self, query: &Query, scenes: &SceneWords) -> Option<Found> {
        let tags: Vec<&str> = match &self.action {
            Some(Action::File(FileAction::Open(name))) => {
                scenes.get(name.as_str()).into_iter().flatten().map(String::as_str).collect()
            }
            _ => self.synonyms.clone(),
        };
        let found = match tags.is_empty() {
            true => query.find(&self.title, synonyms::of(&self.title), &self.hint)?,
            false => {
                let by_tags = || {
                    let found = query.find(&self.title, &tags, &self.hint)?;
                    Some(Match { rank: found.rank.max(Rank::SynonymStarts), ..found })
                };
                query.in_name(&self.title).or_else(by_tags)?
            }
        };
        let Match { rank, typed, synonym } = found;
        let synonym = synonym.map(Into::into);
        Some(Found { entry: self, rank, typed, synonym })
    }
}

impl Found {
    /// Lays out the title with the typed parts, the synonym and the section.
    pub fn text(&self, theme: Theme, is_chosen: bool) -> LayoutJob {
        let mut job = LayoutJob::default();
        // On the fill of the chosen row, only the text colour has enough contrast.
        let color = |role| theme::color(theme, if is_chosen { Role::Text } else { role });
        let plain = TextFormat::simple(theme::font(theme::TEXT_PX), color(Role::Text));
        let typed =
            TextFormat { underline: (1.0, color(Role::Accent)).into(), color: color(Role::Accent), ..plain.clone() };
        let title = &self.entry.title;
        let mut at = 0;
        for range in &self.typed {
            job.append(title.get(at..range.start).unwrap_or_default(), 0.0, plain.clone());
            job.append(title.get(range.clone()).unwrap_or_default(), 0.0, typed.clone());
            at = range.end;
        }
        job.append(title.get(at..).unwrap_or_default(), 0.0, plain.clone());
        job.append(self.entry.after, 0.0, plain);
        let dim = TextFormat::simple(theme::font(theme::SMALL_PX), color(Role::Dim));
        for words in self.synonym.as_deref().into_iter().chain([self.entry.section]) {
            job.append(words, theme::PAD, dim.clone());
        }
        job
    }
}

impl Palette {
    /// Draws the palette while it is open. Returns the requested actions.
    pub fn ui(&mut self, ctx: &egui::Context, lab: &Lab) -> Vec<Action> {
        let Some(text) = lab.shell.popups.palette else {
            *self = Self::default();
            return Vec::new();
        };
        let opens = self.opened_with != Some(text);
        if opens {
            *self = Self { query: text.into(), opened_with: Some(text), scenes: scene_words(lab), ..Self::default() };
        }
        let mut actions = Vec::new();
        let most_px = sheet::most_px(ctx);
        let top_px = (most_px.y / 8.0).min(MOST_TOP_PX);
        let window = egui::Window::new("Find an action").anchor(Align2::CENTER_TOP, [0.0, top_px]);
        let shown = window.resizable(false).collapsible(false).title_bar(false).fade_in(false).show(ctx, |ui| {
            ui.set_width(most_px.x.min(WIDTH_PX));
            self.moves(ui);
            let field = TextEdit::singleline(&mut self.query)
                .hint_text("Action, path = value, time such as 27.5 s, or first collision");
            let hint = "Words of an action; a parameter as path = value; a time such as 27.5 s, a step such as step \
                        1200, or a distance such as -3 s, to go there; an event such as first collision, or a \
                        condition such as t_s > 10, to find it (Enter)";
            let field = ui.add(field.desired_width(f32::INFINITY)).on_hover_text(hint);
            field.widget_info(|| {
                let info = egui::WidgetInfo::text_edit(true, &self.query, &self.query, "");
                egui::WidgetInfo { label: Some("What to do".into()), ..info }
            });
            if field.changed() {
                self.chosen = 0;
            }
            let enter = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
            // Typed letters must not act as shortcuts while the palette is open.
            if opens || ui.memory(|memory| memory.focused().is_none()) {
                field.request_focus();
            }
            if opens {
                cursor_to_end(ui.ctx(), field.id);
            }
            self.list(ui, lab, enter, (most_px.y - top_px - ui.min_rect().height()).min(LIST_PX), &mut actions);
        });
        if let Some(shown) = shown {
            tour::mark(ctx, Landmark::Palette, shown.response.rect);
        }
        if !actions.is_empty() {
            // The palette closes first, so that the chosen action may open it again.
            actions.insert(0, Action::Panel(PanelAction::Palette));
        }
        actions
    }

    /// Moves the choice with the arrow keys, before the text field takes them.
    fn moves(&mut self, ui: &Ui) {
        let pressed = |key| ui.input_mut(|input| input.consume_key(Modifiers::NONE, key));
        if pressed(Key::ArrowDown) {
            self.chosen += 1;
        }
        if pressed(Key::ArrowUp) {
            self.chosen = self.chosen.saturating_sub(1);
        }
    }

    fn list(&mut self, ui: &mut Ui, lab: &Lab, enter: bool, most_px: f32, actions: &mut Vec<Action>) {
        let found = found(lab, &self.query, &mut self.many, &self.scenes);
        self.chosen = self.chosen.min(found.len().saturating_sub(1));
        if found.is_empty() {
            ui.weak(nothing(lab, &self.query));
        }
        ScrollArea::vertical().max_height(most_px).show(ui, |ui| {
            for (place, found) in found.into_iter().enumerate() {
                let is_chosen = place == self.chosen;
                let text = found.text(lab.shell.settings.theme, is_chosen);
                let entry = found.entry;
                // A long reason leaves room for the title.
                let most_chars = (ui.available_width() / DETAIL_PX) as usize;
                let keys = theme::detail(shortened(&entry.keys, most_chars), is_chosen);
                let button = Button::selectable(is_chosen, text).right_text(keys).truncate();
                let row = ui.add_sized([ui.available_width(), 24.0], button).on_hover_text(&entry.hint);
                named(&row, &entry.title);
                if place == self.chosen
                    && ui.input(|input| input.key_pressed(Key::ArrowDown) || input.key_pressed(Key::ArrowUp))
                {
                    row.scroll_to_me(None);
                }
                if row.clicked() || (enter && place == self.chosen) {
                    match entry.action {
                        Some(action) => actions.push(action),
                        None => self.query = entry.title,
                    }
                }
            }
        });
    }
}

/// Returns the message for a query without matches.
pub fn nothing(lab: &Lab, query: &str) -> String {
    let keys = lab.shell.keymap.first_of(CommandId::ListKeys);
    let keys = if keys.is_empty() { "the list of keys has all names".into() } else { format!("{keys} lists all keys") };
    format!("Nothing is called \"{}\"; {keys}", shortened(query.trim(), MOST_REPEATED))
}

/// Returns the titles and tags of shipped scenes.
pub fn scene_words(lab: &Lab) -> SceneWords {
    let cards = gallery::cards(lab.run.host.simulation().kinds()).into_iter();
    cards.map(|card| (card.name, [vec![card.title.to_lowercase()], card.tags].concat())).collect()
}

/// Returns the number of matches and their actions.
#[cfg(test)]
pub fn typed(lab: &Lab, query: &str) -> (usize, Vec<Action>) {
    let found = found(lab, query, &mut Many::default(), &SceneWords::new());
    (found.len(), found.into_iter().filter_map(|found| found.entry.action).collect())
}

/// Returns the matches of a query, the best first: a change of a parameter, or entries by name.
fn found(lab: &Lab, query: &str, many: &mut Many, scenes: &SceneWords) -> Vec<Found> {
    let (is_named, moments_in_words) = finding(lab, query);
    let of_moment = |rank| move |entry| Found { entry, rank, typed: Vec::new(), synonym: None };
    if is_condition(query) {
        return moments_in_words.into_iter().map(of_moment(Rank::Name)).collect();
    }
    if let Some((path, value)) = query.split_once('=') {
        let entry = change(lab, query, path.trim(), value.trim());
        return vec![Found { entry, rank: Rank::Name, typed: Vec::new(), synonym: None }];
    }
    let asked = Query::new(query);
    let all = entries(lab).chain(many.metrics(lab).iter().cloned());
    let mut found: Vec<Found> = all.filter_map(|entry| entry.find(&asked, scenes)).collect();
    if !asked.is_empty() {
        found.extend(many.find(lab, query).iter().cloned());
    }
    // A kind of moment alone is less than a name that has it; with "first" or "last", nothing else is meant.
    let (first, others) = if is_named { (moments_in_words, Vec::new()) } else { (Vec::new(), moments_in_words) };
    found.extend(others.into_iter().map(of_moment(Rank::Words)));
    matcher::sort(&mut found, |found| found.rank);
    let moments = moments(query).into_iter().map(|moment| Found {
        entry: going_to(lab, moment),
        rank: Rank::Name,
        typed: Vec::new(),
        synonym: None,
    });
    found.splice(0..0, moments);
    found.splice(0..0, first.into_iter().map(of_moment(Rank::Name)));
    found.truncate(MOST);
    found
}

/// A moment in a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Target {
    /// The end of a step.
    Step(u64),
    /// A simulated time, in seconds.
    Time(f64),
    /// A distance from the present moment.
    By(Offset),
}

/// Parses moments: `27.5 s`, `1:12.5`, `step 1200`, `-3 s`, `3 s earlier`, or a number after `go to`.
pub fn moments(query: &str) -> Vec<Target> {
    let query = query.trim().to_lowercase();
    let after = ["go to", "goto"].into_iter().find_map(|start| query.strip_prefix(start));
    let text = after.unwrap_or(&query).trim();
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
    let step = |text: &str| text.trim().replace(',', "").parse().ok().map(Target::Step);
    if let Some(text) = text.strip_prefix("step") {
        return step(text).into_iter().collect();
    }
    let signed = after.filter(|_| text.starts_with(['-', '+', '\u{2212}'])).map(|_| format!("{text} s"));
    if let Some(offset) = offset::read(text).or_else(|| offset::read(&signed?)) {
        return vec![Target::By(offset)];
    }
    let seconds = ["seconds", "second", "s"].into_iter().find_map(|unit| number(text.strip_suffix(unit)?));
    match seconds.or_else(|| clock_s(text)) {
        Some(time_s) => vec![Target::Time(time_s)],
        None if after.is_some() => number(text).map(Target::Time).into_iter().chain(step(text)).collect(),
        None => Vec::new(),
    }
}

/// Whether a query is a condition rather than words or `path = value`.
fn is_condition(query: &str) -> bool {
    query.contains(['<', '>']) || query.contains("==") || query.contains("!=")
}

/// Returns entries that search for the moments of a query: those of an event in words, such as `first collision`, or of a
/// condition, such as `circliness > 0.9`. The named one of first, previous, next and last comes first; also returns whether
/// one is named.
fn finding(lab: &Lab, query: &str) -> (bool, Vec<PaletteEntry>) {
    let (condition, seek, offset) = match words::read(query, lab.run.host.simulation()) {
        Some(Phrase { condition, seek, offset }) => (condition, seek, offset),
        None if is_condition(query) => (MomentCondition::Expression(query.trim().into()), None, None),
        None => return (false, Vec::new()),
    };
    let named = seek.unwrap_or(Seek::First);
    let what = match &condition {
        MomentCondition::Any => "moment".into(),
        MomentCondition::Kind(kind, robot) => format!("{}{}", kind.name(), lab.run.of_robot(*robot)),
        MomentCondition::Expression(text) => format!("moment when {text}"),
    };
    let seeks = [(Seek::First, "First"), (Seek::Previous, "Previous"), (Seek::Next, "Next"), (Seek::Last, "Last")];
    let mut entries: Vec<(Seek, PaletteEntry)> = seeks
        .into_iter()
        .map(|(seek, name)| {
            let Some(offset) = offset else {
                let action = Action::Timeline(TimelineAction::Find(condition.clone(), seek));
                return (seek, PaletteEntry::new(format!("{name} {what}"), "Pauses and goes to this moment", action));
            };
            let action = Action::Timeline(TimelineAction::FindAt(condition.clone(), seek, offset));
            let title = format!("{} {} {what}", distance(offset, ["before", "after"]), name.to_lowercase());
            (seek, PaletteEntry::new(title, "Pauses and goes to the moment at this distance from it", action))
        })
        .collect();
    entries.sort_by_key(|(seek, _)| *seek != named);
    (seek.is_some() || offset.is_some(), entries.into_iter().map(|(_, entry)| entry).collect())
}

/// Returns a distance in words, with the word for the past or for the future: `3 s before`.
fn distance(offset: Offset, [past, future]: [&str; 2]) -> String {
    match offset {
        Offset::Time(time_s) => format!("{} s {}", time_s.abs(), if time_s < 0.0 { past } else { future }),
        Offset::Steps(steps) => format!("{} steps {}", steps.abs(), if steps < 0.0 { past } else { future }),
    }
}

/// Parses a time as the clock shows it, in seconds: `00:01:12.475`, or shorter `1:12`.
fn clock_s(text: &str) -> Option<f64> {
    let parts: Option<Vec<f64>> = text.split(':').map(|part| part.parse().ok()).collect();
    let parts =
        parts.filter(|parts| matches!(parts.len(), 2 | 3) && parts.iter().all(|part| (0.0..1e6).contains(part)));
    Some(parts?.into_iter().fold(0.0, |whole, part| 60.0 * whole + part))
}

/// Returns an entry that goes to a moment of the present branch, or says that the run has not reached it.
fn going_to(lab: &Lab, target: Target) -> PaletteEntry {
    let dt_s = lab.run.host.simulation().time().dt_s;
    let (step, title) = match target {
        Target::Step(step) => (step, format!("Go to step {step}")),
        Target::Time(time_s) => ((time_s / dt_s).round() as u64, format!("Go to {time_s:.3} s")),
        Target::By(offset) => {
            let now = lab.timeline.playhead(&lab.run.host).step as f64;
            // Before the start there is nothing.
            let step = (now + offset.steps(dt_s)).max(0.0);
            let title = format!("Go {}, to {:.3} s", distance(offset, ["back", "forward"]), step * dt_s);
            (step as u64, title)
        }
    };
    let end = lab.run.host.live_end();
    let action = Action::Timeline(TimelineAction::GoTo(Moment { step, ..lab.run.host.moment() }));
    let entry = PaletteEntry::new(title, "Shows this moment of the run", action);
    if step <= end {
        return entry;
    }
    let keys = format!("the run ends at {:.3} s, step {end}", end as f64 * dt_s);
    PaletteEntry { action: None, keys, hint: "The run has not reached this moment".into(), ..entry }
}

/// Returns an entry that changes a parameter, or the reason why it cannot.
fn change(lab: &Lab, query: &str, path: &str, typed: &str) -> PaletteEntry {
    let short = |text: &str| shortened(text, MOST_REPEATED);
    let refused = |keys: &str, hint: String| PaletteEntry {
        action: None,
        title: query.into(),
        after: "",
        hint,
        section: "",
        keys: short(keys),
        synonyms: Vec::new(),
    };
    let value = match lab.run.scene_text(path, typed) {
        Ok(value) => value,
        Err(keys) => return refused(&keys, format!("{path}: {keys}")),
    };
    let edit = Edit::Set { path: path.into(), value: value.clone() };
    match lab.run.host.simulation().check(&edit) {
        Ok(()) => PaletteEntry::new(
            format!("Set {} to {}", short(path), short(&value)),
            "Changes the parameter",
            Action::Edit(edit),
        ),
        Err(problem) => refused(&reason(&problem, &value), problem.to_string()),
    }
}

impl Many {
    /// Finds agents and parameters whose names contain all words. They are listed after all other matches.
    fn find(&mut self, lab: &Lab, query: &str) -> &[Found] {
        let state = (query.to_owned(), Marks::of(lab), lab.run.host.simulation().count());
        if self.state.as_ref() != Some(&state) {
            let query = Query::new(query);
            let found = agents(lab).chain(parameters(lab)).filter_map(|entry| {
                let typed = query.in_name(&entry.title)?.typed;
                Some(Found { entry, rank: Rank::Parts, typed, synonym: None })
            });
            self.found = found.take(MOST).collect();
            self.state = Some(state);
        }
        &self.found
    }

    /// Returns the entries that add a metric.
    fn metrics(&mut self, lab: &Lab) -> &[PaletteEntry] {
        let marks = Marks::of_sets(lab);
        self.metrics.take_if(|(known, _)| *known != marks);
        &self.metrics.get_or_insert_with(|| (marks, metrics(lab))).1
    }
}

/// Returns the entries that add a metric.
pub fn metrics(lab: &Lab) -> Vec<PaletteEntry> {
    let entry = |choice: Choice| {
        let title = format!("Add the metric {}", choice.name.to_lowercase());
        let synonyms = choice.synonyms;
        PaletteEntry { synonyms, ..PaletteEntry::new(title, choice.about, choice.effect.action(lab)) }
    };
    choices::at(lab, "metrics").into_iter().map(entry).collect()
}

/// Returns all available entries except agents, parameters and new metrics.
pub fn entries(lab: &Lab) -> impl Iterator<Item = PaletteEntry> {
    let commands = COMMANDS.iter().filter_map(|command| {
        let entry = PaletteEntry::new(command.title, command.hint, command_actions::action(command.id, lab)?);
        let after = if command_actions::name(command, lab).ends_with('…') { "…" } else { "" };
        Some(PaletteEntry {
            after,
            keys: command.keys_text(&lab.shell.keymap),
            section: command.section.name(),
            ..entry
        })
    });
    let scenes = shipped::all().map(|(name, _)| name.to_owned()).chain(lab.shell.settings.recent.iter().cloned());
    let scenes = scenes.map(|name| {
        PaletteEntry::new(format!("Open {name}"), "Opens this scene", Action::File(FileAction::Open(name)))
    });
    let templates = templates::ALL.iter().map(|(name, title, hint)| {
        PaletteEntry::new(
            format!("New scene: {}", title.to_lowercase()),
            *hint,
            Action::File(FileAction::New((*name).into())),
        )
    });
    let unsaved = newest_of_each(&lab.files.autosave.found).flat_map(|(found, older)| {
        let path = &found.path;
        let others = match older {
            0 => String::new(),
            _ => format!("; \"Unsaved work\" lists {older} older ones, too"),
        };
        [
            PaletteEntry::new(
                format!("Recover {}", found.text()),
                format!("Opens the scene with its unsaved changes{others}"),
                Action::File(FileAction::Recover(path.clone())),
            ),
            PaletteEntry::new(
                format!("Discard {}", found.text()),
                format!("Discards the unsaved changes{others}"),
                Action::File(FileAction::Discard(path.clone())),
            ),
        ]
    });
    // Edits use the places in the scene after the waiting edits.
    let scene = lab.run.host.simulation().scene_ahead();
    let groups = scene.groups.iter().enumerate().map(|(place, group)| select(&group.name, Item::Group(place)));
    let controllers = scene.groups.iter().enumerate().flat_map(|(place, group)| {
        let name = &group.name;
        let (save, load) = (FileRequest::SaveController(place), FileRequest::LoadController(place));
        [
            PaletteEntry::new(
                format!("Save the controller of {name}"),
                "Saves the controller with all its parameters",
                Action::File(FileAction::Ask(save)),
            ),
            PaletteEntry::new(
                format!("Load a controller for {name}"),
                "Loads a saved controller",
                Action::File(FileAction::Ask(load)),
            ),
        ]
    });
    let seeds = [lab.run.host.start().seed.wrapping_add(1)];
    let seeds = seeds.map(|seed| {
        PaletteEntry::new(
            format!("Restart with seed {seed}"),
            "Starts the scene again with this seed",
            Action::Time(TimeAction::ResetWithSeed(seed)),
        )
    });
    let pins = lab.plots.history.pins().map(|path| {
        PaletteEntry::new(
            format!("Unpin {path}"),
            "Removes the number from the plots",
            Action::Plot(PlotAction::Pin(path.into())),
        )
    });
    let timeline = lab.run.host.timeline();
    let moments = timeline.bookmarks().iter().flat_map(|bookmark| {
        let (name, item) = (&bookmark.name, TimelineItem::Bookmark(bookmark.name.clone()));
        let ask = Action::Timeline(TimelineAction::AskName(item.clone()));
        [
            PaletteEntry::new(
                format!("Go to the bookmark {name}"),
                "Shows this moment",
                Action::Timeline(TimelineAction::GoTo(bookmark.moment)),
            ),
            PaletteEntry::new(format!("Rename the bookmark {name}"), "Renames the bookmark", ask),
            PaletteEntry::new(
                format!("Delete the bookmark {name}"),
                "Deletes the bookmark; the run does not change",
                Action::Timeline(TimelineAction::Remove(item)),
            ),
        ]
    });
    let branches = timeline.branches().filter(|branch| branch.id() != timeline.present().id()).flat_map(|branch| {
        let (name, id) = (branch.name(), branch.id());
        let step = lab.run.host.moment().step.min(branch.end());
        [
            PaletteEntry::new(
                format!("Switch to the branch {name}"),
                "Shows this branch",
                Action::Timeline(TimelineAction::GoTo(Moment { branch: id, step })),
            ),
            PaletteEntry::new(
                format!("Compare with the branch {name}"),
                "Shows this branch beside the present one",
                Action::Timeline(TimelineAction::Compare(id)),
            ),
        ]
    });
    let seed = "seed".to_owned();
    let more = [
        PaletteEntry::new(
            "Pin the seed",
            "Plots the seed; pin other numbers from their rows",
            Action::Plot(PlotAction::Pin(seed.clone())),
        ),
        PaletteEntry::new(
            "Open the folder of recordings",
            "Opens the folder that recordings and pictures go to, in the file manager",
            Action::Window(WindowAction::OpenFolder(output_folder(&lab.run, &lab.shell.settings, &lab.files.places))),
        ),
        PaletteEntry::new(
            "Copy the seed",
            "Puts the seed on the clipboard",
            Action::Window(WindowAction::Copy(lab.run.host.start().seed.to_string())),
        ),
    ];
    let presets = presets::actions(lab).map(|(title, hint, action)| PaletteEntry::new(title, hint, action));
    let metric_names = selection::metric_names(lab.run.host.simulation()).into_iter().enumerate();
    let in_scene = (scene.groups.iter().map(|group| group.name.clone()).enumerate())
        .map(|(place, name)| (Item::Group(place), "group", name))
        .chain(metric_names.map(|(place, name)| (Item::Metric(place), "metric", name)));
    let parts = in_scene.flat_map(|(item, word, name)| {
        let path = item.part_path().unwrap_or_default();
        [
            PaletteEntry::new(
                format!("Duplicate the {word} {name}"),
                "Adds a copy of it",
                PartAction::Duplicate(path.clone()).into(),
            ),
            PaletteEntry::new(
                format!("Remove the {word} {name}"),
                "Removes it from the scene; undo brings it back",
                PartAction::Remove(path).into(),
            ),
        ]
    });
    let repair = inspector::repairs(lab);
    let repair = PaletteEntry::new("Repair the selected robots", "Repairs all selected robots", repair);
    commands
        .chain(presets)
        .chain([repair])
        .chain(templates)
        .chain(scenes)
        .chain(unsaved)
        .chain(groups)
        .chain(controllers)
        .chain(parts)
        .chain(seeds)
        .chain(pins)
        .chain(moments)
        .chain(branches)
        .chain(more)
}

/// Returns the newest kept scene of each name, with the number of older ones.
fn newest_of_each(found: &[Unsaved]) -> impl Iterator<Item = (&Unsaved, usize)> {
    let is_first = |place: usize| found[..place].iter().all(|newer| newer.name() != found[place].name());
    (0..found.len()).filter(move |place| is_first(*place)).map(|place| {
        let older = found[place + 1..].iter().filter(|older| older.name() == found[place].name());
        (&found[place], older.count())
    })
}

/// Creates an entry that selects a robot or an object.
pub fn select(title: &str, item: Item) -> PaletteEntry {
    PaletteEntry::new(format!("Select {title}"), "Selects it", Action::Selection(SelectionAction::Select(Some(item))))
}

fn agents(lab: &Lab) -> impl Iterator<Item = PaletteEntry> {
    lab.run.host.simulation().agents().map(|agent| select(&agent.name(), Item::Agent(agent.id.index())))
}

/// Returns the parameters; a chosen one types its path, and the value follows.
pub fn parameters(lab: &Lab) -> impl Iterator<Item = PaletteEntry> {
    let simulation = lab.run.host.simulation();
    path::leaves(simulation.kinds(), simulation.scene_ahead()).into_iter().map(|leaf| PaletteEntry {
        title: format!("{} = ", leaf.path),
        after: "",
        hint: "Types the path; type the value and press Enter".into(),
        section: "Parameters",
        keys: String::new(),
        synonyms: Vec::new(),
        action: None,
    })
}
