//! The generated pages of the reference: kinds, fields of scenes, command line and keys, from the lists of the program.
//!
//! `UPDATE_BOOK=1 cargo test --release book` writes the pages; without it, a page that differs fails.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::CommandFactory;
use serde_json::Value;
use swarmarium::cli::Arguments;
use swarmarium_core::text::wording::{join, lower};
use swarmarium_script::api;

use super::find;
use crate::support::{path, text};

pub(super) const NOTE: &str = "<!-- This page is generated: change the documentation in the code, then run `UPDATE_BOOK=1 cargo test --release book`. -->\n\n";

/// The pages of kinds: the name of the list and of the page, the title, and the part of kinds of this family.
const FAMILIES: [(&str, &str, &str); 10] = [
    (
        "sensors",
        "Sensors",
        "A sensor turns the world around a robot into numbers, its reading. [Sensing](../sensing.md) describes the common parts of all sensors. The tables of readings count from 0, as `channel` and traces do, and are those of sensors with default parameters, or with the choice above them; lists in scripts count from 1.",
    ),
    (
        "controllers",
        "Controllers",
        "A controller turns the readings of a robot, the messages that it received and its memory into a command. [Robots](../robots.md) lists the forms of commands.",
    ),
    (
        "behaviours",
        "Behaviours",
        "A behaviour is one of the controllers between which a supervisor switches. [Robots](../robots.md) describes supervisors.",
    ),
    (
        "actuators",
        "Actuators",
        "An actuator is a part of a robot that an external program commands. [Sockets](../sockets.md) describes how.",
    ),
    (
        "motions",
        "Motion models",
        "A motion model turns the command of a controller into movement. [Robots](../robots.md) describes the common parts of all motion models.",
    ),
    (
        "spawners",
        "Spawners",
        "A spawner places the robots of a group at the start, or adds some later. [Objects, spawners and metrics](../world.md) describes the common parts of all spawners.",
    ),
    (
        "noises",
        "Noise",
        "A kind of noise changes a reading. A sensor applies its list of noises in order. [Sensing](../sensing.md) describes when.",
    ),
    (
        "losses",
        "Loss models",
        "A loss model decides which packets between two radios are lost. [Radio](../radio.md) describes the way of a packet.",
    ),
    (
        "objects",
        "Objects",
        "An object is anything in the arena that is not a robot. [Objects, spawners and metrics](../world.md) describes the common parts of all objects.",
    ),
    (
        "metrics",
        "Metrics",
        "A metric is a number or a vector about the swarm, observed after each step. In the formulas, $p_i$ is the position, $\\theta_i$ the heading and $v_i$ the velocity of robot $i$, $N$ the number of robots that the metric observes, $c$ the centroid of their positions, $t$ the time and $\\Delta t$ the length of a step. [Objects, spawners and metrics](../world.md) describes the common parts of all metrics.",
    ),
];

#[test]
fn pages_of_kinds_are_those_of_the_program() {
    let mut book = Generated::default();
    for (list, title, intro) in FAMILIES {
        let kinds = listed(list);
        let page = family(&mut book, list, title, intro, &kinds);
        book.page(&format!("docs/reference/kinds/{list}.md"), &page);
    }
    book.finish(&["docs/reference/kinds", "docs/images/kinds"]);
}

#[test]
fn page_of_fields_is_that_of_the_program() {
    let types = listed("fields");
    let mut page = format!(
        "# Fields\n\n{NOTE}This page lists every field of a scene file except those of [kinds](kinds.md), as `swarmarium list fields` does. \
         A field without a default is required. [Scenes](scenes.md) describes how the parts work together.\n"
    );
    for description in &types {
        _ = write!(page, "\n## {}\n\n{}\n", string(description, "name"), prose(string(description, "about")));
        page.push_str(&fields(array(description, "fields")));
        let variants = array(description, "variants");
        if variants.is_empty() {
            continue;
        }
        page.push_str("\n| value | description |\n|---|---|\n");
        for variant in variants {
            let parts: Vec<_> = array(variant, "fields")
                .iter()
                .map(|part| match string(part, "name") {
                    place if place.starts_with(char::is_numeric) => string(part, "type_name").to_owned(),
                    name => format!("{name}: {}", string(part, "type_name")),
                })
                .collect();
            let parts = if parts.is_empty() { String::new() } else { format!("({})", parts.join(", ")) };
            _ = writeln!(
                page,
                "| {} | {} |",
                code(&format!("{}{parts}", string(variant, "name"))),
                cell(string(variant, "about"))
            );
        }
    }
    check_page("docs/reference/fields.md", &page);
}

