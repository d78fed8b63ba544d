//! The event loop. One thread serves all connections, so that a sleep stalls all of them.

use crate::clock::monotonic_ns;
use crate::connection::{Connection, Gone};
use crate::faults::{corrupt, Counts, Fate, Faults};
use crate::options::Options;
use crate::stall::Stalls;
use crate::wire::{secure, Wire};
use mio::event::Event;
use mio::net::{TcpListener, TcpStream};
use mio::{Events, Interest, Poll, Token, Waker};
use rustls::ServerConfig;
use std::collections::{HashMap, VecDeque};
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::thread;
use std::time::Duration;
use tungstenite::Message;

const LISTENER: Token = Token(0);
const WAKER: Token = Token(1);
const FIRST_CONNECTION: usize = 2;

/// What to do about a message when its delay is over.
struct Due {
    at_ns: u64,
    token: Token,
    /// None if the message is dropped.
    answer: Option<Message>,
    close: bool,
}

pub struct Server {
    poll: Poll,
    listener: TcpListener,
    tls: Option<Arc<ServerConfig>>,
    connections: HashMap<Token, Connection>,
    next_token: usize,
    opened: u64,
    /// Answers begun, whatever their fate.
    answers: u64,
    faults: Faults,
    stalls: Option<Stalls>,
    delay_ns: Option<u64>,
    /// Sorted by due time, because all have the same delay.
    due: VecDeque<Due>,
    inbox: Vec<Message>,
    counts: Counts,
}

impl Server {
    pub fn bind(options: &Options) -> io::Result<Self> {
        let poll = Poll::new()?;
        let mut listener = TcpListener::bind(SocketAddr::new(options.address, options.port))?;
        poll.registry().register(&mut listener, LISTENER, Interest::READABLE)?;
        let tls = options.tls.as_deref().map(|file| secure(options.address, file)).transpose();
        Ok(Self {
            poll,
            listener,
            tls: tls.map_err(|error| io::Error::other(format!("--tls: {error}")))?,
            connections: HashMap::new(),
            next_token: FIRST_CONNECTION,
            opened: 0,
            answers: 0,
            faults: Faults::new(options),
            stalls: Stalls::new(options),
            delay_ns: options.delay.map(|delay| delay.as_nanos() as u64),
            due: VecDeque::new(),
            inbox: Vec::new(),
            counts: Counts::default(),
        })
    }

    pub fn port(&self) -> io::Result<u16> {
        Ok(self.listener.local_addr()?.port())
    }

    pub fn waker(&self) -> io::Result<Waker> {
        Waker::new(self.poll.registry(), WAKER)
    }

    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Serves until the flag is raised.
    pub fn run(&mut self, stop: &AtomicBool) -> io::Result<()> {
        let mut events = Events::with_capacity(1024);
        // Timer slack and the exit from idle make a sleep end some 50 us late. With --delay, spin instead.
        let timeout = self.delay_ns.map(|_| Duration::ZERO);
        while !stop.load(Ordering::Acquire) {
            match self.poll.poll(&mut events, timeout) {
                Err(error) if error.kind() != io::ErrorKind::Interrupted => return Err(error),
                _ => self.sit_out_stall(),
            }
            for event in &events {
                self.attend(event);
            }
            self.answer_due();
        }
        Ok(())
    }

    fn sit_out_stall(&mut self) {
        let now_ns = monotonic_ns();
        if let Some(end_ns) = self.stalls.as_ref().and_then(|stalls| stalls.end_ns(now_ns)) {
            thread::sleep(Duration::from_nanos(end_ns - now_ns));
            self.counts.stalls += 1;
        }
    }

    fn attend(&mut self, event: &Event) {
        match event.token() {
            LISTENER => self.accept_all(),
            WAKER => {}
            token => self.attend_connection(token).unwrap_or_else(|Gone| self.forget(token)),
        }
    }

    fn accept_all(&mut self) {
        loop {
            match self.listener.accept() {
                Ok((stream, _)) => self.welcome(stream),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(error) => {
                    eprintln!("error: truth-server: a connection was not accepted: {error}; see ulimit -n");
                    return;
                }
            }
        }
    }

