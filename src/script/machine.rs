//! A virtual machine with one loaded script.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use mlua::chunk::ChunkMode;
use mlua::{Buffer, Function, Lua, Table, Value as LuaValue};

use crate::error::{Failure, SCRIPT_CHUNK, ScriptError};
use crate::library::{self, Printed};
use crate::wrapper::{self, Wrapper};
use crate::{Face, Input, NamedSensor, Output, Random, SensorLayout, Value, native};

/// Largest memory of a machine (bytes).
const MAX_MEMORY: usize = 16 << 20;
/// Memory in use (bytes) at which garbage is collected before the next call.
const MAX_GARBAGE: usize = 256 << 10;
/// Largest number of loops and calls of a step.
const MAX_STEP_FUEL: u64 = 100_000;
/// Largest number of loops and calls while a script loads.
const MAX_LOAD_FUEL: u64 = 1_000_000;
/// The least size of a buffer (bytes).
const MIN_BUFFER: usize = 4096;
/// Largest number of wrappers, one for each layout of sensors.
const MAX_WRAPPERS: usize = 16;

const STEP_EXHAUSTED: &str = "the step took more than 100,000 loops and calls: is there an endless loop?";
const LOAD_EXHAUSTED: &str = "the top level took more than 1,000,000 loops and calls: is there an endless loop?";

/// A virtual machine with one loaded script.
pub struct Machine<R> {
    // Handles into the machine come before it.
    wrappers: Vec<Wrapper>,
    step: Option<Function>,
    host: Table,
    lua: Lua,
    random: Rc<RefCell<Option<R>>>,
    printed: Rc<RefCell<Printed>>,
    block: Vec<u8>,
    /// Memory (bytes) in use after the last collection.
    live: usize,
}

