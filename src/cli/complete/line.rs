//! The command line that is completed, and the names that depend on it: parameters of its scene, figures of its folder.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use bevy::reflect::Reflect;
use clap::ValueEnum as _;
use swarmarium_core::kind::Kinds;
use swarmarium_core::metric::Quantity;
use swarmarium_core::text::values::choices;
use swarmarium_figure::Topic;
use swarmarium_formats::run_folder::{FolderKind, RunFolder};
use swarmarium_scene::scene::{Scene, constants, path};
use swarmarium_simulation::simulation::Recipe;
use swarmarium_sweep::folder::FIGURES;
use swarmarium_sweep::plan::statistics;

use super::super::list::{self, Listing};
use super::super::sweep::plan;
use super::super::{Common, load, manual};

/// The command line that is completed.
///
/// A scene or a folder on the line that cannot be read has no names.
pub(super) struct Line {
    /// The words after the command. The incomplete word is one of them.
    words: Vec<String>,
    /// The kinds that scenes can use.
    recipe: Recipe,
}

impl Line {
    /// The line in the words of this process, which has the words of the line after `--`.
    pub fn of_process(words: &[OsString], parser: &clap::Command, recipe: &Recipe) -> Self {
        // The first word of the line is the program.
        let line = words.iter().skip_while(|word| *word != "--").skip(2);
        let line: Vec<String> = line.map(|word| word.to_string_lossy().into_owned()).collect();
        Self { words: after_command(parser, &line).to_vec(), recipe: recipe.clone() }
    }

    /// The kinds that scenes can use.
    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// Whether the line has an option.
    pub fn has(&self, option: &str) -> bool {
        self.words.iter().any(|word| word.split('=').next() == Some(option))
    }

    /// The words that are not options. The values of options are among them.
    fn operands(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(String::as_str).filter(|word| !word.is_empty() && !word.starts_with('-'))
    }

    /// The first scene on the line: that of a file, of a run folder, of a plan or of a sweep folder, or a shipped one.
    fn scene(&self) -> Option<Scene> {
        let recipe = &self.recipe;
        let common = Common { quiet: true, ..Common::for_program(recipe.program_name()) };
        let of_plan = |name: &str| Some(plan::named(name, &common, recipe).ok()??.scene);
        let of_scene = |name: &str| {
            let folder = load::run_folder(name, recipe).ok()?;
            let file = folder.map_or_else(|| name.to_owned(), |folder| folder.scene_file());
            Some(load::scene(&file, &common, recipe).ok()?.scene)
        };
        // `sweep` also takes the name of a shipped plan without its ending.
        let named = |name: &str| of_plan(name).or_else(|| of_scene(name)).or_else(|| of_plan(&format!("{name}.sweep")));
        self.operands().find_map(named)
    }

    /// The first run folder on the line.
    fn run_folder(&self) -> Option<RunFolder> {
        self.operands().find_map(|word| load::run_folder(word, &self.recipe).ok().flatten())
    }

    /// The parameters of the scene that begin with a text, each with `=` at its end. If the text has `=`, the values of
    /// its parameter instead.
    pub fn settings(&self, begun: &str) -> Vec<String> {
        let (kinds, Some(scene)) = (self.recipe.kinds(), self.scene()) else { return Vec::new() };
        match begun.split_once('=') {
            Some((name, _)) => values(kinds, &scene, name).into_iter().map(|value| format!("{name}={value}")).collect(),
            None => parameters(kinds, &scene, begun).into_iter().map(|name| format!("{name}=")).collect(),
        }
    }

    /// The columns of the metrics of the scene.
    fn columns(&self) -> Vec<(String, Quantity)> {
        let scene = self.scene();
        scene.map(|scene| self.recipe.metric_kinds().columns(&scene.metrics)).unwrap_or_default()
    }

    /// The names of the columns of the metrics of the scene.
    pub fn metric_columns(&self) -> Vec<String> {
        self.columns().into_iter().map(|(name, _)| name).collect()
    }

    /// The names that conditions over the metrics of the scene can have.
    pub fn names_of_conditions(&self) -> Vec<String> {
        [self.metric_columns(), vec!["step".into(), "t_s".into()]].concat()
    }

    /// The measures of a sweep over the columns of the metrics of the scene.
    pub fn measures(&self) -> Vec<String> {
        let columns = self.metric_columns();
        let of_statistic = |words| columns.iter().map(move |column| format!("{words} {column}"));
        statistics().flat_map(of_statistic).collect()
    }

    /// The values of `--camera` for the scene: to show all of it, or to follow one of its groups.
    pub fn cameras(&self) -> Vec<String> {
        let groups = self.scene().map(|scene| scene.groups).unwrap_or_default();
        let follow = groups.iter().map(|group| format!("follow:{}", group.name));
        std::iter::once("fit".to_owned()).chain(follow).collect()
    }

    /// The pages of the manual: the commands, or those below the words before the incomplete one.
    pub fn pages(&self, begun: &str) -> Vec<String> {
        let names = manual::names();
        let mut words: Vec<&str> = self.operands().collect();
        if !begun.is_empty() {
            words.pop();
        }
        let above: String = words.iter().map(|word| format!("{word}-")).collect();
        let below =
            |name: &String| Some(name.strip_prefix(above.as_str())?.to_owned()).filter(|name| !name.contains('-'));
        match above.is_empty() {
            true => names,
            false => names.iter().filter_map(below).collect(),
        }
    }

