//! One thread: an event loop, a timer wheel, and its share of the connections.

use crate::accounts::{Reading, ThreadUse};
use crate::arrivals::{Arrivals, Process};
use crate::clock::{self, ns_of_s, NS_PER_MS, NS_PER_US};
use crate::connection::{Connection, State, CLOSE_NS, NEVER};
use crate::dialect::Behaviour;
use crate::load::Load;
use crate::probes;
use crate::random::Draws;
use crate::shared::Shared;
use crate::socket;
use crate::spread::Spread;
use crate::tally::Tally;
use crate::timer::Timer;
use crate::wheel::Wheel;
use mio::{Events, Interest, Poll, Token};
use std::collections::VecDeque;
use std::io;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

/// So many events, and so many timers, before the other kind has its turn: neither starves the other.
const BATCH: usize = 1024;
const BUFFER_B: usize = 256 * 1024;
/// How often, at least, to look whether to stop early.
const LOOK_NS: u64 = 100 * NS_PER_MS;
const TIMER: Token = Token(usize::MAX - 1);

/// A connection has two timers in the wheel: for its messages, and this one, for handshake and heartbeat.
const WATCH_TIMER: usize = 1;

pub struct Worker<'l> {
    load: &'l Load,
    thread: u32,
    poll: Poll,
    timer: Timer,
    wheel: Wheel,
    connections: Vec<Connection>,
    shared: Shared<'l>,
    /// due to connect, until fewer handshakes are under way
    waiting: VecDeque<u32>,
    handshakes: u32,
    max_handshakes: u32,
    churn: Churn,
    spread: Option<Spread>,
    /// slots that were read for long enough, and may have more
    unread: Vec<u32>,
    busy_ns: u64,
    woken_ns: u64,
    /// when something was last due
    due_ns: u64,
    /// of the arrivals, where they change
    stage: u64,
    is_ending: bool,
    /// when the load was over: as planned, or when it was stopped
    ended_ns: u64,
    marks: [Option<Reading>; 2],
}

/// Connections closed and opened again, one after the other, in rotation.
struct Churn {
    every_ns: u64,
    next_ns: u64,
    /// slot that is next
    at: usize,
}

/// Carries out a thread's share of a load.
/// Errors: the system refused what an event loop needs; never what happens to a connection.
pub fn run(load: &Load, thread: u32) -> Result<(Tally, ThreadUse), String> {
    Worker::new(load, thread)?.run()
}

impl<'l> Worker<'l> {
    /// The load, from its start on.
    pub fn run(mut self) -> Result<(Tally, ThreadUse), String> {
        self.work().map_err(|error| format!("the event loop: {error}"))?;
        self.shared.tally.fill(self.ended_ns);
        self.shared.tally.shares = self.spread.map(Spread::into_shares).unwrap_or_default();
        let [from, to] = self.marks.map(Option::unwrap_or_default);
        Ok((self.shared.tally, ThreadUse::between(from, to)))
    }

    /// Everything that a load needs, made before it starts.
    pub fn new(load: &'l Load, thread: u32) -> Result<Self, String> {
        let shared = Shared::new(load)?;
        let start_ns = load.timing.start_ns;
        let config = &load.config;
        let create = |index: u32| {
            let due_ns = start_ns + ns_of_s(f64::from(index) / config.connect_rate_hz);
            // intervals and phases, of the seed itself, are the same with and without attempts to come back
            let jitter = Draws::new(!config.seed, index);
            let arrivals =
                if config.probes { Arrivals::Never } else { config.arrivals.arrivals(config.seed, index, start_ns) };
            Connection::new(index, due_ns, arrivals, jitter)
        };
        let connections: Vec<_> = load.connections_of(thread).map(create).collect();
        let poll = Poll::new().map_err(|error| format!("epoll: {error}"))?;
        let timer = Timer::new(poll.registry(), TIMER).map_err(|error| format!("timerfd: {error}"))?;
        let churn_hz = load.share(config.churn_hz);
        let every_ns = if churn_hz > 0.0 { ns_of_s(1.0 / churn_hz) } else { NEVER };
        let first_ns = load.timing.window_from_ns.saturating_add(every_ns / (u64::from(thread) + 1));
        let mut worker = Self {
            load,
            thread,
            poll,
            timer,
            wheel: Wheel::new(2 * connections.len(), clock::now_ns() / NS_PER_US),
            connections,
            shared,
            waiting: VecDeque::new(),
            handshakes: 0,
            max_handshakes: load.share(f64::from(config.max_connecting)).ceil() as u32,
            churn: Churn { every_ns, next_ns: if every_ns == NEVER { NEVER } else { first_ns }, at: 0 },
            spread: config.record_connections.then(|| Spread::new(load.connections_of(thread))),
            unread: Vec::new(),
            busy_ns: 0,
            woken_ns: clock::now_ns(),
            due_ns: 0,
            stage: 0,
            is_ending: false,
            ended_ns: load.timing.end_ns,
            marks: [None; 2],
        };
        (0..worker.connections.len()).for_each(|slot| worker.schedule(slot));
        Ok(worker)
    }

