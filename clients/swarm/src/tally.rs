//! What happened, filed by the second, and counted for the window: the records of clients/CONTRACT.md.

use crate::clock::{NS_PER_S, NS_PER_US};
use crate::counts::{Connections, Counts, Row};
use crate::sketch::Sketch;
use crate::spread::Share;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One second since the start.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Second {
    pub row: Row,
    /// from the intended time, filed under its second
    pub latency: Sketch,
    /// from the actual time
    pub service: Sketch,
    pub connect: Connects,
    /// from the drop until it was up again, filed under the second of the drop
    pub reconnect: Sketch,
}

/// Times to connect, filed under the second of the call: in all, and its parts.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Connects {
    pub whole: Sketch,
    pub tcp: Sketch,
    pub upgrade: Sketch,
    pub dialect: Sketch,
}

/// When things count.
#[derive(Clone, Copy, Debug, Default)]
pub struct Timing {
    pub start_ns: u64,
    pub window_from_ns: u64,
    /// after it nothing is intended
    pub end_ns: u64,
    pub late_ns: u64,
}

/// When a message was due, when it went out, and when its answer came: ns of CLOCK_MONOTONIC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    pub intended_ns: u64,
    pub actual_ns: u64,
    pub received_ns: u64,
}

/// Answers with the same times: one read brings many to what one write sent.
#[derive(Debug, Default)]
struct Run {
    times: Times,
    count: u64,
    wrong: u64,
    bytes: u64,
}

/// A connection that was up: broadcast counts what it should have received.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Up {
    pub from_ns: u64,
    pub to_ns: u64,
}

/// One thread's records; those of all threads and processes are added up.
#[derive(Debug, Serialize, Deserialize)]
pub struct Tally {
    #[serde(skip)]
    timing: Timing,
    /// the second that was looked up last, and when it begins: most look-ups are of the same one
    #[serde(skip)]
    last: (usize, u64),
    #[serde(skip)]
    run: Run,
    pub seconds: Vec<Second>,
    /// seconds before this one are frozen
    #[serde(skip)]
    frozen: usize,
    /// messages intended before the window
    pub early: Counts,
    pub window: Counts,
    pub connections: Connections,
    /// by code: 1005 without one, 1006 without a close frame
    pub closed_by_peer: BTreeMap<u16, u64>,
    pub errors: BTreeMap<String, u64>,
    /// broadcast: actual times of the messages intended in the window, and when each connection was up
    pub broadcasts_ns: Vec<u64>,
    pub ups: Vec<Up>,
    /// of each connection, where the configuration asks for it
    pub shares: Vec<Share>,
}

/// Reasons told apart.
const REASONS_MAX: usize = 50;
const OTHER_REASONS: &str = "other reasons";
/// No second begins then.
const NEVER: u64 = u64::MAX / 2;
/// So many of the last seconds expect many values.
const OPEN_SECONDS: usize = 3;

impl Tally {
    pub fn new(timing: Timing) -> Self {
        Self {
            timing,
            last: (0, NEVER),
            run: Run::default(),
            seconds: Vec::new(),
            frozen: 0,
            early: Counts::default(),
            window: Counts::default(),
            connections: Connections::default(),
            closed_by_peer: BTreeMap::new(),
            errors: BTreeMap::new(),
            broadcasts_ns: Vec::new(),
            ups: Vec::new(),
            shares: Vec::new(),
        }
    }

    #[inline]
    fn second(&mut self, time_ns: u64) -> &mut Second {
        if time_ns.wrapping_sub(self.last.1) >= NS_PER_S {
            self.look_up(time_ns);
        }
        &mut self.seconds[self.last.0]
    }

    #[cold]
    fn look_up(&mut self, time_ns: u64) {
        let start_ns = self.timing.start_ns;
        let at = (time_ns.saturating_sub(start_ns) / NS_PER_S) as usize;
        if at >= self.seconds.len() {
            self.grow(at);
        }
        self.last = (at, start_ns + at as u64 * NS_PER_S);
    }

    fn grow(&mut self, at: usize) {
        self.seconds.resize_with(at, Second::default);
        let fresh = || Second { latency: Sketch::dense(), service: Sketch::dense(), ..Second::default() };
        self.seconds.push(fresh());
        let frozen = self.seconds.len().saturating_sub(OPEN_SECONDS);
        for second in &mut self.seconds[self.frozen.min(frozen)..frozen] {
            second.latency.freeze();
            second.service.freeze();
        }
        self.frozen = frozen;
    }

    #[inline]
    fn counts(&mut self, intended_ns: u64) -> &mut Counts {
        if intended_ns >= self.timing.window_from_ns {
            &mut self.window
        } else {
            &mut self.early
        }
    }

    /// A message fell due.
    #[inline]
    pub fn due(&mut self, intended_ns: u64) {
        self.second(intended_ns).row.due += 1;
        self.counts(intended_ns).due += 1;
    }

    /// A message that was due could not be sent. `is_remote`: the other side's doing.
    pub fn unsent(&mut self, intended_ns: u64, is_remote: bool) {
        let counts = self.counts(intended_ns);
        *(if is_remote { &mut counts.unsent_remote } else { &mut counts.unsent_local }) += 1;
    }

