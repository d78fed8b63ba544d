//! One connection: it opens, sends, matches its answers, and ends. It counts all of it.

use crate::arrivals::Arrivals;
use crate::config::MESSAGE_MAX_B;
use crate::dialect::{Answer, Behaviour, Incoming, Meaning, Session, Type};
use crate::flight::{Flight, Match, Sent};
use crate::number;
use crate::shared::{self, Queued, Shared};
use crate::socket;
use crate::tally::{Times, Up};
use crate::websocket::close::{self, Violation};
use crate::websocket::frame::Opcode;
use crate::websocket::handshake;
use crate::websocket::reader::{self, Event, Fragments};
use mio::net::TcpStream;
use rand::Rng;
use std::collections::VecDeque;
use std::io::{self, ErrorKind};

/// A time that never comes.
pub const NEVER: u64 = u64::MAX;
/// What is due at once goes out in one write, up to about so many bytes.
const WRITE_B: usize = 64 * 1024;
/// How long a connection may take to close before it is cut.
pub const CLOSE_NS: u64 = 1_000_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Not due yet
    Waiting,
    /// Due, and waiting for its turn
    Queued,
    /// TCP has not answered
    Connecting,
    /// The upgrade has not been answered
    Upgrading,
    /// The dialect's own handshake goes on
    Greeting,
    Open,
    /// This side stopped sending, to close as soon as its answers are there
    Retiring,
    /// This side has said that it closes
    Closing,
    Gone,
}

impl State {
    /// Between the call and the dialect's word?
    pub fn is_handshake(self) -> bool {
        matches!(self, Self::Connecting | Self::Upgrading | Self::Greeting)
    }

    fn is_up(self) -> bool {
        matches!(self, Self::Open | Self::Retiring)
    }
}

/// Why a connection ends without having been asked to.
#[derive(Debug)]
enum End {
    /// The operating system's word
    Error(io::Error),
    /// The server closed; the code is that of RFC 6455
    Peer(u16),
    /// The server closed in the dialect's words
    Dialect(String),
    Violation(Violation),
    NotUpgraded(String),
    TimedOut,
    Silent,
}

/// Bytes that the socket did not take, and the messages in them.
#[derive(Debug, Default)]
struct Backlog {
    bytes: Vec<u8>,
    written: usize,
    queued: VecDeque<Queued>,
}

/// Bytes that are no whole thing yet, and how many there must be before it is any use to look again.
#[derive(Debug)]
struct Input {
    bytes: Vec<u8>,
    wanted_b: usize,
}

/// Laid out by how often a field is looked at: what each message needs comes first, in as few cache lines as it can be. With
/// thousands of connections every line is fetched anew.
#[repr(C, align(64))]
pub struct Connection {
    pub state: State,
    /// a message is due and waits for an answer
    is_held: bool,
    is_lost_remotely: bool,
    /// counted from 0 over all processes
    pub index: u32,
    stream: Option<TcpStream>,
    heard_ns: u64,
    fragments: Option<Box<Fragments>>,
    backlog: Option<Box<Backlog>>,
    input: Option<Box<Input>>,
    /// when the next message is due, and when to look at handshake and heartbeat
    pub next_ns: u64,
    pub watch_ns: u64,
    /// what of the two the timer wheel knows
    pub scheduled_ns: [u64; 2],
    flight: Flight,
    /// the count of the last pong, or the number after the last broadcast
    count: u64,
    session: Session,
    arrivals: Arrivals,
    /// when to connect
    pub due_ns: u64,
    called_ns: u64,
    tcp_ns: u64,
    upgraded_ns: Option<u64>,
    up_ns: u64,
    pinged_ns: u64,
    key: Option<Box<str>>,
}

impl Connection {
    pub fn new(index: u32, due_ns: u64, arrivals: Arrivals) -> Self {
        Self {
            state: State::Waiting,
            index,
            due_ns,
            next_ns: due_ns,
            watch_ns: NEVER,
            scheduled_ns: [NEVER; 2],
            is_held: false,
            is_lost_remotely: false,
            arrivals,
            stream: None,
            called_ns: 0,
            tcp_ns: 0,
            upgraded_ns: None,
            up_ns: 0,
            heard_ns: 0,
            pinged_ns: 0,
            key: None,
            session: Session::default(),
            flight: Flight::default(),
            count: 0,
            input: None,
            fragments: None,
            backlog: None,
        }
    }

