//! Heartbeats, and every way in which a connection ends.

use super::end::{count_drop, count_failure, count_refusal, describe, is_said, last_code, End};
use super::shared::Shared;
use super::socket;
use super::{Connection, State, CLOSE_NS, NEVER};
use crate::clock::ns_of_s;
use crate::dialect::{Behaviour, Session};
use crate::tally::Up;
use crate::websocket::close;
use crate::websocket::frame::Opcode;
use std::time::Duration;

impl Connection {
    pub(super) fn next_watch_ns(&self) -> u64 {
        let after = |from_ns: u64, us: u64| if us == 0 { NEVER } else { from_ns + us * 1_000 };
        let heartbeat_ns =
            after(self.pinged_ns, self.session.ping_every_us).min(after(self.heard_ns, self.session.silence_max_us));
        heartbeat_ns.min(self.next_ping_ns()).min(self.resume_ns())
    }

    /// The time to look has come.
    pub fn watch(&mut self, shared: &mut Shared) {
        let now_ns = shared.now_ns;
        match self.state {
            State::Connecting => return self.call_beside(shared),
            State::Queued if !self.has_rivals() => return self.watch_ns = NEVER,
            State::Queued => return self.end(End::TimedOut, shared),
            state if state.is_handshake() => return self.end(End::TimedOut, shared),
            State::Retiring => return self.close(shared),
            State::Closing => return self.vanish(shared),
            State::Parting => return self.be_gone(shared),
            State::Gone => return self.try_again(),
            State::Open => {}
            _ => return self.watch_ns = NEVER,
        }
        let Session { ping_every_us, silence_max_us, .. } = self.session;
        if silence_max_us > 0 && now_ns >= self.heard_ns + silence_max_us * 1_000 {
            return self.end(End::Silent, shared);
        }
        if ping_every_us > 0 && now_ns >= self.pinged_ns + ping_every_us * 1_000 {
            self.pinged_ns = now_ns;
            if let Some(ping) = shared.dialect.ping() {
                shared.add(&ping);
                self.flush(shared);
            }
        }
        self.ping_where_due(shared);
        if self.state != State::Open {
            return;
        }
        self.resume(now_ns);
        self.watch_ns = self.next_watch_ns();
    }

    /// Stops sending; it will close when its answers are there, or when the time to wait for them is over. Its schedule
    /// begins anew with the next connection.
    pub fn retire(&mut self, shared: &mut Shared) {
        self.end_schedule(shared.now_ns, shared);
        self.state = State::Retiring;
        self.is_churned = true;
        self.is_held = false;
        self.watch_ns = shared.now_ns + ns_of_s(shared.load.config.drain_s).max(CLOSE_NS);
        shared.tally.churned(shared.now_ns);
        self.log_up(shared);
    }

    /// Retired, with nothing out any more?
    pub fn is_retired(&self) -> bool {
        self.state == State::Retiring && self.flight.is_empty()
    }

    /// Closed by this side, to be opened again?
    pub fn is_churned(&self) -> bool {
        self.is_churned
    }

    /// Closes as the protocol wants it; whatever comes from here on is not counted.
    pub fn close(&mut self, shared: &mut Shared) {
        if self.state == State::Open {
            self.log_up(shared);
        }
        self.lose_answers(shared);
        self.state = State::Closing;
        self.next_ns = NEVER;
        self.watch_ns = shared.now_ns + CLOSE_NS;
        if shared.load.config.client.abort {
            return self.reset(shared);
        }
        if let Some(farewell) = shared.dialect.farewell() {
            shared.add(&farewell);
        }
        if !shared.is_framed {
            return self.vanish(shared);
        }
        shared.add_control(Opcode::Close, &shared.load.config.client.close_code.to_be_bytes());
        self.flush(shared);
    }

    /// The end of the drain: what is not up now never will be.
    pub fn give_up(&mut self, shared: &mut Shared) {
        if self.state.is_handshake() || self.state == State::Queued {
            if !self.is_away() {
                self.blame(false, shared);
                shared.tally.failed(shared.now_ns, false, "not connected by the end");
            }
            self.vanish(shared);
        } else if self.state == State::Gone {
            self.watch_ns = NEVER;
        } else if self.state == State::Parting {
            self.stay_away();
        }
    }

    /// The server has ended TCP after all was said, or its time for it is over.
    fn be_gone(&mut self, shared: &mut Shared) {
        self.vanish(shared);
        self.plan_return(shared);
    }

    /// Nothing more is said; the server's end of TCP is waited for, but not for long.
    fn part(&mut self, shared: &mut Shared) {
        self.drop_session(shared);
        self.state = State::Parting;
        self.watch_ns = shared.now_ns + CLOSE_NS;
    }

