//! A service's own messages: what to send, and how to read what comes.

use super::data::Data;
use super::template::Template;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The service's own messages in a load.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Own {
    /// Template file of the messages; `None`: send nothing
    pub message: Option<PathBuf>,
    /// JSON pointer to the id in an answer, or `ack` for Socket.IO's acknowledgements; `None`: no answers
    pub answer: Option<String>,
    /// Count messages that answer nothing as subscribed
    pub subscribe: bool,
    /// Time of sending in a subscribed message, for its latency
    pub sent_at: Option<SentAt>,
    /// What is sent, and what is awaited, before a connection is up
    pub opening: Vec<Step<PathBuf>>,
}

/// A step of opening a connection. `T`: a message, or its template file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Step<T> {
    Send(T),
    Await(Ready),
}

/// A JSON pointer to a Unix time, and its unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentAt {
    pub pointer: String,
    pub unit: Unit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    S,
    Ms,
    Us,
    Ns,
}

/// A JSON pointer, and the value expected there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ready {
    pub pointer: String,
    pub value: String,
}

impl Unit {
    pub fn name(self) -> &'static str {
        match self {
            Self::S => "s",
            Self::Ms => "ms",
            Self::Us => "us",
            Self::Ns => "ns",
        }
    }
}

/// September 2001. Today's time in a finer unit than the named one lies before it.
const EARLIEST_NS: u64 = 1_000_000_000_000_000_000;

/// Instead of a pointer: Socket.IO's acknowledgement.
pub const ACK: &str = "ack";

/// The same with the template files read.
#[derive(Clone, Debug)]
pub struct Messages {
    pub message: Option<Template>,
    pub opening: Vec<Step<Template>>,
    pub own: Own,
}

fn sent<T>(opening: &[Step<T>]) -> impl Iterator<Item = &T> {
    opening.iter().filter_map(|step| match step {
        Step::Send(first) => Some(first),
        Step::Await(_) => None,
    })
}

impl Messages {
    fn templates(&self) -> impl Iterator<Item = &Template> {
        self.message.iter().chain(sent(&self.opening))
    }

    /// The columns of a file of data that any message has a place for.
    pub fn columns(&self) -> impl Iterator<Item = usize> + '_ {
        self.templates().flat_map(Template::columns)
    }
}

impl Own {
    /// All template files.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.message.iter().chain(sent(&self.opening)).map(PathBuf::as_path)
    }

    /// Errors: a file that can't be used, `<what, with the value>; <next step>`.
    pub fn read(&self, data: &Data) -> Result<Messages, String> {
        let message = self.message.as_deref().map(|file| read_template("message", file, data)).transpose()?;
        let opening = self.opening.iter().map(|step| match step {
            Step::Send(file) => read_template("opening.send", file, data).map(Step::Send),
            Step::Await(ready) => Ok(Step::Await(ready.clone())),
        });
        Ok(Messages { message, opening: opening.collect::<Result<_, String>>()?, own: self.clone() })
    }

    /// All problems, each `<what, with the value>; <next step>`.
    pub fn problems(&self, data: &Data) -> Vec<String> {
        let mut wrong = Vec::new();
        match self.read(data) {
            Err(problem) => wrong.push(problem),
            Ok(Messages { message: Some(message), .. }) if self.answer.is_some() && !message.has_id() => {
                wrong.push(
                    "messages.answer: the message has no {{id}}, by which its answer would be known; write it in"
                        .into(),
                );
            }
            Ok(_) => {}
        }
        let pointers = self.answer.iter().filter(|answer| *answer != ACK);
        let pointers = pointers.map(|pointer| ("answer", pointer));
        let pointers = pointers.chain(self.sent_at.iter().map(|sent_at| ("sent_at", &sent_at.pointer)));
        let awaited = self.opening.iter().filter_map(|step| match step {
            Step::Await(ready) => Some(("opening.await", &ready.pointer)),
            Step::Send(_) => None,
        });
        for (key, pointer) in pointers.chain(awaited) {
            if !pointer.is_empty() && !pointer.starts_with('/') {
                wrong.push(format!("messages.{key} is {pointer:?}; use a JSON pointer (RFC 6901), such as /data/id"));
            }
        }
        if self.message.is_some() && self.answer.is_none() && !self.subscribe {
            wrong.push("messages.answer is missing: nothing would be measured; say where an answer carries the id, or use --subscribe".into());
        }
        if self.answer.is_some() && self.message.is_none() {
            wrong.push("messages.answer: nothing is sent that could be answered; give --message too".into());
        }
        if self.sent_at.is_some() && !self.subscribe {
            wrong.push("messages.sent_at is of what is subscribed to; use --subscribe too".into());
        }
        wrong
    }
}

fn read_template(key: &str, file: &Path, data: &Data) -> Result<Template, String> {
    let wrong = |what: String| format!("messages.{key} {file:?}: {what}");
    let text = crate::input::read(file)
        .map_err(|error| wrong(format!("{error}; give a text file with a message as the service knows it")))?;
    Template::parse(&text, data).map_err(wrong)
}

