//! One connection: opens, sends, matches answers, ends, and counts all of it.

mod answers;
mod deflating;
mod end;
mod ending;
mod opening;
mod own;
mod pinging;
mod proxying;
mod racing;
mod reading;
mod returning;
mod schedule;
mod securing;
pub mod shared;
pub mod slowness;
pub mod socket;
mod writing;

use crate::arrivals::Arrivals;
use crate::dialect::Session;
use crate::message::flight::Flight;
use crate::random::Draws;
use crate::tls::Session as TlsSession;
use crate::websocket::deflate::Deflate;
use crate::websocket::reader::Fragments;
use end::End;
use shared::Queued;
use socket2::Socket;
use std::collections::VecDeque;

/// Never, as a time.
pub const NEVER: u64 = u64::MAX;
/// Time for a connection to close before it is cut.
pub const CLOSE_NS: u64 = 1_000_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Not due yet
    Waiting,
    /// Due, waits for its turn to connect
    Queued,
    /// Waits for TCP
    Connecting,
    /// Waits for the proxy
    Proxying,
    /// In the TLS handshake
    Securing,
    /// Waits for the answer to the upgrade
    Upgrading,
    /// In the dialect's handshake
    Greeting,
    /// Waits for a message of the service (`--ready`)
    Joining,
    Open,
    /// Stopped sending, closes when its answers have come
    Retiring,
    /// This side has sent its close
    Closing,
    /// Both sides have sent it. The server should end TCP, so that TIME_WAIT is on its side (RFC 6455, section 7.1.1)
    Parting,
    Gone,
}

impl State {
    /// From connect(2) until the connection is up?
    pub fn is_handshake(self) -> bool {
        matches!(
            self,
            Self::Connecting | Self::Proxying | Self::Securing | Self::Upgrading | Self::Greeting | Self::Joining
        )
    }

    /// Does the next step depend on what the server, or a proxy, sends?
    fn awaits_server(self) -> bool {
        self.is_handshake() || matches!(self, Self::Retiring | Self::Closing | Self::Parting)
    }

    pub fn is_up(self) -> bool {
        matches!(self, Self::Open | Self::Retiring)
    }
}

/// Fields are ordered by frequency of use: those that each message needs come first, in as few cache lines as possible.
/// With thousands of connections every access to a line is a cache miss.
#[repr(C, align(64))]
pub struct Connection {
    pub state: State,
    /// a due message waits for an answer (`max_outstanding`)
    is_held: bool,
    is_lost_remotely: bool,
    /// retired; reopened once it is gone
    is_churned: bool,
    /// gone, and not up again yet
    is_reopening: bool,
    /// index over all processes, from 0
    pub index: u32,
    stream: Option<Socket>,
    heard_ns: u64,
    fragments: Option<Box<Fragments>>,
    backlog: Option<Box<Backlog>>,
    input: Option<Box<Input>>,
    /// when the next message is due
    pub next_ns: u64,
    /// when to check handshake and heartbeat
    pub watch_ns: u64,
    /// the values of these two in the timer wheel
    pub scheduled_ns: [u64; 2],
    flight: Flight,
    /// count in the last pong, or number of the next broadcast
    count: u64,
    /// broadcast: which of the last 64 have come, a bit each from the last one on
    seen: u64,
    session: Session,
    arrivals: Arrivals,
    /// `None` without TLS. `Shared::is_tls` tells that without touching this cache line
    tls: Option<Box<TlsSession>>,
    /// `None` if not agreed on. `Shared::deflates` tells without touching this cache line whether it was offered
    deflate: Option<Box<Deflate>>,
    /// when to connect
    pub due_ns: u64,
    called_ns: u64,
    tcp_ns: u64,
    secured_ns: Option<u64>,
    upgraded_ns: Option<u64>,
    up_ns: u64,
    pinged_ns: u64,
    key: Option<Box<str>>,
    /// messages in earlier sessions; ids continue from here
    earlier: u64,
    /// number of steps of opening (`--on-open`, `--ready`) that are done
    step: usize,
    /// messages due during this handshake: before the window, and in it
    due_in_handshake: [u64; 2],
    /// retired: when to close, whatever is outstanding
    retired_by_ns: u64,
    slowness: Option<Box<Slowness>>,
    pings: Option<Box<Pings>>,
    back: Return,
    /// the race between the server's addresses, until one has answered
    race: Option<Box<Race>>,
    /// index of the server's address in use; other connections may have found a better one
    address: usize,
}

/// The race between several addresses of the server. It exists from the second attempt on.
#[derive(Debug, Default)]
struct Race {
    /// number of failed addresses
    failed: usize,
    /// their errors, as text
    told: String,
    /// the first of them that this host did not cause
    remote: Option<End>,
    /// earlier attempts that are still open
    rivals: Vec<(usize, Socket)>,
}

/// Bytes that the socket has not taken, and the messages in them.
#[derive(Debug, Default)]
struct Backlog {
    bytes: Vec<u8>,
    written: usize,
    queued: VecDeque<Queued>,
    /// number of those messages
    messages: usize,
    /// last ping received since, answered when the backlog is written
    pong: Option<Box<[u8]>>,
    /// number of heartbeat answers among the bytes
    replies: usize,
}

/// Bytes of an incomplete frame or head, and how many are needed before parsing again.
#[derive(Debug)]
struct Input {
    bytes: Vec<u8>,
    wanted_b: usize,
}

/// The allowance of a slow reader.
#[derive(Debug, Default)]
struct Slowness {
    allowed_b: f64,
    counted_ns: u64,
    /// when to read again
    resume_ns: Option<u64>,
    is_due: bool,
}

/// The outstanding pings, and when the next is due.
#[derive(Debug)]
struct Pings {
    next_ns: u64,
    /// number of the last
    number: u64,
    /// when they were due; the last is `number`'s
    due_ns: VecDeque<u64>,
}

/// State for reconnecting, kept from one socket to the next.
struct Return {
    /// when the server dropped it; `NEVER` while it is not away
    lost_ns: u64,
    /// when to try next; `NEVER` while it is not away
    due_ns: u64,
    /// failed attempts since then
    attempts: u32,
    draws: Draws,
}

impl Connection {
    /// `jitter`: random numbers for the delays between reconnection attempts.
    pub fn new(index: u32, due_ns: u64, arrivals: Arrivals, jitter: Draws) -> Self {
        Self {
            state: State::Waiting,
            index,
            due_ns,
            next_ns: due_ns,
            watch_ns: NEVER,
            scheduled_ns: [NEVER; 2],
            is_held: false,
            is_lost_remotely: false,
            is_churned: false,
            is_reopening: false,
            arrivals,
            stream: None,
            tls: None,
            deflate: None,
            called_ns: 0,
            tcp_ns: 0,
            secured_ns: None,
            upgraded_ns: None,
            up_ns: 0,
            heard_ns: 0,
            pinged_ns: 0,
            key: None,
            session: Session::default(),
            flight: Flight::default(),
            count: 0,
            seen: 0,
            earlier: 0,
            step: 0,
            due_in_handshake: [0; 2],
            retired_by_ns: NEVER,
            input: None,
            fragments: None,
            backlog: None,
            slowness: None,
            pings: None,
            back: Return { lost_ns: NEVER, due_ns: NEVER, attempts: 0, draws: jitter },
            race: None,
            address: 0,
        }
    }
}
