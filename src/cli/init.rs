//! `init`: a commented scene and a plan that varies it, as a start.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail, ensure};
use clap::ValueEnum;
use swarmarium_base::files::{shown, write_whole};
use swarmarium_formats::templates;

use super::json::{self, Written};
use super::typed::quoted;
use super::{Common, Exit, tell};

/// Write a commented scene and a plan that varies it, as a start
///
/// The files are NAME.ron and NAME.sweep.ron. Files that exist stay as they are.
#[derive(clap::Args, Clone, Debug)]
#[command(after_long_help = "\
Examples:
  # swarm.ron and swarm.sweep.ron, robots with a range sensor
  swarmarium init
  # Robots with radios
  swarmarium init talk --template radio
  swarmarium open talk.ron
  swarmarium sweep talk.sweep.ron")]
pub struct Args {
    /// The name of the scene, perhaps with a folder
    #[arg(value_name = "NAME", default_value = "swarm")]
    name: PathBuf,
    /// The content of the scene
    #[arg(long, value_name = "TEMPLATE", default_value = "sensors")]
    template: Template,
    /// Replace the files if they exist
    #[arg(long)]
    overwrite: bool,
    /// Print the results as JSON
    #[arg(long)]
    json: bool,
}

/// The templates.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Template {
    /// An arena without robots, and no plan
    Empty,
    /// Robots with a range sensor, and obstacles
    Sensors,
    /// Robots that meet by radio
    Radio,
}

/// Writes the files.
pub(super) fn run(args: &Args, common: &Common) -> anyhow::Result<Exit> {
    common.check_no_scene("init")?;
    let scene_file = match args.name.extension() {
        Some(extension) if extension.eq_ignore_ascii_case("ron") => args.name.clone(),
        _ => {
            let mut name = args.name.clone().into_os_string();
            name.push(".ron");
            PathBuf::from(name)
        }
    };
    let stem = scene_file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let is_name = !stem.is_empty() && !stem.starts_with('.') && !stem.ends_with(".sweep");
    ensure!(is_name, "{}: is not a valid name of a scene", shown(&args.name));
    let name = args.template.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
    let plan_file = scene_file.with_extension("sweep.ron");
    let file_name = scene_file.file_name().unwrap_or_default().to_string_lossy();
    let mut files = vec![(scene_file.as_path(), templates::named(&name, &stem))];
    let plan = templates::plan(&name, &file_name);
    if plan.is_some() {
        files.push((plan_file.as_path(), plan));
    }
    // Nothing is written if a file is there.
    if let Some((path, _)) = files.iter().find(|(path, _)| !args.overwrite && path.symlink_metadata().is_ok()) {
        bail!("{}: exists already; --overwrite replaces it", shown(path));
    }
    let folder = scene_file.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder {
        std::fs::create_dir_all(folder).with_context(|| format!("{}: cannot be made", shown(folder)))?;
    }
    let paths: Vec<&Path> = files.iter().map(|(path, _)| *path).collect();
    for (path, text) in files {
        let text = text.with_context(|| format!("{name}: the template is missing"))?;
        write_whole(path, text)?;
        if !common.quiet {
            tell(note(path, path == plan_file, &common.program));
        }
    }
    if args.json {
        json::print_files("done", paths.into_iter().map(Written::new).collect())?;
    }
    Ok(Exit::Fine)
}

/// The purpose of a file, and the command that uses it.
fn note(path: &Path, is_plan: bool, program: &str) -> String {
    let name = shown(path);
    let word = quoted(&name);
    match is_plan {
        false => format!("{name}: a scene; `{program} open {word}` shows it, `{program} run {word}` runs it"),
        true => format!("{name}: a plan; `{program} sweep {word}` runs it"),
    }
}
