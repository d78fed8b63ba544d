//! Arrivals that change while a load runs, and the connections stay.

use super::Process;
use crate::clock::NS_PER_MS;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Mutex;

/// How often the event loops look whether the arrivals have changed.
pub const LOOK_NS: u64 = 10 * NS_PER_MS;

/// The arrivals as they are now, of all connections.
#[derive(Debug, Default)]
pub struct Stage {
    number: AtomicU64,
    now: Mutex<(Option<Process>, Option<Range<u64>>)>,
}

impl Stage {
    /// From now on. Without a process nothing falls due; `window_ns`: what falls due in it is looked at.
    pub fn set(&self, process: Option<Process>, window_ns: Option<Range<u64>>) {
        *self.now.lock().expect("no one panics") = (process, window_ns);
        self.number.fetch_add(1, Ordering::Release);
    }

    /// How often they have changed.
    #[inline]
    pub fn number(&self) -> u64 {
        self.number.load(Ordering::Acquire)
    }

    pub fn now(&self) -> (Option<Process>, Option<Range<u64>>) {
        self.now.lock().expect("no one panics").clone()
    }
}
