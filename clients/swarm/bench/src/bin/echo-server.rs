//! The minimal echo server: what the fastest server of its kind costs.
//!
//! It prints `ready {json}` when it accepts (servers/CONTRACT.md), and `done {json}` with what it echoed when its
//! standard input closes.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::process::{self, ExitCode};

use clap::{Parser, ValueEnum};
use swarm_bench::connection::RawBytes;
use swarm_bench::server::{listen, serve, Done};
use swarm_bench::websocket::WebSocket;

/// The operating system refused (servers/CONTRACT.md, "Exit codes").
const REFUSED: u8 = 71;

/// Echo what comes, on one thread, until standard input closes
#[derive(Parser)]
struct Arguments {
    /// The address to listen on
    #[arg(default_value = "127.0.0.1")]
    host: IpAddr,
    /// The port to listen on; 0 lets the kernel choose
    #[arg(default_value_t = 0)]
    port: u16,
    /// What is spoken
    #[arg(long, value_enum, default_value_t = Spoken::Websocket)]
    protocol: Spoken,
}

#[derive(Clone, Copy, ValueEnum)]
enum Spoken {
    /// Bytes go back as they come
    Tcp,
    /// Messages go back as they come (RFC 6455)
    Websocket,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let address = SocketAddr::new(arguments.host, arguments.port);
    match run(address, arguments.protocol) {
        Ok(Done { connections, payload_b }) => {
            println!(r#"done {{"connections":{connections},"payload_b":{payload_b}}}"#);
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!(
                "error: echo-server {address}: {error}; see the open sockets with: ss -ltn, the limits with: ulimit -n"
            );
            ExitCode::from(REFUSED)
        }
    }
}

fn run(address: SocketAddr, protocol: Spoken) -> io::Result<Done> {
    let listener = listen(address)?;
    let (port, pid) = (listener.local_addr()?.port(), process::id());
    println!(r#"ready {{"port":{port},"pid":{pid},"processes":[{{"pid":{pid},"role":"worker","index":1}}]}}"#);
    match protocol {
        Spoken::Tcp => serve::<RawBytes>(listener),
        Spoken::Websocket => serve::<WebSocket>(listener),
    }
}
