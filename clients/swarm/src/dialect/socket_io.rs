//! Socket.IO's protocol in the namespace `/`: revisions 3 (socket.io 1.0.6, 2014, on engine.io 3) and 5 (socket.io 4,
//! on engine.io 4), numbered as in each server's socket.io-parser.
//!
//! - Revision 3: the server joins the client to `/` unasked. Revision 5: the client must ask, or is closed after 45 s.
//! - An event is `2["name",data]`; for one with binary see [`binary`].

mod binary;
mod packet;

use super::engine_io::packet as engine;
use super::{event, Answer, Behaviour, Dialect, Incoming, Meaning, Outgoing, Session, Template, Type};
use packet::{arguments_of, violation, JOINED};
use std::borrow::Cow;

pub struct SocketIo {
    pub version: u8,
    pub behaviour: Behaviour,
}

const CONNECT: &str = "0";
const DISCONNECT: &str = "1";
const OTHER_NAMESPACE: &str = "a packet of a namespace that nobody joined";

impl SocketIo {
    /// The version of the underlying engine.io.
    fn engine_version(&self) -> u8 {
        match self.version {
            3 => 3,
            _ => 4,
        }
    }

    fn pack(&self, text: impl Into<Vec<u8>>) -> Template {
        engine::pack(self.engine_version(), Template { message: Outgoing::text(text), payload_at: None })
    }

    fn read_packet<'a>(&self, session: &mut Session, kind: Type, body: &'a [u8]) -> Meaning<'a> {
        if kind == Type::Binary {
            return binary::read_part(session, body);
        }
        let (kind, body) = match body.split_first() {
            Some(_) if session.parts_left > 0 => return violation("text where binary was announced"),
            Some((kind, body)) => (kind, body),
            None => return violation("an empty packet"),
        };
        match kind {
            _ if body.starts_with(b"/") => violation(OTHER_NAMESPACE),
            b'0' if session.step == engine::OPEN => {
                session.step = JOINED;
                Meaning::Up
            }
            b'1' => Meaning::Closed("socket.io: disconnect".into()),
            b'4' => {
                Meaning::Closed(format!("socket.io: error {}", event::quote(&String::from_utf8_lossy(body))).into())
            }
            b'2' | b'5' | b'6' if session.step < JOINED => violation("an event before the namespace was joined"),
            b'2' if self.behaviour == Behaviour::Own => read_own(body),
            b'2' => self.read_event(body),
            b'3' if self.behaviour == Behaviour::Own => read_acknowledgement(body),
            b'5' | b'6' if self.behaviour == Behaviour::Own => match binary::announce_own(session, body) {
                Some(body) if body.starts_with(b"/") => violation(OTHER_NAMESPACE),
                Some(body) if *kind == b'5' => read_own(body),
                Some(body) => read_acknowledgement(body),
                None => violation("a packet with binary in no known form"),
            },
            b'5' => binary::announce(self.behaviour, session, body),
            _ => violation("a packet of unknown type"), // including acknowledgements, which were not requested
        }
    }

    fn read_event<'a>(&self, body: &'a [u8]) -> Meaning<'a> {
        match arguments_of(body).as_deref() {
            Some([name, arguments @ ..]) => event::read(self.behaviour, name, arguments.first().copied()),
            _ => violation("an event that is no array"),
        }
    }
}

/// An event of a service of its own, without the number by which it asks for an acknowledgement: none is sent.
fn read_own(body: &[u8]) -> Meaning<'_> {
    let digits = body.iter().take_while(|byte| byte.is_ascii_digit()).count();
    Meaning::Answer(Answer::Payload { kind: Type::Text, body: Cow::Borrowed(&body[digits..]) })
}

/// Reads `17["data"]`, where 17 is the number of the acknowledged event.
fn read_acknowledgement(body: &[u8]) -> Meaning<'_> {
    let digits = body.iter().take_while(|byte| byte.is_ascii_digit()).count();
    match std::str::from_utf8(&body[..digits]).ok().and_then(|digits| digits.parse().ok()) {
        Some(id) => Meaning::Answer(Answer::Count(id)),
        None => violation("an acknowledgement without a number"),
    }
}