    /// The socket took some messages of one length. `has_waited`: for the server, before they could be sent.
    #[inline]
    pub fn sent(&mut self, intended_ns: u64, actual_ns: u64, bytes: usize, has_waited: bool, count: u64) {
        let row = &mut self.second(actual_ns).row;
        row.sent += count;
        row.sent_b += count * bytes as u64;
        let is_late = actual_ns - intended_ns > self.timing.late_ns;
        let counts = self.counts(intended_ns);
        counts.sent += count;
        counts.late += count * u64::from(is_late);
        counts.late_remote += count * u64::from(is_late && has_waited);
    }

    /// An answer came. Answers that came together to what was sent together are filed together.
    #[inline]
    pub fn answered(&mut self, times: Times, bytes: usize, is_right: bool) {
        if times != self.run.times {
            self.end_run();
            self.run.times = times;
        }
        self.run.count += 1;
        self.run.wrong += u64::from(!is_right);
        self.run.bytes += bytes as u64;
    }

    /// Answers until now, those that are not filed yet among them.
    pub fn received_now(&self) -> u64 {
        self.early.received + self.window.received + self.run.count
    }

    /// Files the answers that were put together. To be called before anything is read.
    pub fn end_run(&mut self) {
        let Run { times, count, wrong, bytes } = std::mem::take(&mut self.run);
        if count == 0 {
            return;
        }
        let Times { intended_ns, actual_ns, received_ns } = times;
        let (latency_ns, service_ns) = (received_ns - intended_ns, received_ns.saturating_sub(actual_ns));
        let second = self.second(intended_ns);
        second.latency.record_n((latency_ns + NS_PER_US / 2) / NS_PER_US, count as u32);
        second.service.record_n((service_ns + NS_PER_US / 2) / NS_PER_US, count as u32);
        let row = &mut self.second(received_ns).row;
        row.received += count;
        row.received_b += bytes;
        row.wrong += wrong;
        let counts = self.counts(intended_ns);
        counts.received += count;
        counts.wrong += wrong;
        counts.latency_sum_ns += latency_ns * count;
        counts.service_sum_ns += service_ns * count;
    }

    /// The answer just filed came after those to later messages.
    pub fn out_of_order(&mut self, intended_ns: u64) {
        self.counts(intended_ns).out_of_order += 1;
    }

    /// A second answer to a message.
    pub fn duplicate(&mut self, received_ns: u64) {
        self.counts(received_ns).duplicate += 1;
    }

    /// An answer to nothing.
    pub fn stray(&mut self, received_ns: u64) {
        self.second(received_ns).row.wrong += 1;
        self.counts(received_ns).wrong += 1;
    }

    /// A connection is up. Times of the call, of TCP, of the upgrade and of the dialect's word; `None` where there is no
    /// such step.
    pub fn opened(&mut self, called_ns: u64, tcp_ns: u64, upgraded_ns: Option<u64>, up_ns: u64) {
        self.connections.opened += 1;
        self.second(up_ns).row.connected += 1;
        let connect = &mut self.second(called_ns).connect;
        let us = |from: u64, to: u64| (to - from + NS_PER_US / 2) / NS_PER_US;
        connect.whole.record(us(called_ns, up_ns));
        connect.tcp.record(us(called_ns, tcp_ns));
        if let Some(upgraded_ns) = upgraded_ns {
            connect.upgrade.record(us(tcp_ns, upgraded_ns));
            connect.dialect.record(us(upgraded_ns, up_ns));
        }
    }

    pub fn failed(&mut self, time_ns: u64, is_local: bool, reason: &str) {
        self.second(time_ns).row.failed += 1;
        *(if is_local { &mut self.connections.failed_local } else { &mut self.connections.failed_remote }) += 1;
        self.error(reason);
    }

    /// What the server dropped is up again.
    pub fn reconnected(&mut self, lost_ns: u64, up_ns: u64) {
        let away_us = (up_ns - lost_ns + NS_PER_US / 2) / NS_PER_US;
        self.second(lost_ns).reconnect.record(away_us);
        self.connections.reconnected += 1;
        self.connections.reconnect_max_us = self.connections.reconnect_max_us.max(Some(away_us));
    }

    /// An attempt to come back failed. It is a drop that lasts and no new failure, unless it is this host's doing.
    pub fn reconnect_failed(&mut self, time_ns: u64, is_local: bool, reason: &str) {
        self.connections.reconnect_attempts_failed += 1;
        if is_local {
            self.failed(time_ns, true, reason);
        } else {
            self.error(reason);
        }
    }

    pub fn dropped(&mut self, time_ns: u64, is_local: bool, reason: &str) {
        let row = &mut self.second(time_ns).row;
        row.dropped += 1;
        row.connected -= 1;
        *(if is_local { &mut self.connections.dropped_local } else { &mut self.connections.dropped_remote }) += 1;
        self.error(reason);
    }

    /// This side closed a connection in the middle of the run.
    pub fn churned(&mut self, time_ns: u64) {
        self.second(time_ns).row.connected -= 1;
        self.connections.churned += 1;
    }

