//! What a reader types, and the pages that must be among the first results.

use std::collections::BTreeMap;

use elasticlunr::Language as _;
use elasticlunr::lang::English;

use super::*;
use crate::tests::BuiltBook;

/// How many results a reader looks at.
const FIRST: usize = 5;

/// Words, and beginnings of the addresses of which at least one must be among the first results.
const WORDS: &[(&str, &[&str])] = &[
    ("boids", &["papers/boids.html", "reference/kinds/controllers.html#boids", "guides/from-netlogo.html"]),
    ("licence", &["guides/cite.html#licence", "faq.html"]),
    ("license", &["guides/cite.html#licence", "faq.html"]),
    ("cite", &["guides/cite.html"]),
    ("BibTeX", &["guides/cite.html"]),
    ("install", &["install.html"]),
    ("how to install", &["install.html"]),
    ("download", &["install.html"]),
    ("uninstall", &["install.html"]),
    ("Windows", &["install.html"]),
    ("macOS", &["install.html"]),
    ("Linux", &["install.html"]),
    ("pip", &["install.html"]),
    ("conda", &["install.html"]),
    (
        "ROS",
        &[
            "guides/from-stage.html",
            "guides/open-a-run-in-foxglove-rerun-or-ros-2.html",
            "reference/compatibility/stage.html",
        ],
    ),
    ("ROS 2", &["guides/open-a-run-in-foxglove-rerun-or-ros-2.html", "guides/from-stage.html"]),
    ("rosbag", &["guides/open-a-run-in-foxglove-rerun-or-ros-2.html"]),
    ("GPU", &["guides/make-it-fast.html", "faq.html", "guides/without-a-display.html", "troubleshooting.html"]),
    ("headless", &["guides/without-a-display.html"]),
    ("video", &["guides/record-a-video.html", "reference/videos.html"]),
    ("GIF", &["guides/record-a-video.html", "reference/videos.html"]),
    ("screenshot", &["guides/record-a-video.html", "reference/window/views.html", "reference/window/keys.html"]),
    ("noise", &["reference/sensing.html#noise", "reference/kinds/noises.html", "guides/write-a-kind/noise.html"]),
    ("packet loss", &["guides/lossy-radio.html", "explanation/radio.html", "reference/radio.html"]),
    ("random seed", &["explanation/determinism.html"]),
    ("reproduce", &["guides/reproduce-a-result.html"]),
    ("speed", &["guides/make-it-fast.html", "explanation/performance.html"]),
    ("slow", &["guides/make-it-fast.html", "troubleshooting.html"]),
    ("crash", &["troubleshooting.html"]),
    ("error", &["troubleshooting.html"]),
    (
        "wall",
        &[
            "reference/world.html",
            "reference/scenes.html#arena",
            "guides/arena-from-a-floor-plan.html",
            "reference/kinds/objects.html",
        ],
    ),
    ("obstacle", &["reference/world.html", "reference/kinds/objects.html"]),
    ("map", &["guides/arena-from-a-floor-plan.html", "reference/compatibility/stage.html", "guides/from-stage.html"]),
    ("maze", &["guides/arena-from-a-floor-plan.html", "gallery.html"]),
    ("floor plan", &["guides/arena-from-a-floor-plan.html"]),
    ("e-puck", &["reference/robots.html"]),
    ("Kilobot", &["papers/kilobots.html", "reference/robots.html"]),
    ("foot-bot", &["reference/robots.html", "guides/from-argos.html", "reference/compatibility/argos.html"]),
    ("TurtleBot", &["reference/robots.html"]),
    ("Khepera", &["reference/robots.html", "reference/compatibility/pysimiam.html", "guides/from-pysimiam.html"]),
    ("lidar", &["reference/kinds/sensors.html", "reference/sensing.html"]),
    ("sonar", &["reference/kinds/sensors.html", "reference/sensing.html"]),
    ("camera", &["reference/kinds/sensors.html", "reference/scenes.html#camera"]),
    ("battery", &["reference/kinds/sensors.html#battery"]),
    ("radio", &["reference/radio.html", "explanation/radio.html"]),
    ("wifi", &["guides/lossy-radio.html", "reference/radio.html", "explanation/radio.html"]),
    ("Wi-Fi", &["guides/lossy-radio.html", "reference/radio.html", "explanation/radio.html"]),
    (
        "message",
        &[
            "reference/radio.html",
            "reference/scripts.html",
            "explanation/radio.html",
            "reference/sensing.html",
            "guides/lossy-radio.html",
        ],
    ),
    ("communication", &["reference/radio.html", "explanation/radio.html", "guides/lossy-radio.html"]),
    ("pheromone", &["guides/use-pheromones.html"]),
    ("ant", &["guides/use-pheromones.html"]),
    ("flock", &["reference/kinds/controllers.html", "papers/olfati-saber.html", "papers/boids.html"]),
    ("flocking", &["reference/kinds/controllers.html", "papers/olfati-saber.html", "papers/boids.html"]),
    ("formation", &["papers/formation.html", "explanation/radio.html", "reference/kinds/controllers.html"]),
    ("leader", &["reference/kinds/behaviours.html#seek"]),
    ("predator", &["gallery.html#predators-and-evaders"]),
    ("evader", &["gallery.html#predators-and-evaders"]),
    ("foraging", &["guides/model-foraging.html"]),
    ("consensus", &["explanation/radio.html#consensus", "papers/valentini.html"]),
    ("CSV", &["reference/run-folders.html", "reference/sweep-folders.html"]),
    ("Excel", &["reference/run-folders.html", "reference/sweep-folders.html"]),
    ("pandas", &["tutorials/python.html", "reference/python.html", "guides/figures-for-a-paper.html"]),
    ("Jupyter", &["tutorials/python.html"]),
    ("notebook", &["tutorials/python.html"]),
    ("Python", &["tutorials/python.html", "reference/python.html", "guides/control-robots-from-python.html"]),
    ("Gymnasium", &["guides/train-robots.html"]),
    ("reinforcement learning", &["guides/train-robots.html"]),
    ("PettingZoo", &["guides/from-vmas-or-pettingzoo.html"]),
    ("VMAS", &["guides/from-vmas-or-pettingzoo.html"]),
    ("Slurm", &["guides/use-a-cluster.html"]),
    ("cluster", &["guides/use-a-cluster.html"]),
    ("Docker", &["guides/without-a-display.html"]),
    ("NetLogo", &["guides/from-netlogo.html"]),
    ("ARGoS", &["guides/from-argos.html"]),
    ("Stage", &["guides/from-stage.html"]),
    ("MORSE", &["guides/from-morse.html"]),
    ("pySimiam", &["guides/from-pysimiam.html"]),
    ("Webots", &["faq.html"]),
    ("Gazebo", &["faq.html"]),
    ("drone", &["faq.html"]),
    ("3D", &["faq.html"]),
    ("undo", &["reference/window/edits.html"]),
    ("keyboard shortcut", &["reference/window/keys.html"]),
    ("colour blind", &["reference/window/help.html#settings", "reference/videos.html"]),
    ("dark mode", &["reference/window/help.html"]),
    ("figure", &["guides/figures-for-a-paper.html"]),
    ("plot", &["guides/figures-for-a-paper.html"]),
    ("PDF", &["guides/figures-for-a-paper.html"]),
    ("metric", &["guides/choose-a-metric.html", "reference/kinds/metrics.html"]),
    ("parameter sweep", &["tutorials/first-study.html", "reference/sweep-plans.html", "reference/sweep-folders.html"]),
    ("grid search", &["tutorials/first-study.html", "reference/sweep-plans.html"]),
    ("physics", &["faq.html", "explanation/collisions.html"]),
    ("torus", &["reference/scenes.html#arena"]),
    ("time step", &["explanation/step.html", "reference/scenes.html#time"]),
    ("FAQ", &["faq.html"]),
    ("getting started", &["tutorials/first-swarm.html"]),
    ("tutorial", &["tutorials/first-swarm.html"]),
    ("swarm", &["tutorials/first-swarm.html"]),
    ("robot arm", &["faq.html"]),
    ("browser", &["guides/share-a-run-as-a-page.html"]),
    ("genetic algorithm", &["guides/search-for-controllers.html"]),
];

