//! One thread's result of a probe: messages due in its window.

use super::sketch::Sketch;
use std::ops::Range;

#[derive(Debug, Default)]
pub struct Probed {
    window_ns: Range<u64>,
    /// from the intended time, µs
    pub latency: Sketch,
    /// sent late by this side's fault
    pub late: u64,
}

impl Probed {
    pub fn new(window_ns: Range<u64>) -> Self {
        Self { window_ns, latency: Sketch::dense(), late: 0 }
    }

    #[inline]
    pub fn holds(&self, intended_ns: u64) -> bool {
        self.window_ns.contains(&intended_ns)
    }

    pub fn is_of(&self, window_ns: &Range<u64>) -> bool {
        self.window_ns == *window_ns
    }
}