    fn welcome(&mut self, mut stream: TcpStream) {
        let token = Token(self.next_token);
        self.next_token += 1;
        let registered = self.poll.registry().register(&mut stream, token, Interest::READABLE | Interest::WRITABLE);
        if registered.and_then(|()| stream.set_nodelay(true)).is_err() {
            return; // gone already
        }
        let wire = Wire::new(stream, self.tls.as_ref());
        if let Ok(Ok(connection)) = wire.map(Connection::new) {
            self.connections.insert(token, connection);
            self.attend_connection(token).unwrap_or_else(|Gone| self.forget(token));
        }
    }

    /// Reads everything, because edge-triggered events come only for new data. Also sends what the socket did not take
    /// before.
    fn attend_connection(&mut self, token: Token) -> Result<(), Gone> {
        let Some(connection) = self.connections.get_mut(&token) else { return Ok(()) };
        if !connection.shake()? {
            return Ok(());
        }
        if connection.number == 0 {
            self.opened += 1;
            connection.number = self.opened;
        }
        let mut inbox = std::mem::take(&mut self.inbox);
        let received = connection.receive(&mut inbox);
        inbox.drain(..).for_each(|message| self.take_message(token, message));
        self.inbox = inbox;
        received.and(self.flush(token))
    }

    fn take_message(&mut self, token: Token, message: Message) {
        let Some(connection) = self.connections.get_mut(&token) else { return };
        let now_ns = monotonic_ns();
        if let Some(stalls) = &mut self.stalls {
            stalls.begin(now_ns);
        }
        self.counts.received += 1;
        let close = connection.count_message() && self.faults.closes(connection.number);
        let dropped = self.faults.drops(self.counts.received);
        self.counts.dropped += u64::from(dropped);
        let answer = (!dropped).then_some(message);
        self.due.push_back(Due { at_ns: now_ns + self.delay_ns.unwrap_or(0), token, answer, close });
    }

    fn answer_due(&mut self) {
        let mut last = None;
        while self.due.front().is_some_and(|due| due.at_ns <= monotonic_ns()) {
            let Some(due) = self.due.pop_front() else { break };
            // Consecutive answers on one connection go out in one write.
            if let Some(other) = last.replace(due.token).filter(|&token| token != due.token) {
                self.flush(other).unwrap_or_else(|Gone| self.forget(other));
            }
            self.carry_out(due);
        }
        if let Some(token) = last {
            self.flush(token).unwrap_or_else(|Gone| self.forget(token));
        }
    }

    fn carry_out(&mut self, due: Due) {
        let Some(connection) = self.connections.get_mut(&due.token) else { return };
        if let Some(message) = due.answer {
            self.answers += 1;
            answer(connection, message, self.faults.fate(self.answers), &mut self.counts);
        }
        if due.close {
            self.counts.closed += u64::from(connection.close());
        }
    }

    fn flush(&mut self, token: Token) -> Result<(), Gone> {
        self.connections.get_mut(&token).map_or(Ok(()), Connection::flush)
    }

    fn forget(&mut self, token: Token) {
        self.connections.remove(&token); // closing the socket also removes it from the poll
    }
}

fn answer(connection: &mut Connection, message: Message, fate: Fate, counts: &mut Counts) {
    if fate == Fate::Held && connection.held.is_none() {
        connection.held = Some(message);
        return;
    }
    let corrupted = (fate == Fate::Corrupted).then(|| corrupt(&message)).flatten();
    let twice = (fate == Fate::SentTwice).then(|| message.clone());
    let is_corrupted = corrupted.is_some();
    if !connection.write(corrupted.unwrap_or(message)) {
        return;
    }
    counts.answered += 1;
    counts.corrupted += u64::from(is_corrupted);
    counts.duplicated += u64::from(twice.is_some_and(|again| connection.write(again)));
    if let Some(late) = connection.held.take() {
        let sent = u64::from(connection.write(late));
        counts.reordered += sent;
        counts.answered += sent;
    }
}
