//! The phases of a load: run, drain, close.

use super::event_loop::BATCH;
use super::Worker;
use crate::accounts::ThreadUse;
use crate::clock::{self, ns_of_s};
use crate::connection::{State, CLOSE_NS, NEVER};
use crate::dialect::Behaviour;
use crate::tally::spread::Spread;
use crate::tally::Tally;
use mio::Events;
use std::io;
use std::sync::atomic::Ordering::Relaxed;

const BUFFER_B: usize = 256 * 1024;

impl Worker<'_> {
    /// Runs the load to its end.
    pub fn run(mut self) -> Result<(Tally, ThreadUse), String> {
        self.work().map_err(|error| format!("the event loop: {error}"))?;
        self.shared.tally.fill(self.ended_ns);
        self.shared.tally.shares = self.spread.map(Spread::into_shares).unwrap_or_default();
        Ok((self.shared.tally, self.meter.usage()))
    }

    fn work(&mut self) -> io::Result<()> {
        let mut events = Events::with_capacity(BATCH);
        let mut buffer = vec![0; BUFFER_B];
        let end_ns = self.load.timing.end_ns;
        self.turn_until(end_ns, &mut events, &mut buffer, |worker| worker.load.stop.load(Relaxed))?;
        self.end_load();
        let drained_ns = self.ended_ns + ns_of_s(self.load.config.drain_s);
        let is_done = |worker: &Self| worker.is_drained() || worker.load.cut.load(Relaxed);
        self.turn_until(drained_ns, &mut events, &mut buffer, is_done)?;
        self.close_all();
        self.turn_until(clock::now_ns() + CLOSE_NS, &mut events, &mut buffer, |worker| worker.is_closed())
    }

    fn end_load(&mut self) {
        self.is_ending = true;
        self.shared.outstanding = 0; // so that a closed loop that was stopped early sends no more
        self.churn.next_ns = NEVER;
        self.shared.now_ns = clock::now_ns();
        self.ended_ns = self.ended_ns.min(self.shared.now_ns);
        self.meter.end(self.shared.now_ns);
        self.shared.tally.end();
        for slot in 0..self.connections.len() {
            self.connections[slot].end_schedule(self.ended_ns, &mut self.shared);
            self.attribute(slot);
            self.schedule(slot);
        }
    }

    fn is_drained(&self) -> bool {
        let is_quiet = self.shared.in_flight == 0 && self.handshakes.is_none();
        // nobody knows when the last broadcast or subscribed message has come: wait the whole drain
        let is_answered = self.shared.messages.as_ref().is_none_or(|messages| !messages.own.subscribe);
        let awaits_pongs = self.load.config.client.ping_every_ms > 0.0 && self.shared.reads_freely;
        is_quiet
            && is_answered
            && self.shared.behaviour != Behaviour::Broadcast
            && !(awaits_pongs && self.connections.iter().any(|connection| connection.awaits_pong()))
    }

    fn close_all(&mut self) {
        self.handshakes.give_up();
        for slot in 0..self.connections.len() {
            self.shared.now_ns = clock::now_ns();
            let connection = &mut self.connections[slot];
            connection.give_up(&mut self.shared);
            if connection.state.is_up() {
                connection.close(&mut self.shared);
                if !self.shared.reads_freely {
                    self.unread.push(slot as u32); // its unread data precedes the server's close frame
                }
            }
            self.schedule(slot);
        }
    }

    fn is_closed(&self) -> bool {
        self.connections.iter().all(|connection| matches!(connection.state, State::Gone | State::Waiting))
    }
}
