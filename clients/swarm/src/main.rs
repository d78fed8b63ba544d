//! The command: swarm URL [options], swarm compare A B, or swarm CONFIG.json (clients/CONTRACT.md).

mod by_hand;
mod in_suite;

use by_hand::run_by_hand;
use clap::Parser;
use in_suite::run_in_suite;
use signal_hook::consts::SIGINT;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::sync::Arc;
use swarm::cli::{Arguments, Compare};
use swarm::clock;
use swarm::compare;
use swarm::config::url::{hide_secrets, Url};
use swarm::config::Config;
use swarm::crew::processes::{live_as_child, CHILD_ARGUMENT};
use swarm::report::summary::Done;
use swarm::secrets::MASK;

/// Outside the suite: the load ran, but nothing worked. In the suite that is a result.
const NOTHING_WORKED: u8 = 1;
/// servers/CONTRACT.md, "Exit codes".
const BAD_SETTINGS: u8 = 64;
const INTERNAL_ERROR: u8 = 70;

/// Why there is no result: the exit code, and one line `<where>: <what>; <next step>` per problem.
struct Failure(u8, Vec<String>);

fn main() -> ExitCode {
    raise_descriptor_limit();
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure(code, lines)) => {
            for line in lines {
                let _ = writeln!(std::io::stderr(), "error: {line}"); // if nobody reads it, the exit code remains
            }
            ExitCode::from(code)
        }
    }
}

fn run() -> Result<(), Failure> {
    let given = words_given();
    if let [_, word, index] = given.as_slice() {
        if word == CHILD_ARGUMENT {
            ignore_interrupts();
            return live_as_child(index.parse().unwrap_or(0)).map_err(internal);
        }
    }
    if given.get(1).is_some_and(|word| word == "compare") {
        return compare_reports();
    }
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(told) => return tell_usage(&told),
    };
    if Url::is_one(&arguments.target) {
        run_by_hand(&arguments)
    } else if given.len() > 2 {
        let what = format!(
            "swarm: {:?} is no URL, and a configuration file takes no options",
            hide_secrets(&arguments.target)
        );
        Err(settings(vec![format!("{what}; write ws://host:port, or the file alone")]))
    } else {
        run_in_suite(Path::new(&arguments.target))
    }
}

/// The arguments; what is no UTF-8 in them is replaced, which clap then refuses where it matters.
fn words_given() -> Vec<String> {
    std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect()
}

/// Options whose values are secret, and so is a value that is written wrongly.
const HEADERS: [&str; 3] = ["-H", "--header", "--cookie"];
/// A shorter word stands in many others.
const WORD_MIN_B: usize = 4;

/// The value of `-HName: value` or `--header=Name: value`.
fn attached(word: &str) -> Option<&str> {
    let value = HEADERS.iter().find_map(|option| match option.strip_prefix("--") {
        Some(_) => word.strip_prefix(option)?.strip_prefix('='),
        None => word.strip_prefix(option).map(|value| value.strip_prefix('=').unwrap_or(value)),
    });
    value.filter(|value| !value.is_empty())
}

/// Help and version are not errors.
fn tell_usage(told: &clap::Error) -> Result<(), Failure> {
    if !told.use_stderr() {
        return printed(told.print());
    }
    let given = words_given();
    let (mut text, mut is_secret) = (told.to_string(), false);
    for (at, word) in given.iter().enumerate() {
        let is_value = at > 0 && HEADERS.contains(&given[at - 1].as_str());
        let value = if is_value { Some(word.as_str()) } else { attached(word) };
        let (word, shown) = match value.filter(|value| value.len() >= WORD_MIN_B) {
            Some(value) => (value, MASK.to_string()),
            None => (word.as_str(), hide_secrets(word)),
        };
        if word != shown {
            text = text.replace(word, &shown);
            is_secret = true;
        }
    }
    let _ = if is_secret { std::io::stderr().write_all(text.as_bytes()) } else { told.print() };
    Err(settings(Vec::new()))
}

/// Prints a result. A closed pipe is no error: the reader has seen enough.
fn print(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout();
    printed(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

fn printed(written: std::io::Result<()>) -> Result<(), Failure> {
    match written {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            let told = format!("swarm: standard output: {error}; free its disk, or write it elsewhere");
            Err(Failure(INTERNAL_ERROR, vec![told]))
        }
        _ => Ok(()),
    }
}

fn compare_reports() -> Result<(), Failure> {
    match Compare::try_parse_from(std::env::args_os().skip(1)) {
        Ok(Compare { a, b }) => {
            let text = compare::compose(&a, &b).map_err(|line| settings(vec![line]))?;
            print(&text)
        }
        Err(told) => tell_usage(&told),
    }
}

fn internal(reason: String) -> Failure {
    let next = if reason.contains("; ") { "" } else { "; see to it, and run it again" };
    Failure(INTERNAL_ERROR, vec![format!("swarm: {reason}{next}")])
}

fn settings(lines: Vec<String>) -> Failure {
    Failure(BAD_SETTINGS, lines)
}

/// Ctrl-C in a terminal reaches child processes too, but their parent ends them.
fn ignore_interrupts() {
    let _ = signal_hook::flag::register(SIGINT, Arc::new(AtomicBool::new(false)));
}

/// The soft limit protects programs that use select(2). This one does not.
fn raise_descriptor_limit() {
    use rustix::process::{getrlimit, setrlimit, Resource::Nofile, Rlimit};
    let limit = getrlimit(Nofile);
    let _ = setrlimit(Nofile, Rlimit { current: limit.maximum, ..limit }); // Config::problems checks the limit
}

fn wall_of(monotonic_ns: u64) -> u64 {
    clock::wall_ns() + monotonic_ns.saturating_sub(clock::now_ns())
}

type Ended = Result<(swarm::tally::Tally, Vec<swarm::accounts::ProcessUse>), String>;

/// `stopped_s`: how much of the window the load ran, if it was stopped early.
fn finish(config: Config, ended: Ended, start_wall_ns: u64, stopped_s: Option<f64>) -> Result<Done, Failure> {
    let (tally, processes) = ended.map_err(internal)?;
    let hold_s = stopped_s.unwrap_or(config.hold_s);
    Ok(Done { config, tally, processes, start_wall_ns, hold_s, was_stopped: stopped_s.is_some() })
}
