//! The packets in the radio of the selected robot.

use bevy_egui::egui::Ui;
use swarmarium_core::radio::{Inbox, Radio, Schedule, Turn};
use swarmarium_lab_state::action::Action;
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::selection;
use swarmarium_scene::agent_view::AgentView;
use swarmarium_simulation::simulation::Simulation;

use crate::inspector::line::{self, Line};
use crate::inspector::{does, listed};

/// Maximum number of listed packets.
const MOST_PACKETS: usize = 100;

/// Draws the section; nothing for a robot without a radio.
pub fn ui(ui: &mut Ui, lab: &Lab, agent: &AgentView, actions: &mut Vec<Action>) {
    let simulation = lab.run.host.simulation();
    let Some((radio, turn, inbox)) = agent.radio() else { return };
    let count = inbox.packets().len();
    let note = format!("{count} packet{}", if count == 1 { "" } else { "s" });
    let about = "When its radio sends, and the newest packet of each sender";
    if line::section(ui, lab.shell.settings.theme, "Radio", &note, about) {
        let sent = format!("Sent {}", turn_text(simulation, radio, turn));
        does::said(ui, &sent, "When the radio last sent a packet, and when it sends the next one");
        packets(ui, lab, agent.id.index(), (radio, inbox), actions);
    }
}

fn turn_text(simulation: &Simulation, radio: &Radio, turn: &Turn) -> String {
    let time = simulation.time();
    let seconds = |steps: u64| steps as f64 * time.dt_s;
    let last = match turn.last_step() {
        Some(step) if step == time.step => "in this step".into(),
        Some(step) => format!("{:.2} s ago", seconds(time.step.saturating_sub(step))),
        None => "none yet".into(),
    };
    match (turn.next_step(), radio.schedule) {
        (Some(step), Schedule::Random { .. }) => {
            format!("{last}, next in {:.2} s", seconds(step.saturating_sub(time.step)))
        }
        (_, Schedule::Periodic { period_s, .. }) => format!("{last}, every {period_s} s"),
        (None, _) => last,
    }
}

fn packets(ui: &mut Ui, lab: &Lab, number: u32, (radio, inbox): (&Radio, &Inbox), actions: &mut Vec<Action>) {
    let simulation = lab.run.host.simulation();
    let time = simulation.time();
    let count = inbox.packets().len();
    if count == 0 {
        ui.weak("It holds no packet");
    }
    for packet in inbox.packets().iter().take(MOST_PACKETS) {
        let age_s = packet.age_steps(time.step) as f64 * time.dt_s;
        let line = Line {
            name: &selection::robot_name(simulation, packet.sender),
            about: "The sender, and the time since it sent the packet",
            value: &format!("{age_s:.2}"),
            unit: "s",
            pin: Some(format!("agents.{number}.packets.{}.age_s", packet.sender)),
            ..Line::default()
        };
        line.ui(ui, lab, actions);
        line::block(ui, &listed(&packet.numbers), "Numbers in the packet");
        if radio.situated {
            let from = listed(&packet.from_m.to_array());
            line::block(ui, &from, "Position of the sender, in metres forward and to the left");
        }
    }
    if count > MOST_PACKETS {
        ui.weak(format!("and {} more", count - MOST_PACKETS));
    }
}
