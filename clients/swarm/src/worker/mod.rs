//! One thread: an event loop, a timer wheel, and its share of the connections.

mod churn;
mod event_loop;
mod handshakes;
mod meter;
mod phases;
mod timer;
mod wheel;

use crate::accounts::ThreadUse;
use crate::arrivals::{Arrivals, Process};
use crate::clock::{self, ns_of_s, NS_PER_MS, NS_PER_S, NS_PER_US};
use crate::connection::shared::Shared;
use crate::connection::slowness::BUFFER_B;
use crate::connection::{socket, Connection, State, NEVER};
use crate::load::Load;
use crate::random::Draws;
use crate::tally::spread::Spread;
use crate::tally::Tally;
use churn::Churn;
use handshakes::Handshakes;
use meter::Meter;
use mio::unix::SourceFd;
use mio::{Interest, Poll, Token};
use std::os::fd::AsRawFd;
use std::sync::atomic::Ordering::Relaxed;
use timer::Timer;
use wheel::Wheel;

/// Delay after each whole second. By then most of its messages are answered, and its latency is published.
const TELL_AFTER_NS: u64 = 200 * NS_PER_MS;

const TIMER: Token = Token(usize::MAX - 1);

pub struct Worker<'l> {
    load: &'l Load,
    thread: u32,
    poll: Poll,
    timer: Timer,
    wheel: Wheel,
    connections: Vec<Connection>,
    shared: Shared<'l>,
    handshakes: Handshakes,
    churn: Churn,
    spread: Option<Spread>,
    /// slots that had their share of reads and may have more to read
    unread: Vec<u32>,
    meter: Meter,
    /// when a timer was last handled
    due_ns: u64,
    /// when to publish the latency of the next second
    tell_ns: u64,
    /// number of the current arrivals, if they change
    stage: u64,
    is_ending: bool,
    /// end of the load: as planned, or when it was stopped
    ended_ns: u64,
}

/// Runs one thread's share of a load.
/// Errors: the system refused what the event loop needs. Failures of connections are counted, not errors.
pub fn run(load: &Load, thread: u32) -> Result<(Tally, ThreadUse), String> {
    Worker::new(load, thread)?.run()
}

impl<'l> Worker<'l> {
    /// Allocates everything before the load starts.
    pub fn new(load: &'l Load, thread: u32) -> Result<Self, String> {
        let shared = Shared::new(load)?;
        let start_ns = load.timing.start_ns;
        let config = &load.config;
        let create = |index: u32| {
            let due_ns = start_ns + ns_of_s((f64::from(index) + config.connect_phase) / config.connect_rate_hz);
            // another seed than that of the arrivals: intervals and phases do not change with reconnecting
            let jitter = Draws::new(!config.seed, index);
            let arrivals =
                if config.probes { Arrivals::Never } else { config.arrivals.arrivals(config.seed, index, start_ns) };
            Connection::new(index, due_ns, arrivals, jitter)
        };
        let connections: Vec<_> = load.connections_of(thread).map(create).collect();
        let poll = Poll::new().map_err(|error| format!("epoll: {error}"))?;
        let timer = Timer::new(poll.registry(), TIMER).map_err(|error| format!("timerfd: {error}"))?;
        let mut worker = Self {
            load,
            thread,
            poll,
            timer,
            wheel: Wheel::new(2 * connections.len(), clock::now_ns() / NS_PER_US),
            connections,
            shared,
            handshakes: Handshakes::new(load.part(config.max_connecting, thread)),
            churn: Churn::new(load, thread),
            spread: config.record_connections.then(|| Spread::new(load.connections_of(thread))),
            unread: Vec::new(),
            meter: Meter::new(load.timing),
            due_ns: 0,
            tell_ns: start_ns + NS_PER_S + TELL_AFTER_NS,
            stage: 0,
            is_ending: false,
            ended_ns: load.timing.end_ns,
        };
        (0..worker.connections.len()).for_each(|slot| worker.schedule(slot));
        Ok(worker)
    }

    /// Call after every event of a connection: updates its timers and the queue of handshakes.
    #[inline]
    fn settle(&mut self, slot: usize, was: State) {
        if self.connections[slot].is_retired() {
            self.connections[slot].close(&mut self.shared);
        }
        let state = self.connections[slot].state;
        if was != state {
            self.handshakes.count(was, state);
            if state == State::Closing && !self.shared.reads_freely {
                self.unread.push(slot as u32); // its unread data precedes the server's close frame
            }
            if state == State::Gone && self.connections[slot].is_churned() && !self.is_ending {
                self.connections[slot].reopen(&self.shared);
            }
            // at the end none is tried again, but a handshake that is under way goes on
            let is_wanted = !self.is_ending || self.connections[slot].is_racing();
            if self.connections[slot].state == State::Queued && is_wanted {
                self.queue(slot as u32);
            }
        }
        self.schedule(slot);
        if self.spread.is_some() {
            self.attribute(slot);
        }
        if self.handshakes.has_turn() {
            self.call_next();
        }
    }

