//! The client's own pings: RFC 6455, section 5.5.2.

use super::shared::Shared;
use super::{Connection, Pings, NEVER};
use crate::clock::NS_PER_MS;
use crate::websocket::frame::Opcode;

impl Connection {
    /// The connection is up: the first ping is due one period later.
    pub(super) fn begin_pings(&mut self, shared: &Shared) {
        let every_ns = period_ns(shared);
        if every_ns > 0 && shared.is_framed {
            self.pings = Some(Box::new(Pings { next_ns: shared.now_ns + every_ns, sent_ns: None, number: 0 }));
        }
    }

    pub(super) fn next_ping_ns(&self) -> u64 {
        self.pings.as_ref().map_or(NEVER, |pings| pings.next_ns)
    }

    /// Sends a ping if one is due.
    pub(super) fn ping_where_due(&mut self, shared: &mut Shared) {
        let Some(pings) = self.pings.as_mut().filter(|pings| pings.next_ns <= shared.now_ns) else { return };
        let every_ns = period_ns(shared);
        pings.next_ns += ((shared.now_ns - pings.next_ns) / every_ns + 1) * every_ns;
        pings.number += 1;
        pings.sent_ns = Some(shared.now_ns);
        let number = pings.number.to_be_bytes();
        shared.tally.connections.pings += 1;
        shared.add_control(Opcode::Ping, &number);
        self.flush(shared);
    }

    /// Only a pong to the last ping counts; its body is the ping's (section 5.5.3).
    pub(super) fn on_pong(&mut self, body: &[u8], shared: &mut Shared) {
        let Some(pings) = &mut self.pings else { return };
        if body == pings.number.to_be_bytes() {
            if let Some(sent_ns) = pings.sent_ns.take() {
                shared.tally.ponged(sent_ns, shared.now_ns);
            }
        }
    }
}

fn period_ns(shared: &Shared) -> u64 {
    (shared.load.config.client.ping_every_ms * NS_PER_MS as f64) as u64
}
