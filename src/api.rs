//! The modules of the library. Each name is chosen by hand: a name that is not here is not part of the public interface.
//!
//! Metrics, noise, loss models, supervisors and behaviours of the program have no types here: scenes in code set them as
//! text, with [`scene::path::set`].
//!
//! The test `public_api` compares the names and their signatures with `docs/reference/public-api.txt`.

/// Robots: their parts, their commands, and read access to them.
pub mod agent {
    pub use swarmarium_core::agent::attitude::Attitude;
    pub use swarmarium_core::agent::body::{Anchor, Body};
    pub use swarmarium_core::agent::contact::OnCollision;
    pub use swarmarium_core::agent::failure::{Failure, Fault};
    pub use swarmarium_core::agent::look::Look;
    pub use swarmarium_core::agent::outputs::{Output, Outputs};
    pub use swarmarium_core::agent::placement::Placement;
    pub use swarmarium_core::agent::{Command, CommandForm, Member, Pose};
    pub use swarmarium_core::time::robot::RobotClock;
    pub use swarmarium_scene::agent_view::{AgentView, Sense};
}

/// The family of actuators, and its kinds.
pub mod actuator {
    pub use swarmarium_core::actuator::{
        Actuation, Actuator, ActuatorFamily, AddActuator, Field, Memory, Robot, Status, Velocity,
    };
    pub use swarmarium_kinds::actuator::destination::Destination;
    pub use swarmarium_kinds::actuator::gripper::Gripper;
    pub use swarmarium_kinds::actuator::keyboard::Keyboard;
    pub use swarmarium_kinds::actuator::light::Light;
    pub use swarmarium_kinds::actuator::motion_vw::MotionVw;
    pub use swarmarium_kinds::actuator::motion_vw_diff::MotionVwDiff;
    pub use swarmarium_kinds::actuator::motion_xyw::MotionXyw;
    pub use swarmarium_kinds::actuator::orientation::Orientation;
    pub use swarmarium_kinds::actuator::teleport::Teleport;
    pub use swarmarium_kinds::actuator::waypoint::Waypoint;
}

/// Many simulations of one scene.
pub mod batch {
    pub use swarmarium_simulation::batch::{Act, Batch, Start};
}

/// The family of behaviours of supervisors.
pub mod behaviour {
    pub use swarmarium_core::controller::behaviour::{
        AddBehaviour, Arrow, Behaviour, BehaviourOutput, Eye, Side, Situation,
    };
}

/// A simulation with a clock, a past and undo.
pub mod clock {
    pub use swarmarium_host::clock::{Clock, Host, Progress};
}

/// The family of controllers, and its kinds.
pub mod controller {
    pub use swarmarium_core::controller::constant::Constant;
    pub use swarmarium_core::controller::external::External;
    pub use swarmarium_core::controller::{
        Acting, AddController, Controller, ControllerFamily, ControllerView, Drive, Senses,
    };
    pub use swarmarium_kinds::controller::binary::Binary;
    pub use swarmarium_kinds::controller::bits::{Bits, Entry};
    pub use swarmarium_kinds::controller::boids::Boids;
    pub use swarmarium_kinds::controller::diffusion::Diffusion;
    pub use swarmarium_kinds::controller::flocking::{FlockGoal, Flocking};
    pub use swarmarium_kinds::controller::formation::{FirstEstimate, Formation, Goal};
    pub use swarmarium_kinds::controller::gossip::{Gossip, GossipRule, Measured};
    pub use swarmarium_kinds::controller::human::{Human, Speed};
    pub use swarmarium_kinds::controller::lennard_jones::LennardJones;
    pub use swarmarium_kinds::controller::levy::{Lengths, Levy, Style};
    pub use swarmarium_kinds::controller::oscillator::{Frequency, Oscillator};
    pub use swarmarium_kinds::controller::rendezvous::{MeetingRule, Rendezvous};
    pub use swarmarium_kinds::controller::script::Script;
    pub use swarmarium_kinds::controller::swarmalator::Swarmalator;
    pub use swarmarium_kinds::controller::table::{Digit, Table};
    pub use swarmarium_kinds::controller::velocity::Velocity;
    pub use swarmarium_kinds::controller::waypoint::{Pid, Waypoint};
    pub use swarmarium_kinds::controller::zonal_model::{TurnNoise, ZonalModel};
}

