//! Counters, and how those of threads add up.

use serde::{Deserialize, Serialize};

/// A line of intervals.tsv. `connected` is the change in that second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    pub connected: i64,
    pub failed: u64,
    pub dropped: u64,
    pub due: u64,
    pub sent: u64,
    pub received: u64,
    pub wrong: u64,
    pub sent_b: u64,
    pub received_b: u64,
    /// due in that second, and sent late by this side's own doing
    pub late: u64,
    pub unasked: u64,
}

/// Messages of one part of the run, by their intended times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    pub due: u64,
    pub unsent_remote: u64,
    /// due before its connection was up, or on one that this host lost
    pub unsent_local: u64,
    pub sent: u64,
    pub received: u64,
    pub wrong: u64,
    pub late: u64,
    /// of `late`: what waited for the server, which did not read, or had not answered as many as may be out
    pub late_remote: u64,
    pub out_of_order: u64,
    pub duplicate: u64,
    /// what came and answers nothing, by when it came
    pub unasked: u64,
    /// what came of a subscription, by when it came
    pub subscribed: u64,
    /// of `sent`: on connections that read nothing, where no answer can be seen
    pub unread: u64,
    pub latency_sum_ns: u64,
    pub service_sum_ns: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Connections {
    pub opened: u64,
    pub failed_local: u64,
    pub failed_remote: u64,
    pub dropped_local: u64,
    pub dropped_remote: u64,
    /// of `failed_remote`: nothing listened
    pub refused: u64,
    /// of `failed_remote`: no handshake in time
    pub timed_out: u64,
    /// of `dropped_remote`: no heartbeat in time
    pub silent: u64,
    /// closed by this side to be opened again
    pub churned: u64,
    /// dropped by the server, and up again
    pub reconnected: u64,
    pub reconnect_attempts_failed: u64,
    /// the longest time from a drop to being up again
    pub reconnect_max_us: Option<u64>,
    /// the first drop, and when the last was up again
    pub first_lost_ns: Option<u64>,
    pub last_back_ns: Option<u64>,
    /// pings of the client's own, and those of them that were answered
    pub pings: u64,
    pub pongs: u64,
}

impl Row {
    pub fn add(&mut self, other: &Self) {
        self.connected += other.connected;
        self.failed += other.failed;
        self.dropped += other.dropped;
        self.due += other.due;
        self.sent += other.sent;
        self.received += other.received;
        self.wrong += other.wrong;
        self.sent_b += other.sent_b;
        self.received_b += other.received_b;
        self.late += other.late;
        self.unasked += other.unasked;
    }
}

impl Counts {
    pub fn add(&mut self, other: &Self) {
        self.due += other.due;
        self.unsent_remote += other.unsent_remote;
        self.unsent_local += other.unsent_local;
        self.sent += other.sent;
        self.received += other.received;
        self.wrong += other.wrong;
        self.late += other.late;
        self.late_remote += other.late_remote;
        self.out_of_order += other.out_of_order;
        self.duplicate += other.duplicate;
        self.unasked += other.unasked;
        self.subscribed += other.subscribed;
        self.unread += other.unread;
        self.latency_sum_ns += other.latency_sum_ns;
        self.service_sum_ns += other.service_sum_ns;
    }
}

impl Connections {
    pub fn add(&mut self, other: &Self) {
        self.opened += other.opened;
        self.failed_local += other.failed_local;
        self.failed_remote += other.failed_remote;
        self.dropped_local += other.dropped_local;
        self.dropped_remote += other.dropped_remote;
        self.refused += other.refused;
        self.timed_out += other.timed_out;
        self.silent += other.silent;
        self.churned += other.churned;
        self.reconnected += other.reconnected;
        self.reconnect_attempts_failed += other.reconnect_attempts_failed;
        self.reconnect_max_us = self.reconnect_max_us.max(other.reconnect_max_us);
        self.first_lost_ns = self.first_lost_ns.into_iter().chain(other.first_lost_ns).min();
        self.last_back_ns = self.last_back_ns.max(other.last_back_ns);
        self.pings += other.pings;
        self.pongs += other.pongs;
    }
}