#[test]
fn everyday_words_find_their_pages() {
    let book = BuiltBook::shared();
    let index = read_index(&index_file(&book.out).unwrap()).unwrap();
    let mut missed = String::new();
    for (words, expected) in WORDS {
        let results = search(&index, words);
        let is_expected = |url: &String| expected.iter().any(|page| url.starts_with(page));
        if !results.iter().take(FIRST).any(is_expected) {
            let rank = results.iter().position(is_expected).map(|place| place + 1);
            missed += &format!("{words}: {expected:?} at {rank:?} after {:?}\n", &results[..results.len().min(FIRST)]);
        }
    }
    assert!(missed.is_empty(), "add these words to the everyday words of the glossary, or to the pages:\n{missed}");
    assert_eq!(search(&index, "xyzzy"), [""; 0]);
}

#[test]
fn rows_of_the_glossary_belong_to_sections() {
    let rows = everyday_words(
        "## A\n\n| no | [no](a.md) |\n|---|---|\n| no | [no](a.md) |\n\n## Everyday words\n\n\
         | Word | Here |\n|---|---|\n| ant, `ants` | [a](../a.md), [b](b.md#c) |\n",
    );
    assert_eq!(rows, [("ant, ants".to_owned(), vec!["../a.md".to_owned(), "b.md#c".to_owned()])]);
    let urls = ["a.html#a", "a.html#x", "reference/b.html#b", "reference/b.html#c"].map(str::to_owned);
    let words = words_of_sections(&rows, &urls).unwrap();
    assert_eq!(words, [(0, "ant, ants ".to_owned()), (3, "ant, ants ".to_owned())].into());
    assert!(words_of_sections(&rows, &urls[..2]).is_err());
    assert_eq!(tokens("Video (GIF, or MP4): e-puck"), ["video", "gif", "or", "mp4", "e", "puck"]);
}

