//! The sections of kinds in the catalogue, and everyday words by which the search finds them.

/// The section and the words of a kind: family, kind, section, words in lower case.
type KindWords = (&'static str, &'static str, &'static str, &'static [&'static str]);

/// The sections and words of the kinds of the program.
const WORDS: &[KindWords] = &[
    // Sensors.
    ("sensor", "BinaryFov", "Robots", &["see", "camera", "eye", "field of view", "vision", "look"]),
    ("sensor", "LineOfSight", "Robots", &["see", "ray", "straight ahead", "eye"]),
    ("sensor", "Neighbours", "Robots", &["neighbors", "nearby robots", "who is near", "distance to others"]),
    ("sensor", "Targeter", "Robots", &["target", "tracker", "aim", "find"]),
    ("sensor", "Zone", "Robots", &["neighbors", "nearby robots", "ring", "count others", "crowd"]),
    ("sensor", "Overlap", "Robots", &["touch", "overlap"]),
    ("sensor", "RangeAndBearing", "Robots", &["radio", "rab", "distance and direction", "messages"]),
    ("sensor", "ColorCamera", "Robots", &["camera", "colour", "vision", "blobs", "see leds"]),
    ("sensor", "Infrared", "Distance", &["ir", "distance", "obstacle", "range", "khepera"]),
    ("sensor", "Proximity", "Distance", &["distance", "obstacle", "avoid", "near", "whisker", "bumper"]),
    ("sensor", "LaserScanner", "Distance", &["lidar", "laser", "scan", "distance", "range finder"]),
    ("sensor", "PointProbe", "Distance", &["feeler", "whisker", "point"]),
    ("sensor", "Collision", "Distance", &["bumper", "touch", "contact", "bump", "hit"]),
    ("sensor", "FieldSensor", "Ground and field", &["pheromone", "smell", "chemical", "gradient", "concentration"]),
    ("sensor", "GroundSensor", "Ground and field", &["floor", "line", "colour of the ground", "brightness"]),
    ("sensor", "InRegion", "Ground and field", &["zone", "area", "inside", "nest", "home"]),
    ("sensor", "LightSensor", "Ground and field", &["light", "lamp", "brightness", "sun"]),
    ("sensor", "Thermometer", "Ground and field", &["temperature", "heat", "fire", "warm"]),
    ("sensor", "Gps", "Own state", &["position", "location", "where am i"]),
    ("sensor", "Pose", "Own state", &["position", "heading", "location", "where am i"]),
    ("sensor", "Compass", "Own state", &["north", "heading", "direction"]),
    ("sensor", "Odometry", "Own state", &["wheels", "dead reckoning", "position"]),
    ("sensor", "MotionOdometry", "Own state", &["motion", "dead reckoning", "distance travelled"]),
    ("sensor", "Encoders", "Own state", &["wheels", "ticks", "wheel turns"]),
    ("sensor", "Imu", "Own state", &["inertial", "acceleration", "magnetometer", "turn rate"]),
    ("sensor", "Gyroscope", "Own state", &["turn rate", "yaw", "rotation"]),
    ("sensor", "Accelerometer", "Own state", &["acceleration", "distance travelled"]),
    ("sensor", "Attitude", "Own state", &["tilt", "roll", "pitch"]),
    ("sensor", "Velocity", "Own state", &["speed", "how fast"]),
    ("sensor", "Battery", "Own state", &["energy", "charge", "power"]),
    ("sensor", "Clock", "Own state", &["time", "timer"]),
    ("sensor", "GripSensor", "Own state", &["gripper", "holding", "carry"]),
    ("sensor", "Constant", "Test", &["fixed", "dummy"]),
    ("sensor", "External", "Test", &["program", "python", "client"]),
    // Controllers.
    ("controller", "Constant", "Simple", &["drive", "straight", "circle", "always the same", "stand still"]),
    ("controller", "Velocity", "Simple", &["drive", "move", "constant velocity"]),
    ("controller", "Levy", "Simple", &["wander", "random walk", "explore", "search", "random"]),
    ("controller", "Binary", "Reactive", &["milling", "see or not", "two actions", "if seen"]),
    ("controller", "Bits", "Reactive", &["look-up table", "rules", "detections"]),
    ("controller", "Table", "Reactive", &["look-up table", "rules", "states"]),
    ("controller", "Diffusion", "Reactive", &["avoid", "obstacle avoidance", "disperse", "spread"]),
    ("controller", "Boids", "Swarm", &["flock", "birds", "fish", "reynolds", "school"]),
    ("controller", "Flocking", "Swarm", &["flock", "birds", "olfati-saber"]),
    ("controller", "LennardJones", "Swarm", &["flock", "distance keeping", "pattern", "crystal", "argos"]),
    ("controller", "ZonalModel", "Swarm", &["couzin", "flock", "fish", "school", "attraction", "repulsion"]),
    ("controller", "Swarmalator", "Swarm", &["phase", "synchronise", "oscillator", "pattern"]),
    ("controller", "Oscillator", "Swarm", &["kuramoto", "synchronise", "firefly", "phase", "blink"]),
    ("controller", "Formation", "Radio", &["formation", "shape", "ellipse", "moments"]),
    ("controller", "Gossip", "Radio", &["consensus", "average", "agree", "mean"]),
    ("controller", "Rendezvous", "Radio", &["meet", "gather", "aggregate", "come together"]),
    ("controller", "Supervisor", "Plans", &["state machine", "go to goal", "avoid obstacles", "pysimiam"]),
    ("controller", "Waypoint", "Plans", &["go to", "path", "points", "route", "pid"]),
    ("controller", "Script", "Programs", &["lua", "luau", "code", "program", "write my own"]),
    ("controller", "External", "Programs", &["python", "client", "ros", "program", "reinforcement learning"]),
    ("controller", "Human", "Programs", &["keyboard", "drive myself", "joystick", "remote control"]),
    // Metrics.
    ("metric", "AverageSpeed", "Motion", &["speed", "velocity", "how fast", "mean speed"]),
    ("metric", "AngularMomentum", "Motion", &["rotation", "turning", "milling", "circling"]),
    ("metric", "GroupRotation", "Motion", &["rotation", "turning", "milling", "circling"]),
    ("metric", "MillingOrder", "Motion", &["milling", "circling", "rotation", "vortex"]),
    ("metric", "Polarisation", "Motion", &["alignment", "order", "flock", "polarization", "same direction"]),
    ("metric", "WheelSpeeds", "Motion", &["wheels", "motors"]),
    ("metric", "HeadingError", "Motion", &["heading", "direction", "goal"]),
    ("metric", "StepResponse", "Motion", &["overshoot", "rise time", "settling time", "control"]),
    ("metric", "Collisions", "Contacts", &["crash", "bump", "hit", "touch", "contact", "accident"]),
    ("metric", "TotalCollisions", "Contacts", &["crash", "bump", "hit", "touch", "contact"]),
    ("metric", "Dead", "Contacts", &["died", "failed", "broken", "survivors", "faults"]),
    ("metric", "PushingWork", "Contacts", &["push", "work", "energy", "transport"]),
    ("metric", "Count", "Numbers", &["how many", "number of robots", "population"]),
    ("metric", "ColorShare", "Numbers", &["opinion", "vote", "decision", "leds"]),
    ("metric", "ObjectsInRegion", "Numbers", &["collected", "foraging", "sorted", "items at home"]),
    ("metric", "AgentsAtGoal", "Goals", &["arrived", "reached", "goal", "finish"]),
    ("metric", "PercentageAtGoal", "Goals", &["arrived", "reached", "goal", "finish", "percent"]),
    ("metric", "ArrivalTime", "Goals", &["arrived", "when", "how long", "goal"]),
    ("metric", "GoalDistance", "Goals", &["distance", "far", "goal", "progress"]),
    ("metric", "ObjectDistance", "Goals", &["distance", "far", "transport", "moved"]),
    ("metric", "StepsUntil", "Goals", &["time until", "when", "how long", "success"]),
    ("metric", "Aggregation", "Spread", &["gather", "cluster", "together", "compact"]),
    ("metric", "Centroid", "Spread", &["centre", "center", "middle", "mean position"]),
    ("metric", "ConvexHull", "Spread", &["area", "hull", "size of the swarm"]),
    ("metric", "InverseConvexHull", "Spread", &["area", "hull", "hole"]),
    ("metric", "Coverage", "Spread", &["explored", "visited", "cleaned", "area", "exploration"]),
    ("metric", "DelaunayDiffusion", "Spread", &["even", "triangulation", "dispersion"]),
    ("metric", "DistanceSizeRatio", "Spread", &["distance", "dispersion"]),
    ("metric", "ExplodingDispersion", "Spread", &["dispersion", "spread", "scatter"]),
    ("metric", "InteragentDispersion", "Spread", &["dispersion", "distance between robots", "spread"]),
    ("metric", "NearestNeighbour", "Spread", &["nearest neighbor", "distance", "spacing", "density"]),
    ("metric", "CirclePacking", "Spread", &["smallest distance", "even", "packing"]),
    ("metric", "RadialRange", "Spread", &["radius", "size"]),
    ("metric", "RadialVariance", "Spread", &["variance", "radius", "dispersion"]),
    ("metric", "RandomBoxAggregation", "Spread", &["aggregation", "boxes"]),
    ("metric", "RandomBoxSampling", "Spread", &["even", "boxes", "occupied"]),
    ("metric", "Scatter", "Spread", &["dispersion", "variance", "spread"]),
    ("metric", "Circliness", "Shape", &["circle", "ring", "milling", "round"]),
    ("metric", "CircleFit", "Shape", &["circle", "ring", "radius", "round"]),
    ("metric", "Fatness", "Shape", &["ring", "thickness", "circle"]),
    ("metric", "Fatness2", "Shape", &["ring", "thickness", "circle"]),
    ("metric", "Tangentness", "Shape", &["ring", "tangent", "milling"]),
    ("metric", "Orbit", "Shape", &["circle", "milling", "around a robot"]),
    ("metric", "RoutRin", "Shape", &["ring", "thickness"]),
    ("metric", "FormationError", "Shape", &["formation", "error", "moments"]),
    ("metric", "PersistentHomology", "Shape", &["holes", "pieces", "topology"]),
    ("metric", "AlgebraicConnectivity", "Network", &["connected", "graph", "fiedler", "one group"]),
    ("metric", "LargestComponent", "Network", &["connected", "cluster", "split", "graph", "pieces"]),
    ("metric", "RadioConnectivity", "Network", &["connected", "radio", "communication", "graph"]),
    ("metric", "RadioLinks", "Network", &["radio", "links", "communication"]),
    ("metric", "DeliveryRatio", "Network", &["packets", "loss", "messages", "radio"]),
    ("metric", "PacketAge", "Network", &["delay", "latency", "messages", "radio"]),
    ("metric", "Packets", "Network", &["messages", "sent", "received", "traffic", "radio"]),
    ("metric", "GossipEstimates", "Network", &["consensus", "average", "error"]),
    ("metric", "PhaseOrder", "Network", &["synchronisation", "kuramoto", "oscillators", "sync"]),
    ("metric", "PhaseRounds", "Network", &["synchronisation", "oscillators"]),
    ("metric", "FieldTotal", "Field", &["pheromone", "chemical", "total", "amount"]),
    ("metric", "Formula", "Expressions", &["calculate", "equation", "expression", "my own metric", "ratio"]),
    ("metric", "AllOf", "Expressions", &["condition", "success", "and", "all true"]),
    ("metric", "AnyAgent", "Expressions", &["condition", "any robot", "first robot"]),
    ("metric", "Parameter", "One robot", &["value", "setting", "record a parameter"]),
    ("metric", "Reading", "One robot", &["sensor value", "measurement", "signal"]),
    ("metric", "SensorSignal", "One robot", &["sensor value", "measurement", "detections"]),
    // Objects.
    ("object", "Disc", "Obstacles", &["obstacle", "pillar", "ball", "puck", "circle", "rock", "stone"]),
    ("object", "Polygon", "Obstacles", &["obstacle", "wall", "block", "box", "rectangle", "fence"]),
    ("object", "Drawing", "Obstacles", &["obstacle", "map", "svg", "image", "floor plan", "maze"]),
    ("object", "Goal", "Places", &["target", "destination", "finish", "site"]),
    ("object", "Region", "Places", &["zone", "area", "nest", "home", "site"]),
    ("object", "Light", "Places", &["lamp", "beacon", "sun", "source"]),
    ("object", "Floor", "Floors", &["ground", "carpet", "colour", "checkered", "tiles"]),
    ("object", "FloorPicture", "Floors", &["ground", "image", "line", "picture", "map"]),
    // Spawners.
    ("spawner", "Point", "Exact", &["one place", "position"]),
    ("spawner", "Grid", "Exact", &["rows", "columns", "lattice"]),
    ("spawner", "Ring", "Exact", &["circle", "around"]),
    ("spawner", "Table", "Exact", &["list", "csv", "file", "positions"]),
    ("spawner", "UniformBox", "Random", &["random", "rectangle", "everywhere", "anywhere"]),
    ("spawner", "UniformSquare", "Random", &["random", "rectangle"]),
    ("spawner", "UniformDisc", "Random", &["random", "circle"]),
    ("spawner", "Annulus", "Random", &["random", "ring", "circle"]),
    ("spawner", "Gaussian", "Random", &["random", "normal distribution", "cluster"]),
    ("spawner", "Polygon", "Random", &["random", "area", "shape"]),
    ("spawner", "Scattered", "Random", &["random", "distance", "apart"]),
    // Motion models.
    ("motion", "Unicycle", "Wheels", &["robot", "drive", "simple"]),
    ("motion", "DifferentialDrive", "Wheels", &["wheels", "two wheels", "khepera", "turtlebot"]),
    ("motion", "Ackermann", "Wheels", &["car", "steering", "vehicle", "bicycle"]),
    ("motion", "Holonomic", "Free", &["drone", "omnidirectional", "mecanum", "any direction"]),
    ("motion", "DoubleIntegrator", "Free", &["mass", "acceleration", "inertia"]),
    ("motion", "SelfPropelledPoint", "Free", &["active brownian", "particle", "vicsek", "bacteria"]),
    ("motion", "Kilobot", "Legs", &["vibration", "legs"]),
    ("motion", "Static", "Fixed", &["fixed", "stand still", "beacon", "does not move"]),
    // Actuators.
    ("actuator", "MotionVw", "Driving", &["drive", "wheels", "speed"]),
    ("actuator", "MotionVwDiff", "Driving", &["drive", "wheels", "speed"]),
    ("actuator", "MotionXyw", "Driving", &["drive", "sideways", "omnidirectional"]),
    ("actuator", "Waypoint", "Driving", &["go to", "point", "route"]),
    ("actuator", "Destination", "Driving", &["go to", "fly"]),
    ("actuator", "Orientation", "Driving", &["turn", "heading"]),
    ("actuator", "Teleport", "Driving", &["jump", "place"]),
    ("actuator", "Keyboard", "Driving", &["joystick", "drive myself"]),
    ("actuator", "Gripper", "Acting", &["grab", "hold", "carry", "claw"]),
    ("actuator", "Light", "Acting", &["lamp", "headlight"]),
];

/// Returns the section of a kind and its everyday words; `None` for kinds of other programs.
pub fn of(family: &str, kind: &str) -> Option<(&'static str, &'static [&'static str])> {
    let known = WORDS.iter().find(|(known, name, ..)| (*known, *name) == (family, kind));
    known.map(|(_, _, section, words)| (*section, *words))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use swarmarium_formats::standard::Standard as _;
    use swarmarium_simulation::simulation::Recipe;

    use super::*;

    #[test]
    fn every_kind_has_a_section_and_words() {
        let recipe = Recipe::standard();
        let known: BTreeSet<(&str, &str)> = WORDS.iter().map(|(family, kind, ..)| (*family, *kind)).collect();
        assert_eq!(known.len(), WORDS.len(), "no kind is listed twice");
        let families: BTreeSet<&str> = WORDS.iter().map(|(family, ..)| *family).collect();
        let all = families.iter().flat_map(|family| recipe.kinds().family(family));
        let all: BTreeSet<(&str, &str)> =
            all.map(|kind| (kind.family, kind.name)).filter(|(_, name)| *name != "Gone").collect();
        assert_eq!(all.difference(&known).collect::<Vec<_>>(), Vec::<&(&str, &str)>::new(), "without a line");
        assert_eq!(known.difference(&all).collect::<Vec<_>>(), Vec::<&(&str, &str)>::new(), "no such kind");
        let is_plain = |word: &&str| !word.is_empty() && **word == word.to_lowercase();
        assert!(WORDS.iter().all(|(.., words)| !words.is_empty() && words.iter().all(is_plain)));
    }
}
