//! From connect(2) until the connection is up.

use super::end::End;
use super::racing::has_connected;
use super::shared::Shared;
use super::{Connection, State};
use crate::clock::ns_of_s;
use crate::dialect::{Behaviour, Session};
use crate::percent;
use crate::tally::times::Opened;
use crate::websocket::handshake;
use rand::Rng;
use socket2::Socket;
use std::io::{self, ErrorKind};

impl Connection {
    /// Begins to connect. `open` makes the socket and registers it.
    pub fn connect(&mut self, shared: &mut Shared, open: impl FnOnce() -> io::Result<Socket>) {
        self.state = State::Connecting;
        if self.race.is_none() {
            self.called_ns = shared.now_ns;
        }
        self.heard_ns = shared.now_ns;
        match open() {
            Ok(stream) => {
                self.stream = Some(stream);
                self.watch_ns = self.race_ns(shared);
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock && self.is_local_socket(shared) => {
                self.wait_for_room(shared)
            }
            Err(error) => self.end(End::Error(error), shared),
        }
    }

    /// Is it waiting for a writable socket?
    #[inline]
    pub fn waits_to_write(&self) -> bool {
        let is_awaited = matches!(self.state, State::Connecting | State::Securing);
        is_awaited || self.backlog.is_some() || (self.state == State::Queued && self.has_rivals())
    }

    pub fn on_writable(&mut self, shared: &mut Shared) {
        if matches!(self.state, State::Connecting | State::Queued) {
            self.on_tcp(shared);
        } else if self.state == State::Securing {
            self.go_on_securing(shared);
        } else if self.backlog.is_some() {
            self.write_backlog(shared);
        }
    }

    /// TCP is connected, or failed.
    pub(super) fn on_tcp(&mut self, shared: &mut Shared) {
        self.look_at_rivals(shared);
        let Some(stream) = &self.stream else { return };
        match has_connected(stream) {
            Ok(true) => {}
            Ok(false) => return, // not connected yet
            Err(error) => return self.end(End::Error(error), shared),
        }
        shared.address = self.address;
        self.race = None;
        self.tcp_ns = shared.now_ns;
        self.watch_ns = self.called_ns + ns_of_s(shared.load.config.connect_timeout_s);
        let is_local_socket = self.is_local_socket(shared);
        let Some(stream) = &self.stream else { return };
        if let Err(error) = if is_local_socket { Ok(()) } else { stream.set_tcp_nodelay(true) } {
            return self.end(End::Error(error), shared);
        }
        match shared.load.config.request.proxy {
            Some(_) => self.ask_proxy(shared),
            None => self.go_on(shared),
        }
    }

    /// The way to the server is open.
    pub(super) fn go_on(&mut self, shared: &mut Shared) {
        if shared.is_tls {
            return self.secure(shared);
        }
        self.begin(shared);
        self.flush(shared);
    }

    /// Begins the upgrade, or without WebSocket the session.
    pub(super) fn begin(&mut self, shared: &mut Shared) {
        if shared.is_framed {
            self.upgrade(shared);
        } else {
            self.greet(None, shared);
        }
    }

    pub(super) fn upgrade(&mut self, shared: &mut Shared) {
        let mut nonce = [0; 16];
        shared.masks.fill_bytes(&mut nonce);
        let key = handshake::key(nonce);
        let data = &shared.load.data;
        let target = shared.target.fill(self.index, data, percent::encode);
        let [host, headers] = [&shared.host, &shared.headers].map(|part| part.fill(self.index, data, str::to_string));
        shared.out.extend_from_slice(handshake::request(&host, &target, &key, &headers).as_bytes());
        self.key = Some(key.into());
        self.state = State::Upgrading;
    }

    pub(super) fn greet(&mut self, upgraded_ns: Option<u64>, shared: &mut Shared) {
        self.upgraded_ns = upgraded_ns;
        self.state = State::Greeting;
        self.session = Session::default();
        let is_up = shared.dialect.open(&mut self.session, &mut shared.replies);
        self.reply(shared);
        if is_up {
            self.join(shared);
        }
    }

    pub(super) fn up(&mut self, shared: &mut Shared) {
        self.state = State::Open;
        self.up_ns = shared.now_ns;
        self.pinged_ns = shared.now_ns;
        self.due_in_handshake = [0; 2];
        self.is_reopening = false;
        let (called_ns, tcp_ns, secured_ns) = (self.called_ns, self.tcp_ns, self.secured_ns);
        shared.tally.opened(Opened { called_ns, tcp_ns, secured_ns, upgraded_ns: self.upgraded_ns, up_ns: self.up_ns });
        self.begin_pings(shared);
        self.watch_ns = self.next_watch_ns();
        self.come_back(shared);
        if shared.behaviour == Behaviour::Idle || !shared.sends() || shared.now_ns >= shared.load.timing.end_ns {
            return;
        }
        for _ in 0..shared.outstanding {
            self.send_now(shared);
        }
    }

    /// Closed loop: the next message is intended at the arrival of an answer.
    #[inline]
    pub(super) fn send_now(&mut self, shared: &mut Shared) {
        shared.tally.due(shared.now_ns);
        self.queue(shared.now_ns, false, shared);
    }
}
