//! Example programs that use a socket.

use swarmarium_remote::{Endpoint, Socket};

/// The language of an example.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// Python with its standard library.
    #[default]
    Python,
    /// Python with the pymorse client of MORSE.
    Pymorse,
    /// A shell command.
    Netcat,
}

/// The languages, with their names and hints.
pub const LANGUAGES: [(Language, &str, &str); 3] = [
    (Language::Python, "Python", "A program for Python without further packages"),
    (Language::Pymorse, "pymorse", "A program with pymorse, the client of MORSE, from PyPI"),
    (Language::Netcat, "nc", "A shell command"),
];

/// Returns a program that uses a socket. `services` is the port of services, if there is one.
pub fn snippet(socket: &Socket, services: Option<u16>, language: Language) -> String {
    match language {
        Language::Python => python(socket),
        Language::Pymorse => pymorse(socket, services),
        Language::Netcat => netcat(socket),
    }
}

fn python(socket: &Socket) -> String {
    let port = socket.port;
    let head = format!(
        "import json, socket\n\nfile = socket.create_connection((\"localhost\", {port})).makefile(\"rw\", newline=\"\\n\")\n"
    );
    let body = match &socket.endpoint {
        Endpoint::Services => {
            "file.write(\"1 simulation list_robots\\n\")\nfile.flush()\nprint(file.readline())  # 1 SUCCESS [...]\n"
        }
        Endpoint::Stream(_) if socket.is_command => {
            "# The fields are those of the actuator.\nfile.write(json.dumps({\"v\": 0.5, \"w\": 0.3}) + \"\\n\")\n\
             file.flush()\n"
        }
        Endpoint::Stream(_) | Endpoint::All => "for line in file:\n    print(json.loads(line))\n",
        Endpoint::Sync => {
            "for _ in range(100):\n    file.write(\"step\\n\")\n    file.flush()\n    print(file.readline())  # stepped 1 \
             0.05\n"
        }
    };
    head + body
}

fn pymorse(socket: &Socket, services: Option<u16>) -> String {
    let Some(port) = services else {
        return "# pymorse needs the port of services: sockets: (services: 4000, streams: 60000)\n".into();
    };
    let head = format!("import pymorse\n\nwith pymorse.Morse(\"localhost\", {port}) as morse:\n");
    match &socket.endpoint {
        Endpoint::Stream(name) if socket.is_command => {
            head + &format!("    morse.{name}.publish({{\"v\": 0.5, \"w\": 0.3}})  # the fields of the actuator\n")
        }
        Endpoint::Stream(name) => head + &format!("    print(morse.{name}.get())\n"),
        Endpoint::Services | Endpoint::All | Endpoint::Sync => {
            head + "    print(morse.rpc(\"simulation\", \"list_robots\"))\n"
        }
    }
}

fn netcat(socket: &Socket) -> String {
    let port = socket.port;
    match &socket.endpoint {
        Endpoint::Services => format!("printf '1 simulation list_robots\\n' | nc -N localhost {port}\n"),
        Endpoint::Stream(_) if socket.is_command => {
            format!("printf '{{\"v\": 0.5, \"w\": 0.3}}\\n' | nc -N localhost {port}\n")
        }
        Endpoint::Stream(_) | Endpoint::All => format!("nc localhost {port}\n"),
        Endpoint::Sync => format!("printf 'step 20\\n' | nc -N localhost {port}\n"),
    }
}
