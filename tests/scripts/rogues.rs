//! Scripts that do what scripts must not do: each one ends with a message, nothing hangs, and nothing else stops.

use std::fmt::Write as _;
use std::fs;

use swarmarium_core::step::Workers;
use swarmarium_formats::load;
use swarmarium_formats::standard::{FromScene as _, Standard as _};
use swarmarium_scene::scene::reader;
use swarmarium_simulation::{Recipe, Simulation};

use super::{log, quoted, set, with_script};
use crate::support::{hashes, positions, simulation_of};

/// Scripts by name. Those of robots fail in step 3, in robots with an even number.
const ROGUES: [(&str, &str); 22] = [
    ("endless loop", "function step(self, senses) if CALM then return 0, 0 end while true do end end"),
    (
        "memory bomb",
        "function step(self, senses)
        if CALM then return 0, 0 end
        local all = {}
        for place = 1, 90000 do all[place] = table.create(1000, place) end
        return 0, 0
    end",
    ),
    (
        "deep recursion",
        "local function down(n) return 1 + down(n + 1) end
        function step(self, senses) if CALM then return 0, 0 end return down(0), 0 end",
    ),
    ("not a number", "function step(self, senses) if CALM then return 0, 0 end return 0 / 0, 0 end"),
    (
        "giant text",
        "function step(self, senses) if CALM then return 0, 0 end return #string.rep('abcdefgh', 1e9), 0 end",
    ),
    ("missing return", "function step(self, senses) if CALM then return 0, 0 end end"),
    ("error", "function step(self, senses) if CALM then return 0, 0 end error('my robot is lost') end"),
    (
        "table in the state",
        "state = { seen = 0 }
        function step(self, senses) if CALM then return 0, 0 end self.seen = { [{}] = 1 } return 0, 0 end",
    ),
    (
        "table as a key",
        "function step(self, senses)
        if CALM then return 0, 0 end
        for key in { [{}] = 1, [{}] = 2 } do return 1, 1 end
        return 0, 0
    end",
    ),
    (
        "address in a text",
        "function step(self, senses)
        return if tostring({}) == 'table' and `{print}` == 'function' then 0 else 1, 0
    end",
    ),
    ("folded constant", "function step(self, senses) return math.sin(0.5) + 2 ^ 0.5 - 5.3 % 0.7, 0 end"),
    ("write to a global", "function step(self, senses) count = 1 return 0, 0 end"),
    (
        "hidden memory",
        "local count = 0
        function step(self, senses) count += 1 return 0, 0 end",
    ),
    (
        "table as memory",
        "local memory = {}
        function step(self, senses) if CALM then return 0, 0 end memory[1] = 2 return 0, 0 end",
    ),
    (
        "exploding pattern",
        "function step(self, senses)
        if CALM then return 0, 0 end
        local text = string.rep('a', 10000)
        return if text:find(string.rep('.-', 20) .. 'b') then 1 else 0, 0
    end",
    ),
    (
        "open iterator",
        "local digits = string.gmatch('1234567', '%d')
        function step(self, senses) return tonumber(digits()), 0 end",
    ),
    (
        "open coroutine",
        "local routine = coroutine.create(function() end)
        function step(self, senses) return 0, 0 end",
    ),
    (
        "metatable tricks",
        "function step(self, senses)
        if CALM then return 0, 0 end
        getmetatable('').__index = { len = function() return 7 end }
        return 0, 0
    end",
    ),
    ("undeclared state", "function step(self, senses) if CALM then return 0, 0 end self.sehen = 1 return 0, 0 end"),
    ("misspelt sensor", "function step(self, senses) if CALM then return 0, 0 end return senses.eyes, 0 end"),
    (
        "too many numbers",
        "function step(self, senses)
        if CALM then return 0, 0 end
        self:send(unpack(table.create(257, 1)))
        return 0, 0
    end",
    ),
    ("syntax", "function step(self, senses)\n    return 0, 0\n"),
];

