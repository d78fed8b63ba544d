//! Who carries a load out: threads of this process, or other processes where one has too few descriptors.

use crate::accounts::{ProcessUse, ThreadUse};
use crate::arrivals::Process;
use crate::clock::{self, ns_of_s, NS_PER_MS};
use crate::config::Config;
use crate::load::Load;
use crate::tally::Tally;
use crate::worker::{self, Worker};
use serde::{Deserialize, Serialize};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{mpsc, Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// The role of who makes load, and of who only adds up.
const CLIENT: &str = "client";
const RECORDER: &str = "recorder";
/// The word that makes this program a process of another one's load.
pub const CHILD_ARGUMENT: &str = "--process-of-a-load";

/// A thread's accounts go with it: whoever reads them where the window ends, and is a little late, must find it alive.
const LINGER_NS: u64 = 200 * NS_PER_MS;
/// How often, at least, to look whether to stop.
const LOOK_NS: u64 = 50 * NS_PER_MS;

/// What can be seen while a load runs.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Glance {
    pub connected: u64,
    pub due: u64,
    pub sent: u64,
    pub received: u64,
}

/// What is left when it is over.
#[derive(Serialize, Deserialize)]
pub struct Share {
    pub tally: Tally,
    pub usage: ProcessUse,
}

/// Processes or threads that wait for the start.
pub enum Crew {
    Threads(Box<Config>),
    Processes(Vec<Member>, mpsc::Receiver<Result<Share, String>>),
}

/// They run.
pub enum Running {
    Threads(Threads),
    Processes { members: Vec<Member>, results: mpsc::Receiver<Result<Share, String>>, shares: Vec<Share> },
}

/// Another process.
pub struct Member {
    child: Child,
    index: u32,
    glance: Arc<Mutex<Glance>>,
}

pub struct Threads {
    load: Arc<Load>,
    threads: Vec<JoinHandle<Result<(Tally, ThreadUse), String>>>,
}

#[derive(Serialize)]
pub struct Announced {
    pid: u32,
    role: &'static str,
    index: u32,
}

/// A line that a child writes.
#[derive(Serialize, Deserialize)]
enum Line {
    Glance(Glance),
    Done(Box<Share>),
    Failed(String),
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

    /// The processes that take part, as a `ready` line lists them.
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

    /// Lets them go. `start_ns`: CLOCK_MONOTONIC.
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
    pub fn glance(&self) -> Glance {
        match self {
            Self::Threads(threads) => threads.glance(),
            Self::Processes { members, .. } => {
                members.iter().map(|member| *member.glance.lock().expect("no one panics")).sum()
            }
        }
    }

    /// Other arrivals from now on, where the configuration has `probes`, which are made by one process.
    pub fn set_arrivals(&self, process: Option<Process>) {
        if let Self::Threads(threads) = self {
            threads.load.stage.set(process);
        }
    }

    /// Has the load of this process ended?
    pub fn is_over(&self) -> bool {
        matches!(self, Self::Threads(threads) if threads.is_over())
    }

    /// Ends the load before its time; what was measured until then remains.
    pub fn stop(&mut self) {
        match self {
            Self::Threads(threads) => threads.load.stop.store(true, Relaxed),
            Self::Processes { members, .. } => members.iter_mut().for_each(|member| drop(member.say("stop"))),
        }
    }

