//! Threads of this process, each with its share of the load.

use super::progress::{Progress, Share};
use crate::accounts::{ProcessUse, ThreadUse};
use crate::clock::{self, ns_of_s, NS_PER_MS};
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

pub struct Threads {
    pub(super) load: Arc<Load>,
    threads: Vec<JoinHandle<Result<(Tally, ThreadUse), String>>>,
}

impl Threads {
    pub(super) fn start(config: &Config, process: u32, start_ns: u64) -> Result<Self, String> {
        let load = Arc::new(Load::new(config.clone(), process, start_ns)?);
        let spawn = |index: u32| {
            let (load, config) = (load.clone(), config.clone());
            thread::Builder::new().spawn(move || {
                let worker = Worker::new(&load, index)?;
                if index == 0 && process == 0 {
                    warm_up(&config, &load)?;
                }
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
fn warm_up(config: &Config, load: &Load) -> Result<(), String> {
    let begin_ns = load.timing.start_ns.saturating_sub(ns_of_s(config.warmup_s));
    while clock::now_ns() < begin_ns && !load.stop.load(Relaxed) {
        thread::sleep(Duration::from_nanos((begin_ns - clock::now_ns().min(begin_ns)).min(LOOK_NS)));
    }
    match Load::warm_up(config, load.timing.start_ns) {
        Some(warm_up) if !load.stop.load(Relaxed) => worker::run(&warm_up, 0).map(drop),
        _ => Ok(()),
    }
}