#[test]
fn page_of_keys_is_that_of_the_window() {
    let mut page = format!(
        "# Keys\n\n{NOTE}This page lists every command of the window with its default keys, as `swarmarium list keys` does. \
         `Ctrl+P` finds each command by its name. [Help and settings](help.md) says how to change keys.\n"
    );
    let mut section = String::new();
    for command in listed("keys") {
        if string(&command, "section") != section {
            section = string(&command, "section").to_owned();
            _ = write!(page, "\n## {section}\n\n| command | keys | effect |\n|---|---|---|\n");
        }
        let keys: Vec<_> = array(&command, "keys").iter().filter_map(Value::as_str).map(code).collect();
        _ = writeln!(
            page,
            "| {} | {} | {} |",
            cell(string(&command, "title")),
            keys.join(" or "),
            cell(string(&command, "about"))
        );
    }
    check_page("docs/reference/window/keys.md", &page);
}

#[test]
fn page_of_names_in_scripts_is_that_of_the_program() {
    let mut page = format!(
        "# Names in scripts\n\n{NOTE}This page lists every name that a [script](../scripts.md) can use. \
         [`swarmarium.d.luau`](swarmarium.d.luau) has the same for editors with the language server `luau-lsp`: give it to the \
         server in `--definitions`.\n\n## Declarations\n\n| name | meaning |\n|---|---|\n"
    );
    for (name, about) in api::DECLARATIONS {
        _ = writeln!(page, "| {} | {} |", code(name), about.replace('|', "\\|"));
    }
    for object in api::OBJECTS {
        _ = write!(page, "\n## `{}`\n\n{}\n\n| name | type | meaning |\n|---|---|---|\n", object.name, object.about);
        for member in object.members {
            let name = if member.signature.starts_with('(') {
                format!("{}:{}", object.name, member.name)
            } else {
                member.name.into()
            };
            _ = writeln!(page, "| {} | {} | {} |", code(&name), code(member.signature), member.about);
        }
    }
    page.push_str("\n## Functions and libraries\n\nThe [reference of Luau](https://luau.org/library) describes them.\n\n| library | names |\n|---|---|\n");
    for (library, names) in api::libraries() {
        let names: Vec<_> = names.iter().map(|name| code(name)).collect();
        let library = if library.is_empty() { "global".into() } else { code(library) };
        _ = writeln!(page, "| {library} | {} |", names.join(", "));
    }
    page.push_str("\n## Names of Luau that scripts do not have\n\n| name | reason |\n|---|---|\n");
    for (name, reason) in api::absent() {
        _ = writeln!(page, "| {} | {reason} |", code(name));
    }
    let mut book = Generated::default();
    book.page("docs/reference/scripts/names.md", &page);
    book.page("docs/reference/scripts/swarmarium.d.luau", &api::definitions());
    book.finish(&["docs/reference/scripts"]);
}

#[test]
fn gallery_shows_every_scene() {
    let mut page = format!(
        "# Gallery\n\n{NOTE}These scenes come with the program. `swarmarium open NAME` opens one in the window, and \
         `swarmarium record NAME -o NAME.mp4` records a video of it. [How do I model …](cookbook.md) says which of them, and which \
         small examples, express a model from the literature. The script `docs/gallery.sh` records the loops on this page, with the \
         same bytes on every run.\n"
    );
    for scene in listed("scenes") {
        let (name, title) = (string(&scene, "name"), string(&scene, "title"));
        if name != "template" {
            _ = write!(page, "\n## {title}\n\n![{title}](gallery/{name}.gif)\n\n");
            _ = writeln!(page, "{}\n\n[`{name}`](../scenes/{name}.ron)", prose(string(&scene, "about").trim()));
        }
    }
    check_page("docs/gallery.md", &page);
}