    // The schedule

    /// It fell due to connect: its messages begin from here, whether or not it is up.
    pub fn begin_schedule(&mut self, shared: &Shared) {
        let sends = match shared.behaviour {
            Behaviour::Idle => false,
            Behaviour::Broadcast => self.index == 0,
            _ => true,
        };
        self.next_ns = before_end(if sends { self.arrivals.first(self.due_ns) } else { None }, shared);
        self.state = State::Queued;
    }

    /// Sends every message that is due, in one write.
    pub fn send_due(&mut self, shared: &mut Shared) {
        self.send_all_due(false, shared);
        self.flush(shared);
    }

    /// `has_waited`: what is due was held until now.
    fn send_all_due(&mut self, has_waited: bool, shared: &mut Shared) {
        let most = shared.load.config.max_outstanding as usize;
        while self.next_ns <= shared.now_ns {
            if most > 0 && self.state == State::Open && self.flight.len() >= most {
                self.is_held = true;
                break;
            }
            let intended_ns = self.next_ns;
            self.next_ns = before_end(self.arrivals.next(intended_ns), shared);
            shared.tally.due(intended_ns);
            match self.state {
                State::Open => self.queue(intended_ns, has_waited, shared),
                _ => shared.tally.unsent(intended_ns, self.is_lost_remotely),
            }
            if shared.out.len() >= WRITE_B {
                self.flush(shared);
            }
        }
    }

    /// When the load timer must run next: what is held waits for no time.
    pub fn next_timer_ns(&self) -> u64 {
        if self.is_held {
            NEVER
        } else {
            self.next_ns
        }
    }

    /// The load is over: what waited for an answer was due all the same.
    pub fn end_schedule(&mut self, shared: &mut Shared) {
        while self.is_held && self.next_ns != NEVER {
            let intended_ns = self.next_ns;
            shared.tally.due(intended_ns);
            shared.tally.unsent(intended_ns, true);
            self.next_ns = before_end(self.arrivals.next(intended_ns), shared);
        }
        self.next_ns = NEVER;
    }

    #[inline]
    fn queue(&mut self, intended_ns: u64, has_waited: bool, shared: &mut Shared) {
        let payload = shared.add_load(self.index, self.flight.next_number(), intended_ns, has_waited);
        let sent = Sent { intended_ns, actual_ns: shared.now_ns, payload };
        if shared.behaviour == Behaviour::Broadcast {
            self.flight.skip_number();
            if intended_ns >= shared.load.timing.window_from_ns {
                shared.tally.broadcasts_ns.push(shared.now_ns);
            }
        } else {
            self.flight.push(sent);
            shared.in_flight += 1;
        }
    }

    // Opening

    /// Calls connect. `open` makes the socket and registers it.
    pub fn connect(&mut self, shared: &mut Shared, open: impl FnOnce() -> io::Result<TcpStream>) {
        self.state = State::Connecting;
        self.called_ns = shared.now_ns;
        self.heard_ns = shared.now_ns;
        self.watch_ns = shared.now_ns + crate::clock::ns_of_s(shared.load.config.connect_timeout_s);
        match open() {
            Ok(stream) => self.stream = Some(stream),
            Err(error) => self.end(End::Error(error), shared),
        }
    }

    pub fn on_writable(&mut self, shared: &mut Shared) {
        if self.state == State::Connecting {
            self.on_tcp(shared);
        } else if self.backlog.is_some() {
            self.write_backlog(shared);
        }
    }

    /// TCP has answered, this way or that.
    fn on_tcp(&mut self, shared: &mut Shared) {
        let Some(stream) = &self.stream else { return };
        if let Err(error) | Ok(Some(error)) = stream.take_error() {
            return self.end(End::Error(error), shared);
        }
        if stream.peer_addr().is_err() {
            return; // not yet
        }
        self.tcp_ns = shared.now_ns;
        if let Err(error) = stream.set_nodelay(true) {
            return self.end(End::Error(error), shared);
        }
        if shared.is_framed {
            self.upgrade(shared);
        } else {
            self.greet(None, shared);
        }
        self.flush(shared);
    }

