//! A service's own messages: first messages, answers, and all other messages.

use super::shared::{opcode_of, Shared};
use super::{Connection, State};
use crate::clock::NS_PER_S;
use crate::message::flight::{Known, Place};
use crate::message::own::{number_of, Messages, Read, Ready, Step, ACK};
use crate::message::template::{Template, Values};
use crate::random::Draws;
use crate::websocket::deflate::Deflate;
use crate::websocket::frame;
use rand::Rng;

/// Ids carry the full number: no wrap-around.
const MODULUS: u64 = 1 << 63;
/// A time may be this far ahead, since services round it. One further ahead is of another clock, or in another unit.
const ROUNDED_BY_MAX_NS: u64 = NS_PER_S / 1000;

impl Connection {
    /// The dialect's handshake is complete.
    pub(super) fn join(&mut self, shared: &mut Shared) {
        self.step = 0;
        self.go_on_joining(shared);
    }

    /// Sends first messages up to the next step that is awaited. The connection is up after the last.
    fn go_on_joining(&mut self, shared: &mut Shared) {
        let Some(messages) = shared.messages.clone() else { return self.up(shared) };
        while let Some(step) = messages.opening.get(self.step) {
            let Step::Send(first) = step else { return self.state = State::Joining };
            let mut body = shared.before.as_bytes().to_vec();
            shared.render(first, 1 + u64::from(self.index), self.index, shared.now_ns, &mut body);
            shared.add_own_body(&body, self.deflate.as_deref_mut());
            self.step += 1;
        }
        self.up(shared);
    }

    /// A message before the connection is up: is it the awaited one?
    pub(super) fn on_joining(&mut self, body: &[u8], shared: &mut Shared) {
        if self.awaited(shared).is_some_and(|ready| Read::of(body).is_ready(ready)) {
            self.step += 1;
            self.go_on_joining(shared);
        } else {
            shared.tally.unasked(shared.now_ns);
        }
    }

    /// What the service is to say before it is told more.
    pub(super) fn awaited<'a>(&self, shared: &'a Shared) -> Option<&'a Ready> {
        match shared.messages.as_ref()?.opening.get(self.step)? {
            Step::Await(ready) => Some(ready),
            Step::Send(_) => None,
        }
    }

    pub(super) fn on_own(&mut self, body: &[u8], shared: &mut Shared) {
        let Some(messages) = shared.messages.clone() else { return };
        let read = Read::of(body);
        let pointer = messages.own.answer.as_deref().filter(|answer| *answer != ACK);
        let id = pointer.and_then(|pointer| read.number(pointer));
        if !id.is_some_and(|id| self.is_answer(id, body.len(), shared)) {
            count_other(&messages, &read, shared);
        }
    }

    /// An acknowledgement. Only its id is looked at.
    pub(super) fn on_acknowledged(&mut self, id: u64, shared: &mut Shared) {
        let is_asked = shared.messages.as_ref().is_some_and(|messages| messages.own.answer.as_deref() == Some(ACK));
        if !is_asked || !self.is_answer(id, 0, shared) {
            shared.tally.unasked(shared.now_ns);
        }
    }

    /// Finds the message of an id, and counts its answer.
    fn is_answer(&mut self, id: u64, body_b: usize, shared: &mut Shared) -> bool {
        let own = number_of(id, shared.load.config.connections).filter(|(_, connection)| *connection == self.index);
        let Some(number) = own.and_then(|(number, _)| number.checked_sub(self.earlier)) else { return false };
        match self.flight.find(number, MODULUS) {
            Known::Out(place) if self.flight.is_written(place, self.unwritten(shared)) => {
                let Some(sent) = self.flight.take(place) else { return false };
                if matches!(place, Place::Skipped(_)) {
                    shared.tally.out_of_order(sent.intended_ns);
                }
                self.settle(sent, body_b, true, shared);
                true
            }
            Known::Answered(_) => {
                shared.tally.duplicate(shared.now_ns);
                true
            }
            _ => false,
        }
    }
}

/// Counts a message that answers nothing.
fn count_other(messages: &Messages, read: &Read, shared: &mut Shared) {
    if !messages.own.subscribe {
        return shared.tally.unasked(shared.now_ns);
    }
    let Some(sent_at) = &messages.own.sent_at else { return shared.tally.delivered(shared.now_ns, None) };
    let wall_ns = shared.now_ns + shared.wall_ahead_ns;
    match read.time_ns(sent_at).filter(|sent_ns| *sent_ns <= wall_ns + ROUNDED_BY_MAX_NS) {
        Some(sent_ns) => shared.tally.delivered(shared.now_ns, Some(wall_ns.saturating_sub(sent_ns))),
        None => shared.tally.undated(shared.now_ns),
    }
}

impl Shared<'_> {
    /// Do messages of the load get answers?
    pub fn awaits_answers(&self) -> bool {
        self.messages.as_ref().is_none_or(|messages| messages.own.answer.is_some())
    }

    /// Does the load send messages?
    pub fn sends(&self) -> bool {
        self.messages.as_ref().is_none_or(|messages| messages.message.is_some())
    }

    fn render(&self, template: &Template, id: u64, connection: u32, due_ns: u64, out: &mut Vec<u8>) {
        let due_us = (due_ns + self.wall_ahead_ns) / 1000;
        let mut draws = Draws::new(self.load.config.seed.wrapping_add((id >> 16) as u32), id as u32);
        template.write(out, &mut Values { id, connection, due_us, draws: &mut draws, data: &self.load.data });
    }

    /// Adds a message of the service's own to `out`. Returns its length.
    pub(super) fn add_own(&mut self, id: u64, connection: u32, due_ns: u64, deflate: Option<&mut Deflate>) -> usize {
        let Some(messages) = self.messages.clone() else { return 0 };
        let mut body = std::mem::take(&mut self.stamped);
        body.clear();
        body.extend_from_slice(self.before.as_bytes());
        if let Some(message) = &messages.message {
            self.render(message, id, connection, due_ns, &mut body);
        }
        self.add_own_body(&body, deflate);
        let body_b = body.len() - self.before.len();
        self.stamped = body;
        body_b
    }
    fn add_own_body(&mut self, body: &[u8], deflate: Option<&mut Deflate>) {
        let (opcode, mask) = (opcode_of(self.pool.kind), self.masks.next_u32());
        match deflate {
            None => frame::write(&mut self.out, opcode, body, mask),
            Some(deflate) => {
                self.wire.clear();
                deflate.compress(body, &mut self.wire, &mut self.forgetful);
                self.tally.deflate.sent(body.len(), self.wire.len());
                frame::write_compressed(&mut self.out, opcode, &self.wire, mask);
            }
        }
    }
}
