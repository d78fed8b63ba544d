//! What the connections of one thread share.

use crate::clock::{self, NS_PER_S};
use crate::config::Config;
use crate::dialect::event::PING_DATA_B;
use crate::dialect::websocket::JSON_PING_B;
use crate::dialect::{by_name, Behaviour, Dialect, Outgoing, Type};
use crate::load::Load;
use crate::message::number::{self, WHOLE_B};
use crate::message::own::{Messages, Own};
use crate::message::payload::Pool;
use crate::message::stamp;
use crate::tally::Tally;
use crate::tls::Terms;
use crate::websocket::deflate::{Deflate, Forgetful};
use crate::websocket::frame::{self, Opcode};
use crate::websocket::handshake::Asked;
use rand::rngs::StdRng;
use rand::Rng;
use std::rc::Rc;

/// Messages in `out` whose bytes the socket has still to take.
#[derive(Clone, Copy, Debug)]
pub struct Queued {
    /// where in the bytes the last of them ends
    pub end: usize,
    pub intended_ns: u64,
    pub payload_b: u32,
    /// of one length, due at the same time, in a row
    pub count: u32,
    /// bytes of each, with all that is round the payload
    pub wire_b: u32,
    /// they were due before, and waited for an answer (`max_outstanding`)
    pub has_waited: bool,
}

impl Queued {
    /// How many of them are whole in the first `written` bytes.
    pub fn written(&self, written: usize) -> u32 {
        let left_b = self.end.saturating_sub(written);
        self.count - self.count.min(left_b.div_ceil(self.wire_b.max(1) as usize) as u32)
    }
}

/// What a message is stamped with when it goes out.
pub(super) struct Clock {
    pub intended_ns: u64,
    pub now_ns: u64,
    pub wall_ns: u64,
}

impl Clock {
    /// Writes over the beginning of a payload, which is masked already.
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
    /// Is compression offered?
    pub deflates: bool,
    /// What the requests ask for, and their further headers
    pub asked: Asked,
    pub headers: String,
    pub terms: Option<Terms>,
    /// A service's own messages, and what the dialect puts before them
    pub messages: Option<Rc<Messages>>,
    pub before: &'static str,
    pub pool: Pool,
    pub tally: Tally,
    /// A cipher seeded by the kernel: a mask must not be guessed (RFC 6455, section 10.3)
    pub masks: StdRng,
    /// The time now; set again whenever it matters
    pub now_ns: u64,
    /// What is about to be written to one socket, and the messages of the load in it
    pub out: Vec<u8>,
    /// TLS: what came in records that were just read, and records that are about to be written
    pub plain: Vec<u8>,
    pub wire: Vec<u8>,
    /// Compression: messages as they are without, one that came and one that goes, and what those share that keep no window
    pub message: Vec<u8>,
    pub stamped: Vec<u8>,
    pub forgetful: Forgetful,
    pub queued: Vec<Queued>,
    /// how many those are
    pub queued_messages: usize,
    pub replies: Vec<Outgoing>,
    /// Closed loop: so many messages are out on each connection; 0 for the open processes
    pub outstanding: u32,
    /// Which of the server's addresses took the last connection: it is tried first
    pub address: usize,
    /// Messages out, over all connections
    pub in_flight: usize,
    /// Wall clock less monotonic clock
    pub(super) wall_ahead_ns: u64,
}

impl<'l> Shared<'l> {
    /// Errors: the dialect does not have the behaviour, or what TLS needs is missing.
    pub fn new(load: &'l Load) -> Result<Self, String> {
        let behaviour = load.config.behaviour;
        let dialect = by_name::create(&load.config.dialect, behaviour)?;
        let terms = load.url.is_tls.then(|| Terms::new(&load.config.tls, &load.url.host)).transpose()?;
        Ok(Self {
            load,
            behaviour,
            is_framed: dialect.is_framed(),
            is_plain: dialect.is_plain(),
            messages: load.config.messages.as_ref().map(Own::read).transpose()?.map(Rc::new),
            before: dialect.before_own().unwrap_or(""),
            reads_freely: load.config.client.reads_freely(),
            is_tls: terms.is_some(),
            deflates: load.config.deflate.is_some(),
            headers: headers(&load.config)?,
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
        })
    }

    /// Adds a message of the dialect's own to `out`.
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

    /// Adds a message of a connection to `out`: its number over all its sessions, and in this one. Returns which payload it carries.
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
            let id = number_of_all * u64::from(self.load.config.connections) + u64::from(connection);
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

    /// Notes that a message stands at the end of `out`.
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

    /// What was about to be written goes nowhere: the connection is gone.
    pub fn forget(&mut self) {
        self.out.clear();
        self.queued_messages = 0;
        for queued in self.queued.drain(..) {
            (0..queued.count).for_each(|_| self.tally.unsent(queued.intended_ns, true));
        }
    }

    /// Bytes of application payload: of a ping, the JSON of the event's data alone (clients/CONTRACT.md).
    fn sent_b(&self, payload_b: usize) -> u32 {
        match self.behaviour {
            Behaviour::PingPong => PING_DATA_B,
            Behaviour::JsonPing => JSON_PING_B,
            _ => payload_b as u32,
        }
    }
}

/// Further headers of the requests, each with its line's end.
fn headers(config: &Config) -> Result<String, String> {
    let deflate = config.deflate.iter().map(|offer| format!("Sec-WebSocket-Extensions: {}\r\n", offer.header()));
    Ok(config.request.lines()? + &deflate.collect::<String>())
}

pub(super) fn opcode_of(kind: Type) -> Opcode {
    match kind {
        Type::Text => Opcode::Text,
        Type::Binary => Opcode::Binary,
    }
}
