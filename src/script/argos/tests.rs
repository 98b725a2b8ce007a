use super::{ArgosRobot, translate};

fn robot() -> ArgosRobot {
    let devices = ["wheels", "proximity", "leds", "range_and_bearing"].map(String::from).to_vec();
    ArgosRobot { devices, data_size: 2, axis_cm: 14.0, ring_rad: vec![0.1; 24], dt_s: 0.1, ..ArgosRobot::default() }
}

fn lines(text: &str) -> Vec<String> {
    translate(text, &robot()).unwrap_err().iter().map(ToString::to_string).collect()
}

const WANDER: &str = r#"
MOVE_STEPS = 15
local n_steps = 0
function init()
   left_v = robot.random.uniform(0, 10)
   right_v = left_v
   robot.leds.set_all_colors("black")
end
function turn(side)
   left_v = side * 5
   right_v = -left_v
end
function step()
   n_steps = n_steps + 1
   if n_steps % MOVE_STEPS == 0 then turn(1) end
   for i = 1, #robot.proximity do
      if robot.proximity[i].value > 0.2 then turn(-1); break end
   end
   log("steps ", n_steps)
   robot.range_and_bearing.set_data(1, n_steps)
   robot.wheels.set_velocity(left_v, right_v)
end
function reset() init() end
function destroy() end
"#;

#[test]
fn a_controller_becomes_a_script_with_the_same_lines() {
    let script = translate(WANDER, &robot()).unwrap_or_else(|errors| panic!("{errors:?}"));
    let line_of = |text: &str, word: &str| text.lines().position(|line| line.contains(word));
    for word in
        ["function init", "function turn", "function reset", "break", "log(", "robot.range_and_bearing.set_data(1"]
    {
        let skipped = script.split_once('\n').map_or("", |(_, rest)| rest);
        assert_eq!(line_of(WANDER, word), line_of(skipped, word).map(|line| line + 1), "{word}");
    }
    assert!(script.contains("var_n_steps = argos_start_n_steps") && script.contains("self.var_left_v"), "{script}");
    assert!(
        script.contains("function turn(self, robot, side)") && script.contains("turn(self, robot, -1)"),
        "{script}"
    );
}

#[test]
fn everything_that_scripts_lack_is_listed_with_its_line() {
    let text = "require \"vector\"\nfunction step()\n  robot.turret.set_rotation(1)\n  t = { x = 1 }\n  if goal == nil then goal = 1 end\n  os.exit()\nend";
    let lines = lines(text);
    assert!(lines[0].starts_with("line 1: scripts have no `require`"), "{lines:?}");
    for line in [
        "line 3: the robot has no `robot.turret.set_rotation`",
        "line 4: `t` keeps a table",
        "line 5: `goal` can be `nil`",
        "line 6: scripts have no `os`",
    ] {
        assert!(lines.iter().any(|found| found.starts_with(line)), "{line}: {lines:?}");
    }
}

#[test]
fn texts_that_are_no_controllers_are_refused() {
    assert!(lines("x = ")[0].contains("line 1"));
    assert_eq!(lines("function init() end"), ["there is no function `step`"]);
    assert!(lines("function step(self) end")[0].contains("`self` is a name of the translation"));
}