    /// Waits up to a time for the end; `None` when it has not come.
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

/// Waits for the next process to be done; `Some` when all are, or one has failed.
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

impl Threads {
    fn start(config: &Config, process: u32, start_ns: u64) -> Result<Self, String> {
        let load = Arc::new(Load::new(config.clone(), process, start_ns)?);
        let spawn = |index: u32| {
            let (load, config) = (load.clone(), config.clone());
            thread::spawn(move || {
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
        let threads = (0..config.threads).map(spawn).collect();
        Ok(Self { load, threads })
    }

    fn glance(&self) -> Glance {
        let of = |live: &crate::load::Live| Glance {
            connected: live.connected.load(Relaxed),
            due: live.due.load(Relaxed),
            sent: live.sent.load(Relaxed),
            received: live.received.load(Relaxed),
        };
        self.load.live.iter().map(of).sum()
    }

    fn is_over(&self) -> bool {
        self.threads.iter().all(|thread| thread.is_finished())
    }

    fn join(&mut self, role: &str, process: u32) -> Result<Share, String> {
        let ended = self.threads.drain(..).map(|thread| thread.join().expect("a panic aborts"));
        let results: Vec<_> = ended.collect::<Result<_, _>>()?;
        let uses: Vec<_> = results.iter().map(|(_, usage)| *usage).collect();
        let mut tallies = results.into_iter().map(|(tally, _)| tally);
        let mut tally = tallies.next().ok_or("no threads")?;
        tallies.for_each(|other| tally.add(other));
        Ok(Share { tally, usage: ProcessUse::of_self(role, process + 1, &uses) })
    }
}

/// Exchanges messages before the start, of which nothing is counted. It begins when it must and not before: the start may be
/// hours ahead.
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

impl Member {
    fn start(config: &Config, index: u32, sender: mpsc::Sender<Result<Share, String>>) -> Result<Self, String> {
        let start = || -> std::io::Result<Child> {
            Command::new(std::env::current_exe()?)
                .args([CHILD_ARGUMENT, &index.to_string()])
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()
        };
        let mut child = start().map_err(|error| format!("load process {}: {error}", index + 1))?;
        let glance = Arc::new(Mutex::new(Glance::default()));
        let output = child.stdout.take().expect("it is piped");
        let seen = glance.clone();
        thread::spawn(move || listen(BufReader::new(output), &seen, &sender));
        let mut member = Self { child, index, glance };
        member.say(&serde_json::to_string(config).map_err(|error| error.to_string())?)?;
        Ok(member)
    }

    fn say(&mut self, line: &str) -> Result<(), String> {
        let input = self.child.stdin.as_mut().expect("it is piped");
        writeln!(input, "{line}").map_err(|error| format!("load process {} is gone: {error}", self.index + 1))
    }
}

/// Reads what a child writes, until it is done.
fn listen(output: impl BufRead, seen: &Mutex<Glance>, sender: &mpsc::Sender<Result<Share, String>>) {
    for line in output.lines().map_while(Result::ok) {
        let result = match serde_json::from_str(&line) {
            Ok(Line::Glance(glance)) => {
                *seen.lock().expect("no one panics") = glance;
                continue;
            }
            Ok(Line::Done(share)) => Ok(*share),
            Ok(Line::Failed(reason)) => Err(reason),
            Err(error) => Err(format!("a load process wrote what is no record: {error}")),
        };
        let _ = sender.send(result); // nobody listens any more when the load was given up
        return;
    }
    let _ = sender.send(Err("a load process ended without a word".into()));
}

impl std::iter::Sum for Glance {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        parts.fold(Self::default(), |sum, part| Self {
            connected: sum.connected + part.connected,
            due: sum.due + part.due,
            sent: sum.sent + part.sent,
            received: sum.received + part.received,
        })
    }
}

/// The life of a child: its configuration, then `go T`, then perhaps `stop`, on standard input, whose end is its own end.
pub fn live_as_child(index: u32) -> Result<(), String> {
    let mut lines = BufReader::new(std::io::stdin()).lines().map_while(Result::ok);
    let config: Config = serde_json::from_str(&lines.next().unwrap_or_default()).map_err(|error| error.to_string())?;
    let start_ns = lines.next().and_then(|line| line.strip_prefix("go ")?.parse().ok()).ok_or("no start was given")?;
    let mut threads = Threads::start(&config, index, start_ns)?;
    let load = threads.load.clone();
    thread::spawn(move || {
        if lines.next().as_deref() == Some("stop") {
            load.stop.store(true, Relaxed);
            lines.for_each(drop);
        }
        std::process::exit(70); // who started this process is gone
    });
    let pace = Duration::from_millis(250);
    while !threads.is_over() {
        thread::sleep(pace);
        print(&Line::Glance(threads.glance()))?;
    }
    print(&match threads.join(CLIENT, index) {
        Ok(share) => Line::Done(Box::new(share)),
        Err(reason) => Line::Failed(reason),
    })
}

fn print(line: &Line) -> Result<(), String> {
    let text = serde_json::to_string(line).map_err(|error| error.to_string())?;
    writeln!(std::io::stdout().lock(), "{text}").map_err(|error| error.to_string())
}
