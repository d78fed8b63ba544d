//! SocketCluster's protocol in versions 14 and 20, directly on WebSocket.
//!
//! An event is `{"event":name,"data":data}`. With a `cid` it is a call, answered by `{"rid":cid,"data":data}`. The
//! client starts with the call `#handshake`. Names that begin with `#` belong to the protocol. By default the server
//! pings every 8 s. In version 14 it sends `#1` and expects `#2`, in version 20 an empty message each way.
//!
//! Broadcasts are published to a channel, `{"event":"#publish","data":{"channel":name,"data":data}}`. Clients subscribe
//! to the channel by a call.

use super::{event, us_of_ms, Answer, Behaviour, Dialect, Incoming, Meaning, Outgoing, Session, Template, Type};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;

pub struct SocketCluster {
    pub version: u8,
    pub behaviour: Behaviour,
}

/// `Session::step` after the handshake, while a broadcast's subscription is unanswered.
const GREETED: u8 = 1;
const UP: u8 = 2;
/// Ids of the calls.
const HANDSHAKE_ID: u64 = 1;
const SUBSCRIPTION_ID: u64 = 2;
const HANDSHAKE: &str = r##"{"event":"#handshake","data":{"authToken":null},"cid":1}"##;
const SUBSCRIPTION: &str = r##"{"event":"#subscribe","data":{"channel":"broadcast"},"cid":2}"##;
const DISCONNECT: &str = r##"{"event":"#disconnect","data":{"code":1000}}"##;

/// A message, also of the 2014 protocol: an event, or the answer to a call (`rid`; in 2014 `cid`).
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
    /// Reads a message. A batch of events, which would count as one, is refused. Versions 14 and 20 can be told to
    /// batch, but no server of the suite is.
    pub fn read(kind: Type, body: &'a [u8]) -> Result<Self, Meaning<'static>> {
        match serde_json::from_slice(body) {
            Ok(packet) if kind == Type::Text => Ok(packet),
            _ => Err(violation("neither an event nor an answer to a call")),
        }
    }
}

/// Not valid SocketCluster, and why.
pub fn violation(why: &'static str) -> Meaning<'static> {
    Meaning::Violation(Cow::Owned(format!("socketcluster: {why}")))
}

/// The server ended the session, and its words.
pub fn closed(what: &str, words: Option<&RawValue>) -> Meaning<'static> {
    Meaning::Closed(format!("socketcluster: {what} {}", event::quote(words.map_or("", RawValue::get))).into())
}

/// The server's answer to the handshake; times in ms.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Status {
    ping_timeout: u64,
}

/// A published message. The channel has the name of the event.
#[derive(Deserialize)]
struct Publication<'a> {
    #[serde(borrow)]
    channel: &'a RawValue,
    #[serde(borrow)]
    data: Option<&'a RawValue>,
}

impl SocketCluster {
    /// The server's ping and the client's answer.
    fn heartbeat(&self) -> (&'static [u8], &'static str) {
        match self.version {
            14 => (b"#1", "#2"),
            _ => (b"", ""),
        }
    }

    fn read_packet<'a>(&self, session: &mut Session, packet: &Packet<'a>, replies: &mut Vec<Outgoing>) -> Meaning<'a> {
        match (packet.event, packet.rid) {
            (Some(name), _) if event::is_named(name, "#disconnect") => closed("#disconnect", packet.data),
            (Some(name), _) if event::is_named(name, "#publish") && session.step == UP => self.read_published(packet),
            (Some(name), _) if name.get().starts_with("\"#") => Meaning::Housekeeping, // about tokens and channels
            (Some(_), _) if session.step < UP => violation("an event before the handshake"),
            (Some(_), _) if self.is_published() => Meaning::Answer(Answer::Unasked),
            (Some(name), _) => event::read(self.behaviour, name, packet.data),
            (None, Some(HANDSHAKE_ID)) if session.step < GREETED => self.begin(session, packet, replies),
            (None, Some(SUBSCRIPTION_ID)) if session.step == GREETED => join(session, packet),
            (None, Some(_)) => violation("an answer to a call that nobody made"),
            (None, None) => violation("neither an event nor an answer to a call"),
        }
    }

    /// Is this a message of the service's own? All are, after the handshake, except `#disconnect`.
    fn is_own(&self, packet: &Packet, session: &Session) -> bool {
        let is_end = packet.event.is_some_and(|name| event::is_named(name, "#disconnect"));
        self.behaviour == Behaviour::Own && session.step == UP && !is_end
    }

    fn is_published(&self) -> bool {
        self.behaviour == Behaviour::Broadcast
    }

    fn read_published<'a>(&self, packet: &Packet<'a>) -> Meaning<'a> {
        let read: Option<Publication<'a>> = packet.data.and_then(|data| serde_json::from_str(data.get()).ok());
        match read {
            Some(Publication { channel, data }) if self.is_published() => event::read(self.behaviour, channel, data),
            _ => Meaning::Housekeeping,
        }
    }

    fn begin(&self, session: &mut Session, packet: &Packet, replies: &mut Vec<Outgoing>) -> Meaning<'static> {
        if packet.error.is_some() {
            return closed("the handshake is refused:", packet.error);
        }
        let Some(Status { ping_timeout }) = packet.data.and_then(|data| serde_json::from_str(data.get()).ok()) else {
            return violation("a handshake without pingTimeout");
        };
        session.silence_max_us = us_of_ms(ping_timeout);
        if self.is_published() {
            session.step = GREETED;
            replies.push(Outgoing::text(SUBSCRIPTION));
            return Meaning::Housekeeping;
        }
        session.step = UP;
        Meaning::Up
    }
}

