//! Definitions of robots, sensors and models that stand in for Stage's own files where a world lacks them.

/// The definitions, as a worldfile.
///
/// Sources: Pioneer 2/3 operations manuals and data sheets (sizes, directions and places of the sonars, 5 m), data sheets of
/// AmigoBot (0.33 m by 0.28 m), iRobot Create (diameter 0.34 m), SICK LMS 200 (180°, 1°, 8 m in millimetres) and Hokuyo
/// URG-04LX (240°, 0.36°, 4 m).
pub const TEXT: &str = r#"
define floorplan model ( color "gray30" boundary 1 )
define map floorplan ()
define zone model ( color "orange" size [4 4 0.01] obstacle_return 0 ranger_return -1 )
define puck model ( size [0.08 0.08 0.1] color "red" gripper_return 1 )

define p2dxsonar sensor ( range [0 5] fov 15 samples 1 )
define p2dx_sonar_front ranger
(
  p2dxsonar( pose [0.069 0.136 0 90] )
  p2dxsonar( pose [0.114 0.119 0 50] )
  p2dxsonar( pose [0.148 0.078 0 30] )
  p2dxsonar( pose [0.166 0.027 0 10] )
  p2dxsonar( pose [0.166 -0.027 0 -10] )
  p2dxsonar( pose [0.148 -0.078 0 -30] )
  p2dxsonar( pose [0.114 -0.119 0 -50] )
  p2dxsonar( pose [0.069 -0.136 0 -90] )
)
define p2dx_sonar p2dx_sonar_front
(
  p2dxsonar( pose [-0.157 -0.136 0 -90] )
  p2dxsonar( pose [-0.203 -0.119 0 -130] )
  p2dxsonar( pose [-0.237 -0.078 0 -150] )
  p2dxsonar( pose [-0.255 -0.027 0 -170] )
  p2dxsonar( pose [-0.255 0.027 0 170] )
  p2dxsonar( pose [-0.237 0.078 0 150] )
  p2dxsonar( pose [-0.203 0.119 0 130] )
  p2dxsonar( pose [-0.157 0.136 0 90] )
)
define p3dx_sonar p2dx_sonar ()
define pioneer_base position ( color "red" drive "diff" velocity_bounds [-0.5 0.5 0 0 0 0 -90 90] )
define pioneer2dx_base_no_sonar pioneer_base ( size [0.44 0.38 0.22] origin [-0.04 0 0 0] )
define pioneer2dx_base pioneer2dx_base_no_sonar ( p2dx_sonar() )
define pioneer2dx pioneer2dx_base ()
define pioneer2dx_no_sonar pioneer2dx_base_no_sonar ()
define pioneer2dx_front_sonar pioneer2dx_base_no_sonar ( p2dx_sonar_front() )
define fancypioneer2dx pioneer2dx ()
define pioneer3dx pioneer_base ( size [0.455 0.381 0.237] origin [-0.04 0 0 0] p3dx_sonar() )
define pioneer3at pioneer_base ( size [0.508 0.497 0.277] p3dx_sonar() )
define amigobot position ( size [0.33 0.28 0.15] p2dx_sonar_front() )
define roomba position
(
  size [0.34 0.34 0.1]
  color "gray50"
  block
  (
    points 16
    point[0] [1000 0] point[1] [924 383] point[2] [707 707] point[3] [383 924]
    point[4] [0 1000] point[5] [-383 924] point[6] [-707 707] point[7] [-924 383]
    point[8] [-1000 0] point[9] [-924 -383] point[10] [-707 -707] point[11] [-383 -924]
    point[12] [0 -1000] point[13] [383 -924] point[14] [707 -707] point[15] [924 -383]
  )
)
define create roomba ( color "gray90" )

define sicksensor sensor ( range [0 8] fov 180 samples 181 )
define sicklaser ranger ( size [0.156 0.155 0.21] color "blue" sicksensor() )
define fancysicklaser sicklaser ()
define hokuyolaser ranger
(
  size [0.05 0.05 0.07]
  color "blue"
  sensor( range [0.02 4] fov 240 samples 683 )
)
define hokuyo hokuyolaser ()
define urglaser hokuyolaser ()
"#;
