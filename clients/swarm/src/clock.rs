//! Time in nanoseconds of CLOCK_MONOTONIC, the clock that the harness uses for `go`.

use rustix::time::{clock_gettime, ClockId, Timespec};

pub const NS_PER_US: u64 = 1_000;
pub const NS_PER_MS: u64 = 1_000_000;
pub const NS_PER_S: u64 = 1_000_000_000;

fn to_ns(time: Timespec) -> u64 {
    time.tv_sec as u64 * NS_PER_S + time.tv_nsec as u64
}

/// CLOCK_MONOTONIC, ns.
#[inline]
pub fn now_ns() -> u64 {
    to_ns(clock_gettime(ClockId::Monotonic))
}

/// Wall clock, ns since 1970.
pub fn wall_ns() -> u64 {
    to_ns(clock_gettime(ClockId::Realtime))
}

/// Seconds as ns, rounded.
pub fn ns_of_s(seconds: f64) -> u64 {
    (seconds * NS_PER_S as f64).round() as u64
}
