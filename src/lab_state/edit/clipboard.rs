//! The clipboard: copied robots and objects.

use bevy::math::DVec2;
use swarmarium_core::agent::Pose;
use swarmarium_core::kind::Slot;
use swarmarium_core::object::ObjectFamily;

/// The copied robots and objects.
#[derive(Clone, Debug, Default)]
pub struct Clipboard {
    /// The copied robots.
    pub robots: Vec<CopiedRobot>,
    /// The copied objects.
    pub objects: Vec<Slot<ObjectFamily>>,
    /// The mean of their centres, in metres.
    pub center_m: DVec2,
    /// The number of times that they were pasted beside the originals.
    pub pasted: u32,
}

impl Clipboard {
    /// Whether there is nothing to paste.
    pub fn is_empty(&self) -> bool {
        self.robots.is_empty() && self.objects.is_empty()
    }
}

/// A copied robot.
#[derive(Clone, Debug)]
pub struct CopiedRobot {
    /// The path name of its group.
    pub group: String,
    /// Its pose.
    pub pose: Pose,
    /// The parameters that differ from the group: paths within the robot, and values.
    pub own: Vec<(String, String)>,
}
