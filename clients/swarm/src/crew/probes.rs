//! Probes: loads on open connections whose rate changes from one to the next, to search for a server's highest rate.

use super::progress::Progress;
use super::Running;
use crate::accounts::process_cpu_s;
use crate::arrivals::Process;
use crate::clock::{self, ns_of_s, NS_PER_S};
use crate::config::check::check_arrivals;
use crate::config::MOST_S;
use crate::tally::sketch::DIGITS;
use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};
use std::thread;
use std::time::Duration;

/// Time between checks for the last answers.
const PATIENCE: Duration = Duration::from_millis(5);

/// A `probe` line (clients/CONTRACT.md).
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Probe {
    pub arrivals: Process,
    /// before the window, for the server to reach the rate
    pub lead_s: f64,
    pub hold_s: f64,
    /// longest wait for the last answers after the window
    pub drain_s: f64,
}

/// The answer, `probed`: results of the probe's window.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Probed {
    /// connections that were up at its start
    pub connected: u64,
    /// messages due, and answers received, within it
    pub due: u64,
    pub received: u64,
    /// its actual length
    pub hold_s: f64,
    /// CPU time of this process within it
    pub cpu_s: f64,
    /// from the intended time, of messages due within it, even with few samples beyond; none without an answer
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_p99_us: Option<u64>,
    /// messages due in the whole probe, including the lead, and unanswered after the drain
    pub lost: u64,
    /// messages due in the window that this side sent late by its own fault
    pub late: u64,
}

impl Probe {
    /// A time, or a rate, that is out of range, if there is one.
    pub fn problem(&self) -> Option<String> {
        let times = [("lead_s", self.lead_s), ("hold_s", self.hold_s), ("drain_s", self.drain_s)];
        let strange = times.into_iter().find(|(_, value)| !(0.0..=MOST_S).contains(value));
        let mut wrong = strange.map(|(key, value)| format!("{key} is {value}; set it to a number from 0 to {MOST_S}"));
        check_arrivals(&self.arrivals, &mut |holds, told| {
            if !holds {
                wrong.get_or_insert(told);
            }
        });
        wrong
    }

    /// Runs the probe and waits for its result.
    /// Errors: the whole load ended first.
    pub fn make(self, running: &Running) -> Result<Probed, String> {
        let begin = running.progress();
        let planned_ns = clock::now_ns() + ns_of_s(self.lead_s);
        let window_ns = planned_ns..planned_ns + ns_of_s(self.hold_s);
        running.set_arrivals(Some(self.arrivals), Some(window_ns.clone()));
        sleep_until(window_ns.start);
        let (from_ns, before, from_cpu_s) = (clock::now_ns(), running.progress(), process_cpu_s());
        sleep_until(from_ns + ns_of_s(self.hold_s));
        let (to_ns, after, to_cpu_s) = (clock::now_ns(), running.progress(), process_cpu_s());
        running.set_arrivals(None, Some(window_ns));
        if running.is_over() {
            return Err("the load was over before the probe; raise hold_s".into());
        }
        let until_ns = to_ns + ns_of_s(self.drain_s);
        while is_out(running.progress()) && clock::now_ns() < until_ns {
            thread::sleep(PATIENCE);
        }
        let end = running.progress();
        running.set_arrivals(None, None);
        let (latency, late) = wait_for_told(running)?;
        Ok(Probed {
            connected: before.connected,
            due: after.due - before.due,
            received: after.received - before.received,
            hold_s: (to_ns - from_ns) as f64 / NS_PER_S as f64,
            cpu_s: to_cpu_s - from_cpu_s,
            latency_p99_us: (!latency.is_empty()).then(|| latency.value_at_percentile(99.0)),
            lost: (end.due - begin.due).saturating_sub(end.received - begin.received),
            late,
        })
    }
}

/// Latency and late sends of the window, over all threads.
fn wait_for_told(running: &Running) -> Result<(Histogram<u64>, u64), String> {
    loop {
        if let Some(all) = running.take_probed() {
            let mut latency = Histogram::new(DIGITS).expect("three digits are possible");
            all.iter().for_each(|probed| probed.latency.add_to(&mut latency));
            return Ok((latency, all.iter().map(|probed| probed.late).sum()));
        }
        if running.is_over() {
            return Err("the load was over before the probe; raise hold_s".into());
        }
        thread::sleep(PATIENCE);
    }
}

/// Are answers outstanding?
fn is_out(progress: Progress) -> bool {
    progress.received < progress.sent
}

fn sleep_until(time_ns: u64) {
    thread::sleep(Duration::from_nanos(time_ns.saturating_sub(clock::now_ns())));
}
