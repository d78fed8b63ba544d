//! SocketCluster's protocol, of its versions 14 and 20, straight on WebSocket.
//!
//! An event is `{"event":name,"data":data}`; with a `cid` it is a call, answered by `{"rid":cid,"data":data}`. The
//! client begins by the call `#handshake`; names that begin with `#` are the protocol's own. The server pings, each 8 s
//! by default: `#1`, answered by `#2`, in version 14; an empty message, answered by another, in version 20.

use super::{event, us_of_ms, Behaviour, Dialect, Incoming, Meaning, Outgoing, Session, Template, Type};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;

pub struct SocketCluster {
    pub version: u8,
    pub behaviour: Behaviour,
}

/// `Session::step` once the handshake has been answered.
const UP: u8 = 1;
/// The number of the only call that is made.
const HANDSHAKE_ID: u64 = 1;
const HANDSHAKE: &str = r##"{"event":"#handshake","data":{"authToken":null},"cid":1}"##;
const DISCONNECT: &str = r##"{"event":"#disconnect","data":{"code":1000}}"##;

/// A message, of 2014 too: an event, or the answer to a call (`rid`; in 2014 `cid`).
#[derive(Deserialize)]
pub struct Packet<'a> {
    #[serde(borrow)]
    pub event: Option<&'a RawValue>,
    #[serde(borrow)]
    pub data: Option<&'a RawValue>,
    pub rid: Option<u64>,
    pub cid: Option<u64>,
    #[serde(borrow)]
    pub error: Option<&'a RawValue>,
}

impl<'a> Packet<'a> {
    /// Reads a message. Several events in one, as versions 14 and 20 send them when told to batch, are a violation: no
    /// server of the suite does it, and they would be counted as one.
    pub fn read(kind: Type, body: &'a [u8]) -> Result<Self, Meaning<'static>> {
        match serde_json::from_slice(body) {
            Ok(packet) if kind == Type::Text => Ok(packet),
            _ => Err(violation("neither an event nor an answer to a call")),
        }
    }
}

/// Not SocketCluster, and why.
pub fn violation(why: &'static str) -> Meaning<'static> {
    Meaning::Violation(Cow::Owned(format!("socketcluster: {why}")))
}

/// The server's words when it ends a session.
pub fn closed(what: &str, words: Option<&RawValue>) -> Meaning<'static> {
    Meaning::Closed(format!("socketcluster: {what} {}", event::quote(words.map_or("", RawValue::get))).into())
}

/// What the server tells of a session, ms.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Status {
    ping_timeout: u64,
}

impl SocketCluster {
    /// The server's ping and the answer to it.
    fn heartbeat(&self) -> (&'static [u8], &'static str) {
        match self.version {
            14 => (b"#1", "#2"),
            _ => (b"", ""),
        }
    }

    fn read_packet<'a>(&self, session: &mut Session, packet: &Packet<'a>) -> Meaning<'a> {
        match (packet.event, packet.rid) {
            (Some(name), _) if event::is_named(name, "#disconnect") => closed("#disconnect", packet.data),
            (Some(name), _) if name.get().starts_with("\"#") => Meaning::Housekeeping, // of tokens and channels
            (Some(_), _) if session.step < UP => violation("an event before the handshake"),
            (Some(name), _) => event::read(self.behaviour, name, packet.data),
            (None, Some(HANDSHAKE_ID)) if session.step < UP => begin(session, packet),
            (None, Some(_)) => violation("an answer to a call that nobody made"),
            (None, None) => violation("neither an event nor an answer to a call"),
        }
    }
}

fn begin(session: &mut Session, packet: &Packet) -> Meaning<'static> {
    if packet.error.is_some() {
        return closed("the handshake is refused:", packet.error);
    }
    let Some(Status { ping_timeout }) = packet.data.and_then(|data| serde_json::from_str(data.get()).ok()) else {
        return violation("a handshake without pingTimeout");
    };
    session.step = UP;
    session.silence_max_us = us_of_ms(ping_timeout);
    Meaning::Up
}

