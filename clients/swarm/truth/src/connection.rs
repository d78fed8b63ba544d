//! One connection: handshake, reads and writes.

use crate::wire::Wire;
use std::io;
use tungstenite::handshake::server::{NoCallback, ServerHandshake};
use tungstenite::handshake::{HandshakeError, MidHandshake};
use tungstenite::protocol::frame::coding::CloseCode;
use tungstenite::protocol::CloseFrame;
use tungstenite::{Error, Message, WebSocket};

type Handshake = ServerHandshake<Wire, NoCallback>;

enum Stage {
    Shaking(MidHandshake<Handshake>),
    Open(WebSocket<Wire>),
}

/// The connection has ended, for whatever reason.
#[derive(Debug)]
pub struct Gone;

/// Data messages on a connection after which `--close` closes it.
const CLOSED_AFTER: u64 = 3;

/// A connection that a client made.
pub struct Connection {
    /// None only during a step of the handshake, or after it failed.
    stage: Option<Stage>,
    /// Its number in the order of opening, from 1; 0 until the handshake is done.
    pub number: u64,
    received: u64,
    closing: bool,
    /// An answer held back until the next one is sent.
    pub held: Option<Message>,
}

impl Connection {
    pub fn new(wire: Wire) -> Result<Self, Gone> {
        let stage = Some(take_stage(tungstenite::accept(wire))?);
        Ok(Self { stage, number: 0, received: 0, closing: false, held: None })
    }

    /// Continues the handshake. Returns whether it is done.
    pub fn shake(&mut self) -> Result<bool, Gone> {
        if let Some(Stage::Shaking(handshake)) = self.stage.take_if(|stage| matches!(stage, Stage::Shaking(_))) {
            self.stage = Some(take_stage(handshake.handshake())?);
        }
        Ok(matches!(self.stage, Some(Stage::Open(_))))
    }

    /// Reads all data messages that have arrived into `inbox`. On an error it holds those read before.
    pub fn receive(&mut self, inbox: &mut Vec<Message>) -> Result<(), Gone> {
        let Some(Stage::Open(socket)) = &mut self.stage else { return Ok(()) };
        loop {
            match socket.read() {
                Ok(message @ (Message::Text(_) | Message::Binary(_))) => inbox.push(message),
                Ok(_) => {} // tungstenite answers pings and closes by itself
                Err(error) => return if would_block(&error) { Ok(()) } else { Err(Gone) },
            }
        }
    }

    /// Counts a data message. Returns whether `--close` may close the connection now.
    pub fn count_message(&mut self) -> bool {
        self.received += 1;
        self.received == CLOSED_AFTER
    }

    /// Queues a message until `flush`. Returns whether it did; it can't once the connection is closing.
    pub fn write(&mut self, message: Message) -> bool {
        match &mut self.stage {
            // If the socket is full, the message stays in tungstenite's buffer, which has no limit.
            Some(Stage::Open(socket)) if !self.closing => {
                socket.write(message).map_or_else(|error| would_block(&error), |()| true)
            }
            _ => false,
        }
    }

    /// Begins to close. Sends no further messages. Returns whether it was open.
    pub fn close(&mut self) -> bool {
        let Some(Stage::Open(socket)) = &mut self.stage else { return false };
        let frame = CloseFrame { code: CloseCode::Away, reason: "".into() };
        let was_open = !self.closing;
        self.closing = true;
        was_open && socket.close(Some(frame)).map_or_else(|error| would_block(&error), |()| true)
    }

    /// Sends as much of the queue as the socket takes.
    pub fn flush(&mut self) -> Result<(), Gone> {
        let Some(Stage::Open(socket)) = &mut self.stage else { return Ok(()) };
        match socket.flush() {
            Err(error) if !would_block(&error) => Err(Gone),
            _ => Ok(()),
        }
    }
}

fn take_stage(shaken: Result<WebSocket<Wire>, HandshakeError<Handshake>>) -> Result<Stage, Gone> {
    match shaken {
        Ok(socket) => Ok(Stage::Open(socket)),
        Err(HandshakeError::Interrupted(handshake)) => Ok(Stage::Shaking(handshake)),
        Err(HandshakeError::Failure(_)) => Err(Gone),
    }
}

fn would_block(error: &Error) -> bool {
    matches!(error, Error::Io(error) if error.kind() == io::ErrorKind::WouldBlock)
}