/// The addresses that the script of the book finds, best first: the search of elasticlunr 0.9.5 with `bool` "OR" and `expand`.
fn search(index: &Value, query: &str) -> Vec<String> {
    let words = query.to_lowercase().split(|c: char| c.is_whitespace() || c == '-').map(str::to_owned).collect();
    let words = English::new().make_pipeline().run(words);
    let store = &index["index"]["documentStore"];
    let mut scores = BTreeMap::<usize, f64>::new();
    for (field, options) in index["search_options"]["fields"].as_object().unwrap() {
        let mut found = BTreeMap::<&str, (f64, usize)>::new();
        for word in &words {
            let root = &index["index"]["index"][field]["root"];
            let node = word.chars().fold(root, |node, letter| &node[letter.to_string()]);
            let mut expanded = Vec::new();
            expand(node, word.len(), &mut expanded);
            for (length, node) in expanded {
                let is_exact = length == word.len();
                let inverse = store["length"].as_f64().unwrap() / (node["df"].as_f64().unwrap() + 1.0);
                for (doc, entry) in node["docs"].as_object().unwrap() {
                    let words_in_field = store["docInfo"][doc][field].as_f64().unwrap_or(0.0).max(1.0);
                    let penalty = if is_exact { 1.0 } else { 0.15 * word.len() as f64 / length as f64 };
                    let (score, exact) = found.entry(doc).or_default();
                    *score +=
                        entry["tf"].as_f64().unwrap() * (1.0 + libm::log(inverse)) / words_in_field.sqrt() * penalty;
                    *exact += usize::from(is_exact);
                }
            }
        }
        for (doc, (score, exact)) in found {
            let share = if exact > 0 { exact as f64 / words.len() as f64 } else { 1.0 };
            *scores.entry(doc.parse().unwrap()).or_default() += score * share * options["boost"].as_f64().unwrap();
        }
    }
    let mut scores: Vec<_> = scores.into_iter().collect();
    scores.sort_by(|a, b| b.1.total_cmp(&a.1));
    let urls = urls(index);
    scores.into_iter().map(|(doc, _)| urls[doc].clone()).collect()
}

/// All words of an index that begin with the one at a node, as their lengths and nodes.
fn expand<'a>(node: &'a Value, length: usize, found: &mut Vec<(usize, &'a Value)>) {
    let Some(children) = node.as_object() else { return };
    if node["df"].as_u64().is_some_and(|count| count > 0) {
        found.push((length, node));
    }
    for (letter, child) in children.iter().filter(|(key, _)| !matches!(&***key, "docs" | "df")) {
        expand(child, length + letter.len(), found);
    }
}
