//! A scripted WebSocket server, a thread a connection, and a small load against it.

#![allow(dead_code)] // each test takes what it needs

use rustls::{ServerConfig, ServerConnection, StreamOwned};
use std::collections::VecDeque;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::Arc;
use std::time::Duration;
use swarm::clock;
use swarm::config::Config;
use swarm::load::Load;
use swarm::tally::Tally;
use swarm::websocket::handshake;

/// Serves each connection with a function of its own thread. Returns the port.
pub fn serve(each: impl Fn(Peer) + Send + Sync + Clone + 'static) -> u16 {
    serve_at("127.0.0.1", each)
}

pub fn serve_at(host: &str, each: impl Fn(Peer) + Send + Sync + Clone + 'static) -> u16 {
    accept(host, move |tcp| {
        each(Peer::of(tcp));
    })
}

/// The same over TLS.
pub fn serve_secured(config: Arc<ServerConfig>, each: impl Fn(Peer) + Send + Sync + Clone + 'static) -> u16 {
    accept("127.0.0.1", move |tcp| {
        let session = ServerConnection::new(config.clone()).unwrap();
        let stream = Box::new(StreamOwned::new(session, tcp.try_clone().unwrap()));
        each(Peer { stream, tcp, input: VecDeque::new() });
    })
}

/// The same, in pieces of few bytes, each a segment of its own.
pub fn serve_dribbling(config: Arc<ServerConfig>, each: impl Fn(Peer) + Send + Sync + Clone + 'static) -> u16 {
    accept("127.0.0.1", move |tcp| {
        tcp.set_nodelay(true).unwrap();
        let session = ServerConnection::new(config.clone()).unwrap();
        let stream = Box::new(StreamOwned::new(session, Dribble(tcp.try_clone().unwrap())));
        each(Peer { stream, tcp, input: VecDeque::new() });
    })
}

/// The same, with close_notify in the segment of a close frame.
pub fn serve_ending(config: Arc<ServerConfig>, each: impl Fn(Peer) + Send + Sync + Clone + 'static) -> u16 {
    accept("127.0.0.1", move |tcp| {
        let session = ServerConnection::new(config.clone()).unwrap();
        let stream = Box::new(Ending(StreamOwned::new(session, tcp.try_clone().unwrap())));
        each(Peer { stream, tcp, input: VecDeque::new() });
    })
}

struct Ending(StreamOwned<ServerConnection, TcpStream>);

impl Read for Ending {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.0.read(buffer)
    }
}

impl Write for Ending {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let StreamOwned { conn, sock } = &mut self.0;
        conn.writer().write_all(bytes)?;
        if bytes[0] == 0x88 {
            conn.send_close_notify();
        }
        let mut segment = Vec::new();
        while conn.wants_write() {
            conn.write_tls(&mut segment)?;
        }
        sock.write_all(&segment)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.0.flush()
    }
}

struct Dribble(TcpStream);

impl Read for Dribble {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.0.read(buffer)
    }
}

impl Write for Dribble {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        std::thread::sleep(Duration::from_micros(20));
        self.0.write(&bytes[..bytes.len().min(7)])
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.0.flush()
    }
}

fn accept(host: &str, each: impl Fn(TcpStream) + Send + Sync + Clone + 'static) -> u16 {
    let listener = TcpListener::bind((host, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for tcp in listener.incoming().map_while(Result::ok) {
            let each = each.clone();
            std::thread::spawn(move || each(tcp));
        }
    });
    port
}

/// What carries a connection's bytes.
pub trait Stream: Read + Write + Send {}
impl<S: Read + Write + Send> Stream for S {}

/// Echoes bytes over TCP, with no WebSocket. Returns the port.
pub fn serve_bytes() -> u16 {
    serve(Peer::echo_bytes)
}

/// A frame of the client, unmasked.
#[derive(Debug, Clone)]
pub struct Frame {
    pub is_compressed: bool,
    pub opcode: u8,
    pub body: Vec<u8>,
}

/// One connection, seen from the server. Whatever fails is its end.
pub struct Peer {
    stream: Box<dyn Stream>,
    tcp: TcpStream,
    input: VecDeque<u8>,
}

impl Peer {
    pub fn of(tcp: TcpStream) -> Self {
        let stream = Box::new(tcp.try_clone().unwrap());
        Self { stream, tcp, input: VecDeque::new() }
    }

    pub fn echo_bytes(mut self) {
        let mut buffer = [0; 65536];
        while let Some(read) = self.stream.read(&mut buffer).ok().filter(|read| *read > 0) {
            self.write(&buffer[..read]);
        }
    }

    fn read_more(&mut self) -> Option<()> {
        let mut buffer = [0; 65536];
        let read = self.stream.read(&mut buffer).ok().filter(|read| *read > 0)?;
        self.input.extend(&buffer[..read]);
        Some(())
    }

    fn take(&mut self, count: usize) -> Option<Vec<u8>> {
        while self.input.len() < count {
            self.read_more()?;
        }
        Some(self.input.drain(..count).collect())
    }

