//! Constants of scenes, with the kinds that come with the program.

use swarmarium::prelude::*;
use swarmarium_scene::scene::constants;
use swarmarium_scene::scene::reader::read;

#[test]
fn only_a_field_with_a_single_value_can_have_a_constant() {
    let recipe = Recipe::standard();
    let groups = "groups: [(name: \"g\", spawn: UniformSquare(), controller: Gossip(of: X), radio: ())]";
    let cases = [
        ("of: [\"groups.0.spawn.center_m\"]", "`groups.0.spawn.center_m` is not a parameter with a single value"),
        ("of: [\"groups.0.body\"]", "`groups.0.body` is not a parameter with a single value"),
        ("of: [\"groups.0.controller\"]", "`groups.0.controller` is not a parameter with a single value"),
        ("of: [\"groups.0.controller.of\"]", "another word that is not a constant, found `X`, the value of A"),
        ("value: 3, of: [\"constants.0.name\"]", "constants[0].of[0]: `constants.0.name` is not a parameter"),
        ("value: 3, of: [\"constants[0].about\"]", "constants[0].of[0]: `constants.0.about` is not a parameter"),
        ("of: [\"constants.0.of.0\"]", "constants[0].of[0]: `constants.0.of.0` is not a parameter"),
    ];
    for (fields, expected) in cases {
        let text = format!("(constants: [(name: \"A\", {fields})], {groups})");
        let told = read::<Scene>(recipe.kinds(), "s.ron", &text).unwrap_err().to_string();
        assert!(told.contains(expected), "{fields}\n{told}");
    }
    let mut scene: Scene = read(recipe.kinds(), "s.ron", &format!("({groups})")).unwrap();
    let of = ["groups.0.spawn.center_m", "constants.0.name", "groups.0.controller.of"];
    let of_one = |path: &str| constants::Constant { name: "A".into(), of: vec![path.into()], about: String::new() };
    for path in of {
        scene.constants = vec![of_one(path)];
        assert_eq!(constants::problems(recipe.kinds(), &scene).len(), 1, "{path}");
    }
}