#[test]
fn each_rogue_ends_with_a_message_and_stops_nothing_else() {
    let mut told = String::new();
    for (name, script) in ROGUES {
        let script = script.replace("CALM", "senses.step < 3 or self.id % 2 == 1");
        let text = with_script(&script, "").replace(
            "groups: [",
            "groups: [(name: \"others\", count: 3, spawn: UniformBox(min_m: (0.5, 0.5), max_m: (3.5, 3.5)),
                controller: Constant(v_m_per_s: 0.2)),",
        );
        let message = match reader::read(Recipe::standard().kinds(), "test.ron", &text).map(|scene| {
            Simulation::new(&scene).map(|mut simulation| {
                let first = hashes(&mut simulation, 20);
                let mut again = Simulation::with_workers(&scene, &Recipe::standard(), Workers::eager(3)).unwrap();
                assert_eq!(first, hashes(&mut again, 20), "{name}");
                simulation
            })
        }) {
            Err(problems) | Ok(Err(problems)) => problems.to_string(),
            Ok(Ok(simulation)) => {
                let speeds: Vec<f64> = simulation.agents().map(|agent| agent.command().values()[0]).collect();
                assert_eq!(speeds[..3], [0.2; 3], "{name}");
                let failures = simulation.failed_scripts().into_iter().map(|failure| failure.to_string());
                let failures: Vec<_> = failures.collect();
                if failures.is_empty() { format!("no failure, speed {:?}", speeds[3]) } else { failures.join("\n") }
            }
        };
        _ = writeln!(told, "{name}: {message}");
    }
    insta::assert_snapshot!(told, @"
    endless loop: test.luau:1: the step took more than 100,000 loops and calls: is there an endless loop? (robot 4 in step 3, and 3 other robots)
    memory bomb: test.luau: the script used more than 16 MiB of memory in one step (robot 4 in step 3, and 3 other robots)
    deep recursion: test.luau:1: stack overflow: functions call each other without end (robot 4 in step 3, and 3 other robots)
    not a number: test.luau: `step` must return v_m_per_s, turn_rad_per_s: expected a finite number for v_m_per_s, found nan (robot 4 in step 3, and 3 other robots)
    giant text: test.luau:1: resulting string too large (robot 4 in step 3, and 3 other robots)
    missing return: test.luau: `step` must return v_m_per_s, turn_rad_per_s: expected a finite number for v_m_per_s, found nothing (robot 4 in step 3, and 3 other robots)
    error: test.luau:1: my robot is lost (robot 4 in step 3, and 3 other robots)
    table in the state: test.luau: state `seen`: expected a number, found a table (robot 4 in step 3, and 3 other robots)
    table as a key: test.luau:3: a table with tables or functions as keys has no defined order (robot 4 in step 3, and 3 other robots)
    address in a text: no failure, speed 0.0
    folded constant: no failure, speed 1.4936391009772978
    write to a global: scene: groups[1].controller: test.luau:1: `count` is a global: declare it `local`, or in `state` to keep it from step to step
    hidden memory: scene: groups[1].controller: test.luau:2: `count` belongs to the function around: a script keeps numbers from step to step in `state` only
    table as memory: test.luau:2: this table is read-only: a script keeps values from step to step in `self` only (robot 4 in step 3, and 3 other robots)
    exploding pattern: test.luau:4: the step took more than 100,000 loops and calls: is there an endless loop? (robot 4 in step 3, and 3 other robots)
    open iterator: scene: groups[1].controller: test.luau:1: `gmatch` remembers its place: it works in `step` only
    open coroutine: scene: groups[1].controller: test.luau:1: scripts have no `coroutine`: a script keeps values from step to step in `state`, not in a suspended function
    metatable tricks: test.luau:3: this table is read-only: a script keeps values from step to step in `self` only (robot 4 in step 3, and 3 other robots)
    undeclared state: test.luau:1: `self` has no `sehen`: values that it keeps are declared, as in `state = { sehen = 0 }` (robot 4 in step 3, and 3 other robots)
    misspelt sensor: test.luau:1: `senses` has no `eyes`; did you mean `eye`? (robot 4 in step 3, and 3 other robots)
    too many numbers: test.luau:3: `self:send` sends at most 256 numbers, found 257 (robot 4 in step 3, and 3 other robots)
    syntax: scene: groups[1].controller: test.luau:3: Expected 'end' (to close 'function' at line 1), got <eof>
    ");
}

