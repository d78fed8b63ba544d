//! Counts of connections.

use super::counts::Connections;
use super::times::Opened;
use super::Tally;
use crate::clock::NS_PER_US;

/// Most reasons counted separately.
const REASONS_MAX: usize = 50;
const OTHER_REASONS: &str = "other reasons";

impl Tally {
    /// A connection is up.
    pub fn opened(&mut self, opened: Opened) {
        let Opened { called_ns, tcp_ns, secured_ns, upgraded_ns, up_ns } = opened;
        self.connections.opened += 1;
        self.second(up_ns).row.connected += 1;
        let connect = &mut self.second(called_ns).connect;
        let us = |from: u64, to: u64| (to - from + NS_PER_US / 2) / NS_PER_US;
        connect.whole.record(us(called_ns, up_ns));
        connect.tcp.record(us(called_ns, tcp_ns));
        if let Some(secured_ns) = secured_ns {
            connect.tls.record(us(tcp_ns, secured_ns));
        }
        if let Some(upgraded_ns) = upgraded_ns {
            connect.upgrade.record(us(secured_ns.unwrap_or(tcp_ns), upgraded_ns));
            connect.dialect.record(us(upgraded_ns, up_ns));
        }
    }

    /// A TLS handshake is complete.
    pub fn secured(&mut self, agreement: String, is_resumed: bool) {
        *self.tls.agreed.entry(agreement).or_default() += 1;
        self.tls.resumed += u64::from(is_resumed);
    }

    pub fn failed(&mut self, time_ns: u64, is_local: bool, reason: &str) {
        self.second(time_ns).row.failed += 1;
        *(if is_local { &mut self.connections.failed_local } else { &mut self.connections.failed_remote }) += 1;
        self.error(reason);
    }

    /// A connection that the server dropped or refused is up again.
    pub fn reconnected(&mut self, lost_ns: u64, up_ns: u64) {
        let away_us = (up_ns - lost_ns + NS_PER_US / 2) / NS_PER_US;
        self.second(lost_ns).reconnect.record(away_us);
        self.connections.reconnected += 1;
        self.connections.first_lost_ns = self.connections.first_lost_ns.into_iter().chain([lost_ns]).min();
        self.connections.last_back_ns = self.connections.last_back_ns.max(Some(up_ns));
        self.connections.reconnect_max_us = self.connections.reconnect_max_us.max(Some(away_us));
    }

    /// A connection that is to return got its turn so long after it was due.
    pub fn waited_to_return(&mut self, waited_ns: u64) {
        self.connections.return_wait_max_us = self.connections.return_wait_max_us.max(Some(waited_ns / NS_PER_US));
    }

    /// A ping was answered.
    pub fn ponged(&mut self, due_ns: u64, received_ns: u64) {
        self.second(due_ns).ping.record((received_ns - due_ns + NS_PER_US / 2) / NS_PER_US);
        self.connections.pongs += 1;
    }

    /// From the first drop until the last return, over all outages, ns; `None` if one is still gone, or none was dropped.
    pub fn recovery_ns(&self) -> Option<u64> {
        let Connections { first_lost_ns, last_back_ns, .. } = self.connections;
        Some(last_back_ns? - first_lost_ns?).filter(|_| self.gone_now() == 0)
    }

    /// A reconnection attempt failed. The drop lasts; it is not a new failure, unless this host caused it.
    pub fn reconnect_failed(&mut self, time_ns: u64, is_local: bool, reason: &str) {
        self.connections.reconnect_attempts_failed += 1;
        if is_local {
            self.failed(time_ns, true, reason);
        } else {
            self.error(reason);
        }
    }

    pub fn dropped(&mut self, time_ns: u64, is_local: bool, reason: &str) {
        let row = &mut self.second(time_ns).row;
        row.dropped += 1;
        row.connected -= 1;
        *(if is_local { &mut self.connections.dropped_local } else { &mut self.connections.dropped_remote }) += 1;
        self.error(reason);
    }

    /// This side closed a connection in the middle of the run.
    pub fn churned(&mut self, time_ns: u64) {
        self.second(time_ns).row.connected -= 1;
        self.connections.churned += 1;
    }

    pub fn error(&mut self, reason: &str) {
        // bounded: a server's words may differ for each connection
        let is_new = !self.errors.contains_key(reason);
        let key = if is_new && self.errors.len() >= REASONS_MAX { OTHER_REASONS } else { reason };
        *self.errors.entry(key.to_string()).or_default() += 1;
    }

    /// Connections that are up.
    pub fn up_now(&self) -> u64 {
        let Connections { opened, dropped_local, dropped_remote, churned, .. } = self.connections;
        opened - dropped_local - dropped_remote - churned
    }

    /// Connections that the server dropped, or did not take when they were reopened, and that are not back.
    pub fn gone_now(&self) -> u64 {
        self.connections.dropped_remote + self.connections.not_reopened - self.connections.reconnected
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tally::times::Timing;

    #[test]
    fn reasons_without_end_are_counted_together() {
        let mut tally = Tally::new(Timing::default());
        (0..1000).for_each(|at| tally.error(&format!("no room at {at}")));
        assert_eq!((tally.errors.len(), tally.errors[OTHER_REASONS]), (REASONS_MAX + 1, 1000 - REASONS_MAX as u64));
    }
}
