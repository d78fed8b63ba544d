//! Which messages suffer which fault, and counts of the faults.

use crate::options::Options;
use serde::Serialize;
use std::num::NonZeroU64;
use tungstenite::Message;

/// What the server did. It prints these at its end.
#[derive(Debug, Default, Serialize)]
pub struct Counts {
    /// Data messages read, whether answered or not.
    pub received: u64,
    /// Messages answered. An answer sent twice counts once.
    pub answered: u64,
    pub dropped: u64,
    pub duplicated: u64,
    pub reordered: u64,
    pub corrupted: u64,
    pub closed: u64,
    /// Stalls carried out. Without --delay, only those in which an event came.
    pub stalls: u64,
}

/// What happens to an answer.
#[derive(Debug, PartialEq, Eq)]
pub enum Fate {
    Sent,
    SentTwice,
    Corrupted,
    /// Held back until the next answer on its connection is sent.
    Held,
}

/// The faults that strike every Nth message, answer or connection.
#[derive(Debug)]
pub struct Faults {
    drop: Option<NonZeroU64>,
    close: Option<NonZeroU64>,
    duplicate: Option<NonZeroU64>,
    reorder: Option<NonZeroU64>,
    corrupt: Option<NonZeroU64>,
}

impl Faults {
    pub fn new(options: &Options) -> Self {
        Self {
            drop: options.drop,
            close: options.close,
            duplicate: options.duplicate,
            reorder: options.reorder,
            corrupt: options.corrupt,
        }
    }

    /// Is this message never answered? Messages are numbered from 1 over all connections.
    pub fn drops(&self, message: u64) -> bool {
        strikes(self.drop, message)
    }

    /// Is this connection closed after its third message? Connections are numbered from 1.
    pub fn closes(&self, connection: u64) -> bool {
        strikes(self.close, connection)
    }

    /// What happens to this answer. Answers are numbered from 1 over all connections.
    pub fn fate(&self, answer: u64) -> Fate {
        if strikes(self.reorder, answer) {
            Fate::Held
        } else if strikes(self.corrupt, answer) {
            Fate::Corrupted
        } else if strikes(self.duplicate, answer) {
            Fate::SentTwice
        } else {
            Fate::Sent
        }
    }
}

fn strikes(every: Option<NonZeroU64>, number: u64) -> bool {
    every.is_some_and(|every| number.is_multiple_of(every.get()))
}

/// Bytes at the start of a payload that are never corrupted. They tell the client which message is answered.
const SPARED_B: usize = 8;

/// Flips the lowest bit of the last byte. Text stays valid UTF-8: an ASCII byte stays ASCII, and a continuation byte
/// stays one (RFC 3629, section 3). None if the message is too short.
pub fn corrupt(message: &Message) -> Option<Message> {
    let mut bytes = message.clone().into_data().to_vec();
    if bytes.len() <= SPARED_B {
        return None;
    }
    *bytes.last_mut()? ^= 1;
    Some(match message {
        Message::Text(_) => Message::Text(String::from_utf8(bytes).ok()?.into()),
        _ => Message::Binary(bytes.into()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_nth_is_struck() {
        let struck: Vec<u64> = (1..=10).filter(|&number| strikes(NonZeroU64::new(3), number)).collect();
        assert_eq!(struck, [3, 6, 9]);
        assert!(!strikes(None, 3));
    }

    #[test]
    fn an_answer_suffers_one_fault_at_most() {
        let every = NonZeroU64::new;
        let faults = Faults { drop: None, close: None, duplicate: every(1), reorder: every(6), corrupt: every(3) };
        assert_eq!(faults.fate(1), Fate::SentTwice);
        assert_eq!(faults.fate(3), Fate::Corrupted);
        assert_eq!(faults.fate(6), Fate::Held);
    }

    #[test]
    fn text_that_is_corrupted_is_text_still_and_begins_as_before() {
        for text in ["123456789", "12345678\u{e9}", "12345678\u{20ac}", "12345678\u{1f600}"] {
            let Some(Message::Text(other)) = corrupt(&Message::text(text)) else {
                panic!("{text} is no text any more")
            };
            assert_ne!(other.as_str(), text);
            assert_eq!(other.as_bytes()[..8], text.as_bytes()[..8]);
        }
    }

    #[test]
    fn a_message_too_short_is_not_corrupted() {
        assert_eq!(corrupt(&Message::text("12345678")), None);
    }
}