/// The forms of the values of options.
const VALUES: &str = "
## Values of options

| value | form |
|---|---|
| duration or time | seconds, or a number with a unit: `90`, `1.5`, `90s`, `500ms`, `2m`, `5min`, `1h30m`, `2d` |
| path of a parameter | names and indices with dots: `groups.millers.sensors.0.range_m`, `groups[0].count`; a constant by its name |
| value of a parameter | as in a scene, in the unit of the field; text without blanks needs no quotes, and points need no brackets: \
`arena.size_m=10,8` |
| seeds | `3,17,99`, `1..11` or `1..=10` |
| values of `--vary` | `4,8,16`, `4..=8` (integers), `0.1..2.0/8` (8 values) or `log 0.01..10/7` |
| condition | an [expression](expressions.md) over the columns of metrics, `step` and `t_s`: `'circliness > 0.9 and t_s > 10'` |
";

#[test]
fn page_of_the_command_line_is_that_of_the_program() {
    let mut command = Arguments::command().term_width(100);
    command.build();
    let mut page = format!(
        "# Command line\n\n{NOTE}{}.\n\nMessages for people go to stderr and data to stdout: an error begins with `error:`, a warning with `warning:`. \
         With `--json`, many commands print their [results as JSON](json.md). A command may be shortened as \
         long as it stays clear: `swarmarium rec`. `swarmarium completions SHELL` prints the script with which a shell \
         completes commands, options and names, and `swarmarium man COMMAND` prints a page of the manual. `-h` is short help, and \
         `--help` has examples. `swarmarium --version` prints version, commit and features. `swarmarium FILE` opens a file in the \
         window, as `swarmarium open FILE` does; without arguments, the program opens the scene `milling`.\n\n| command | effect |\n|---|---|\n",
        prose(&command.get_about().map(ToString::to_string).unwrap_or_default()),
    );
    let is_shown = |verb: &&clap::Command| verb.get_name() != "help" && !verb.is_hide_set();
    let verbs: Vec<_> = command.get_subcommands().filter(is_shown).cloned().collect();
    for verb in &verbs {
        let about = verb.get_about().map(ToString::to_string).unwrap_or_default();
        _ = writeln!(page, "| [`{0}`](#swarmarium-{0}) | {1} |", verb.get_name(), cell(&about));
    }
    let after = command.get_after_long_help().map(ToString::to_string).unwrap_or_default();
    let (_, codes) = after.split_once("Exit codes:\n").unwrap();
    page.push_str(VALUES);
    page.push_str("\n## Exit codes\n\n| code | meaning |\n|---|---|\n");
    for code in codes.lines() {
        let (number, meaning) = code.trim().split_once("  ").unwrap();
        _ = writeln!(page, "| {number} | {meaning} |");
    }
    let variables = after.split_once("Environment variables").and_then(|(_, rest)| rest.split_once("\n\n"));
    if let Some((variables, _)) = variables {
        page.push_str(
            "\n## Environment variables\n\nOptions take precedence over variables.\n\n| variable | effect |\n|---|---|\n",
        );
        for line in variables.lines().skip(1) {
            let (name, effect) = line.trim().split_once(' ').unwrap();
            _ = writeln!(page, "| `{name}` | {} |", cell(effect.trim()));
        }
    }
    page.push_str(
        "\n## Global options\n\nAll commands take `-q`, `--no-progress` and `--color`. The other options are for commands that read \
         a scene or a file of another program: `list`, `init`, `completions`, `man`, `figure` for a folder, and the \
         commands of `sweep` other than `submit` refuse them. [Scenes](scenes.md) and [Files](files.md) describe what they read.\n",
    );
    options(&mut page, "global", command.get_arguments().filter(|argument| argument.is_global_set()));
    for mut verb in verbs {
        _ = write!(page, "\n## swarmarium {}\n\n", verb.get_name());
        let about = verb.get_long_about().or(verb.get_about()).map(ToString::to_string).unwrap_or_default();
        _ = writeln!(page, "{}\n", about.lines().map(prose).collect::<Vec<_>>().join("\n"));
        let usage = verb.render_usage().to_string();
        _ = writeln!(page, "```text\n{}\n```", usage.replacen("Usage: ", "", 1).trim());
        options(&mut page, verb.get_name(), verb.get_arguments().filter(|argument| !argument.is_global_set()));
        if let Some((_, pages)) = PAGES_OF_VERBS.iter().find(|(name, _)| *name == verb.get_name()) {
            _ = write!(page, "\nSee also: {pages}.\n");
        }
        exit_codes(&mut page, &verb);
        if let Some(examples) = verb.get_after_long_help() {
            _ = write!(page, "\n```text\n{}\n```\n", examples.to_string().trim());
        }
        for mut part in verb.get_subcommands().filter(|part| part.get_name() != "help").cloned() {
            _ = write!(page, "\n### swarmarium {} {}\n\n", verb.get_name(), part.get_name());
            _ = writeln!(page, "{}\n", prose(&part.get_about().map(ToString::to_string).unwrap_or_default()));
            let usage = part.render_usage().to_string();
            _ = writeln!(page, "```text\n{}\n```", usage.replacen("Usage: ", "", 1).trim());
            let name = format!("{}-{}", verb.get_name(), part.get_name());
            options(&mut page, &name, part.get_arguments().filter(|argument| !argument.is_global_set()));
            exit_codes(&mut page, &part);
            if let Some(examples) = part.get_after_long_help() {
                _ = write!(page, "\n```text\n{}\n```\n", examples.to_string().trim());
            }
        }
    }
    check_page("docs/reference/command-line.md", &page);
}

