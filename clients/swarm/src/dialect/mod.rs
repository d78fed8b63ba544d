//! What engines say on top of WebSocket: one small module a dialect, behind one trait.
//!
//! A dialect knows nothing of sockets, frames or time. It says how a session begins, what a message of the server means,
//! and which messages carry an event; the connection does the rest.

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
    /// What one connection sends, all receive
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

/// A whole message of the server. Text has been checked to be UTF-8.
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

/// A message of the load, as it goes over the wire: made once, sent many times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    pub message: Outgoing,
    /// Where in `message.body` the payload begins, if it is in this message. The sender writes a sequence number over the
    /// payload's first bytes; they are characters that no dialect escapes.
    pub payload_at: Option<usize>,
}

/// What a message of the server means.
#[derive(Debug, PartialEq, Eq)]
pub enum Meaning<'a> {
    /// The dialect's own business: a heartbeat, a part of a handshake, half of a message
    Housekeeping,
    /// The handshake is complete. Only once a session.
    Up,
    /// An answer to a message of the load, or what the server sent of itself
    Answer(Answer<'a>),
    /// The server ends the session in the dialect's own words
    Closed(Cow<'static, str>),
    /// Not this dialect: why, for a person
    Violation(Cow<'static, str>),
}

/// What came back.
#[derive(Debug, PartialEq, Eq)]
pub enum Answer<'a> {
    /// The payload of an `echo` or `broadcast`
    Payload { kind: Type, body: Cow<'a, [u8]> },
    /// The count of a `pong`
    Count(u64),
    /// A `pong` with a timestamp
    Timestamp,
    /// Nothing that anybody asked for
    Unasked,
    /// An answer in form that carries something else than it should, such as a `pong` without a count
    Other,
}

/// What a dialect remembers of a connection. Small, since there are tens of thousands.
#[derive(Clone, Debug, Default)]
pub struct Session {
    /// How often the client must speak first, µs; 0 for never
    pub ping_every_us: u64,
    /// How long the server may be silent before the client gives it up, µs; 0 for ever
    pub silence_max_us: u64,
    /// The dialect's own: how far its handshake is
    pub step: u8,
    /// The dialect's own: parts of a message still to come (binary attachments of socket.io)
    pub parts_left: u8,
}

/// A period that a server named in ms, in µs: no longer than 49 days, so that no time it is added to overflows.
fn us_of_ms(ms: u64) -> u64 {
    ms.min(u32::MAX.into()) * 1000
}

/// One dialect of one behaviour, shared by all connections of a thread.
pub trait Dialect: Send {
    /// Path and query of the WebSocket's URL when the user's has none.
    fn target(&self) -> &'static str {
        "/"
    }

    /// Is there WebSocket below it? Otherwise its messages are the bytes of the TCP stream as they come.
    fn is_framed(&self) -> bool {
        true
    }

    /// Is every message a payload as it is, with nothing to read? Then `read` is called for nothing that counts.
    fn is_plain(&self) -> bool {
        false
    }

    /// The WebSocket is open.
    /// `replies`: what to say first. Returns whether the session is up at once, for want of a handshake of its own.
    fn open(&self, session: &mut Session, replies: &mut Vec<Outgoing>) -> bool;

    /// What stands before a message of a service's own; `None`: there is no place for one.
    fn before_own(&self) -> Option<&'static str> {
        None
    }

    /// A message came. `replies`: what to answer at once (never a message of the load).
    fn read<'a>(&self, session: &mut Session, message: Incoming<'a>, replies: &mut Vec<Outgoing>) -> Meaning<'a>;

    /// The messages that carry one payload of the load (more than one where binary goes apart, as in socket.io). For
    /// `PingPong` the payload is ignored. They are made once and used by all sessions.
    fn write(&self, kind: Type, payload: &[u8]) -> Vec<Template>;

    /// What to say when `Session::ping_every_us` is over.
    fn ping(&self) -> Option<Outgoing> {
        None
    }

    /// What to say before the WebSocket is closed.
    fn farewell(&self) -> Option<Outgoing> {
        None
    }

    /// Can it carry binary payloads?
    fn is_binary(&self) -> bool;
}
