//! Tests of whole scripts.

use std::sync::Arc;

use crate::{Input, Machines, Message, Output, Program, Random, ScriptError, SensorLayout, Value};

mod basic;

/// Counts up: 0, 1/8, 2/8, …
#[derive(Clone, Debug, Default)]
struct Eighths(u32);

impl Random for Eighths {
    fn unit(&mut self) -> f64 {
        self.0 += 1;
        f64::from((self.0 - 1) % 8) / 8.0
    }
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
        let program = Program::compile("test.luau", text).unwrap_or_else(|error| panic!("{error}"));
        let layout = SensorLayout { sensors: vec![("eye".into(), true), ("rays".into(), false)] };
        let parameters = program.face().parameters.iter().map(|parameter| parameter.default.clone()).collect();
        let state = program.face().state.iter().map(|field| field.initial.clone()).collect();
        Self { program: Arc::new(program), layout: Arc::new(layout), parameters, state, output: Output::default() }
    }

    /// Makes a step with fixed readings.
    fn step(&mut self, machines: &mut Machines<Eighths>) -> Result<[f64; 3], ScriptError> {
        let messages = [
            Message { sender: 3, age_s: 0.1, from: Some((2.0, -0.5)), numbers: &[7.0, 8.0] },
            Message { sender: 4, age_s: 0.0, from: None, numbers: &[] },
        ];
        let input = Input {
            layout: &self.layout,
            readings: &[&[0.75], &[1.0, 2.0, 4.0]],
            parameters: &self.parameters,
            id: 42,
            step: 10,
            time_s: 1.0,
            dt_s: 0.1,
            touched: true,
            messages: &messages,
            random: Eighths::default(),
        };
        machines.step(&self.program, input, &mut self.state, &mut self.output)?;
        Ok(self.output.command)
    }
}

/// The first step of a script in a fresh machine.
fn step(text: &str) -> Result<[f64; 3], ScriptError> {
    Robot::new(text).step(&mut Machines::new())
}
