//! Sessions to resume: as many TLS 1.3 tickets as a load has connections, where rustls' own cache keeps eight of a server.

use rustls::client::{ClientSessionMemoryCache, ClientSessionStore, Tls12ClientSessionValue, Tls13ClientSessionValue};
use rustls::pki_types::ServerName;
use rustls::NamedGroup;
use std::collections::VecDeque;
use std::fmt;
use std::sync::{Mutex, PoisonError};

/// The sessions of one thread's connections, all to one server.
pub struct Tickets {
    /// all but the tickets
    cache: ClientSessionMemoryCache,
    tickets: Mutex<VecDeque<Tls13ClientSessionValue>>,
    most: usize,
}

impl Tickets {
    /// `most`: tickets to keep; then the oldest is dropped.
    pub fn new(most: usize) -> Self {
        Self { cache: ClientSessionMemoryCache::new(1), tickets: Mutex::default(), most: most.max(1) }
    }
}

impl fmt::Debug for Tickets {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Tickets").field("most", &self.most).finish_non_exhaustive()
        // tickets are secret
    }
}

impl ClientSessionStore for Tickets {
    fn set_kx_hint(&self, name: ServerName<'static>, group: NamedGroup) {
        self.cache.set_kx_hint(name, group);
    }

    fn kx_hint(&self, name: &ServerName<'_>) -> Option<NamedGroup> {
        self.cache.kx_hint(name)
    }

    fn set_tls12_session(&self, name: ServerName<'static>, session: Tls12ClientSessionValue) {
        self.cache.set_tls12_session(name, session);
    }

    fn tls12_session(&self, name: &ServerName<'_>) -> Option<Tls12ClientSessionValue> {
        self.cache.tls12_session(name)
    }

    fn remove_tls12_session(&self, name: &ServerName<'static>) {
        self.cache.remove_tls12_session(name);
    }

    fn insert_tls13_ticket(&self, _: ServerName<'static>, ticket: Tls13ClientSessionValue) {
        let mut tickets = self.tickets.lock().unwrap_or_else(PoisonError::into_inner);
        if tickets.len() == self.most {
            tickets.pop_front();
        }
        tickets.push_back(ticket);
    }

    fn take_tls13_ticket(&self, _: &ServerName<'static>) -> Option<Tls13ClientSessionValue> {
        self.tickets.lock().unwrap_or_else(PoisonError::into_inner).pop_back()
    }
}
