//! Churn: closes and reopens connections one by one, in rotation.

use crate::clock::ns_of_s;
use crate::connection::{Connection, State, NEVER};
use crate::load::Load;

pub(super) struct Churn {
    every_ns: u64,
    pub next_ns: u64,
    end_ns: u64,
    /// slot to look at next
    at: usize,
}

impl Churn {
    /// The schedule of one thread. Threads start at different times.
    pub fn new(load: &Load, thread: u32) -> Self {
        // a thread has its connections' share: with few of them some threads have none
        let own = load.connections_of(thread).count() as f64 / f64::from(load.config.connections);
        let churn_hz = load.config.churn_hz * own;
        let every_ns = if churn_hz > 0.0 { ns_of_s(1.0 / churn_hz) } else { NEVER };
        let first_ns = load.timing.window_from_ns.saturating_add(every_ns / (u64::from(thread) + 1));
        let next_ns = if every_ns == NEVER { NEVER } else { first_ns };
        Self { every_ns, next_ns, end_ns: load.timing.end_ns, at: 0 }
    }

    /// The slot of the next open connection in turn, if one is due.
    pub fn next(&mut self, now_ns: u64, connections: &[Connection]) -> Option<usize> {
        if now_ns < self.next_ns || now_ns >= self.end_ns {
            return None;
        }
        self.next_ns += self.every_ns;
        let count = connections.len();
        let in_turn = (0..count).map(|at| (self.at + at) % count);
        let slot = in_turn.into_iter().find(|slot| connections[*slot].state == State::Open)?;
        self.at = slot + 1;
        Some(slot)
    }
}