    /// Panics if the client sends anything within this time.
    pub fn expect_silence(&mut self, time: Duration) {
        self.tcp.set_read_timeout(Some(time)).unwrap();
        assert!(self.input.is_empty() && self.read_more().is_none(), "the client sent something");
        self.tcp.set_read_timeout(None).unwrap();
    }

    /// Reads the request.
    pub fn read_head(&mut self) -> Option<String> {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.extend(self.take(1)?);
        }
        String::from_utf8(head).ok()
    }

    fn response(&mut self) -> Vec<u8> {
        let head = self.read_head().unwrap_or_default();
        respond(&head, "")
    }

    /// Answers a request that was read, with further headers, each with its line's end.
    pub fn answer_upgrade(&mut self, head: &str, headers: &str) {
        self.write(&respond(head, headers));
    }

    /// Upgrades with further headers, each with its line's end. Returns the request.
    pub fn upgrade_saying(&mut self, headers: &str) -> String {
        let head = self.read_head().unwrap_or_default();
        self.write(&respond(&head, headers));
        head
    }

    pub fn upgrade(&mut self) {
        self.upgrade_with(b"");
    }

    /// The answer to the upgrade and what follows it, in one segment.
    pub fn upgrade_with(&mut self, bytes: &[u8]) {
        let response = self.response();
        self.write(&[&response[..], bytes].concat());
    }

    pub fn refuse(&mut self, response: &str) {
        self.read_head();
        self.write(response.as_bytes());
        self.wait_for_end();
    }

    /// Returns whether the client took it: it may be gone, which is its own affair.
    pub fn write(&mut self, bytes: &[u8]) -> bool {
        self.stream.write_all(bytes).is_ok()
    }

    /// Writes below TLS.
    pub fn write_below(&mut self, bytes: &[u8]) -> bool {
        self.tcp.write_all(bytes).is_ok()
    }

    /// The next frame. Panics when it is not masked: a client's must be.
    pub fn read_frame(&mut self) -> Option<Frame> {
        let head = self.take(2)?;
        assert!(head[1] & 0x80 != 0, "a client's frame is not masked");
        let length = match head[1] & 0x7f {
            126 => u64::from(u16::from_be_bytes(self.take(2)?.try_into().ok()?)),
            127 => u64::from_be_bytes(self.take(8)?.try_into().ok()?),
            short => u64::from(short),
        };
        let mask = self.take(4)?;
        let masked = self.take(length as usize)?;
        let body = masked.iter().zip(mask.iter().cycle()).map(|(byte, key)| byte ^ key).collect();
        Some(Frame { is_compressed: head[0] & 0x40 != 0, opcode: head[0] & 0x0f, body })
    }

    /// Has the client ended TCP by then?
    pub fn is_ended_within(&mut self, patience: Duration) -> bool {
        self.tcp.set_read_timeout(Some(patience)).unwrap();
        match self.stream.read(&mut [0; 1]) {
            Ok(read) => read == 0,
            Err(error) => !matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut), // a reset
        }
    }

    /// No more from here, though it goes on reading.
    pub fn end_writing(&mut self) {
        self.tcp.shutdown(std::net::Shutdown::Write).unwrap();
    }

    /// Ends TCP by a reset.
    pub fn reset(self) {
        socket2::SockRef::from(&self.tcp).set_linger(Some(Duration::ZERO)).unwrap();
    }

    pub fn wait_for_end(&mut self) {
        while self.read_more().is_some() {
            self.input.clear();
        }
    }
}

/// The answer to a request, with further headers.
fn respond(request: &str, headers: &str) -> Vec<u8> {
    let key = request.lines().find_map(|line| line.strip_prefix("Sec-WebSocket-Key: ")).unwrap_or_default();
    let accept = handshake::accept(key);
    format!("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {accept}\r\n{headers}\r\n").into()
}

/// An echo server that does so in its own way.
#[derive(Clone, Copy, Default)]
pub struct Echo {
    /// 0: all at once
    pub bytes_a_write: usize,
    /// 0: no fragments
    pub fragment_b: usize,
    /// a ping after each fragment, which must be answered with the same bytes
    pub pings: bool,
    pub flips_type: bool,
    pub slow_upgrade: bool,
    /// before it reads anything
    pub pause_ms: u64,
}

pub fn echo(peer: Peer) {
    Echo::default().serve(peer);
}

impl Echo {
    pub fn serve(self, mut peer: Peer) {
        let response = peer.response();
        for part in response.chunks(if self.slow_upgrade { 1 } else { response.len() }) {
            peer.write(part);
            if self.slow_upgrade {
                std::thread::sleep(Duration::from_micros(200));
            }
        }
        std::thread::sleep(Duration::from_millis(self.pause_ms));
        self.serve_open(peer);
    }

    pub fn serve_open(self, mut peer: Peer) {
        self.serve_open_to_close(&mut peer);
    }

