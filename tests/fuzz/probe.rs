//! What must hold for any text, whatever is in it. Used by the fuzz targets, and by the test that replays what they found.

use std::path::Path;
use std::sync::LazyLock;

use swarmarium::Recipe;
use swarmarium::formats::export::export;
use swarmarium::formats::import::{Options, import_with};
use swarmarium::kinds::Standard as _;
use swarmarium::scene::Scene;
use swarmarium::scene::writer::{Style, write};

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
        assert_eq!(said(&scene), said(&again));
        scenes.push(scene);
    }
    scenes
}
