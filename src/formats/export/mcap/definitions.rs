//! The types of messages, with their definitions in the notation of ROS 2 (`ros2msg`): each definition is followed by those of
//! the types in it, as rosbag2 writes them.

/// A type of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum MessageType {
    /// Transforms of frames: poses.
    Transforms,
    /// Distances along an arc of rays.
    LaserScan,
    /// The distance in a cone.
    Range,
    /// A grid of cells from 0 to 100.
    Grid,
    /// Shapes to draw.
    Markers,
    /// An entry of a log.
    Log,
    /// The value of a metric.
    Metric,
}

impl MessageType {
    /// The name of the type.
    pub fn name(self) -> &'static str {
        match self {
            Self::Transforms => "tf2_msgs/msg/TFMessage",
            Self::LaserScan => "sensor_msgs/msg/LaserScan",
            Self::Range => "sensor_msgs/msg/Range",
            Self::Grid => "nav_msgs/msg/OccupancyGrid",
            Self::Markers => "visualization_msgs/msg/MarkerArray",
            Self::Log => "rcl_interfaces/msg/Log",
            Self::Metric => "swarmarium_msgs/msg/Metric",
        }
    }

    /// The definition, followed by those of the types in it.
    pub fn definition(self) -> String {
        let (own, parts): (&str, &[(&str, &str)]) = match self {
            Self::Transforms => {
                let parts = &[TRANSFORM_STAMPED, HEADER, TIME, TRANSFORM, VECTOR3, QUATERNION];
                ("geometry_msgs/TransformStamped[] transforms\n", parts)
            }
            Self::LaserScan => (LASER_SCAN, &[HEADER, TIME]),
            Self::Range => (RANGE, &[HEADER, TIME]),
            Self::Grid => (GRID, &[HEADER, TIME, MAP_META_DATA, POSE, POINT, QUATERNION]),
            Self::Markers => {
                let parts =
                    &[MARKER, HEADER, TIME, POSE, POINT, QUATERNION, VECTOR3, COLOR, DURATION, IMAGE, UV, MESH_FILE];
                ("visualization_msgs/Marker[] markers\n", parts)
            }
            Self::Log => (LOG, &[TIME]),
            Self::Metric => (METRIC, &[TIME]),
        };
        let line = "=".repeat(80);
        let part = |(name, text): &(&str, &str)| format!("{line}\nMSG: {name}\n{text}");
        parts.iter().map(part).fold(own.to_owned(), |all, part| all + &part)
    }
}

const LASER_SCAN: &str = "\
std_msgs/Header header
float32 angle_min
float32 angle_max
float32 angle_increment
float32 time_increment
float32 scan_time
float32 range_min
float32 range_max
float32[] ranges
float32[] intensities
";
/// Newer distributions have the variance; readers of older ones stop before it.
const RANGE: &str = "\
uint8 ULTRASOUND=0
uint8 INFRARED=1
std_msgs/Header header
uint8 radiation_type
float32 field_of_view
float32 min_range
float32 max_range
float32 range
float32 variance
";
const GRID: &str = "\
std_msgs/Header header
nav_msgs/MapMetaData info
int8[] data
";
/// The log of ROS 2, the successor of `rosgraph_msgs/Log`.
const LOG: &str = "\
byte DEBUG=10
byte INFO=20
byte WARN=30
byte ERROR=40
byte FATAL=50
builtin_interfaces/Time stamp
uint8 level
string name
string msg
string file
string function
uint32 line
";
const METRIC: &str = "\
# The value of a metric of Swarmarium after a step.
# Simulated time, from 0 at the start of the run
builtin_interfaces/Time stamp
# Number of the step; 0 is the start
uint64 step
# NaN where the metric has no value
float64 value
";
const TIME: (&str, &str) = ("builtin_interfaces/Time", "int32 sec\nuint32 nanosec\n");
const DURATION: (&str, &str) = ("builtin_interfaces/Duration", "int32 sec\nuint32 nanosec\n");
const HEADER: (&str, &str) = ("std_msgs/Header", "builtin_interfaces/Time stamp\nstring frame_id\n");
const COLOR: (&str, &str) = ("std_msgs/ColorRGBA", "float32 r\nfloat32 g\nfloat32 b\nfloat32 a\n");
const VECTOR3: (&str, &str) = ("geometry_msgs/Vector3", "float64 x\nfloat64 y\nfloat64 z\n");
const POINT: (&str, &str) = ("geometry_msgs/Point", "float64 x\nfloat64 y\nfloat64 z\n");
const QUATERNION: (&str, &str) = ("geometry_msgs/Quaternion", "float64 x 0\nfloat64 y 0\nfloat64 z 0\nfloat64 w 1\n");
const POSE: (&str, &str) =
    ("geometry_msgs/Pose", "geometry_msgs/Point position\ngeometry_msgs/Quaternion orientation\n");
const TRANSFORM: (&str, &str) =
    ("geometry_msgs/Transform", "geometry_msgs/Vector3 translation\ngeometry_msgs/Quaternion rotation\n");
const TRANSFORM_STAMPED: (&str, &str) = (
    "geometry_msgs/TransformStamped",
    "std_msgs/Header header\nstring child_frame_id\ngeometry_msgs/Transform transform\n",
);
const MAP_META_DATA: (&str, &str) = (
    "nav_msgs/MapMetaData",
    "builtin_interfaces/Time map_load_time\nfloat32 resolution\nuint32 width\nuint32 height\ngeometry_msgs/Pose origin\n",
);
const IMAGE: (&str, &str) = ("sensor_msgs/CompressedImage", "std_msgs/Header header\nstring format\nuint8[] data\n");
const UV: (&str, &str) = ("visualization_msgs/UVCoordinate", "float32 u\nfloat32 v\n");
const MESH_FILE: (&str, &str) = ("visualization_msgs/MeshFile", "string filename\nuint8[] data\n");
const MARKER: (&str, &str) = ("visualization_msgs/Marker", marker::DEFINITION);

/// The constants of markers that logs use, and the definition of markers with them.
pub(super) mod marker {
    macro_rules! define {
        ($($name:ident = $number:literal),+; $fields:literal) => {
            $(pub const $name: i32 = $number;)+
            pub(super) const DEFINITION: &str = concat!($("int32 ", stringify!($name), "=", $number, "\n",)+ $fields);
        };
    }

    define!(CYLINDER = 3, LINE_STRIP = 4, LINE_LIST = 5, ADD = 0, DELETE = 2; "\
std_msgs/Header header
string ns
int32 id
int32 type
int32 action
geometry_msgs/Pose pose
geometry_msgs/Vector3 scale
std_msgs/ColorRGBA color
builtin_interfaces/Duration lifetime
bool frame_locked
geometry_msgs/Point[] points
std_msgs/ColorRGBA[] colors
string texture_resource
sensor_msgs/CompressedImage texture
visualization_msgs/UVCoordinate[] uv_coordinates
string text
string mesh_resource
visualization_msgs/MeshFile mesh_file
bool mesh_use_embedded_materials
");
}
