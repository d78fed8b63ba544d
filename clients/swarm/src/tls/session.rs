//! One TLS session: decrypts what comes and encrypts what goes out.

use rustls::client::UnbufferedClientConnection;
use rustls::pki_types::ServerName;
use rustls::unbuffered::{ConnectionState, EncodeError, EncryptError, UnbufferedStatus};
use rustls::{ClientConfig, Error, HandshakeKind};
use std::io;
use std::sync::Arc;

/// Bytes encrypted at a time. The encrypted rest waits if the socket does not take all.
const SEAL_B: usize = 64 * 1024;
/// Maximum overhead of a record: RFC 8446, section 5.2.
const RECORD_EXTRA_B: usize = 5 + 256;
const RECORD_B: usize = 16 * 1024;

pub struct Session {
    connection: UnbufferedClientConnection,
    /// bytes of an incomplete record
    incoming: Vec<u8>,
    /// encrypted records that the socket has not taken
    unsent: Vec<u8>,
    /// plain bytes in those records
    sealed: usize,
    /// after an error, do not use rustls any more
    is_broken: bool,
}

/// The result of `Session::open`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opened {
    /// The handshake was completed by these bytes
    pub is_agreed: bool,
    /// The server sent close_notify
    pub is_ended: bool,
}

impl Session {
    pub(super) fn new(config: Arc<ClientConfig>, name: ServerName<'static>) -> Result<Self, Error> {
        let connection = UnbufferedClientConnection::new(config, name)?;
        Ok(Self { connection, incoming: Vec::new(), unsent: Vec::new(), sealed: 0, is_broken: false })
    }

    /// Decrypts bytes as they come. Appends their content to `plain`, and TLS's own answers to `wire`.
    /// Errors: those of rustls; `wire` then holds the alert.
    pub fn open(&mut self, bytes: &mut [u8], plain: &mut Vec<u8>, wire: &mut Vec<u8>) -> Result<Opened, Error> {
        let was_handshake = self.connection.is_handshaking();
        let mut is_ended = false;
        if self.incoming.is_empty() {
            let used = self.process(bytes, plain, wire, &mut is_ended)?;
            self.incoming.extend_from_slice(&bytes[used..]);
        } else {
            let mut all = std::mem::take(&mut self.incoming);
            all.extend_from_slice(bytes);
            let used = self.process(&mut all, plain, wire, &mut is_ended)?;
            if used < all.len() {
                all.drain(..used);
                self.incoming = all;
            }
        }
        Ok(Opened { is_agreed: was_handshake && !self.connection.is_handshaking(), is_ended })
    }

    fn process(
        &mut self,
        bytes: &mut [u8],
        plain: &mut Vec<u8>,
        wire: &mut Vec<u8>,
        is_ended: &mut bool,
    ) -> Result<usize, Error> {
        let mut used = 0;
        loop {
            let UnbufferedStatus { discard, state, .. } = self.connection.process_tls_records(&mut bytes[used..]);
            let is_done = match state {
                Ok(ConnectionState::ReadTraffic(mut traffic)) => {
                    while let Some(record) = traffic.next_record() {
                        plain.extend_from_slice(record?.payload);
                    }
                    false
                }
                Ok(ConnectionState::EncodeTlsData(mut data)) => {
                    append(wire, 0, |place| data.encode(place).map_err(wanted_of_encode));
                    false
                }
                Ok(ConnectionState::TransmitTlsData(data)) => {
                    data.done();
                    false
                }
                Ok(ConnectionState::PeerClosed) => {
                    *is_ended = true;
                    false
                }
                Ok(ConnectionState::Closed) => {
                    *is_ended = true;
                    true
                }
                Ok(_) => true, // it needs more bytes, or is ready to send
                Err(error) => {
                    self.is_broken = true;
                    used += discard;
                    let rest = self.connection.process_tls_records(&mut bytes[used..]).state;
                    if let Ok(ConnectionState::EncodeTlsData(mut alert)) = rest {
                        append(wire, 0, |place| alert.encode(place).map_err(wanted_of_encode));
                    }
                    return Err(error);
                }
            };
            used += discard;
            if is_done {
                return Ok(used);
            }
        }
    }

