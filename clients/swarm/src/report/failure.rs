//! Decides whether a load failed altogether, so that a script can tell by the exit code.

use super::numbers::thousands;
use super::summary::Done;
use super::{advice, remedy};
use crate::dialect::Behaviour;
use crate::tally::counts::{Connections, Counts};

/// Why a load says nothing about a working server, as `<what, with the value>; <next step>`; `None` if it does.
pub fn find(done: &Done) -> Option<String> {
    if done.tally.connections.opened == 0 {
        return Some(none_opened(done));
    }
    if is_all_lost(done) {
        let (asked, why) = (thousands(u64::from(done.config.connections)), chief_error(done).unwrap_or("no word"));
        return Some(format!("none of {asked} connections stayed open ({why}); {}", help_against_ends(done)));
    }
    let all = done.totals();
    if all.wrong > 0 && all.wrong >= all.received {
        let (why, next) = match chief_error(done) {
            Some(error) => (format!(" ({error})"), help_against_ends(done)),
            None => (String::new(), advice::on_silence(&done.config).into()),
        };
        return Some(format!("all of {} answers were wrong{why}; {next}", thousands(all.wrong)));
    }
    let sends = done.config.behaviour != Behaviour::Idle
        && done.config.messages.as_ref().is_none_or(|own| own.message.is_some())
        && done.config.arrivals.outstanding() == 0;
    if sends && !done.was_stopped && done.tally.window.due == 0 {
        let when = if all.due == 0 { "" } else { " in the window" };
        return Some(format!("no message fell due{when}; raise --rate, or make it longer (--duration)"));
    }
    let Connections { pings, pongs, .. } = done.tally.connections;
    let reads = done.config.client.stop_reading < 1.0;
    if reads && done.config.behaviour == Behaviour::Idle && pings > 0 && pongs == 0 {
        return Some(format!("none of {} pings was answered; see that the server answers pings", thousands(pings)));
    }
    if !done.is_answered() {
        return if reads { nothing_heard(done) } else { None };
    }
    (reads && is_unanswered(done, &all)).then(|| none_answered(done, &all))
}

/// Why a load that only listens heard nothing in its window.
fn nothing_heard(done: &Done) -> Option<String> {
    let is_subscribed = done.config.messages.as_ref().is_some_and(|own| own.subscribe);
    let (early, window) = (done.tally.early.subscribed, done.tally.window.subscribed);
    let has_heard = if done.hold_s > 0.0 { window > 0 } else { early > 0 };
    let outside: Vec<_> = [(early, "before"), (done.tally.subscribed_after, "after")]
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, when)| format!("{} {when} it", thousands(*count)))
        .collect();
    if !is_subscribed || has_heard {
        None
    } else if outside.is_empty() {
        Some("nothing came of what was subscribed to; see that --on-open says what the service wants to hear".into())
    } else {
        let outside = outside.join(", ");
        Some(format!("nothing came in the window of what was subscribed to ({outside}); listen longer (--duration)"))
    }
}

fn none_opened(done: &Done) -> String {
    if done.was_stopped && done.tally.errors.is_empty() {
        return "it was stopped before a connection was up; let it run longer".into();
    }
    let error = chief_error(done).unwrap_or("no time");
    let why = format!("{error}{}", done.tally.refusals.headers_of(error));
    let next = match is_local(done) {
        true => remedy::find(&done.tally).to_string(),
        false => advice::on_opening(&why, &done.config),
    };
    format!("none of {} connections opened ({why}); {next}", thousands(u64::from(done.config.connections)))
}

/// Did no connection stay open? Asked of loads without answers, and if this host lost them. Other loads show it in
/// their answers.
fn is_all_lost(done: &Done) -> bool {
    let connections = &done.tally.connections;
    let is_lost = done.tally.up_now() == 0 && (connections.dropped_local > 0 || done.tally.gone_now() > 0);
    let is_local_loss = done.tally.up_now() == 0 && is_local(done);
    let has_answers = done.config.behaviour != Behaviour::Idle && done.is_answered();
    (!has_answers && is_lost) || is_local_loss
}

/// Were answers expected but none received, in the window (if it began) or in the whole run?
fn is_unanswered(done: &Done, all: &Counts) -> bool {
    let (config, window) = (&done.config, &done.tally.window);
    let has_window = done.hold_s > 0.0;
    let is_asked = window.due > 0 || config.arrivals.outstanding() > 0; // in a closed loop something is always due
    let is_silent = (has_window && is_asked && window.received == 0) || (all.sent > 0 && all.received == 0);
    config.behaviour != Behaviour::Idle && is_silent
}

fn none_answered(done: &Done, all: &Counts) -> String {
    let window = &done.tally.window;
    let (counts, when) = match (window.due, all.received) {
        (0, 0) => (all, ""),
        (0, _) => {
            return format!(
                "nothing was answered in the window ({}); {}",
                why_silent(done, all),
                help_silent(done, all)
            )
        }
        (_, 0) => (window, ""),
        _ => (window, " of the window"),
    };
    let why = match why_silent(done, counts) {
        why if why.is_empty() => why,
        why => format!(" ({why})"),
    };
    format!("none of {} messages{when} was answered{why}; {}", thousands(counts.due), help_silent(done, counts))
}

/// Why nothing was answered; empty if unknown.
fn why_silent(done: &Done, counts: &Counts) -> String {
    let unsent = counts.unsent_remote;
    match chief_error(done) {
        Some(error) => error.to_string(),
        None if unsent > 0 && is_held(done) => {
            format!("{} were held back by --max-outstanding", thousands(unsent))
        }
        None if unsent > 0 => format!("{} were never sent, as the server did not read", thousands(unsent)),
        None if done.totals().unasked > 0 => {
            format!("{} messages came that answer none", thousands(done.totals().unasked))
        }
        None if done.tally.window.due == 0 && counts.received > 0 => "an earlier answer was still out".into(),
        None => String::new(),
    }
}

fn help_silent(done: &Done, counts: &Counts) -> String {
    if chief_error(done).is_some() {
        return help_against_ends(done);
    }
    if counts.unread > 0 {
        return "the slow readers have read none in time: raise --read-rate, or wait longer with --drain".into();
    }
    match counts.unsent_remote {
        unsent if unsent == 0 || is_held(done) => {
            format!("{}, or wait longer with --drain", advice::on_silence(&done.config))
        }
        _ => "see that the server reads, or send less (--size, --outstanding, --rate)".into(),
    }
}

/// Did messages wait for answers, and not for room in the socket?
fn is_held(done: &Done) -> bool {
    done.config.max_outstanding > 0 && done.totals().sent > 0
}

fn help_against_ends(done: &Done) -> String {
    match is_local(done) {
        true => remedy::find(&done.tally).into(),
        false => advice::on_ends(chief_error(done).unwrap_or_default()).into(),
    }
}

/// Did this host lose more connections than the server?
fn is_local(done: &Done) -> bool {
    let connections = &done.tally.connections;
    connections.failed_local + connections.dropped_local > connections.failed_remote + connections.dropped_remote
}

/// The most frequent connection error.
fn chief_error(done: &Done) -> Option<&str> {
    done.tally.errors.iter().max_by_key(|(_, count)| **count).map(|(reason, _)| reason.as_str())
}
