//! Binary in Socket.IO's events. `51-["name",{"_placeholder":true,"num":0}]` announces one part. The part follows as a
//! separate message.

use super::packet::{arguments_of, violation, JOINED};
use crate::dialect::{event, Answer, Behaviour, Meaning, Session, Type};
use serde::Deserialize;
use std::borrow::Cow;

/// `Session::step`: how the event will count when its last part has arrived.
const PAYLOAD_TO_COME: u8 = JOINED + 1;
const OTHER_TO_COME: u8 = JOINED + 2;
const NOBODYS_TO_COME: u8 = JOINED + 3;
/// The packet has counted already.
const REST_TO_COME: u8 = JOINED + 4;

/// A placeholder for a part in an event's JSON.
#[derive(Deserialize)]
struct Placeholder {
    _placeholder: bool,
    num: u64,
}

/// The packet that announces a payload.
pub fn announcement(name: &str) -> String {
    format!(r#"51-["{name}",{{"_placeholder":true,"num":0}}]"#)
}

/// Reads the packet that announces parts, after its type.
pub fn announce(behaviour: Behaviour, session: &mut Session, body: &[u8]) -> Meaning<'static> {
    match begin(behaviour, session, body) {
        Some(()) => Meaning::Housekeeping,
        None => violation("an event with binary in no known form"),
    }
}

/// Reads the announcement of a packet of a service of its own, which counts by its text alone. Returns what follows the number of parts.
pub fn announce_own<'a>(session: &mut Session, body: &'a [u8]) -> Option<&'a [u8]> {
    let (count, rest) = split_count(body)?;
    (session.parts_left, session.step) = (count, REST_TO_COME);
    Some(rest)
}

/// Splits `2-["name"]` into the number of parts and the rest.
fn split_count(body: &[u8]) -> Option<(u8, &[u8])> {
    let dash = body.iter().position(|&byte| byte == b'-')?;
    let count = std::str::from_utf8(&body[..dash]).ok()?.parse().ok().filter(|&count: &u8| count > 0)?;
    Some((count, &body[dash + 1..]))
}

fn begin(behaviour: Behaviour, session: &mut Session, body: &[u8]) -> Option<()> {
    let (count, rest) = split_count(body)?;
    let arguments = arguments_of(rest)?;
    let (name, arguments) = arguments.split_first()?;
    session.parts_left = count;
    session.step = match arguments.first().and_then(|data| serde_json::from_str(data.get()).ok()) {
        _ if !event::is_answer(behaviour, name) => NOBODYS_TO_COME,
        _ if behaviour == Behaviour::PingPong || count > 1 => OTHER_TO_COME,
        Some(Placeholder { _placeholder: true, num: 0 }) => PAYLOAD_TO_COME,
        _ => OTHER_TO_COME,
    };
    Some(())
}

/// Reads a part. The last one completes the event.
pub fn read_part<'a>(session: &mut Session, body: &'a [u8]) -> Meaning<'a> {
    match session.parts_left {
        0 => return violation("binary that no event announced"),
        left => session.parts_left = left - 1,
    }
    if session.parts_left > 0 {
        return Meaning::Housekeeping;
    }
    match session.step {
        PAYLOAD_TO_COME => Meaning::Answer(Answer::Payload { kind: Type::Binary, body: Cow::Borrowed(body) }),
        REST_TO_COME => Meaning::Housekeeping,
        OTHER_TO_COME => Meaning::Answer(Answer::Other),
        _ => Meaning::Answer(Answer::Unasked),
    }
}

#[cfg(test)]
mod tests {
    use super::super::SocketIo;
    use super::*;
    use crate::dialect::{Dialect, Incoming, Outgoing};

    const TEXT: Type = Type::Text;

    fn incoming(text: &str) -> Incoming<'_> {
        Incoming { kind: TEXT, body: text.as_bytes() }
    }

    fn joined(version: u8, behaviour: Behaviour) -> (SocketIo, Session) {
        (SocketIo { version, behaviour }, Session { step: JOINED, ..Session::default() })
    }

    #[test]
    fn binary_goes_and_comes_in_a_message_of_its_own() {
        for (version, binary) in [(3, &[4, 0, 1, 255][..]), (5, &[0, 1, 255])] {
            let (dialect, mut session) = joined(version, Behaviour::Echo);
            let wire = dialect.write(Type::Binary, &[0, 1, 255]);
            assert_eq!(wire[0].message, Outgoing::text(r#"451-["echo",{"_placeholder":true,"num":0}]"#));
            assert_eq!((wire[0].payload_at, wire[1].payload_at), (None, Some(binary.len() - 3)));
            let mut read = |kind, body| dialect.read(&mut session, Incoming { kind, body }, &mut Vec::new());
            assert_eq!(read(TEXT, &wire[0].message.body), Meaning::Housekeeping);
            let body = Cow::Borrowed(&[0, 1, 255][..]);
            assert_eq!(read(Type::Binary, binary), Meaning::Answer(Answer::Payload { kind: Type::Binary, body }));
            assert!(matches!(read(Type::Binary, binary), Meaning::Violation(_)), "only one was announced");
        }
    }

    #[test]
    fn binary_comes_right_behind_the_event_that_announced_it() {
        let (dialect, mut session) = joined(5, Behaviour::Echo);
        let mut read = |text| dialect.read(&mut session, incoming(text), &mut Vec::new());
        assert!(matches!(read(r#"450-["echo"]"#), Meaning::Violation(_)));
        assert_eq!(read(r#"452-["echo",{"_placeholder":true,"num":0}]"#), Meaning::Housekeeping);
        assert_eq!(read("2"), Meaning::Housekeeping, "a heartbeat is of engine.io");
        assert!(matches!(read(r#"42["echo","a"]"#), Meaning::Violation(_)));
        let mut read = |body| dialect.read(&mut session, Incoming { kind: Type::Binary, body }, &mut Vec::new());
        assert_eq!(read(b"a"), Meaning::Housekeeping);
        assert_eq!(read(b"b"), Meaning::Answer(Answer::Other), "a payload is one part");
    }
}
