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
    assert_eq!(face.parameters[0].unit, "rad/s");
}

#[test]
fn many_names_fit() {
    let list =
        |prefix: &str, value: &str| (1..=100).map(|n| format!("{prefix}{n} = {value}")).collect::<Vec<_>>().join(", ");
    let mut robot = Robot::new(&format!(
        "parameters = {{ {}, ['end'] = 'é' }}\nstate = {{ {} }}\n\
         function step(self, senses) self.b100[1] = senses.s300 + senses[299][2] return self.a99, #senses end",
        list("a", "1").replace(", a100 = 1", ""),
        list("b", "{}"),
    ));
    let sensors = (1..=300).map(|n| NamedSensor { name: format!("s{n}"), is_single: n % 2 == 0 }).collect();
    robot.layout = Arc::new(SensorLayout { sensors });
    let reading: &[f64] = &[3.0, 4.0];
    let input = Input { readings: &[reading; 300], ..robot.input() };
    let (mut state, mut output) = (robot.state.clone(), Output::default());
    Machines::new().step(&robot.program, input, &mut state, &mut output).unwrap();
    assert_eq!(output.command, [1.0, 300.0, 0.0]);
    assert_eq!(state[99], Value::Numbers(vec![7.0]));
}

#[test]
fn long_inputs_fit() {
    let mut robot = Robot::new(
        "state = { list = {} }\nfunction step(self, senses) self.list[1] = #senses.rays + #self.list return 0, 0 end",
    );
    let rays = vec![1.0; 20_000];
    robot.state = vec![Value::Numbers(vec![2.0; 4096])];
    let mut machines = Machines::new();
    for _ in 0..2 {
        let input = Input { readings: &[&[], &rays], ..robot.input() };
        let mut state = robot.state.clone();
        machines.step(&robot.program, input, &mut state, &mut Output::default()).unwrap();
        let Value::Numbers(list) = &state[0] else { panic!("{state:?}") };
        assert_eq!((list.len(), list[0]), (4096, 24_096.0));
    }
}

#[test]
fn robots_with_other_parameters_share_a_machine() {
    let text = "parameters = { a = 0, b = 'x' }\nfunction step(self, senses) if self.b == 'fail' then error('x') end \
                return 1 / (1 / self.a), #self.b end";
    let mut machines = Machines::new();
    let mut robot = Robot::new(text);
    for (a, b, expected) in [
        (2.0, "xy", Some([2.0, 2.0])),
        (-0.0, "", Some([-0.0, 0.0])),
        (0.0, "", Some([0.0, 0.0])),
        (3.0, "fail", None),
        (0.0, "", Some([0.0, 0.0])),
        (-0.0, "", Some([-0.0, 0.0])),
    ] {
        robot.parameters = vec![Value::Number(a), Value::Text(b.into())];
        let found = robot.step(&mut machines).ok().map(|[v, turn, _]| [v, turn].map(f64::to_bits));
        assert_eq!(found, expected.map(|expected| expected.map(f64::to_bits)), "{a} {b}");
    }
    robot.parameters.pop();
    let message = "the parameters of the robot do not match its script";
    assert_eq!(robot.step(&mut machines).unwrap_err().to_string(), message);
}

#[test]
fn machines_are_dropped() {
    let mut machines = Machines::new();
    for number in 0..100 {
        let mut robot = Robot::new(&format!("function step() return {number}, 0 end"));
        assert_eq!(robot.step(&mut machines).unwrap()[0], f64::from(number));
    }
    assert_eq!(machines.len(), 32);
}

#[test]
fn programs_are_shared_by_threads() {
    fn check<T: Send + Sync>() {}
    check::<Program>();
}

#[test]
fn words_of_senses_win_over_sensors() {
    let mut robot = Robot::new("function step(self, senses) return senses.time_s, senses[1] end");
    robot.layout = Arc::new(sensors(&[("time_s", true), ("rays", false)]));
    assert_eq!(robot.step(&mut Machines::new()).unwrap(), [1.0, 0.75, 0.0]);
}
