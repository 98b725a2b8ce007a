//! ARGoS 3 experiments: `.argos` files.
//!
//! A file describes an arena with objects, robots and controllers. Objects, lights, floors and the robots that ARGoS and its
//! plugins publish become parts of a scene; controllers in C++ become [`External`](swarmarium_core::controller::external), and
//! those in Lua become scripts where they use names that robots have here. Everything else is a warning with its line.

use std::path::Path;

use roxmltree::Node;
use swarmarium_base::problem::{Problem, Problems};
use swarmarium_base::xml;
use swarmarium_core::kind::Kinds;
use swarmarium_core::text::wording::shown;

use super::{Imported, Options, scene_name};
use crate::import::report::Report;

use self::reader::Reader;

mod arena;
mod controllers;
mod devices;
mod distribute;
mod framework;
mod lua;
mod prototype;
mod reader;
mod robots;
mod text;

pub use robots::ROBOTS;

/// The element around an experiment.
const ROOT: &str = "argos-configuration";
/// The sections of an experiment.
const SECTIONS: [&str; 7] =
    ["framework", "controllers", "arena", "loop_functions", "physics_engines", "media", "visualization"];

/// Reads an experiment as a scene. The name of the scene is that of the file.
///
/// # Errors
/// Lists the problems of a text that is not an ARGoS 3 experiment.
pub fn import(kinds: &Kinds, source_name: &str, text: &str, options: &Options) -> Result<Imported, Problems> {
    let refuse = |problems: Vec<Problem>| Problems { source_name: source_name.to_owned(), problems };
    let text = text.trim_start_matches('\u{feff}');
    let text = &*text::with_quotes(text);
    let readable = text::without_comments(text);
    let readable = text::without_late_declaration(&readable);
    let screened = xml::screened(&readable).map_err(|problem| refuse(vec![problem]))?;
    let document = xml::parse(&screened).map_err(|problem| refuse(vec![text::explained(problem, text)]))?;
    let mut report = Report::default();
    let folder = Path::new(source_name).parent().unwrap_or_else(|| Path::new(""));
    let mut reader = Reader::new(kinds, options, folder, text, &mut report);
    let root = document.root_element();
    if let Some(problem) = refusal(root) {
        reader.report.problem(root.range().start, "", problem);
    } else {
        experiment(&mut reader, root, &scene_name(source_name));
    }
    let (scene, included) = reader.finish();
    let warnings = report.finish(text).map_err(refuse)?;
    Ok(Imported { scene, warnings, included })
}

/// Why a document is not an ARGoS 3 experiment; `None` if it is one.
fn refusal(root: Node) -> Option<String> {
    let name = root.tag_name().name();
    if name != ROOT {
        return Some(format!("expected `<{ROOT}>`, found `<{}>`: this is not an ARGoS experiment", shown(name)));
    }
    let has = |section: &str| root.children().any(|child| child.has_tag_name(section));
    if has("arena_physics") || has("space") {
        let old = "this is an ARGoS 2 experiment, whose files differ in each part: only those of ARGoS 3 are read";
        return Some(old.into());
    }
    for section in ["framework", "arena"] {
        if !has(section) {
            return Some(format!("`<{ROOT}>` has no `<{section}>`, which every ARGoS 3 experiment has"));
        }
    }
    None
}

fn experiment<'d>(reader: &mut Reader, root: Node<'d, 'd>, name: &str) {
    reader.scene.name = name.to_owned();
    reader.scene.about = "An experiment of ARGoS.".to_owned();
    let mut sections = [None; SECTIONS.len()];
    for child in root.children().filter(Node::is_element) {
        let tag = child.tag_name().name();
        match SECTIONS.iter().position(|known| *known == tag) {
            Some(place) if sections[place].is_none() => sections[place] = Some(child),
            Some(_) => reader.left_out(child, tag, "only the first section of a name counts"),
            None => reader.unknown_element(child, tag, &SECTIONS),
        }
    }
    let [framework, controllers, arena, loop_functions, engines, media, visualization] = sections;
    if let Some(node) = framework {
        framework::read(reader, node);
    }
    if let Some(node) = engines {
        framework::engines(reader, node);
    }
    let media = media.map(|node| framework::media(reader, node)).unwrap_or_default();
    let controllers = controllers.map(|node| controllers::read(reader, node)).unwrap_or_default();
    if let Some(node) = loop_functions {
        framework::loop_functions(reader, node);
    }
    if let Some(node) = arena {
        arena::read(reader, node, &controllers, &media);
    }
    if let Some(node) = visualization {
        reader.left_out(node, "visualization", "the window has views of its own");
    }
}

#[cfg(test)]
mod tests;
