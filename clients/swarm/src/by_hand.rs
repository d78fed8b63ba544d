//! The command outside the suite: swarm URL [options].

use crate::{finish, internal, print, settings, wall_of, Ended, Failure, NOTHING_WORKED};
use signal_hook::consts::SIGINT;
use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use swarm::cli::Arguments;
use swarm::clock::{self, ns_of_s, NS_PER_S};
use swarm::config::Config;
use swarm::crew::progress::Progress;
use swarm::crew::{Crew, Running};
use swarm::report::{failure, json, numbers, records, text};

/// Time to get ready for the start, besides the warm-up.
const LEAD_S: f64 = 0.05;
/// After Ctrl-C, wait this long for outstanding answers.
const LAST_ANSWERS_S: f64 = 1.0;
/// How far ahead --start-at may be.
const START_WITHIN_S: f64 = 86_400.0;

pub fn run_by_hand(arguments: &Arguments) -> Result<(), Failure> {
    let name = |lines: Vec<String>| settings(lines.iter().map(|line| format!("swarm: {line}")).collect());
    let config = arguments.to_config().map_err(name)?;
    let ahead_s = seconds_ahead(arguments.start_at).map_err(|line| name(vec![line]))?;
    let given_ns = ahead_s.map(|ahead_s| clock::now_ns() + ns_of_s(ahead_s));
    arguments.out.as_deref().map_or(Ok(()), records::prepare).map_err(internal)?;
    let crew = Crew::assemble(config.clone()).map_err(internal)?;
    let start_ns = given_ns.unwrap_or(clock::now_ns() + ns_of_s(LEAD_S + config.warmup_s));
    let start_wall_ns = wall_of(start_ns);
    let interrupted = Arc::new(AtomicBool::new(false));
    // a second Ctrl-C exits at once
    let hooked = signal_hook::flag::register_conditional_shutdown(SIGINT, 130, interrupted.clone())
        .and_then(|_| signal_hook::flag::register(SIGINT, interrupted.clone()));
    hooked.map_err(|error| internal(format!("no handler for Ctrl-C: {error}")))?;
    let running = crew.go(start_ns).map_err(internal)?;
    let (ended, stopped_s) = watch(running, &config, start_ns, &interrupted, arguments.quiet);
    let done = finish(config, ended, start_wall_ns, stopped_s)?;
    let report = json::compose(&done);
    let kept = arguments.out.as_deref().map_or(Ok(()), |out| records::write(out, &done, Some(&report)));
    let text = if arguments.json { format!("{report:#}\n") } else { text::compose(&done) };
    let shown = print(&text); // even if the records could not be written
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

/// Shows progress until the load is over. If the load is stopped early, also returns how much of the window it ran.
fn watch(
    mut running: Running,
    config: &Config,
    start_ns: u64,
    interrupted: &AtomicBool,
    is_quiet: bool,
) -> (Ended, Option<f64>) {
    let window_from_ns = start_ns + u64::from(config.lead_s()) * NS_PER_S;
    let shows = !is_quiet && std::io::stderr().is_terminal();
    let (mut stopped_s, mut is_stopping, mut cut_ns) = (None, false, None);
    let (mut last, mut shown_s) = (Progress::default(), 0);
    loop {
        if let Some(ended) = running.wait(Duration::from_millis(20)) {
            if shows {
                let _ = write!(std::io::stderr(), "{}", line_ends().0);
            }
            return (ended, stopped_s);
        }
        let now_ns = clock::now_ns();
        if interrupted.load(Relaxed) && !is_stopping {
            is_stopping = true;
            let held_s = now_ns.saturating_sub(window_from_ns) as f64 / NS_PER_S as f64;
            stopped_s = (held_s < config.hold_s).then_some(held_s); // in the drain the window is whole
            cut_ns = Some(now_ns + ns_of_s(LAST_ANSWERS_S));
            running.stop();
        }
        if cut_ns.is_some_and(|cut_ns| now_ns >= cut_ns) {
            cut_ns = None;
            running.stop(); // after Ctrl-C do not wait longer for a silent server
        }
        let elapsed_s = now_ns.saturating_sub(start_ns) / NS_PER_S;
        if shows && elapsed_s > shown_s {
            let progress = running.progress();
            show(elapsed_s, config, &progress, &last, elapsed_s - shown_s);
            (last, shown_s) = (progress, elapsed_s);
        }
    }
}

/// Prefix and suffix of a progress line. Each line overwrites the last if the terminal supports it.
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

fn show(elapsed_s: u64, config: &Config, progress: &Progress, last: &Progress, seconds: u64) {
    let all_s = config.load_s();
    let rate = |now: u64, before: u64| numbers::thousands((now - before) / seconds);
    let (before, after) = line_ends();
    let _ = write!(
        std::io::stderr(),
        "{before}{elapsed_s} s of {all_s} s: {} connected, {} sent/s, {} answered/s{after}",
        numbers::thousands(progress.connected),
        rate(progress.sent, last.sent),
        rate(progress.received, last.received)
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
