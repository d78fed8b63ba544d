//! The send schedule, and what happens to messages that can't be sent.

use super::shared::Shared;
use super::{Connection, State, NEVER};
use crate::arrivals::Arrivals;
use crate::dialect::Behaviour;
use crate::message::flight::Sent;

/// Approximate limit of one write of several due messages.
pub(super) const WRITE_B: usize = 64 * 1024;

impl Connection {
    /// The connection is due to connect. Its schedule starts now, whether or not it is up.
    pub fn begin_schedule(&mut self, shared: &Shared) {
        let sends = match shared.behaviour {
            Behaviour::Idle => false,
            Behaviour::Own => shared.sends(),
            Behaviour::Broadcast => self.index == 0,
            _ => true,
        };
        self.next_ns = before_end(if sends { self.arrivals.first(self.due_ns) } else { None }, shared);
        self.state = State::Queued;
    }

    /// Replaces the arrivals. In a closed loop, fills up to the new number of outstanding messages.
    pub fn change_arrivals(&mut self, arrivals: Arrivals, shared: &mut Shared) {
        self.arrivals = arrivals;
        if self.state == State::Waiting {
            return; // its schedule begins when it is due to connect
        }
        self.is_held = false;
        self.next_ns = before_end(self.arrivals.first(shared.now_ns), shared);
        if self.state == State::Open {
            (self.flight.len()..shared.outstanding as usize).for_each(|_| self.send_now(shared));
            self.flush(shared);
        }
    }

    /// Sends all due messages in one write.
    pub fn send_due(&mut self, shared: &mut Shared) {
        debug_assert!(shared.out.is_empty(), "what is left here goes out on the wrong connection");
        self.send_all_due(false, shared);
        self.flush(shared);
    }

    /// `has_waited`: the due messages had to wait for an answer.
    pub(super) fn send_all_due(&mut self, has_waited: bool, shared: &mut Shared) {
        let most = shared.load.config.max_outstanding as usize;
        while self.next_ns <= shared.now_ns {
            if most > 0 && self.state == State::Open && self.flight.len() >= most {
                self.is_held = true;
                break;
            }
            let intended_ns = self.next_ns;
            self.next_ns = before_end(self.arrivals.next(intended_ns), shared);
            shared.tally.due(intended_ns);
            match self.state {
                State::Open if self.is_full(shared) => shared.tally.unsent(intended_ns, true),
                State::Open => self.queue(intended_ns, has_waited, shared),
                _ => self.pass_over(intended_ns, shared),
            }
            if shared.out.len() >= WRITE_B {
                self.flush(shared);
            }
        }
    }

    /// The connection is not up: counts the message as unsent, for want of the server if the server lost it or is waited for.
    fn pass_over(&mut self, intended_ns: u64, shared: &mut Shared) {
        shared.tally.unsent(intended_ns, self.is_lost_remotely || self.state.awaits_server());
        if self.state.is_handshake() && !self.is_lost_remotely {
            self.due_in_handshake[usize::from(intended_ns >= shared.load.timing.window_from_ns)] += 1;
        }
    }

    /// When the message timer must fire next. Held messages wait for an answer instead.
    pub fn next_timer_ns(&self) -> u64 {
        if self.is_held {
            NEVER
        } else {
            self.next_ns
        }
    }

    /// The load is over.
    pub fn end_schedule(&mut self, ended_ns: u64, shared: &mut Shared) {
        self.give_up_held(ended_ns, shared);
        self.next_ns = NEVER;
        self.end_pings();
    }

    /// Counts messages that were held as due and unsent.
    pub(super) fn give_up_held(&mut self, until_ns: u64, shared: &mut Shared) {
        while self.is_held && self.next_ns < until_ns {
            let intended_ns = self.next_ns;
            shared.tally.due(intended_ns);
            shared.tally.unsent(intended_ns, true);
            self.next_ns = before_end(self.arrivals.next(intended_ns), shared);
        }
        self.is_held = false;
    }

    #[inline]
    pub(super) fn queue(&mut self, intended_ns: u64, has_waited: bool, shared: &mut Shared) {
        let deflate = if shared.deflates { self.deflate.as_deref_mut() } else { None };
        let id = (self.earlier + self.flight.next_number(), self.flight.next_number());
        let payload = shared.add_load(self.index, id, intended_ns, has_waited, deflate);
        let sent = Sent { intended_ns, actual_ns: shared.now_ns, payload };
        if !shared.awaits_answers() || shared.behaviour == Behaviour::Broadcast {
            self.flight.skip_number();
        } else {
            self.flight.push(sent);
            shared.in_flight += 1;
        }
    }
}

fn before_end(time_ns: Option<u64>, shared: &Shared) -> u64 {
    time_ns.filter(|time_ns| *time_ns < shared.load.timing.end_ns).unwrap_or(NEVER)
}
