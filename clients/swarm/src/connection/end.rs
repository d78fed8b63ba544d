//! Reasons why a connection ends unexpectedly, and how they are counted.

use super::shared::Shared;
use crate::dialect::event::quote;
use crate::message::own::Ready;
use crate::message::payload::MESSAGE_MAX_B;
use crate::websocket::close::{self, Violation};
use crate::websocket::handshake::Refusal;
use std::collections::BTreeMap;
use std::io::{self, ErrorKind};

#[derive(Debug)]
pub(super) enum End {
    /// An error of the operating system
    Error(io::Error),
    /// The server closed with this code and reason of RFC 6455
    Peer(u16, String),
    /// The server closed the session, as the dialect does it
    Dialect(String),
    Violation(Violation),
    /// The proxy refused
    NotProxied(String),
    /// The proxy did not answer in time
    NotProxiedInTime,
    /// TLS failed
    NotSecured(String),
    NotUpgraded(Refusal),
    TimedOut,
    /// The message of a `--ready` has not come in time
    NotReady(Ready),
    Silent,
    /// The server ended a connection that reads nothing; its reason stays unread
    Unread,
}

impl End {
    /// The same, with secrets masked in what the server said, which may repeat what it was sent, and with spaces for what would move the
    /// cursor of a terminal or make a text look like another.
    pub(super) fn without(self, hide_secrets: impl Fn(&str) -> String) -> Self {
        let hide = |text: String| if text.is_empty() { text } else { hide_secrets(&text).replace(is_misleading, " ") };
        match self {
            Self::Peer(code, reason) => Self::Peer(code, hide(reason)),
            Self::Dialect(reason) => Self::Dialect(hide(reason)),
            Self::Violation(Violation { code, reason }) => Self::Violation(Violation { code, reason: hide(reason) }),
            Self::NotProxied(reason) => Self::NotProxied(hide(reason)),
            Self::NotUpgraded(Refusal::Broken(told)) => Self::NotUpgraded(Refusal::Broken(hide(told))),
            Self::NotUpgraded(Refusal::Status { code, reason, location, retry_after }) => {
                let (location, retry_after) = (location.map(hide), retry_after.map(hide));
                Self::NotUpgraded(Refusal::Status { code, reason: hide(reason), location, retry_after })
            }
            other => other,
        }
    }

    /// The same, without a reason if the server gave several others for this code: they may differ for each connection, and would hide what
    /// is common.
    pub(super) fn with_few_reasons(self, told: &BTreeMap<String, u64>) -> Self {
        let code = match &self {
            Self::Peer(code, reason) if !reason.is_empty() && !told.contains_key(&describe(&self).0) => *code,
            _ => return self,
        };
        let start = format!("{CLOSED}{code} ");
        let of_code = told.range(start.clone()..).take_while(|(words, _)| words.starts_with(&start));
        if of_code.count() < REASONS_MAX {
            return self;
        }
        Self::Peer(code, "other reasons".into())
    }
}

