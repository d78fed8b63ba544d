//! The minimal echo server: a lower bound for the cost of a server.
//!
//! It prints `ready {json}` when it accepts connections (servers/CONTRACT.md), and `done {json}` with its totals when
//! standard input closes.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::{self, ExitCode};

use clap::{Parser, ValueEnum};
use swarm_bench::carrier;
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
    /// Speak TLS below it, with a certificate that is written to this file
    #[arg(long, value_name = "FILE")]
    tls: Option<PathBuf>,
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
    match run(address, arguments.protocol, arguments.tls.as_deref()) {
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

fn run(address: SocketAddr, protocol: Spoken, tls: Option<&Path>) -> io::Result<Done> {
    let tls = tls.map(|file| carrier::serve_with(address.ip(), file)).transpose();
    let tls = tls.map_err(|error| io::Error::other(format!("--tls: {error}")))?;
    let listener = listen(address)?;
    let (port, pid) = (listener.local_addr()?.port(), process::id());
    println!(r#"ready {{"port":{port},"pid":{pid},"processes":[{{"pid":{pid},"role":"worker","index":1}}]}}"#);
    match (protocol, tls) {
        (Spoken::Tcp, None) => serve::<RawBytes, _>(listener, Ok),
        (Spoken::Websocket, None) => serve::<WebSocket, _>(listener, Ok),
        (Spoken::Tcp, Some(tls)) => serve::<RawBytes, _>(listener, |socket| carrier::accept(socket, &tls)),
        (Spoken::Websocket, Some(tls)) => serve::<WebSocket, _>(listener, |socket| carrier::accept(socket, &tls)),
    }
}
