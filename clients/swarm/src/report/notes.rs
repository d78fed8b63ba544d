//! Notes on how to read a result. The generator kept up, so they are no warnings.

use super::numbers::{ms, thousands};
use super::summary::{share, Done, Warning};
use crate::dialect::Behaviour;
use crate::tally::counts::Connections;

/// A wait for a turn that a time to return may include.
const TURN_WAIT_US_MAX: u64 = 100_000;
/// Share of the connections that may be missing at the start of the window.
const ABSENT_SHARE_MAX: f64 = 0.05;
/// Share of the answers that may come after the drain.
const MISSING_SHARE_MAX: f64 = 0.01;

/// All notes on a run.
pub fn find(done: &Done) -> Vec<Warning> {
    let notes = [waited_for_turns(done), began_with_few(done), cut_answers(done)];
    notes.into_iter().flatten().collect()
}

fn waited_for_turns(done: &Done) -> Option<Warning> {
    let waited_us = done.tally.connections.return_wait_max_us.filter(|us| *us > TURN_WAIT_US_MAX)?;
    let text = format!(
        "a dropped connection waited up to {} ms for swarm to let it connect: raise --max-connecting (now {}), or times to return include that",
        ms(waited_us as f64),
        done.config.max_connecting
    );
    Some(Warning { rule: "waited-for-turns", text })
}

/// Connections that failed, or were dropped, by the end are no reason: their own counts tell of them.
fn began_with_few(done: &Done) -> Option<Warning> {
    let tally = &done.tally;
    let before = tally.seconds.iter().take(done.config.lead_s() as usize);
    let up: i64 = before.map(|second| second.row.connected).sum();
    let (up, asked) = (u64::try_from(up).unwrap_or(0), u64::from(done.config.connections));
    let Connections { failed_local, failed_remote, dropped_local, dropped_remote, .. } = tally.connections;
    let gone = failed_local + failed_remote + dropped_local + dropped_remote;
    let is_few = done.hold_s > 0.0 && share(asked.saturating_sub(up + gone), asked) > ABSENT_SHARE_MAX;
    let text = format!(
        "the window began with {} of {} connections up: give them more time before it (--settle)",
        thousands(up),
        thousands(asked)
    );
    is_few.then_some(Warning { rule: "began-with-few", text })
}

/// An answer is missing for other reasons, too, where a connection ended before.
fn cut_answers(done: &Done) -> Option<Warning> {
    let window = &done.tally.window;
    let missing = done.missing(window);
    let Connections { dropped_local, dropped_remote, churned, .. } = done.tally.connections;
    let is_whole = !done.was_stopped && dropped_local + dropped_remote + churned == 0;
    let is_cut =
        is_whole && done.config.behaviour != Behaviour::Broadcast && share(missing, window.sent) > MISSING_SHARE_MAX;
    let text = format!(
        "{} answers had not come {} s after the window (--drain): a server that falls behind answers more than these answered/s",
        thousands(missing),
        done.config.drain_s
    );
    is_cut.then_some(Warning { rule: "cut-answers", text })
}

#[cfg(test)]
mod tests {
    use super::super::summary::tests::done;
    use super::*;
    use crate::clock::NS_PER_S;
    use crate::tally::times::Timing;
    use crate::tally::Tally;

    fn rules(tally: Tally) -> Vec<&'static str> {
        find(&done(tally, 0.1, 0.0)).into_iter().map(|note| note.rule).collect()
    }

    /// Of 10 connections, so many are up when the window begins, after 1 s.
    fn with_up(up: u64) -> Tally {
        let timing = Timing { start_ns: 0, window_from_ns: NS_PER_S, end_ns: 2 * NS_PER_S, late_ns: 0 };
        let mut tally = Tally::new(timing);
        tally.fill(2 * NS_PER_S);
        tally.seconds[0].row.connected = up as i64;
        tally.seconds[1].row.connected = 10 - up as i64;
        tally
    }

    #[test]
    fn a_window_that_begins_before_all_are_up_is_noted_unless_they_failed() {
        assert!(rules(with_up(10)).is_empty());
        assert_eq!(rules(with_up(4)), ["began-with-few"]);
        let mut failed = with_up(4);
        failed.connections.failed_remote = 6;
        assert!(rules(failed).is_empty());
    }

    #[test]
    fn a_wait_of_swarm_in_the_times_to_return_is_noted() {
        let mut tally = with_up(10);
        tally.waited_to_return(NS_PER_S / 100);
        assert!(find(&done(tally, 0.1, 0.0)).is_empty());
        let mut tally = with_up(10);
        tally.waited_to_return(NS_PER_S);
        assert_eq!(rules(tally), ["waited-for-turns"]);
    }

    /// Of 1,000 messages so many were answered.
    fn with_answers(received: u64) -> Tally {
        let mut tally = with_up(10);
        (tally.window.sent, tally.window.received) = (1000, received);
        tally
    }

    #[test]
    fn answers_that_the_drain_cut_off_are_noted_unless_connections_ended() {
        assert!(rules(with_answers(1000)).is_empty());
        assert_eq!(rules(with_answers(980)), ["cut-answers"]);
        let mut dropped = with_answers(980);
        dropped.connections.dropped_remote = 1;
        assert!(rules(dropped).is_empty());
    }
}
