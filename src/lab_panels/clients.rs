//! The panel Clients: sockets of the scene, their clients, and a code snippet for each socket.

pub mod snippet;

use bevy_egui::egui::{Button, Grid, RichText, ScrollArea, Ui};
use swarmarium_lab_state::action::{Action, WindowAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::text::grouped;
use swarmarium_lab_state::common::theme;
use swarmarium_lab_state::common::widgets::choose;
use swarmarium_picture::palette::Role;
use swarmarium_remote::{Endpoint, Messages, Remote, Socket};

use crate::clients::snippet::{LANGUAGES, Language, snippet};

/// The field of a scene that opens sockets, as an example.
const SOCKETS_FIELD: &str = "sockets: (services: 4000, streams: 60000, all: 4001),";

/// The time over which message rates are measured, in seconds.
const RATE_SPAN_S: f64 = 1.0;

/// From this width on, in points, the snippet stands beside the table.
const WIDE_PX: f32 = 1000.0;

/// The panel Clients.
#[derive(Default)]
pub struct Panel {
    /// The socket with the shown snippet; `None` for the first one.
    chosen: Option<Endpoint>,
    language: Language,
    rates: Rates,
}

/// Messages per second, updated about once per second.
#[derive(Default)]
struct Rates {
    /// The time of the last count in seconds, with the number of messages of each socket.
    last: Option<(f64, Vec<(Endpoint, Messages)>)>,
    /// Messages per second from and to clients.
    per_s: Vec<(Endpoint, [f64; 2])>,
}

impl Rates {
    fn update(&mut self, now_s: f64, sockets: &[Socket]) {
        let span_s = self.last.as_ref().map(|(then_s, _)| now_s - then_s);
        if span_s.is_some_and(|span_s| span_s < RATE_SPAN_S) {
            return;
        }
        let counts = sockets.iter().map(|socket| (socket.endpoint.clone(), socket.messages)).collect();
        let Some((then_s, before)) = self.last.replace((now_s, counts)) else { return };
        let rate = |socket: &Socket| {
            let before = before.iter().find(|(endpoint, _)| *endpoint == socket.endpoint)?.1;
            let per_s = |now: u64, before: u64| now.saturating_sub(before) as f64 / (now_s - then_s);
            let Messages { received, sent } = socket.messages;
            Some((socket.endpoint.clone(), [per_s(received, before.received), per_s(sent, before.sent)]))
        };
        self.per_s = sockets.iter().filter_map(rate).collect();
    }

    fn of(&self, endpoint: &Endpoint) -> [f64; 2] {
        self.per_s.iter().find(|(known, _)| known == endpoint).map_or([0.0; 2], |(_, per_s)| *per_s)
    }
}

impl Panel {
    /// Draws the panel. Returns the requested actions.
    pub fn ui(&mut self, ui: &mut Ui, lab: &Lab) -> Vec<Action> {
        let mut actions = Vec::new();
        ScrollArea::vertical().id_salt("clients").auto_shrink(false).show(ui, |ui| {
            if let Some(error) = &lab.run.clients.error {
                warning(ui, lab, &format!("The sockets of the scene cannot be opened: {error}"));
            }
            match &lab.run.clients.remote {
                Some(remote) => self.sockets(ui, lab, remote, &mut actions),
                None if lab.run.clients.error.is_none() => without_sockets(ui, &mut actions),
                None => {}
            }
        });
        actions
    }

    fn sockets(&mut self, ui: &mut Ui, lab: &Lab, remote: &Remote, actions: &mut Vec<Action>) {
        let sockets = remote.sockets();
        self.rates.update(ui.input(|input| input.time), &sockets);
        let is_open = |socket: &&Socket| Some(&socket.endpoint) == self.chosen.as_ref();
        let chosen = sockets.iter().find(is_open).or(sockets.first()).cloned();
        let services = remote.services_port();
        // In a wide panel, the snippet stands beside the table.
        if ui.available_width() >= WIDE_PX {
            ui.columns_const(|[left, right]| {
                self.table(left, lab, remote, &sockets, chosen.as_ref());
                if let Some(chosen) = &chosen {
                    self.snippet(right, chosen, services, actions);
                }
            });
        } else {
            self.table(ui, lab, remote, &sockets, chosen.as_ref());
            if let Some(chosen) = &chosen {
                ui.add_space(theme::SMALL_GAP);
                self.snippet(ui, chosen, services, actions);
            }
        }
    }

    fn table(&mut self, ui: &mut Ui, lab: &Lab, remote: &Remote, sockets: &[Socket], chosen: Option<&Socket>) {
        Grid::new("sockets").num_columns(5).striped(true).show(ui, |ui| {
            for (title, hint) in [
                ("Socket", "Click a socket for an example program"),
                ("Address", "The address and port at which it listens"),
                ("Clients", "The number of connected programs"),
                ("Received", "Messages from clients: total and per second"),
                ("Sent", "Messages to clients: total and per second"),
            ] {
                ui.weak(title).on_hover_text(hint);
            }
            ui.end_row();
            for socket in sockets {
                self.row(ui, socket, chosen.is_some_and(|chosen| chosen.endpoint == socket.endpoint));
                ui.end_row();
            }
        });
        match remote.unopened_streams() {
            0 => {}
            1 => drop(ui.weak("1 more stream opens when a client asks for its port (get_stream_port)")),
            more => {
                ui.weak(format!("{more} more streams open when a client asks for their ports (get_stream_port)"));
            }
        }
        if remote.waits_for_clients() {
            ui.weak("The next step waits for clients");
        }
        if remote.token().is_some() {
            ui.weak("Clients must send their token first");
        }
        lab.run.clients.notes.iter().rev().for_each(|note| warning(ui, lab, note));
    }

    fn row(&mut self, ui: &mut Ui, socket: &Socket, is_chosen: bool) {
        let name = name_of(&socket.endpoint);
        let button = ui.add(Button::selectable(is_chosen, name));
        if button.on_hover_text(hint_of(socket)).clicked() {
            self.chosen = Some(socket.endpoint.clone());
        }
        ui.label(theme::number(format!("localhost:{}", socket.port)));
        ui.label(theme::number(format!("{:>7}", socket.clients)));
        let [received, sent] = self.rates.of(&socket.endpoint);
        for (count, per_s) in [(socket.messages.received, received), (socket.messages.sent, sent)] {
            ui.label(theme::number(format!("{:>9} {per_s:>6.1}/s", grouped(count))));
        }
    }

    fn snippet(&mut self, ui: &mut Ui, socket: &Socket, services: Option<u16>, actions: &mut Vec<Action>) {
        let text = snippet(socket, services, self.language);
        ui.horizontal(|ui| {
            choose(ui, &mut self.language, &LANGUAGES);
            if ui.button("Copy").on_hover_text("Copies these lines").clicked() {
                actions.push(Action::Window(WindowAction::Copy(text.clone())));
            }
        });
        ui.label(RichText::new(text.trim_end()).monospace());
    }
}

fn warning(ui: &mut Ui, lab: &Lab, text: &str) {
    ui.label(RichText::new(format!("⚠ {text}")).color(theme::color(lab.shell.settings.theme, Role::Warning)));
}

fn without_sockets(ui: &mut Ui, actions: &mut Vec<Action>) {
    ui.weak("This scene opens no sockets. Add this line to its file to let programs drive robots and read sensors:");
    ui.horizontal_wrapped(|ui| {
        ui.label(RichText::new(SOCKETS_FIELD).monospace());
        if ui.button("Copy").on_hover_text("Copies the line for the scene file").clicked() {
            actions.push(Action::Window(WindowAction::Copy(SOCKETS_FIELD.into())));
        }
    });
}

fn name_of(endpoint: &Endpoint) -> &str {
    match endpoint {
        Endpoint::Services => "Services",
        Endpoint::Stream(name) => name,
        Endpoint::All => "All data",
        Endpoint::Sync => "Tokens for steps",
    }
}

fn hint_of(socket: &Socket) -> &'static str {
    match &socket.endpoint {
        Endpoint::Services => "Requests and replies, one per line",
        Endpoint::Stream(_) if socket.is_command => "Commands for this actuator, one JSON object per line",
        Endpoint::Stream(_) => "Readings of this sensor, one JSON object per line",
        Endpoint::All => "Data of all components, one JSON object per step",
        Endpoint::Sync => "Clients send tokens here to start steps",
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::{TcpListener, TcpStream};
    use std::time::Duration;

    use egui_kittest::kittest::Queryable as _;
    use swarmarium_lab_state::common::layout::Pane;
    use swarmarium_lab_testing::{do_steps, lab_of, lab_on, window};

    #[test]
    fn a_scene_without_sockets_says_how_to_open_some() {
        let mut lab = lab_on("milling");
        lab.shell.settings.layout.show(Pane::Clients);
        let (window, _) = window(lab);
        window.get_by_label_contains("sockets: (services: 4000");
    }

    #[test]
    fn sockets_have_rows_counts_and_snippets() {
        // A port that was free a moment ago, and one that is in use.
        let taken = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = taken.local_addr().unwrap().port();
        let mut lab = lab_of(&format!(r#"(sockets: (services: {port}), groups: [(name: "a")])"#));
        lab.shell.settings.layout.show(Pane::Clients);
        do_steps(&mut lab, 1);
        let (mut window, lab) = window(lab);
        let opened = lab.borrow().run.clients.remote.as_ref().unwrap().services_port().unwrap();
        assert_ne!(opened, port);
        window.get_by_label(&format!("⚠ port {port} is taken: services on port {opened}"));
        let mut client = TcpStream::connect(("127.0.0.1", opened)).unwrap();
        client.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
        client.write_all(b"1 simulation list_robots\n").unwrap();
        while lab.borrow().run.clients.remote.as_ref().unwrap().sockets()[0].messages.sent == 0 {
            lab.borrow_mut().serve();
        }
        let mut reply = [0; 9];
        client.read_exact(&mut reply).unwrap();
        assert_eq!(&reply, b"1 SUCCESS");
        window.run_steps(2);
        let socket = lab.borrow().run.clients.remote.as_ref().unwrap().sockets().remove(0);
        assert_eq!(socket.clients, 1);
        assert_eq!(socket.messages.received, 1);
        assert_eq!(socket.messages.sent, 1);
        window.get_by_label(&format!("localhost:{opened}"));
        window.get_by_label("nc").click();
        window.run_steps(3);
        window.get_by_label(&format!("printf '1 simulation list_robots\\n' | nc -N localhost {opened}"));
        drop(client);
        while lab.borrow().run.clients.remote.as_ref().unwrap().clients() > 0 {
            lab.borrow_mut().serve();
        }
        let socket = lab.borrow().run.clients.remote.as_ref().unwrap().sockets().remove(0);
        assert_eq!(socket.clients, 0);
        assert_eq!(socket.messages.received, 1, "messages of clients that left count");
    }
}