/// The pages about what a verb reads and writes.
const PAGES_OF_VERBS: [(&str, &str); 10] = [
    ("open", "[The window](window.md), [Scenes](scenes.md), [Files](files.md)"),
    (
        "run",
        "[Run folders](run-folders.md), [Edits](edits.md), [Expressions](expressions.md), [Results as JSON](json.md#run)",
    ),
    ("sweep", "[Sweep plans](sweep-plans.md), [Sweep folders](sweep-folders.md), [Results as JSON](json.md#sweep)"),
    ("figure", "[Figures](figures.md), [Results as JSON](json.md#figure)"),
    ("serve", "[Sockets](sockets.md)"),
    ("record", "[Videos](videos.md), [Run folders](run-folders.md), [Results as JSON](json.md#record)"),
    ("check", "[Scenes](scenes.md), [Sweep plans](sweep-plans.md), [Results as JSON](json.md#check)"),
    ("convert", "[Files](files.md), [Results as JSON](json.md#convert)"),
    (
        "share",
        "[Share a scene](../guides/share-a-scene.md), [Share a run as a page](../guides/share-a-run-as-a-page.md), [Results \
         as JSON](json.md#share-and-init)",
    ),
    ("verify", "[Determinism](../explanation/determinism.md), [Results as JSON](json.md#verify)"),
];

/// Writes the exit codes of a command.
fn exit_codes(page: &mut String, command: &clap::Command) {
    let codes = swarmarium::cli::exit_codes(command);
    let codes: Vec<&str> = codes.iter().map(String::as_str).collect();
    _ = write!(page, "\n[Exit codes](#exit-codes): {}.\n", join(&codes, "and"));
}

