//! Threads of this process, each with its share of the load.

use super::progress::{Progress, Share};
use crate::accounts::{ProcessUse, ThreadUse};
use crate::clock::{self, ns_of_s, NS_PER_MS, NS_PER_S};
use crate::config::Config;
use crate::load::{Live, Load};
use crate::tally::Tally;
use crate::worker::{self, Worker};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// How long a thread outlives the load. Its counters vanish with it, and their reader at the window's end may be late.
const LINGER_NS: u64 = 200 * NS_PER_MS;
/// Longest time between checks for a stop.
const LOOK_NS: u64 = 50 * NS_PER_MS;
/// How late the threads may be ready for the window.
const LATE_NS: u64 = NS_PER_S;

pub struct Threads {
    pub(super) load: Arc<Load>,
    threads: Vec<JoinHandle<Result<(Tally, ThreadUse), String>>>,
}

impl Threads {
    pub(super) fn start(config: &Config, process: u32, start_ns: u64) -> Result<Self, String> {
        let load = Arc::new(Load::new(config.clone(), process, start_ns)?);
        let spawn = |index: u32| {
            let load = load.clone();
            thread::Builder::new().spawn(move || {
                let worker = Worker::new(&load, index)?;
                if index == 0 && process == 0 {
                    warm_up(&load)?;
                }
                check_punctual(&load)?;
                let result = worker.run();
                let linger_ns = (load.timing.end_ns + LINGER_NS).saturating_sub(clock::now_ns());
                if !load.stop.load(Relaxed) {
                    thread::sleep(Duration::from_nanos(linger_ns));
                }
                result
            })
        };
        let mut threads = Vec::new();
        for index in 0..config.threads {
            let refused = |error| refuse(&format!("thread {} of {}", index + 1, config.threads), &error);
            threads.push(spawn(index).map_err(refused)?);
        }
        Ok(Self { load, threads })
    }

    pub(super) fn progress(&self) -> Progress {
        let of = |live: &Live| Progress {
            connected: live.connected.load(Relaxed),
            due: live.due.load(Relaxed),
            sent: live.sent.load(Relaxed),
            received: live.received.load(Relaxed),
            latency: live.latency.lock().expect("no one panics").clone(),
        };
        self.load.live.iter().map(of).sum()
    }

    pub(super) fn is_over(&self) -> bool {
        self.threads.iter().all(|thread| thread.is_finished())
    }

    pub(super) fn join(&mut self, role: &str, process: u32) -> Result<Share, String> {
        let ended = self.threads.drain(..).map(|thread| thread.join().expect("a panic aborts"));
        let results: Vec<_> = ended.collect::<Result<_, _>>()?;
        let uses: Vec<_> = results.iter().map(|(_, usage)| *usage).collect();
        let mut tallies = results.into_iter().map(|(tally, _)| tally);
        let mut tally = tallies.next().ok_or("no threads")?;
        tallies.for_each(|other| tally.add(other));
        Ok(Share { tally, usage: ProcessUse::of_self(role, process + 1, &uses) })
    }
}

/// The error if the system refused a thread or process. Names the limits that may be the reason.
pub(super) fn refuse(what: &str, error: &std::io::Error) -> String {
    use rustix::process::{getrlimit, Resource::Nproc};
    let limit = getrlimit(Nproc).current.map_or("unlimited".into(), |limit| limit.to_string());
    format!("{what} was refused: {error}. This user's limit of processes and threads (ulimit -u) is {limit}; use fewer --threads and --processes, or raise it (or the control group's pids.max)")
}

/// Runs the warm-up, which records nothing. Waits first, because the start may be hours ahead.
fn warm_up(load: &Load) -> Result<(), String> {
    let begin_ns = load.timing.start_ns.saturating_sub(ns_of_s(load.config.warmup_s));
    while clock::now_ns() < begin_ns && !load.stop.load(Relaxed) {
        thread::sleep(Duration::from_nanos((begin_ns - clock::now_ns().min(begin_ns)).min(LOOK_NS)));
    }
    load.warm_up().map_or(Ok(()), |warm_up| worker::run(&warm_up, 0).map(drop))
}

/// Looking up a name and drawing large payloads take time. Errors: the window began meanwhile. What a busy machine delays
/// by less than `LATE_NS` shows in the report.
fn check_punctual(load: &Load) -> Result<(), String> {
    let now_ns = clock::now_ns();
    if now_ns < load.timing.window_from_ns + LATE_NS {
        return Ok(());
    }
    let passed_s = (now_ns - load.timing.start_ns) as f64 / NS_PER_S as f64;
    Err(format!(
        "ready {passed_s:.1} s after the start, when the window had begun; use a later --start-at, or a longer --settle"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_load_that_is_ready_after_its_window_began_is_an_error() {
        let config: Config = serde_json::from_value(serde_json::json!({
            "url": "tcp://127.0.0.1:9", "dialect": "tcp", "behaviour": "idle", "processes": 1, "connections": 1,
            "connect_rate_hz": 10.0, "warmup_s": 0, "ramp_s": 1, "settle_s": 1, "hold_s": 1, "arrivals": {"kind": "closed", "outstanding": 1},
            "payload": {"type": "text", "bytes": 20}, "seed": 1, "late_ms": 1, "drain_s": 0
        }))
        .unwrap();
        let of = |start_ns| check_punctual(&Load::new(config.clone(), 0, start_ns).unwrap());
        assert_eq!(of(clock::now_ns()), Ok(()));
        let told = of(clock::now_ns() - 4 * NS_PER_S).unwrap_err();
        assert!(
            told.starts_with("ready 4.0 s after the start, when the window had begun; use a later --start-at"),
            "{told}"
        );
    }
}
