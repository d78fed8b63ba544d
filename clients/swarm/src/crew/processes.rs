//! Child processes, for loads that need more descriptors than one process has. Each is this program, with its load on
//! standard input.

use super::progress::{Progress, Share, CLIENT};
use super::threads::{refuse, Threads};
use crate::clock::{self, NS_PER_MS};
use crate::config::Config;
use serde::{Deserialize, Serialize};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::sync::{mpsc, Arc, Mutex};
use std::thread;
use std::time::Duration;

/// The argument that makes this program a child process of a load.
pub const CHILD_ARGUMENT: &str = "--process-of-a-load";

/// Period of a child's progress lines.
const PROGRESS_NS: u64 = 250 * NS_PER_MS;

/// A child process.
pub struct Member {
    pub(super) child: Child,
    pub(super) index: u32,
    pub(super) progress: Arc<Mutex<Progress>>,
}

/// A line that a child writes.
#[derive(Serialize, Deserialize)]
enum Line {
    Progress(Progress),
    Done(Box<Share>),
    Failed(String),
}

impl Member {
    pub(super) fn start(
        config: &Config,
        index: u32,
        sender: mpsc::Sender<Result<Share, String>>,
    ) -> Result<Self, String> {
        let start = || -> std::io::Result<Child> {
            Command::new(std::env::current_exe()?)
                .args([CHILD_ARGUMENT, &index.to_string()])
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()
        };
        let mut child = start().map_err(|error| refuse(&format!("load process {}", index + 1), &error))?;
        let progress = Arc::new(Mutex::new(Progress::default()));
        let output = child.stdout.take().expect("it is piped");
        let seen = progress.clone();
        let listener = thread::Builder::new().spawn(move || listen(BufReader::new(output), &seen, &sender));
        listener.map_err(|error| refuse("a thread", &error))?;
        let mut member = Self { child, index, progress };
        member.say(&serde_json::to_string(config).map_err(|error| error.to_string())?)?;
        Ok(member)
    }

    pub(super) fn say(&mut self, line: &str) -> Result<(), String> {
        let input = self.child.stdin.as_mut().expect("it is piped");
        writeln!(input, "{line}").map_err(|error| format!("load process {} is gone: {error}", self.index + 1))
    }
}

/// Reads a child's lines until it is done.
fn listen(output: impl BufRead, seen: &Mutex<Progress>, sender: &mpsc::Sender<Result<Share, String>>) {
    for line in output.lines().map_while(Result::ok) {
        let result = match serde_json::from_str(&line) {
            Ok(Line::Progress(progress)) => {
                *seen.lock().expect("no one panics") = progress;
                continue;
            }
            Ok(Line::Done(share)) => Ok(*share),
            Ok(Line::Failed(reason)) => Err(reason),
            Err(error) => Err(format!("a load process wrote what is no record: {error}")),
        };
        let _ = sender.send(result); // fails only if the load was abandoned
        return;
    }
    let _ = sender.send(Err("a load process ended without a word".into()));
}

/// Runs as a child. Reads its configuration, `go T`, and perhaps `stop` from standard input; exits when that closes.
pub fn live_as_child(index: u32) -> Result<(), String> {
    let mut lines = BufReader::new(std::io::stdin()).lines().map_while(Result::ok);
    let (Some(config), Some(go)) = (lines.next(), lines.next()) else {
        return Ok(()); // the parent gave up
    };
    let config: Config = serde_json::from_str(&config).map_err(|error| error.to_string())?;
    let start_ns = go.strip_prefix("go ").and_then(|time| time.parse().ok()).ok_or("no start was given")?;
    let mut threads = match Threads::start(&config, index, start_ns) {
        Ok(threads) => threads,
        Err(reason) => return print(&Line::Failed(reason)),
    };
    let load = threads.load.clone();
    let guard = thread::Builder::new().spawn(move || {
        lines.filter(|line| line == "stop").for_each(|_| load.end_early());
        std::process::exit(70); // the parent is gone
    });
    if let Err(error) = guard {
        return print(&Line::Failed(refuse("a thread", &error)));
    }
    while !threads.is_over() {
        // at whole quarters of a second since the start, so that the parent's lines cover whole seconds
        let passed_ns = clock::now_ns().saturating_sub(start_ns) % PROGRESS_NS;
        thread::sleep(Duration::from_nanos(PROGRESS_NS - passed_ns));
        print(&Line::Progress(threads.progress()))?;
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