/// Writes the tables of some flags of a command: one for each of their headings, the one without a heading first. Each flag
/// has an anchor, such as `run-steps`.
fn options<'a>(page: &mut String, command: &str, arguments: impl Iterator<Item = &'a clap::Arg>) {
    let arguments: Vec<_> = arguments.collect();
    let mut headings = vec![None];
    for argument in arguments.iter().filter(|argument| !argument.is_global_set()) {
        if !headings.contains(&argument.get_help_heading()) {
            headings.push(argument.get_help_heading());
        }
    }
    for heading in headings {
        let of_heading = arguments.iter().filter(|one| one.is_global_set() || one.get_help_heading() == heading);
        table_of_options(page, (command, heading), of_heading.copied());
    }
}

/// Writes the table of some flags of a command, below a heading in bold.
fn table_of_options<'a>(
    page: &mut String,
    (command, heading): (&str, Option<&str>),
    arguments: impl Iterator<Item = &'a clap::Arg>,
) {
    let mut rows = String::new();
    for argument in arguments.filter(|argument| !argument.is_hide_set() && argument.get_id() != "help") {
        let value = argument.get_action().takes_values().then(|| {
            let names: Vec<_> =
                argument.get_value_names().unwrap_or_default().iter().map(ToString::to_string).collect();
            format!("<{}>", names.join(" "))
        });
        let mut names = Vec::new();
        names.extend(argument.get_short().map(|short| format!("-{short}")));
        names.extend(argument.get_long().map(|long| format!("--{long}")));
        let flag = [names.join(", "), value.unwrap_or_default()].join(" ");
        let about = argument.get_long_help().or(argument.get_help()).map(ToString::to_string).unwrap_or_default();
        let mut about = cell(about.trim_end_matches('.'));
        let defaults: Vec<_> =
            argument.get_default_values().iter().map(|value| code(&value.to_string_lossy())).collect();
        if !defaults.is_empty() && argument.get_action().takes_values() {
            _ = write!(about, " [default: {}]", defaults.join(", "));
        }
        about.push('.');
        let values: Vec<_> = argument
            .get_possible_values()
            .iter()
            .filter(|value| !value.is_hide_set())
            .map(|value| match value.get_help() {
                Some(help) => format!("{} ({})", code(value.get_name()), cell(&lower(&help.to_string()))),
                None => code(value.get_name()),
            })
            .collect();
        let lists_values = argument.get_action().takes_values() && !argument.is_hide_possible_values_set();
        if !values.is_empty() && lists_values {
            _ = write!(about, " One of {}.", values.join(", "));
        }
        let anchor = argument.get_long().map(|long| format!("<a id=\"{command}-{long}\"></a>")).unwrap_or_default();
        _ = writeln!(rows, "| {anchor}{} | {about} |", code(flag.trim()));
    }
    if !rows.is_empty() {
        let heading = heading.map(|heading| format!("\n**{heading}**\n")).unwrap_or_default();
        _ = write!(page, "{heading}\n| argument | meaning |\n|---|---|\n{rows}");
    }
}

/// An example of a common field of the kinds of a list, with its path.
fn beside(list: &str) -> &'static str {
    match list {
        "sensors" => "`BinaryFov(range_m: 2.0, rate_hz: 10.0)`, with the path `groups.robots.sensors.0.rate_hz`",
        "actuators" => "`Gripper(rate_hz: 10.0)`, with the path `groups.robots.controller.actuators.0.rate_hz`",
        "controllers" => "`Script(file: \"my.luau\", rate_hz: 10.0)`, with the path `groups.robots.controller.rate_hz`",
        "motions" => {
            "`Unicycle(motion_noise: (heading_std_dev_rad: 0.2))`, with the path \
             `groups.robots.motion.motion_noise.heading_std_dev_rad`"
        }
        "spawners" => "`UniformDisc(radius_m: 1.0, facing: Away)`, with the path `groups.robots.spawn.facing`",
        "losses" => "`Disc(range_m: 1.0, delay_s: 0.1)`, with the path `groups.robots.radio.loss.delay_s`",
        "objects" => "`Disc(radius_m: 0.2, name: \"pillar\")`, with the path `objects.0.name`",
        "metrics" => "`Circliness(of: \"robots\")`, with the path `metrics.0.of`",
        other => panic!("an example of {other} is missing"),
    }
}

