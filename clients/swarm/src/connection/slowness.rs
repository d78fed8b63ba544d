//! Clients that read slowly, or not at all.

use super::end::End;
use super::shared::Shared;
use super::{Connection, State, NEVER};
use crate::clock::{NS_PER_MS, NS_PER_S};
use socket2::Socket;

/// Receive buffer of a slow reader. Otherwise the kernel's would grow and take megabytes in place of the client.
pub const BUFFER_B: usize = 64 * 1024;
/// Shortest pause of a slow reader, which then reads its allowance at once.
const LOOK_NS: u64 = 10 * NS_PER_MS;

/// How much may be read now.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Allowance {
    All,
    /// At most this many bytes
    Some(usize),
    Nothing,
}

impl Connection {
    /// Has the load stopped reads on this connection?
    pub(super) fn is_stopped(&self, shared: &Shared) -> bool {
        self.state == State::Open && shared.load.config.client.stops(self.index)
    }

    /// How much this connection may read now. `is_ending`: the server ends TCP.
    #[cold]
    pub(super) fn allow_reading(&mut self, is_ending: bool, shared: &mut Shared) -> Allowance {
        let rate_b_s = shared.load.config.client.read_rate_b_s;
        if self.is_stopped(shared) {
            if is_ending {
                self.end(End::Unread, shared);
            }
            return Allowance::Nothing;
        }
        if rate_b_s == 0.0 || !self.state.is_up() {
            return Allowance::All;
        }
        let slowness = self.slowness.get_or_insert_default();
        let passed_ns = shared.now_ns.saturating_sub(slowness.counted_ns.max(self.up_ns));
        slowness.counted_ns = shared.now_ns;
        // at most two pauses' worth: unused allowance is lost
        let most_b = (rate_b_s * (2 * LOOK_NS) as f64 / NS_PER_S as f64).max(1.0);
        slowness.allowed_b = (slowness.allowed_b + rate_b_s * passed_ns as f64 / NS_PER_S as f64).min(most_b);
        if slowness.allowed_b >= 1.0 {
            return Allowance::Some(slowness.allowed_b as usize);
        }
        let missing_ns = ((1.0 - slowness.allowed_b) / rate_b_s * NS_PER_S as f64) as u64;
        slowness.resume_ns = Some(shared.now_ns + missing_ns.max(LOOK_NS));
        self.watch_ns = self.next_watch_ns();
        Allowance::Nothing
    }

    /// Subtracts what was read.
    pub(super) fn charge(&mut self, read_b: usize) {
        if let Some(slowness) = &mut self.slowness {
            slowness.allowed_b -= read_b as f64;
        }
    }

    /// It closes. Where this side was too slow to read all that had come, outstanding answers count as unread: whether each of them
    /// is there, or the server has lost it, can't be told.
    pub(super) fn leave_unread(&mut self, shared: &mut Shared) {
        if self.slowness.is_none() {
            return; // most loads: they must not pay a system call for each connection that they close
        }
        let has_bytes = |stream: &Socket| rustix::io::ioctl_fionread(stream).is_ok_and(|bytes| bytes > 0);
        if self.input.is_none() && !self.stream.as_ref().is_some_and(has_bytes) {
            return;
        }
        let unwritten = self.unwritten(shared);
        let written = self.flight.places().filter(|place| self.flight.is_written(*place, unwritten));
        for (_, sent) in written.filter_map(|place| self.flight.get(place)) {
            shared.tally.unread(sent.intended_ns, 1);
        }
    }

    pub(super) fn resume_ns(&self) -> u64 {
        self.slowness.as_ref().and_then(|slowness| slowness.resume_ns).unwrap_or(NEVER)
    }

    /// Ends the pause if its time is over.
    pub(super) fn resume(&mut self, now_ns: u64) {
        if let Some(slowness) = &mut self.slowness {
            if slowness.resume_ns.is_some_and(|resume_ns| resume_ns <= now_ns) {
                slowness.resume_ns = None;
                slowness.is_due = true;
            }
        }
    }

    /// Must it be read although no event came? Returns true once per pause.
    pub fn takes_turn(&mut self) -> bool {
        self.slowness.as_mut().is_some_and(|slowness| std::mem::take(&mut slowness.is_due))
    }
}
