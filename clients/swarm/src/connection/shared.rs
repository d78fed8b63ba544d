//! State shared by all connections of a thread.

use crate::clock::{self, NS_PER_S};
use crate::dialect::event::PING_DATA_B;
use crate::dialect::websocket::JSON_PING_B;
use crate::dialect::{by_name, Behaviour, Dialect, Outgoing, Type};
use crate::load::Load;
use crate::message::number::{self, WHOLE_B};
use crate::message::own::{id_of, Messages};
use crate::message::payload::Pool;
use crate::message::stamp;
use crate::message::template::Template;
use crate::tally::Tally;
use crate::tls::Terms;
use crate::websocket::deflate::{Deflate, Forgetful};
use crate::websocket::frame::{self, Opcode};
use crate::websocket::handshake::Asked;
use rand::rngs::StdRng;
use rand::Rng;
use std::rc::Rc;

/// Consecutive messages of one length and due time that the socket has not taken yet.
#[derive(Clone, Copy, Debug)]
pub struct Queued {
    /// offset of the end of the last one
    pub end: usize,
    pub intended_ns: u64,
    pub payload_b: u32,
    /// number of messages
    pub count: u32,
    /// bytes of each on the wire
    pub wire_b: u32,
    /// they had to wait for an answer (`max_outstanding`) or for the server to read
    pub has_waited: bool,
}

impl Queued {
    /// How many of them lie entirely in the first `written` bytes.
    pub fn written(&self, written: usize) -> u32 {
        let left_b = self.end.saturating_sub(written);
        self.count - self.count.min(left_b.div_ceil(self.wire_b.max(1) as usize) as u32)
    }
}

/// The times for a message's stamp.
pub(super) struct Clock {
    pub intended_ns: u64,
    pub now_ns: u64,
    pub wall_ns: u64,
}

impl Clock {
    /// Overwrites the beginning of a payload that is already masked.
    #[inline]
    pub fn stamp(&self, behaviour: Behaviour, number: u64, payload_b: usize, place: &mut [u8], mask: u32) {
        match behaviour {
            Behaviour::JsonPing => stamp::write(place, &stamp::decimals(self.wall_ns / NS_PER_S), mask),
            Behaviour::Broadcast => {
                stamp::write(place, &stamp::times(number, self.intended_ns, self.now_ns), mask);
            }
            _ => {
                let letters = number::letters(number as u32);
                stamp::write(place, &letters[WHOLE_B - number::letters_of(payload_b)..], mask);
            }
        }
    }
}

pub struct Shared<'l> {
    pub load: &'l Load,
    pub behaviour: Behaviour,
    pub dialect: Box<dyn Dialect>,
    pub is_framed: bool,
    pub is_plain: bool,
    pub reads_freely: bool,
    pub is_tls: bool,
    /// compression is offered
    pub deflates: bool,
    /// what the upgrade requests offer
    pub asked: Asked,
    /// path and query of the upgrade requests
    pub target: Template,
    /// their header Host
    pub host: Template,
    /// their additional headers
    pub headers: Template,
    pub terms: Option<Terms>,
    /// a service's own messages
    pub messages: Option<Rc<Messages>>,
    /// the dialect's prefix for them
    pub before: &'static str,
    pub pool: Pool,
    pub tally: Tally,
    /// a cipher seeded by the kernel: masks must be unpredictable (RFC 6455, section 10.3)
    pub masks: StdRng,
    /// current time, updated whenever it matters
    pub now_ns: u64,
    /// bytes to be written to one socket; `queued` has their messages
    pub out: Vec<u8>,
    /// TLS: decrypted content of the records just read
    pub plain: Vec<u8>,
    /// TLS: records to be written; compression: a compressed message
    pub wire: Vec<u8>,
    /// compression: a received message, decompressed
    pub message: Vec<u8>,
    /// a message to send, before compression
    pub stamped: Vec<u8>,
    /// compression without context takeover
    pub forgetful: Forgetful,
    pub queued: Vec<Queued>,
    /// number of messages in `queued`
    pub queued_messages: usize,
    pub replies: Vec<Outgoing>,
    /// closed loop: messages outstanding on each connection; 0: open loop
    pub outstanding: u32,
    /// index of the server's address that took the last connection; tried first
    pub address: usize,
    /// outstanding messages of all connections
    pub in_flight: usize,
    /// wall clock minus monotonic clock, ns
    pub(super) wall_ahead_ns: u64,
    /// of each connection
    pub(super) backlog_max_b: usize,
}

/// What a server does not take waits in memory: so much for all connections of a thread.
const BACKLOG_ALL_B: usize = 1 << 30;
/// At least, for each connection.
const BACKLOG_EACH_B: usize = 64 << 10;

