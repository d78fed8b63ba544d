//! Reads bytes and turns them into messages.

use super::end::End;
use super::schedule::WRITE_B;
use super::shared::Shared;
use super::slowness::Allowance;
use super::socket;
use super::{Connection, Input, State};
use crate::clock;
use crate::dialect::{Answer, Incoming, Meaning};
use crate::message::number;
use crate::message::payload::MESSAGE_MAX_B;
use crate::websocket::close::{self, Violation};
use crate::websocket::frame::Opcode;
use crate::websocket::handshake;
use crate::websocket::reader::{self, Event, Fragments};
use std::io::ErrorKind;

/// Full buffers read from one connection before others have their turn.
const READS_A_TURN: usize = 4;
/// Most heartbeat answers queued for a server that does not read. Further ones are dropped.
const REPLIES_MAX: usize = 1000;

impl Connection {
    /// Reads up to `READS_A_TURN` buffers. Connections share `buffer`. `is_ending`: the server has ended the stream.
    /// Returns whether there may be more to read.
    pub fn on_readable(&mut self, is_ending: bool, shared: &mut Shared, buffer: &mut [u8]) -> bool {
        debug_assert!(shared.out.is_empty(), "what is left here goes out on the wrong connection");
        for _ in 0..READS_A_TURN {
            let allowed_b = match shared.reads_freely {
                true => buffer.len(),
                false => match self.allow_reading(is_ending, shared) {
                    Allowance::All => buffer.len(),
                    Allowance::Some(allowed_b) => allowed_b.min(buffer.len()),
                    Allowance::Nothing => return false,
                },
            };
            let Some(stream) = &self.stream else { return false };
            let read = socket::receive(stream, &mut buffer[..allowed_b]);
            shared.now_ns = clock::now_ns();
            match read {
                Ok(0) => self.end(End::Peer(close::ABNORMAL, String::new()), shared),
                Ok(read_b) => {
                    self.heard_ns = shared.now_ns;
                    if !shared.reads_freely {
                        self.charge(read_b);
                    }
                    let bytes = &mut buffer[..read_b];
                    let taken = if shared.is_tls { self.take_secured(bytes, shared) } else { self.take(bytes, shared) };
                    match taken {
                        Ok(()) => self.flush(shared),
                        Err(end) => self.end(end, shared),
                    }
                    if read_b < allowed_b && !is_ending {
                        return false; // drained: by epoll(7), a short read means the same as EAGAIN
                    }
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return false,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => self.end(End::Error(error), shared),
            }
        }
        self.stream.is_some()
    }

    /// Handles bytes as they come, and keeps those of an incomplete frame or head.
    #[inline]
    pub(super) fn take(&mut self, bytes: &[u8], shared: &mut Shared) -> Result<(), End> {
        if self.state == State::Parting {
            return Ok(()); // only waiting for the end of TCP
        }
        let Some(mut input) = self.input.take() else {
            let taken = self.consume(bytes, shared)?;
            if taken < bytes.len() {
                self.keep(bytes[taken..].to_vec(), shared);
            }
            return Ok(());
        };
        input.bytes.extend_from_slice(bytes);
        if input.bytes.len() < input.wanted_b {
            self.input = Some(input);
            return Ok(());
        }
        let taken = self.consume(&input.bytes, shared)?;
        input.bytes.drain(..taken);
        if !input.bytes.is_empty() {
            self.keep(input.bytes, shared);
        }
        Ok(())
    }

    pub(super) fn keep(&mut self, bytes: Vec<u8>, shared: &Shared) {
        let wanted_b = match self.state {
            State::Proxying | State::Upgrading => bytes.len() + 1,
            _ if !shared.is_framed => bytes.len() + 1,
            _ => reader::wanted_b(&bytes, MESSAGE_MAX_B),
        };
        self.input = Some(Box::new(Input { bytes, wanted_b }));
    }

    /// Handles complete frames and heads. Returns how many bytes they had.
    #[inline]
    pub(super) fn consume(&mut self, bytes: &[u8], shared: &mut Shared) -> Result<usize, End> {
        if self.state == State::Proxying {
            return self.read_proxy(bytes, shared);
        }
        if !shared.is_framed {
            return Ok(self.consume_stream(bytes, shared));
        }
        let head_b = if self.state == State::Upgrading { self.read_upgrade(bytes, shared)? } else { 0 };
        if self.state == State::Upgrading {
            return Ok(0);
        }
        let mut fragments = self.fragments.take();
        let consumed = self.consume_frames(&bytes[head_b..], &mut fragments, shared);
        self.fragments = fragments;
        consumed.map(|taken| head_b + taken)
    }

    pub(super) fn read_upgrade(&mut self, bytes: &[u8], shared: &mut Shared) -> Result<usize, End> {
        let key = self.key.as_deref().unwrap_or_default();
        let Some(agreement) = handshake::read(bytes, key, &shared.asked).map_err(End::NotUpgraded)? else {
            return Ok(0);
        };
        self.key = None;
        self.agree(&agreement, shared);
        self.greet(Some(shared.now_ns), shared);
        Ok(agreement.head_b)
    }

    #[inline]
    pub(super) fn consume_frames(
        &mut self,
        bytes: &[u8],
        fragments: &mut Option<Box<Fragments>>,
        shared: &mut Shared,
    ) -> Result<usize, End> {
        let deflates = shared.deflates && self.deflate.is_some();
        let mut at = 0;
        loop {
            let (taken, event) =
                reader::next(&bytes[at..], fragments, MESSAGE_MAX_B, deflates).map_err(End::Violation)?;
            at += taken;
            match event {
                None => return Ok(at),
                Some(Event::Message { kind, body, is_compressed: false }) => {
                    self.on_message(Incoming { kind, body }, shared)?;
                }
                Some(Event::Message { kind, body, is_compressed: true }) => {
                    self.on_compressed(Incoming { kind, body }, shared)?;
                }
                Some(Event::Ping(body)) => self.pong(body, shared),
                Some(Event::Pong(body)) => self.on_pong(body, shared),
                Some(Event::Close(code, reason)) => return Err(End::Peer(code, reason.into())),
            }
        }
    }

    /// Plain TCP: cuts the stream where the answer to the oldest message must end.
    pub(super) fn consume_stream(&mut self, bytes: &[u8], shared: &mut Shared) -> usize {
        let mut at = 0;
        while let Some(oldest) = self.flight.oldest() {
            let payload = oldest.payload;
            let payload_b = shared.pool.get(payload).body.len();
            let Some(body) = bytes.get(at..at + payload_b) else { return at };
            let is_numbered = number::read(&body[..number::letters_of(payload_b)]).is_some_and(|number| {
                self.flight.next(number.into(), 1 << (4 * number::letters_of(payload_b))).is_some()
            });
            let Some(sent) = self.take_next(shared) else { break };
            at += payload_b;
            let is_right = is_numbered && shared.pool.is_echo(payload, shared.pool.kind, body);
            self.settle(sent, payload_b, is_right, shared);
        }
        if at < bytes.len() {
            shared.tally.unasked(shared.now_ns);
        }
        bytes.len()
    }

    #[inline]
    pub(super) fn on_message(&mut self, message: Incoming, shared: &mut Shared) -> Result<(), End> {
        if matches!(self.state, State::Closing | State::Parting | State::Gone) {
            return Ok(()); // RFC 6455, section 5.5.1: after its close frame this side sends nothing more
        }
        if shared.is_plain && self.state.is_up() {
            let is_right = self.on_payload(message.kind, message.body, shared);
            return if is_right {
                Ok(())
            } else {
                reader::check_text(message.kind, message.body).map_err(End::Violation)
            };
        }
        reader::check_text(message.kind, message.body).map_err(End::Violation)?;
        let meaning = shared.dialect.read(&mut self.session, message, &mut shared.replies);
        if !shared.replies.is_empty() {
            self.reply(shared);
        }
        match meaning {
            Meaning::Answer(answer) if self.state.is_up() => self.on_answer(answer, shared),
            Meaning::Answer(Answer::Payload { body, .. }) if self.state == State::Joining => {
                self.on_joining(&body, shared);
            }
            Meaning::Answer(_) if matches!(self.state, State::Greeting | State::Joining) => {
                shared.tally.unasked(shared.now_ns)
            }
            Meaning::Answer(_) | Meaning::Housekeeping => {}
            Meaning::Up if self.state == State::Greeting => self.join(shared),
            Meaning::Up => return Err(violation("the handshake was completed twice")),
            Meaning::Closed(reason) => return Err(End::Dialect(reason.into_owned())),
            Meaning::Violation(reason) => return Err(violation(reason)),
        }
        Ok(())
    }

    pub(super) fn reply(&mut self, shared: &mut Shared) {
        if let Some(backlog) = &mut self.backlog {
            backlog.replies += shared.replies.len();
            if backlog.replies > REPLIES_MAX {
                return shared.replies.clear();
            }
        }
        let mut replies = std::mem::take(&mut shared.replies);
        replies.drain(..).for_each(|reply| shared.add(&reply));
        shared.replies = replies;
    }

    /// If the server pings but does not read, only its last ping is answered (RFC 6455, section 5.5.3): pongs must not
    /// pile up.
    fn pong(&mut self, body: &[u8], shared: &mut Shared) {
        if self.backlog.is_none() && shared.out.len() < WRITE_B {
            shared.add_control(Opcode::Pong, body);
        } else {
            self.backlog.get_or_insert_default().pong = Some(body.into());
        }
    }
}

fn violation(reason: impl Into<String>) -> End {
    End::Violation(Violation::new(close::PROTOCOL_ERROR, reason))
}
