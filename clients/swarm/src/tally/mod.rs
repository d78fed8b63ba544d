//! The records of clients/CONTRACT.md: what happened in each second, and counts for the window.

pub mod coarse;
mod connections;
pub mod counts;
pub mod deflated;
pub mod probed;
pub mod refusals;
pub mod second;
pub mod secured;
pub mod sketch;
pub mod spread;
pub mod times;

use crate::clock::{NS_PER_S, NS_PER_US};
use counts::{Connections, Counts};
use deflated::Deflated;
use probed::Probed;
use refusals::Refusals;
use second::Second;
use secured::Secured;
use serde::{Deserialize, Serialize};
use sketch::Sketch;
use spread::Share;
use std::collections::BTreeMap;
use std::ops::Range;
use times::{Times, Timing};

/// Answers with identical times. One read often brings many answers to messages of one write.
#[derive(Debug, Default)]
struct Run {
    times: Times,
    count: u64,
    wrong: u64,
    bytes: u64,
}

/// A period in which a connection was up, to count the broadcasts that it should have received.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Up {
    pub from_ns: u64,
    pub to_ns: u64,
}

/// The records of one thread. Those of all threads and processes are added up.
#[derive(Debug, Serialize, Deserialize)]
pub struct Tally {
    #[serde(skip)]
    timing: Timing,
    /// cache of the last look-up: index of the second, and its start
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
    /// subscribed messages that came after the window, in the drain
    pub subscribed_after: u64,
    #[serde(skip)]
    has_ended: bool,
    pub connections: Connections,
    pub tls: Secured,
    pub refusals: Refusals,
    pub deflate: Deflated,
    /// by close code; 1005: no code, 1006: no close frame
    pub closed_by_peer: BTreeMap<u16, u64>,
    pub errors: BTreeMap<String, u64>,
    /// broadcast: actual times of messages intended in the window
    pub broadcasts_ns: Vec<u64>,
    /// broadcast: when each connection was up
    pub ups: Vec<Up>,
    /// per connection, if the configuration asks for it
    pub shares: Vec<Share>,
    #[serde(skip)]
    probed: Option<Probed>,
}

