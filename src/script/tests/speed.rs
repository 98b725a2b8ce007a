//! Timing, on demand: `cargo test --release -p swarmarium_script -- --ignored --nocapture`.

use std::time::Instant;

use super::*;
use crate::machine::Machine;

const SMALL: &str = "parameters = { turn = 0.6, speed = 0.2 }
state = { seen = 0 }
function step(self, senses)
    if senses.eye > 0.5 then
        self.seen += 1
        return self.speed, 0
    end
    return self.speed, self.turn
end";

#[test]
#[ignore = "measures time"]
fn nanoseconds_per_step() {
    let mut robot = Robot::new(SMALL);
    robot.layout = Arc::new(sensors(&[("eye", true)]));
    let mut machines = Machines::new();
    let rounds = 1_000_000;
    for _ in 0..3 {
        let start = Instant::now();
        for step in 0..rounds {
            let input = Input {
                layout: &robot.layout,
                readings: &[&[f64::from(step % 2)]],
                parameters: &robot.parameters,
                id: 1,
                step: 1,
                time_s: 1.0,
                dt_s: 0.1,
                touched: false,
                messages: &[],
                random: Eighths::default(),
            };
            machines.step(&robot.program, input, &mut robot.state, &mut robot.output).unwrap();
        }
        println!("{:.0} ns per step", start.elapsed().as_secs_f64() * 1e9 / f64::from(rounds));
    }
    let start = Instant::now();
    let machine = Machine::<Eighths>::new(robot.program.code()).map_err(|failure| failure.into_error()).unwrap();
    println!("{} bytes, {:.0} µs for a machine", machine.used_memory(), start.elapsed().as_secs_f64() * 1e6);
    let start = Instant::now();
    let _ = Program::compile(SMALL).unwrap();
    println!("{:.0} µs to compile", start.elapsed().as_secs_f64() * 1e6);
}

#[test]
#[ignore = "measures memory"]
fn memory() {
    let lua = mlua::Lua::new_with(mlua::StdLib::MATH, mlua::LuaOptions::new()).unwrap();
    println!("bare {}", lua.used_memory());
    let lua = mlua::Lua::new();
    println!("full {}", lua.used_memory());
    let (lua, _) = crate::library::new_machine(|| None, || false, &Default::default()).unwrap();
    println!("ours {}", lua.used_memory());
    lua.gc_collect().unwrap();
    println!("collected {}", lua.used_memory());
}
