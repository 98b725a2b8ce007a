//! The clock, the physics engines and the media of an experiment, and its loop functions.

use std::collections::BTreeSet;

use roxmltree::Node;
use swarmarium_core::text::wording::shown;

use super::reader::Reader;

/// Reads `<framework>`: duration, clock and seed.
pub fn read(reader: &mut Reader, node: Node) {
    reader.check(node, "framework", &[], &["experiment", "system", "profiling"]);
    if let Some(system) = reader.child(node, "framework", "system") {
        reader.left_out(system, "framework", "`--threads` chooses the threads, which change no result");
    }
    if let Some(profiling) = reader.child(node, "framework", "profiling") {
        reader.left_out(profiling, "framework", "`swarmarium bench` measures speed");
    }
    let path = "framework.experiment";
    let Some(experiment) = reader.child(node, "framework", "experiment") else {
        return reader.warn(node, "framework", "there is no `<experiment>`: steps take 0.1 s, without an end");
    };
    reader.check(experiment, path, &["length", "ticks_per_second", "random_seed", "real_time", "visualization"], &[]);
    reader.attribute_left_out(experiment, path, "real_time", "the clock of the window chooses the pace");
    reader.attribute_left_out(experiment, path, "visualization", "the command chooses whether there is a window");
    let ticks = reader.number(experiment, path, "ticks_per_second").filter(|ticks| (0.1..=1e6).contains(ticks));
    let ticks = ticks.unwrap_or_else(|| {
        let message = match experiment.attribute("ticks_per_second") {
            None => "without `ticks_per_second`, steps take 0.1 s",
            Some(_) => "`ticks_per_second` is not from 0.1 to 1000000: steps take 0.1 s",
        };
        reader.warn(experiment, path, message);
        10.0
    });
    reader.scene.time.dt_s = 1.0 / ticks;
    if let Some(length_s) = reader.number(experiment, path, "length").filter(|length| *length > 0.0) {
        if length_s <= 1e12 {
            reader.scene.stop.time_s = length_s;
        } else {
            reader.attribute_left_out(experiment, path, "length", "a run lasts at most 1e12 s");
        }
    }
    match reader.whole(experiment, path, "random_seed") {
        Some(seed) if seed > 0 => reader.scene.seed = seed.into(),
        _ => {
            let seed = reader.scene.seed;
            let message = format!(
                "ARGoS draws a seed from the clock for each run without `random_seed`; here it is {seed}, and \
                 `--seed` or `--seeds` choose others"
            );
            reader.warn(experiment, path, message);
        }
    }
}

/// Reads `<physics_engines>`, of which nothing remains.
pub fn engines(reader: &mut Reader, node: Node) {
    for engine in node.children().filter(Node::is_element) {
        let reason = match engine.tag_name().name() {
            "dynamics2d" => {
                "robots follow their wheels exactly, discs push each other apart, and friction holds what is pushed"
            }
            "dynamics3d" | "pointmass3d" | "physx" => "robots drive on the plane, and have no mass",
            _ => "the scene has the collisions of this program",
        };
        reader.left_out(engine, "physics_engines", reason);
    }
}

/// Reads `<media>`, and returns the ids of media for range and bearing.
pub fn media(reader: &mut Reader, node: Node) -> BTreeSet<String> {
    let mut situated = BTreeSet::new();
    for medium in node.children().filter(Node::is_element) {
        let tag = medium.tag_name().name();
        match tag {
            "range_and_bearing" | "kilobot_communication" => {
                let path = format!("media.{tag}");
                reader.check(medium, &path, &["id", "index", "grid_size", "check_occlusions", "ignore_conflicts"], &[]);
                for name in ["index", "grid_size"] {
                    reader.attribute_left_out(medium, &path, name, "it changes the speed only");
                }
                reader.attribute_left_out(medium, &path, "ignore_conflicts", "radios have `packet_collisions`");
                let sees_through = reader.flag(medium, &path, "check_occlusions") == Some(false);
                if sees_through || tag == "kilobot_communication" {
                    situated.insert(medium.attribute("id").unwrap_or_default().to_owned());
                }
            }
            "led" | "directional_led" => {
                // The place of LEDs; all sensors see all of them.
                let path = format!("media.{tag}");
                reader.check(medium, &path, &["id", "index", "grid_size"], &[]);
                for name in ["index", "grid_size"] {
                    reader.attribute_left_out(medium, &path, name, "it changes the speed only");
                }
            }
            _ => reader.left_out(medium, "media", "robots here have no such medium"),
        }
    }
    situated
}

/// Reads `<loop_functions>`: they are kept as a note.
pub fn loop_functions(reader: &mut Reader, node: Node) {
    let label = shown(node.attribute("label").unwrap_or("?"));
    reader.keep("argos.loop_functions", node);
    let message = format!(
        "the loop functions `{label}` are left out: they are a program in C++, which may move, add or colour things; \
         their parameters are kept in `metadata`"
    );
    reader.warn(node, "loop_functions", message);
}
