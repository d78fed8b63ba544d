//! Events. Dialects without events of their own send them as text, `{"event":"ping","data":{"param":"pong"}}`
//! (servers/CONTRACT.md). Dialects with events wrap the same names and data.

use super::{Answer, Behaviour, Meaning, Outgoing, Template, Type};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// The ping of listing A.1 of the thesis.
pub const PING: &str = r#"{"event":"ping","data":{"param":"pong"}}"#;
/// Only its data, for dialects with events.
pub const PING_DATA: &str = r#"{"param":"pong"}"#;
pub const PING_DATA_B: u32 = PING_DATA.len() as u32;

#[derive(Deserialize)]
struct Pong<'a> {
    event: &'a str,
    data: Option<serde_json::Value>,
}

/// Reads the answer to a ping: a `pong` with a whole number. Without the number it is a wrong answer. Anything else is
/// no answer.
pub fn read_pong(body: &[u8]) -> Answer<'static> {
    match serde_json::from_slice::<Pong>(body) {
        Ok(Pong { event: "pong", data }) => count_of(data.as_ref()),
        _ => Answer::Unasked,
    }
}

/// Reads the count from a `pong`'s data.
fn count_of(data: Option<&serde_json::Value>) -> Answer<'static> {
    data.and_then(serde_json::Value::as_u64).map_or(Answer::Other, Answer::Count)
}

/// Names of the event to send and of its answer; `None` if the behaviour has none.
pub fn names_of(behaviour: Behaviour) -> Option<(&'static str, &'static str)> {
    match behaviour {
        Behaviour::Echo => Some(("echo", "echo")),
        Behaviour::PingPong => Some(("ping", "pong")),
        Behaviour::Broadcast => Some(("broadcast", "broadcast")),
        Behaviour::Idle | Behaviour::JsonPing | Behaviour::Own => None,
    }
}

/// Builds the message of an event: `before`, name, `between`, data, `after`.
pub fn write(behaviour: Behaviour, payload: &[u8], [before, between, after]: [&str; 3]) -> Option<Template> {
    let (name, _) = names_of(behaviour)?;
    let start = [before, name, between].concat();
    let is_ping = behaviour == Behaviour::PingPong;
    let data = match is_ping {
        true => PING_DATA.into(),
        false => serde_json::Value::from(String::from_utf8_lossy(payload)).to_string(),
    };
    let payload_at = (!is_ping).then_some(start.len() + 1); // after the quote
    Some(Template { message: Outgoing::text(start + &data + after), payload_at })
}

/// The meaning of an event, from its name and data in JSON. An event with another name is unasked.
pub fn read<'a>(behaviour: Behaviour, name: &RawValue, data: Option<&'a RawValue>) -> Meaning<'a> {
    if !is_answer(behaviour, name) {
        return Meaning::Answer(Answer::Unasked);
    }
    Meaning::Answer(match behaviour {
        Behaviour::PingPong => data.and_then(parse).map_or(Answer::Other, Answer::Count),
        _ => match data.and_then(parse) {
            Some(Text(Cow::Borrowed(text))) => payload_of(Cow::Borrowed(text.as_bytes())),
            Some(Text(Cow::Owned(text))) => payload_of(Cow::Owned(text.into_bytes())),
            None => Answer::Other,
        },
    })
}

/// Is this JSON the name of the answering event?
pub fn is_answer(behaviour: Behaviour, name: &RawValue) -> bool {
    names_of(behaviour).is_some_and(|(_, answer)| is_named(name, answer))
}

/// Is this JSON the given name? No engine escapes characters in names.
pub fn is_named(name: &RawValue, plain: &str) -> bool {
    name.get().strip_prefix('"').and_then(|name| name.strip_suffix('"')) == Some(plain)
}

/// A server's words for people, cut to one line.
pub fn quote(words: &str) -> String {
    words.chars().take(QUOTE_MAX).collect()
}

const QUOTE_MAX: usize = 100;

#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

fn parse<'a, T: Deserialize<'a>>(data: &'a RawValue) -> Option<T> {
    serde_json::from_str(data.get()).ok()
}

fn payload_of(body: Cow<'_, [u8]>) -> Answer<'_> {
    Answer::Payload { kind: Type::Text, body }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_payload_is_escaped_and_back_and_its_place_is_known() {
        let payload = "0\"\\\u{0}\u{e9}\u{20ac}";
        let template = write(Behaviour::Echo, payload.as_bytes(), ["<", " ", ">"]).unwrap();
        assert_eq!(template.message.body, "<echo \"0\\\"\\\\\\u0000\u{e9}\u{20ac}\">".as_bytes());
        assert_eq!(template.payload_at, Some("<echo \"".len()));
        let body = std::str::from_utf8(&template.message.body).unwrap();
        let data: &RawValue = serde_json::from_str(&body["<echo ".len()..body.len() - 1]).unwrap();
        let name = serde_json::from_str("\"echo\"").unwrap();
        let body = Cow::Borrowed(payload.as_bytes());
        assert_eq!(read(Behaviour::Echo, name, Some(data)), Meaning::Answer(payload_of(body)));
    }

    #[test]
    fn an_event_that_nobody_waits_for_is_unasked_and_one_without_its_data_is_another_answer() {
        let name = |json| serde_json::from_str(json).unwrap();
        assert_eq!(read(Behaviour::Echo, name("\"pong\""), None), Meaning::Answer(Answer::Unasked));
        assert_eq!(read(Behaviour::Idle, name("\"echo\""), None), Meaning::Answer(Answer::Unasked));
        assert_eq!(read(Behaviour::Echo, name("\"echo\""), Some(name("17"))), Meaning::Answer(Answer::Other));
        assert_eq!(read(Behaviour::PingPong, name("\"pong\""), Some(name("-1"))), Meaning::Answer(Answer::Other));
    }

    #[test]
    fn a_pong_carries_a_count() {
        assert_eq!(read_pong(br#"{"event":"pong","data":17}"#), Answer::Count(17));
    }

    #[test]
    fn a_pong_without_a_count_is_another_answer_and_anything_else_is_none() {
        for text in [r#"{"event":"pong","data":1.5}"#, r#"{"event":"pong"}"#] {
            assert_eq!(read_pong(text.as_bytes()), Answer::Other, "{text}");
        }
        for text in ["", "{", "17", r#"{"event":"ping","data":17}"#, r#"{"tick":1}"#] {
            assert_eq!(read_pong(text.as_bytes()), Answer::Unasked, "{text}");
        }
    }
}
