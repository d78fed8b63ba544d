//! A packet of Engine.IO is a WebSocket message whose first character is its type.
//!
//! - Version 3: the *client* pings; binary begins with a byte 4; text is UTF-8 encoded twice (see [`encode_twice`]).
//! - Version 4: the *server* pings; binary is just the payload.
//!
//! There is no farewell: both client libraries just close the WebSocket.

use crate::dialect::{us_of_ms, Answer, Incoming, Meaning, Outgoing, Session, Template, Type};
use serde::Deserialize;
use std::borrow::Cow;

/// `Session::step` after the server's handshake; before, it is 0. Protocols on engine.io continue from this number.
pub const OPEN: u8 = 1;

const MESSAGE: u8 = b'4';
const BINARY_MESSAGE: u8 = 4;

/// A packet, for the protocol above.
pub enum Packet<'a> {
    /// The handshake, once per session
    Opened,
    Message(Type, Cow<'a, [u8]>),
    /// Handled here
    Done(Meaning<'a>),
}

/// Times in ms.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Handshake {
    ping_interval: u64,
    ping_timeout: u64,
}

/// Reads a packet and answers heartbeats.
pub fn read<'a>(version: u8, session: &mut Session, message: Incoming<'a>, replies: &mut Vec<Outgoing>) -> Packet<'a> {
    match message.body.split_first() {
        Some((b'0', handshake)) if session.step < OPEN && message.kind == Type::Text => {
            open(version, session, handshake)
        }
        _ if session.step < OPEN => violation("engine.io: a message before the handshake"),
        _ if message.kind == Type::Binary => read_binary(version, message.body),
        Some((&MESSAGE, text)) if version == 3 && !text.is_ascii() => match decode_twice(text) {
            Some(text) => Packet::Message(Type::Text, Cow::Owned(text)),
            None => violation("engine.io 3: text that is not encoded twice"),
        },
        Some((&MESSAGE, text)) => Packet::Message(Type::Text, Cow::Borrowed(text)),
        Some((b'2', _)) => {
            replies.extend((version == 4).then(|| Outgoing::text("3"))); // the client of version 3 ignores it
            Packet::Done(Meaning::Housekeeping)
        }
        Some((b'3' | b'6', _)) => Packet::Done(Meaning::Housekeeping), // pong, noop
        Some((b'1', _)) => Packet::Done(Meaning::Closed("engine.io: close".into())),
        Some((b'0', _)) => violation("engine.io: a second handshake"),
        _ => violation("engine.io: a packet of unknown type"), // including upgrade and base64, which were not requested
    }
}

fn violation(why: &'static str) -> Packet<'static> {
    Packet::Done(Meaning::Violation(why.into()))
}

/// Both client libraries drop a server that is silent for pingInterval + pingTimeout.
fn open(version: u8, session: &mut Session, handshake: &[u8]) -> Packet<'static> {
    let Ok(Handshake { ping_interval, ping_timeout }) = serde_json::from_slice(handshake) else {
        return violation("engine.io: a handshake without pingInterval and pingTimeout");
    };
    session.step = OPEN;
    session.ping_every_us = if version == 3 { us_of_ms(ping_interval) } else { 0 };
    session.silence_max_us = us_of_ms(ping_interval) + us_of_ms(ping_timeout);
    Packet::Opened
}

fn read_binary(version: u8, body: &[u8]) -> Packet<'_> {
    match body.split_first() {
        _ if version == 4 => Packet::Message(Type::Binary, Cow::Borrowed(body)),
        Some((&BINARY_MESSAGE, payload)) => Packet::Message(Type::Binary, Cow::Borrowed(payload)),
        _ => violation("engine.io 3: binary that is no message"),
    }
}

/// Encodes text like engine.io-parser 1.0.6 (version 3): each UTF-8 byte becomes a character, and WebSocket encodes it
/// again. A server of 2014 crashes on text that is encoded once, because its decoder throws.
pub fn encode_twice(text: &[u8]) -> Vec<u8> {
    text.iter().map(|&byte| char::from(byte)).collect::<String>().into_bytes()
}

fn decode_twice(text: &[u8]) -> Option<Vec<u8>> {
    let bytes = std::str::from_utf8(text).ok()?.chars().map(u8::try_from).collect::<Result<Vec<_>, _>>().ok()?;
    std::str::from_utf8(&bytes).is_ok().then_some(bytes)
}

/// Packs a text message of the protocol above.
pub fn pack(version: u8, mut above: Template) -> Template {
    if version == 3 && !above.message.body.is_ascii() {
        above.message.body = encode_twice(&above.message.body);
    }
    above.message.body.insert(0, MESSAGE);
    above.payload_at = above.payload_at.map(|at| at + 1);
    above
}

/// Packs a binary payload.
pub fn pack_binary(version: u8, payload: &[u8]) -> Template {
    let before: &[u8] = if version == 3 { &[BINARY_MESSAGE] } else { &[] };
    Template { message: Outgoing::binary([before, payload].concat()), payload_at: Some(before.len()) }
}

/// Calls `read` on a message of the protocol above, and copies the answer if the message had to be decoded.
pub fn read_above<'a>(body: Cow<'a, [u8]>, read: impl for<'b> FnOnce(&'b [u8]) -> Meaning<'b>) -> Meaning<'a> {
    match body {
        Cow::Borrowed(body) => read(body),
        Cow::Owned(body) => match read(&body) {
            Meaning::Answer(Answer::Payload { kind, body }) => {
                Meaning::Answer(Answer::Payload { kind, body: Cow::Owned(body.into_owned()) })
            }
            Meaning::Answer(Answer::Count(count)) => Meaning::Answer(Answer::Count(count)),
            Meaning::Answer(Answer::Timestamp) => Meaning::Answer(Answer::Timestamp),
            Meaning::Answer(Answer::Other) => Meaning::Answer(Answer::Other),
            Meaning::Answer(Answer::Unasked) => Meaning::Answer(Answer::Unasked),
            Meaning::Housekeeping => Meaning::Housekeeping,
            Meaning::Up => Meaning::Up,
            Meaning::Closed(why) => Meaning::Closed(why),
            Meaning::Violation(why) => Meaning::Violation(why),
        },
    }
}

/// The heartbeat of a version 3 client, sent every `pingInterval`.
pub fn ping(version: u8) -> Option<Outgoing> {
    (version == 3).then(|| Outgoing::text("2"))
}

/// Handshakes of engine.io 1.3.1 and 6.6.11.
#[cfg(test)]
pub const OPENED_3: &str = r#"0{"sid":"ySbWDJJiGG9n5f4uAAAA","upgrades":[],"pingInterval":25000,"pingTimeout":60000}"#;
#[cfg(test)]
pub const OPENED_4: &str =
    r#"0{"sid":"-75PEB1tJRQ","upgrades":[],"pingInterval":25000,"pingTimeout":20000,"maxPayload":1000000}"#;
