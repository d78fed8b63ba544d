//! The times of a load, of a message, and of a connection's steps.

/// The times of a load.
#[derive(Clone, Copy, Debug, Default)]
pub struct Timing {
    pub start_ns: u64,
    pub window_from_ns: u64,
    /// end of the load: nothing is due later
    pub end_ns: u64,
    pub late_ns: u64,
}

/// When a message was due, sent, and answered: ns of CLOCK_MONOTONIC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    pub intended_ns: u64,
    pub actual_ns: u64,
    pub received_ns: u64,
}

/// When each step of opening a connection was done; `None`: no such step.
#[derive(Clone, Copy, Debug)]
pub struct Opened {
    pub called_ns: u64,
    pub tcp_ns: u64,
    /// TLS handshake
    pub secured_ns: Option<u64>,
    pub upgraded_ns: Option<u64>,
    /// after the dialect's handshake and the last message of `--ready`
    pub up_ns: u64,
}
