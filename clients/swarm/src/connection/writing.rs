//! Writes messages, at once or when the socket has room.

use super::end::End;
use super::shared::{Queued, Shared};
use super::socket;
use super::{Backlog, Connection};
use crate::dialect::Behaviour;
use crate::websocket::frame::Opcode;
use std::io::ErrorKind;

impl Backlog {
    /// Drops written bytes, so that the backlog stays small even if the server lags for hours.
    fn compact(&mut self) {
        self.bytes.drain(..self.written);
        self.queued.iter_mut().for_each(|queued| queued.end -= self.written);
        self.written = 0;
    }

    /// Where to cut it, so that no message is cut of whose bytes the socket has some, or may have: the first `taken`.
    fn cut(&self, taken: usize) -> usize {
        let begun = |queued: &Queued| {
            let wire_b = queued.wire_b.max(1) as usize;
            let after = (queued.end.saturating_sub(taken) / wire_b).min(queued.count as usize);
            queued.end - after * wire_b
        };
        self.queued.iter().find(|queued| queued.end > taken).map_or(self.bytes.len(), begun)
    }
}

impl Connection {
    /// Writes `shared.out`, and keeps what the socket does not take.
    #[inline]
    pub fn flush(&mut self, shared: &mut Shared) {
        if shared.out.is_empty() {
            return;
        }
        if self.backlog.is_none() {
            let Some(stream) = &self.stream else { return shared.forget() };
            let sent = match &mut self.tls {
                Some(tls) if shared.is_tls => {
                    tls.send(&shared.out, &mut shared.wire, |bytes| socket::send(stream, bytes))
                }
                _ => socket::send(stream, &shared.out),
            };
            match sent {
                Ok(written) if written == shared.out.len() => return self.count_sent(shared),
                Ok(written) => self.keep_unwritten(written, shared),
                Err(error) if error.kind() == ErrorKind::WouldBlock => self.keep_unwritten(0, shared),
                Err(error) => return self.end(End::Error(error), shared),
            }
        } else {
            self.keep_unwritten(0, shared);
        }
        self.write_backlog(shared);
    }

    #[inline]
    pub(super) fn count_sent(&mut self, shared: &mut Shared) {
        if !shared.reads_freely && shared.awaits_answers() && self.is_stopped(shared) {
            for queued in &shared.queued {
                shared.tally.unread(queued.intended_ns, queued.count.into());
            }
        }
        for queued in shared.queued.drain(..) {
            shared.tally.sent(
                queued.intended_ns,
                shared.now_ns,
                queued.payload_b as usize,
                queued.has_waited,
                u64::from(queued.count),
            );
            if shared.behaviour == Behaviour::Broadcast {
                shared.tally.broadcast(queued.intended_ns, shared.now_ns, queued.count);
            }
        }
        shared.out.clear();
        shared.queued_messages = 0;
    }

    /// Does so much wait for the server that no more may?
    #[inline]
    pub(super) fn is_full(&self, shared: &Shared) -> bool {
        self.backlog.as_ref().is_some_and(|backlog| backlog.bytes.len() - backlog.written > shared.backlog_max_b)
    }

    /// Number of messages that the socket has not fully taken. They are the last ones.
    #[inline]
    pub(super) fn unwritten(&self, shared: &Shared) -> usize {
        shared.queued_messages + self.backlog.as_ref().map_or(0, |backlog| backlog.messages)
    }

    pub(super) fn keep_unwritten(&mut self, written: usize, shared: &mut Shared) {
        let backlog = self.backlog.get_or_insert_default();
        let offset = backlog.bytes.len();
        backlog.bytes.extend_from_slice(&shared.out);
        backlog.written += written;
        backlog.messages += shared.queued_messages;
        shared.queued_messages = 0;
        let (now_ns, late_ns) = (shared.now_ns, shared.load.timing.late_ns);
        backlog.queued.extend(shared.queued.drain(..).map(|queued| {
            // a message already late at the first write is late by this side's fault
            let waits = queued.end > written && now_ns - queued.intended_ns <= late_ns;
            Queued { end: offset + queued.end, has_waited: queued.has_waited || waits, ..queued }
        }));
        shared.out.clear();
        self.count_backlog(shared);
    }

    pub(super) fn write_backlog(&mut self, shared: &mut Shared) {
        while let (Some(backlog), Some(stream)) = (&mut self.backlog, &self.stream) {
            let bytes = &backlog.bytes[backlog.written..];
            let sent = match &mut self.tls {
                Some(tls) => tls.send(bytes, &mut shared.wire, |bytes| socket::send(stream, bytes)),
                None => socket::send(stream, bytes),
            };
            match sent {
                Ok(written) => backlog.written += written,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(error) => return self.end(End::Error(error), shared),
            }
            self.count_backlog(shared);
        }
        self.flush(shared); // a pong for a ping that came meanwhile
    }

    /// This side closes. Messages that are not begun are dropped. All count as unsent, also those begun, which may arrive: one,
    /// over TLS up to 64 KiB of them.
    pub(super) fn cut_backlog(&mut self) {
        let sealed_b = self.tls.as_ref().map_or(0, |tls| tls.sealed_b());
        if let Some(backlog) = &mut self.backlog {
            backlog.bytes.truncate(backlog.cut(backlog.written + sealed_b));
        }
    }

    /// Counts the messages that the socket has fully taken.
    pub(super) fn count_backlog(&mut self, shared: &mut Shared) {
        let is_stopped = !shared.reads_freely && shared.awaits_answers() && self.is_stopped(shared);
        let Some(backlog) = &mut self.backlog else { return };
        while let Some(queued) = backlog.queued.front_mut() {
            let written = queued.written(backlog.written);
            let Queued { intended_ns, payload_b, has_waited, .. } = *queued;
            shared.tally.sent(intended_ns, shared.now_ns, payload_b as usize, has_waited, u64::from(written));
            if shared.behaviour == Behaviour::Broadcast {
                shared.tally.broadcast(intended_ns, shared.now_ns, written);
            }
            if is_stopped {
                shared.tally.unread(intended_ns, written.into());
            }
            for _ in 0..written {
                self.flight.set_actual(self.flight.next_number() - backlog.messages as u64, shared.now_ns);
                backlog.messages -= 1;
            }
            queued.count -= written;
            if queued.count > 0 {
                break;
            }
            backlog.queued.pop_front();
        }
        if backlog.written == backlog.bytes.len() {
            let pong = backlog.pong.take();
            self.backlog = None;
            pong.iter().for_each(|body| shared.add_control(Opcode::Pong, body));
        } else if backlog.written > backlog.bytes.len() / 2 {
            backlog.compact();
        }
    }
}