/// The page of a family of kinds.
fn family(book: &mut Generated, list: &str, title: &str, intro: &str, kinds: &[Value]) -> String {
    let mut page = format!("# {title}\n\n{NOTE}{intro}\n\n");
    let links: Vec<_> = kinds
        .iter()
        .map(|kind| string(kind, "name"))
        .map(|name| format!("[{name}](#{})", name.to_lowercase()))
        .collect();
    _ = writeln!(page, "{}", links.join(" · "));
    let common: Vec<_> = array(&kinds[0], "fields").iter().filter(|field| field["common"] == true).cloned().collect();
    if !common.is_empty() {
        _ = write!(
            page,
            "\n## Fields of all kinds\n\nThese fields stand in the brackets of a kind, beside its own: {}.\n{}",
            beside(list),
            fields(&common)
        );
    }
    let mount = mount(kinds);
    if !mount.is_empty() {
        _ = write!(
            page,
            "\n## Fields of `mount`\n\nSensors with a `mount` have a position and an orientation on their robot.\n{}",
            fields(&mount)
        );
    }
    for kind in kinds {
        let name = string(kind, "name");
        _ = write!(page, "\n## {name}\n\n{}\n", prose(string(kind, "about")));
        // A heading in bold keeps the table of contents short.
        for line in string(kind, "sections").lines() {
            match line.strip_prefix("# ") {
                Some(heading) => _ = writeln!(page, "\n**{heading}**\n"),
                None => _ = writeln!(page, "{line}"),
            }
        }
        let own = array(kind, "fields").iter().filter(|field| field["common"] != true);
        let (mounted, own): (Vec<Value>, Vec<Value>) = own.cloned().partition(is_of_mount);
        page.push_str(&fields(&own));
        if !mounted.is_empty() {
            if own.is_empty() {
                page.push_str(HEAD);
            }
            page.push_str(
                "| `mount` | [position and angles](#fields-of-mount) | all `0.0` | Position and orientation on the robot. |\n",
            );
        }
        page.push_str(&columns(kind));
        page.push_str(&numbers(&kind["numbers"]));
        for other in kind["other_readings"].as_array().into_iter().flatten() {
            _ = writeln!(page, "\nWith `{}`:", string(other, "field"));
            page.push_str(&numbers(&other["numbers"]));
        }
        page.push_str(&book.example(list, name));
    }
    page
}

/// A table of the columns of a metric.
fn columns(kind: &Value) -> String {
    let Some(columns) = kind["columns"].as_array() else { return String::new() };
    let mut table = String::from("\n| column | quantity | unit |\n|---|---|---|\n");
    for column in columns {
        let [name, quantity, unit] = ["name", "quantity", "unit"].map(|part| string(column, part));
        _ = writeln!(table, "| {} | {} | {unit} |", code(name), cell(quantity));
    }
    table
}

/// A table of the numbers of a reading of a sensor.
fn numbers(numbers: &Value) -> String {
    let Some(numbers) = numbers.as_array() else { return String::new() };
    let mut table = String::from("\n| reading | name | quantity | unit |\n|---|---|---|---|\n");
    for number in numbers {
        let [place, name, quantity, unit] = ["number", "name", "quantity", "unit"].map(|part| string(number, part));
        let name = if name.is_empty() { String::new() } else { code(name) };
        _ = writeln!(table, "| {place} | {name} | {} | {unit} |", cell(quantity));
    }
    table
}

fn is_of_mount(field: &Value) -> bool {
    string(field, "name").starts_with("mount.")
}

/// The fields of `mount`, which all kinds of a family that have them share: a page lists them once.
fn mount(kinds: &[Value]) -> Vec<Value> {
    let mounts = kinds.iter().map(|kind| array(kind, "fields").iter().filter(|field| is_of_mount(field)).collect());
    let mut mounts = mounts.filter(|mount: &Vec<_>| !mount.is_empty());
    let Some(first) = mounts.next() else { return Vec::new() };
    assert!(mounts.all(|mount| mount == first), "the kinds have different fields in `mount`");
    first.into_iter().cloned().collect()
}