    /// Ends TCP in the middle of whatever goes on.
    fn reset(&mut self, shared: &mut Shared) {
        if let Some(stream) = &self.stream {
            let _ = stream.set_linger(Some(Duration::ZERO)); // a socket of this host has no reset, and ends all the same
        }
        self.tls = None; // it says nothing
        self.vanish(shared);
    }

    pub(super) fn vanish(&mut self, shared: &mut Shared) {
        self.drop_session(shared);
        self.end_tls(shared);
        (self.stream, self.race) = (None, None);
        self.state = State::Gone;
        self.watch_ns = NEVER;
    }

    fn drop_session(&mut self, shared: &mut Shared) {
        shared.forget(); // or it would go out on the next connection
        self.lose_answers(shared);
        self.input = None;
        self.fragments = None;
        self.backlog = None;
        (self.slowness, self.pings) = (None, None);
        self.key = None;
        self.deflate = None;
        self.is_held = false;
    }

    /// What is still out is missing; what never left was not sent.
    pub(super) fn lose_answers(&mut self, shared: &mut Shared) {
        if let Some(backlog) = &mut self.backlog {
            for queued in backlog.queued.drain(..) {
                (0..queued.count).for_each(|_| shared.tally.unsent(queued.intended_ns, true));
            }
        }
        if shared.behaviour == Behaviour::Broadcast {
            return; // none is out, and who receives tells by the numbers what came twice: they go on
        }
        self.earlier += self.flight.next_number();
        let out = self.flight.drain().count();
        shared.in_flight -= out;
    }

    pub(super) fn log_up(&mut self, shared: &mut Shared) {
        if shared.behaviour == Behaviour::Broadcast {
            shared.tally.ups.push(Up { from_ns: self.up_ns, to_ns: shared.now_ns });
        }
    }

    /// It ends before its time, and the reason is counted. Messages go on falling due.
    pub(super) fn end(&mut self, end: End, shared: &mut Shared) {
        let was = self.state;
        match was {
            State::Closing if is_said(&end) => return self.part(shared),
            State::Closing | State::Gone => return self.vanish(shared),
            State::Parting => return self.be_gone(shared),
            _ => {}
        }
        if let (true, Some(code)) = (shared.is_framed, last_code(&end)) {
            shared.forget();
            let body = code.to_be_bytes();
            shared.add_control(Opcode::Close, if code == close::NO_CODE { &[] } else { &body });
            self.say_last(shared);
        }
        let (mut reason, is_local) = describe(&end);
        if matches!(was, State::Connecting | State::Queued) {
            let address = self.server_address(shared);
            if !matches!(end, End::TimedOut) && self.try_next_address(&reason, shared) {
                return;
            }
            reason = self.name_addresses(reason, address, shared);
        }
        if was.is_up() {
            count_drop(&end, shared);
            if was == State::Open {
                self.log_up(shared);
                shared.tally.dropped(shared.now_ns, is_local, &reason);
                if !is_local {
                    self.lose(shared);
                }
            }
        } else if self.is_away() {
            count_refusal(&end, shared);
            shared.tally.reconnect_failed(shared.now_ns, is_local, &reason);
        } else {
            count_refusal(&end, shared);
            count_failure(&end, shared);
            self.blame(is_local, shared);
            shared.tally.failed(shared.now_ns, is_local, &reason);
        }
        self.is_lost_remotely = !is_local;
        if is_said(&end) {
            self.part(shared);
        } else {
            self.be_gone(shared);
        }
    }

    /// What fell due in a handshake that failed is the server's doing, unless this host made it fail.
    fn blame(&mut self, is_local: bool, shared: &mut Shared) {
        let waited = std::mem::take(&mut self.due_in_handshake);
        if !is_local {
            shared.tally.blame_server(waited);
        }
    }

    /// One attempt to write a close frame: who is gone will not read it.
    pub(super) fn say_last(&mut self, shared: &mut Shared) {
        if let (Some(stream), None) = (&self.stream, &self.backlog) {
            let _ = match &mut self.tls {
                Some(tls) => tls.send(&shared.out, &mut shared.wire, |bytes| socket::send(stream, bytes)),
                None => socket::send(stream, &shared.out),
            };
        }
        shared.forget();
    }

    /// Makes a connection that is gone ready to be opened again.
    pub fn reopen(&mut self, shared: &Shared) {
        self.due_ns = shared.now_ns;
        (self.is_lost_remotely, self.is_churned) = (false, false);
        self.renew();
        self.begin_schedule(shared);
    }

    /// Forgets what was of the session that is over.
    pub(super) fn renew(&mut self) {
        self.count = 0;
        (self.input, self.fragments, self.backlog) = (None, None, None);
    }
}
