//! summary.json of clients/CONTRACT.md: the totals of a load, and what the generator used.

use super::remedy;
use crate::accounts::ProcessUse;
use crate::config::Config;
use crate::dialect::Behaviour;
use crate::tally::counts::Counts;
use crate::tally::Tally;
use serde::Serialize;
use serde_json::{json, Map, Value};

/// A finished load.
pub struct Done {
    pub config: Config,
    pub tally: Tally,
    pub processes: Vec<ProcessUse>,
    /// wall clock, ns since 1970
    pub start_wall_ns: u64,
    /// actual length of the window
    pub hold_s: f64,
    pub was_stopped: bool,
}

/// How many messages should have arrived: one per broadcast and connection up at its sending.
pub fn expected_broadcasts(tally: &Tally) -> u64 {
    let mut sent_ns = tally.broadcasts_ns.clone();
    sent_ns.sort_unstable();
    let before = |time_ns: u64| sent_ns.partition_point(|sent| *sent < time_ns) as u64;
    tally.ups.iter().map(|up| before(up.to_ns) - before(up.from_ns)).sum()
}

/// A sign that the generator, not the server, limited the numbers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Warning {
    /// identifier, for programs
    pub rule: &'static str,
    /// for people, with the value and what to do
    pub text: String,
}

/// Share of late sends above which the schedule was not kept.
const LATE_SHARE_MAX: f64 = 0.01;
/// Busy share above which the event loop itself limits the rate.
const BUSY_SHARE_MAX: f64 = 0.90;
/// Share of time waiting for a core above which a thread is starved.
const WAITED_SHARE_MAX: f64 = 0.10;
/// Unsent share of due messages, apart from the server's fault, above which the load was not offered.
const UNSENT_SHARE_MAX: f64 = 0.01;

impl Done {
    /// Messages that should have been answered but were not; for broadcast, always of the window.
    pub fn missing(&self, counts: &Counts) -> u64 {
        match self.config.behaviour {
            // whether the server lost what a slow reader has not read can't be told
            Behaviour::Broadcast if self.config.client.read_rate_b_s > 0.0 => 0,
            Behaviour::Broadcast => expected_broadcasts(&self.tally).saturating_sub(self.tally.window.received),
            _ if !self.is_answered() => 0,
            _ => counts.sent.saturating_sub(counts.received + counts.unread),
        }
    }

    /// Are messages of this load answered?
    pub fn is_answered(&self) -> bool {
        self.config.messages.as_ref().is_none_or(|own| own.answer.is_some())
    }

    /// Counts of the whole run.
    pub fn totals(&self) -> Counts {
        let mut totals = self.tally.early;
        totals.add(&self.tally.window);
        totals
    }

    /// All signs that the numbers of this run are not the server's alone.
    pub fn warnings(&self) -> Vec<Warning> {
        let mut warnings = Vec::new();
        let mut warn = |rule, is_so: bool, text: String| {
            if is_so {
                warnings.push(Warning { rule, text });
            }
        };
        let Counts { due, sent, late, late_remote, unsent_remote, .. } = self.tally.window;
        let late_share = share(late - late_remote, sent);
        let text = format!(
            "{:.2} % of the sends were late: {}",
            100.0 * late_share,
            "use more threads, or load a quieter machine"
        );
        warn("late-sends", late_share > LATE_SHARE_MAX, text);
        let unsent_share = share(due - unsent_remote.min(due) - sent.min(due - unsent_remote.min(due)), due);
        let local = self.tally.connections.failed_local + self.tally.connections.dropped_local;
        let help = match local {
            0 => "connections waited for their turn: give them more time before the window (--settle), or raise --max-connecting",
            _ => "this host refused or dropped connections",
        };
        let text = format!("{:.2} % of what was due was not sent: {help}", 100.0 * unsent_share);
        warn("offered-rate", unsent_share > UNSENT_SHARE_MAX, text);
        let most = |share: fn(&ProcessUse) -> f64| self.processes.iter().map(share).fold(0.0, f64::max);
        let busy_share = most(|process| process.busy_share);
        let text = format!("an event loop was busy {:.0} % of the time: use more threads", 100.0 * busy_share);
        warn("generator-busy", busy_share > BUSY_SHARE_MAX, text);
        let waited_share = most(|process| process.waited_share);
        let text = format!(
            "a thread waited for a core {:.0} % of the time: give the generator cores of its own",
            100.0 * waited_share
        );
        warn("generator-starved", waited_share > WAITED_SHARE_MAX, text);
        let text = format!("this host refused or dropped {local} connection(s): {}", remedy::find(&self.tally));
        warn("local-losses", local > 0, text);
        warnings
    }

