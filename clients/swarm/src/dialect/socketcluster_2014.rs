//! SocketCluster of May to August 2014 (socketcluster-server 0.9.42), on engine.io 1.3.1.
//!
//! An event is `{"event":name,"data":data,"cid":number}` and may be answered by `{"cid":number}`. The server first
//! sends the event `connect`. The client's library is then connected, subscribes to each event that has a listener, and
//! sends `ready`. After that the server accepts events.

use super::engine_io::packet as engine;
use super::socketcluster::{closed, violation, Packet};
use super::{event, Behaviour, Dialect, Incoming, Meaning, Outgoing, Session, Template, Type};

pub struct SocketCluster2014 {
    pub behaviour: Behaviour,
}

const ENGINE: u8 = 3;
/// `Session::step` after the server's `connect`.
const CONNECTED: u8 = engine::OPEN + 1;

impl SocketCluster2014 {
    fn read_packet<'a>(&self, session: &mut Session, packet: &Packet<'a>, replies: &mut Vec<Outgoing>) -> Meaning<'a> {
        match (packet.event, packet.cid) {
            (Some(name), _) if event::is_named(name, "connect") && session.step == engine::OPEN => {
                session.step = CONNECTED;
                self.say_ready(replies);
                Meaning::Up
            }
            (Some(name), _) if event::is_named(name, "disconnect") => closed("disconnect", packet.data),
            (Some(name), _) if event::is_named(name, "fail") => closed("fail", packet.data),
            (Some(_), _) if session.step < CONNECTED => violation("an event before connect"),
            (Some(name), _) => event::read(self.behaviour, name, packet.data),
            (None, Some(_)) if packet.error.is_some() => closed("a call is refused:", packet.error),
            (None, Some(_)) => Meaning::Housekeeping, // confirms `subscribe` or `ready`
            (None, None) => violation("neither an event nor an answer to a call"),
        }
    }

    fn say_ready(&self, replies: &mut Vec<Outgoing>) {
        let subscription = event::names_of(self.behaviour).map(|(_, name)| format!(r#""subscribe","data":"{name}""#));
        let calls = subscription.into_iter().chain([r#""ready""#.into()]);
        replies.extend(calls.zip(1..).map(|(call, id)| Outgoing::text(format!(r#"4{{"event":{call},"cid":{id}}}"#))));
    }
}

impl Dialect for SocketCluster2014 {
    fn target(&self) -> &'static str {
        "/socketcluster/?EIO=3&transport=websocket"
    }

    fn open(&self, _: &mut Session, _: &mut Vec<Outgoing>) -> bool {
        false
    }

    fn read<'a>(&self, session: &mut Session, message: Incoming<'a>, replies: &mut Vec<Outgoing>) -> Meaning<'a> {
        match engine::read(ENGINE, session, message, replies) {
            engine::Packet::Opened => Meaning::Housekeeping,
            engine::Packet::Message(kind, body) => engine::read_above(body, |body| match Packet::read(kind, body) {
                Ok(packet) => self.read_packet(session, &packet, replies),
                Err(meaning) => meaning,
            }),
            engine::Packet::Done(meaning) => meaning,
        }
    }

    /// The library numbers its events. Here all have the number of the first, because a message is made only once. No
    /// server of the suite looks at it.
    fn write(&self, _: Type, payload: &[u8]) -> Vec<Template> {
        let event = event::write(self.behaviour, payload, [r#"{"event":""#, r#"","data":"#, r#","cid":3}"#]);
        event.map(|event| engine::pack(ENGINE, event)).into_iter().collect()
    }

    fn ping(&self) -> Option<Outgoing> {
        engine::ping(ENGINE)
    }

    /// It sends binary as base64 in JSON and never decodes it.
    fn is_binary(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::super::Answer;
    use super::*;
    use std::borrow::Cow;

    /// socketcluster-server 0.9.42
    const OPEN_PACKET: &str =
        r#"0{"sid":"_worker-1_33120_0_CuTD4MhnUtGi1dsvAAAA","upgrades":[],"pingInterval":25000,"pingTimeout":60000}"#;
    const CONNECT: &str =
        r#"4{"event":"connect","data":{"soid":"_worker-1_33120_0_CuTD4MhnUtGi1dsvAAAA","appName":"wscale"},"cid":1}"#;

    fn read<'a>(dialect: &SocketCluster2014, session: &mut Session, text: &'a str) -> (Meaning<'a>, Vec<Outgoing>) {
        let mut replies = Vec::new();
        let message = Incoming { kind: Type::Text, body: text.as_bytes() };
        (dialect.read(session, message, &mut replies), replies)
    }

    fn connected(behaviour: Behaviour) -> (SocketCluster2014, Session) {
        (SocketCluster2014 { behaviour }, Session { step: CONNECTED, ..Session::default() })
    }

    #[test]
    fn a_session_is_up_when_the_server_says_connect_and_subscribes_before_it_is_ready() {
        let (dialect, mut session) = (SocketCluster2014 { behaviour: Behaviour::PingPong }, Session::default());
        assert_eq!(read(&dialect, &mut session, OPEN_PACKET), (Meaning::Housekeeping, vec![]));
        assert_eq!((session.ping_every_us, session.silence_max_us), (25_000_000, 85_000_000));
        let subscribe = Outgoing::text(r#"4{"event":"subscribe","data":"pong","cid":1}"#);
        let ready = Outgoing::text(r#"4{"event":"ready","cid":2}"#);
        assert_eq!(read(&dialect, &mut session, CONNECT), (Meaning::Up, vec![subscribe, ready]));
        assert_eq!(read(&dialect, &mut session, r#"4{"cid":1}"#), (Meaning::Housekeeping, vec![]));
    }

    #[test]
    fn nothing_is_subscribed_to_when_nothing_is_listened_to() {
        let mut replies = Vec::new();
        SocketCluster2014 { behaviour: Behaviour::Idle }.say_ready(&mut replies);
        assert_eq!(replies, [Outgoing::text(r#"4{"event":"ready","cid":1}"#)]);
    }

    #[test]
    fn an_echo_is_an_event_with_the_payload_unescaped_and_decoded_twice() {
        let (dialect, mut session) = connected(Behaviour::Echo);
        let wire = "4{\"event\":\"echo\",\"data\":\"a\\\"\u{c3}\u{a9}\",\"cid\":3}"; // é in UTF-8 is C3 A9
        let template = &dialect.write(Type::Text, "a\"é".as_bytes())[0];
        assert_eq!((&template.message, template.payload_at), (&Outgoing::text(wire), Some(25)));
        let answer = Answer::Payload { kind: Type::Text, body: Cow::Borrowed("a\"é".as_bytes()) };
        assert_eq!(read(&dialect, &mut session, wire), (Meaning::Answer(answer), vec![]));
    }

    #[test]
    fn a_pong_carries_a_count_and_other_events_are_unasked() {
        let (dialect, mut session) = connected(Behaviour::PingPong);
        let pong = read(&dialect, &mut session, r#"4{"event":"pong","data":2,"cid":3}"#).0;
        assert_eq!(pong, Meaning::Answer(Answer::Count(2)));
        let news = read(&dialect, &mut session, r#"4{"event":"news","data":2,"cid":3}"#).0;
        assert_eq!(news, Meaning::Answer(Answer::Unasked));
    }

    #[test]
    fn a_refused_call_and_a_failed_bind_end_the_session() {
        let (dialect, mut session) = connected(Behaviour::Echo);
        for text in [r#"4{"cid":1,"error":"no"}"#, r#"4{"event":"fail","data":"Failed to bind socket","cid":2}"#] {
            assert!(matches!(read(&dialect, &mut session, text).0, Meaning::Closed(_)), "{text}");
        }
    }
}
