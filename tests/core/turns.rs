//! Programs that act in the turns of agents.

use swarmarium::prelude::*;
use swarmarium_base::problem::Problem;
use swarmarium_host::clock::Host;
use swarmarium_simulation::edit::Turns;
use swarmarium_simulation::read_view::ReadView;

use crate::support::scene_of;

/// Each robot drives as fast as the robot with the next number is away, and writes into its sensor how far that is. It
/// fails at a step.
struct Follow(u64);

impl Turns for Follow {
    fn decide(&mut self, now: ReadView, agent: u32) -> Result<Option<Edit>, Problem> {
        if now.time().step == self.0 && agent == 1 {
            return Err(Problem::of_file("lost"));
        }
        let way = way(now, agent);
        Ok(Some(Edit::Command { form: CommandForm::Drive, agents: vec![agent], values: vec![way.length(), way.x] }))
    }

    fn sense(&mut self, now: ReadView, agent: u32, slot: usize) -> Result<Option<Edit>, Problem> {
        assert_eq!(slot, 0);
        let component = if agent == 0 { "led.gap".into() } else { format!("led_{agent:03}.gap") };
        let arguments = vec![way(now, agent).length().into()];
        Ok(Some(Edit::Call { component, service: "write".into(), arguments }))
    }
}

/// The way from an agent to the next one, as of now.
fn way(now: ReadView, agent: u32) -> DVec2 {
    let positions = now.space().bodies.positions();
    positions[(agent as usize + 1) % positions.len()] - positions[agent as usize]
}

/// Moves its agent, which programs must not do.
struct Moves;

impl Turns for Moves {
    fn decide(&mut self, _: ReadView, agent: u32) -> Result<Option<Edit>, Problem> {
        Ok(Some(Edit::Move { agent, x_m: 0.0, y_m: 0.0, heading_rad: 0.0 }))
    }

    fn sense(&mut self, _: ReadView, _: u32, _: usize) -> Result<Option<Edit>, Problem> {
        Ok(None)
    }
}

fn scene() -> Scene {
    let text = r#"(
        order: Sequential,
        groups: [(
            name: "led",
            at: [(1.0, 1.0, 1.0), (3.0, 2.0, 3.0), (2.0, 4.0, 2.0)],
            sensors: [External(name: "gap", links: [Services()])],
            controller: External(),
        )],
    )"#;
    scene_of(text)
}

#[test]
fn turns_see_earlier_turns_and_their_log_replays_without_the_program() {
    let scene = scene();
    let mut host = Host::new(&scene, &Recipe::standard(), 1).unwrap();
    let start: Vec<DVec2> = host.simulation().agents().map(|agent| agent.pose.position_m).collect();
    for _ in 0..20 {
        host.step_in_turns(Box::new(Follow(0))).unwrap();
    }
    let mut replayed = Simulation::new(&scene).unwrap();
    for step in 1..=20 {
        let due = host.simulation().edits().iter().filter(|logged| logged.step == step);
        // One entry for the commands, and one for each reading.
        assert_eq!(due.clone().count(), 4);
        due.for_each(|logged| replayed.replay(logged.clone()).unwrap());
        replayed.step(1);
    }
    assert_eq!(replayed.hash(), host.simulation().hash());
    let readings: Vec<f64> =
        replayed.agents().flat_map(|agent| agent.readings().collect::<Vec<_>>().concat()).collect();
    assert!(readings.iter().all(|reading| *reading > 0.0), "{readings:?}");
    let Edit::Command { values, .. } = &replayed.edits()[0].edit else { panic!("{:?}", replayed.edits()[0]) };
    // The first robot saw where the second one began, and the last one where the first one had come.
    assert_eq!(values[0], (start[1] - start[0]).length());
    assert_ne!(values[4], (start[0] - start[2]).length());
}

#[test]
fn a_failed_turn_leaves_the_run_at_the_step_before() {
    let mut host = Host::new(&scene(), &Recipe::standard(), 1).unwrap();
    host.step_in_turns(Box::new(Follow(3))).unwrap();
    host.step_in_turns(Box::new(Follow(3))).unwrap();
    let (hash, edits) = (host.simulation().hash(), host.simulation().edits().to_vec());
    let problem = host.step_in_turns(Box::new(Follow(3))).unwrap_err();
    assert_eq!(problem.message, "lost");
    assert_eq!(host.simulation().steps(), 2);
    assert_eq!(host.simulation().hash(), hash);
    assert_eq!(host.simulation().edits(), edits);
    let problem = host.step_in_turns(Box::new(Moves)).unwrap_err();
    assert!(problem.message.contains("command, call and feed"), "{problem}");
}
