//! When it means to send, and what it does when it may not.

use super::shared::Shared;
use super::{Connection, State, NEVER};
use crate::arrivals::Arrivals;
use crate::dialect::Behaviour;
use crate::message::flight::Sent;

/// What is due at once goes out in one write, up to about so many bytes.
pub(super) const WRITE_B: usize = 64 * 1024;

impl Connection {
    /// It fell due to connect: its messages begin from here, whether or not it is up.
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

    /// Other arrivals from now on. In a closed loop what is out comes back, and so many more are sent that it has its number.
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

    /// Sends every message that is due, in one write.
    pub fn send_due(&mut self, shared: &mut Shared) {
        debug_assert!(shared.out.is_empty(), "what is left here goes out on the wrong connection");
        self.send_all_due(false, shared);
        self.flush(shared);
    }

    /// `has_waited`: what is due was held until now.
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
                State::Open => self.queue(intended_ns, has_waited, shared),
                _ => self.pass_over(intended_ns, shared),
            }
            if shared.out.len() >= WRITE_B {
                self.flush(shared);
            }
        }
    }

    /// It is not up: the message is not sent.
    fn pass_over(&mut self, intended_ns: u64, shared: &mut Shared) {
        shared.tally.unsent(intended_ns, self.is_lost_remotely);
        if self.state.is_handshake() && !self.is_lost_remotely {
            self.due_in_handshake[usize::from(intended_ns >= shared.load.timing.window_from_ns)] += 1;
        }
    }

    /// When the load timer must run next: what is held waits for no time.
    pub fn next_timer_ns(&self) -> u64 {
        if self.is_held {
            NEVER
        } else {
            self.next_ns
        }
    }

    /// The load is over: what waited for an answer was due all the same.
    pub fn end_schedule(&mut self, ended_ns: u64, shared: &mut Shared) {
        while self.is_held && self.next_ns < ended_ns {
            let intended_ns = self.next_ns;
            shared.tally.due(intended_ns);
            shared.tally.unsent(intended_ns, true);
            self.next_ns = before_end(self.arrivals.next(intended_ns), shared);
        }
        self.next_ns = NEVER;
    }

    #[inline]
    pub(super) fn queue(&mut self, intended_ns: u64, has_waited: bool, shared: &mut Shared) {
        let deflate = if shared.deflates { self.deflate.as_deref_mut() } else { None };
        let id = (self.earlier + self.flight.next_number(), self.flight.next_number());
        let payload = shared.add_load(self.index, id, intended_ns, has_waited, deflate);
        let sent = Sent { intended_ns, actual_ns: shared.now_ns, payload };
        if !shared.awaits_answers() {
            self.flight.skip_number();
        } else if shared.behaviour == Behaviour::Broadcast {
            self.flight.skip_number();
            if intended_ns >= shared.load.timing.window_from_ns {
                shared.tally.broadcasts_ns.push(shared.now_ns);
            }
        } else {
            self.flight.push(sent);
            shared.in_flight += 1;
        }
    }
}

fn before_end(time_ns: Option<u64>, shared: &Shared) -> u64 {
    time_ns.filter(|time_ns| *time_ns < shared.load.timing.end_ns).unwrap_or(NEVER)
}