/// A control character, an end of a line, or one that turns the direction of writing (Unicode Standard Annex 9, section 2).
fn is_misleading(char: char) -> bool {
    char.is_control()
        || matches!(char, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

const CLOSED: &str = "the server closed the connection (";
/// Most reasons counted separately of one close code.
const REASONS_MAX: usize = 3;

/// Is this an error of the client's host (clients/CONTRACT.md)? All others are the server's or the network's.
pub(super) fn is_local(error: &io::Error) -> bool {
    use rustix::io::Errno;
    let local = [Errno::MFILE, Errno::NFILE, Errno::ADDRNOTAVAIL, Errno::NOBUFS, Errno::NOMEM];
    error.raw_os_error().is_some_and(|code| local.iter().any(|errno| errno.raw_os_error() == code))
}

/// Did the server say that it closes? Then it should end TCP next.
pub(super) fn is_said(end: &End) -> bool {
    matches!(end, End::Peer(code, _) if *code != close::ABNORMAL) || matches!(end, End::Dialect(_))
}

/// The code to close with: the server's own, or that of its violation (RFC 6455, section 5.5.1). None: TCP ends alone.
pub(super) fn last_code(end: &End) -> Option<u16> {
    match end {
        End::Violation(violation) => Some(violation.code),
        End::Peer(code, _) => (*code != close::ABNORMAL).then_some(*code),
        End::Dialect(_) | End::NotReady(_) => Some(close::NORMAL),
        _ => None,
    }
}

/// The system's error, with name and value of a limit that was hit. report/remedy.rs has the advice.
fn explain(error: &io::Error) -> String {
    use rustix::io::Errno;
    let is = |errno: Errno| error.raw_os_error() == Some(errno.raw_os_error());
    if is(Errno::ADDRNOTAVAIL) {
        let range = std::fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range").unwrap_or_default();
        let range = range.split_whitespace().collect::<Vec<_>>().join(" to ");
        return format!("{error}: no local port is free (net.ipv4.ip_local_port_range is {range}), or this host lacks an address of --local");
    }
    if is(Errno::MFILE) {
        let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
        let limit = limit.map_or("unlimited".into(), |limit| limit.to_string());
        return format!("{error}: the limit of open files of a process (ulimit -n) is {limit}");
    }
    error.to_string()
}

/// The reason in words, and whether this host caused it.
pub(super) fn describe(end: &End) -> (String, bool) {
    match end {
        End::Error(error) => (explain(error), is_local(error)),
        End::Peer(close::ABNORMAL, _) => ("the server ended the connection without a close frame (1006)".into(), false),
        End::Peer(code, reason) if reason.is_empty() => (format!("{CLOSED}{code})"), false),
        End::Peer(code, reason) => (format!("{CLOSED}{code} {})", quote(reason)), false),
        End::Dialect(reason) => (format!("the server closed the session: {reason}"), false),
        End::Violation(Violation { code: close::TOO_BIG, reason }) => {
            (format!("swarm takes no message of more than {MESSAGE_MAX_B} B: {reason}"), false)
        }
        End::Violation(violation) => (format!("the server broke the protocol: {}", violation.reason), false),
        End::NotProxied(reason) => (format!("the proxy refused: {reason}"), false),
        End::NotProxiedInTime => ("the proxy: no answer to CONNECT in time".into(), false),
        End::NotSecured(reason) => (format!("TLS: {reason}"), false),
        End::NotUpgraded(reason) => (format!("not upgraded: {reason}"), false),
        End::TimedOut => ("no handshake in time".into(), false),
        End::NotReady(Ready { pointer, value }) => (format!("no message came with {pointer}={value}"), false),
        End::Silent => ("no heartbeat in time".into(), false),
        End::Unread => ("the server ended a connection that does not read".into(), false),
    }
}

pub(super) fn count_drop(end: &End, shared: &mut Shared) {
    match end {
        End::Peer(code, _) => *shared.tally.closed_by_peer.entry(*code).or_default() += 1,
        End::Error(error) if !is_local(error) => *shared.tally.closed_by_peer.entry(close::ABNORMAL).or_default() += 1,
        End::Silent => shared.tally.connections.silent += 1,
        _ => {}
    }
}

pub(super) fn count_refusal(end: &End, shared: &mut Shared) {
    if let End::NotUpgraded(Refusal::Status { code, location, retry_after, .. }) = end {
        shared.tally.refusals.count(*code, location.as_deref(), retry_after.as_deref());
    }
}

pub(super) fn count_failure(end: &End, shared: &mut Shared) {
    match end {
        End::Error(error) if error.kind() == ErrorKind::ConnectionRefused => shared.tally.connections.refused += 1,
        End::TimedOut | End::NotProxiedInTime | End::NotReady(_) => shared.tally.connections.timed_out += 1,
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_server_says_neither_moves_the_cursor_nor_turns_the_text() {
        let end = End::Dialect("a\u{1b}[2J\u{202e}b\u{2066}c\u{2028}é".into()).without(str::to_string);
        assert_eq!(describe(&end).0, "the server closed the session: a [2J b c é");
    }

    #[test]
    fn a_code_with_many_reasons_is_told_with_the_first_three() {
        let mut told = BTreeMap::new();
        for at in 0..6 {
            let end = End::Peer(1008, format!("session {at}")).with_few_reasons(&told);
            *told.entry(describe(&end).0).or_default() += 1;
        }
        assert_eq!(told.len(), 4, "{told:?}");
        assert_eq!(told["the server closed the connection (1008 other reasons)"], 3);
        let plain = End::Peer(1008, String::new()).with_few_reasons(&told);
        assert_eq!(describe(&plain).0, "the server closed the connection (1008)");
    }
}
