//! Common to packets with and without binary.

use crate::dialect::engine_io::packet as engine;
use crate::dialect::Meaning;
use serde_json::value::RawValue;

/// `Session::step` after joining the namespace; `binary` continues from this number.
pub const JOINED: u8 = engine::OPEN + 1;

pub fn violation(why: &str) -> Meaning<'static> {
    Meaning::Violation(format!("socket.io: {why}").into())
}

/// An event's name and data in JSON. Skips the number with which a server asks for an acknowledgement: none is sent.
pub fn arguments_of(body: &[u8]) -> Option<Vec<&RawValue>> {
    let digits = body.iter().take_while(|byte| byte.is_ascii_digit()).count();
    serde_json::from_slice(&body[digits..]).ok()
}
