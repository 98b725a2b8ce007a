//! The tools, and what they are set to.

use swarmarium_core::agent::failure::Failure;

/// What the mouse does in the world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tool {
    /// Selects, moves and turns robots and objects.
    #[default]
    Select,
    /// Makes robots.
    Spawn,
    /// Makes walls.
    Wall,
    /// Makes obstacles.
    Obstacle,
    /// Makes regions.
    Region,
    /// Makes goals.
    Goal,
    /// Makes lights.
    Light,
    /// Takes robots and objects away.
    Erase,
    /// Lets something go wrong with robots, or sets it right.
    Fault,
    /// Tells distances and bearings.
    Measure,
}

impl Tool {
    /// All tools, in the order of the tool bar.
    pub const ALL: [Self; 10] = [
        Self::Select,
        Self::Spawn,
        Self::Wall,
        Self::Obstacle,
        Self::Region,
        Self::Goal,
        Self::Light,
        Self::Erase,
        Self::Fault,
        Self::Measure,
    ];

    /// The title of the command that takes it.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Select => "Select and move",
            Self::Spawn => "Spawn robots",
            Self::Wall => "Draw walls",
            Self::Obstacle => "Draw obstacles",
            Self::Region => "Draw regions",
            Self::Goal => "Place goals",
            Self::Light => "Place lights",
            Self::Erase => "Erase",
            Self::Fault => "Break or repair robots",
            Self::Measure => "Measure",
        }
    }
}

/// The tool at hand, and what the tools are set to.
#[derive(Clone, Debug, Default)]
pub struct Toolbox {
    /// What the mouse does in the world.
    pub tool: Tool,
    /// What the tools are set to.
    pub options: ToolOptions,
}

/// What the tools are set to.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolOptions {
    /// Whether positions snap to the grid and headings to 15 degrees.
    pub snaps: bool,
    /// What robots are made of.
    pub brush: Brush,
    /// How thick walls are, in metres.
    pub thickness_m: f64,
    /// The form of obstacles and regions.
    pub form: ObstacleShape,
    /// The radius of what is made by a click, in metres.
    pub radius_m: f64,
    /// How bright lights are at a distance of one metre.
    pub intensity: f64,
    /// What goes wrong with robots.
    pub fault_effect: FaultEffect,
}

impl Default for ToolOptions {
    fn default() -> Self {
        Self {
            snaps: false,
            brush: Brush::default(),
            thickness_m: 0.1,
            form: ObstacleShape::Disc,
            radius_m: 0.3,
            intensity: 1.0,
            fault_effect: FaultEffect::Failure(Failure::Total),
        }
    }
}

/// How robots are made.
#[derive(Clone, Debug, PartialEq)]
pub struct Brush {
    /// What they belong to; the first group of the scene when there is none.
    pub source: Option<SpawnSource>,
    /// Where they look.
    pub facing: Facing,
    /// Where they look when that is fixed, in degrees anticlockwise from x.
    pub heading_deg: f64,
    /// Whether a drag paints many.
    pub paints: bool,
    /// How far apart those that are painted stand, in metres.
    pub spacing_m: f64,
}

impl Default for Brush {
    fn default() -> Self {
        Self { source: None, facing: Facing::Drag, heading_deg: 0.0, paints: false, spacing_m: 0.5 }
    }
}

/// What new robots belong to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpawnSource {
    /// A group of the scene, by its name.
    Group(String),
    /// A robot that comes with the program, by its name: a group of that name is made for it.
    Robot(String),
}

impl SpawnSource {
    /// The name of the group.
    pub fn name(&self) -> &str {
        let (Self::Group(name) | Self::Robot(name)) = self;
        name
    }
}

/// Where new robots look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Facing {
    /// Along the drag that makes them.
    Drag,
    /// Anywhere.
    Random,
    /// All the same way.
    Fixed,
}

/// The shape of obstacles and regions that are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObstacleShape {
    /// A disc, from its middle.
    Disc,
    /// A rectangle, from corner to corner.
    Rectangle,
}

/// What a click does to a robot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultEffect {
    /// Something goes wrong with it.
    Failure(Failure),
    /// All is right with it again.
    Repair,
}