fn join(session: &mut Session, packet: &Packet) -> Meaning<'static> {
    if packet.error.is_some() {
        return closed("the subscription is refused:", packet.error);
    }
    session.step = UP;
    Meaning::Up
}

impl Dialect for SocketCluster {
    /// Without the trailing slash both servers answer 400.
    fn target(&self) -> &'static str {
        "/socketcluster/"
    }

    fn open(&self, _: &mut Session, replies: &mut Vec<Outgoing>) -> bool {
        replies.push(Outgoing::text(HANDSHAKE));
        false
    }

    fn before_own(&self) -> Option<&'static str> {
        Some("")
    }

    fn read<'a>(&self, session: &mut Session, message: Incoming<'a>, replies: &mut Vec<Outgoing>) -> Meaning<'a> {
        let (ping, pong) = self.heartbeat();
        if message.kind == Type::Text && message.body == ping {
            replies.push(Outgoing::text(pong));
            return Meaning::Housekeeping;
        }
        match Packet::read(message.kind, message.body) {
            Err(meaning) => meaning,
            Ok(packet) if self.is_own(&packet, session) => {
                Meaning::Answer(Answer::Payload { kind: Type::Text, body: Cow::Borrowed(message.body) })
            }
            Ok(packet) => self.read_packet(session, &packet, replies),
        }
    }

    fn write(&self, _: Type, payload: &[u8]) -> Vec<Template> {
        let around = match self.is_published() {
            true => [r##"{"event":"#publish","data":{"channel":""##, r#"","data":"#, "}}"],
            false => [r#"{"event":""#, r#"","data":"#, "}"],
        };
        Vec::from_iter(event::write(self.behaviour, payload, around))
    }

    /// Version 20 closes without a message.
    fn farewell(&self) -> Option<Outgoing> {
        (self.version == 14).then(|| Outgoing::text(DISCONNECT))
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
    fn a_broadcast_is_published_to_a_channel_to_which_a_session_subscribes_before_it_is_up() {
        let dialect = SocketCluster { version: 20, behaviour: Behaviour::Broadcast };
        let mut session = Session::default();
        let subscription = vec![Outgoing::text(SUBSCRIPTION)];
        assert_eq!(read(&dialect, &mut session, STATUS_20), (Meaning::Housekeeping, subscription));
        assert_eq!(read(&dialect, &mut session, r#"{"rid":2}"#), (Meaning::Up, vec![]));
        let wire = r##"{"event":"#publish","data":{"channel":"broadcast","data":"a \" é"}}"##;
        let template = &dialect.write(Type::Text, "a \" é".as_bytes())[0];
        assert_eq!((&template.message, template.payload_at), (&Outgoing::text(wire), Some(58)));
        let body = Cow::Borrowed("a \" é".as_bytes());
        let answer = Meaning::Answer(Answer::Payload { kind: Type::Text, body });
        assert_eq!(read(&dialect, &mut session, wire), (answer, vec![]));
        let other = r##"{"event":"#publish","data":{"channel":"news","data":"a"}}"##;
        assert_eq!(read(&dialect, &mut session, other), (Meaning::Answer(Answer::Unasked), vec![]));
    }

    #[test]
    fn a_subscription_can_be_refused_and_only_a_broadcast_makes_one() {
        let refusal = r#"{"rid":2,"error":{"name":"BrokerError","message":"no"}}"#;
        let dialect = SocketCluster { version: 14, behaviour: Behaviour::Broadcast };
        let mut session = Session { step: GREETED, ..Session::default() };
        assert!(matches!(read(&dialect, &mut session, refusal).0, Meaning::Closed(_)));
        let (dialect, mut session) = up(14, Behaviour::Echo);
        assert!(matches!(read(&dialect, &mut session, r#"{"rid":2}"#).0, Meaning::Violation(_)));
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
