//! The client's own pings: RFC 6455, section 5.5.2.

use super::shared::Shared;
use super::{Connection, Pings, NEVER};
use crate::clock::NS_PER_MS;
use crate::websocket::frame::Opcode;
use std::collections::VecDeque;

/// Most outstanding pings whose answer is timed; a server that answers none does not fill the memory.
const OUTSTANDING_MAX: usize = 1000;

impl Connection {
    /// The connection is up: the first ping is due one period later.
    pub(super) fn begin_pings(&mut self, shared: &Shared) {
        let every_ns = period_ns(shared);
        if every_ns > 0 && shared.is_framed {
            self.pings =
                Some(Box::new(Pings { next_ns: shared.now_ns + every_ns, number: 0, due_ns: VecDeque::new() }));
        }
    }

    pub(super) fn next_ping_ns(&self) -> u64 {
        self.pings.as_ref().map_or(NEVER, |pings| pings.next_ns)
    }

    /// The load is over.
    pub(super) fn end_pings(&mut self) {
        if let Some(pings) = &mut self.pings {
            pings.next_ns = NEVER;
        }
    }

    /// Is an answer to a ping still to come?
    pub fn awaits_pong(&self) -> bool {
        self.state.is_up() && self.pings.as_ref().is_some_and(|pings| !pings.due_ns.is_empty())
    }

    /// Sends a ping if one is due.
    pub(super) fn ping_where_due(&mut self, shared: &mut Shared) {
        let Some(pings) = self.pings.as_mut().filter(|pings| pings.next_ns <= shared.now_ns) else { return };
        let every_ns = period_ns(shared);
        if pings.due_ns.len() == OUTSTANDING_MAX {
            pings.due_ns.pop_front();
        }
        pings.due_ns.push_back(pings.next_ns);
        pings.next_ns += ((shared.now_ns - pings.next_ns) / every_ns + 1) * every_ns;
        pings.number += 1;
        let number = pings.number.to_be_bytes();
        shared.tally.connections.pings += 1;
        shared.add_control(Opcode::Ping, &number);
        self.flush(shared);
    }

    /// A pong has the body of its ping. It answers the pings before that too: a server may answer only the last that it has read
    /// (section 5.5.3).
    pub(super) fn on_pong(&mut self, body: &[u8], shared: &mut Shared) {
        let Some(pings) = &mut self.pings else { return };
        let Ok(number) = body.try_into().map(u64::from_be_bytes) else { return };
        let first = pings.number + 1 - pings.due_ns.len() as u64;
        if (first..=pings.number).contains(&number) {
            for due_ns in pings.due_ns.drain(..=(number - first) as usize) {
                shared.tally.ponged(due_ns, shared.now_ns);
            }
        }
    }
}

fn period_ns(shared: &Shared) -> u64 {
    (shared.load.config.client.ping_every_ms * NS_PER_MS as f64) as u64
}