/// The head of a table of fields.
const HEAD: &str = "\n| field | type | default | description |\n|---|---|---|---|\n";

/// A table of fields.
fn fields(fields: &[Value]) -> String {
    if fields.is_empty() {
        return String::new();
    }
    let mut table = String::from(HEAD);
    for field in fields {
        let default = if field["required"] == true { "required".into() } else { code(string(field, "default")) };
        let unit = field["unit"].as_str().unwrap_or_default();
        let range = [&range(&field["limits"]), unit].join(" ");
        let kind = [string(field, "type_name"), range.trim()].join(", ");
        _ = writeln!(
            table,
            "| {} | {} | {default} | {} |",
            code(string(field, "name")),
            cell(kind.trim_end_matches(", ")),
            cell(string(field, "about")),
        );
    }
    table
}

/// The range of a number.
fn range(limits: &Value) -> String {
    if limits.is_null() {
        return String::new();
    }
    let number =
        |value: &Value| value.as_f64().map(|number| multiple_of_pi(number).unwrap_or_else(|| separated(number)));
    match (number(&limits["min"]), number(&limits["max"])) {
        (Some(min), Some(max)) if min == max => min,
        (Some(min), Some(max)) if limits["above_min"] == true => format!("> {min}, ≤ {max}"),
        (Some(min), Some(max)) => format!("{min} to {max}"),
        (Some(min), None) => format!("{} {min}", if limits["above_min"] == true { ">" } else { "≥" }),
        (None, Some(max)) => format!("≤ {max}"),
        (None, None) => String::new(),
    }
}

/// A number with commas between thousands, from 10,000 on.
fn separated(number: f64) -> String {
    let text = number.to_string();
    let whole = text.trim_start_matches('-').split('.').next().unwrap_or_default().len();
    if whole < 5 {
        return text;
    }
    let start = text.len() - text.trim_start_matches('-').len();
    let is_before_thousands = |at: usize| at > start && at < start + whole && (start + whole - at).is_multiple_of(3);
    let mut separated = String::new();
    for (at, character) in text.char_indices() {
        if is_before_thousands(at) {
            separated.push(',');
        }
        separated.push(character);
    }
    separated
}

/// An angle in terms of π, if it is one of the usual ones.
fn multiple_of_pi(number: f64) -> Option<String> {
    use std::f64::consts::PI;
    let names = [(-2.0, "−2π"), (-1.0, "−π"), (-0.5, "−π/2"), (0.5, "π/2"), (1.0, "π"), (2.0, "2π")];
    names.iter().find(|(factor, _)| (factor * PI - number).abs() < 1e-12).map(|(_, name)| (*name).into())
}

/// A text of the program as Markdown: code keeps its characters, and links of rustdoc become code.
fn prose(text: &str) -> String {
    let text = text.replace("[`", "`").replace("`]", "`");
    let parts = text.split('`').enumerate();
    let parts = parts
        .map(|(index, part)| if index % 2 == 1 { part.into() } else { part.replace('<', "&lt;").replace('*', "\\*") });
    parts.collect::<Vec<String>>().join("`")
}

/// A text in a cell of a table.
fn cell(text: &str) -> String {
    prose(text).split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

/// A value as code in a cell of a table, on one line; nothing when it is empty.
fn code(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|");
    if text.is_empty() { text } else { format!("`{text}`") }
}

fn string<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap()
}

fn array<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value[name].as_array().unwrap()
}

/// A list of the program.
fn listed(list: &str) -> Vec<Value> {
    let output = program(&["list", list, "--json"]);
    serde_json::from_slice(&output).unwrap()
}

