//! truth-server: a WebSocket echo server with known faults.
//!
//! It injects faults, exact to the message, and prints at its end how often. check-truth.js compares these counts with
//! the report of a load generator.

mod clock;
mod connection;
mod faults;
mod options;
mod server;
mod stall;
mod stop;
mod wire;

use options::Options;
use server::Server;
use std::io::{self, Write};
use std::process::ExitCode;

/// The exit codes of servers/CONTRACT.md.
const EXIT_SETTINGS: u8 = 64;
const EXIT_REFUSED: u8 = 71;

fn main() -> ExitCode {
    let options = match Options::read() {
        Ok(options) => options,
        Err(code) => return code,
    };
    match serve(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!(
                "error: truth-server: {error} on {}:{}; choose another --port or --address",
                options.address, options.port
            );
            ExitCode::from(EXIT_REFUSED)
        }
    }
}

fn serve(options: &Options) -> io::Result<()> {
    let mut server = Server::bind(options)?;
    let stop = stop::watch(server.waker()?)?;
    say(&format!("ready {}", ready(server.port()?)))?;
    server.run(&stop)?;
    say(&serde_json::to_string(server.counts())?)
}

/// The line of servers/CONTRACT.md, so that the harness can wait for it.
fn ready(port: u16) -> serde_json::Value {
    let pid = std::process::id();
    serde_json::json!({
        "engine": "truth-server", "version": env!("CARGO_PKG_VERSION"), "port": port, "pid": pid,
        "processes": [{ "pid": pid, "role": "worker", "index": 1 }],
    })
}

fn say(line: &str) -> io::Result<()> {
    let mut output = io::stdout().lock();
    writeln!(output, "{line}")?;
    output.flush()
}