    pub fn error(&mut self, reason: &str) {
        // a server's own words may differ from connection to connection
        let is_new = !self.errors.contains_key(reason);
        let key = if is_new && self.errors.len() >= REASONS_MAX { OTHER_REASONS } else { reason };
        *self.errors.entry(key.to_string()).or_default() += 1;
    }

    /// Connections that are up.
    pub fn up_now(&self) -> u64 {
        let Connections { opened, dropped_local, dropped_remote, churned, .. } = self.connections;
        opened - dropped_local - dropped_remote - churned
    }

    /// Connections that the server dropped, and that are not back.
    pub fn gone_now(&self) -> u64 {
        self.connections.dropped_remote - self.connections.reconnected
    }

    /// Each second until the end has a line, whether something happened in it or not.
    pub fn fill(&mut self, end_ns: u64) {
        self.end_run();
        self.second(end_ns.saturating_sub(1).max(self.timing.start_ns));
        for Second { latency, service, connect, reconnect, .. } in &mut self.seconds {
            let Connects { whole, tcp, upgrade, dialect } = connect;
            [latency, service, whole, tcp, upgrade, dialect, reconnect].into_iter().for_each(Sketch::freeze);
        }
    }

    /// Adds the records of another thread.
    pub fn add(&mut self, other: Self) {
        let longer = self.seconds.len().max(other.seconds.len());
        self.seconds.resize_with(longer, Second::default);
        for (second, added) in self.seconds.iter_mut().zip(other.seconds) {
            second.add(added);
        }
        self.early.add(&other.early);
        self.window.add(&other.window);
        self.connections.add(&other.connections);
        other
            .closed_by_peer
            .into_iter()
            .for_each(|(code, count)| *self.closed_by_peer.entry(code).or_default() += count);
        other.errors.into_iter().for_each(|(reason, count)| *self.errors.entry(reason).or_default() += count);
        self.broadcasts_ns.extend(other.broadcasts_ns);
        self.ups.extend(other.ups);
        self.shares.extend(other.shares);
    }
}

impl Second {
    fn add(&mut self, other: Self) {
        self.row.add(&other.row);
        self.latency.add(other.latency);
        self.service.add(other.service);
        self.connect.whole.add(other.connect.whole);
        self.connect.tcp.add(other.connect.tcp);
        self.connect.upgrade.add(other.connect.upgrade);
        self.connect.dialect.add(other.connect.dialect);
        self.reconnect.add(other.reconnect);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = NS_PER_S;

    fn tally() -> Tally {
        Tally::new(Timing { start_ns: 10 * S, window_from_ns: 11 * S, end_ns: 13 * S, late_ns: 1_000_000 })
    }

    #[test]
    fn a_message_is_filed_under_its_intended_second_and_its_answer_under_its_own() {
        let mut tally = tally();
        tally.due(11 * S);
        tally.sent(11 * S, 12 * S, 20, false, 1);
        tally.answered(Times { intended_ns: 11 * S, actual_ns: 12 * S, received_ns: 13 * S }, 20, true);
        tally.end_run();
        let rows: Vec<_> =
            tally.seconds.iter().map(|second| (second.row.due, second.row.sent, second.row.received)).collect();
        assert_eq!(rows, [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]);
        assert_eq!(
            tally.seconds[1].latency.to_histogram().max(),
            tally.seconds[1].latency.to_histogram().highest_equivalent(2_000_000)
        );
        assert_eq!(tally.window.late, 1);
    }

    #[test]
    fn messages_before_the_window_are_counted_apart() {
        let mut tally = tally();
        tally.due(11 * S - 1);
        tally.due(11 * S);
        assert_eq!((tally.early.due, tally.window.due), (1, 1));
    }

    #[test]
    fn reasons_without_end_are_counted_together() {
        let mut tally = tally();
        (0..1000).for_each(|at| tally.error(&format!("no room at {at}")));
        assert_eq!((tally.errors.len(), tally.errors[OTHER_REASONS]), (REASONS_MAX + 1, 1000 - REASONS_MAX as u64));
    }

    #[test]
    fn every_second_until_the_end_has_a_line() {
        let mut tally = tally();
        tally.fill(13 * S);
        assert_eq!(tally.seconds.len(), 3);
    }

    #[test]
    fn the_records_of_threads_add_up() {
        let (mut one, mut other) = (tally(), tally());
        one.opened(10 * S, 10 * S + 1000, Some(10 * S + 2000), 10 * S + 3000);
        other.dropped(12 * S, false, "closed: 1006");
        other.answered(Times { intended_ns: 12 * S, actual_ns: 12 * S, received_ns: 12 * S + 5000 }, 3, false);
        other.end_run();
        one.add(other);
        assert_eq!(one.seconds[0].row.connected, 1);
        assert_eq!(one.seconds[2].row.connected, -1);
        assert_eq!((one.window.wrong, one.connections.opened, one.connections.dropped_remote), (1, 1, 1));
        assert_eq!(one.errors["closed: 1006"], 1);
        assert_eq!(one.seconds[0].connect.tcp.to_histogram().max(), 1);
    }
}