    /// The names of the figures of the folder: of a sweep folder those of its figure files, of a run folder the metrics
    /// and their columns.
    pub fn figures(&self) -> Vec<String> {
        let is_sweep = |word: &&str| FolderKind::from_path(Path::new(word)) == Some(FolderKind::Sweep);
        if let Some(folder) = self.operands().find(is_sweep) {
            let files = fs::read_dir(Path::new(folder).join(FIGURES)).into_iter().flatten();
            return files.filter_map(|file| Some(file.ok()?.path().file_stem()?.to_str()?.to_owned())).collect();
        }
        let (columns, quantities): (Vec<String>, Vec<Quantity>) = self.columns().into_iter().unzip();
        let metrics = Topic::of_columns(&columns, &quantities).into_iter().map(|topic| topic.key.to_owned());
        metrics.chain(columns.iter().cloned()).collect()
    }

    /// The kinds of the figures of a sweep folder, with which the names of the figures end.
    pub fn kinds_of_figures(&self) -> Vec<String> {
        self.figures().iter().filter_map(|name| Some(name.split_once('-')?.1.to_owned())).collect()
    }

    /// The bookmarks of the run folder.
    pub fn bookmarks(&self) -> Vec<String> {
        let run = self.run_folder();
        run.iter().flat_map(|run| &run.timeline().bookmarks).map(|bookmark| bookmark.name.clone()).collect()
    }

    /// The branches of the run folder.
    pub fn branches(&self) -> Vec<String> {
        let run = self.run_folder();
        run.iter().flat_map(|run| &run.timeline().branches).map(|branch| branch.name.clone()).collect()
    }

    /// The words that can follow `list` and begin with a text: the lists, and also the kinds once a letter is there.
    pub fn subjects(&self, begun: &str) -> Vec<String> {
        let mut subjects = list::subjects(&self.recipe);
        subjects.retain(|name| !begun.is_empty() || Listing::from_str(name, false).is_ok());
        subjects
    }

    /// The kinds that can follow the first word after `list`: those of its list, or all of them after a kind.
    pub fn listed_kinds(&self) -> Vec<String> {
        let word = self.operands().next().unwrap_or_default();
        // A list of one family is named after it, as `losses` after `loss`.
        let has_family = self.recipe.kinds().family_names().iter().any(|family| word.starts_with(*family));
        match Listing::from_str(word, false) {
            Ok(Listing::Kinds) | Err(_) => list::names(&self.recipe, Listing::Kinds),
            Ok(listing) if has_family => list::names(&self.recipe, listing),
            // Other lists are printed as a whole.
            Ok(_) => Vec::new(),
        }
    }
}

/// The verb of a command with a name, or the only one whose name begins so, as the parser takes it.
pub(super) fn verb_of<'c>(command: &'c clap::Command, name: &str) -> Option<&'c clap::Command> {
    let begins = |verb: &&clap::Command| !name.is_empty() && verb.get_name().starts_with(name);
    let mut alike = command.get_subcommands().filter(begins);
    let only = alike.next().filter(|_| alike.next().is_none());
    command.find_subcommand(name).or(only)
}

/// The words after the last word that names a command.
fn after_command<'w>(command: &clap::Command, words: &'w [String]) -> &'w [String] {
    let found = words.iter().enumerate().find_map(|(place, word)| Some((place, command.find_subcommand(word)?)));
    found.map_or(words, |(place, verb)| after_command(verb, &words[place + 1..]))
}

/// The parameters of a scene whose paths begin with a text up to its last point, and the constants.
fn parameters(kinds: &Kinds, scene: &Scene, begun: &str) -> Vec<String> {
    // The text can name a member of a list by its index, which the usual path to the same parameter does not.
    let above = begun.rfind('.').map_or("", |point| &begun[..=point]);
    let value = match above.strip_suffix('.') {
        Some(above) => path::get(kinds, scene, above).ok(),
        None => Some(scene as &dyn Reflect),
    };
    let leaves = value.map(|value| path::leaves(kinds, value)).unwrap_or_default();
    let paths = leaves.into_iter().map(|leaf| leaf.path);
    // The name of a constant is its path.
    let paths = paths.filter(|path| !path.is_empty() && !path.starts_with("constants."));
    let constants = scene.constants.iter().map(|constant| constant.name.clone());
    paths.map(|path| format!("{above}{path}")).chain(constants).collect()
}

/// The values of a parameter that need no typing: its choices, the kinds of its family, or else the present value if it is a
/// single word.
fn values(kinds: &Kinds, scene: &Scene, name: &str) -> Vec<String> {
    let Ok(path) = constants::resolve(kinds, scene, name) else { return Vec::new() };
    let value = path::get(kinds, scene, &path).ok();
    if let Some(family) = value.and_then(|value| kinds.family_of_slot(value)) {
        return kinds.family(family).map(|kind| kind.name.to_owned()).collect();
    }
    if let Some(names) = value.and_then(|value| choices(value.reflect_type_info())) {
        return names.into_iter().map(str::to_owned).collect();
    }
    let is_word = |text: &String| text.chars().all(|c| c.is_alphanumeric() || "_.+-".contains(c));
    constants::text_at(kinds, scene, &path).filter(is_word).into_iter().collect()
}
