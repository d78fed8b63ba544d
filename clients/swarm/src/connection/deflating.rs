//! Compression of messages (RFC 7692).

use super::end::End;
use super::shared::{opcode_of, Clock, Shared};
use super::Connection;
use crate::dialect::Incoming;
use crate::message::payload::MESSAGE_MAX_B;
use crate::websocket::deflate::Deflate;
use crate::websocket::frame;
use crate::websocket::handshake::Agreement;
use rand::Rng;

impl Connection {
    /// The upgrade succeeded: sets up compression if it was agreed on.
    pub(super) fn agree(&mut self, agreement: &Agreement, shared: &mut Shared) {
        if shared.deflates {
            shared.tally.deflate.agree(agreement.deflate.map(|agreed| agreed.to_string()));
        }
        self.deflate = agreement.deflate.map(|agreed| Box::new(Deflate::new(agreed)));
    }

    /// A compressed message came.
    pub(super) fn on_compressed(&mut self, message: Incoming, shared: &mut Shared) -> Result<(), End> {
        let Some(deflate) = &mut self.deflate else { return Ok(()) };
        let mut body = std::mem::take(&mut shared.message);
        body.clear();
        deflate.decompress(message.body, &mut body, MESSAGE_MAX_B, &mut shared.forgetful).map_err(End::Violation)?;
        shared.tally.deflate.received(body.len(), message.body.len());
        let taken = self.on_message(Incoming { kind: message.kind, body: &body }, shared);
        shared.message = body;
        taken
    }
}

impl Shared<'_> {
    /// Adds the messages of one payload to `out`, compressed.
    pub(super) fn add_compressed(&mut self, at: u32, number: u64, intended_ns: u64, deflate: &mut Deflate) {
        let payload = self.pool.get(at);
        let clock = Clock { intended_ns, now_ns: self.now_ns, wall_ns: self.now_ns + self.wall_ahead_ns };
        for template in &payload.templates {
            let body = &mut self.stamped;
            body.clear();
            body.extend_from_slice(&template.message.body);
            if let Some(payload_at) = template.payload_at {
                clock.stamp(self.behaviour, number, payload.body.len(), &mut body[payload_at..], 0);
            }
            self.wire.clear();
            deflate.compress(body, &mut self.wire, &mut self.forgetful);
            self.tally.deflate.sent(body.len(), self.wire.len());
            frame::write_compressed(&mut self.out, opcode_of(template.message.kind), &self.wire, self.masks.next_u32());
        }
    }
}
