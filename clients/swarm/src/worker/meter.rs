//! What the event loop itself used: busy time, and the kernel's counters at both ends of the window.

use crate::accounts::{Reading, ThreadUse};
use crate::clock;
use crate::connection::NEVER;
use crate::tally::times::Timing;

pub(super) struct Meter {
    timing: Timing,
    busy_ns: u64,
    woken_ns: u64,
    marks: [Option<Reading>; 2],
}

impl Meter {
    pub fn new(timing: Timing) -> Self {
        Self { timing, busy_ns: 0, woken_ns: clock::now_ns(), marks: [None; 2] }
    }

    /// The loop slept from `from_ns` to `to_ns`.
    #[inline]
    pub fn slept(&mut self, from_ns: u64, to_ns: u64) {
        self.busy_ns += from_ns.saturating_sub(self.woken_ns);
        self.woken_ns = to_ns;
    }

    /// When to read the counters next: at the start and at the end of the window.
    #[inline]
    pub fn next_mark_ns(&self) -> u64 {
        match self.marks {
            [None, _] => self.timing.window_from_ns,
            [_, None] => self.timing.end_ns,
            _ => NEVER,
        }
    }

    #[inline]
    pub fn mark_where_due(&mut self, now_ns: u64) {
        if now_ns >= self.next_mark_ns() {
            self.mark(now_ns);
        }
    }

    /// The load is over: takes missing readings.
    pub fn end(&mut self, now_ns: u64) {
        while self.next_mark_ns() != NEVER {
            self.mark(now_ns);
        }
    }

    fn mark(&mut self, now_ns: u64) {
        let mark = usize::from(self.marks[0].is_some());
        self.marks[mark] = Some(Reading::take(now_ns, self.busy_ns));
    }

    /// What the thread used in the window.
    pub fn usage(&self) -> ThreadUse {
        let [from, to] = self.marks.map(Option::unwrap_or_default);
        ThreadUse::between(from, to)
    }
}
