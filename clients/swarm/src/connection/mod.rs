//! One connection: it opens, sends, matches its answers, and ends. It counts all of it.

mod answers;
mod ending;
mod opening;
mod reading;
mod returning;
mod schedule;
mod writing;

use crate::arrivals::Arrivals;
use crate::dialect::Session;
use crate::flight::Flight;
use crate::random::Draws;
use crate::websocket::reader::Fragments;
use mio::net::TcpStream;
use reading::Input;
use returning::Return;
use writing::Backlog;

pub use ending::CLOSE_NS;

/// A time that never comes.
pub const NEVER: u64 = u64::MAX;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Not due yet
    Waiting,
    /// Due, and waiting for its turn
    Queued,
    /// TCP has not answered
    Connecting,
    /// The upgrade has not been answered
    Upgrading,
    /// The dialect's own handshake goes on
    Greeting,
    Open,
    /// This side stopped sending, to close as soon as its answers are there
    Retiring,
    /// This side has said that it closes
    Closing,
    Gone,
}

impl State {
    /// Between the call and the dialect's word?
    pub fn is_handshake(self) -> bool {
        matches!(self, Self::Connecting | Self::Upgrading | Self::Greeting)
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
    /// counted from 0 over all processes
    pub index: u32,
    stream: Option<TcpStream>,
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
    /// when to connect
    pub due_ns: u64,
    called_ns: u64,
    tcp_ns: u64,
    upgraded_ns: Option<u64>,
    up_ns: u64,
    pinged_ns: u64,
    key: Option<Box<str>>,
    back: Return,
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
            arrivals,
            stream: None,
            called_ns: 0,
            tcp_ns: 0,
            upgraded_ns: None,
            up_ns: 0,
            heard_ns: 0,
            pinged_ns: 0,
            key: None,
            session: Session::default(),
            flight: Flight::default(),
            count: 0,
            input: None,
            fragments: None,
            backlog: None,
            back: Return::new(jitter),
        }
    }
}