/// A message from the server, parsed if it is JSON.
pub struct Read(Option<Value>);

impl Read {
    pub fn of(body: &[u8]) -> Self {
        Self(serde_json::from_slice(body).ok())
    }

    /// A whole number, given as a number or as text.
    pub fn number(&self, pointer: &str) -> Option<u64> {
        match self.0.as_ref()?.pointer(pointer)? {
            Value::String(text) => text.parse().ok(),
            value => value.as_u64(),
        }
    }

    /// Unix time in ns. `None` if there is none, or it is so early that it must have another unit.
    pub fn time_ns(&self, sent_at: &SentAt) -> Option<u64> {
        let value = self.0.as_ref()?.pointer(&sent_at.pointer)?;
        let unit_ns = match sent_at.unit {
            Unit::S => 1_000_000_000,
            Unit::Ms => 1_000_000,
            Unit::Us => 1_000,
            Unit::Ns => 1,
        };
        let whole = value.as_u64().or_else(|| value.as_str()?.parse().ok());
        let time_ns = match whole {
            Some(whole) => whole.checked_mul(unit_ns),
            None => value.as_f64().filter(|time| *time >= 0.0).map(|time| (time * unit_ns as f64) as u64),
        };
        time_ns.filter(|time_ns| *time_ns >= EARLIEST_NS)
    }

    pub fn is_ready(&self, ready: &Ready) -> bool {
        match self.0.as_ref().and_then(|value| value.pointer(&ready.pointer)) {
            Some(Value::String(text)) => *text == ready.value,
            Some(value) => {
                let text = value.to_string();
                text == ready.value
            }
            None => false,
        }
    }
}

/// The `{{id}}` of a message, unique in the whole load. It begins above the ids of first messages, which begin at 1: services take 0
/// for no id.
pub fn id_of(number: u64, connection: u32, connections: u32) -> u64 {
    (number + 1) * u64::from(connections) + u64::from(connection) + 1
}

/// The number and the connection of an id; `None` if it is of no message of the load.
pub fn number_of(id: u64, connections: u32) -> Option<(u64, u32)> {
    let (from_0, connections) = (id.checked_sub(1)?, u64::from(connections));
    Some(((from_0 / connections).checked_sub(1)?, (from_0 % connections) as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_a_number_or_a_text_of_one() {
        let read = Read::of(br#"{"a":[{"id":7},"8",-1,null]}"#);
        let found = ["/a/0/id", "/a/1", "/a/2", "/a/3", "/b", ""].map(|pointer| read.number(pointer));
        assert_eq!(found, [Some(7), Some(8), None, None, None, None]);
        assert_eq!(Read::of(b"17").number(""), Some(17), "the whole document");
        assert_eq!(Read::of(b"no JSON").number("/a"), None);
    }

    #[test]
    fn a_time_has_a_unit() {
        let read = Read::of(br#"{"t":1700000000123,"f":1700000000.5}"#);
        let time_ns = |pointer: &str, unit| read.time_ns(&SentAt { pointer: pointer.into(), unit });
        assert_eq!(time_ns("/t", Unit::Ms), Some(1_700_000_000_123_000_000));
        assert_eq!(time_ns("/f", Unit::S), Some(1_700_000_000_500_000_000));
        assert_eq!((time_ns("/t", Unit::S), time_ns("/x", Unit::S)), (None, None), "beyond any time");
        assert_eq!(time_ns("/t", Unit::Us), None, "January 1970: another unit is meant");
    }

    #[test]
    fn readiness_is_a_text_or_any_other_value() {
        let read = Read::of(br#"{"type":"welcome","ok":true,"n":1}"#);
        let is_ready =
            |pointer: &str, value: &str| read.is_ready(&Ready { pointer: pointer.into(), value: value.into() });
        assert!(is_ready("/type", "welcome") && is_ready("/ok", "true") && is_ready("/n", "1"));
        assert!(!is_ready("/type", "bye") && !is_ready("/x", "null"));
    }

    #[test]
    fn what_could_not_be_measured_is_refused() {
        let problem = |own: Own| own.problems(&Data::default()).join(" | ");
        assert!(problem(Own { answer: Some("/id".into()), ..Own::default() }).contains("nothing is sent"));
        assert!(problem(Own { message: Some("/nowhere".into()), ..Own::default() })
            .contains("messages.message \"/nowhere\": "));
        let opening = vec![Step::Await(Ready { pointer: "type".into(), value: "x".into() })];
        assert!(problem(Own { opening, ..Own::default() })
            .contains("messages.opening.await is \"type\"; use a JSON pointer"));
    }

    #[test]
    fn an_id_names_one_message_and_none_is_0_or_that_of_a_first_message() {
        let mut ids: Vec<_> = (0..4).flat_map(|number| (0..3).map(move |at| id_of(number, at, 3))).collect();
        assert!(ids.iter().all(|id| *id > 3));
        assert_eq!(number_of(id_of(2, 1, 3), 3), Some((2, 1)));
        assert_eq!([0, 1, 3].map(|id| number_of(id, 3)), [None; 3]);
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), 12);
    }
}
