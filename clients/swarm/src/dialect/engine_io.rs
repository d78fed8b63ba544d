//! Engine.IO's protocol, versions 3 (engine.io 1.3.1, 2014) and 4 (engine.io 6), on WebSocket from the start, without
//! polling and upgrade. A message is the payload itself; [`packet`] encodes it.

pub mod packet;

use super::{event, Answer, Behaviour, Dialect, Incoming, Meaning, Outgoing, Session, Template, Type};
use packet::{pack, pack_binary, Packet};

pub struct EngineIo {
    pub version: u8,
    pub behaviour: Behaviour,
}

impl Dialect for EngineIo {
    fn target(&self) -> &'static str {
        match self.version {
            3 => "/engine.io/?EIO=3&transport=websocket",
            _ => "/engine.io/?EIO=4&transport=websocket",
        }
    }

    fn open(&self, _: &mut Session, _: &mut Vec<Outgoing>) -> bool {
        false
    }

    /// None for version 3: it encodes text twice, and templates do not.
    fn before_own(&self) -> Option<&'static str> {
        (self.version == 4).then_some("4")
    }

    fn read<'a>(&self, session: &mut Session, message: Incoming<'a>, replies: &mut Vec<Outgoing>) -> Meaning<'a> {
        match packet::read(self.version, session, message, replies) {
            Packet::Opened => Meaning::Up,
            Packet::Message(_, body) if self.behaviour == Behaviour::PingPong => {
                Meaning::Answer(event::read_pong(&body))
            }
            Packet::Message(kind, body) => Meaning::Answer(Answer::Payload { kind, body }),
            Packet::Done(meaning) => meaning,
        }
    }

    fn write(&self, kind: Type, payload: &[u8]) -> Vec<Template> {
        vec![match (self.behaviour, kind) {
            (Behaviour::PingPong, _) => {
                pack(self.version, Template { message: Outgoing::text(event::PING), payload_at: None })
            }
            (_, Type::Text) => pack(self.version, Template { message: Outgoing::text(payload), payload_at: Some(0) }),
            (_, Type::Binary) => pack_binary(self.version, payload),
        }]
    }

    fn ping(&self) -> Option<Outgoing> {
        packet::ping(self.version)
    }

    fn is_binary(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::packet::{OPENED_3, OPENED_4};
    use super::*;
    use std::borrow::Cow;

    fn is_up(version: u8, behaviour: Behaviour, session: &mut Session) -> EngineIo {
        let dialect = EngineIo { version, behaviour };
        let open = Incoming { kind: Type::Text, body: if version == 3 { OPENED_3 } else { OPENED_4 }.as_bytes() };
        assert_eq!(dialect.read(session, open, &mut Vec::new()), Meaning::Up);
        dialect
    }

    #[test]
    fn the_handshake_tells_the_heartbeats() {
        let (mut of_3, mut of_4) = (Session::default(), Session::default());
        is_up(3, Behaviour::Idle, &mut of_3);
        is_up(4, Behaviour::Idle, &mut of_4);
        assert_eq!((of_3.ping_every_us, of_3.silence_max_us), (25_000_000, 85_000_000));
        assert_eq!((of_4.ping_every_us, of_4.silence_max_us), (0, 45_000_000));
    }

    #[test]
    fn the_client_pings_in_version_3_and_the_server_in_version_4() {
        for (version, came, reply) in [(3, "3", None), (4, "2", Some(Outgoing::text("3")))] {
            let (mut session, mut replies) = (Session::default(), Vec::new());
            let dialect = is_up(version, Behaviour::Echo, &mut session);
            let heartbeat = Incoming { kind: Type::Text, body: came.as_bytes() };
            assert_eq!(dialect.read(&mut session, heartbeat, &mut replies), Meaning::Housekeeping);
            assert_eq!(replies, Vec::from_iter(reply));
            assert_eq!(dialect.ping().is_some(), version == 3);
        }
    }

    #[test]
    fn a_payload_goes_and_comes_as_each_version_has_it() {
        let cases: [(u8, Type, &[u8], &[u8]); 5] = [
            (3, Type::Text, "é".as_bytes(), "4\u{c3}\u{a9}".as_bytes()), // é in UTF-8 is C3 A9
            (4, Type::Text, "é".as_bytes(), "4é".as_bytes()),
            (3, Type::Text, b"", b"4"),
            (3, Type::Binary, &[0, 1, 2, 255], &[4, 0, 1, 2, 255]),
            (4, Type::Binary, &[0, 1, 2, 255], &[0, 1, 2, 255]),
        ];
        for (version, kind, payload, wire) in cases {
            let mut session = Session::default();
            let dialect = is_up(version, Behaviour::Echo, &mut session);
            assert_eq!(dialect.write(kind, payload)[0].message, Outgoing { kind, body: wire.into() });
            let meaning = dialect.read(&mut session, Incoming { kind, body: wire }, &mut Vec::new());
            assert_eq!(meaning, Meaning::Answer(Answer::Payload { kind, body: Cow::Borrowed(payload) }));
        }
    }

    #[test]
    fn a_pong_is_text_in_a_packet() {
        let mut session = Session::default();
        let dialect = is_up(4, Behaviour::PingPong, &mut session);
        let pong = Incoming { kind: Type::Text, body: br#"4{"event":"pong","data":2}"# };
        assert_eq!(dialect.read(&mut session, pong, &mut Vec::new()), Meaning::Answer(Answer::Count(2)));
        assert_eq!(dialect.write(Type::Text, b"")[0].message.body, format!("4{}", event::PING).as_bytes());
    }

    #[test]
    fn what_is_no_packet_is_a_violation() {
        for text in ["", "9", "5", "b4AAEC", OPENED_3, "4é", "4\u{e9}\u{20ac}"] {
            let mut session = Session::default();
            let dialect = is_up(3, Behaviour::Echo, &mut session);
            let message = Incoming { kind: Type::Text, body: text.as_bytes() };
            let meaning = dialect.read(&mut session, message, &mut Vec::new());
            assert!(matches!(meaning, Meaning::Violation(_)), "{text}: {meaning:?}");
        }
    }
}
