//! Bare bytes over TCP: the baseline for all other dialects.

use super::{Answer, Dialect, Incoming, Meaning, Outgoing, Session, Template, Type};
use std::borrow::Cow;

pub struct RawTcp;

impl Dialect for RawTcp {
    fn is_framed(&self) -> bool {
        false
    }

    fn open(&self, _: &mut Session, _: &mut Vec<Outgoing>) -> bool {
        true
    }

    /// The connection has cut the stream into messages. It knows the length of each expected answer.
    fn read<'a>(&self, _: &mut Session, message: Incoming<'a>, _: &mut Vec<Outgoing>) -> Meaning<'a> {
        Meaning::Answer(Answer::Payload { kind: message.kind, body: Cow::Borrowed(message.body) })
    }

    fn write(&self, kind: Type, payload: &[u8]) -> Vec<Template> {
        vec![Template { message: Outgoing { kind, body: payload.to_vec() }, payload_at: Some(0) }]
    }

    fn is_binary(&self) -> bool {
        true
    }
}