fn backlog_max_b(connections: usize) -> usize {
    (BACKLOG_ALL_B / connections.max(1)).max(BACKLOG_EACH_B)
}

impl<'l> Shared<'l> {
    /// Errors: the dialect lacks the behaviour, or a file or an option of TLS can't be used.
    pub fn new(load: &'l Load) -> Result<Self, String> {
        let behaviour = load.config.behaviour;
        let dialect = by_name::create(&load.config.dialect, behaviour)?;
        let connections = load.share(f64::from(load.config.connections)).ceil() as usize;
        let (tls, url) = (&load.config.tls, &load.url);
        let terms = url.is_tls.then(|| Terms::new(tls, &url.host, connections, url.is_tcp)).transpose()?;
        Ok(Self {
            load,
            behaviour,
            is_framed: dialect.is_framed(),
            is_plain: dialect.is_plain(),
            messages: load.config.messages.as_ref().map(|own| own.read(&load.data)).transpose()?.map(Rc::new),
            before: dialect.before_own().unwrap_or(""),
            reads_freely: load.config.client.reads_freely(),
            is_tls: terms.is_some(),
            deflates: load.config.deflate.is_some(),
            target: Template::parse_request(&target_of(url.target.as_deref(), dialect.target()), &load.data)?,
            host: load.config.request.host(&load.data)?.unwrap_or_else(|| Template::of_text(&url.authority)),
            headers: headers(load)?,
            asked: Asked {
                deflate: load.config.deflate.clone(),
                subprotocols: load.config.request.subprotocols.clone(),
            },
            terms,
            pool: Pool::new(load.config.payload, load.config.seed, behaviour, dialect.as_ref()),
            dialect,
            tally: Tally::new(load.timing),
            masks: rand::make_rng(),
            now_ns: clock::now_ns(),
            out: Vec::new(),
            plain: Vec::new(),
            wire: Vec::new(),
            message: Vec::new(),
            stamped: Vec::new(),
            forgetful: Forgetful::default(),
            queued: Vec::new(),
            queued_messages: 0,
            replies: Vec::new(),
            outstanding: if load.config.probes { 0 } else { load.config.arrivals.outstanding() },
            address: 0,
            in_flight: 0,
            wall_ahead_ns: clock::wall_ns() - clock::now_ns(),
            backlog_max_b: backlog_max_b(connections),
        })
    }

    /// Adds a message of the dialect itself to `out`.
    pub fn add(&mut self, message: &Outgoing) {
        if self.is_framed {
            frame::write(&mut self.out, opcode_of(message.kind), &message.body, self.masks.next_u32());
        } else {
            self.out.extend_from_slice(&message.body);
        }
    }

    pub fn add_control(&mut self, opcode: Opcode, body: &[u8]) {
        frame::write(&mut self.out, opcode, body, self.masks.next_u32());
    }

    /// Adds a message of the load to `out`. Its numbers count over all sessions, and in this one. Returns its payload's
    /// index.
    #[inline]
    pub fn add_load(
        &mut self,
        connection: u32,
        (number_of_all, number): (u64, u64),
        intended_ns: u64,
        has_waited: bool,
        deflate: Option<&mut Deflate>,
    ) -> u32 {
        let begin = self.out.len();
        if self.behaviour == Behaviour::Own {
            let id = id_of(number_of_all, connection, self.load.config.connections);
            let payload_b = self.add_own(id, connection, intended_ns, deflate);
            self.note(begin, intended_ns, payload_b as u32, has_waited);
            return 0;
        }
        let at = self.pool.choose(connection, number);
        let payload_b = self.pool.get(at).body.len();
        match deflate {
            None => self.add_templates(at, number, intended_ns),
            Some(deflate) => self.add_compressed(at, number, intended_ns, deflate),
        }
        let payload_b = self.sent_b(payload_b);
        self.note(begin, intended_ns, payload_b, has_waited);
        at
    }

    /// Records in `queued` the message at the end of `out`.
    #[inline]
    fn note(&mut self, begin: usize, intended_ns: u64, payload_b: u32, has_waited: bool) {
        let end = self.out.len();
        let wire_b = (end - begin) as u32;
        self.queued_messages += 1;
        match self.queued.last_mut() {
            Some(last)
                if last.intended_ns == intended_ns
                    && last.end == begin
                    && (last.payload_b, last.wire_b) == (payload_b, wire_b) =>
            {
                last.end = end;
                last.count += 1;
            }
            _ => self.queued.push(Queued { end, intended_ns, payload_b, count: 1, wire_b, has_waited }),
        }
    }