    /// Attributes to this connection what was counted since the last call.
    #[cold]
    fn attribute(&mut self, slot: usize) {
        if let Some(spread) = &mut self.spread {
            self.shared.tally.end_run();
            spread.attribute(slot, &self.shared.tally.window);
        }
    }

    /// Updates the wheel if a connection's timers changed.
    #[inline]
    fn schedule(&mut self, slot: usize) {
        let connection = &mut self.connections[slot];
        let wanted_ns = [connection.next_timer_ns(), connection.watch_ns];
        for (timer, time_ns) in wanted_ns.into_iter().enumerate() {
            if connection.scheduled_ns[timer] == time_ns {
                continue;
            }
            connection.scheduled_ns[timer] = time_ns;
            let id = (2 * slot + timer) as u32;
            match time_ns {
                NEVER => self.wheel.cancel(id),
                _ => self.wheel.schedule(id, time_ns.div_ceil(NS_PER_US)), // never early
            }
        }
    }

    fn queue(&mut self, slot: u32) {
        match self.connections[slot as usize].is_racing() {
            true => self.handshakes.queue_again(slot),
            false => self.handshakes.queue(slot),
        }
    }

    /// Connects queued connections, up to the limit of concurrent handshakes.
    fn call_next(&mut self) {
        while let Some(slot) = self.handshakes.next() {
            let Self { connections, shared, poll, load, .. } = self;
            let connection = &mut connections[slot as usize];
            if connection.state != State::Queued {
                continue;
            }
            shared.now_ns = clock::now_ns();
            if let Some(waited_ns) = connection.waited_to_return(shared.now_ns) {
                shared.tally.waited_to_return(waited_ns);
            }
            let address = connection.choose_address(shared);
            let local = socket::local_address(load, connection.index, address);
            let recv_buffer_b = (!shared.reads_freely).then_some(BUFFER_B);
            let open = || {
                let stream = socket::connect(address, local, recv_buffer_b)?;
                let interest = Interest::READABLE | Interest::WRITABLE;
                poll.registry().register(&mut SourceFd(&stream.as_raw_fd()), Token(slot as usize), interest)?;
                Ok(stream)
            };
            connection.connect(shared, open);
            let state = connection.state;
            self.handshakes.count(State::Queued, state);
            if state == State::Queued {
                self.queue(slot);
            }
            self.schedule(slot as usize);
        }
    }

    /// Retires the connections that churn is to close now.
    fn churn(&mut self, now_ns: u64) {
        while let Some(slot) = self.churn.next(now_ns, &self.connections) {
            self.shared.now_ns = clock::now_ns();
            self.connections[slot].retire(&mut self.shared);
            self.settle(slot, State::Retiring);
        }
    }

    /// Applies changed arrivals to every connection.
    fn follow_stage(&mut self) {
        let number = self.load.stage.number();
        if number == self.stage || self.is_ending {
            return;
        }
        let (number, process, window_ns) = self.load.stage.now();
        self.stage = number;
        let is_told = window_ns.is_none();
        let probed = self.shared.tally.probe(window_ns);
        if is_told {
            *self.load.live[self.thread as usize].probed.lock().expect("no one panics") =
                Some(probed.unwrap_or_default());
        }
        self.shared.outstanding = process.as_ref().map_or(0, Process::outstanding);
        let seed = self.load.config.seed.wrapping_add(number as u32);
        for slot in 0..self.connections.len() {
            self.shared.now_ns = clock::now_ns();
            let connection = &mut self.connections[slot];
            let arrivals = process
                .as_ref()
                .map_or(Arrivals::Never, |process| process.arrivals(seed, connection.index, self.shared.now_ns));
            let was = connection.state;
            connection.change_arrivals(arrivals, &mut self.shared);
            self.settle(slot, was);
        }
    }

    /// Reads the kernel's counters at both ends of the window, and publishes progress.
    fn account(&mut self, now_ns: u64) {
        self.meter.mark_where_due(now_ns);
        let live = &self.load.live[self.thread as usize];
        let tally = &self.shared.tally;
        live.due.store(tally.early.due + tally.window.due, Relaxed);
        live.sent.store(tally.early.sent + tally.window.sent, Relaxed);
        live.received.store(tally.received_now(), Relaxed);
        live.connected.store(tally.up_now(), Relaxed);
        if now_ns >= self.tell_ns {
            self.tell_latency();
        }
    }

    /// Publishes the latency of the last whole second. Only once a second, because it walks a histogram.
    #[cold]
    fn tell_latency(&mut self) {
        let second = (self.tell_ns - TELL_AFTER_NS - self.load.timing.start_ns) / NS_PER_S - 1;
        self.tell_ns += NS_PER_S;
        let tally = &mut self.shared.tally;
        tally.end_run();
        let latency = tally.seconds.get(second as usize).map(|second| second.latency.coarse()).unwrap_or_default();
        *self.load.live[self.thread as usize].latency.lock().expect("no one panics") = latency;
    }
}
