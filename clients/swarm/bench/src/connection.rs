//! One socket under edge-triggered epoll. Each wake-up does one read and writes the answer in one write. Both the echo
//! server and the client of the raw-TCP limit use it.

use std::io::{self, ErrorKind};

use crate::carrier::Carrier;
use mio::net::TcpStream;

/// Initial size of the read buffer. Larger frames make it grow.
const READ_B: usize = 64 << 10;

/// The answer of a conversation to its input.
pub struct Answer<'b> {
    /// Bytes to write back.
    pub bytes: &'b [u8],
    /// Bytes of application payload among them.
    pub payload_b: u64,
    /// Whether to end the connection once they are written.
    pub end: bool,
}

/// The protocol on a connection: raw bytes, or WebSocket frames.
pub trait Conversation: Default {
    /// Put an incomplete rest of the last input at the beginning of `input`, and make room behind it.
    /// Returns the length of the rest.
    fn restore(&self, input: &mut Vec<u8>) -> usize;

    /// Answer `input`. The answer may borrow `input`, or be written to `output`.
    fn answer<'b>(&mut self, input: &'b [u8], output: &'b mut Vec<u8>) -> Answer<'b>;
}

/// Raw bytes, sent back unchanged.
#[derive(Default)]
pub struct RawBytes;

impl Conversation for RawBytes {
    fn restore(&self, _: &mut Vec<u8>) -> usize {
        0
    }

    fn answer<'b>(&mut self, input: &'b [u8], _: &'b mut Vec<u8>) -> Answer<'b> {
        Answer { bytes: input, payload_b: input.len() as u64, end: false }
    }
}

/// State shared by all connections of a thread.
pub struct Shared {
    input: Vec<u8>,
    output: Vec<u8>,
    /// Bytes of application payload answered since the start.
    pub payload_b: u64,
}

impl Default for Shared {
    fn default() -> Self {
        Shared { input: vec![0; READ_B], output: Vec::new(), payload_b: 0 }
    }
}

/// A socket, and the bytes that it has not taken yet.
pub struct Connection<C, S = TcpStream> {
    pub carrier: S,
    unsent: Vec<u8>,
    ending: bool,
    conversation: C,
}

impl<C: Conversation, S: Carrier> Connection<C, S> {
    pub fn new(carrier: S) -> Self {
        Connection { carrier, unsent: Vec::new(), ending: false, conversation: C::default() }
    }

    /// Read and answer until there is nothing to read, or no room to write. Returns whether the connection goes on.
    ///
    /// A short read means that the socket is drained: later bytes cause a new wake-up (epoll(7), on EPOLLET). The end
    /// of the stream causes none if it came with the last bytes. `peer_closed` tells that it has come.
    ///
    /// # Errors
    /// Those of the socket, such as a reset.
    pub fn exchange(&mut self, shared: &mut Shared, peer_closed: bool) -> io::Result<bool> {
        if !self.flush()? {
            return Ok(true);
        }
        while !self.ending {
            let kept = self.conversation.restore(&mut shared.input);
            let room = shared.input.len() - kept;
            let read = match self.carrier.read(&mut shared.input[kept..]) {
                Ok(0) => return Ok(false),
                Ok(read) => read,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(true),
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            let answer = self.conversation.answer(&shared.input[..kept + read], &mut shared.output);
            shared.payload_b += answer.payload_b;
            self.ending = answer.end;
            if !self.send(answer.bytes)? || (S::SHORT_READ_DRAINS && read < room && !peer_closed && !self.ending) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Write `bytes`, and keep what the socket does not take. Returns whether the socket took all.
    ///
    /// # Errors
    /// Those of the socket.
    pub fn send(&mut self, bytes: &[u8]) -> io::Result<bool> {
        let written = if bytes.is_empty() { 0 } else { write_some(&mut self.carrier, bytes)? };
        if written == bytes.len() {
            return Ok(true);
        }
        self.unsent.extend_from_slice(&bytes[written..]);
        self.flush()
    }

    /// Write until the socket refuses: only then does epoll wake us again. Returns whether nothing is left.
    fn flush(&mut self) -> io::Result<bool> {
        // TLS buffers records of its own
        match self.carrier.flush() {
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(false),
            flushed => flushed?,
        }
        while !self.unsent.is_empty() {
            match write_some(&mut self.carrier, &self.unsent)? {
                0 => return Ok(false),
                written => drop(self.unsent.drain(..written)),
            }
        }
        Ok(true)
    }
}

/// Returns how many bytes the socket took, 0 when it has no room.
fn write_some(carrier: &mut impl Carrier, bytes: &[u8]) -> io::Result<usize> {
    loop {
        match carrier.write(bytes) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(written) => return Ok(written),
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(0),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
