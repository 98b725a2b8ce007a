//! Sentences of the book that a program can check: numbers of kinds and plans, and the manifests of projects.

use std::fs;
use std::process::Command;

use swarmarium::prelude::*;
use swarmarium_scene::scene::shipped;

use super::pages;
use crate::support::text;

const NUMBERS: [&str; 13] =
    ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];

#[test]
fn numbers_of_plans_and_controllers_are_those_of_the_program() {
    let study = text("docs/tutorials/first-study.md");
    let plans = NUMBERS[shipped::plans().filter(|(name, _)| !name.starts_with("papers/")).count()];
    assert!(study.contains(&format!("The program has {plans} plans of its own")), "there are {plans}");
    let controllers = Recipe::standard().kinds().family("controller").count();
    let page = text("docs/tutorials/first-controller.md");
    assert!(page.contains(&format!("The program has {controllers} kinds of controllers")), "there are {controllers}");
}

#[test]
fn badges_and_citations_have_the_versions_of_the_manifest() {
    let manifest = text("Cargo.toml");
    let entry = |key: &str| {
        let line = manifest.lines().find(|line| line.starts_with(&format!("{key} = "))).unwrap();
        line.split('"').nth(1).unwrap().to_owned()
    };
    let (version, rust) = (entry("version"), entry("rust-version"));
    let readme = text("README.md");
    assert!(readme.contains(&format!("badge/rust-{rust}_or_newer-")), "Rust {rust}");
    // Other badges would need a service that says so.
    assert_eq!(readme.matches("img.shields.io").count(), 2);
    assert!(text("CITATION.cff").lines().any(|line| line == format!("version: {version}")), "{version}");
    let cite = text("docs/guides/cite.md");
    assert!(cite.contains(&format!("version {version},")) && cite.contains(&format!("version = {{{version}}}")));
    assert!(text("docs/install.md").contains(&format!("swarmarium-{version}-x86_64-unknown-linux-gnu.tar.gz")));
}

/// The words after the numbers of checks on the front page.
const MET: &str = " checks](papers.md) are met. The other ";

#[test]
fn numbers_of_reproduced_results_are_those_of_the_table() {
    let book = text("docs/README.md");
    let line = book.lines().find(|line| line.contains(MET)).unwrap();
    let (numbers, rest) = line.split_once(MET).unwrap();
    let numbers = numbers.trim_start_matches('[');
    let disputed: usize = rest.split(' ').next().unwrap().parse().unwrap();
    let readme = text("README.md");
    assert!(readme.contains(&format!("{numbers} [checks](docs/papers.md) of published models")), "{numbers}");
    assert!(readme.contains(&format!("The other {} are published claims", NUMBERS[disputed])), "{disputed}");
    let (_, all) = numbers.split_once(" of ").unwrap();
    assert!(text("docs/faq.md").contains(&format!("has {all} checks of published models")), "{all}");
    let papers = text("docs/papers.md");
    let rows: Vec<Vec<&str>> = papers.lines().map(|line| line.split(" | ").collect()).collect();
    let of_status = |status: &str| rows.iter().filter(|row| row.len() == 6 && row[2] == status).count();
    let of_programs = rows.iter().filter(|row| row.len() == 6 && row[5].contains("independent program")).count();
    assert!(readme.contains(&format!("{of_programs} compare with a second program")), "{of_programs}");
    assert!(2 * of_programs > of_status("statistical"), "{of_programs}");
}

/// The blocks of TOML with dependencies, with the line before each.
fn dependencies(page: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (at, _) in page.match_indices("```toml\n[dependencies]") {
        let before = page[..at].trim_end().lines().last().unwrap_or_default();
        let block = &page[at + "```toml\n".len()..];
        found.push((before.to_owned(), block[..block.find("```").unwrap()].to_owned()));
    }
    found
}

#[test]
fn dependencies_replace_the_section_of_a_new_project() {
    let mut count = 0;
    for path in pages() {
        for (before, block) in dependencies(&text(&path.to_string_lossy())) {
            count += 1;
            let place = format!("{}: {before}", path.display());
            // A second section would be refused.
            assert!(before.contains("section `[dependencies]`") && before.contains("eplace"), "{place}");
            let folder = tempfile::tempdir().unwrap();
            let project = folder.path().join("explorers");
            let cargo = |arguments: &[&str]| {
                let output = Command::new(env!("CARGO")).args(arguments).current_dir(folder.path()).output().unwrap();
                assert!(output.status.success(), "{place}\n{}", String::from_utf8_lossy(&output.stderr));
                String::from_utf8(output.stdout).unwrap()
            };
            cargo(&["new", "explorers", "--vcs", "none", "--offline"]);
            let manifest = project.join("Cargo.toml");
            let fresh = fs::read_to_string(&manifest).unwrap();
            assert!(fresh.trim_end().ends_with("[dependencies]"), "{fresh}");
            fs::write(&manifest, fresh.replace("[dependencies]", block.trim_end())).unwrap();
            let manifest = manifest.display().to_string();
            let said =
                cargo(&["metadata", "--no-deps", "--offline", "--format-version", "1", "--manifest-path", &manifest]);
            let said: serde_json::Value = serde_json::from_str(&said).unwrap();
            let own = said["packages"][0]["dependencies"].as_array().unwrap();
            assert!(own.iter().any(|one| one["name"] == "swarmarium"), "{place}");
        }
    }
    assert_eq!(count, 2);
}