/// Drawings of a simulation.
pub mod draw {
    pub use swarmarium_draw::{ColorBy, Moment, Overlay, Overlays, Poses, ShowSensors, TrailLength, View};
}

/// Changes of a simulation from outside, and their log.
pub mod edit {
    pub use swarmarium_simulation::edit::{Edit, LoggedEdit, Turns};

    /// Logs of edits as text.
    pub mod log {
        pub use swarmarium_simulation::edit::log::{Replay, read, write};
    }
}

/// The events of a simulation.
pub mod events {
    pub use swarmarium_core::events::{Event, EventKind, Events};
}

/// Files: scenes, worlds of other programs, folders of runs.
pub mod formats {
    /// Exporters.
    pub mod export {
        pub use swarmarium_formats::export::{Exported, export};
    }

    /// Options of importers.
    pub mod import {
        pub use swarmarium_formats::import::{ControllerChoice, MetresPerUnit, Options, StandIn, Strokes};
    }

    /// Scenes from files of all formats.
    pub mod load {
        pub use swarmarium_formats::load::{Loaded, Override, Source, load, load_with};
    }

    /// Folders of runs.
    pub mod run_folder {
        pub use swarmarium_formats::run_folder::{At, RunFiles, RunFolder, RunMoment};
    }
}

/// Slots that hold a kind, the kinds that a recipe knows, and the attribute `#[kind]`.
pub mod kind {
    pub use swarmarium_core::kind::{Kind, KindType, Kinds, ObjectName, SearchWords, SensorSlot, Slot, kind};
}

/// Limits of parameters.
pub mod limits {
    pub use swarmarium_base::limits::{Limits, MAX_LENGTH_M};
}

/// Functions with the same bits on every machine.
pub mod math {
    pub use swarmarium_base::math::{
        acos, angle_of, atan2, cos, direction, exp, hypot, ln, pow, sin, sin_cos, tan, wrap_angle,
    };
}

/// The family of metrics.
pub mod metric {
    pub use swarmarium_core::metric::{
        AddMetric, Census, Metric, MetricFamily, MetricLabel, NamedExpression, NoHistory, Swarm, Variant,
    };
}

/// The family of motion models, and its kinds.
pub mod motion {
    pub use swarmarium_core::motion::differential_drive::{DifferentialDrive, WheelSaturation, Wheels};
    pub use swarmarium_core::motion::double_integrator::DoubleIntegrator;
    pub use swarmarium_core::motion::holonomic::{Frame, Holonomic};
    pub use swarmarium_core::motion::moving::{Factor, MotionNoise, MotionVariation};
    pub use swarmarium_core::motion::stationary::Static;
    pub use swarmarium_core::motion::unicycle::Unicycle;
    pub use swarmarium_core::motion::{AddMotionModel, Draws, MotionFamily, MotionModel, Moving, along_arc, steering};
    pub use swarmarium_kinds::motion::ackermann::Ackermann;
    pub use swarmarium_kinds::motion::kilobot::Kilobot;
    pub use swarmarium_kinds::motion::self_propelled_point::{SelfPropelledPoint, Turning};
}

/// The family of noise.
pub mod noise {
    pub use swarmarium_core::noise::{AddNoise, Noise, NoiseBounds, NoiseFamily};
}

/// The family of objects, and its kinds.
pub mod object {
    pub use swarmarium_core::object::disc::Disc;
    pub use swarmarium_core::object::drawing::Drawing;
    pub use swarmarium_core::object::floor::{Floor, FloorPicture, Pattern};
    pub use swarmarium_core::object::goal::Goal;
    pub use swarmarium_core::object::light::Light;
    pub use swarmarium_core::object::movable::Movable;
    pub use swarmarium_core::object::polygon::Polygon;
    pub use swarmarium_core::object::region::{Area, Region};
    pub use swarmarium_core::object::{AddObject, Figure, Look, Notices, Object, ObjectFamily, Presence};
}

/// Pictures: shapes in metres, and their colours.
pub mod picture {
    pub use swarmarium_picture::{
        Anchor, Camera, GroupColors, Item, Layer, Pdf, Pen, Picture, Role, Shape, Svg, Theme, Width, YAxis,
    };
}

/// Problems of scenes, edits and other input.
pub mod problem {
    pub use swarmarium_base::problem::{Place, Problem, Problems};
}

