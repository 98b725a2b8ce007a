//! Ready-made groups of robots: those of scenes that come with the program, with their sensors and controllers.

use swarmarium_core::kind::Kinds;
use swarmarium_formats::load::load;
use swarmarium_scene::scene::path;
use swarmarium_scene::scene::writer::{Style, write};

/// A ready-made group.
pub struct ReadyGroup {
    /// The name in words.
    pub name: &'static str,
    /// One sentence about it.
    pub about: &'static str,
    /// The name of the new group.
    pub group: &'static str,
    /// The scene whose first group of robots it is.
    scene: &'static str,
    /// The name of its picture.
    pub icon: &'static str,
    /// Everyday words, in lower case.
    pub synonyms: &'static [&'static str],
}

/// The ready-made groups.
pub const READY: [ReadyGroup; 8] = [
    ReadyGroup {
        name: "Robots that avoid obstacles",
        about: "Robots on two wheels with distance sensors drive straight ahead, and turn away from walls, objects and each other",
        group: "avoiders",
        scene: "obstacles",
        icon: "sensor",
        synonyms: &[
            "avoid",
            "obstacle avoidance",
            "distance sensor",
            "walls",
            "proximity",
            "whiskers",
            "bounce",
            "vacuum",
        ],
    },
    ReadyGroup {
        name: "Robots that walk at random",
        about: "Robots without sensors move by random distances, mostly short and at times long, and turn by random angles",
        group: "walkers",
        scene: "levy_search",
        icon: "group",
        synonyms: &["random walk", "wander", "explore", "search", "levy walk", "brownian"],
    },
    ReadyGroup {
        name: "Robots that flock",
        about: "Robots transmit their positions and velocities by radio, keep a distance, and move in one direction as a flock",
        group: "flock",
        scene: "flocking-radio",
        icon: "radio",
        synonyms: &["flocking", "flock", "boids", "birds", "fish", "school", "swarm", "align", "herd"],
    },
    ReadyGroup {
        name: "Robots that follow a light",
        about: "Robots with light and distance sensors drive towards the brightest light, which the scene needs, and wander in the dark",
        group: "followers",
        scene: "phototaxis",
        icon: "leds",
        synonyms: &["light", "lamp", "phototaxis", "follow", "moth", "beacon", "sun"],
    },
    ReadyGroup {
        name: "Robots that gather",
        about: "Robots with a long, narrow line of sight back along circles and turn on the spot, and gather at one place",
        group: "gatherers",
        scene: "aggregation",
        icon: "group",
        synonyms: &["aggregation", "cluster", "gather", "come together", "meet"],
    },
    ReadyGroup {
        name: "Robots that spread out",
        about: "Robots back away from each other until none of them sees a neighbour",
        group: "loners",
        scene: "dispersal",
        icon: "spawner",
        synonyms: &["dispersal", "disperse", "spread", "keep distance", "separate", "cover"],
    },
    ReadyGroup {
        name: "Robots that circle",
        about: "Robots with a field of view turn one way when they see a robot, and the other way when they see none: they circle together",
        group: "millers",
        scene: "milling",
        icon: "motion",
        synonyms: &["milling", "circle", "rotate", "vortex", "see", "vision", "field of view"],
    },
    ReadyGroup {
        name: "Robots that meet by radio",
        about: "Robots transmit their positions by radio, and meet at a place that none of them knew",
        group: "ring",
        scene: "rendezvous",
        icon: "radio",
        synonyms: &["rendezvous", "consensus", "radio", "communicate", "messages", "meet"],
    },
];

impl ReadyGroup {
    /// Returns the group in the notation of a scene file, with another name, a number of robots and a spawner; `None` if the
    /// program lacks one of its kinds.
    pub fn text(&self, kinds: &Kinds, name: &str, count: u32, spawn: &str) -> Option<String> {
        let mut scene = load(kinds, self.scene, &[]).ok()?.scene;
        // Places of robots, a look and a colour belong to that scene.
        let values = [
            ("name", format!("{name:?}")),
            ("count", count.to_string()),
            ("spawn", spawn.to_owned()),
            ("at", "[]".to_owned()),
            ("look", "()".to_owned()),
        ];
        for (field, value) in values {
            path::set(kinds, &mut scene, &format!("groups.0.{field}"), &value).ok()?;
        }
        let group = path::get(kinds, &scene, "groups.0").ok()?;
        Some(write(kinds, group, Style::Short))
    }
}