/// Start of no second, for an empty cache.
const NEVER: u64 = u64::MAX / 2;
/// The most recent seconds, which still expect many values.
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
            subscribed_after: 0,
            has_ended: false,
            connections: Connections::default(),
            tls: Secured::default(),
            refusals: Refusals::default(),
            deflate: Deflated::default(),
            closed_by_peer: BTreeMap::new(),
            errors: BTreeMap::new(),
            broadcasts_ns: Vec::new(),
            ups: Vec::new(),
            shares: Vec::new(),
            probed: None,
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
        self.seconds.push(Second { latency: Sketch::dense(), service: Sketch::dense(), ..Second::default() });
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

    /// A due message could not be sent. `is_remote`: by the server's fault.
    pub fn unsent(&mut self, intended_ns: u64, is_remote: bool) {
        let counts = self.counts(intended_ns);
        *(if is_remote { &mut counts.unsent_remote } else { &mut counts.unsent_local }) += 1;
    }

    /// The socket took messages of one length. `has_waited`: they had to wait for the server.
    #[inline]
    pub fn sent(&mut self, intended_ns: u64, actual_ns: u64, bytes: usize, has_waited: bool, count: u64) {
        let row = &mut self.second(actual_ns).row;
        row.sent += count;
        row.sent_b += count * bytes as u64;
        let is_late = actual_ns - intended_ns > self.timing.late_ns;
        if is_late && !has_waited {
            self.second(intended_ns).row.late += count;
            if let Some(probed) = self.probed.as_mut().filter(|probed| probed.holds(intended_ns)) {
                probed.late += count;
            }
        }
        let counts = self.counts(intended_ns);
        counts.sent += count;
        counts.late += count * u64::from(is_late);
        counts.late_remote += count * u64::from(is_late && has_waited);
    }

    /// The socket took messages that the server is to send to all who are up.
    pub fn broadcast(&mut self, intended_ns: u64, actual_ns: u64, count: u32) {
        if intended_ns >= self.timing.window_from_ns {
            self.broadcasts_ns.extend((0..count).map(|_| actual_ns));
        }
    }

    /// Messages were sent whose answers are not read.
    pub fn unread(&mut self, intended_ns: u64, count: u64) {
        self.counts(intended_ns).unread += count;
    }

    /// An answer came. Answers with identical times are filed together, by `end_run`.
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

    /// Answers until now, including those not filed yet.
    pub fn received_now(&self) -> u64 {
        self.early.received + self.window.received + self.run.count
    }

    /// Files pending answers. Must be called before the records are read.
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
        if let Some(probed) = self.probed.as_mut().filter(|probed| probed.holds(intended_ns)) {
            probed.latency.record_n((latency_ns + NS_PER_US / 2) / NS_PER_US, count as u32);
        }
        let row = &mut self.second(received_ns).row;
        row.received += count;
        row.received_b += bytes;
        row.wrong += wrong;
        let counts = self.counts(intended_ns);
        counts.received += count;
        counts.wrong += wrong;
        counts.latency_sum_ns += u128::from(latency_ns) * u128::from(count);
        counts.service_sum_ns += u128::from(service_ns) * u128::from(count);
    }

    /// Starts recording a probe's window; `None` stops. Returns the result of the last window, unless it is unchanged.
    pub fn probe(&mut self, window_ns: Option<Range<u64>>) -> Option<Probed> {
        if window_ns
            .as_ref()
            .is_some_and(|window_ns| self.probed.as_ref().is_some_and(|probed| probed.is_of(window_ns)))
        {
            return None;
        }
        self.end_run();
        std::mem::replace(&mut self.probed, window_ns.map(Probed::new))
    }

    /// An answer came after the answer to a later message.
    pub fn out_of_order(&mut self, intended_ns: u64) {
        self.counts(intended_ns).out_of_order += 1;
    }

    /// A second answer to a message.
    pub fn duplicate(&mut self, received_ns: u64) {
        self.counts(received_ns).duplicate += 1;
    }

    /// The server sent a message that answers nothing.
    pub fn unasked(&mut self, received_ns: u64) {
        self.second(received_ns).row.unasked += 1;
        self.counts(received_ns).unasked += 1;
    }

    /// A subscribed message came. `latency_ns`: if it carries the time of sending.
    pub fn delivered(&mut self, received_ns: u64, latency_ns: Option<u64>) {
        if self.has_ended {
            self.subscribed_after += 1;
            return;
        }
        if let Some(latency_ns) = latency_ns {
            self.second(received_ns).delivery.record((latency_ns + NS_PER_US / 2) / NS_PER_US);
        }
        self.counts(received_ns).subscribed += 1;
    }

    /// The load is over: what is subscribed to and comes from now on is of the drain.
    pub fn end(&mut self) {
        self.has_ended = true;
    }

    /// A handshake failed by this host's fault: counts messages that fell due in it as lost to this host.
    pub fn blame_this_host(&mut self, [early, window]: [u64; 2]) {
        for (counts, waited) in [(&mut self.early, early), (&mut self.window, window)] {
            counts.unsent_remote -= waited;
            counts.unsent_local += waited;
        }
    }

    /// A subscribed message came that should carry the time of its sending and does not.
    pub fn undated(&mut self, received_ns: u64) {
        self.delivered(received_ns, None);
        if !self.has_ended {
            self.counts(received_ns).undated += 1;
        }
    }

    /// Adds empty seconds up to the end, so that each has a line.
    pub fn fill(&mut self, end_ns: u64) {
        self.end_run();
        self.second(end_ns.saturating_sub(1).max(self.timing.start_ns));
        self.seconds.iter_mut().for_each(Second::freeze);
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
        self.subscribed_after += other.subscribed_after;
        self.connections.add(&other.connections);
        self.tls.add(other.tls);
        self.refusals.add(other.refusals);
        self.deflate.add(other.deflate);
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

#[cfg(test)]
mod tests {
    use super::*;
    use times::Opened;

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
        let late: Vec<_> = tally.seconds.iter().map(|second| second.row.late).collect();
        assert_eq!(late, [0, 1, 0, 0], "under the second in which it was due");
    }

    #[test]
    fn a_second_counts_as_late_what_did_not_wait_for_the_server() {
        let mut tally = tally();
        tally.sent(11 * S, 12 * S, 20, true, 3);
        tally.end_run();
        assert_eq!((tally.seconds[1].row.late, tally.window.late, tally.window.late_remote), (0, 3, 3));
    }

    #[test]
    fn messages_before_the_window_are_counted_apart() {
        let mut tally = tally();
        tally.due(11 * S - 1);
        tally.due(11 * S);
        assert_eq!((tally.early.due, tally.window.due), (1, 1));
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
        one.opened(Opened {
            called_ns: 10 * S,
            tcp_ns: 10 * S + 1000,
            secured_ns: None,
            upgraded_ns: Some(10 * S + 2000),
            up_ns: 10 * S + 3000,
        });
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
