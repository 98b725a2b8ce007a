use crate::standard::{FromScene as _, Standard as _};
use swarmarium_core::service::{Link, StreamDirection};
use swarmarium_scene::scene::description::{Epoch, Pacing};
use swarmarium_simulation::simulation::Recipe;

use super::*;

fn read(text: &str) -> Imported {
    import_configuration(Recipe::standard().kinds(), "c.py", text, &Options::default())
        .unwrap_or_else(|problems| panic!("{problems}"))
}

fn refused(text: &str) -> String {
    import_configuration(Recipe::standard().kinds(), "c.py", text, &Options::default()).unwrap_err().to_string()
}

const SENSOR: &str = "'morse.middleware.socket_datastream.SocketDatastreamManager', \
                      'morse.middleware.socket_datastream.SocketPublisher'";

#[test]
fn sensors_have_the_links_of_the_configuration() {
    let Imported { scene, warnings, .. } = read(&format!(
        "component_datastream = {{'r.pose': [[{SENSOR}, {{'port': 60007, 'depth': 2}}], ['m.ros.ROS', 'm.ros.pose.PosePublisher', 'OUT', {{}}]]}}\n\
         component_service = {{'r.pose': ['morse.middleware.socket_request_manager.SocketRequestManager', 'm.Yarp']}}\n\
         overlays = {{'m.ros.Ros': {{'r.pose': ['my.Overlay', {{'namespace': 'x'}}]}}}}"
    ));
    let [group] = scene.groups.as_slice() else { panic!("{scene:?}") };
    let links = &group.sensors[0].common().links;
    let note = |name: &str, text: &str| swarmarium_core::service::note::Note { name: name.into(), text: text.into() };
    let expected = [
        Link::Stream {
            via: String::new(),
            class: String::new(),
            way: StreamDirection::Natural,
            port: 60007,
            options: vec![note("depth", "2")],
        },
        Link::Stream {
            via: "m.ros.ROS".into(),
            class: "m.ros.pose.PosePublisher".into(),
            way: StreamDirection::Natural,
            port: 0,
            options: Vec::new(),
        },
        Link::Services { via: String::new() },
        Link::Services { via: "m.Yarp".into() },
        Link::Overlay {
            via: "m.ros.Ros".into(),
            class: "my.Overlay".into(),
            name: String::new(),
            services: Vec::new(),
            options: vec![note("namespace", "'x'")],
        },
    ];
    assert_eq!(group.name.as_str(), "r");
    assert_eq!(links.as_slice(), &expected[..]);
    assert_eq!(group.sensors[0].common().name.as_str(), "pose");
    assert_eq!(group.sensors[0].common().rate_hz, 60.0);
    assert_eq!(scene.time.dt_s, 1.0 / 60.0);
    assert_eq!(scene.time.epoch, Epoch::Unix);
    assert_eq!(scene.time.pacing, Pacing::Internal);
    assert!(warnings.iter().any(|warning| warning.message.contains("`r.pose` is taken for")), "{warnings:?}");
}

#[test]
fn clients_pace_if_the_manager_has_time_sync() {
    let manager = |options: &str| {
        read(&format!("stream_manager = {{'morse.middleware.socket_datastream.SocketDatastreamManager': {options}}}"))
            .scene
            .time
            .pacing
    };
    assert_eq!(manager("{'time_sync': True, 'sync_port': 5000}"), Pacing::External { port: 5000, min_clients: 0 });
    assert_eq!(manager("{'time_sync': True}").sync_port(), Some(6000));
    assert_eq!(manager("{'time_sync': False, 'sync_port': 5000}"), Pacing::Internal);
}

#[test]
fn unknown_dictionaries_are_left_out() {
    let warnings = read("component_service = {}\noverlay = {'a': 1}\nmine = {}\n").warnings;
    let warnings: Vec<String> = warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings[1..],
        ["2:1: unknown name `overlay`: left out; did you mean `overlays`?", "3:1: unknown name `mine`: left out"]
    );
}