impl Dialect for SocketIo {
    fn target(&self) -> &'static str {
        match self.version {
            3 => "/socket.io/?EIO=3&transport=websocket",
            _ => "/socket.io/?EIO=4&transport=websocket",
        }
    }

    fn open(&self, _: &mut Session, _: &mut Vec<Outgoing>) -> bool {
        false
    }

    /// An event `["name",data]` follows, optionally after the number of an acknowledgement.
    fn before_own(&self) -> Option<&'static str> {
        (self.version == 5).then_some("42")
    }

    fn read<'a>(&self, session: &mut Session, message: Incoming<'a>, replies: &mut Vec<Outgoing>) -> Meaning<'a> {
        match engine::read(self.engine_version(), session, message, replies) {
            engine::Packet::Opened => {
                replies.extend((self.version == 5).then(|| self.pack(CONNECT).message));
                Meaning::Housekeeping
            }
            engine::Packet::Message(kind, body) => {
                engine::read_above(body, |body| self.read_packet(session, kind, body))
            }
            engine::Packet::Done(meaning) => meaning,
        }
    }

    fn write(&self, kind: Type, payload: &[u8]) -> Vec<Template> {
        match (kind, event::names_of(self.behaviour)) {
            (Type::Binary, Some((name, _))) if self.behaviour != Behaviour::PingPong => {
                vec![self.pack(binary::announcement(name)), engine::pack_binary(self.engine_version(), payload)]
            }
            _ => {
                let event = event::write(self.behaviour, payload, [r#"2[""#, r#"","#, "]"]);
                event.map(|event| engine::pack(self.engine_version(), event)).into_iter().collect()
            }
        }
    }

    fn ping(&self) -> Option<Outgoing> {
        engine::ping(self.engine_version())
    }

    fn farewell(&self) -> Option<Outgoing> {
        Some(self.pack(DISCONNECT).message)
    }

    fn is_binary(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::engine::{OPENED_3, OPENED_4};
    use super::*;
    use crate::dialect::Answer;
    use std::borrow::Cow;

    const TEXT: Type = Type::Text;

    fn incoming(text: &str) -> Incoming<'_> {
        Incoming { kind: TEXT, body: text.as_bytes() }
    }

    fn joined(version: u8, behaviour: Behaviour) -> (SocketIo, Session) {
        let dialect = SocketIo { version, behaviour };
        let session = Session { step: JOINED, ..Session::default() };
        (dialect, session)
    }

    #[test]
    fn a_session_of_2014_is_joined_by_its_server_and_one_of_today_asks() {
        let cases = [
            (3, [OPENED_3, "40"], None),
            (5, [OPENED_4, r#"40{"sid":"PQC2awTwxVAre6txAAAA"}"#], Some(Outgoing::text("40"))),
        ];
        for (version, [open, join], reply) in cases {
            let (mut session, mut replies) = (Session::default(), Vec::new());
            let dialect = SocketIo { version, behaviour: Behaviour::Echo };
            assert_eq!(dialect.read(&mut session, incoming(open), &mut replies), Meaning::Housekeeping);
            assert_eq!(replies, Vec::from_iter(reply));
            assert_eq!(dialect.read(&mut session, incoming(join), &mut replies), Meaning::Up);
            assert!(matches!(dialect.read(&mut session, incoming(join), &mut replies), Meaning::Violation(_)));
        }
    }

    #[test]
    fn a_text_comes_back_unescaped_and_of_2014_decoded_twice() {
        for (version, wire) in [(3, "42[\"echo\",\"a\\\"e\u{cc}\u{81}\"]"), (5, "42[\"echo\",\"a\\\"e\u{301}\"]")] {
            let (dialect, mut session) = joined(version, Behaviour::Echo);
            let payload = "a\"e\u{301}".as_bytes();
            let template = &dialect.write(TEXT, payload)[0];
            assert_eq!((&template.message, template.payload_at), (&Outgoing::text(wire), Some(11)));
            let meaning = dialect.read(&mut session, incoming(wire), &mut Vec::new());
            assert_eq!(meaning, Meaning::Answer(Answer::Payload { kind: TEXT, body: Cow::Borrowed(payload) }));
        }
    }

    #[test]
    fn a_pong_carries_a_count_and_other_events_are_unasked() {
        let (dialect, mut session) = joined(5, Behaviour::PingPong);
        let mut read = |text| dialect.read(&mut session, incoming(text), &mut Vec::new());
        assert_eq!(read(r#"42["pong",2]"#), Meaning::Answer(Answer::Count(2)));
        assert_eq!(read(r#"42["pong"]"#), Meaning::Answer(Answer::Other));
        assert_eq!(read(r#"4217["news","x"]"#), Meaning::Answer(Answer::Unasked));
    }

    #[test]
    fn of_a_service_events_and_acknowledgements_with_binary_count_by_their_text() {
        let (dialect, mut session) = joined(5, Behaviour::Own);
        let mut read = |kind, body: &'static [u8]| dialect.read(&mut session, Incoming { kind, body }, &mut Vec::new());
        let asking = Answer::Payload { kind: TEXT, body: Cow::Borrowed(br#"["news",1]"#) };
        assert_eq!(
            read(TEXT, br#"4217["news",1]"#),
            Meaning::Answer(asking),
            "without the number that it wants acknowledged"
        );
        let event = Answer::Payload { kind: TEXT, body: Cow::Borrowed(br#"["news",{"_placeholder":true,"num":0},1]"#) };
        assert_eq!(read(TEXT, br#"451-["news",{"_placeholder":true,"num":0},1]"#), Meaning::Answer(event));
        assert_eq!(read(Type::Binary, b"x"), Meaning::Housekeeping);
        assert_eq!(read(TEXT, br#"462-17[{"_placeholder":true,"num":0}]"#), Meaning::Answer(Answer::Count(17)));
        assert_eq!([(); 2].map(|()| read(Type::Binary, b"x")), [Meaning::Housekeeping, Meaning::Housekeeping]);
        assert!(matches!(read(Type::Binary, b"x"), Meaning::Violation(_)), "one more than announced");
        assert!(matches!(read(TEXT, b"46-17[]"), Meaning::Violation(_)));
        assert!(matches!(read(TEXT, b"451-/admin,[\"news\"]"), Meaning::Violation(_)));
    }

    #[test]
    fn a_refusal_and_a_disconnect_end_the_session() {
        let (dialect, mut session) = joined(5, Behaviour::Echo);
        for text in [r#"44{"message":"Invalid namespace"}"#, "41"] {
            assert!(matches!(dialect.read(&mut session, incoming(text), &mut Vec::new()), Meaning::Closed(_)));
        }
    }
}
