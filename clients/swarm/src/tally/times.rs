//! When a load begins and ends, and when a message was due, sent and answered.

/// When things count.
#[derive(Clone, Copy, Debug, Default)]
pub struct Timing {
    pub start_ns: u64,
    pub window_from_ns: u64,
    /// after it nothing is intended
    pub end_ns: u64,
    pub late_ns: u64,
}

/// When a message was due, when it went out, and when its answer came: ns of CLOCK_MONOTONIC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    pub intended_ns: u64,
    pub actual_ns: u64,
    pub received_ns: u64,
}

/// The times of a connection's steps; `None` where there is no such step.
#[derive(Clone, Copy, Debug)]
pub struct Opened {
    pub called_ns: u64,
    pub tcp_ns: u64,
    /// TLS
    pub secured_ns: Option<u64>,
    pub upgraded_ns: Option<u64>,
    /// the dialect's word
    pub up_ns: u64,
}
