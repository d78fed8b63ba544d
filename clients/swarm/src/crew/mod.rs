//! A crew carries out a load: threads of this process, or several processes if one has too few descriptors.

pub mod probes;
pub mod processes;
pub mod progress;
mod threads;

use crate::accounts::ProcessUse;
use crate::arrivals::Process;
use crate::config::Config;
use crate::load::Live;
use crate::tally::probed::Probed;
use crate::tally::Tally;
use processes::Member;
use progress::{Progress, Share, CLIENT};
use serde::Serialize;
use std::ops::Range;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;
use threads::Threads;

/// The role of a process that only adds up the others.
const RECORDER: &str = "recorder";

/// Processes or threads that wait for the start.
pub enum Crew {
    Threads(Box<Config>),
    Processes(Vec<Member>, mpsc::Receiver<Result<Share, String>>),
}

/// A crew that is running.
pub enum Running {
    Threads(Threads),
    Processes { members: Vec<Member>, results: mpsc::Receiver<Result<Share, String>>, shares: Vec<Share> },
}

#[derive(Serialize)]
pub struct Announced {
    pid: u32,
    role: &'static str,
    index: u32,
}

impl Crew {
    /// Starts the processes that a load needs.
    pub fn assemble(config: Config) -> Result<Self, String> {
        if config.processes == 1 {
            return Ok(Self::Threads(Box::new(config)));
        }
        let (sender, results) = mpsc::channel();
        let start = |index| Member::start(&config, index, sender.clone());
        let members = (0..config.processes).map(start).collect::<Result<_, _>>()?;
        Ok(Self::Processes(members, results))
    }

    /// The processes of the crew, for the `ready` line.
    pub fn list(&self) -> Vec<Announced> {
        let own = |role| Announced { pid: std::process::id(), role, index: 1 };
        match self {
            Self::Threads(_) => vec![own(CLIENT)],
            Self::Processes(members, _) => {
                let listed = members.iter().map(|member| Announced {
                    pid: member.child.id(),
                    role: CLIENT,
                    index: member.index + 1,
                });
                std::iter::once(own(RECORDER)).chain(listed).collect()
            }
        }
    }

    /// Starts the load at `start_ns` (CLOCK_MONOTONIC).
    pub fn go(self, start_ns: u64) -> Result<Running, String> {
        match self {
            Self::Threads(config) => Ok(Running::Threads(Threads::start(&config, 0, start_ns)?)),
            Self::Processes(mut members, results) => {
                for member in &mut members {
                    member.say(&format!("go {start_ns}"))?;
                }
                Ok(Running::Processes { members, results, shares: Vec::new() })
            }
        }
    }
}

impl Running {
    pub fn progress(&self) -> Progress {
        match self {
            Self::Threads(threads) => threads.progress(),
            Self::Processes { members, .. } => {
                members.iter().map(|member| member.progress.lock().expect("no one panics").clone()).sum()
            }
        }
    }

    /// Replaces the arrivals, for `probes`. Those run in one process only.
    pub fn set_arrivals(&self, process: Option<Process>, window_ns: Option<Range<u64>>) {
        if let Self::Threads(threads) = self {
            threads.load.stage.set(process, window_ns);
        }
    }

    /// Takes each thread's result of the last probe; `None` until all threads have one.
    pub fn take_probed(&self) -> Option<Vec<Probed>> {
        let Self::Threads(threads) = self else { return None };
        let has_told = |live: &Live| live.probed.lock().expect("no one panics").is_some();
        threads.load.live.iter().all(has_told).then(|| threads.load.live.iter().filter_map(take).collect())
    }

    /// Has the load of this process ended?
    pub fn is_over(&self) -> bool {
        matches!(self, Self::Threads(threads) if threads.is_over())
    }

    /// Stops the load early and keeps what was measured. A second call stops the wait for outstanding answers.
    pub fn stop(&mut self) {
        match self {
            Self::Threads(threads) => threads.load.end_early(),
            Self::Processes { members, .. } => members.iter_mut().for_each(|member| drop(member.say("stop"))),
        }
    }

    /// Waits for the end, about as long as `patience`; `None` if the load still runs.
    pub fn wait(&mut self, patience: Duration) -> Option<Result<(Tally, Vec<ProcessUse>), String>> {
        match self {
            Self::Threads(threads) => {
                if !threads.is_over() {
                    thread::sleep(patience);
                    return None;
                }
                Some(threads.join(CLIENT, 0).map(|share| (share.tally, vec![share.usage])))
            }
            Self::Processes { members, results, shares } => wait_for(members.len(), results, shares, patience),
        }
    }
}

fn take(live: &Live) -> Option<Probed> {
    live.probed.lock().expect("no one panics").take()
}

/// Waits for the next process to finish; `Some` if all have, or one failed.
fn wait_for(
    count: usize,
    results: &mpsc::Receiver<Result<Share, String>>,
    shares: &mut Vec<Share>,
    patience: Duration,
) -> Option<Result<(Tally, Vec<ProcessUse>), String>> {
    match results.recv_timeout(patience) {
        Ok(Ok(share)) => shares.push(share),
        Ok(Err(reason)) => return Some(Err(reason)),
        Err(_) => return None,
    }
    if shares.len() < count {
        return None;
    }
    shares.sort_by_key(|share| share.usage.index);
    let mut usage = vec![ProcessUse::of_self(RECORDER, 1, &[])];
    let mut tallies = shares.drain(..).map(|share| {
        usage.push(share.usage);
        share.tally
    });
    let mut sum = tallies.next().expect("there is one at least");
    tallies.for_each(|tally| sum.add(tally));
    Some(Ok((sum, usage)))
}