    fn work(&mut self) -> io::Result<()> {
        let mut events = Events::with_capacity(BATCH);
        let mut buffer = vec![0; BUFFER_B];
        let end_ns = self.load.timing.end_ns;
        self.turn_until(end_ns, &mut events, &mut buffer, |worker| worker.load.stop.load(Relaxed))?;
        self.end_load();
        let drained_ns = self.ended_ns + ns_of_s(self.load.config.drain_s);
        self.turn_until(drained_ns, &mut events, &mut buffer, |worker| worker.is_drained())?;
        self.close_all();
        self.turn_until(clock::now_ns() + CLOSE_NS, &mut events, &mut buffer, |worker| worker.is_closed())
    }

    /// Turns the loop until a time, or until it is done.
    fn turn_until(
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

    /// Sleeps until something happens, or the next time is due.
    fn wait(&mut self, now_ns: u64, until_ns: u64, events: &mut Events) -> io::Result<()> {
        let due_ns =
            self.wheel.next_due().map_or(NEVER, |due_us| (due_us * NS_PER_US).max(self.due_ns + self.load.coalesce_ns));
        let every_ns = if self.load.config.probes { probes::LOOK_NS } else { LOOK_NS };
        let look_ns = (now_ns / every_ns + 1) * every_ns;
        let wake_ns = due_ns.min(until_ns).min(self.churn.next_ns).min(self.next_mark_ns()).min(look_ns);
        let asleep_ns = clock::now_ns();
        let is_due = wake_ns <= asleep_ns;
        if !is_due {
            self.timer.wake_at(wake_ns)?;
        }
        let polled = self.poll.poll(events, if is_due { Some(Duration::ZERO) } else { None });
        self.shared.now_ns = clock::now_ns();
        self.busy_ns += asleep_ns.saturating_sub(self.woken_ns);
        self.woken_ns = self.shared.now_ns;
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

    /// Does what is due, up to a batch of it. Returns whether more is.
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
            } else if connection.state == State::Waiting {
                connection.begin_schedule(&self.shared);
            } else {
                connection.send_due(&mut self.shared);
            }
            self.settle(slot, was);
        }
        true
    }

    /// After anything happened to a connection: its timers, and whose turn it is to connect.
    #[inline]
    fn settle(&mut self, slot: usize, was: State) {
        if self.connections[slot].is_retired() {
            self.connections[slot].close(&mut self.shared);
        }
        let state = self.connections[slot].state;
        if was != state {
            self.count_handshakes(was, state);
            if state == State::Gone && matches!(was, State::Retiring | State::Closing) && !self.is_ending {
                self.connections[slot].reopen(&self.shared);
            }
            if self.connections[slot].state == State::Queued && !self.is_ending {
                self.waiting.push_back(slot as u32);
            }
        }
        self.schedule(slot);
        if self.spread.is_some() {
            self.attribute(slot);
        }
        if !self.waiting.is_empty() && self.handshakes < self.max_handshakes {
            self.call_next();
        }
    }

    /// What has been counted since the last time is of this connection's messages.
    #[cold]
    fn attribute(&mut self, slot: usize) {
        if let Some(spread) = &mut self.spread {
            self.shared.tally.end_run();
            spread.attribute(slot, &self.shared.tally.window);
        }
    }

    fn count_handshakes(&mut self, was: State, is: State) {
        self.handshakes -= u32::from(was.is_handshake());
        self.handshakes += u32::from(is.is_handshake());
    }

    /// Tells the wheel what has changed of a connection's times.
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

    /// Lets connections that are due connect, as far as handshakes may go on at a time.
    fn call_next(&mut self) {
        while self.handshakes < self.max_handshakes {
            let Some(slot) = self.waiting.pop_front() else { return };
            let Self { connections, shared, poll, load, .. } = self;
            let connection = &mut connections[slot as usize];
            if connection.state != State::Queued {
                continue;
            }
            shared.now_ns = clock::now_ns();
            let local = socket::local_address(load, connection.index);
            let open = || {
                let mut stream = socket::connect(load.url.address, local)?;
                let interest = Interest::READABLE | Interest::WRITABLE;
                poll.registry().register(&mut stream, Token(slot as usize), interest)?;
                Ok(stream)
            };
            connection.connect(shared, open);
            let state = connection.state;
            self.count_handshakes(State::Queued, state);
            self.schedule(slot as usize);
        }
    }

    /// Retires the next connection in turn, when it is time.
    fn churn(&mut self, now_ns: u64) {
        while self.churn.next_ns <= now_ns && now_ns < self.load.timing.end_ns {
            self.churn.next_ns += self.churn.every_ns;
            let count = self.connections.len();
            let Some(slot) = (0..count)
                .map(|at| (self.churn.at + at) % count)
                .find(|slot| self.connections[*slot].state == State::Open)
            else {
                return;
            };
            self.churn.at = slot + 1;
            self.shared.now_ns = clock::now_ns();
            self.connections[slot].retire(&mut self.shared);
            self.settle(slot, State::Retiring);
        }
    }

    /// Where the arrivals have changed, they change on every connection.
    fn follow_stage(&mut self) {
        let number = self.load.stage.number();
        if number == self.stage || self.is_ending {
            return;
        }
        self.stage = number;
        let process = self.load.stage.process();
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

    // The end

    fn end_load(&mut self) {
        self.is_ending = true;
        self.churn.next_ns = NEVER;
        self.shared.now_ns = clock::now_ns();
        self.ended_ns = self.ended_ns.min(self.shared.now_ns);
        while self.next_mark_ns() != NEVER {
            self.mark(self.shared.now_ns); // it was stopped before its time
        }
        for slot in 0..self.connections.len() {
            self.connections[slot].end_schedule(self.ended_ns, &mut self.shared);
            self.attribute(slot);
            self.schedule(slot);
        }
    }

    fn is_drained(&self) -> bool {
        let is_quiet = self.shared.in_flight == 0 && self.handshakes == 0 && self.waiting.is_empty();
        is_quiet && self.shared.behaviour != Behaviour::Broadcast
        // which has no answer to wait for
    }

    fn close_all(&mut self) {
        self.waiting.clear();
        for slot in 0..self.connections.len() {
            self.shared.now_ns = clock::now_ns();
            let connection = &mut self.connections[slot];
            connection.give_up(&mut self.shared);
            if connection.state.is_up() {
                connection.close(&mut self.shared);
            }
            self.schedule(slot);
        }
        self.handshakes = 0;
    }

    fn is_closed(&self) -> bool {
        self.connections.iter().all(|connection| matches!(connection.state, State::Gone | State::Waiting))
    }

    // Accounts

    /// Reads the accounts where the window begins and where it ends, and tells who watches.
    fn account(&mut self, now_ns: u64) {
        if now_ns >= self.next_mark_ns() {
            self.mark(now_ns);
        }
        let live = &self.load.live[self.thread as usize];
        let tally = &self.shared.tally;
        live.due.store(tally.early.due + tally.window.due, Relaxed);
        live.sent.store(tally.early.sent + tally.window.sent, Relaxed);
        live.received.store(tally.received_now(), Relaxed);
        live.connected.store(tally.up_now(), Relaxed);
    }

    fn mark(&mut self, now_ns: u64) {
        let mark = usize::from(self.marks[0].is_some());
        self.marks[mark] = Some(Reading::take(now_ns, self.busy_ns));
    }

    fn next_mark_ns(&self) -> u64 {
        match self.marks {
            [None, _] => self.load.timing.window_from_ns,
            [_, None] => self.load.timing.end_ns,
            _ => NEVER,
        }
    }
}