    /// The content of summary.json.
    pub fn to_json(&self) -> Value {
        let Self { config, tally, .. } = self;
        let connections = &tally.connections;
        let totals = self.totals();
        let is_tls = !tally.tls.agreed.is_empty();
        json!({
            "client": "swarm",
            "library": "swarm",
            "library_version": env!("CARGO_PKG_VERSION"),
            "runtime": "native",
            "connections": {
                "asked": config.connections,
                "opened": connections.opened,
                "open_at_end": tally.up_now(),
                "failed_local": connections.failed_local,
                "failed_remote": connections.failed_remote,
                "dropped_local": connections.dropped_local,
                "dropped_remote": connections.dropped_remote,
                "refused": connections.refused,
                "timed_out": connections.timed_out,
                "silent": connections.silent,
                "churned": connections.churned,
                "not_reopened": connections.not_reopened,
                "reconnected": connections.reconnected,
                "reconnect_attempts_failed": connections.reconnect_attempts_failed,
                "reconnect_max_us": connections.reconnect_max_us,
                "gone_at_end": tally.gone_now(),
                "recovery_s": tally.recovery_ns().map(|ns| ns as f64 / 1e9),
                "pings": connections.pings,
                "pongs": connections.pongs,
            },
            "tls": is_tls.then(|| json!({
                "agreed": tally.tls.agreed, "resumed": tally.tls.resumed, "verified": !config.tls.insecure,
            })),
            "deflate": config.deflate.is_some().then(|| json!({
                "agreed": tally.deflate.agreed, "declined": tally.deflate.declined,
                "sent_b": tally.deflate.sent_b, "sent_wire_b": tally.deflate.sent_wire_b,
                "received_b": tally.deflate.received_b, "received_wire_b": tally.deflate.received_wire_b,
                "saved_b": tally.deflate.saved_b(),
            })),
            "refused_upgrades": tally.refusals,
            "closed_by_peer": tally.closed_by_peer,
            "window": self.counts_json(&tally.window),
            "totals": self.counts_json(&totals),
            "hold_s": self.hold_s,
            "processes": self.processes,
            "errors": tally.errors,
            "warnings": self.warnings(),
        })
    }

    fn counts_json(&self, counts: &Counts) -> Map<String, Value> {
        let mean = |sum_ns: u128| (counts.received > 0).then(|| sum_ns as f64 / 1e3 / counts.received as f64);
        let mut object = Map::new();
        let mut put = |key: &str, value: Value| drop(object.insert(key.into(), value));
        put("due", counts.due.into());
        put("unsent_remote", counts.unsent_remote.into());
        put("unsent_local", counts.unsent_local.into());
        put("sent", counts.sent.into());
        put("received", counts.received.into());
        put("wrong", counts.wrong.into());
        put("late", counts.late.into());
        put("late_remote", counts.late_remote.into());
        put("out_of_order", counts.out_of_order.into());
        put("duplicate", counts.duplicate.into());
        put("unasked", counts.unasked.into());
        if self.config.messages.as_ref().is_some_and(|own| own.subscribe) {
            put("subscribed", counts.subscribed.into());
            put("undated", counts.undated.into());
        }
        if self.config.client.stop_reading > 0.0 || self.config.client.read_rate_b_s > 0.0 {
            put("unread", counts.unread.into());
        }
        put("latency_mean_us", mean(counts.latency_sum_ns).into());
        put("service_mean_us", mean(counts.service_sum_ns).into());
        let is_broadcast = self.config.behaviour == Behaviour::Broadcast;
        let is_window = std::ptr::eq(counts, &self.tally.window);
        if is_window && self.config.messages.as_ref().is_some_and(|own| own.subscribe) {
            put("subscribed_after", self.tally.subscribed_after.into());
        }
        if is_window || !is_broadcast {
            put("missing", self.missing(counts).into());
        }
        if is_window && is_broadcast {
            let expected = expected_broadcasts(&self.tally);
            put("expected", expected.into());
            put("reach", share(self.tally.window.received, expected).into());
        }
        object
    }
}

/// A share; 0 if the whole is 0.
pub fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::clock::NS_PER_S;
    use crate::tally::times::Timing;
    use crate::tally::Up;

    fn tally() -> Tally {
        Tally::new(Timing { start_ns: 0, window_from_ns: 0, end_ns: NS_PER_S, late_ns: 0 })
    }

    #[test]
    fn a_broadcast_is_expected_by_whoever_is_up_when_it_is_sent() {
        let mut tally = tally();
        tally.broadcasts_ns = vec![30, 10, 20];
        tally.ups = vec![Up { from_ns: 0, to_ns: 100 }, Up { from_ns: 15, to_ns: 25 }, Up { from_ns: 40, to_ns: 50 }];
        assert_eq!(expected_broadcasts(&tally), 3 + 1);
    }

    pub fn done(tally: Tally, busy_share: f64, waited_share: f64) -> Done {
        let config = serde_json::from_value(json!({
            "url": "ws://127.0.0.1:9", "behaviour": "echo", "processes": 1, "connections": 10, "connect_rate_hz": 10.0,
            "warmup_s": 0, "ramp_s": 1, "settle_s": 0, "hold_s": 1, "seed": 1, "late_ms": 1, "drain_s": 1
        }));
        let process = json!({ "pid": 1, "role": "client", "index": 1, "cpu_s": 0.1, "window_cpu_s": 0.1, "busy_share": busy_share,
            "waited_share": waited_share, "voluntary_switches": 0, "involuntary_switches": 0 });
        let processes = vec![serde_json::from_value(process).unwrap()];
        Done { config: config.unwrap(), tally, processes, start_wall_ns: 0, hold_s: 1.0, was_stopped: false }
    }

    fn rules(done: &Done) -> Vec<&'static str> {
        done.warnings().into_iter().map(|warning| warning.rule).collect()
    }

    #[test]
    fn a_run_without_fault_has_no_warnings() {
        let mut tally = tally();
        tally.due(5);
        tally.sent(5, 5, 20, false, 1);
        assert!(rules(&done(tally, 0.2, 0.01)).is_empty());
    }

    #[test]
    fn a_generator_that_was_late_busy_or_starved_says_so() {
        let mut tally = tally();
        tally.due(5);
        tally.sent(5, 6, 20, false, 1);
        tally.due(7);
        tally.failed(8, true, "Too many open files");
        let found = rules(&done(tally, 0.99, 0.5));
        assert_eq!(found, ["late-sends", "offered-rate", "generator-busy", "generator-starved", "local-losses"]);
    }
}
