//! The engines' protocols on top of WebSocket: one small module per dialect, behind one trait.
//!
//! A dialect knows nothing of sockets, frames or time. It says how a session begins, what a message of the server means,
//! and which messages carry an event. The connection does the rest.

pub mod by_name;
mod engine_io;
pub mod event;
mod raw_tcp;
mod socket_io;
mod socketcluster;
mod socketcluster_2014;
pub mod websocket;

use std::borrow::Cow;

/// What a client does with a server (servers/CONTRACT.md, "Behaviours").
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize, serde::Serialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Behaviour {
    /// The server sends the same bytes back, of the same type
    Echo,
    /// The event `ping` is answered by `pong` with the server's count of pings (listings A.1 and A.2 of the thesis)
    #[value(name = "pingpong")]
    #[serde(rename = "pingpong")]
    PingPong,
    /// JSON with a timestamp in whole seconds, both ways (the Go infrastructure's exchange)
    JsonPing,
    /// Nothing is sent but heartbeats
    Idle,
    /// The first connection sends, at --rate and 40 B or more (--size); all receive
    Broadcast,
    /// A service's own messages (`messages`)
    #[value(skip)]
    Own,
}

/// Type of a message's bytes: RFC 6455, section 5.6.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Type {
    Text,
    Binary,
}

/// A whole message from the server. Text is valid UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Incoming<'a> {
    pub kind: Type,
    pub body: &'a [u8],
}

/// A whole message for the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outgoing {
    pub kind: Type,
    pub body: Vec<u8>,
}

impl Outgoing {
    pub fn text(body: impl Into<Vec<u8>>) -> Self {
        Self { kind: Type::Text, body: body.into() }
    }

    pub fn binary(body: impl Into<Vec<u8>>) -> Self {
        Self { kind: Type::Binary, body: body.into() }
    }
}

/// A message of the load in its wire format: made once, sent many times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    pub message: Outgoing,
    /// Offset of the payload in `message.body`, if this message has it. The sender overwrites the payload's first bytes
    /// with a sequence number, in characters that no dialect escapes.
    pub payload_at: Option<usize>,
}

/// The meaning of a message from the server.
#[derive(Debug, PartialEq, Eq)]
pub enum Meaning<'a> {
    /// Internal to the dialect: a heartbeat, a step of a handshake, part of a message
    Housekeeping,
    /// The handshake is complete. Only once per session.
    Up,
    /// An answer to a message of the load, or an unprompted message
    Answer(Answer<'a>),
    /// The server ends the session, as the dialect does it
    Closed(Cow<'static, str>),
    /// Not valid in this dialect; the reason, for people
    Violation(Cow<'static, str>),
}

/// The content of an answer.
#[derive(Debug, PartialEq, Eq)]
pub enum Answer<'a> {
    /// The payload of an `echo` or `broadcast`
    Payload { kind: Type, body: Cow<'a, [u8]> },
    /// The count of a `pong`
    Count(u64),
    /// A `pong` with a timestamp
    Timestamp,
    /// A message that answers nothing
    Unasked,
    /// An answer with the wrong content, such as a `pong` without a count
    Other,
}

/// A dialect's state of one connection. Small, since there are tens of thousands.
#[derive(Clone, Debug, Default)]
pub struct Session {
    /// Period of the client's heartbeat, µs; 0: none
    pub ping_every_us: u64,
    /// Silence after which the client gives the server up, µs; 0: never
    pub silence_max_us: u64,
    /// For the dialect: the step of its handshake
    pub step: u8,
    /// For the dialect: parts of a message still to come (binary attachments of socket.io)
    pub parts_left: u8,
}

/// Converts a server's period to µs. At most 49 days, so that adding it to a time can't overflow.
fn us_of_ms(ms: u64) -> u64 {
    ms.min(u32::MAX.into()) * 1000
}

/// A dialect with one behaviour, shared by all connections of a thread.
pub trait Dialect: Send {
    /// Default path and query of the WebSocket's URL.
    fn target(&self) -> &'static str {
        "/"
    }

    /// Does it run on WebSocket? If not, its messages are the raw bytes of the TCP stream.
    fn is_framed(&self) -> bool {
        true
    }

    /// Is every message a bare payload? Then open connections skip `read`.
    fn is_plain(&self) -> bool {
        false
    }

    /// The WebSocket is open.
    /// `replies`: first messages to send. Returns whether the session is up at once, without a handshake of its own.
    fn open(&self, session: &mut Session, replies: &mut Vec<Outgoing>) -> bool;

    /// Prefix of a service's own messages; `None`: the dialect can't carry them.
    fn before_own(&self) -> Option<&'static str> {
        None
    }

    /// Reads a message. `replies`: messages to send at once (never of the load).
    fn read<'a>(&self, session: &mut Session, message: Incoming<'a>, replies: &mut Vec<Outgoing>) -> Meaning<'a>;

    /// The messages that carry one payload of the load. Socket.io needs two for binary. `PingPong` ignores the payload.
    /// Made once, used by all sessions.
    fn write(&self, kind: Type, payload: &[u8]) -> Vec<Template>;

    /// The heartbeat to send every `Session::ping_every_us`.
    fn ping(&self) -> Option<Outgoing> {
        None
    }

    /// The message to send before the WebSocket is closed.
    fn farewell(&self) -> Option<Outgoing> {
        None
    }

    /// Can it carry binary payloads?
    fn is_binary(&self) -> bool;
}