impl Dialect for SocketCluster {
    /// Without the last stroke both servers answer 400.
    fn target(&self) -> &'static str {
        "/socketcluster/"
    }

    fn open(&self, _: &mut Session, replies: &mut Vec<Outgoing>) -> bool {
        replies.push(Outgoing::text(HANDSHAKE));
        false
    }

    fn read<'a>(&self, session: &mut Session, message: Incoming<'a>, replies: &mut Vec<Outgoing>) -> Meaning<'a> {
        let (ping, pong) = self.heartbeat();
        if message.kind == Type::Text && message.body == ping {
            replies.push(Outgoing::text(pong));
            return Meaning::Housekeeping;
        }
        Packet::read(message.kind, message.body)
            .map_or_else(|meaning| meaning, |packet| self.read_packet(session, &packet))
    }

    fn write(&self, _: Type, payload: &[u8]) -> Vec<Template> {
        Vec::from_iter(event::write(self.behaviour, payload, [r#"{"event":""#, r#"","data":"#, "}"]))
    }

    /// Version 20 just closes.
    fn farewell(&self) -> Option<Outgoing> {
        (self.version == 14).then(|| Outgoing::text(DISCONNECT))
    }

    /// Its JSON makes binary base64, and leaves it so.
    fn is_binary(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::super::Answer;
    use super::*;

    /// SocketCluster 14.4.2 and socketcluster-server 20.0.1
    const STATUS_14: &str =
        r#"{"rid":1,"data":{"id":"MCvhEiNP6iCAMDNHAAAA","pingTimeout":20000,"isAuthenticated":false}}"#;
    const STATUS_20: &str =
        r#"{"rid":1,"data":{"id":"kbCqKAvpoioDBS7rAAAA","pingTimeout":30000,"isAuthenticated":false}}"#;

    fn read<'a>(dialect: &SocketCluster, session: &mut Session, text: &'a str) -> (Meaning<'a>, Vec<Outgoing>) {
        let mut replies = Vec::new();
        let message = Incoming { kind: Type::Text, body: text.as_bytes() };
        (dialect.read(session, message, &mut replies), replies)
    }

    fn up(version: u8, behaviour: Behaviour) -> (SocketCluster, Session) {
        (SocketCluster { version, behaviour }, Session { step: UP, ..Session::default() })
    }

    #[test]
    fn a_session_is_up_once_the_handshake_is_answered_and_only_then() {
        for (version, status, silence_max_us) in [(14, STATUS_14, 20_000_000), (20, STATUS_20, 30_000_000)] {
            let dialect = SocketCluster { version, behaviour: Behaviour::Echo };
            let (mut session, mut replies) = (Session::default(), Vec::new());
            assert!(!dialect.open(&mut session, &mut replies));
            assert_eq!(replies, [Outgoing::text(HANDSHAKE)]);
            assert_eq!(read(&dialect, &mut session, status), (Meaning::Up, vec![]));
            assert_eq!((session.silence_max_us, session.ping_every_us), (silence_max_us, 0));
            assert!(matches!(read(&dialect, &mut session, status).0, Meaning::Violation(_)));
        }
    }

    #[test]
    fn each_version_has_a_heartbeat_of_its_own() {
        for (version, ping, pong) in [(14, "#1", "#2"), (20, "", "")] {
            let (dialect, mut session) = up(version, Behaviour::Echo);
            assert_eq!(read(&dialect, &mut session, ping), (Meaning::Housekeeping, vec![Outgoing::text(pong)]));
        }
        let (dialect, mut session) = up(20, Behaviour::Echo);
        assert!(matches!(read(&dialect, &mut session, "#1").0, Meaning::Violation(_)));
    }

    #[test]
    fn an_echo_is_an_event_with_the_payload_unescaped() {
        let (dialect, mut session) = up(14, Behaviour::Echo);
        let wire = r#"{"event":"echo","data":"quote \" back \\ nul \u0000 é"}"#;
        let payload = "quote \" back \\ nul \0 é".as_bytes();
        let template = &dialect.write(Type::Text, payload)[0];
        assert_eq!((&template.message, template.payload_at), (&Outgoing::text(wire), Some(24)));
        let body = Cow::Borrowed(payload);
        let answer = Meaning::Answer(Answer::Payload { kind: Type::Text, body });
        assert_eq!(read(&dialect, &mut session, wire), (answer, vec![]));
    }

    #[test]
    fn a_pong_carries_a_count_and_the_protocols_own_events_are_housekeeping() {
        let (dialect, mut session) = up(20, Behaviour::PingPong);
        let mut read = |text| read(&dialect, &mut session, text).0;
        assert_eq!(read(r#"{"event":"pong","data":2}"#), Meaning::Answer(Answer::Count(2)));
        assert_eq!(read(r##"{"event":"#removeAuthToken","data":null}"##), Meaning::Housekeeping);
    }

    #[test]
    fn a_server_can_end_a_session_or_refuse_it() {
        let (dialect, mut session) = up(14, Behaviour::Echo);
        assert!(matches!(read(&dialect, &mut session, DISCONNECT).0, Meaning::Closed(_)));
        let refusal = r#"{"rid":1,"error":{"name":"AuthTokenInvalidError","message":"jwt malformed"}}"#;
        assert!(matches!(read(&dialect, &mut Session::default(), refusal).0, Meaning::Closed(_)));
    }
}