#[test]
fn other_texts_are_refused_with_their_places() {
    for (text, expected) in [
        (
            "x = {}",
            "c.py:1:1: unknown name `x`: expected one of component_datastream, component_modifier, component_service, overlays, stream_manager",
        ),
        (
            "",
            "c.py:1:1: there is no configuration: expected component_datastream, component_modifier, component_service, overlays, stream_manager",
        ),
        ("overlays = {}\noverlays = {}", "c.py:2:1: overlays: is assigned twice"),
        ("component_datastream = []", "c.py:1:24: component_datastream: expected a dictionary"),
        (
            "component_datastream = {'a.b': [['m']]}",
            "c.py:1:33: component_datastream['a.b'][0]: expected [manager, class, 'IN' or 'OUT', {arguments}], the direction if need be",
        ),
        (
            "component_service = {'a.b': [1]}",
            "c.py:1:30: component_service['a.b'][0]: expected the class of a manager of requests",
        ),
        ("component_modifier = {'a.b': 'x'}", "c.py:1:30: component_modifier['a.b']: expected a list"),
        ("stream_manager = {'m': 3}", "c.py:1:24: stream_manager['m']: expected a dictionary of arguments"),
    ] {
        assert_eq!(refused(text), expected, "{text}");
    }
}

#[test]
fn early_forms_are_read_with_a_warning() {
    let Imported { scene, warnings, .. } = read(&format!(
        "component_datastream = {{'r.pose': [[{SENSOR}, 'morse/some/path', 'OUT', {{}}]]}}\n\
         component_modifier = {{'r.pose': [['morse.modifiers.pose_noise.MorsePoseNoiseClass', 'noisify', {{}}]]}}"
    ));
    assert_eq!(scene.groups[0].sensors[0].common().links.len(), 1);
    for expected in ["'morse/some/path' is left out", "'noisify' is left out", "MorsePoseNoiseClass"] {
        assert!(warnings.iter().any(|warning| warning.message.contains(expected)), "{expected}: {warnings:?}");
    }
}

#[test]
fn components_within_components_can_be_run() {
    let Imported { scene, .. } = read(&format!("component_datastream = {{'r.arm.pose': [[{SENSOR}, {{}}]]}}"));
    let simulation =
        swarmarium_simulation::simulation::Simulation::new(&scene).unwrap_or_else(|problems| panic!("{problems}"));
    assert!(simulation.components().iter().map(|component| component.name.as_str()).eq(["r.arm.pose"]));
}

#[test]
fn components_without_a_robot_are_kept_for_exports() {
    let text = "component_datastream = {'Empty': [['morse.middleware.ros_datastream.ROSDatastreamManager', \
                'morse.middleware.ros.motion_xyw.TwistReader', 'IN', {'topic': 'human0/motion'}]]}";
    let Imported { scene, warnings, .. } = read(text);
    assert!(scene.groups.is_empty() && scene.metadata[0].text.contains("human0/motion"), "{scene:?}");
    assert!(warnings.iter().any(|warning| warning.message.contains("`Empty` is outside any robot")), "{warnings:?}");
}

#[test]
fn configurations_of_early_versions_are_refused_as_such() {
    let message = refused("\ncomponent_mw = {'OBSimple': [['a', 'b']]}");
    assert!(message.starts_with("c.py:2:1: component_mw: ") && message.contains("MORSE 0.1 to 0.6"), "{message}");
}

#[test]
fn builder_scripts_are_refused_without_python() {
    // Nothing in this process runs scripts.
    let script = "import math\nfrom morse.builder import *\nrobot = ATRV()\n";
    let message =
        import_script(Recipe::standard().kinds(), "c.py", script, &Options::default()).unwrap_err().to_string();
    assert!(
        message.starts_with("c.py:2:1: this is a MORSE builder script") && message.contains("pip install"),
        "{message}"
    );
}