/// Radios, and the family of loss models.
pub mod radio {
    pub use swarmarium_core::radio::{
        AddLoss, Counts, Heard, Link, Loss, LossFamily, LossRandom, Packet, Radio, Schedule, Turn,
    };
}

/// Random streams, which depend only on the seed and on the use that draws from them.
pub mod random {
    pub use swarmarium_core::random::{Seed, Stream};
}

/// Sockets, over which other programs drive robots.
pub mod remote {
    pub use swarmarium_remote::{OpenError, Options, Remote};
}

/// The description of a scene.
pub mod scene {
    pub use swarmarium_core::field::Emitter;
    pub use swarmarium_core::step::order::{Delivery, Order};
    pub use swarmarium_core::time::Strategy;
    pub use swarmarium_scene::scene::constants::Constant;
    pub use swarmarium_scene::scene::controls::Control;
    pub use swarmarium_scene::scene::description::{
        Base, CameraKeyframe, Click, Epoch, Group, InitialReadings, LookAt, OverlapResolution, Pacing, RandomSource,
        Scene, Sockets, Stop, Time, Viewing,
    };

    /// Parameters by their path.
    pub mod path {
        pub use swarmarium_scene::scene::path::{get, set};
    }

    /// Scenes from text.
    pub mod reader {
        pub use swarmarium_scene::scene::reader::read;
    }

    /// The scenes that come with the program.
    pub mod shipped {
        pub use swarmarium_scene::scene::shipped::{all, get};
    }

    /// Scenes as text.
    pub mod writer {
        pub use swarmarium_scene::scene::writer::{Style, write};
    }
}

/// The family of sensors, and its kinds.
pub mod sensor {
    pub use swarmarium_core::sensor::infrared::{Infrared, Reads, Response as InfraredResponse};
    pub use swarmarium_core::sensor::range_limits::{Nothing, RangeLimits};
    pub use swarmarium_core::sensor::{
        AddSensor, ComponentSettings, Cone, Gauge, Mark, Own, RadioSensor, Sensor, SensorFamily, Viewpoint,
    };
    pub use swarmarium_kinds::sensor::accelerometer::Accelerometer;
    pub use swarmarium_kinds::sensor::attitude::Attitude;
    pub use swarmarium_kinds::sensor::battery::Battery;
    pub use swarmarium_kinds::sensor::binary_fov::BinaryFov;
    pub use swarmarium_kinds::sensor::clock::Clock;
    pub use swarmarium_kinds::sensor::collision::Collision;
    pub use swarmarium_kinds::sensor::color_camera::ColorCamera;
    pub use swarmarium_kinds::sensor::compass::Compass;
    pub use swarmarium_kinds::sensor::constant::Constant;
    pub use swarmarium_kinds::sensor::encoders::{Counts, Encoders};
    pub use swarmarium_kinds::sensor::external::External;
    pub use swarmarium_kinds::sensor::field_sensor::FieldSensor;
    pub use swarmarium_kinds::sensor::gps::{Gps, Level as GpsLevel};
    pub use swarmarium_kinds::sensor::ground_sensor::{GroundReading, GroundSensor};
    pub use swarmarium_kinds::sensor::gyroscope::Gyroscope;
    pub use swarmarium_kinds::sensor::imu::Imu;
    pub use swarmarium_kinds::sensor::in_region::InRegion;
    pub use swarmarium_kinds::sensor::laser_scanner::LaserScanner;
    pub use swarmarium_kinds::sensor::light_sensor::{DirectionResponse, DistanceLaw, LightReading, LightSensor};
    pub use swarmarium_kinds::sensor::line_of_sight::LineOfSight;
    pub use swarmarium_kinds::sensor::motion_odometry::{Level as OdometryLevel, MotionOdometry};
    pub use swarmarium_kinds::sensor::mount::Mount;
    pub use swarmarium_kinds::sensor::neighbours::Neighbours;
    pub use swarmarium_kinds::sensor::odometry::Odometry;
    pub use swarmarium_kinds::sensor::overlap::Overlap;
    pub use swarmarium_kinds::sensor::point_probe::PointProbe;
    pub use swarmarium_kinds::sensor::pose::Pose;
    pub use swarmarium_kinds::sensor::proximity::{Proximity, Response as ProximityResponse};
    pub use swarmarium_kinds::sensor::range_and_bearing::RangeAndBearing;
    pub use swarmarium_kinds::sensor::sight::Sight;
    pub use swarmarium_kinds::sensor::targeter::{Choice, Hold, Quantity, Targeter};
    pub use swarmarium_kinds::sensor::thermometer::Thermometer;
    pub use swarmarium_kinds::sensor::velocity::Velocity;
    pub use swarmarium_kinds::sensor::zone::Zone;
}

