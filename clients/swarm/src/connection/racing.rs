//! Happy eyeballs (RFC 8305): tries a name's next address before the last one has timed out.

use super::end::End;
use super::shared::Shared;
use super::{Connection, State};
use crate::clock::{ns_of_s, NS_PER_MS};
use crate::config::address::Address;
use crate::config::Config;
use socket2::Socket;
use std::io;

/// Time after which the next address is tried as well (RFC 8305, section 5).
const HEAD_START_NS: u64 = 250 * NS_PER_MS;
/// Longest pause between attempts at a full local socket.
const ROOM_MAX_NS: u64 = 50 * NS_PER_MS;

impl Connection {
    /// The server address to connect to now: the one of this thread's last connection or, if all are wanted, the connection's own; during
    /// a race the next.
    pub fn choose_address<'l>(&mut self, shared: &Shared<'l>) -> &'l Address {
        if self.race.is_none() {
            let Config { all_addresses, .. } = shared.load.config;
            let own = self.index as usize % shared.load.url.addresses.len();
            self.address = if all_addresses { own } else { shared.address };
        }
        self.server_address(shared)
    }

    pub(super) fn server_address<'l>(&self, shared: &Shared<'l>) -> &'l Address {
        &shared.load.url.addresses[self.address]
    }

    pub(super) fn is_local_socket(&self, shared: &Shared) -> bool {
        matches!(self.server_address(shared), Address::Unix(_))
    }

    /// The queue of the local socket's listener is full (connect(2), EAGAIN): tries again, ever more rarely, up to the time-out of one
    /// handshake.
    pub(super) fn wait_for_room(&mut self, shared: &Shared) {
        self.race.get_or_insert_default(); // keeps the time of the first attempt
        let pause_ns = ((shared.now_ns - self.called_ns) / 2).clamp(NS_PER_MS, ROOM_MAX_NS);
        self.watch_ns = self.race_ends_ns(shared).min(shared.now_ns + pause_ns);
    }

    /// When to check the attempt that just began: at the time-out, or when the next address may be tried.
    pub(super) fn race_ns(&self, shared: &Shared) -> u64 {
        let up_ns = self.race_ends_ns(shared);
        if self.has_next_address(shared) {
            up_ns.min(shared.now_ns + HEAD_START_NS)
        } else {
            up_ns
        }
    }

    /// All addresses share the time-out of one handshake.
    fn race_ends_ns(&self, shared: &Shared) -> u64 {
        self.called_ns + ns_of_s(shared.load.config.connect_timeout_s)
    }

    fn has_next_address(&self, shared: &Shared) -> bool {
        let over = self.race.as_ref().map_or(0, |race| race.failed + race.rivals.len());
        over + usize::from(self.stream.is_some()) < shared.load.url.addresses.len()
    }

    /// The head start is over: tries the next address, or times out.
    pub(super) fn call_beside(&mut self, shared: &mut Shared) {
        if shared.now_ns >= self.race_ends_ns(shared) || !self.has_next_address(shared) {
            return self.end(End::TimedOut, shared);
        }
        let rival = self.stream.take().map(|stream| (self.address, stream));
        self.race.get_or_insert_default().rivals.extend(rival);
        self.queue_next_address(shared);
    }

    fn queue_next_address(&mut self, shared: &Shared) {
        self.address = (self.address + 1) % shared.load.url.addresses.len();
        self.watch_ns = self.race_ends_ns(shared);
        self.state = State::Queued;
    }

    /// An address failed. Returns whether another may still answer: the next, or one that was tried earlier.
    pub(super) fn try_next_address(&mut self, reason: &str, shared: &Shared) -> bool {
        self.stream = None;
        let over = self.race.as_ref().map_or(0, |race| race.failed + race.rivals.len()) + 1;
        let has_next = over < shared.load.url.addresses.len();
        if !has_next && !self.has_rivals() {
            return false;
        }
        let address = self.server_address(shared);
        let race = self.race.get_or_insert_default();
        race.failed += 1;
        race.told += &format!("{reason} at {address}, ");
        if has_next {
            self.queue_next_address(shared);
        } else if let Some((address, stream)) = race.rivals.pop() {
            (self.address, self.stream) = (address, Some(stream));
            self.watch_ns = self.race_ends_ns(shared);
        }
        true
    }

    /// Was another address tried before the current one?
    pub fn is_racing(&self) -> bool {
        self.race.is_some()
    }

    /// Are earlier attempts still open?
    pub(super) fn has_rivals(&self) -> bool {
        self.race.as_ref().is_some_and(|race| !race.rivals.is_empty())
    }

    /// If an earlier attempt has connected, it replaces the last one.
    pub(super) fn look_at_rivals(&mut self, shared: &Shared) {
        let Some(race) = &mut self.race else { return };
        let mut winner = None;
        race.rivals.retain(|(address, stream)| match has_connected(stream) {
            Ok(true) => {
                winner = winner.or(Some(*address));
                true
            }
            Ok(false) => true,
            Err(error) => {
                race.failed += 1;
                race.told += &format!("{error} at {}, ", shared.load.url.addresses[*address]);
                false
            }
        });
        let at = winner.and_then(|winner| race.rivals.iter().position(|(address, _)| *address == winner));
        if let Some(at) = at {
            let (address, stream) = race.rivals.swap_remove(at);
            (self.address, self.stream) = (address, Some(stream));
            self.state = State::Connecting;
        }
    }

    /// Adds to the reason of a failure the addresses that were tried, unless the URL has the only one.
    pub(super) fn name_addresses(&mut self, reason: String, last: &Address, shared: &Shared) -> String {
        let race = self.race.take().map(|race| *race).unwrap_or_default();
        let is_in_url = match last {
            Address::Ip(last) => shared.load.url.authority.contains(&last.ip().to_string()),
            Address::Unix(_) => true,
        };
        let rivals =
            race.rivals.iter().map(|(address, _)| format!("{reason} at {}, ", shared.load.url.addresses[*address]));
        let told = race.told + &rivals.collect::<String>();
        if told.is_empty() && is_in_url {
            return reason;
        }
        format!("{told}{reason} at {last}")
    }
}

/// Is TCP connected? Errors: the attempt failed.
pub(super) fn has_connected(stream: &Socket) -> io::Result<bool> {
    match stream.take_error() {
        Err(error) | Ok(Some(error)) => Err(error),
        Ok(None) => Ok(stream.peer_addr().is_ok()),
    }
}
