//! One connection: it opens, sends, matches its answers, and ends. It counts all of it.

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
use shared::Queued;
use socket2::Socket;
use std::collections::VecDeque;

/// A time that never comes.
pub const NEVER: u64 = u64::MAX;
/// How long a connection may take to close before it is cut.
pub const CLOSE_NS: u64 = 1_000_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Not due yet
    Waiting,
    /// Due, and waiting for its turn
    Queued,
    /// TCP has not answered
    Connecting,
    /// The proxy has not answered
    Proxying,
    /// The handshake of TLS is under way
    Securing,
    /// The upgrade has not been answered
    Upgrading,
    /// The dialect's own handshake goes on
    Greeting,
    /// The service's own word is waited for
    Joining,
    Open,
    /// This side stopped sending, to close as soon as its answers are there
    Retiring,
    /// This side has said that it closes
    Closing,
    /// Both have said it, and the server is to end TCP: TIME_WAIT is then its own (RFC 6455, section 7.1.1)
    Parting,
    Gone,
}

impl State {
    /// Between the call and the dialect's word?
    pub fn is_handshake(self) -> bool {
        matches!(
            self,
            Self::Connecting | Self::Proxying | Self::Securing | Self::Upgrading | Self::Greeting | Self::Joining
        )
    }

    pub fn is_up(self) -> bool {
        matches!(self, Self::Open | Self::Retiring)
    }
}

/// Laid out by how often a field is looked at: what each message needs comes first, in as few cache lines as it can be. With
/// thousands of connections every line is fetched anew.
#[repr(C, align(64))]
pub struct Connection {
    pub state: State,
    /// a message is due and waits for an answer
    is_held: bool,
    is_lost_remotely: bool,
    /// retired, to be opened again when it is gone
    is_churned: bool,
    /// counted from 0 over all processes
    pub index: u32,
    stream: Option<Socket>,
    heard_ns: u64,
    fragments: Option<Box<Fragments>>,
    backlog: Option<Box<Backlog>>,
    input: Option<Box<Input>>,
    /// when the next message is due, and when to look at handshake and heartbeat
    pub next_ns: u64,
    pub watch_ns: u64,
    /// what of the two the timer wheel knows
    pub scheduled_ns: [u64; 2],
    flight: Flight,
    /// the count of the last pong, or the number after the last broadcast
    count: u64,
    session: Session,
    arrivals: Arrivals,
    /// `None` where nothing is secured: `Shared::is_tls` tells without a look at it
    tls: Option<Box<TlsSession>>,
    /// as agreed on; `None` where nothing is compressed: `Shared::deflates` tells without a look at it
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
    /// messages of sessions that are over, by which ids go on
    earlier: u64,
    /// fell due in this handshake, before the window and in it
    due_in_handshake: [u64; 2],
    slowness: Option<Box<Slowness>>,
    pings: Option<Box<Pings>>,
    back: Return,
    /// of the server's addresses, while none has answered
    race: Option<Box<Race>>,
    /// which of the server's addresses it calls, whichever another connection has found meanwhile
    address: usize,
}

/// The addresses that were called for one connection. There is one from the second call on.
#[derive(Debug, Default)]
struct Race {
    /// which failed, and what each said
    failed: usize,
    told: String,
    /// called earlier than the one of `stream`, and not answered yet
    rivals: Vec<(usize, Socket)>,
}

/// Bytes that the socket did not take, and the messages in them.
#[derive(Debug, Default)]
struct Backlog {
    bytes: Vec<u8>,
    written: usize,
    queued: VecDeque<Queued>,
    /// how many those are
    messages: usize,
    /// the last ping that came since, to be answered when the socket takes bytes again
    pong: Option<Box<[u8]>>,
    /// answers to the dialect's heartbeats among the bytes
    replies: usize,
}

/// Bytes that are no whole thing yet, and how many there must be before it is any use to look again.
#[derive(Debug)]
struct Input {
    bytes: Vec<u8>,
    wanted_b: usize,
}

/// What a slow reader may read.
#[derive(Debug, Default)]
struct Slowness {
    allowed_b: f64,
    counted_ns: u64,
    /// when to read again
    resume_ns: Option<u64>,
    is_due: bool,
}

/// The ping that is out, if one is, and when the next is due.
#[derive(Debug)]
struct Pings {
    next_ns: u64,
    sent_ns: Option<u64>,
    number: u64,
}

/// What of a connection outlives its sockets.
struct Return {
    /// when the server dropped it; `NEVER` while it is not away
    lost_ns: u64,
    /// attempts in vain since then
    attempts: u32,
    draws: Draws,
}

impl Connection {
    /// `jitter`: of the times between attempts to come back.
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
            earlier: 0,
            due_in_handshake: [0; 2],
            input: None,
            fragments: None,
            backlog: None,
            slowness: None,
            pings: None,
            back: Return { lost_ns: NEVER, attempts: 0, draws: jitter },
            race: None,
            address: 0,
        }
    }
}