    pub fn serve_open_to_close(self, peer: &mut Peer) {
        let mut pings_out = 0;
        while let Some(frame) = peer.read_frame() {
            match frame.opcode {
                8 => return,
                10 => {
                    assert_eq!(frame.body, b"are you there");
                    pings_out -= 1;
                }
                opcode => {
                    let (bytes, pings) = self.answer(opcode, &frame.body);
                    pings_out += pings;
                    assert!(pings_out < 1000, "pings are not answered");
                    let step = if self.bytes_a_write == 0 { bytes.len() } else { self.bytes_a_write };
                    bytes.chunks(step).all(|part| peer.write(part));
                }
            }
        }
    }

    fn answer(self, opcode: u8, body: &[u8]) -> (Vec<u8>, i32) {
        let opcode = if self.flips_type { 3 - opcode } else { opcode };
        if self.fragment_b == 0 {
            return (frame(0x80 | opcode, body), 0);
        }
        let count = body.chunks(self.fragment_b).count();
        let mut bytes = Vec::new();
        for (at, part) in body.chunks(self.fragment_b).enumerate() {
            let last = if at + 1 == count { 0x80 } else { 0 };
            bytes.extend(frame(last | if at == 0 { opcode } else { 0 }, part));
            if self.pings {
                bytes.extend(frame(0x89, b"are you there"));
            }
        }
        (bytes, if self.pings { count as i32 } else { 0 })
    }
}

/// A frame as a server sends it, with its first byte.
pub fn frame(first: u8, body: &[u8]) -> Vec<u8> {
    let mut bytes = vec![first];
    match body.len() {
        length @ 0..=125 => bytes.push(length as u8),
        length @ 126..=65535 => {
            bytes.push(126);
            bytes.extend((length as u16).to_be_bytes());
        }
        length => {
            bytes.push(127);
            bytes.extend((length as u64).to_be_bytes());
        }
    }
    bytes.extend(body);
    bytes
}

/// What came of a load.
pub struct Run {
    pub tally: Tally,
}

impl Run {
    pub fn missing(&self) -> u64 {
        self.tally.window.sent - self.tally.window.received
    }

    pub fn drops(&self) -> u64 {
        self.tally.connections.dropped_local + self.tally.connections.dropped_remote
    }

    pub fn errors(&self) -> String {
        format!("{:?}", self.tally.errors)
    }

    pub fn violations(&self) -> u64 {
        self.tally
            .errors
            .iter()
            .filter(|(reason, _)| reason.contains("broke the protocol"))
            .map(|(_, count)| count)
            .sum()
    }

    pub fn total_unasked(&self) -> u64 {
        self.tally.early.unasked + self.tally.window.unasked
    }

    pub fn total_wrong(&self) -> u64 {
        self.tally.early.wrong + self.tally.window.wrong
    }
}

/// One connection, a message each 100 ms for a second.
pub fn load(port: u16) -> Config {
    serde_json::from_value(serde_json::json!({
        "url": format!("ws://127.0.0.1:{port}"), "behaviour": "echo", "processes": 1, "connections": 1, "connect_rate_hz": 1000.0,
        "warmup_s": 0, "ramp_s": 0, "settle_s": 0, "hold_s": 1, "arrivals": {"kind": "constant", "period_ms": 100.0},
        "payload": {"type": "text", "bytes": 20}, "seed": 1, "late_ms": 10, "drain_s": 0.5
    }))
    .unwrap()
}

pub fn run(port: u16) -> Run {
    run_with(port, |_| {})
}

/// Between the start and the first connection.
const LEAD_NS: u64 = 20_000_000;

/// Runs that load, changed.
pub fn run_with(port: u16, change: impl FnOnce(&mut Config)) -> Run {
    let (tally, _) = swarm::worker::run(&make_load(port, change), 0).unwrap();
    Run { tally }
}

/// Runs it for as long as so many answers take, however long that is, and waits for those that are still out.
pub fn run_until_answered(answers: u64, port: u16, change: impl FnOnce(&mut Config)) -> Run {
    const FOR_EVER_S: f64 = 3600.0;
    let load = make_load(port, |config| {
        (config.hold_s, config.drain_s) = (FOR_EVER_S, FOR_EVER_S);
        change(config);
    });
    run_while(&load, || load.live[0].received.load(Relaxed) < answers)
}

/// Runs it for as long as something holds.
pub fn run_while(load: &Load, holds: impl Fn() -> bool + Sync) -> Run {
    let stop_in_time = || {
        while holds() {
            std::thread::sleep(Duration::from_millis(5));
        }
        load.stop.store(true, Relaxed);
    };
    let (tally, _) = std::thread::scope(|scope| {
        scope.spawn(stop_in_time);
        swarm::worker::run(load, 0).unwrap()
    });
    Run { tally }
}

pub fn make_load(port: u16, change: impl FnOnce(&mut Config)) -> Load {
    let mut config = load(port);
    change(&mut config);
    assert_eq!(config.problems(), Vec::<String>::new());
    Load::new(config, 0, clock::now_ns() + LEAD_NS).unwrap()
}
