//! Matches answers with messages.

use super::shared::Shared;
use super::{Connection, State};
use crate::dialect::websocket::JSON_PING_B;
use crate::dialect::{Answer, Behaviour, Type};
use crate::message::flight::{Known, Place, Sent};
use crate::message::number;
use crate::message::stamp::{self, TIMES_B};
use crate::tally::times::Times;

/// A corrupted answer is compared with this many outstanding messages. The limit bounds the cost of unasked messages.
const CHANGED_MAX: usize = 16;

impl Connection {
    #[inline]
    pub(super) fn on_answer(&mut self, answer: Answer, shared: &mut Shared) {
        match answer {
            Answer::Payload { kind, body } if shared.behaviour == Behaviour::Broadcast => {
                self.on_broadcast(kind, &body, shared)
            }
            Answer::Payload { kind, body } if shared.behaviour == Behaviour::Echo => {
                self.on_payload(kind, &body, shared);
            }
            Answer::Payload { body, .. } if shared.behaviour == Behaviour::Own => self.on_own(&body, shared),
            Answer::Count(id) if shared.behaviour == Behaviour::Own => self.on_acknowledged(id, shared),
            Answer::Count(count) => {
                let Some(sent) = self.take_next(shared) else { return shared.tally.unasked(shared.now_ns) };
                let rises = count > self.count;
                self.count = count;
                self.settle(sent, count.checked_ilog10().unwrap_or(0) as usize + 1, rises, shared);
            }
            Answer::Timestamp => self.on_next(JSON_PING_B as usize, true, shared),
            Answer::Other => self.on_next(0, false, shared),
            Answer::Payload { .. } | Answer::Unasked => shared.tally.unasked(shared.now_ns),
        }
    }

    /// Matches an echo by the number in its payload. Returns whether it is exactly what was sent.
    #[inline]
    pub(super) fn on_payload(&mut self, kind: Type, body: &[u8], shared: &mut Shared) -> bool {
        let letters = number::letters_of(body.len());
        let number = number::read(&body[..letters]).map(|number| (u64::from(number), 1 << (4 * letters)));
        let next = number.and_then(|(number, modulus)| self.flight.next(number, modulus));
        let is_next = next.is_some_and(|sent| shared.pool.is_echo(sent.payload, kind, body));
        match if is_next { self.take_next(shared) } else { None } {
            Some(sent) => {
                self.settle(sent, body.len(), true, shared);
                true
            }
            None => self.on_other_payload(number, kind, body, shared),
        }
    }

    /// An echo out of order, a duplicate, a corrupted echo, or no echo at all.
    #[cold]
    fn on_other_payload(&mut self, number: Option<(u64, u64)>, kind: Type, body: &[u8], shared: &mut Shared) -> bool {
        let known = number.map_or(Known::Never, |(number, modulus)| self.flight.find(number, modulus));
        if let Known::Answered(number) = known {
            let payload = shared.pool.choose(self.index, number);
            if shared.pool.is_echo(payload, kind, body) || shared.pool.resembles(payload, number, body) {
                shared.tally.duplicate(shared.now_ns);
                return false;
            }
        }
        let named = if let Known::Out(place) = known { Some(place) } else { None };
        let unwritten = self.unwritten(shared);
        let is_echo = |place: &Place| {
            let sent = self.flight.get(*place).filter(|_| self.flight.is_written(*place, unwritten));
            sent.is_some_and(|(_, sent)| shared.pool.is_echo(sent.payload, kind, body))
        };
        let resembles = |place: &Place| {
            let sent = self.flight.get(*place).filter(|_| self.flight.is_written(*place, unwritten));
            sent.is_some_and(|(number, sent)| shared.pool.resembles(sent.payload, number, body))
        };
        let right = named.filter(is_echo);
        let found = right.or_else(|| named.into_iter().chain(self.flight.places().take(CHANGED_MAX)).find(resembles));
        let Some((place, sent)) = found.and_then(|place| Some((place, self.flight.take(place)?))) else {
            shared.tally.unasked(shared.now_ns);
            return false;
        };
        if matches!(place, Place::Skipped(_)) && right.is_some() {
            shared.tally.out_of_order(sent.intended_ns);
        }
        self.settle(sent, body.len(), right.is_some(), shared);
        right.is_some()
    }

    /// Matches an answer without a number: first in, first out, among messages that the socket has taken.
    #[inline]
    pub(super) fn take_next(&mut self, shared: &Shared) -> Option<Sent> {
        let is_written = self.flight.is_written(Place::Ahead(0), self.unwritten(shared));
        if is_written {
            self.flight.take_next()
        } else {
            None
        }
    }

    pub(super) fn on_next(&mut self, body_b: usize, is_right: bool, shared: &mut Shared) {
        match self.take_next(shared) {
            Some(sent) => self.settle(sent, body_b, is_right, shared),
            None => shared.tally.unasked(shared.now_ns),
        }
    }

    #[inline]
    pub(super) fn settle(&mut self, sent: Sent, body_b: usize, is_right: bool, shared: &mut Shared) {
        shared.in_flight -= 1;
        let Sent { intended_ns, actual_ns, .. } = sent;
        shared.tally.answered(Times { intended_ns, actual_ns, received_ns: shared.now_ns }, body_b, is_right);
        if self.state != State::Open {
            return;
        }
        if shared.outstanding > 0 {
            if shared.now_ns < shared.load.timing.end_ns {
                self.send_now(shared);
            }
        } else if self.is_held {
            self.is_held = false;
            self.send_all_due(true, shared);
        }
    }

    pub(super) fn on_broadcast(&mut self, kind: Type, body: &[u8], shared: &mut Shared) {
        let read = stamp::read_times(body).filter(|(_, intended_ns, actual_ns)| {
            (shared.load.timing.start_ns..=shared.now_ns).contains(intended_ns) && actual_ns >= intended_ns
        });
        let Some((number, intended_ns, actual_ns)) = read else {
            return shared.tally.unasked(shared.now_ns);
        };
        let is_late = number < self.count;
        if !self.note_broadcast(number) {
            return shared.tally.duplicate(shared.now_ns);
        }
        let sent = &shared.pool.get(shared.pool.choose(0, number)).body;
        let is_right = kind == shared.pool.kind && body.len() == sent.len() && body[TIMES_B..] == sent[TIMES_B..];
        shared.tally.answered(Times { intended_ns, actual_ns, received_ns: shared.now_ns }, body.len(), is_right);
        if is_late {
            shared.tally.out_of_order(intended_ns);
        }
    }

    /// Notes that a broadcast has come. False: it had come already. One that is 64 behind the last is taken for new.
    fn note_broadcast(&mut self, number: u64) -> bool {
        if number >= self.count {
            let ahead = number + 1 - self.count;
            self.seen = if ahead < 64 { self.seen << ahead | 1 } else { 1 };
            self.count = number + 1;
            return true;
        }
        let behind = self.count - 1 - number;
        let bit = if behind < 64 { 1 << behind } else { 0 };
        let is_new = self.seen & bit == 0;
        self.seen |= bit;
        is_new
    }
}
