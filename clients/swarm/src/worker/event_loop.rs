//! The event loop. It alternates between events and due timers.

use super::{Worker, TIMER};
use crate::arrivals::stage;
use crate::clock::{self, NS_PER_MS, NS_PER_US};
use crate::connection::{State, NEVER};
use mio::Events;
use std::io;
use std::time::Duration;

/// Most events, and most timers, handled before the other kind has its turn, so that neither starves.
pub(super) const BATCH: usize = 1024;
/// Longest time between checks for an early stop.
const LOOK_NS: u64 = 100 * NS_PER_MS;
/// Each connection has two timers in the wheel: one for messages, and this one for handshake and heartbeat.
const WATCH_TIMER: usize = 1;

impl Worker<'_> {
    /// Runs the loop until `until_ns`, or until `is_done`.
    pub(super) fn turn_until(
        &mut self,
        until_ns: u64,
        events: &mut Events,
        buffer: &mut [u8],
        is_done: fn(&Self) -> bool,
    ) -> io::Result<()> {
        loop {
            let now_ns = clock::now_ns();
            let has_more = self.run_due(now_ns.min(until_ns));
            self.follow_stage();
            self.account(now_ns);
            let is_over = now_ns >= until_ns || is_done(self);
            if is_over && !has_more {
                return Ok(());
            }
            let unread = std::mem::take(&mut self.unread);
            self.wait(now_ns, if has_more || !unread.is_empty() { now_ns } else { until_ns }, events)?;
            unread.into_iter().for_each(|slot| self.read(slot as usize, true, buffer));
            for event in events.iter() {
                if event.token() != TIMER {
                    self.handle(event, buffer);
                }
            }
        }
    }

    /// Sleeps until the next event or due time.
    fn wait(&mut self, now_ns: u64, until_ns: u64, events: &mut Events) -> io::Result<()> {
        let due_ns =
            self.wheel.next_due().map_or(NEVER, |due_us| (due_us * NS_PER_US).max(self.due_ns + self.load.coalesce_ns));
        let every_ns = if self.load.config.probes { stage::LOOK_NS } else { LOOK_NS };
        let look_ns = (now_ns / every_ns + 1) * every_ns;
        let wake_ns = due_ns.min(until_ns).min(self.churn.next_ns).min(self.meter.next_mark_ns()).min(look_ns);
        let asleep_ns = clock::now_ns();
        let is_due = wake_ns <= asleep_ns;
        if !is_due {
            self.timer.wake_at(wake_ns)?;
        }
        let polled = self.poll.poll(events, if is_due { Some(Duration::ZERO) } else { None });
        self.shared.now_ns = clock::now_ns();
        self.meter.slept(asleep_ns, self.shared.now_ns);
        match polled {
            Err(error) if error.kind() != io::ErrorKind::Interrupted => Err(error),
            _ => Ok(()),
        }
    }

    #[inline]
    fn handle(&mut self, event: &mio::event::Event, buffer: &mut [u8]) {
        let slot = event.token().0;
        if event.is_writable() {
            let connection = &mut self.connections[slot];
            let was = connection.state;
            if connection.waits_to_write() {
                connection.on_writable(&mut self.shared);
                self.settle(slot, was);
            }
        }
        let is_ending = event.is_error() || event.is_read_closed();
        if event.is_readable() || is_ending {
            self.read(slot, is_ending, buffer);
        }
    }

    #[inline]
    fn read(&mut self, slot: usize, is_ending: bool, buffer: &mut [u8]) {
        let connection = &mut self.connections[slot];
        let was = connection.state;
        if connection.on_readable(is_ending, &mut self.shared, buffer) {
            self.unread.push(slot as u32);
        }
        self.settle(slot, was);
    }

    /// Handles up to a batch of due timers. Returns whether more are due.
    fn run_due(&mut self, now_ns: u64) -> bool {
        for _ in 0..BATCH {
            let Some((id, _)) = self.wheel.pop(now_ns / NS_PER_US) else {
                self.churn(now_ns);
                return false;
            };
            self.due_ns = now_ns;
            let slot = id as usize / 2;
            let connection = &mut self.connections[slot];
            connection.scheduled_ns[id as usize % 2] = NEVER;
            let was = connection.state;
            self.shared.now_ns = clock::now_ns();
            if id as usize % 2 == WATCH_TIMER {
                connection.watch(&mut self.shared);
                if connection.takes_turn() {
                    self.unread.push(slot as u32);
                }
            } else if connection.state == State::Waiting {
                connection.begin_schedule(&self.shared);
            } else {
                connection.send_due(&mut self.shared);
            }
            self.settle(slot, was);
        }
        true
    }
}