/// Services of sensors, actuators and controllers for external programs.
pub mod service {
    pub use swarmarium_core::service::{
        About, Fields, Link, Note, Parameter, Property, Service, ServiceError, Tasks, Value, ValueError,
    };
}

/// The simulation, its recipe, and read access for hosts.
pub mod simulation {
    pub use swarmarium_formats::standard::{FromScene, Standard};
    pub use swarmarium_simulation::column::{Column, ColumnContent};
    pub use swarmarium_simulation::read_view::ReadView;
    pub use swarmarium_simulation::simulation::{LastStep, Placed, Recipe, Simulation, UnknownAgent};
}

/// Geometry: the arena, bodies, objects, and queries about them.
pub mod space {
    pub use swarmarium_space::arena::Arena;
    pub use swarmarium_space::color::FloorGrid;
    pub use swarmarium_space::{
        Bodies, Boundary, Collides, FieldSettings, FieldSource, Form, Hit, Index, InfraredModel, Neighbour, Sector,
        Space, Target, Thing, ThingKind,
    };
}

/// The family of spawners, and its kinds.
pub mod spawner {
    pub use swarmarium_core::spawner::area::Area;
    pub use swarmarium_core::spawner::point::Point;
    pub use swarmarium_core::spawner::table::{Table, TableRow, TraceMoment};
    pub use swarmarium_core::spawner::{AddSpawner, Facing, IfFull, Place, Spawner, SpawnerFamily, Spawning};
    pub use swarmarium_kinds::spawner::annulus::Annulus;
    pub use swarmarium_kinds::spawner::gaussian::Gaussian;
    pub use swarmarium_kinds::spawner::grid::Grid;
    pub use swarmarium_kinds::spawner::polygon::Polygon;
    pub use swarmarium_kinds::spawner::ring::Ring;
    pub use swarmarium_kinds::spawner::scattered::Scattered;
    pub use swarmarium_kinds::spawner::uniform_box::UniformBox;
    pub use swarmarium_kinds::spawner::uniform_disc::{UniformBy, UniformDisc};
    pub use swarmarium_kinds::spawner::uniform_square::UniformSquare;
}

/// State, its hash and its snapshots.
pub mod state {
    pub use swarmarium_core::state::{ForeignSnapshot, Memory, NoMemory, RegisterState, Snapshot, StateHash};
}

/// The step: its sets, for systems of plugins, and its plan.
pub mod step {
    pub use swarmarium_core::step::plan::lines::PlanLine;
    pub use swarmarium_core::step::{AfterKind, Phase, SimStep, Step, Workers, after_kind};
}

/// Sweeps: runs of a scene over parameters and seeds, and their statistics.
pub mod sweep {
    pub use swarmarium_sweep::{Folder, PlanText, Shard, Sweep};

    /// Plans.
    pub mod resolved {
        pub use swarmarium_sweep::resolved::read;
    }

    /// Tables, figures and the report.
    pub mod report {
        pub use swarmarium_sweep::report::{Conclusion, conclude};
    }

    /// Statistics, each with its source.
    pub mod stats {
        pub use swarmarium_sweep::stats::{
            Interval, mann_whitney, mean, mean_interval, quantile, std_dev, vargha_delaney, wilcoxon_signed_rank,
            wilson_interval,
        };
    }

    /// Work on the runs of a plan.
    pub mod work {
        pub use swarmarium_sweep::work::{Host, cores, work};
    }
}

/// Simulated time.
pub mod time {
    pub use swarmarium_core::time::SimTime;
}

/// The past of a simulation: branches, keyframes, bookmarks.
pub mod timeline {
    pub use swarmarium_host::timeline::{Bookmark, Branch, BranchId, Moment, Timeline, TimelineError};
}

/// Pictures as files, and the recorder.
#[cfg(feature = "video")]
pub mod video {
    pub use swarmarium_video::{Encoder, Rate, Recorder, Recording, Shot, Spec, Style};

    /// Files of videos by their extension.
    pub mod encoder {
        pub use swarmarium_video::encoder::create;
    }

    /// Still pictures.
    pub mod png {
        pub use swarmarium_video::png::of_picture;
    }
}
