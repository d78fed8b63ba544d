//! From the call to connect to the dialect's word that it is up.

use super::ending::End;
use super::shared::Shared;
use super::{Connection, State, NEVER};
use crate::clock::ns_of_s;
use crate::config::address::Address;
use crate::dialect::{Behaviour, Session};
use crate::tally::times::Opened;
use crate::websocket::handshake;
use rand::Rng;
use socket2::Socket;
use std::io;

impl Connection {
    /// The server's address to call now: the one that took the last connection of this thread, or after a failure the next.
    pub fn choose_address<'l>(&mut self, shared: &Shared<'l>) -> &'l Address {
        if self.failed.is_none() {
            self.address = shared.address;
        }
        self.server_address(shared)
    }

    pub(super) fn server_address<'l>(&self, shared: &Shared<'l>) -> &'l Address {
        &shared.load.url.addresses[self.address]
    }

    /// One address did not answer. Returns whether there is another, which is then the next to try.
    pub(super) fn try_next_address(&mut self, reason: &str, shared: &Shared) -> bool {
        let address = self.server_address(shared);
        let failed = self.failed.get_or_insert_default();
        failed.count += 1;
        if failed.count >= shared.load.url.addresses.len() {
            return false;
        }
        failed.told += &format!("{reason} at {address}, ");
        self.address = (self.address + 1) % shared.load.url.addresses.len();
        self.stream = None;
        self.watch_ns = NEVER;
        self.state = State::Queued;
        true
    }

    /// A reason not to have connected, with the addresses where the URL has a name.
    pub(super) fn name_addresses(&mut self, reason: String, last: &Address, shared: &Shared) -> String {
        let told = self.failed.take().map(|failed| failed.told).unwrap_or_default();
        let is_in_url = match last {
            Address::Ip(last) => shared.load.url.authority.contains(&last.ip().to_string()),
            Address::Unix(_) => true,
        };
        if told.is_empty() && is_in_url {
            return reason;
        }
        format!("{told}{reason} at {last}")
    }

    /// Calls connect. `open` makes the socket and registers it.
    pub fn connect(&mut self, shared: &mut Shared, open: impl FnOnce() -> io::Result<Socket>) {
        self.state = State::Connecting;
        if self.failed.is_none() {
            self.called_ns = shared.now_ns;
        }
        self.heard_ns = shared.now_ns;
        self.watch_ns = shared.now_ns + ns_of_s(shared.load.config.connect_timeout_s);
        match open() {
            Ok(stream) => self.stream = Some(stream),
            Err(error) => self.end(End::Error(error), shared),
        }
    }

    /// Is it of interest that the socket takes bytes?
    #[inline]
    pub fn waits_to_write(&self) -> bool {
        matches!(self.state, State::Connecting | State::Securing) || self.backlog.is_some()
    }

    pub fn on_writable(&mut self, shared: &mut Shared) {
        if self.state == State::Connecting {
            self.on_tcp(shared);
        } else if self.state == State::Securing {
            self.go_on_securing(shared);
        } else if self.backlog.is_some() {
            self.write_backlog(shared);
        }
    }

    /// TCP has answered, this way or that.
    pub(super) fn on_tcp(&mut self, shared: &mut Shared) {
        let Some(stream) = &self.stream else { return };
        if let Err(error) | Ok(Some(error)) = stream.take_error() {
            return self.end(End::Error(error), shared);
        }
        if stream.peer_addr().is_err() {
            return; // not yet
        }
        shared.address = self.address;
        self.failed = None;
        self.tcp_ns = shared.now_ns;
        let is_ip = matches!(self.server_address(shared), Address::Ip(_));
        if let Err(error) = if is_ip { stream.set_tcp_nodelay(true) } else { Ok(()) } {
            return self.end(End::Error(error), shared);
        }
        match shared.load.config.request.proxy {
            Some(_) => self.ask_proxy(shared),
            None => self.go_on(shared),
        }
    }

    /// The server is there.
    pub(super) fn go_on(&mut self, shared: &mut Shared) {
        if shared.is_tls {
            return self.secure(shared);
        }
        self.begin(shared);
        self.flush(shared);
    }

    /// The way is open: what is said first.
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
        let url = &shared.load.url;
        let target = url.target.as_deref().unwrap_or(shared.dialect.target());
        let host = shared.load.config.request.host().unwrap_or(&url.authority);
        shared.out.extend_from_slice(handshake::request(host, target, &key, &shared.headers).as_bytes());
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

    /// Closed loop: the next message is intended when an answer arrives.
    #[inline]
    pub(super) fn send_now(&mut self, shared: &mut Shared) {
        shared.tally.due(shared.now_ns);
        self.queue(shared.now_ns, false, shared);
    }
}