    fn upgrade(&mut self, shared: &mut Shared) {
        let mut nonce = [0; 16];
        shared.masks.fill_bytes(&mut nonce);
        let key = handshake::key(nonce);
        let url = &shared.load.url;
        let target = url.target.as_deref().unwrap_or(shared.dialect.target());
        shared.out.extend_from_slice(handshake::request(&url.authority, target, &key).as_bytes());
        self.key = Some(key.into());
        self.state = State::Upgrading;
    }

    fn greet(&mut self, upgraded_ns: Option<u64>, shared: &mut Shared) {
        self.upgraded_ns = upgraded_ns;
        self.state = State::Greeting;
        self.session = Session::default();
        let is_up = shared.dialect.open(&mut self.session, &mut shared.replies);
        self.reply(shared);
        if is_up {
            self.up(shared);
        }
    }

    fn up(&mut self, shared: &mut Shared) {
        self.state = State::Open;
        self.up_ns = shared.now_ns;
        self.pinged_ns = shared.now_ns;
        shared.tally.opened(self.called_ns, self.tcp_ns, self.upgraded_ns, self.up_ns);
        self.watch_ns = self.next_watch_ns();
        if shared.behaviour == Behaviour::Idle || shared.now_ns >= shared.load.timing.end_ns {
            return;
        }
        for _ in 0..shared.load.config.arrivals.outstanding() {
            self.send_now(shared);
        }
    }

    /// Closed loop: the next message is intended when an answer arrives.
    #[inline]
    fn send_now(&mut self, shared: &mut Shared) {
        shared.tally.due(shared.now_ns);
        self.queue(shared.now_ns, false, shared);
    }

    // Reading