impl<R: Random + 'static> Machine<R> {
    /// Loads a compiled script.
    pub fn new(code: &[u8]) -> Result<Self, Failure> {
        let random = Rc::new(RefCell::new(None::<R>));
        let printed = Rc::new(RefCell::new(Printed::default()));
        let source = Rc::clone(&random);
        let unit = move || source.borrow_mut().as_mut().map(Random::unit);
        let running = Rc::clone(&random);
        let (lua, host) = library::new_machine(unit, move || running.borrow().is_some(), &printed)?;
        native::count_loops_and_calls(&lua)?;
        lua.set_memory_limit(MAX_MEMORY)?;
        native::set_fuel(MAX_LOAD_FUEL, LOAD_EXHAUSTED);
        lua.load(code).set_name(format!("={SCRIPT_CHUNK}")).set_mode(ChunkMode::Binary).call::<()>(())?;
        let globals = lua.globals();
        let step = match globals.raw_get("step")? {
            LuaValue::Function(step) => Some(step),
            _ => None,
        };
        let roots = ["parameters", "state", "commands", "step"].map(|name| globals.raw_get(name));
        library::freeze(&lua, roots.into_iter().collect::<mlua::Result<_>>()?)?;
        globals.set_readonly(true);
        printed.borrow_mut().take_into(&mut String::new());
        let mut machine = Self { wrappers: Vec::new(), step, host, lua, random, printed, block: Vec::new(), live: 0 };
        machine.collect_garbage()?;
        Ok(machine)
    }

    /// The globals, for reading the declarations.
    pub fn globals(&self) -> Table {
        self.lua.globals()
    }

    /// Whether the script declares a function `step`.
    pub fn has_step(&self) -> bool {
        self.step.is_some()
    }

    /// Memory in use (bytes).
    #[cfg(test)]
    pub fn used_memory(&self) -> usize {
        self.lua.used_memory()
    }

    /// Collects all garbage. The collector never runs by itself: whether a call runs out of memory depends on its own
    /// allocations and on the garbage at its start only.
    fn collect_garbage(&mut self) -> mlua::Result<()> {
        self.lua.gc_collect()?;
        self.lua.gc_stop();
        self.live = self.lua.used_memory();
        Ok(())
    }

    /// Calls `step`. The state and the output change only if the call ends well, apart from the printed text.
    pub fn step(
        &mut self,
        face: &Face,
        input: Input<R>,
        state: &mut [Value],
        output: &mut Output,
    ) -> Result<(), Failure> {
        if self.lua.used_memory() > self.live + MAX_GARBAGE {
            self.collect_garbage()?;
        }
        let Input { layout, readings, parameters, id, step, time_s, dt_s, touched, messages, random } = input;
        let numbers = Numbers { clock: [f64::from(id), step as f64, time_s, dt_s], touched, readings, messages };
        let place = self.wrapper(face, layout)?;
        check_values(face, parameters, state)?;
        // Texts are read in each call: reading counts as a call, which must not depend on the calls before.
        let has_texts = parameters.iter().any(|value| matches!(value, Value::Text(_) | Value::Numbers(_)));
        let are_new = has_texts || !are_same(&self.wrappers[place].parameters, parameters);
        numbers.write(&mut self.block, parameters, are_new, state, layout);
        let needed = wrapper::FLAGS_AT + self.block.len();
        if self.wrappers[place].capacity < needed {
            return self.grow(face, place, needed).and_then(|()| {
                let input = Input { layout, readings, parameters, id, step, time_s, dt_s, touched, messages, random };
                self.step(face, input, state, output)
            });
        }
        let wrapper = &mut self.wrappers[place];
        if are_new {
            wrapper.parameters.clear();
            wrapper.parameters.extend_from_slice(parameters);
        }
        wrapper.buffer.write_bytes(wrapper::FLAGS_AT, &self.block);
        native::set_fuel(MAX_STEP_FUEL + own_loops(state, readings, messages), STEP_EXHAUSTED);
        *self.random.borrow_mut() = Some(random);
        let result = wrapper.call.call::<Option<Buffer>>(());
        *self.random.borrow_mut() = None;
        let mut printed = self.printed.borrow_mut();
        match result {
            Ok(texts) => {
                let texts = texts.map(|texts| texts.to_vec()).unwrap_or_default();
                read_state(&wrapper.buffer, &texts, face, state).map_err(|error| {
                    *output = Output::default();
                    printed.take_into(&mut output.printed);
                    Failure::Script(error)
                })?;
                read_output(&wrapper.buffer, face, output);
                printed.take_into(&mut output.printed);
                Ok(())
            }
            Err(error) => {
                // The machine may have only some of the parameters of this call.
                wrapper.parameters.clear();
                *output = Output::default();
                printed.take_into(&mut output.printed);
                Err(error.into())
            }
        }
    }

    /// The place of the wrapper for a layout of sensors.
    fn wrapper(&mut self, face: &Face, layout: &Arc<SensorLayout>) -> Result<usize, Failure> {
        if let Some(place) = self.wrappers.iter().position(|wrapper| Arc::ptr_eq(&wrapper.layout, layout)) {
            return Ok(place);
        }
        // Another description of the same sensors.
        if let Some(place) = self.wrappers.iter().position(|wrapper| wrapper.layout == *layout) {
            self.wrappers[place].layout = Arc::clone(layout);
            return Ok(place);
        }
        if self.wrappers.len() == MAX_WRAPPERS {
            self.wrappers.remove(0);
        }
        let wrapper = self.new_wrapper(face, layout, MIN_BUFFER)?;
        self.wrappers.push(wrapper);
        self.collect_garbage()?;
        Ok(self.wrappers.len() - 1)
    }

    fn grow(&mut self, face: &Face, place: usize, needed: usize) -> Result<(), Failure> {
        let layout = Arc::clone(&self.wrappers[place].layout);
        self.wrappers[place] = self.new_wrapper(face, &layout, needed.next_power_of_two())?;
        Ok(self.collect_garbage()?)
    }

    fn new_wrapper(&self, face: &Face, layout: &Arc<SensorLayout>, capacity: usize) -> Result<Wrapper, Failure> {
        let Some(step) = &self.step else {
            return Err(Failure::Script(ScriptError::of_script(crate::declarations::NO_STEP)));
        };
        native::set_fuel(MAX_LOAD_FUEL, LOAD_EXHAUSTED);
        Ok(Wrapper::new(&self.lua, &self.host, step, face, layout, capacity)?)
    }
}