    /// Encrypts `plain` and sends it by `write`. Returns how many bytes were taken. A byte counts as taken when the
    /// socket has its whole record. The caller must offer the rest again before anything else.
    pub fn send(
        &mut self,
        plain: &[u8],
        wire: &mut Vec<u8>,
        mut write: impl FnMut(&[u8]) -> io::Result<usize>,
    ) -> io::Result<usize> {
        if !self.flush(&mut write)? {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        let mut taken = std::mem::take(&mut self.sealed);
        while taken < plain.len() {
            let part = &plain[taken..plain.len().min(taken + SEAL_B)];
            wire.clear();
            self.seal(part, wire)?;
            self.sealed = part.len();
            if !self.transmit(wire, &mut write)? {
                return if taken > 0 { Ok(taken) } else { Err(io::ErrorKind::WouldBlock.into()) };
            }
            taken += std::mem::take(&mut self.sealed);
        }
        Ok(taken)
    }

    /// Sends encrypted records, and keeps what the socket does not take. Returns whether it took all.
    pub fn transmit(&mut self, wire: &[u8], mut write: impl FnMut(&[u8]) -> io::Result<usize>) -> io::Result<bool> {
        let written = if self.unsent.is_empty() { or_none(write(wire))? } else { 0 };
        self.unsent.extend_from_slice(&wire[written..]);
        Ok(self.unsent.is_empty())
    }

    /// Sends the records that were kept. Returns whether the socket took all.
    pub fn flush(&mut self, mut write: impl FnMut(&[u8]) -> io::Result<usize>) -> io::Result<bool> {
        while !self.unsent.is_empty() {
            match or_none(write(&self.unsent))? {
                0 => return Ok(false),
                written => drop(self.unsent.drain(..written)),
            }
        }
        Ok(true)
    }

    pub fn has_unsent(&self) -> bool {
        !self.unsent.is_empty()
    }

    /// Plain bytes that are encrypted and not taken by the socket: they must go out as they are.
    pub fn sealed_b(&self) -> usize {
        self.sealed
    }

    fn seal(&mut self, plain: &[u8], wire: &mut Vec<u8>) -> io::Result<()> {
        if self.is_broken {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        let from = wire.len();
        let room_b = plain.len() + plain.len().div_ceil(RECORD_B) * RECORD_EXTRA_B;
        loop {
            // pass the unprocessed bytes again: without them rustls panics on a partial message
            let UnbufferedStatus { discard, state, .. } = self.connection.process_tls_records(&mut self.incoming);
            let is_sealed = match state.map_err(io::Error::other)? {
                ConnectionState::WriteTraffic(mut traffic) => {
                    append(wire, room_b, |place| traffic.encrypt(plain, place).map_err(wanted_of_encrypt));
                    true
                }
                ConnectionState::EncodeTlsData(mut data) => {
                    append(wire, 0, |place| data.encode(place).map_err(wanted_of_encode));
                    false
                }
                ConnectionState::TransmitTlsData(data) => {
                    data.done();
                    false
                }
                ConnectionState::PeerClosed => false,
                _ => return Err(io::ErrorKind::BrokenPipe.into()),
            };
            self.incoming.drain(..discard);
            if is_sealed {
                if wire.len() == from {
                    return Err(io::Error::other("TLS: no more may be sent with the keys of this connection"));
                }
                return Ok(());
            }
        }
    }

    /// Appends close_notify (RFC 8446, section 6.1).
    pub fn add_farewell(&mut self, wire: &mut Vec<u8>) {
        if self.is_broken {
            return;
        }
        let state = self.connection.process_tls_records(&mut self.incoming).state;
        if let Ok(ConnectionState::WriteTraffic(mut traffic)) = state {
            append(wire, RECORD_EXTRA_B, |place| traffic.queue_close_notify(place).map_err(wanted_of_encrypt));
        }
    }

    /// Version and cipher suite, and whether the session was resumed.
    pub fn agreement(&self) -> (String, bool) {
        let version = self.connection.protocol_version().and_then(|version| version.as_str()).unwrap_or("TLS");
        let suite = self.connection.negotiated_cipher_suite().and_then(|suite| suite.suite().as_str()).unwrap_or("");
        let told = format!("{} {suite}", version.replace("TLSv1_", "TLS 1."));
        (told, self.connection.handshake_kind() == Some(HandshakeKind::Resumed))
    }
}

/// Turns WouldBlock into 0 bytes written.
fn or_none(written: io::Result<usize>) -> io::Result<usize> {
    match written {
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(0),
        other => other,
    }
}

/// Appends what `fill` writes. `fill` returns its length. Its error is the room it needs, or `None` if it has nothing.
fn append(wire: &mut Vec<u8>, room_b: usize, mut fill: impl FnMut(&mut [u8]) -> Result<usize, Option<usize>>) {
    let at = wire.len();
    let mut room_b = room_b;
    loop {
        wire.resize(at + room_b, 0);
        match fill(&mut wire[at..]) {
            Ok(filled) => return wire.truncate(at + filled),
            Err(Some(wanted_b)) => room_b = wanted_b,
            Err(None) => return wire.truncate(at),
        }
    }
}

fn wanted_of_encode(error: EncodeError) -> Option<usize> {
    match error {
        EncodeError::InsufficientSize(error) => Some(error.required_size),
        EncodeError::AlreadyEncoded => None,
    }
}

fn wanted_of_encrypt(error: EncryptError) -> Option<usize> {
    match error {
        EncryptError::InsufficientSize(error) => Some(error.required_size),
        EncryptError::EncryptExhausted => None,
    }
}
