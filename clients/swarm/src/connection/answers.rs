//! Which message an answer answers, and what comes of it.

use super::shared::Shared;
use super::{Connection, State};
use crate::dialect::websocket::JSON_PING_B;
use crate::dialect::{Answer, Behaviour, Type};
use crate::message::flight::{Match, Sent};
use crate::message::number;
use crate::message::stamp::{self, TIMES_B};
use crate::tally::times::Times;

impl Connection {
    #[inline]
    pub(super) fn on_answer(&mut self, answer: Answer, shared: &mut Shared) {
        match answer {
            Answer::Payload { kind, body } if shared.behaviour == Behaviour::Broadcast => {
                self.on_broadcast(kind, &body, shared)
            }
            Answer::Payload { kind, body } => drop(self.on_payload(kind, &body, shared)),
            Answer::Count(count) => {
                let rises = count > self.count;
                self.count = count;
                self.on_oldest(count.checked_ilog10().unwrap_or(0) as usize + 1, rises, shared);
            }
            Answer::Timestamp => self.on_oldest(JSON_PING_B as usize, true, shared),
            Answer::Other => self.on_oldest(0, false, shared),
        }
    }

    /// Returns whether it is what was sent.
    #[inline]
    pub(super) fn on_payload(&mut self, kind: Type, body: &[u8], shared: &mut Shared) -> bool {
        let letters = number::letters_of(body.len());
        let Some(number) = number::read(&body[..letters]) else {
            self.on_oldest(body.len(), false, shared);
            return false;
        };
        let sent = match self.flight.take(u64::from(number), 1 << (4 * letters)) {
            Match::InOrder(sent) => sent,
            Match::OutOfOrder(sent) => {
                shared.tally.out_of_order(sent.intended_ns);
                sent
            }
            Match::Duplicate => {
                shared.tally.duplicate(shared.now_ns);
                return false;
            }
            Match::Stray => {
                self.on_oldest(body.len(), false, shared);
                return false;
            }
        };
        let is_right = shared.pool.is_echo(sent.payload, kind, body);
        self.settle(sent, body.len(), is_right, shared);
        is_right
    }

    pub(super) fn on_oldest(&mut self, body_b: usize, is_right: bool, shared: &mut Shared) {
        match self.flight.take_oldest() {
            Some(sent) => self.settle(sent, body_b, is_right, shared),
            None => shared.tally.stray(shared.now_ns),
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
            return shared.tally.stray(shared.now_ns);
        };
        if number + 1 == self.count {
            return shared.tally.duplicate(shared.now_ns);
        }
        let sent = &shared.pool.get(shared.pool.choose(0, number)).body;
        let is_right = kind == shared.pool.kind && body.len() == sent.len() && body[TIMES_B..] == sent[TIMES_B..];
        shared.tally.answered(Times { intended_ns, actual_ns, received_ns: shared.now_ns }, body.len(), is_right);
        if number < self.count {
            shared.tally.out_of_order(intended_ns);
        }
        self.count = self.count.max(number + 1);
    }
}
