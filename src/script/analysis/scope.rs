//! Local variables and the functions that declare them.

/// The local variables that are visible at a place of the text.
#[derive(Debug, Default)]
pub struct Scope {
    /// Name and depth of the function, innermost variable last.
    locals: Vec<(String, u32)>,
    /// Number of functions around the place.
    depth: u32,
}

impl Scope {
    /// Opens a block. The result closes it.
    pub fn open(&self) -> usize {
        self.locals.len()
    }

    /// Closes a block.
    pub fn close(&mut self, mark: usize) {
        self.locals.truncate(mark);
    }

    /// Enters a function.
    pub fn enter_function(&mut self) {
        self.depth += 1;
    }

    /// Leaves a function.
    pub fn leave_function(&mut self) {
        self.depth -= 1;
    }

    /// The number of functions around the place.
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// Whether no function is around the place.
    pub fn is_top_level(&self) -> bool {
        self.depth == 0
    }

    /// Adds a variable of the present function.
    pub fn declare(&mut self, name: String) {
        self.locals.push((name, self.depth));
    }

    /// The depth of the function that declares the variable; `None` for globals.
    pub fn depth_of(&self, name: &str) -> Option<u32> {
        self.locals.iter().rev().find(|(known, _)| known == name).map(|(_, depth)| *depth)
    }

    /// The names of all visible variables.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.locals.iter().map(|(name, _)| name.as_str())
    }
}
