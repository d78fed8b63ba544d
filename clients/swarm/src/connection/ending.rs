//! Heartbeats, and all ways to end a connection.

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
        if self.state == State::Retiring {
            return self.retired_by_ns.min(self.resume_ns());
        }
        let after = |from_ns: u64, us: u64| if us == 0 { NEVER } else { from_ns + us * 1_000 };
        let heartbeat_ns =
            after(self.pinged_ns, self.session.ping_every_us).min(after(self.heard_ns, self.session.silence_max_us));
        heartbeat_ns.min(self.next_ping_ns()).min(self.resume_ns())
    }

    /// Handles the timer for handshake, heartbeat, closing and return.
    pub fn watch(&mut self, shared: &mut Shared) {
        let now_ns = shared.now_ns;
        match self.state {
            State::Connecting => return self.call_beside(shared),
            State::Queued if !self.has_rivals() => return self.watch_ns = NEVER,
            State::Queued => return self.end(End::TimedOut, shared),
            State::Joining => return self.end(self.never_ready(shared), shared),
            state if state.is_handshake() => return self.end(End::TimedOut, shared),
            State::Retiring if now_ns >= self.retired_by_ns => return self.close(shared),
            State::Retiring => return self.go_on_reading(now_ns),
            State::Closing => return self.vanish(shared),
            State::Parting => return self.be_gone(shared),
            State::Gone => return self.try_again(),
            State::Open => {}
            _ => return self.watch_ns = NEVER,
        }
        let Session { ping_every_us, silence_max_us, .. } = self.session;
        if silence_max_us > 0 && now_ns >= self.heard_ns + silence_max_us * 1_000 {
            if !self.is_stopped(shared) {
                return self.end(End::Silent, shared);
            }
            self.heard_ns = now_ns; // who does not read hears nothing
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
        self.go_on_reading(now_ns);
    }

    /// The end of a connection that waited for the message of a `--ready`.
    fn never_ready(&self, shared: &Shared) -> End {
        self.awaited(shared).cloned().map_or(End::TimedOut, End::NotReady)
    }

    fn go_on_reading(&mut self, now_ns: u64) {
        self.resume(now_ns);
        self.watch_ns = self.next_watch_ns();
    }

    /// Stops sending. Closes when all answers have come or their wait is over. The schedule goes on: what falls due before the next
    /// connection is up counts as unsent.
    pub fn retire(&mut self, shared: &mut Shared) {
        self.give_up_held(shared.now_ns, shared);
        self.state = State::Retiring;
        self.is_churned = true;
        self.retired_by_ns = shared.now_ns + ns_of_s(shared.load.config.drain_s).max(CLOSE_NS);
        self.watch_ns = self.next_watch_ns();
        shared.tally.churned(shared.now_ns);
        self.log_up(shared);
        if shared.load.config.client.stops(self.index) {
            self.close(shared); // it would wait in vain
        }
    }

    /// Is it retired, with no answer outstanding?
    pub fn is_retired(&self) -> bool {
        self.state == State::Retiring && self.flight.is_empty()
    }

    /// Did this side close it, to reopen it?
    pub fn is_churned(&self) -> bool {
        self.is_churned
    }

    /// Closes as the protocol demands. What comes from now on is not counted.
    pub fn close(&mut self, shared: &mut Shared) {
        if self.state == State::Open {
            self.log_up(shared);
        }
        self.leave_unread(shared);
        self.cut_backlog();
        self.lose_answers(shared);
        self.pings = None; // pongs that a stopped reader left unread come now
        self.state = State::Closing;
        if !self.is_churned {
            self.next_ns = NEVER;
        }
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

    /// The drain is over: gives up connections that are not up.
    pub fn give_up(&mut self, shared: &mut Shared) {
        if self.state.is_handshake() || self.state == State::Queued {
            if !self.is_away() {
                let why = match self.state {
                    State::Joining => describe(&self.never_ready(shared)).0,
                    _ => "not connected by the end".into(),
                };
                shared.tally.failed(shared.now_ns, false, &why);
                shared.tally.connections.not_reopened += u64::from(self.is_reopening);
            }
            self.vanish(shared);
        } else if self.state == State::Gone {
            self.watch_ns = NEVER;
        } else if self.state == State::Parting {
            self.stay_away();
        }
    }

    /// The server has ended TCP, its time to do so is over, or it is time to connect again.
    fn be_gone(&mut self, shared: &mut Shared) {
        self.vanish(shared);
        self.watch_ns = self.back.due_ns;
    }

    /// Waits up to `CLOSE_NS` for the server to end TCP, but not beyond the time to connect again. Sends nothing more.
    fn part(&mut self, shared: &mut Shared) {
        self.drop_session(shared);
        self.state = State::Parting;
        self.watch_ns = self.back.due_ns.min(shared.now_ns + CLOSE_NS);
    }

    /// Resets TCP.
    fn reset(&mut self, shared: &mut Shared) {
        if let Some(stream) = &self.stream {
            let _ = stream.set_linger(Some(Duration::ZERO)); // no effect on a Unix socket, which just closes
        }
        self.tls = None; // so that no close_notify is sent
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
        shared.forget(); // or it would be sent on the next connection
        self.lose_answers(shared);
        self.input = None;
        self.fragments = None;
        self.backlog = None;
        (self.slowness, self.pings) = (None, None);
        self.key = None;
        self.deflate = None;
        self.is_held = false;
    }

    /// Gives up outstanding answers, which count as missing, and queued messages, which count as unsent.
    pub(super) fn lose_answers(&mut self, shared: &mut Shared) {
        if let Some(backlog) = &mut self.backlog {
            for queued in backlog.queued.drain(..) {
                (0..queued.count).for_each(|_| shared.tally.unsent(queued.intended_ns, true));
            }
        }
        if shared.behaviour == Behaviour::Broadcast {
            return; // none is outstanding, and receivers detect duplicates by the numbers, which must go on
        }
        self.earlier += self.flight.next_number();
        let out = self.flight.drain().count();
        shared.in_flight -= out;
    }

    pub(super) fn log_up(&mut self, shared: &mut Shared) {
        let reads = !shared.load.config.client.stops(self.index);
        if shared.behaviour == Behaviour::Broadcast && reads {
            shared.tally.ups.push(Up { from_ns: self.up_ns, to_ns: shared.now_ns });
        }
    }

    /// The connection ends unexpectedly. Counts the reason. Messages continue to fall due.
    pub(super) fn end(&mut self, end: End, shared: &mut Shared) {
        let load = shared.load;
        let end = self.blame_proxy(end).without(|text| load.hide_secrets(text, self.index));
        let mut end = end.with_few_reasons(&shared.tally.errors);
        let was = self.state;
        if was == State::Securing && matches!(end, End::Peer(..)) {
            end = End::NotSecured("the server ended the connection in the handshake".into());
        }
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
        let (mut reason, mut is_local) = describe(&end);
        if matches!(was, State::Connecting | State::Queued) {
            let address = self.server_address(shared);
            if !matches!(end, End::TimedOut) && self.try_next_address(&reason, shared) {
                if let (false, Some(race)) = (is_local, &mut self.race) {
                    race.remote.get_or_insert(end);
                }
                return;
            }
            // a host without IPv6 can't call that address; what another of them answered is the server's word
            if let (true, Some(remote)) = (is_local, self.race.as_mut().and_then(|race| race.remote.take())) {
                (end, is_local) = (remote, false);
            }
            reason = self.name_addresses(reason, address, shared);
            if shared.load.config.request.proxy.is_some() && !is_local {
                reason = format!("the proxy: {reason}");
            }
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
            if is_local {
                shared.tally.blame_this_host(std::mem::take(&mut self.due_in_handshake));
            }
            shared.tally.failed(shared.now_ns, is_local, &reason);
            if self.is_reopening && !is_local {
                shared.tally.connections.not_reopened += 1;
                self.lose(shared);
            }
        }
        self.is_lost_remotely = !is_local;
        self.plan_return(shared);
        if is_said(&end) {
            self.part(shared);
        } else {
            self.be_gone(shared);
        }
    }

    /// Tries once to write the close frame. A peer that is gone won't read it.
    pub(super) fn say_last(&mut self, shared: &mut Shared) {
        if let (Some(stream), None) = (&self.stream, &self.backlog) {
            let _ = match &mut self.tls {
                Some(tls) => tls.send(&shared.out, &mut shared.wire, |bytes| socket::send(stream, bytes)),
                None => socket::send(stream, &shared.out),
            };
        }
        shared.forget();
    }

    /// Prepares a churned connection to be reopened.
    pub fn reopen(&mut self, shared: &Shared) {
        self.due_ns = shared.now_ns;
        (self.is_lost_remotely, self.is_churned, self.is_reopening) = (false, false, true);
        self.renew();
        self.state = State::Queued;
    }

    /// Clears the state of the last session.
    pub(super) fn renew(&mut self) {
        (self.count, self.seen) = (0, 0);
        (self.input, self.fragments, self.backlog) = (None, None, None);
    }
}
