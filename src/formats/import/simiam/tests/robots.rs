//! Robots with their classes, supervisors and goals.

use swarmarium_core::controller::behaviour::Side;
use swarmarium_core::kind::Slot;
use swarmarium_core::object::ObjectFamily;
use swarmarium_core::object::goal::Goal;
use swarmarium_core::object::region::Area;
use swarmarium_kinds::controller::supervisor::Supervisor;
use swarmarium_scene::scene::description::Group;

use super::*;

#[test]
fn equal_robots_are_one_group_and_others_take_the_palette() {
    let robots = ROBOT.repeat(12);
    let text = format!("<simulation>{robots}</simulation>");
    let (scene, _) = scene_of("w.xml", &text, &Options::default());
    let groups: Vec<_> = scene.groups.iter().map(|group| (group.name.as_str(), group.at.len())).collect();
    assert_eq!(groups[..2], [("khepera3", 1), ("khepera3-2", 1)]);
    assert_eq!(groups.len(), 9);
    assert_eq!(groups[8].1, 4);
    assert_eq!([&scene.groups[0].look.color, &scene.groups[8].look.color], ["#55aaee", "#ffffff"]);
}

/// A world of one robot; options are the text of an attribute, or empty for none.
fn with_classes(robot: &str, supervisor: &str, options: &str) -> String {
    format!("<simulation>{}</simulation>", robot_at(0, robot, supervisor, options))
}

fn robot_at(x: u32, robot: &str, supervisor: &str, options: &str) -> String {
    let options = if options.is_empty() { String::new() } else { format!(" options='{options}'") };
    format!("<robot type='{robot}'><supervisor type='{supervisor}'{options}/><pose x='{x}' y='0' theta='0'/></robot>")
}

#[test]
fn only_the_class_of_a_robot_or_supervisor_counts_and_not_its_module() {
    let of = |robot: &str, supervisor: &str| {
        let (scene, warnings) = scene_of("w.xml", &with_classes(robot, supervisor, ""), &Options::default());
        Simulation::new(&scene).unwrap_or_else(|problems| panic!("{problems}"));
        (scene.about, warnings)
    };
    // As the worlds of the course have them.
    for (robot, supervisor, ours) in [
        ("quickbot.QuickBot", "quickbotdefaultsupervisor.QuickBotDefaultSupervisor", "quickbot-default"),
        ("QuickBot", "week2.QuickBotSupervisor", "quickbot-go-to-angle"),
        ("QuickBot", "week3.QBGTGSupervisor", "quickbot-go-to-goal"),
        ("QuickBot", "week3_solved.QBGTGSupervisorX", "quickbot-go-to-goal"),
        ("QuickBot", "week4.QBAvoidSupervisor", "quickbot-avoid"),
        ("QuickBot", "week5_blending.QBBlendingSupervisor", "quickbot-blending"),
        ("QuickBot", "week5_switching.QBSwitchingSupervisor", "quickbot-switching"),
        ("QuickBot", "week6.QBWallSupervisor", "quickbot-wall"),
        ("QuickBot", "week7.QBFullSupervisor", "quickbot-full"),
        ("QuickBot", "week7_solved.QBFullSupervisor", "quickbot-full"),
        ("Khepera3", "K3FullSupervisor", "k3-full"),
    ] {
        let about = format!("A pySimiam world. Supervisors: {ours}.");
        assert_eq!(of(robot, supervisor), (about, String::new()), "{supervisor}");
    }
    for (robot, supervisor) in
        [("QuickBot", "joystick.QBJoystickSupervisor"), ("qb_realtime.QuickBot", "qb_realtime_pwmtest.PWMTest")]
    {
        assert_eq!(of(robot, supervisor), ("A pySimiam world.".to_owned(), String::new()), "{supervisor}");
    }
    let (about, warnings) = of("mine.QuickBot", "mine.QBFullSupervisor");
    assert_eq!(about, "A pySimiam world. Supervisors: quickbot-full.");
    insta::assert_snapshot!(warnings, @r"
    1:20: robot[0]: `mine.QuickBot` is read as `QuickBot`: only the name of the class counts
    1:53: robot[0].supervisor: `mine.QBFullSupervisor` is read as `week7.QBFullSupervisor`: only the name of the class counts
    ");
}

#[test]
fn the_wall_follower_reads_options_up_to_the_first_missing_one() {
    let read = |options: &str| {
        let text = with_classes("QuickBot", "week6.QBWallSupervisor", options);
        let (scene, warnings) = scene_of("w.xml", &text, &Options::default());
        let supervisor = scene.groups[0].controller.value().downcast_ref::<Supervisor>().unwrap();
        (supervisor.side, supervisor.v_m_per_s, warnings)
    };
    let (side, slow, none) = read("{\"direction\": \"right\"}");
    assert_eq!(side, Side::Right);
    assert_eq!(none.as_str(), "");
    let (side, v_m_per_s, both) = read("{\"velocity\": 0.0625, \"direction\": \"right\"}");
    assert_eq!(side, Side::Right);
    assert_eq!(v_m_per_s, 0.0625);
    assert_eq!(both.as_str(), "");
    let (_, v_m_per_s, late) = read("{\"velocity\": 0.0625}");
    assert_eq!(v_m_per_s, slow);
    assert!(late.contains("`velocity` counts only after `direction`, which is missing: ignored"), "{late}");
}

#[test]
fn the_goals_of_supervisors_are_objects_that_can_be_moved_and_are_written_back() {
    let robots = [
        robot_at(0, "QuickBot", "week7.QBFullSupervisor", "{\"x\": 2.5, \"y\": -1.0}"),
        robot_at(1, "QuickBot", "QuickBotDefaultSupervisor", ""),
        robot_at(2, "QuickBot", "week7.QBFullSupervisor", ""),
        robot_at(3, "QuickBot", "week4.QBAvoidSupervisor", ""),
    ];
    let text =
        format!("<simulation>{}{}</simulation>", robots.concat(), obstacle(&[(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)]));
    let (mut scene, warnings) = scene_of("w.xml", &text, &Options::default());
    assert_eq!(warnings, "");
    let goals = |scene: &Scene| -> Vec<(String, f64, f64)> {
        let goal = |object: &Slot<ObjectFamily>| {
            let center_m = object.value().downcast_ref::<Goal>()?.figure().center_m;
            Some((object.common().name.clone(), center_m.x, center_m.y))
        };
        scene.objects.iter().filter_map(goal).collect()
    };
    assert_eq!(goals(&scene), [("goal".to_owned(), 2.5, -1.0), ("goal-2".to_owned(), 1.0, 1.0)]);
    let supervisor = |group: &Group| group.controller.value().downcast_ref::<Supervisor>().unwrap().clone();
    let named: Vec<String> = scene.groups.iter().map(|group| supervisor(group).goal).collect();
    assert_eq!(named, ["goal", "goal-2", "goal-2", ""], "one that avoids has no goal");
    let simulation = Simulation::new(&scene).unwrap();
    let first = scene.objects[1].value_mut().downcast_mut::<Goal>().unwrap();
    first.area = Area::Disc { center_m: DVec2::new(0.5, 3.0), radius_m: 0.05 };
    assert_ne!(Simulation::new(&scene).unwrap().hash(), simulation.hash());
    let written = crate::export::simiam::export(&Recipe::standard(), &scene).unwrap();
    let (back, warnings) = scene_of("w.xml", &written.text, &Options::default());
    assert_eq!(goals(&back)[0].clone(), ("goal".to_owned(), 0.5, 3.0));
    assert_eq!(warnings.as_str(), "");
}
