//! What the radio of the selected agent has heard.

use bevy_egui::egui::{CollapsingHeader, Ui};
use swarmarium_core::agent_view::AgentView;
use swarmarium_core::radio::{Inbox, Radio, Schedule, Turn};
use swarmarium_core::simulation::Simulation;

use super::{listed, pin_ui, theme};
use crate::{Action, Lab};

/// The most packets that are listed.
const MOST_PACKETS: usize = 100;

/// Draws it; nothing for an agent without a radio.
pub fn ui(ui: &mut Ui, lab: &Lab, agent: &AgentView, actions: &mut Vec<Action>) {
    let simulation = lab.host.simulation();
    let Some((radio, turn, inbox)) = agent.radio() else { return };
    let shown = CollapsingHeader::new("Radio").id_salt("radio").default_open(true).show(ui, |ui| {
        ui.horizontal_wrapped(|ui| {
            ui.label("Turn").on_hover_text("When its radio sent last, and when it will the next time");
            ui.weak(turn_text(simulation, radio, turn));
        });
        packets(ui, lab, agent.id.index(), (radio, inbox), actions);
    });
    shown.header_response.on_hover_text("The turns of its radio and the newest packet of each sender");
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
    let simulation = lab.host.simulation();
    let time = simulation.time();
    let count = inbox.packets().len();
    if count == 0 {
        ui.weak("It holds no packet");
    }
    for packet in inbox.packets().iter().take(MOST_PACKETS) {
        ui.horizontal(|ui| {
            let sender = simulation.agent(packet.sender).map(|sender| sender.name());
            ui.label(sender.unwrap_or_else(|| format!("agent {}", packet.sender))).on_hover_text("Sender");
            let age_s = packet.age_steps(time.step) as f64 * time.dt_s;
            ui.label(theme::number(format!("{age_s:>6.2}"))).on_hover_text("Seconds since it was sent");
            ui.weak("s");
            pin_ui(ui, lab, format!("agents.{number}.packets.{}.age_s", packet.sender), actions);
        });
        ui.weak(theme::number(listed(&packet.numbers))).on_hover_text("Numbers in the packet");
        if radio.situated {
            let from = theme::number(listed(&packet.from_m.to_array()));
            ui.weak(from).on_hover_text("Where it came from, in metres ahead and to the left");
        }
    }
    if count > MOST_PACKETS {
        ui.weak(format!("and {} more", count - MOST_PACKETS));
    }
}
