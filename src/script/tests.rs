//! Tests of whole scripts.

use std::sync::Arc;

use crate::{Input, Machines, Message, NamedSensor, Output, Program, Random, ScriptError, SensorLayout, Value};

mod basic;
mod exact;
mod failing;
mod refused;
mod speed;

/// Counts up: 0, 1/8, 2/8, …
#[derive(Clone, Debug, Default)]
struct Eighths(u32);

impl Random for Eighths {
    fn unit(&mut self) -> f64 {
        self.0 += 1;
        f64::from((self.0 - 1) % 8) / 8.0
    }
}

const MESSAGES: [Message; 2] = [
    Message { sender: 3, age_s: 0.1, from: Some((2.0, -0.5)), numbers: &[7.0, 8.0] },
    Message { sender: 4, age_s: 0.0, from: None, numbers: &[] },
];

fn sensors(sensors: &[(&str, bool)]) -> SensorLayout {
    let named = |(name, is_single): &(&str, bool)| NamedSensor { name: (*name).into(), is_single: *is_single };
    SensorLayout { sensors: sensors.iter().map(named).collect() }
}

/// A robot with its script and its state.
struct Robot {
    program: Arc<Program>,
    layout: Arc<SensorLayout>,
    parameters: Vec<Value>,
    state: Vec<Value>,
    output: Output,
}

impl Robot {
    fn new(text: &str) -> Self {
        let program = Program::compile(text).unwrap_or_else(|error| panic!("{error}"));
        let layout = sensors(&[("eye", true), ("rays", false)]);
        let parameters = program.face().parameters.iter().map(|parameter| parameter.default.clone()).collect();
        let state = program.face().state.iter().map(|field| field.initial.clone()).collect();
        Self { program: Arc::new(program), layout: Arc::new(layout), parameters, state, output: Output::default() }
    }

    /// A fixed input.
    fn input(&self) -> Input<'_, Eighths> {
        Input {
            layout: &self.layout,
            readings: &[&[0.75], &[1.0, 2.0, 4.0]],
            parameters: &self.parameters,
            id: 42,
            step: 10,
            time_s: 1.0,
            dt_s: 0.1,
            touched: true,
            messages: &MESSAGES,
            random: Eighths::default(),
        }
    }

    /// Makes a step with a fixed input.
    fn step(&mut self, machines: &mut Machines<Eighths>) -> Result<[f64; 3], ScriptError> {
        let (mut state, mut output) = (std::mem::take(&mut self.state), std::mem::take(&mut self.output));
        let result = machines.step(&self.program, self.input(), &mut state, &mut output);
        (self.state, self.output) = (state, output);
        result.map(|()| self.output.command)
    }
}

/// The first step of a script in a fresh machine.
fn step(text: &str) -> Result<[f64; 3], ScriptError> {
    Robot::new(text).step(&mut Machines::new())
}
