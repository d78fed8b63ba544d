//! What packets with binary and without have in common.

use crate::dialect::engine_io::packet as engine;
use crate::dialect::Meaning;
use serde_json::value::RawValue;

/// `Session::step` once in the namespace; `binary` goes on from here.
pub const JOINED: u8 = engine::OPEN + 1;

pub fn violation(why: &str) -> Meaning<'static> {
    Meaning::Violation(format!("socket.io: {why}").into())
}

/// An event's name and data in JSON. The number of the acknowledgement that a server may ask for is passed over: it
/// gets none.
pub fn arguments_of(body: &[u8]) -> Option<Vec<&RawValue>> {
    let digits = body.iter().take_while(|byte| byte.is_ascii_digit()).count();
    serde_json::from_slice(&body[digits..]).ok()
}
