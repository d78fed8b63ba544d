//! Probes: arrivals that change while a load runs, for who looks for the rate that a server can answer. The connections stay.

use super::glance::Glance;
use super::Running;
use crate::accounts::process_cpu_s;
use crate::arrivals::Process;
use crate::clock::{self, ns_of_s, NS_PER_S};
use crate::config::MOST_S;
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
        running.set_arrivals(Some(self.arrivals));
        sleep_until(clock::now_ns() + ns_of_s(self.lead_s));
        let (from_ns, before, from_cpu_s) = (clock::now_ns(), running.glance(), process_cpu_s());
        sleep_until(from_ns + ns_of_s(self.hold_s));
        let (to_ns, after, to_cpu_s) = (clock::now_ns(), running.glance(), process_cpu_s());
        running.set_arrivals(None);
        if running.is_over() {
            return Err("the load was over before the probe; raise hold_s".into());
        }
        let until_ns = to_ns + ns_of_s(self.drain_s);
        while is_out(running.glance()) && clock::now_ns() < until_ns {
            thread::sleep(PATIENCE);
        }
        Ok(Probed {
            connected: before.connected,
            due: after.due - before.due,
            received: after.received - before.received,
            hold_s: (to_ns - from_ns) as f64 / NS_PER_S as f64,
            cpu_s: to_cpu_s - from_cpu_s,
        })
    }
}

/// Has something been sent, and not been answered?
fn is_out(glance: Glance) -> bool {
    glance.received < glance.sent
}

fn sleep_until(time_ns: u64) {
    thread::sleep(Duration::from_nanos(time_ns.saturating_sub(clock::now_ns())));
}
