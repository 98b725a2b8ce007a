//! Input of clients: arguments of services, and messages that are lost or late.

use proptest::prelude::*;

use super::*;

#[test]
fn bad_arguments_of_services_are_refused_in_the_words_of_morse() {
    let simulation = led(&format!("Waypoint({SERVICES})"));
    let refused = |service: &str, arguments: &[Value]| {
        simulation.ask(actuator(0), service, arguments, &[]).unwrap_err().to_string()
    };
    let cases = [
        (
            refused("goto", &[]),
            "Socket service manager: parameters expected for service goto! goto() missing 3 required positional \
             arguments: 'x', 'y', and 'z'",
        ),
        (
            refused("goto", &numbers(&[1.0])),
            "Socket service manager: wrong # of parameters for service goto. goto() missing 2 required positional \
             arguments: 'y' and 'z'",
        ),
        (
            refused("goto", &numbers(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])),
            "Socket service manager: wrong # of parameters for service goto. goto() takes from 4 to 6 positional \
             arguments but 7 were given",
        ),
        (
            refused("stop", &numbers(&[1.0, 2.0])),
            "Socket service manager: wrong # of parameters for service stop. stop() takes 1 positional argument but 3 \
             were given",
        ),
        (
            refused("goto", &["a".into(), 0.0.into(), 0.0.into()]),
            "Socket service manager: wrong parameter type. goto(): `x`: expected a number, found \"a\"",
        ),
        (refused("fly", &[]), "The request fly has not been registered in Socket service manager"),
        (
            refused("set_property", &["Sped".into(), 1.0.into()]),
            "Property Sped does not exist for object robot.waypoint",
        ),
    ];
    for (found, expected) in cases {
        assert_eq!(found, expected);
    }
}

#[test]
fn command_noise_drops_or_delays_whole_messages() {
    let [lost, late] = ["Dropout(probability: 1.0)", "Delay(readings: 3)"]
        .map(|noise| led(&format!("Teleport(noise: [{noise}], {SERVICES})")));
    for (mut simulation, arrives) in [(lost, false), (late, true)] {
        put(&mut simulation, [1.0, 2.0, 0.5]);
        feed(&mut simulation, 0, &[("x", 7.0), ("y", 8.0)]);
        simulation.step(3);
        assert_at(&simulation, [1.0, 2.0, 0.5], 0.0);
        // One message arrives although no other follows it.
        simulation.step(10);
        assert_eq!(pose(&simulation)[..2] == [7.0, 8.0], arrives);
    }
}

#[test]
fn the_last_message_of_an_actuator_before_its_turn_counts() {
    let mut simulation = led(&format!("MotionVw(noise: [Delay(readings: 60)], {SERVICES})"));
    feed(&mut simulation, 0, &[("v", 5.0)]);
    feed(&mut simulation, 0, &[("v", 1.0)]);
    simulation.step(60);
    assert_at(&simulation, [0.0; 3], 0.0);
    simulation.step(60);
    assert_at(&simulation, [1.0, 0.0, 0.0], 1e-9);
}

#[test]
fn missing_fields_of_a_message_keep_their_values_with_noise() {
    let noise = "noise: [Feet(), PoseNoise(position_std_dev_m: 0.001, rotation_std_dev_rad: 0.0)]";
    let mut simulation = led(&format!("Teleport({noise}, {SERVICES})"));
    put(&mut simulation, [10.0, 20.0, 0.0]);
    feed(&mut simulation, 0, &[("x", 10.0)]);
    simulation.step(1);
    let [x, y, _] = pose(&simulation);
    assert!((x - 3.048).abs() < 0.05, "{x}");
    assert_eq!(y, 20.0, "metres stay metres");
    // North is the y axis there: the x of a message is y here.
    let mut simulation = led(&format!("Teleport(noise: [Ned()], {SERVICES})"));
    put(&mut simulation, [10.0, 20.0, 0.0]);
    feed(&mut simulation, 0, &[("x", 5.0)]);
    simulation.step(1);
    assert_at(&simulation, [10.0, 5.0, 0.0], 1e-12);
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::Int),
        any::<f64>().prop_map(Value::Number),
        "[a-zé\"\\\\]{0,4}".prop_map(Value::Text),
    ];
    leaf.prop_recursive(2, 8, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::List),
            proptest::collection::vec(("[xyzvw]", inner), 0..4).prop_map(Value::Map),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_client_message_keeps_poses_finite(
        sent in proptest::collection::vec((0..6_u16, "x|y|z|v|w|speed|yaw|emit|other", any_value()), 1..12),
    ) {
        let kinds = ["MotionVw", "MotionXyw", "Waypoint", "Orientation", "Teleport", "Light"];
        let actuators = kinds.map(|kind| format!("{kind}({SERVICES})")).join(", ");
        let mut simulation = led(&actuators);
        let services = ["set_speed", "goto", "setdest", "translate", "rotate", "toggle", "set_property", "stop"];
        for (slot, name, value) in sent {
            if let Ok(edit) = simulation.feed(actuator(slot), &vec![(name, value.clone())]) {
                simulation.apply(edit).unwrap();
            }
            for service in services {
                for arguments in [vec![], vec![value.clone(); 2], vec![value.clone(); 3]] {
                    if let Ok(Answer { edit: Some(edit), .. }) = simulation.ask(actuator(slot), service, &arguments, &[]) {
                        simulation.apply(edit).unwrap();
                    }
                }
            }
            simulation.step(1);
            prop_assert!(pose(&simulation).iter().all(|number| number.is_finite()));
        }
    }
}
