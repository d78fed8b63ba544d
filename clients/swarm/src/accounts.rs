//! What the generator itself used, from the kernel's counters.

use crate::clock::NS_PER_S;
use rustix::time::{clock_gettime, ClockId};
use serde::{Deserialize, Serialize};

/// A thread's counters at one time.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reading {
    pub time_ns: u64,
    pub cpu_ns: u64,
    /// time outside epoll_wait
    pub busy_ns: u64,
    /// runnable, but waiting for a CPU
    pub waited_ns: u64,
    pub voluntary_switches: u64,
    pub involuntary_switches: u64,
}

impl Reading {
    pub fn take(time_ns: u64, busy_ns: u64) -> Self {
        let [voluntary_switches, involuntary_switches] = read_switches();
        let cpu_ns = read_cpu_ns(ClockId::ThreadCPUTime);
        Self { time_ns, cpu_ns, busy_ns, waited_ns: read_waited_ns(), voluntary_switches, involuntary_switches }
    }
}

/// The second field of /proc/thread-self/schedstat; 0 if the kernel does not have it.
fn read_waited_ns() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split_whitespace().nth(1).and_then(|field| field.parse().ok()).unwrap_or(0)
}

/// Context switches of this thread, voluntary and involuntary.
fn read_switches() -> [u64; 2] {
    let text = std::fs::read_to_string("/proc/thread-self/status").unwrap_or_default();
    ["voluntary_ctxt_switches:", "nonvoluntary_ctxt_switches:"].map(|key| {
        let line = text.lines().find_map(|line| line.strip_prefix(key));
        line.and_then(|value| value.trim().parse().ok()).unwrap_or(0)
    })
}

/// What a thread used in the window.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct ThreadUse {
    pub cpu_s: f64,
    pub busy_share: f64,
    pub waited_share: f64,
    pub voluntary_switches: u64,
    pub involuntary_switches: u64,
}

impl ThreadUse {
    pub fn between(from: Reading, to: Reading) -> Self {
        let ns = (to.time_ns - from.time_ns).max(1) as f64;
        Self {
            cpu_s: to.cpu_ns.saturating_sub(from.cpu_ns) as f64 / NS_PER_S as f64,
            busy_share: to.busy_ns.saturating_sub(from.busy_ns) as f64 / ns,
            waited_share: to.waited_ns.saturating_sub(from.waited_ns) as f64 / ns,
            voluntary_switches: to.voluntary_switches.saturating_sub(from.voluntary_switches),
            involuntary_switches: to.involuntary_switches.saturating_sub(from.involuntary_switches),
        }
    }
}

/// What a process used: `cpu_s` since its start, all else in the window. Shares are of the busiest thread.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ProcessUse {
    pub pid: u32,
    pub role: String,
    pub index: u32,
    pub cpu_s: f64,
    pub window_cpu_s: f64,
    pub busy_share: f64,
    pub waited_share: f64,
    pub voluntary_switches: u64,
    pub involuntary_switches: u64,
}

impl ProcessUse {
    pub fn of_self(role: &str, index: u32, threads: &[ThreadUse]) -> Self {
        let most = |share: fn(&ThreadUse) -> f64| threads.iter().map(share).fold(0.0, f64::max);
        Self {
            pid: std::process::id(),
            role: role.into(),
            index,
            cpu_s: process_cpu_s(),
            window_cpu_s: threads.iter().map(|thread| thread.cpu_s).sum(),
            busy_share: most(|thread| thread.busy_share),
            waited_share: most(|thread| thread.waited_share),
            voluntary_switches: threads.iter().map(|thread| thread.voluntary_switches).sum(),
            involuntary_switches: threads.iter().map(|thread| thread.involuntary_switches).sum(),
        }
    }
}

/// CPU time of all threads of this process since its start.
pub fn process_cpu_s() -> f64 {
    read_cpu_ns(ClockId::ProcessCPUTime) as f64 / NS_PER_S as f64
}

fn read_cpu_ns(clock: ClockId) -> u64 {
    let cpu = clock_gettime(clock);
    cpu.tv_sec as u64 * NS_PER_S + cpu.tv_nsec as u64
}
