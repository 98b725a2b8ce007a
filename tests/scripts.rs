//! Controllers in Luau: the same as those in Rust, in every host, whatever their authors write.

use std::fs;

use crate::support::{hashes, positions, scene, scene_of, shipped_scene, simulation_of};
use bevy::prelude::{App, Component, Reflect};
use bevy::reflect::structs::Struct;
use swarmarium::prelude::*;
use swarmarium_core::declared::DeclaredValues;
use swarmarium_core::step::Workers;
use swarmarium_formats::load::{self, Override};
use swarmarium_kinds::controller::script::ScriptMemory;
use swarmarium_scene::scene::path;
use swarmarium_scene::scene::writer::{Style, write, write_named};

mod rogues;

/// A text in the notation of a scene file.
fn quoted(text: &str) -> String {
    ron::to_string(text).unwrap()
}

fn set(simulation: &mut Simulation, path: &str, value: &str) {
    simulation
        .apply(Edit::Set { path: path.into(), value: value.into() })
        .unwrap_or_else(|problem| panic!("{problem}"));
}

/// Robots with a script, each in a field of view of others.
fn with_script(script: &str, rest: &str) -> String {
    format!(
        "(seed: 3, arena: (size_m: (4.0, 4.0), boundary: Walls), time: (dt_s: 0.05), {rest}
            groups: [(name: \"g\", count: 8, spawn: UniformBox(min_m: (0.5, 0.5), max_m: (3.5, 3.5)),
                body: Disc(radius_m: 0.05), sensors: [BinaryFov(name: \"eye\", range_m: 1.0)],
                radio: (situated: true, schedule: Periodic(period_s: 0.1)),
                controller: Script(file: \"test.luau\", source: {}))])",
        quoted(script)
    )
}

/// The numbers of the state of a script, by robot.
fn state(simulation: &Simulation, name: &str) -> Vec<f64> {
    let of = |memory: &dyn Reflect| {
        let state: &DeclaredValues = &memory.downcast_ref::<ScriptMemory>().unwrap().state;
        let value = Struct::field(state, name)?;
        value.try_downcast_ref::<f64>().copied()
    };
    simulation.agents().map(|agent| agent.memory().and_then(of).unwrap_or(f64::NAN)).collect()
}

/// The events of scripts: failures and prints.
fn log(simulation: &Simulation) -> Vec<String> {
    simulation.events().iter().map(|event| event.text.to_string()).collect()
}

/// The controller of `TELLER` in Rust.
#[kind]
struct Teller {
    /// Turn rate while nothing is in sight.
    #[default(0.6)]
    turn_rad_per_s: f64,
}

#[derive(Component, Reflect, Clone, Default)]
struct Told {
    seen: f64,
    message: Vec<f64>,
}

impl Controller for Teller {
    type Memory = Told;
    const COMMANDS: CommandForm = CommandForm::Drive;

    fn command(&self, told: &mut Told, senses: Senses) -> Command {
        let mut turn_rad_per_s = if senses.detects(0) { 0.5 } else { self.turn_rad_per_s };
        for packet in senses.heard.packets {
            told.seen += 1.0;
            turn_rad_per_s += 0.01 * packet.numbers[0] * swarmarium_base::math::sin(packet.bearing_rad());
            turn_rad_per_s += 0.001 * packet.range_m();
        }
        let mut random = senses.random("script");
        told.message = vec![f64::from(senses.owner.index()), told.seen];
        Command::Drive { v_m_per_s: 0.2 + 0.1 * random.unit(), turn_rad_per_s }
    }

    fn message(&self, told: &mut Told, _: Senses, message: &mut Vec<f64>) {
        message.append(&mut told.message);
    }
}

const TELLER: &str = r"
parameters = { turn = { 0.6, unit = 'rad/s', min = -2, max = 2, doc = 'Turn rate while nothing is in sight.' } }
state = { seen = 0 }
function step(self, senses)
    local turn = if senses.eye > 0.5 then 0.5 else self.turn
    for _, message in senses.messages do
        self.seen += 1
        turn += 0.01 * message[1] * math.sin(message.bearing_rad)
        turn += 0.001 * message.range_m
    end
    self:send(self.id, self.seen)
    return 0.2 + 0.1 * self:random(), turn
end";

/// Birds act in a random order, and sense before they decide; all arithmetic is the same.
#[test]
fn boids_by_script_fly_as_those_of_the_kind() {
    let [mut kind, mut script] = ["scenes/papers/boids.ron", "scenes/papers/boids-script.ron"]
        .map(|file| Simulation::new(&scene(file)).unwrap());
    for _ in 0..20 {
        kind.step(5);
        script.step(5);
        assert_eq!(positions(&kind), positions(&script));
    }
}

#[test]
fn a_script_moves_robots_as_the_same_controller_in_rust_does() {
    let script = with_script(TELLER, "");
    let from = script.find("Script(").unwrap();
    let rust = format!("{}Teller())])", &script[..from]);
    let recipe = Recipe::standard().with(|app: &mut App| {
        app.add_controller::<Teller>();
    });
    let scene = swarmarium_scene::scene::reader::read(recipe.kinds(), "test.ron", &rust);
    let mut native = Simulation::with(&scene.unwrap_or_else(|problems| panic!("{problems}")), &recipe, 1).unwrap();
    let mut scripted = simulation_of(&script);
    for step in 0..400 {
        native.step(1);
        scripted.step(1);
        assert_eq!(log(&scripted), [""; 0]);
        assert_eq!(positions(&native), positions(&scripted), "step {step}");
    }
    assert!(state(&scripted, "seen").iter().all(|seen| *seen > 100.0), "messages arrive");
}

#[test]
fn the_shipped_script_of_milling_moves_robots_as_the_controller_binary_does() {
    let mut native = Simulation::new(&shipped_scene("milling")).unwrap();
    let mut scripted = Simulation::new(&shipped_scene("script-milling")).unwrap();
    native.step(2000);
    scripted.step(2000);
    assert_eq!(positions(&native), positions(&scripted));
}

#[test]
fn shipped_scenes_with_scripts_run_without_failures() {
    for name in ["orbit", "flock", "gradient", "fireflies", "pattern", "line", "foraging", "milling"] {
        let scene = shipped_scene(&format!("script-{name}"));
        let lines = swarmarium_scene::scene::shipped::file(&format!("scripts/{name}.luau")).unwrap().lines().count();
        assert!(lines <= 25, "{name} has {lines} lines");
        let mut simulation = Simulation::new(&scene).unwrap();
        simulation.step(300);
        assert_eq!(simulation.failed_scripts(), [], "{name}");
    }
}

#[test]
fn threads_snapshots_and_new_machines_change_no_hash() {
    let scene = scene_of(&with_script(TELLER, ""));
    let run = |workers| {
        let mut simulation = Simulation::with_workers(&scene, &Recipe::standard(), workers).unwrap();
        hashes(&mut simulation, 100)
    };
    let one = run(Workers::new(1));
    assert_eq!(one, run(Workers::eager(3)));
    let mut simulation = Simulation::new(&scene).unwrap();
    simulation.step(40);
    let snapshot = simulation.snapshot();
    assert_eq!(hashes(&mut simulation, 60), one[40..]);
    simulation.restore(&snapshot).unwrap();
    assert_eq!(hashes(&mut simulation, 60), one[40..]);
    // Another thread has its own machines.
    let restored = std::thread::scope(|scope| {
        scope
            .spawn(|| {
                let mut simulation = Simulation::new(&scene).unwrap();
                simulation.restore(&snapshot).unwrap();
                hashes(&mut simulation, 60)
            })
            .join()
            .unwrap()
    });
    assert_eq!(restored, one[40..]);
}

#[test]
fn the_declared_state_and_parameters_are_values_like_any_other() {
    let mut simulation = simulation_of(&with_script(TELLER, ""));
    assert_eq!(state(&simulation, "seen"), [0.0; 8], "before the first step, too");
    simulation.step(10);
    let kinds = simulation.kinds();
    let scene = simulation.scene();
    let turn = path::leaf(kinds, scene, "groups.g.controller.parameters.turn").unwrap();
    assert_eq!(turn.value.downcast_ref(), Some(&0.6));
    assert_eq!(turn.limits.map(|limits| (limits.min, limits.max)), Some((-2.0, 2.0)));
    assert_eq!(turn.field.and_then(bevy::reflect::NamedField::docs), Some("Turn rate while nothing is in sight."));
    let column = |simulation: &Simulation, name: &str| {
        let mut column = simulation.column(name).unwrap_or_else(|problem| panic!("{problem}"));
        let mut values = vec![0.0; column.len()];
        column.fill(simulation.read(), &mut values);
        values
    };
    assert_eq!(column(&simulation, "groups.g.memory.state.seen"), state(&simulation, "seen"));
    let problem = simulation.column("memory.state.sehen").err().unwrap().to_string();
    assert!(problem.contains("did you mean `seen`?"), "{problem}");
    set(&mut simulation, "groups.g.controller.parameters.turn", "-1.5");
    simulation.step(1);
    let written = write(simulation.kinds(), simulation.scene(), Style::Short);
    assert!(written.contains("parameters: (turn: -1.5)"), "{written}");
    let refused = |path: &str, value: &str| {
        let edit = Edit::Set { path: path.into(), value: value.into() };
        simulation_of(&with_script(TELLER, "")).apply(edit).unwrap_err().to_string()
    };
    insta::assert_snapshot!(refused("groups.g.controller.parameters.turn", "3"), @"groups.g.controller.parameters.turn: expected a number from -2 to 2, found 3");
    insta::assert_snapshot!(refused("groups.g.controller.parameters.turm", "1"), @"groups.g.controller.parameters.turm: `groups.g.controller.parameters` has no `turm`; did you mean `turn`?");
    insta::assert_snapshot!(refused("groups.g.controller", "Script(source: \"function step() return 0, 0 end\", parameters: (x: 1))"), @"groups[0].controller: parameters: there is no `x`: the file declares none");
}

#[test]
fn a_reload_is_an_edit_that_keeps_state_with_the_same_name() {
    let counter = |by: &str, more: &str| {
        format!("state = {{ count = 0{more} }}\nfunction step(self) self.count += {by} return 0, 0 end")
    };
    let mut simulation = simulation_of(&with_script(&counter("1", ""), ""));
    simulation.step(5);
    let before = simulation.snapshot();
    set(&mut simulation, "groups.g.controller.source", &quoted(&counter("10", ", other = 7")));
    simulation.step(2);
    assert_eq!(state(&simulation, "count"), [25.0; 8]);
    assert_eq!(state(&simulation, "other"), [7.0; 8]);
    let (hash, edits) = (simulation.hash(), simulation.edits().to_vec());
    assert_eq!(edits.len(), 1);
    // The name of another file alone would leave the text as it is.
    let renamed = Edit::Set { path: "groups.g.controller.file".into(), value: "b.luau".into() };
    insta::assert_snapshot!(simulation.apply(renamed).unwrap_err().to_string(), @"groups[0].controller: the file is now `b.luau`, but the text is still that of `test.luau`: set the whole `controller`, or open the scene again");
    // A syntax error is refused, and the last good script goes on.
    let bad = Edit::Set { path: "groups.g.controller.source".into(), value: quoted("function step(") };
    let refused = simulation.apply(bad).unwrap_err().to_string();
    assert!(refused.starts_with("groups[0].controller: test.luau:1: "), "{refused}");
    simulation.step(1);
    assert_eq!(state(&simulation, "count"), [35.0; 8]);
    // The script of that time.
    simulation.restore(&before).unwrap();
    simulation.step(2);
    assert_eq!(state(&simulation, "count"), [7.0; 8]);
    let mut again = simulation_of(&with_script(&counter("1", ""), ""));
    again.step(5);
    again.apply(edits[0].edit.clone()).unwrap();
    again.step(2);
    assert_eq!(again.hash(), hash);
}

#[test]
fn a_failure_stops_its_robot_until_the_script_changes() {
    let script = "function step(self, senses)
        if self.id == 3 and senses.step == 4 then error('no way') end
        return 0.1, 0
    end";
    let mut simulation = simulation_of(&with_script(script, ""));
    simulation.step(20);
    let stopped: Vec<bool> = simulation.agents().map(|agent| agent.command().values() == [0.0; 3]).collect();
    assert_eq!(stopped.iter().filter(|stopped| **stopped).count(), 1);
    assert!(stopped[3]);
    insta::assert_snapshot!(log(&simulation).join("\n"), @"test.luau:2: no way");
    let failed: Vec<_> = simulation.failed_scripts().iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(failed.join("\n"), @"test.luau:2: no way (robot 3 in step 4)");
    set(&mut simulation, "groups.g.controller.source", &quoted("function step() return 0.1, 0 end"));
    simulation.step(1);
    assert!(simulation.agents().all(|agent| agent.command().values() == [0.1, 0.0, 0.0]));
}

#[test]
fn prints_are_events_of_their_step() {
    let script = "function step(self, senses)
        if self.id == 0 then print('step', senses.step, 'eye', senses.eye) print(2 / 4) end
        return 0, 0
    end";
    let mut simulation = simulation_of(&with_script(script, ""));
    simulation.step(2);
    assert_eq!(log(&simulation), ["step\t1\teye\t0", "0.5", "step\t2\teye\t0", "0.5"]);
}

#[test]
fn scenes_find_scripts_beside_them_and_overrides_name_others() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    fs::write(file("a.luau"), "parameters = { v = 0.1 }\nfunction step(self) return self.v, 0 end").unwrap();
    fs::write(file("b.luau"), "parameters = { w = 0.5 }\nfunction step(self) return 0, self.w end").unwrap();
    let text = "(groups: [(name: \"g\", controller: Script(file: \"a.luau\", parameters: (v: 0.2)))])";
    fs::write(file("scene.ron"), text).unwrap();
    let recipe = Recipe::standard();
    let open = |overrides: &[&str]| {
        let overrides: Vec<Override> = overrides.iter().map(|one| one.parse().unwrap()).collect();
        load::load(recipe.kinds(), file("scene.ron").to_str().unwrap(), &overrides)
            .map_err(|problems| problems.to_string())
    };
    let command = |overrides: &[&str]| {
        let mut simulation = Simulation::new(&open(overrides).unwrap().scene).unwrap();
        simulation.step(1);
        simulation.agents().next().unwrap().command().values()
    };
    assert_eq!(command(&[]), [0.2, 0.0, 0.0]);
    assert_eq!(command(&["groups.g.controller.parameters.v=0.4"]), [0.4, 0.0, 0.0]);
    assert_eq!(
        command(&["groups.g.controller=Script(file: \"b.luau\", source: \"function step() return 9, 9 end\")"]),
        [9.0, 9.0, 0.0]
    );
    let lost =
        Simulation::new(&open(&["groups.g.controller.file=b.luau"]).unwrap().scene).map(drop).unwrap_err().to_string();
    assert!(lost.contains("parameters: there is no `v`: expected one of w"), "{lost}");
    fs::write(file("scene.ron"), text.replace(", parameters: (v: 0.2)", "")).unwrap();
    let other = ["groups.g.controller.file=b.luau", "groups.g.controller.parameters.w=0.25"];
    assert_eq!(command(&other), [0.0, 0.25, 0.0]);
    assert_eq!(command(&["groups.g.controller=Script(file: \"b.luau\")"]), [0.0, 0.5, 0.0]);
    assert_eq!(command(&["groups.g.controller.file=b.luau"]), [0.0, 0.5, 0.0]);
    // Saved beside the script, the scene names the file; elsewhere, it contains the text.
    let scene = open(&[]).unwrap().scene;
    assert!(!write_named(recipe.kinds(), &scene, Some(folder.path())).contains("source"));
    let elsewhere = tempfile::tempdir().unwrap();
    assert!(write_named(recipe.kinds(), &scene, Some(elsewhere.path())).contains("source"));
    fs::remove_file(file("a.luau")).unwrap();
    let missing = open(&[]).unwrap_err();
    assert!(missing.contains("1:") && missing.contains("a.luau"), "{missing}");
}
