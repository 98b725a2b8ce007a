//! Inputs, outputs and state.

use super::*;

#[test]
fn example_runs() {
    let mut robot = Robot::new(
        r#"-- Circles while nothing is in sight.
-- Second line.

parameters = { turn = { 0.6, unit = "rad/s", min = -2, max = 2, doc = "Turn rate while the view is clear." }, speed = 0.2 }
state = { seen = 0, mode = "search", xs = { 1, 2 }, flag = false }

function step(self, senses)
    if senses.eye > 0.5 then
        self.seen += 1
        self:send(self.id, self.seen)
        self.mode = "drive"
        self.xs[3] = self.seen
        self.flag = true
        for place, message in senses.messages do print(place, message.sender, message[1], message.range_m) end
        self:led(0, 0.5, 1)
        self:grip(false)
        self:emit(0.25)
        return self.speed, 0
    end
    return self.speed, self.turn
end
"#,
    );
    let mut machines = Machines::new();
    let command = robot.step(&mut machines).unwrap();
    assert_eq!(command, [0.2, 0.0, 0.0]);
    assert_eq!(robot.output.printed, "1\t3\t7\t2\n2\t4\tnil\tnil");
    assert_eq!(robot.output.message, Some(vec![42.0, 1.0]));
    assert_eq!(robot.output.led, Some([0.0, 0.5, 1.0]));
    assert_eq!((robot.output.grips, robot.output.emission), (Some(false), Some(0.25)));
    let expected =
        [Value::Number(1.0), Value::Text("drive".into()), Value::Numbers(vec![1.0, 2.0, 1.0]), Value::Flag(true)];
    assert_eq!(robot.state, expected);
    robot.step(&mut machines).unwrap();
    assert_eq!(robot.state[0], Value::Number(2.0));
    let face = robot.program.face();
    assert_eq!(face.about, "Circles while nothing is in sight.\nSecond line.");
    assert_eq!(face.parameters[0].unit, "rad/s");
}
