//! Which message suffers what, and how often it came to pass.

use crate::options::Options;
use serde::Serialize;
use std::num::NonZeroU64;
use tungstenite::Message;

/// What the server did; printed at its end.
#[derive(Debug, Default, Serialize)]
pub struct Counts {
    /// Messages of data that were read, whatever became of them.
    pub received: u64,
    /// Messages that were answered; an answer that was sent twice counts once.
    pub answered: u64,
    pub dropped: u64,
    pub duplicated: u64,
    pub reordered: u64,
    pub corrupted: u64,
    pub closed: u64,
    /// Stalls that something waited for.
    pub stalls: u64,
}

/// What is to become of an answer.
#[derive(Debug, PartialEq, Eq)]
pub enum Fate {
    Sent,
    SentTwice,
    Corrupted,
    /// Kept until the next one of its connection is sent.
    Held,
}

/// The faults that are counted, each by every Nth.
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

    /// Is the message of this number, from 1 and over all connections, never answered?
    pub fn drops(&self, message: u64) -> bool {
        strikes(self.drop, message)
    }

    /// Is the connection of this number, from 1, closed after its third message?
    pub fn closes(&self, connection: u64) -> bool {
        strikes(self.close, connection)
    }

    /// What becomes of the answer of this number, from 1 and over all connections.
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

/// Bytes at the beginning of a payload that are left alone: by them the client knows which message is answered.
const SPARED_B: usize = 8;

/// The same message but for the lowest bit of its last byte, with which text stays valid UTF-8: the last byte of a character
/// stays what it was, a character of its own or a continuation (RFC 3629, section 3). None when it is too short.
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
