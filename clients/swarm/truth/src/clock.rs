//! CLOCK_MONOTONIC, the clock of the load generator and of Node's process.hrtime.

use rustix::time::{clock_gettime, ClockId};

/// Nanoseconds of CLOCK_MONOTONIC.
pub fn monotonic_ns() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}
