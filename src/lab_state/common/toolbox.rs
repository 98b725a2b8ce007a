//! The tools and their settings.

use swarmarium_core::agent::failure::Failure;
use swarmarium_scene::agent_view::AgentView;
use swarmarium_simulation::edit::Edit;

use crate::common::command::CommandId;
use crate::common::faults::{self, Fault};

/// The effect of the mouse in the world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tool {
    /// Selects, moves and turns robots and objects.
    #[default]
    Select,
    /// Adds robots.
    Spawn,
    /// Draws walls.
    Wall,
    /// Draws obstacles.
    Obstacle,
    /// Draws regions.
    Region,
    /// Places goals.
    Goal,
    /// Places lights.
    Light,
    /// Removes robots and objects.
    Erase,
    /// Applies failures to robots, or repairs them.
    Fault,
    /// Measures distances and bearings.
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

    /// Returns the id of the command that chooses the tool.
    pub const fn command(self) -> CommandId {
        match self {
            Self::Select => CommandId::SelectAndMove,
            Self::Spawn => CommandId::SpawnRobots,
            Self::Wall => CommandId::DrawWalls,
            Self::Obstacle => CommandId::DrawObstacles,
            Self::Region => CommandId::DrawRegions,
            Self::Goal => CommandId::PlaceGoals,
            Self::Light => CommandId::PlaceLights,
            Self::Erase => CommandId::Erase,
            Self::Fault => CommandId::BreakOrRepairRobots,
            Self::Measure => CommandId::Measure,
        }
    }
}

/// The present tool and the settings of all tools.
#[derive(Clone, Debug, Default)]
pub struct Toolbox {
    /// The present tool.
    pub tool: Tool,
    /// The settings of all tools.
    pub options: ToolOptions,
}

/// The settings of the tools.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolOptions {
    /// Whether positions snap to the grid and headings to 15 degrees.
    pub snaps: bool,
    /// The settings of new robots.
    pub brush: PlacementTemplate,
    /// The thickness of walls, in metres.
    pub thickness_m: f64,
    /// The shape of obstacles and regions.
    pub form: ObstacleShape,
    /// Whether robots can push new obstacles.
    pub mobility: ObstacleMobility,
    /// The mass of new obstacles that robots can push, in kilograms.
    pub mass_kg: f64,
    /// The radius of an object that is placed by a click, in metres.
    pub radius_m: f64,
    /// The brightness of lights at a distance of one metre.
    pub intensity: f64,
    /// The effect of a click on a robot.
    pub fault_effect: FaultEffect,
}

impl Default for ToolOptions {
    fn default() -> Self {
        Self {
            snaps: false,
            brush: PlacementTemplate::default(),
            thickness_m: 0.1,
            form: ObstacleShape::Disc,
            mobility: ObstacleMobility::Fixed,
            mass_kg: 1.0,
            radius_m: 0.3,
            intensity: 1.0,
            fault_effect: FaultEffect::Failure(Failure::Total),
        }
    }
}

/// Whether robots can push an obstacle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObstacleMobility {
    /// It stays where it is.
    Fixed,
    /// Robots push it.
    Movable,
}

/// The settings of new robots.
#[derive(Clone, Debug, PartialEq)]
pub struct PlacementTemplate {
    /// The group of new robots; `None` for the first group of the scene.
    pub source: Option<SpawnSource>,
    /// The heading of new robots.
    pub facing: Facing,
    /// The fixed heading, in degrees anticlockwise from x.
    pub heading_deg: f64,
    /// Whether a drag adds many robots.
    pub paints: bool,
    /// The distance between robots added by a drag, in metres.
    pub spacing_m: f64,
}

impl Default for PlacementTemplate {
    fn default() -> Self {
        Self { source: None, facing: Facing::Drag, heading_deg: 0.0, paints: false, spacing_m: 0.5 }
    }
}

/// The source of new robots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpawnSource {
    /// A group of the scene, by its name.
    Group(String),
    /// A shipped robot, by its name: a group of that name is added for it.
    Robot(String),
}

impl SpawnSource {
    /// Returns the name of the group.
    pub fn name(&self) -> &str {
        let (Self::Group(name) | Self::Robot(name)) = self;
        name
    }
}

/// The heading of new robots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Facing {
    /// Along the drag that makes them.
    Drag,
    /// In random directions.
    Random,
    /// In a fixed direction.
    Fixed,
}

/// The shape of drawn obstacles and regions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObstacleShape {
    /// A disc, from its centre.
    Disc,
    /// A rectangle, from corner to corner.
    Rectangle,
}

/// The effect of a click on a robot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultEffect {
    /// A failure.
    Failure(Failure),
    /// A repair.
    Repair,
}

impl FaultEffect {
    /// Returns all effects with their names and descriptions.
    pub fn all() -> impl Iterator<Item = (Self, &'static str, String)> {
        let failure = |fault: Fault| {
            (Self::Failure(fault.failure), fault.verb, format!("For the clicked robot: {}", fault.about))
        };
        let repair = "A click repairs a robot".into();
        faults::all().map(failure).chain([(Self::Repair, faults::REPAIR, repair)])
    }

    /// Returns the edits that apply the effect to a robot.
    pub fn edits(self, agent: AgentView) -> Vec<Edit> {
        match self {
            Self::Failure(failure) => vec![Edit::Fault { agent: agent.id.index(), failure, is_active: true }],
            Self::Repair => faults::cures([agent]),
        }
    }
}