/// Runs the program in the checkout, and returns its output.
fn program(arguments: &[&str]) -> Vec<u8> {
    let output = Command::new(env!("CARGO_BIN_EXE_swarmarium")).args(arguments).current_dir(path("")).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// Compares or writes a page that stands alone.
pub(super) fn check_page(file: &str, text: &str) {
    let mut book = Generated::default();
    book.page(file, text);
    book.finish(&[]);
}

/// The generated files of a test.
#[derive(Default)]
struct Generated {
    files: BTreeSet<PathBuf>,
    /// The files that are not what they should be.
    differing: Vec<PathBuf>,
}

impl Generated {
    /// Compares or writes a page.
    fn page(&mut self, file: &str, text: &str) {
        self.file(Path::new(file), text.as_bytes());
    }

    fn file(&mut self, file: &Path, bytes: &[u8]) {
        self.files.insert(file.into());
        if fs::read(path("").join(file)).is_ok_and(|present| present == bytes) {
            return;
        }
        if std::env::var_os("UPDATE_BOOK").is_some() {
            let file = path("").join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, bytes).unwrap();
        } else {
            self.differing.push(file.into());
        }
    }

    /// The example of a kind, with its picture; nothing for metrics without one.
    ///
    /// An example is a scene, `docs/examples/kinds/FAMILY/KIND.ron`. It starts with comments: a caption, and the flags of
    /// `record` that make its picture after `picture:`, if it has one.
    fn example(&mut self, list: &str, name: &str) -> String {
        let file = format!("docs/examples/kinds/{list}/{name}.ron");
        if list == "metrics" && !path(&file).exists() {
            return String::new();
        }
        let scene = text(&file);
        let comments: Vec<_> = scene.lines().map_while(|line| line.strip_prefix("//")).map(str::trim).collect();
        let scene: String = scene.lines().skip(comments.len()).flat_map(|line| [line, "\n"]).collect();
        let (flags, caption): (Vec<&str>, Vec<&str>) = comments.iter().partition(|line| line.starts_with("picture:"));
        let caption = caption.join(" ");
        let mut shown = format!("\n{}\n", prose(&caption));
        if let Some(flags) = flags.first().and_then(|line| line.strip_prefix("picture:")) {
            let picture = format!("docs/images/kinds/{list}/{name}.gif");
            self.picture(&file, flags, &picture);
            _ = write!(shown, "\n![{}](../../images/kinds/{list}/{name}.gif)\n", caption.replace(['`', '[', ']'], ""));
        }
        _ = write!(shown, "\n```ron\n{}```\n", scene.trim_start());
        shown
    }

    /// Compares or writes the picture of a scene: a GIF of one frame, which is half as large as a PNG.
    fn picture(&mut self, scene: &str, flags: &str, picture: &str) {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("picture.gif");
        let out = out.to_string_lossy();
        let mut arguments = vec!["record", scene, "-q", "-o", &out, "--frames", "1", "--size", "400x300"];
        arguments.extend(flags.split_whitespace());
        program(&arguments);
        let picture = Path::new(picture);
        self.file(picture, &fs::read(&*out).unwrap());
    }

    /// Fails if a file differs, or if a folder of generated files has others.
    fn finish(self, folders: &[&str]) {
        let mut differing = self.differing;
        for folder in folders {
            for extension in ["md", "gif"] {
                let mut found = Vec::new();
                find(Path::new(folder), extension, &mut found);
                differing.extend(found.into_iter().filter(|file| !self.files.contains(file)));
            }
        }
        assert!(
            differing.is_empty(),
            "`UPDATE_BOOK=1 cargo test --release book` would change or delete {differing:#?}"
        );
    }
}

#[test]
fn texts_of_the_program_are_escaped() {
    assert_eq!(prose("a < b, [`X`] and `c<d>` * 2"), "a &lt; b, `X` and `c<d>` \\* 2");
    assert_eq!(cell("a | b\nc"), "a \\| b c");
    assert_eq!(range(&serde_json::json!({"min": 0.0, "max": std::f64::consts::PI, "above_min": true})), "> 0, ≤ π");
    assert_eq!(range(&serde_json::json!({"min": -1_000_000.0, "max": 10_000.5})), "-1,000,000 to 10,000.5");
    assert_eq!(range(&serde_json::json!({"min": 1, "max": 1})), "1");
}
