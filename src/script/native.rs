//! The parts of Luau's interface that have no safe form: functions without overhead, the count of loops and calls, and
//! the variables that functions capture.
#![expect(unsafe_code, reason = "mlua offers these parts of Luau through its raw interface only")]

use std::cell::Cell;
use std::ffi::{CStr, c_int};

use mlua::{Function, Lua, Result, Table, Value, ffi};

thread_local! {
    /// The remaining loops and calls of the running script. One script runs per thread at any time.
    static FUEL: Cell<u64> = const { Cell::new(0) };
    /// The message when none remain.
    static EXHAUSTED: Cell<&'static str> = const { Cell::new("") };
}

/// Sets the number of loops and calls that the next script of this thread may do, and the message for more.
pub fn set_fuel(count: u64, message: &'static str) {
    FUEL.set(count);
    EXHAUSTED.set(message);
}

/// Makes a machine count loops and calls.
pub fn count_loops_and_calls(lua: &Lua) -> Result<()> {
    // SAFETY: the closure only sets a callback in the global state, which lives as long as the machine; it neither
    // raises errors nor changes the stack. `count` follows the rules of interrupt callbacks, see there.
    unsafe { lua.exec_raw((), |state| (*ffi::lua_callbacks(state)).interrupt = Some(count)) }
}

/// Counts an interrupt, and raises an error if there were too many. After that, every further interrupt raises it again.
/// Steps of the garbage collector do not count: they depend on earlier calls.
unsafe extern "C-unwind" fn count(state: *mut ffi::lua_State, collector: c_int) {
    if collector >= 0 {
        return;
    }
    let fuel = FUEL.get();
    if fuel > 0 {
        FUEL.set(fuel - 1);
        return;
    }
    // SAFETY: Luau calls interrupts other than the collector's at places that may raise errors, with a valid state.
    unsafe { exhausted(state) }
}

/// Raises the error for too many loops and calls.
///
/// # Safety
/// The state must be valid, and the caller one of Luau's callbacks that may raise errors, without locals to drop.
unsafe fn exhausted(state: *mut ffi::lua_State) -> ! {
    let message = EXHAUSTED.get();
    // SAFETY: the caller vouches for the state. `lua_rawcheckstack` makes room for the values. No local here needs to be
    // dropped when the error unwinds.
    unsafe {
        ffi::lua_rawcheckstack(state, 4);
        ffi::luaL_where(state, 0);
        ffi::lua_pushlstring(state, message.as_ptr().cast(), message.len());
        ffi::lua_concat(state, 2);
        ffi::lua_error(state)
    }
}

/// A C function that counts the loops inside a library function, which Luau does not count.
unsafe extern "C-unwind" fn charge(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: Luau calls C functions with a valid state. Errors unwind, and no local here needs to be dropped.
    unsafe {
        let count = ffi::luaL_checknumber(state, 1) as u64;
        let fuel = FUEL.get();
        FUEL.set(fuel.saturating_sub(count));
        if fuel < count {
            exhausted(state);
        }
    }
    0
}

/// Defines a C function of numbers.
macro_rules! number_function {
    ($name:ident($($argument:ident),+) => $result:expr) => {
        unsafe extern "C-unwind" fn $name(state: *mut ffi::lua_State) -> c_int {
            let mut index = 0;
            // SAFETY: Luau calls C functions with a valid state and room for 20 values. An error of `luaL_checknumber`
            // unwinds, and no local here needs to be dropped.
            unsafe {
                $(
                    index += 1;
                    let $argument = ffi::luaL_checknumber(state, index);
                )+
                let _ = index;
                ffi::lua_pushnumber(state, $result);
            }
            1
        }
    };
}

number_function!(sin(x) => libm::sin(x));
number_function!(cos(x) => libm::cos(x));
number_function!(tan(x) => libm::tan(x));
number_function!(asin(x) => libm::asin(x));
number_function!(acos(x) => libm::acos(x));
number_function!(atan(x) => libm::atan(x));
number_function!(atan2(y, x) => libm::atan2(y, x));
number_function!(sinh(x) => libm::sinh(x));
number_function!(cosh(x) => libm::cosh(x));
number_function!(tanh(x) => libm::tanh(x));
number_function!(exp(x) => libm::exp(x));
number_function!(ln(x) => libm::log(x));
number_function!(log2(x) => libm::log2(x));
number_function!(log10(x) => libm::log10(x));
number_function!(pow(x, y) => libm::pow(x, y));

/// The functions of `libm`, by their names in scripts, and `charge`.
const FUNCTIONS: [(&CStr, ffi::lua_CFunction); 16] = [
    (c"charge", charge),
    (c"sin", sin),
    (c"cos", cos),
    (c"tan", tan),
    (c"asin", asin),
    (c"acos", acos),
    (c"atan", atan),
    (c"atan2", atan2),
    (c"sinh", sinh),
    (c"cosh", cosh),
    (c"tanh", tanh),
    (c"exp", exp),
    (c"log", ln),
    (c"log2", log2),
    (c"log10", log10),
    (c"pow", pow),
];

/// A table of the functions of `libm` and of `charge`. The former have the same results on every computer, unlike those of the C library.
pub fn functions(lua: &Lua) -> Result<Table> {
    let functions = lua.create_table()?;
    for (name, function) in FUNCTIONS {
        // SAFETY: the closure pushes one value, for which `exec_raw` makes room; the name is a constant, which outlives
        // the machine.
        let function: Function =
            unsafe { lua.exec_raw((), |state| ffi::lua_pushcclosurek(state, function, name.as_ptr(), 0, None))? };
        functions.raw_set(name.to_string_lossy(), function)?;
    }
    Ok(functions)
}

/// The variable with this number, counted from 1, that a function of a script captures. Functions of the host have none.
pub fn upvalue(lua: &Lua, function: &Function, number: c_int) -> Result<Option<Value>> {
    // SAFETY: the function is the only value that the closure finds on the stack. `lua_getupvalue` pushes one value or
    // none; then the closure pushes whether there is one.
    let (is_there, value): (bool, Value) = unsafe {
        lua.exec_raw(function, |state| {
            let is_script = ffi::lua_iscfunction(state, 1) == 0;
            let name = if is_script { ffi::lua_getupvalue(state, 1, number) } else { std::ptr::null() };
            if name.is_null() {
                ffi::lua_pushnil(state);
            }
            ffi::lua_pushboolean(state, c_int::from(!name.is_null()));
            ffi::lua_replace(state, 1);
        })?
    };
    Ok(is_there.then_some(value))
}