/// Checks that parameters and state have the number and types of the declarations.
fn check_values(face: &Face, parameters: &[Value], state: &[Value]) -> Result<(), Failure> {
    let are_parameters = parameters.len() == face.parameters.len()
        && face.parameters.iter().zip(parameters).all(|(parameter, value)| parameter.default.is_like(value));
    let is_state = state.len() == face.state.len()
        && face.state.iter().zip(state).all(|(field, value)| field.initial.is_like(value));
    if are_parameters && is_state {
        return Ok(());
    }
    let wrong = if are_parameters { "state" } else { "parameters" };
    Err(Failure::Script(ScriptError::of_script(&format!("the {wrong} of the robot do not match its script"))))
}

/// Whether values have the same bits: scripts can tell −0 from 0.
fn are_same(a: &[Value], b: &[Value]) -> bool {
    a.len() == b.len()
        && a.iter().zip(b).all(|pair| match pair {
            (Value::Number(a), Value::Number(b)) => a.to_bits() == b.to_bits(),
            (Value::Numbers(a), Value::Numbers(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits())
            }
            (a, b) => a == b,
        })
}

/// The number of loops of the wrapper itself, which do not count.
fn own_loops(state: &[Value], readings: &[&[f64]], messages: &[crate::Message]) -> u64 {
    let lists = state.iter().filter(|value| matches!(value, Value::Numbers(_))).count();
    let read: usize = readings.iter().map(|reading| reading.len() + 4).sum();
    let read = read + messages.iter().map(|message| message.numbers.len() + 8).sum::<usize>();
    let written = 8 * (state.len() + 8) + lists * 4 * (wrapper::MAX_LIST + 1);
    (read + written) as u64
}

/// The numbers of an input.
struct Numbers<'a> {
    clock: [f64; 4],
    touched: bool,
    readings: &'a [&'a [f64]],
    messages: &'a [crate::Message<'a>],
}

impl Numbers<'_> {
    /// Writes the block of the buffer that starts with the flags.
    fn write(&self, block: &mut Vec<u8>, parameters: &[Value], are_new: bool, state: &[Value], layout: &SensorLayout) {
        block.clear();
        block.extend([0, 0, 0, 0, 0, u8::from(are_new), u8::from(self.touched), 0]);
        self.clock.iter().for_each(|number| put(block, *number));
        fixed(block, state);
        fixed(block, parameters);
        for (index, NamedSensor { is_single, .. }) in layout.sensors.iter().enumerate() {
            if *is_single {
                put(block, self.reading(index).first().copied().unwrap_or(f64::NAN));
            }
        }
        if are_new {
            dynamic(block, parameters);
        }
        dynamic(block, state);
        for (index, NamedSensor { is_single, .. }) in layout.sensors.iter().enumerate() {
            if !*is_single {
                list(block, self.reading(index));
            }
        }
        put(block, self.messages.len() as f64);
        for message in self.messages {
            list(block, message.numbers);
            let (range_m, bearing_rad) = message.from.unwrap_or_default();
            let is_measured = f64::from(u8::from(message.from.is_some()));
            [f64::from(message.sender), message.age_s, is_measured, range_m, bearing_rad]
                .iter()
                .for_each(|number| put(block, *number));
        }
    }

    fn reading(&self, index: usize) -> &[f64] {
        self.readings.get(index).copied().unwrap_or_default()
    }
}

#[inline]
fn put(block: &mut Vec<u8>, number: f64) {
    block.extend_from_slice(&number.to_le_bytes());
}

fn list(block: &mut Vec<u8>, numbers: &[f64]) {
    put(block, numbers.len() as f64);
    numbers.iter().for_each(|number| put(block, *number));
}

