//! Counters, and their sum over threads.

use serde::{Deserialize, Serialize};

/// A line of intervals.tsv. `connected` is the change in this second.
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
    /// messages due in this second and sent late by this side's fault
    pub late: u64,
    pub unasked: u64,
}

/// Messages of one part of the run, by intended time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    pub due: u64,
    /// due and not sent for want of the server. One that was under way at the end may arrive
    pub unsent_remote: u64,
    /// due while this host kept the connection from opening, or after it lost it
    pub unsent_local: u64,
    pub sent: u64,
    pub received: u64,
    pub wrong: u64,
    pub late: u64,
    /// of `late`: waited for the server to read, or to answer (`max_outstanding`)
    pub late_remote: u64,
    pub out_of_order: u64,
    pub duplicate: u64,
    /// received messages that answer nothing, by time of arrival
    pub unasked: u64,
    /// received messages of a subscription, by time of arrival
    pub subscribed: u64,
    /// of `subscribed`: without the time of sending that `--sent-at` names
    pub undated: u64,
    /// of `sent`: on connections that read nothing, or had not read so far when the load ended
    pub unread: u64,
    /// an hour of latencies of minutes does not fit 64 bits
    pub latency_sum_ns: u128,
    pub service_sum_ns: u128,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Connections {
    pub opened: u64,
    pub failed_local: u64,
    pub failed_remote: u64,
    pub dropped_local: u64,
    pub dropped_remote: u64,
    /// of `failed_remote`: connection refused
    pub refused: u64,
    /// of `failed_remote`: no handshake in time
    pub timed_out: u64,
    /// of `dropped_remote`: no heartbeat in time
    pub silent: u64,
    /// closed by this side, to be reopened
    pub churned: u64,
    /// of `failed_remote`: closed by this side, and refused or not answered when it was to be reopened
    pub not_reopened: u64,
    /// dropped by the server, or not reopened, and up again
    pub reconnected: u64,
    pub reconnect_attempts_failed: u64,
    /// longest time from a drop until the connection was up again
    pub reconnect_max_us: Option<u64>,
    /// longest time that a connection which was to return waited for its turn (`max_connecting`)
    pub return_wait_max_us: Option<u64>,
    /// first drop of a connection that came back
    pub first_lost_ns: Option<u64>,
    /// last time that a connection came back
    pub last_back_ns: Option<u64>,
    /// pings sent by the client (`--ping`)
    pub pings: u64,
    /// pings that were answered
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
        self.undated += other.undated;
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
        self.not_reopened += other.not_reopened;
        self.reconnected += other.reconnected;
        self.reconnect_attempts_failed += other.reconnect_attempts_failed;
        self.reconnect_max_us = self.reconnect_max_us.max(other.reconnect_max_us);
        self.return_wait_max_us = self.return_wait_max_us.max(other.return_wait_max_us);
        self.first_lost_ns = self.first_lost_ns.into_iter().chain(other.first_lost_ns).min();
        self.last_back_ns = self.last_back_ns.max(other.last_back_ns);
        self.pings += other.pings;
        self.pongs += other.pongs;
    }
}
