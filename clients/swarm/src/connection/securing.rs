//! TLS of a connection: handshake, decryption of what is read, and end.

use super::end::End;
use super::shared::Shared;
use super::socket;
use super::{Connection, State};
use crate::websocket::close;

impl Connection {
    /// The way to the server is open: begins the handshake.
    pub(super) fn secure(&mut self, shared: &mut Shared) {
        self.state = State::Securing;
        let Some(terms) = &shared.terms else { return };
        match terms.begin() {
            Ok(session) => self.tls = Some(Box::new(session)),
            Err(error) => return self.end(End::NotSecured(error.to_string()), shared),
        }
        if let Err(end) = self.take_secured(&mut [], shared) {
            self.end(end, shared);
        }
    }

    /// The socket has room again during the handshake.
    pub(super) fn go_on_securing(&mut self, shared: &mut Shared) {
        if let (Some(tls), Some(stream)) = (&mut self.tls, &self.stream) {
            if let Err(error) = tls.flush(|bytes| socket::send(stream, bytes)) {
                self.end(End::Error(error), shared);
            }
        }
    }

    /// Decrypts bytes as they come, and passes the content to `take`.
    pub(super) fn take_secured(&mut self, bytes: &mut [u8], shared: &mut Shared) -> Result<(), End> {
        if self.state == State::Proxying {
            return self.take(bytes, shared);
        }
        let (Some(tls), Some(stream)) = (&mut self.tls, &self.stream) else { return Ok(()) };
        shared.wire.clear();
        let mut plain = std::mem::take(&mut shared.plain);
        plain.clear();
        let opened = tls.open(bytes, &mut plain, &mut shared.wire);
        let told = if shared.wire.is_empty() {
            Ok(true)
        } else {
            tls.transmit(&shared.wire, |bytes| socket::send(stream, bytes))
        };
        let opened = opened.map_err(|error| End::NotSecured(error.to_string()))?;
        if !told.map_err(End::Error)? && self.state != State::Securing {
            self.backlog.get_or_insert_default(); // so that the records go out later
        }
        if opened.is_agreed {
            self.on_secured(shared);
        }
        let taken = if plain.is_empty() { Ok(()) } else { self.take(&plain, shared) };
        shared.plain = plain;
        match taken {
            // the last frame and close_notify came together: there is no more to wait for
            Err(end) if opened.is_ended => {
                self.end(end, shared);
                if self.state != State::Parting {
                    return Ok(());
                }
            }
            taken => taken?,
        }
        if opened.is_ended {
            return Err(End::Peer(close::ABNORMAL, String::new()));
        }
        Ok(())
    }

    fn on_secured(&mut self, shared: &mut Shared) {
        if let Some(tls) = &self.tls {
            let (agreement, is_resumed) = tls.agreement();
            shared.tally.secured(agreement, is_resumed);
        }
        self.secured_ns = Some(shared.now_ns);
        self.begin(shared);
    }

    /// Sends close_notify, if the peer still listens.
    pub(super) fn end_tls(&mut self, shared: &mut Shared) {
        let (Some(mut tls), Some(stream)) = (self.tls.take(), &self.stream) else { return };
        if !tls.has_unsent() {
            shared.wire.clear();
            tls.add_farewell(&mut shared.wire);
            let _ = socket::send(stream, &shared.wire);
        }
    }
}
