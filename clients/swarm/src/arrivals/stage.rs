//! Arrivals that change while the load runs and its connections stay open.

use super::Process;
use crate::clock::NS_PER_MS;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Mutex;

/// How often the event loops check for new arrivals.
pub const LOOK_NS: u64 = 10 * NS_PER_MS;

/// The current arrivals of all connections.
#[derive(Debug, Default)]
pub struct Stage {
    number: AtomicU64,
    now: Mutex<(Option<Process>, Option<Range<u64>>)>,
}

impl Stage {
    /// Replaces the arrivals. `None` for the process: nothing falls due. `window_ns`: record messages due within it.
    pub fn set(&self, process: Option<Process>, window_ns: Option<Range<u64>>) {
        let mut now = self.now.lock().expect("no one panics");
        *now = (process, window_ns);
        self.number.fetch_add(1, Ordering::Release); // before it is unlocked, so that `now` has the number of what it returns
    }

    /// How often the arrivals have changed.
    #[inline]
    pub fn number(&self) -> u64 {
        self.number.load(Ordering::Acquire)
    }

    /// The number of the current arrivals, and these.
    pub fn now(&self) -> (u64, Option<Process>, Option<Range<u64>>) {
        let now = self.now.lock().expect("no one panics");
        let (process, window_ns) = now.clone();
        (self.number(), process, window_ns)
    }
}