fn fixed(block: &mut Vec<u8>, values: &[Value]) {
    for value in values {
        match value {
            Value::Number(number) => put(block, *number),
            Value::Flag(flag) => block.extend([u8::from(*flag), 0, 0, 0, 0, 0, 0, 0]),
            Value::Text(_) | Value::Numbers(_) => {}
        }
    }
}

fn dynamic(block: &mut Vec<u8>, values: &[Value]) {
    for value in values {
        match value {
            Value::Text(text) => {
                put(block, text.len() as f64);
                block.extend_from_slice(text.as_bytes());
            }
            Value::Numbers(numbers) => list(block, numbers),
            Value::Number(_) | Value::Flag(_) => {}
        }
    }
}

fn number_at(buffer: &Buffer, at: usize) -> f64 {
    f64::from_le_bytes(buffer.read_bytes(at))
}

fn numbers_at(buffer: &Buffer, at: usize) -> [f64; 3] {
    let bytes = buffer.read_bytes::<24>(at);
    let (numbers, _) = bytes.as_chunks::<8>();
    [0, 1, 2].map(|place| f64::from_le_bytes(numbers[place]))
}

/// A number with the same bits on every computer: processors disagree about the sign of NaN.
fn portable(number: f64) -> f64 {
    if number.is_nan() { f64::NAN } else { number }
}

fn read_output(buffer: &Buffer, face: &Face, output: &mut Output) {
    output.command = numbers_at(buffer, wrapper::COMMAND_AT);
    if face.commands.values().len() == 2 {
        output.command[2] = 0.0;
    }
    let [low, high, led, grip, emission, ..] = buffer.read_bytes::<8>(wrapper::FLAGS_AT);
    let count = u16::from_le_bytes([low, high]);
    output.message = count
        .checked_sub(1)
        .map(|count| (0..usize::from(count)).map(|place| number_at(buffer, wrapper::MESSAGE_AT + 8 * place)).collect());
    output.led = (led != 0).then(|| numbers_at(buffer, wrapper::LED_AT));
    output.grips = (grip != 0).then_some(grip == 2);
    output.emission = (emission != 0).then(|| number_at(buffer, wrapper::EMISSION_AT));
}

/// Reads the state from the buffer, and its texts and lists from the bytes of the other buffer.
fn read_state(buffer: &Buffer, bytes: &[u8], face: &Face, state: &mut [Value]) -> Result<(), ScriptError> {
    let texts = texts_of(bytes, face)?;
    let mut texts = texts.into_iter();
    let mut at = wrapper::STATE_AT;
    for value in state {
        match value {
            Value::Number(number) => *number = portable(number_at(buffer, at)),
            Value::Flag(flag) => *flag = buffer.read_bytes::<1>(at) != [0],
            Value::Text(_) | Value::Numbers(_) => {
                if let Some(found) = texts.next() {
                    *value = found;
                }
                continue;
            }
        }
        at += 8;
    }
    Ok(())
}

/// Reads the texts and lists of the state.
fn texts_of(bytes: &[u8], face: &Face) -> Result<Vec<Value>, ScriptError> {
    let mut values = Vec::new();
    let mut rest = bytes;
    for field in face.state.iter().filter(|field| !wrapper::is_fixed(&field.initial)) {
        let (count, content) = rest.split_first_chunk::<8>().unwrap_or((&[0; 8], &[]));
        let count = f64::from_le_bytes(*count) as usize;
        let size = if matches!(field.initial, Value::Text(_)) { count } else { 8 * count };
        let (content, after) = content.split_at(size.min(content.len()));
        rest = after;
        values.push(match field.initial {
            Value::Text(_) => Value::Text(String::from_utf8(content.to_vec()).map_err(|_| {
                ScriptError::of_script(&format!("state `{}`: the text is not valid UTF-8", field.name))
            })?),
            _ => Value::Numbers(
                content.as_chunks::<8>().0.iter().map(|bytes| portable(f64::from_le_bytes(*bytes))).collect(),
            ),
        });
    }
    Ok(values)
}
