//! What must hold for any text, whatever is in it. Used by the fuzz targets, and by the test that replays what they found.

use std::path::Path;
use std::sync::LazyLock;

use swarmarium_formats::export::export;
use swarmarium_formats::import::{Options, import_with};
use swarmarium_formats::standard::Standard as _;
use swarmarium_scene::scene::writer::{Style, write};
use swarmarium_scene::scene::{Scene, reader};
use swarmarium_simulation::Recipe;

static RECIPE: LazyLock<Recipe> = LazyLock::new(Recipe::standard);

/// Reads a text as the file of that name. What can be read is a world that reads alike when it is written.
pub fn probe(name: &str, text: &str) -> Vec<Scene> {
    let kinds = RECIPE.kinds();
    let read = |name: &str, text: &str, is_lenient: bool| {
        let options = Options { lenient: is_lenient, all_groups: is_lenient, ..Options::default() };
        import_with(kinds, name, text, &options).map(|imported| imported.scene)
    };
    let mut scenes = Vec::new();
    for is_lenient in [false, true] {
        let Ok(scene) = read(name, text, is_lenient) else { continue };
        let written =
            export(&RECIPE, Path::new("w.xml"), "w.xml", &scene).unwrap_or_else(|problems| panic!("{problems}"));
        let again = read("w.xml", &written.text, true).unwrap_or_else(|problems| panic!("{problems}"));
        let said = |scene: &Scene| write(kinds, scene, Style::Full);
        assert_eq!(rounded(&said(&scene)), rounded(&said(&again)));
        scenes.push(scene);
    }
    scenes
}

/// Reads the content of a file of any importer, by its name. A scene that is read is the same after writing and reading it.
/// Returns whether it is read.
pub fn read_back(name: &str, content: &[u8]) -> bool {
    let kinds = RECIPE.kinds();
    let Ok(imported) = import_with(kinds, name, content, &Options::default()) else { return false };
    let written = write(kinds, &imported.scene, Style::Full);
    let again: Scene =
        reader::read(kinds, "w.ron", &written).unwrap_or_else(|problems| panic!("{problems}\n{written}"));
    assert_eq!(written, write(kinds, &again, Style::Full));
    true
}

/// A text with its numbers to 6 decimals: turning a shape there and back changes the last digits of its corners, more so
/// far from the origin, and with their lengths the breaks of lines.
fn rounded(text: &str) -> String {
    let is_of_number = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+' | '_');
    let round =
        |word: &str| word.parse::<f64>().map_or_else(|_| word.to_owned(), |number| format!("{:.6}", number + 0.0));
    let mut words = String::new();
    for part in text.split_inclusive(|c| !is_of_number(c)) {
        let end = part.trim_end_matches(|c| !is_of_number(c)).len();
        words += &(round(&part[..end]) + &part[end..]);
    }
    let text: String = words.split_whitespace().collect();
    text.replace(",]", "]").replace(",)", ")").replace("-0.000000", "0.000000")
}