    /// Reads until there is no more, with a buffer that all connections share.
    pub fn on_readable(&mut self, shared: &mut Shared, buffer: &mut [u8]) {
        while let Some(stream) = &self.stream {
            let read = socket::receive(stream, buffer);
            shared.now_ns = crate::clock::now_ns();
            match read {
                Ok(0) => return self.end(End::Peer(close::ABNORMAL), shared),
                Ok(read_b) => {
                    self.heard_ns = shared.now_ns;
                    if let Err(end) = self.take(&buffer[..read_b], shared) {
                        return self.end(end, shared);
                    }
                    self.flush(shared);
                    if read_b < buffer.len() {
                        return; // drained: epoll(7) has it that a short read tells as much as EAGAIN
                    }
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return self.end(End::Error(error), shared),
            }
        }
    }

    /// Takes bytes as they come, and keeps those that are not a whole thing yet.
    #[inline]
    fn take(&mut self, bytes: &[u8], shared: &mut Shared) -> Result<(), End> {
        let Some(mut input) = self.input.take() else {
            let taken = self.consume(bytes, shared)?;
            if taken < bytes.len() {
                self.keep(bytes[taken..].to_vec());
            }
            return Ok(());
        };
        input.bytes.extend_from_slice(bytes);
        if input.bytes.len() < input.wanted_b {
            self.input = Some(input);
            return Ok(());
        }
        let taken = self.consume(&input.bytes, shared)?;
        input.bytes.drain(..taken);
        if !input.bytes.is_empty() {
            self.keep(input.bytes);
        }
        Ok(())
    }

    fn keep(&mut self, bytes: Vec<u8>) {
        let wanted_b = match self.state {
            State::Upgrading => bytes.len() + 1,
            _ => reader::wanted_b(&bytes, MESSAGE_MAX_B),
        };
        self.input = Some(Box::new(Input { bytes, wanted_b }));
    }

    /// Returns how many of the bytes made whole things.
    #[inline]
    fn consume(&mut self, bytes: &[u8], shared: &mut Shared) -> Result<usize, End> {
        if !shared.is_framed {
            return Ok(self.consume_stream(bytes, shared));
        }
        let head_b = if self.state == State::Upgrading { self.read_upgrade(bytes, shared)? } else { 0 };
        if self.state == State::Upgrading {
            return Ok(0);
        }
        let mut fragments = self.fragments.take();
        let consumed = self.consume_frames(&bytes[head_b..], &mut fragments, shared);
        self.fragments = fragments;
        consumed.map(|taken| head_b + taken)
    }

    fn read_upgrade(&mut self, bytes: &[u8], shared: &mut Shared) -> Result<usize, End> {
        let key = self.key.as_deref().unwrap_or_default();
        let Some(head_b) = handshake::read(bytes, key).map_err(End::NotUpgraded)? else { return Ok(0) };
        self.key = None;
        self.greet(Some(shared.now_ns), shared);
        Ok(head_b)
    }

    #[inline]
    fn consume_frames(
        &mut self,
        bytes: &[u8],
        fragments: &mut Option<Box<Fragments>>,
        shared: &mut Shared,
    ) -> Result<usize, End> {
        let mut at = 0;
        loop {
            let (taken, event) = reader::next(&bytes[at..], fragments, MESSAGE_MAX_B).map_err(End::Violation)?;
            at += taken;
            match event {
                None => return Ok(at),
                Some(Event::Message { kind, body }) => self.on_message(Incoming { kind, body }, shared)?,
                Some(Event::Ping(body)) => shared.add_control(Opcode::Pong, body),
                Some(Event::Pong) => {}
                Some(Event::Close(code)) => return Err(End::Peer(code)),
            }
        }
    }

    /// TCP alone: the bytes are cut where the oldest message's answer must end.
    fn consume_stream(&mut self, bytes: &[u8], shared: &mut Shared) -> usize {
        let mut at = 0;
        while let Some(oldest) = self.flight.oldest() {
            let payload_b = shared.pool.get(oldest.payload).body.len();
            let Some(body) = bytes.get(at..at + payload_b) else { return at };
            at += payload_b;
            self.on_payload(shared.pool.kind, body, shared);
        }
        if at < bytes.len() {
            shared.tally.stray(shared.now_ns);
        }
        bytes.len()
    }

    #[inline]
    fn on_message(&mut self, message: Incoming, shared: &mut Shared) -> Result<(), End> {
        if shared.is_plain && self.state.is_up() {
            let is_right = self.on_payload(message.kind, message.body, shared);
            return if is_right {
                Ok(())
            } else {
                reader::check_text(message.kind, message.body).map_err(End::Violation)
            };
        }
        reader::check_text(message.kind, message.body).map_err(End::Violation)?;
        let meaning = shared.dialect.read(&mut self.session, message, &mut shared.replies);
        if !shared.replies.is_empty() {
            self.reply(shared);
        }
        match meaning {
            Meaning::Answer(answer) if self.state.is_up() => self.on_answer(answer, shared),
            Meaning::Answer(_) if self.state == State::Greeting => shared.tally.stray(shared.now_ns),
            Meaning::Answer(_) | Meaning::Housekeeping => {}
            Meaning::Up if self.state == State::Greeting => self.up(shared),
            Meaning::Up => return Err(violation("the handshake was completed twice")),
            Meaning::Closed(reason) => return Err(End::Dialect(reason.into_owned())),
            Meaning::Violation(reason) => return Err(violation(reason)),
        }
        Ok(())
    }

    fn reply(&mut self, shared: &mut Shared) {
        let mut replies = std::mem::take(&mut shared.replies);
        replies.drain(..).for_each(|reply| shared.add(&reply));
        shared.replies = replies;
    }

    // Answers

    #[inline]
    fn on_answer(&mut self, answer: Answer, shared: &mut Shared) {
        match answer {
            Answer::Payload { body, .. } if shared.behaviour == Behaviour::Broadcast => {
                self.on_broadcast(&body, shared)
            }
            Answer::Payload { kind, body } => drop(self.on_payload(kind, &body, shared)),
            Answer::Count(count) => {
                let rises = count > self.count;
                self.count = count;
                self.on_oldest(count.checked_ilog10().unwrap_or(0) as usize + 1, rises, shared);
            }
            Answer::Timestamp => self.on_oldest(crate::dialect::JSON_PING_B as usize, true, shared),
            Answer::Other => self.on_oldest(0, false, shared),
        }
    }

    /// Returns whether it is what was sent.
    #[inline]
    fn on_payload(&mut self, kind: Type, body: &[u8], shared: &mut Shared) -> bool {
        let letters = number::letters_of(body.len());
        let Some(number) = number::read(&body[..letters]) else {
            self.on_oldest(body.len(), false, shared);
            return false;
        };
        let sent = match self.flight.take(u64::from(number), 1 << (4 * letters)) {
            Match::InOrder(sent) => sent,
            Match::OutOfOrder(sent) => {
                shared.tally.out_of_order(sent.intended_ns);
                sent
            }
            Match::Duplicate => {
                shared.tally.duplicate(shared.now_ns);
                return false;
            }
            Match::Stray => {
                self.on_oldest(body.len(), false, shared);
                return false;
            }
        };
        let is_right = shared.pool.is_echo(sent.payload, kind, body);
        self.settle(sent, body.len(), is_right, shared);
        is_right
    }

    fn on_oldest(&mut self, body_b: usize, is_right: bool, shared: &mut Shared) {
        match self.flight.take_oldest() {
            Some(sent) => self.settle(sent, body_b, is_right, shared),
            None => shared.tally.stray(shared.now_ns),
        }
    }

    #[inline]
    fn settle(&mut self, sent: Sent, body_b: usize, is_right: bool, shared: &mut Shared) {
        shared.in_flight -= 1;
        let Sent { intended_ns, actual_ns, .. } = sent;
        shared.tally.answered(Times { intended_ns, actual_ns, received_ns: shared.now_ns }, body_b, is_right);
        if self.state != State::Open {
            return;
        }
        if shared.load.config.arrivals.outstanding() > 0 {
            if shared.now_ns < shared.load.timing.end_ns {
                self.send_now(shared);
            }
        } else if self.is_held {
            self.is_held = false;
            self.send_all_due(true, shared);
        }
    }

    fn on_broadcast(&mut self, body: &[u8], shared: &mut Shared) {
        let Some((number, intended_ns, actual_ns)) = shared::read_times(body) else {
            return shared.tally.stray(shared.now_ns);
        };
        if intended_ns > shared.now_ns || intended_ns < shared.load.timing.start_ns {
            return shared.tally.stray(shared.now_ns);
        }
        shared.tally.answered(Times { intended_ns, actual_ns, received_ns: shared.now_ns }, body.len(), true);
        if number < self.count {
            shared.tally.out_of_order(intended_ns);
        }
        self.count = self.count.max(number + 1);
    }

    // Writing

    /// Writes what is in `shared.out`, and keeps what the socket does not take.
    #[inline]
    pub fn flush(&mut self, shared: &mut Shared) {
        if shared.out.is_empty() {
            return;
        }
        if self.backlog.is_none() {
            let Some(stream) = &self.stream else { return shared.forget() };
            match socket::send(stream, &shared.out) {
                Ok(written) if written == shared.out.len() => return self.count_sent(shared),
                Ok(written) => self.keep_unwritten(written, shared),
                Err(error) if error.kind() == ErrorKind::WouldBlock => self.keep_unwritten(0, shared),
                Err(error) => {
                    shared.forget();
                    return self.end(End::Error(error), shared);
                }
            }
        } else {
            self.keep_unwritten(0, shared);
        }
        self.write_backlog(shared);
    }

    #[inline]
    fn count_sent(&mut self, shared: &mut Shared) {
        for queued in shared.queued.drain(..) {
            shared.tally.sent(
                queued.intended_ns,
                shared.now_ns,
                queued.payload_b as usize,
                queued.has_waited,
                u64::from(queued.count),
            );
        }
        shared.out.clear();
    }

    fn keep_unwritten(&mut self, written: usize, shared: &mut Shared) {
        let backlog = self.backlog.get_or_insert_default();
        let offset = backlog.bytes.len();
        backlog.bytes.extend_from_slice(&shared.out);
        backlog.written += written;
        backlog.queued.extend(shared.queued.drain(..).map(|queued| Queued { end: offset + queued.end, ..queued }));
        shared.out.clear();
        self.count_backlog(shared);
    }

    fn write_backlog(&mut self, shared: &mut Shared) {
        while let (Some(backlog), Some(stream)) = (&mut self.backlog, &self.stream) {
            match socket::send(stream, &backlog.bytes[backlog.written..]) {
                Ok(written) => backlog.written += written,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(error) => return self.end(End::Error(error), shared),
            }
            self.count_backlog(shared);
        }
    }

    /// Counts the messages of which the socket has taken all.
    fn count_backlog(&mut self, shared: &mut Shared) {
        let Some(backlog) = &mut self.backlog else { return };
        let waiting: u64 = backlog.queued.iter().map(|queued| u64::from(queued.count)).sum();
        let mut number = self.flight.next_number() - waiting;
        while let Some(queued) = backlog.queued.pop_front_if(|queued| queued.end <= backlog.written) {
            let Queued { intended_ns, payload_b, count, .. } = queued;
            shared.tally.sent(intended_ns, shared.now_ns, payload_b as usize, true, u64::from(count));
            for _ in 0..count {
                self.flight.set_actual(number, shared.now_ns);
                number += 1;
            }
        }
        if backlog.written == backlog.bytes.len() {
            self.backlog = None;
        }
    }

    // Heartbeats and handshakes that take too long

    fn next_watch_ns(&self) -> u64 {
        let after = |from_ns: u64, us: u64| if us == 0 { NEVER } else { from_ns + us * 1_000 };
        after(self.pinged_ns, self.session.ping_every_us).min(after(self.heard_ns, self.session.silence_max_us))
    }

    /// The time to look has come.
    pub fn watch(&mut self, shared: &mut Shared) {
        let now_ns = shared.now_ns;
        match self.state {
            state if state.is_handshake() => return self.end(End::TimedOut, shared),
            State::Retiring => return self.close(shared),
            State::Closing => return self.vanish(shared),
            State::Open => {}
            _ => return self.watch_ns = NEVER,
        }
        let Session { ping_every_us, silence_max_us, .. } = self.session;
        if silence_max_us > 0 && now_ns >= self.heard_ns + silence_max_us * 1_000 {
            return self.end(End::Silent, shared);
        }
        if ping_every_us > 0 && now_ns >= self.pinged_ns + ping_every_us * 1_000 {
            self.pinged_ns = now_ns;
            if let Some(ping) = shared.dialect.ping() {
                shared.add(&ping);
                self.flush(shared);
            }
        }
        self.watch_ns = self.next_watch_ns();
    }

    // Ending

    /// Stops sending; it will close when its answers are there, or in a second.
    pub fn retire(&mut self, shared: &mut Shared) {
        self.state = State::Retiring;
        self.next_ns = NEVER;
        self.is_held = false;
        self.watch_ns = shared.now_ns + CLOSE_NS;
        shared.tally.churned(shared.now_ns);
        self.log_up(shared);
    }

    /// Retired, with nothing out any more?
    pub fn is_retired(&self) -> bool {
        self.state == State::Retiring && self.flight.is_empty()
    }

    /// Closes as the protocol wants it; whatever comes from here on is not counted.
    pub fn close(&mut self, shared: &mut Shared) {
        if self.state == State::Open {
            self.log_up(shared);
        }
        self.lose_answers(shared);
        self.state = State::Closing;
        self.next_ns = NEVER;
        self.watch_ns = shared.now_ns + CLOSE_NS;
        if let Some(farewell) = shared.dialect.farewell() {
            shared.add(&farewell);
        }
        if !shared.is_framed {
            return self.vanish(shared);
        }
        shared.add_control(Opcode::Close, &close::NORMAL.to_be_bytes());
        self.flush(shared);
    }

    /// The end of the drain: what is not up now never will be.
    pub fn give_up(&mut self, shared: &mut Shared) {
        if self.state.is_handshake() || self.state == State::Queued {
            shared.tally.failed(shared.now_ns, false, "not connected by the end");
            self.vanish(shared);
        }
    }

    fn vanish(&mut self, shared: &mut Shared) {
        self.lose_answers(shared);
        self.stream = None;
        self.state = State::Gone;
        self.watch_ns = NEVER;
        self.input = None;
        self.fragments = None;
        self.backlog = None;
        self.key = None;
        self.is_held = false;
    }

    /// What is still out is missing; what never left was not sent.
    fn lose_answers(&mut self, shared: &mut Shared) {
        if let Some(backlog) = &mut self.backlog {
            for queued in backlog.queued.drain(..) {
                (0..queued.count).for_each(|_| shared.tally.unsent(queued.intended_ns, true));
            }
        }
        let out = self.flight.drain().count();
        shared.in_flight -= out;
    }

    fn log_up(&mut self, shared: &mut Shared) {
        if shared.behaviour == Behaviour::Broadcast {
            shared.tally.ups.push(Up { from_ns: self.up_ns, to_ns: shared.now_ns });
        }
    }

    /// It ends before its time, and the reason is counted. Messages go on falling due.
    fn end(&mut self, end: End, shared: &mut Shared) {
        let was = self.state;
        if was == State::Closing || was == State::Gone {
            return self.vanish(shared);
        }
        if let (true, Some(code)) = (shared.is_framed, last_code(&end)) {
            shared.forget();
            let body = code.to_be_bytes();
            shared.add_control(Opcode::Close, if code == close::NO_CODE { &[] } else { &body });
            self.say_last(shared);
        }
        let (reason, is_local) = describe(&end);
        if was.is_up() {
            count_drop(&end, shared);
            if was == State::Open {
                self.log_up(shared);
                shared.tally.dropped(shared.now_ns, is_local, &reason);
            }
        } else {
            count_failure(&end, shared);
            shared.tally.failed(shared.now_ns, is_local, &reason);
        }
        self.is_lost_remotely = !is_local;
        self.vanish(shared);
    }

    /// One attempt to write a close frame: who is gone will not read it.
    fn say_last(&mut self, shared: &mut Shared) {
        if let (Some(stream), None) = (&self.stream, &self.backlog) {
            let _ = socket::send(stream, &shared.out);
        }
        shared.forget();
    }

    /// Makes a connection that is gone ready to be opened again.
    pub fn reopen(&mut self, shared: &Shared) {
        self.due_ns = shared.now_ns;
        self.count = 0;
        self.is_lost_remotely = false;
        (self.input, self.fragments, self.backlog) = (None, None, None);
        self.begin_schedule(shared);
    }

    pub fn is_up(&self) -> bool {
        self.state.is_up()
    }
}

fn before_end(time_ns: Option<u64>, shared: &Shared) -> u64 {
    time_ns.filter(|time_ns| *time_ns < shared.load.timing.end_ns).unwrap_or(NEVER)
}

fn violation(reason: impl Into<String>) -> End {
    End::Violation(Violation::new(close::PROTOCOL_ERROR, reason))
}

/// What the client's own host refuses (clients/CONTRACT.md); anything else is the server's or the network's doing.
fn is_local(error: &io::Error) -> bool {
    use rustix::io::Errno;
    let local = [Errno::MFILE, Errno::NFILE, Errno::ADDRNOTAVAIL, Errno::NOBUFS, Errno::NOMEM];
    error.raw_os_error().is_some_and(|code| local.iter().any(|errno| errno.raw_os_error() == code))
}

/// The code to close with: the server's own, or what it did wrong (RFC 6455, section 5.5.1).
fn last_code(end: &End) -> Option<u16> {
    match end {
        End::Violation(violation) => Some(violation.code),
        End::Peer(code) => (*code != close::ABNORMAL).then_some(*code),
        _ => None,
    }
}

/// Why, in words, and whether it is this host's doing.
fn describe(end: &End) -> (String, bool) {
    match end {
        End::Error(error) => (error.to_string(), is_local(error)),
        End::Peer(close::ABNORMAL) => ("the server ended the connection without a close frame (1006)".into(), false),
        End::Peer(code) => (format!("the server closed the connection ({code})"), false),
        End::Dialect(reason) => (format!("the server closed the session: {reason}"), false),
        End::Violation(violation) => (format!("the server broke the protocol: {}", violation.reason), false),
        End::NotUpgraded(reason) => (format!("not upgraded: {reason}"), false),
        End::TimedOut => ("no handshake in time".into(), false),
        End::Silent => ("no heartbeat in time".into(), false),
    }
}

fn count_drop(end: &End, shared: &mut Shared) {
    match end {
        End::Peer(code) => *shared.tally.closed_by_peer.entry(*code).or_default() += 1,
        End::Error(error) if !is_local(error) => *shared.tally.closed_by_peer.entry(close::ABNORMAL).or_default() += 1,
        End::Silent => shared.tally.connections.silent += 1,
        _ => {}
    }
}

fn count_failure(end: &End, shared: &mut Shared) {
    match end {
        End::Error(error) if error.kind() == ErrorKind::ConnectionRefused => shared.tally.connections.refused += 1,
        End::TimedOut => shared.tally.connections.timed_out += 1,
        _ => {}
    }
}
