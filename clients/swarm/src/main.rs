//! swarm URL [options], swarm compare A B, or swarm CONFIG.json as clients/CONTRACT.md has it.

use clap::Parser;
use signal_hook::consts::SIGINT;
use std::io::{BufRead, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use swarm::cli::{Arguments, Compare};
use swarm::clock::{self, ns_of_s, NS_PER_S, NS_PER_US};
use swarm::compare;
use swarm::config::url::{hide_password, Url};
use swarm::config::{Config, MOST_S};
use swarm::crew::glance::Glance;
use swarm::crew::probes::Probe;
use swarm::crew::processes::{live_as_child, CHILD_ARGUMENT};
use swarm::crew::{Crew, Running};
use swarm::report::live::Seconds;
use swarm::report::summary::Done;
use swarm::report::{failure, json, records, text};

/// By hand: it ran, and nothing worked. In the suite that is a result.
const NOTHING_WORKED: u8 = 1;
/// servers/CONTRACT.md, "Exit codes".
const BAD_SETTINGS: u8 = 64;
const INTERNAL_ERROR: u8 = 70;

/// Why it ends without a result: the exit code, and lines `<where>: <what>; <next step>`.
struct Failure(u8, Vec<String>);

fn main() -> ExitCode {
    raise_descriptor_limit();
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure(code, lines)) => {
            for line in lines {
                let _ = writeln!(std::io::stderr(), "error: {line}"); // without anyone to read it, the code says it
            }
            ExitCode::from(code)
        }
    }
}

fn run() -> Result<(), Failure> {
    let given: Vec<String> = std::env::args().collect();
    if let [_, word, index] = given.as_slice() {
        if word == CHILD_ARGUMENT {
            ignore_interrupts();
            return live_as_child(index.parse().unwrap_or(0)).map_err(internal);
        }
    }
    if given.get(1).is_some_and(|word| word == "compare") {
        return compare_reports(&given[1..]);
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
            hide_password(&arguments.target)
        );
        Err(settings(vec![format!("{what}; write ws://host:port, or the file alone")]))
    } else {
        run_in_suite(Path::new(&arguments.target))
    }
}

/// Help is no error.
fn tell_usage(told: &clap::Error) -> Result<(), Failure> {
    if !told.use_stderr() {
        return printed(told.print());
    }
    let hidden = std::env::args().filter(|given| *given != hide_password(given));
    let mut text = told.to_string();
    let is_secret = hidden.map(|given| text = text.replace(&given, &hide_password(&given))).count() > 0;
    let _ = if is_secret { std::io::stderr().write_all(text.as_bytes()) } else { told.print() };
    Err(settings(Vec::new()))
}

/// Prints a result. Errors: it could not be written, other than to a reader who has seen enough.
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

