//! Plain WebSocket (RFC 6455).

use super::{event, Answer, Behaviour, Dialect, Incoming, Meaning, Outgoing, Session, Template, Type};
use serde::Deserialize;
use std::borrow::Cow;

pub struct WebSocket {
    pub behaviour: Behaviour,
}

/// `{"data":"ping","timestamp":1478246460}`. The timestamp is filled in when the message is sent.
pub const JSON_PING: &str = r#"{"data":"ping","timestamp":0000000000}"#;
pub const JSON_PING_B: u32 = JSON_PING.len() as u32;

#[derive(Deserialize)]
struct JsonPong<'a> {
    data: &'a str,
    timestamp: Option<serde_json::Value>,
}

fn read_json_pong(body: &[u8]) -> Answer<'static> {
    match serde_json::from_slice::<JsonPong>(body) {
        Ok(JsonPong { data: "pong", timestamp: Some(timestamp) }) if timestamp.is_u64() => Answer::Timestamp,
        Ok(JsonPong { data: "pong", .. }) => Answer::Other,
        _ => Answer::Unasked,
    }
}

impl Dialect for WebSocket {
    fn is_plain(&self) -> bool {
        self.behaviour == Behaviour::Echo
    }

    fn open(&self, _: &mut Session, _: &mut Vec<Outgoing>) -> bool {
        true
    }

    fn before_own(&self) -> Option<&'static str> {
        Some("")
    }

    fn read<'a>(&self, _: &mut Session, message: Incoming<'a>, _: &mut Vec<Outgoing>) -> Meaning<'a> {
        let of_text =
            |answer| if message.kind == Type::Text || answer == Answer::Unasked { answer } else { Answer::Other };
        Meaning::Answer(match self.behaviour {
            Behaviour::PingPong => of_text(event::read_pong(message.body)),
            Behaviour::JsonPing => of_text(read_json_pong(message.body)),
            _ => Answer::Payload { kind: message.kind, body: Cow::Borrowed(message.body) },
        })
    }

    fn write(&self, kind: Type, payload: &[u8]) -> Vec<Template> {
        let (message, payload_at) = match self.behaviour {
            Behaviour::PingPong => (Outgoing::text(event::PING), None),
            Behaviour::JsonPing => (Outgoing::text(JSON_PING), JSON_PING.find("0000000000")),
            _ => (Outgoing { kind, body: payload.to_vec() }, Some(0)),
        };
        vec![Template { message, payload_at }]
    }

    fn is_binary(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(behaviour: Behaviour, text: &str) -> Meaning<'_> {
        let message = Incoming { kind: Type::Text, body: text.as_bytes() };
        WebSocket { behaviour }.read(&mut Session::default(), message, &mut Vec::new())
    }

    #[test]
    fn an_echo_is_the_message_itself() {
        let body = Cow::Borrowed("abc".as_bytes());
        assert_eq!(read(Behaviour::Echo, "abc"), Meaning::Answer(Answer::Payload { kind: Type::Text, body }));
    }

    #[test]
    fn a_pong_with_a_timestamp_is_known_and_one_without_is_not() {
        let known = read(Behaviour::JsonPing, r#"{"data":"pong","timestamp":1478246461}"#);
        assert_eq!(known, Meaning::Answer(Answer::Timestamp));
        assert_eq!(read(Behaviour::JsonPing, r#"{"data":"pong"}"#), Meaning::Answer(Answer::Other));
        assert_eq!(read(Behaviour::JsonPing, r#"{"tick":1}"#), Meaning::Answer(Answer::Unasked));
    }
}
