//! Reconnects after a drop: when to retry, and how long the connection was away.

use super::shared::Shared;
use super::{Connection, State, NEVER};
use crate::clock::NS_PER_MS;

/// Number of attempts after which the delay stops growing.
const ATTEMPTS_MAX: u32 = 1000;

impl Connection {
    /// Did the server drop it, or refuse it when it was reopened, and is it to reconnect?
    pub(super) fn is_away(&self) -> bool {
        self.back.lost_ns != NEVER
    }

    /// The server dropped or refused it. It reconnects if the load asks for that.
    pub(super) fn lose(&mut self, shared: &Shared) {
        if shared.load.config.reconnect.is_some() {
            self.back.lost_ns = shared.now_ns;
        }
    }

    /// If it is away, sets when to retry. The delay begins now, whenever the server ends TCP.
    pub(super) fn plan_return(&mut self, shared: &Shared) {
        self.back.due_ns = NEVER;
        if let (true, Some(reconnect)) = (self.is_away(), shared.load.config.reconnect) {
            let grown = reconnect.factor.powi(self.back.attempts as i32);
            let delay_ms = (reconnect.delay_ms * grown).min(reconnect.max_ms);
            self.back.attempts = self.back.attempts.saturating_add(1).min(ATTEMPTS_MAX);
            let wait_ms = delay_ms + self.back.draws.draw() * reconnect.jitter_ms;
            self.back.due_ns = shared.now_ns + (wait_ms * NS_PER_MS as f64) as u64;
        }
    }

    /// Retries now. Its schedule has gone on meanwhile and keeps its phase.
    pub(super) fn try_again(&mut self) {
        self.watch_ns = NEVER;
        if self.is_away() {
            self.renew();
            self.state = State::Queued;
        }
    }

    /// How long it has waited for its turn, if it is to return.
    pub fn waited_to_return(&self, now_ns: u64) -> Option<u64> {
        (self.is_away() && !self.is_racing()).then(|| now_ns.saturating_sub(self.back.due_ns))
    }

    /// The load is over: gives up reconnecting.
    pub(super) fn stay_away(&mut self) {
        (self.back.lost_ns, self.back.due_ns) = (NEVER, NEVER);
    }

    /// It is up: records how long it was away.
    pub(super) fn come_back(&mut self, shared: &mut Shared) {
        if self.is_away() {
            shared.tally.reconnected(self.back.lost_ns, shared.now_ns);
            (self.back.lost_ns, self.back.due_ns) = (NEVER, NEVER);
            self.back.attempts = 0;
        }
    }
}
