//! Probes: arrivals that change while a load runs, for who looks for the rate that a server can answer. The connections stay.

use super::glance::Glance;
use super::Running;
use crate::accounts::process_cpu_s;
use crate::arrivals::Process;
use crate::clock::{self, ns_of_s, NS_PER_S};
use crate::config::MOST_S;
use crate::tally::sketch::DIGITS;
use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};
use std::thread;
use std::time::Duration;

/// How often to look whether all answers are there.
const PATIENCE: Duration = Duration::from_millis(5);

/// What `probe` asks for (clients/CONTRACT.md).
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Probe {
    pub arrivals: Process,
    /// before the window: until the server has taken the rate up
    pub lead_s: f64,
    pub hold_s: f64,
    /// after the window, at most: until every answer is there
    pub drain_s: f64,
}

/// What `probed` tells of the probe's window.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Probed {
    /// connections that were up when it began
    pub connected: u64,
    /// messages that fell due in it, and answers that came in it
    pub due: u64,
    pub received: u64,
    /// as long as it really was
    pub hold_s: f64,
    /// CPU time that this process used in it
    pub cpu_s: f64,
    /// from the intended time, of what fell due in it, even where few samples lie beyond it; none without an answer
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_p99_us: Option<u64>,
    /// messages that fell due in the probe, its lead among it, and were not answered when it was over
    pub lost: u64,
    /// of what fell due in the window: sent late by this side's own doing
    pub late: u64,
}

impl Probe {
    /// What is wrong with it: a time out of its range.
    pub fn problem(&self) -> Option<String> {
        let times = [("lead_s", self.lead_s), ("hold_s", self.hold_s), ("drain_s", self.drain_s)];
        let (key, value) = times.into_iter().find(|(_, value)| !(0.0..=MOST_S).contains(value))?;
        Some(format!("{key} is {value}; set it to a number from 0 to {MOST_S}"))
    }

    /// Makes the load, and waits for its end.
    /// Errors: the load as a whole was over before.
    pub fn make(self, running: &Running) -> Result<Probed, String> {
        let begin = running.glance();
        let planned_ns = clock::now_ns() + ns_of_s(self.lead_s);
        let window_ns = planned_ns..planned_ns + ns_of_s(self.hold_s);
        running.set_arrivals(Some(self.arrivals), Some(window_ns.clone()));
        sleep_until(window_ns.start);
        let (from_ns, before, from_cpu_s) = (clock::now_ns(), running.glance(), process_cpu_s());
        sleep_until(from_ns + ns_of_s(self.hold_s));
        let (to_ns, after, to_cpu_s) = (clock::now_ns(), running.glance(), process_cpu_s());
        running.set_arrivals(None, Some(window_ns));
        if running.is_over() {
            return Err("the load was over before the probe; raise hold_s".into());
        }
        let until_ns = to_ns + ns_of_s(self.drain_s);
        while is_out(running.glance()) && clock::now_ns() < until_ns {
            thread::sleep(PATIENCE);
        }
        let end = running.glance();
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

/// What all threads have of the window.
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

/// Has something been sent, and not been answered?
fn is_out(glance: Glance) -> bool {
    glance.received < glance.sent
}

fn sleep_until(time_ns: u64) {
    thread::sleep(Duration::from_nanos(time_ns.saturating_sub(clock::now_ns())));
}