    #[inline]
    fn add_templates(&mut self, at: u32, number: u64, intended_ns: u64) {
        let payload = self.pool.get(at);
        let payload_b = payload.body.len();
        for template in &payload.templates {
            let body = &template.message.body;
            self.out.reserve(body.len() + frame::HEAD_MAX_B);
            let mask = if self.is_framed { self.masks.next_u32() } else { 0 };
            let body_at = match self.is_framed {
                true => frame::write_head(&mut self.out, opcode_of(template.message.kind), body.len(), mask),
                false => self.out.len(),
            };
            frame::write_masked(&mut self.out, body, mask);
            if let Some(payload_at) = template.payload_at {
                let place = &mut self.out[body_at + payload_at..];
                let mask = mask.rotate_right(8 * (payload_at as u32 % 4));
                let clock = Clock { intended_ns, now_ns: self.now_ns, wall_ns: self.now_ns + self.wall_ahead_ns };
                clock.stamp(self.behaviour, number, payload_b, place, mask);
            }
        }
    }

    /// The connection is gone: discards `out`, and counts its messages as unsent.
    pub fn forget(&mut self) {
        self.out.clear();
        self.queued_messages = 0;
        for queued in self.queued.drain(..) {
            (0..queued.count).for_each(|_| self.tally.unsent(queued.intended_ns, true));
        }
    }

    /// Length of the application payload; of a ping, that of the event's data (clients/CONTRACT.md).
    fn sent_b(&self, payload_b: usize) -> u32 {
        match self.behaviour {
            Behaviour::PingPong => PING_DATA_B,
            Behaviour::JsonPing => JSON_PING_B,
            _ => payload_b as u32,
        }
    }
}

/// Additional headers of the upgrade requests, each with its CRLF.
fn headers(load: &Load) -> Result<Template, String> {
    let mut headers = load.config.request.lines(&load.data)?;
    if let Some(offer) = &load.config.deflate {
        headers.append(Template::of_text(&format!("Sec-WebSocket-Extensions: {}\r\n", offer.header())));
    }
    Ok(headers)
}

/// Path and query of the request. The dialect's parameters, which choose its protocol, join another path; a query without a path joins
/// the dialect's.
fn target_of(given: Option<&str>, usual: &str) -> String {
    let Some(given) = given else { return usual.to_string() };
    let (usual_path, parameters) = usual.split_once('?').unwrap_or((usual, ""));
    let (path, query) = given.split_once('?').unwrap_or((given, ""));
    let path = if path == "/" { usual_path } else { path };
    let names = |parameter: &str| parameter.split('=').next().unwrap_or_default().to_string();
    let absent = parameters
        .split('&')
        .filter(|usual| !usual.is_empty() && query.split('&').all(|given| names(given) != names(usual)));
    let all: Vec<_> = query.split('&').filter(|given| !given.is_empty()).chain(absent).collect();
    if all.is_empty() {
        path.to_string()
    } else {
        format!("{path}?{}", all.join("&"))
    }
}

pub(super) fn opcode_of(kind: Type) -> Opcode {
    match kind {
        Type::Text => Opcode::Text,
        Type::Binary => Opcode::Binary,
    }
}

#[cfg(test)]
mod tests {
    use super::{backlog_max_b, target_of, BACKLOG_ALL_B, BACKLOG_EACH_B};

    #[test]
    fn what_waits_for_the_server_has_a_bound_whatever_the_number_of_connections() {
        assert_eq!([0, 1].map(backlog_max_b), [BACKLOG_ALL_B; 2]);
        assert_eq!(backlog_max_b(1024), 1 << 20);
        assert_eq!(backlog_max_b(1_000_000), BACKLOG_EACH_B);
    }

    #[test]
    fn a_path_of_ones_own_keeps_the_parameters_of_the_dialect() {
        let usual = "/socket.io/?EIO=4&transport=websocket";
        for (given, target) in [
            (None, usual),
            (Some("/chat/"), "/chat/?EIO=4&transport=websocket"),
            (Some("/chat/?room=1&EIO=3"), "/chat/?room=1&EIO=3&transport=websocket"),
            (Some("/?token=x"), "/socket.io/?token=x&EIO=4&transport=websocket"),
        ] {
            assert_eq!(target_of(given, usual), target);
        }
        assert_eq!(target_of(Some("/ws?a"), "/"), "/ws?a");
        assert_eq!(target_of(Some("/?a"), "/"), "/?a");
        assert_eq!(target_of(Some("/?a"), "/socketcluster/"), "/socketcluster/?a");
        assert_eq!(target_of(Some("/chat"), "/socketcluster/"), "/chat");
        assert_eq!(target_of(None, "/"), "/");
    }
}
