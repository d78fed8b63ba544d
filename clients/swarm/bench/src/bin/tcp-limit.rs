//! The machine's limit over raw TCP, over TLS (--tls) or with compression (--deflate): how many messages per second one
//! thread can send and receive. It has no framing and no recording, only one read and one write per wake-up. With
//! --deflate it decompresses and compresses each message.
//!
//! It prints `{"messages":…,"seconds":…,"rate_hz":…,"cpu_s":…,"counted":…}`. `counted` has all messages that came back,
//! the rest is of the window after the warm-up.

use std::io::{self, ErrorKind};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;
use mio::{Events, Interest, Poll, Token};
use rustix::time::{clock_gettime, ClockId};
use swarm_bench::carrier::{self, Carrier};
use swarm_bench::connection::{Connection, Conversation, RawBytes, Shared};
use swarm_bench::deflated::{make_message, Deflated};

/// The operating system refused, or the server went away (servers/CONTRACT.md, "Exit codes").
const REFUSED: u8 = 71;
const EVENTS: usize = 1024;

/// Send bytes to an echo server and send again what comes back, as fast as one thread can
#[derive(Parser)]
struct Arguments {
    /// Where the echo server listens
    #[arg(value_name = "HOST:PORT")]
    address: SocketAddr,
    /// Connections
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    connections: u32,
    /// Messages out on each connection at any time
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    outstanding: u32,
    /// Bytes of a message
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    bytes: u32,
    /// Compress each message, and decompress its answer
    #[arg(long, conflicts_with = "tls")]
    deflate: bool,
    /// Speak TLS, and trust the certificate in this file
    #[arg(long, value_name = "FILE")]
    tls: Option<PathBuf>,
    /// Time before the window, such as 500ms
    #[arg(long, default_value = "500ms", value_parser = humantime::parse_duration)]
    warmup: Duration,
    /// The window
    #[arg(long, default_value = "2s", value_parser = humantime::parse_duration)]
    duration: Duration,
}

/// Counters at one time.
struct Reading {
    at: Instant,
    cpu: Duration,
    payload_b: u64,
}

impl Reading {
    fn take(shared: &Shared) -> Self {
        let cpu = clock_gettime(ClockId::ProcessCPUTime);
        let cpu = Duration::new(cpu.tv_sec.unsigned_abs(), cpu.tv_nsec as u32);
        Reading { at: Instant::now(), cpu, payload_b: shared.payload_b }
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let bytes = arguments.bytes as usize;
    let outcome = match &arguments.tls {
        None if arguments.deflate => run::<Deflated, _>(&arguments, make_message(bytes), carry_as_it_is),
        None => run::<RawBytes, _>(&arguments, &vec![b'x'; bytes], carry_as_it_is),
        Some(file) => {
            carrier::trust(file).map_err(|error| io::Error::other(format!("--tls: {error}"))).and_then(|config| {
                run::<RawBytes, _>(&arguments, &vec![b'x'; bytes], |socket| carrier::call(socket, &config))
            })
        }
    };
    match outcome {
        Ok((begin, end)) => {
            print_window(&begin, &end, arguments.bytes);
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: tcp-limit {}: {error}; is the echo server there?", arguments.address);
            ExitCode::from(REFUSED)
        }
    }
}

fn print_window(begin: &Reading, end: &Reading, bytes: u32) {
    let messages = (end.payload_b - begin.payload_b) / u64::from(bytes);
    let seconds = (end.at - begin.at).as_secs_f64();
    let rate_hz = messages as f64 / seconds;
    let cpu_s = (end.cpu - begin.cpu).as_secs_f64();
    let counted = end.payload_b / u64::from(bytes);
    let window = format!(r#""messages":{messages},"seconds":{seconds:.6},"rate_hz":{rate_hz:.1},"cpu_s":{cpu_s:.6}"#);
    println!(r#"{{{window},"counted":{counted}}}"#);
}

fn carry_as_it_is(socket: TcpStream) -> io::Result<mio::net::TcpStream> {
    socket.set_nonblocking(true)?;
    Ok(mio::net::TcpStream::from_std(socket))
}

/// Runs the load. Returns the readings at both ends of the window.
fn run<C: Conversation, S: Carrier>(
    arguments: &Arguments,
    message: &[u8],
    carry: impl Fn(TcpStream) -> io::Result<S>,
) -> io::Result<(Reading, Reading)> {
    let poll = Poll::new()?;
    let mut connections = connect::<C, S>(arguments, &poll, carry)?;
    let payload = message.repeat(arguments.outstanding as usize);
    for connection in &mut connections {
        connection.send(&payload)?;
    }
    let mut limit = Limit { poll, events: Events::with_capacity(EVENTS), connections, shared: Shared::default() };
    let start = Instant::now();
    let begin = limit.run_until(start + arguments.warmup)?;
    let end = limit.run_until(start + arguments.warmup + arguments.duration)?;
    Ok((begin, end))
}

/// Connects one by one: a flood would overflow the listener's queue and wait a second for the SYN retry.
fn connect<C: Conversation, S: Carrier>(
    arguments: &Arguments,
    poll: &Poll,
    carry: impl Fn(TcpStream) -> io::Result<S>,
) -> io::Result<Vec<Connection<C, S>>> {
    let interest = Interest::READABLE | Interest::WRITABLE;
    let connect_one = |index| {
        let socket = TcpStream::connect(arguments.address)?;
        socket.set_nodelay(true)?;
        let mut connection = Connection::new(carry(socket)?);
        poll.registry().register(connection.carrier.socket(), Token(index), interest)?;
        Ok(connection)
    };
    (0..arguments.connections as usize).map(connect_one).collect()
}

struct Limit<C, S> {
    poll: Poll,
    events: Events,
    connections: Vec<Connection<C, S>>,
    shared: Shared,
}

impl<C: Conversation, S: Carrier> Limit<C, S> {
    fn run_until(&mut self, until: Instant) -> io::Result<Reading> {
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(Reading::take(&self.shared));
            }
            match self.poll.poll(&mut self.events, Some(left)) {
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                polled => polled?,
            }
            for event in &self.events {
                let Token(index) = event.token();
                if !self.connections[index].exchange(&mut self.shared, event.is_read_closed())? {
                    return Err(io::Error::new(ErrorKind::UnexpectedEof, "the server closed a connection"));
                }
            }
        }
    }
}