#[test]
fn a_reload_to_another_state_in_mid_run_keeps_the_run_deterministic() {
    let before = "state = { a = 1, b = { 1, 2 }, mode = 'go' }
        function step(self) self.a += 1 return 0.1, self.a / 10 end";
    let after = "state = { b = 5, mode = 'stop', a = 3, c = true }
        function step(self) self.a += self.b return 0.1, self.a / 10 end";
    let run = || {
        let mut simulation = simulation_of(&with_script(before, ""));
        simulation.step(10);
        set(&mut simulation, "groups.g.controller.source", &quoted(after));
        let hashes = hashes(&mut simulation, 10);
        assert_eq!(log(&simulation), [""; 0]);
        assert_eq!(simulation.agents().next().unwrap().command().values()[1], (11.0 + 10.0 * 5.0) / 10.0);
        hashes
    };
    assert_eq!(run(), run());
}

#[test]
fn files_that_are_no_scripts_are_refused_with_their_reason() {
    let folder = tempfile::tempdir().unwrap();
    let scene = folder.path().join("scenes");
    fs::create_dir(&scene).unwrap();
    let open = |bytes: &[u8]| {
        fs::write(scene.join("a.luau"), bytes).unwrap();
        fs::write(scene.join("a.ron"), "(groups: [(name: \"g\", controller: Script(file: \"a.luau\"))])").unwrap();
        let recipe = Recipe::standard();
        let loaded = load::load(recipe.kinds(), scene.join("a.ron").to_str().unwrap(), &[]);
        let made = loaded.and_then(|loaded| Simulation::new(&loaded.scene).map(drop));
        made.unwrap_err().to_string().replace(&scene.display().to_string(), "")
    };
    let nested = "(".repeat(100_000);
    let files: [(&str, Vec<u8>); 4] = [
        ("not UTF-8", b"function step()\n\xff".to_vec()),
        ("100 MB", vec![b' '; 100 << 20]),
        ("nested brackets", format!("function step() return {nested} end").into_bytes()),
        ("no step", b"state = {}".to_vec()),
    ];
    let told: Vec<String> = files.iter().map(|(name, bytes)| format!("{name}: {}", open(bytes))).collect();
    insta::assert_snapshot!(told.join("\n"), @"
    not UTF-8: /a.ron:1:48: groups[0].controller.file: `a.luau` is not text in UTF-8: the first wrong byte is in line 2
    100 MB: /a.ron:1:48: groups[0].controller.file: `a.luau`: is larger than 256 KiB
    nested brackets: scene: groups[0].controller: a.luau:1: Exceeded allowed recursion depth; simplify your expression to make the code compile
    no step: scene: groups[0].controller: a.luau: the script needs a function `step(self, senses)`
    ");
    #[cfg(unix)]
    {
        fs::write(folder.path().join("outside.luau"), "function step() return 0, 0 end").unwrap();
        fs::remove_file(scene.join("a.luau")).unwrap();
        std::os::unix::fs::symlink(folder.path().join("outside.luau"), scene.join("a.luau")).unwrap();
        let recipe = Recipe::standard();
        let problem = load::load(recipe.kinds(), scene.join("a.ron").to_str().unwrap(), &[]).unwrap_err().to_string();
        assert!(problem.contains("`a.luau` is outside the folder of the scene"), "{problem}");
    }
}

#[test]
fn a_deleted_file_does_not_stop_a_simulation() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.luau"), "function step() return 0.1, 0 end").unwrap();
    fs::write(folder.path().join("a.ron"), "(groups: [(name: \"g\", controller: Script(file: \"a.luau\"))])").unwrap();
    let recipe = Recipe::standard();
    let loaded = load::load(recipe.kinds(), folder.path().join("a.ron").to_str().unwrap(), &[]).unwrap();
    let mut simulation = Simulation::new(&loaded.scene).unwrap();
    let before = positions(&simulation);
    fs::remove_file(folder.path().join("a.luau")).unwrap();
    simulation.step(10);
    assert_ne!(positions(&simulation), before);
}