fn compare_reports(given: &[String]) -> Result<(), Failure> {
    match Compare::try_parse_from(given) {
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

/// A terminal's Ctrl-C reaches children too; it is their parent who ends them.
fn ignore_interrupts() {
    let _ = signal_hook::flag::register(SIGINT, Arc::new(AtomicBool::new(false)));
}

/// The soft limit is for programs that use select(2), which this is not.
fn raise_descriptor_limit() {
    use rustix::process::{getrlimit, setrlimit, Resource::Nofile, Rlimit};
    let limit = getrlimit(Nofile);
    let _ = setrlimit(Nofile, Rlimit { current: limit.maximum, ..limit }); // what it can't get, Config::problems tells
}

// In the suite

fn run_in_suite(path: &Path) -> Result<(), Failure> {
    let config = Config::read(path).map_err(settings)?;
    let Some(out) = config.out.clone() else {
        return Err(settings(vec![format!("{}: out is missing; set it to an existing folder", path.display())]));
    };
    records::prepare(&out).map_err(internal)?;
    let crew = Crew::assemble(config.clone()).map_err(internal)?;
    let ready =
        serde_json::json!({ "client": "swarm", "version": env!("CARGO_PKG_VERSION"), "processes": crew.list() });
    print(&format!("ready {ready}\n"))?;
    let start_ns = read_start()?;
    let start_wall_ns = wall_of(start_ns);
    let mut running = crew.go(start_ns).map_err(internal)?;
    if config.probes {
        return make_probes(running);
    }
    let mut seconds = Seconds::new(start_ns);
    let done = loop {
        if let Some(result) = running.wait(Duration::from_millis(20)) {
            break finish(config, result, start_wall_ns, None)?;
        }
        if let Some(line) = seconds.line(clock::now_ns(), || running.glance()) {
            let _ = writeln!(std::io::stdout(), "{line}"); // for who watches, if anyone does
        }
    };
    records::write(&out, &done, None).map_err(internal)
}

/// Waits for `go T`. Returns T in ns.
fn read_start() -> Result<u64, Failure> {
    let line = std::io::stdin().lock().lines().next().and_then(Result::ok);
    let Some(line) = line else {
        return Err(internal("standard input ended before \"go T\"".into()));
    };
    let start_us: Option<u64> = line.strip_prefix("go ").and_then(|time| time.parse().ok());
    let start_ns = start_us.and_then(|start_us| start_us.checked_mul(NS_PER_US));
    let Some(start_ns) = start_ns else {
        let told = format!("swarm: standard input said {line:?}; say \"go T\", T in us of CLOCK_MONOTONIC");
        return Err(settings(vec![told]));
    };
    if start_ns > clock::now_ns() + ns_of_s(MOST_S) {
        let told =
            format!("swarm: the start, {line:?}, is over {MOST_S} s ahead; say \"go T\", T in us of CLOCK_MONOTONIC");
        return Err(settings(vec![told]));
    }
    match clock::now_ns().checked_sub(start_ns) {
        Some(late_ns) if late_ns > 0 => {
            let told =
                format!("swarm: the start was {} us ago; say \"go T\" earlier, or a later T", late_ns / NS_PER_US);
            Err(Failure(INTERNAL_ERROR, vec![told]))
        }
        _ => Ok(start_ns),
    }
}

/// Makes a probe for each `probe` line, until standard input ends. They leave no records.
fn make_probes(mut running: Running) -> Result<(), Failure> {
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let probe: Option<Probe> = line.strip_prefix("probe ").and_then(|asked| serde_json::from_str(asked).ok());
        let Some(probe) = probe else {
            let told =
                format!("swarm: standard input said {line:?}; say \"probe\" and what clients/CONTRACT.md asks for");
            return Err(settings(vec![told]));
        };
        if let Some(problem) = probe.problem() {
            return Err(settings(vec![format!("swarm: standard input said {line:?}: {problem}")]));
        }
        let probed = probe.make(&running).map_err(internal)?;
        print(&format!("probed {}\n", serde_json::json!(probed)))?;
    }
    running.stop();
    while running.wait(Duration::from_millis(20)).is_none() {}
    Ok(())
}

fn wall_of(monotonic_ns: u64) -> u64 {
    clock::wall_ns() + monotonic_ns.saturating_sub(clock::now_ns())
}

type Ended = Result<(swarm::tally::Tally, Vec<swarm::accounts::ProcessUse>), String>;

/// `stopped_s`: of the window, when the load was ended early.
fn finish(config: Config, ended: Ended, start_wall_ns: u64, stopped_s: Option<f64>) -> Result<Done, Failure> {
    let (tally, processes) = ended.map_err(internal)?;
    let hold_s = stopped_s.unwrap_or(f64::from(config.hold_s));
    Ok(Done { config, tally, processes, start_wall_ns, hold_s, was_stopped: stopped_s.is_some() })
}

// By hand

/// Between the start and the first connection.
const LEAD_S: f64 = 0.05;
/// After Ctrl-C, for the answers that are still out.
const LAST_ANSWERS_S: f64 = 1.0;
/// What --start-at may be in the future, at most.
const START_WITHIN_S: f64 = 86_400.0;

fn run_by_hand(arguments: &Arguments) -> Result<(), Failure> {
    let name = |lines: Vec<String>| settings(lines.iter().map(|line| format!("swarm: {line}")).collect());
    let config = arguments.to_config().map_err(name)?;
    let ahead_s = seconds_ahead(arguments.start_at).map_err(|line| name(vec![line]))?;
    let given_ns = ahead_s.map(|ahead_s| clock::now_ns() + ns_of_s(ahead_s));
    arguments.out.as_deref().map_or(Ok(()), records::prepare).map_err(internal)?;
    let crew = Crew::assemble(config.clone()).map_err(internal)?;
    let start_ns = given_ns.unwrap_or(clock::now_ns() + ns_of_s(LEAD_S + config.warmup_s));
    let start_wall_ns = wall_of(start_ns);
    let interrupted = Arc::new(AtomicBool::new(false));
    // the second Ctrl-C ends it at once
    let hooked = signal_hook::flag::register_conditional_shutdown(SIGINT, 130, interrupted.clone())
        .and_then(|_| signal_hook::flag::register(SIGINT, interrupted.clone()));
    hooked.map_err(|error| internal(format!("no handler for Ctrl-C: {error}")))?;
    let running = crew.go(start_ns).map_err(internal)?;
    let (ended, stopped_s) = watch(running, &config, start_ns, &interrupted, arguments.quiet);
    let done = finish(config, ended, start_wall_ns, stopped_s)?;
    let report = json::compose(&done);
    let kept = arguments.out.as_deref().map_or(Ok(()), |out| records::write(out, &done, Some(&report)));
    let text = if arguments.json { format!("{report:#}\n") } else { text::compose(&done) };
    let shown = print(&text); // whether or not the records could be kept
    kept.map_err(internal).and(shown)?;
    failure::find(&done).map_or(Ok(()), |what| Err(Failure(NOTHING_WORKED, vec![format!("swarm: {what}")])))
}

/// Seconds until --start-at.
fn seconds_ahead(start_at: Option<SystemTime>) -> Result<Option<f64>, String> {
    let Some(start_at) = start_at else { return Ok(None) };
    match start_at.duration_since(SystemTime::now()) {
        Ok(ahead) if ahead.as_secs_f64() <= START_WITHIN_S => Ok(Some(ahead.as_secs_f64())),
        Ok(ahead) => Err(format!("--start-at is {:.0} s ahead; use a time within a day", ahead.as_secs_f64())),
        Err(error) => Err(format!("--start-at was {:.1} s ago; use a time to come", error.duration().as_secs_f64())),
    }
}

/// Shows progress until the load is over. Returns also for how much of the window it ran, when it was ended early.
fn watch(
    mut running: Running,
    config: &Config,
    start_ns: u64,
    interrupted: &AtomicBool,
    is_quiet: bool,
) -> (Ended, Option<f64>) {
    let window_from_ns = start_ns + u64::from(config.ramp_s + config.settle_s) * NS_PER_S;
    let shows = !is_quiet && std::io::stderr().is_terminal();
    let (mut stopped_s, mut cut_ns, mut last, mut shown_s) = (None, None, Glance::default(), 0);
    loop {
        if let Some(ended) = running.wait(Duration::from_millis(20)) {
            if shows {
                let _ = write!(std::io::stderr(), "{}", line_ends().0);
            }
            return (ended, stopped_s);
        }
        let now_ns = clock::now_ns();
        if interrupted.load(Relaxed) && stopped_s.is_none() {
            let held_s = now_ns.saturating_sub(window_from_ns) as f64 / NS_PER_S as f64;
            stopped_s = Some(held_s.min(f64::from(config.hold_s)));
            cut_ns = Some(now_ns + ns_of_s(LAST_ANSWERS_S));
            running.stop();
        }
        if cut_ns.is_some_and(|cut_ns| now_ns >= cut_ns) {
            cut_ns = None;
            running.stop(); // who has interrupted it does not wait for a server that does not answer
        }
        let elapsed_s = now_ns.saturating_sub(start_ns) / NS_PER_S;
        if shows && elapsed_s > shown_s {
            let glance = running.glance();
            show(elapsed_s, config, &glance, &last, elapsed_s - shown_s);
            (last, shown_s) = (glance, elapsed_s);
        }
    }
}

/// What goes before a line of progress, and after it: it is overwritten by the next where the terminal can.
fn line_ends() -> (&'static str, &'static str) {
    let variable = |name| std::env::var(name).unwrap_or_default();
    line_ends_of(&variable("TERM"), &variable("NO_COLOR"))
}

fn line_ends_of(term: &str, no_color: &str) -> (&'static str, &'static str) {
    if matches!(term, "" | "dumb") || !no_color.is_empty() {
        ("", "\n")
    } else {
        ("\r\x1b[K", "")
    }
}

fn show(elapsed_s: u64, config: &Config, glance: &Glance, last: &Glance, seconds: u64) {
    let all_s = u64::from(config.ramp_s + config.settle_s + config.hold_s);
    let rate = |now: u64, before: u64| text::thousands((now - before) / seconds);
    let (before, after) = line_ends();
    let _ = write!(
        std::io::stderr(),
        "{before}{elapsed_s} s of {all_s} s: {} connected, {} sent/s, {} answered/s{after}",
        text::thousands(glance.connected),
        rate(glance.sent, last.sent),
        rate(glance.received, last.received)
    );
    let _ = std::io::stderr().flush();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dumb_terminal_gets_no_escape_codes() {
        for (term, no_color) in [("dumb", ""), ("", ""), ("xterm", "1")] {
            assert_eq!(line_ends_of(term, no_color), ("", "\n"), "{term} {no_color}");
        }
        assert_eq!(line_ends_of("xterm", "").0, "\r\x1b[K");
    }
}
