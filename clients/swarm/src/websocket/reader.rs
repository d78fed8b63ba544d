//! Turns bytes into messages: joins fragments, and returns control frames separately (RFC 6455, sections 5.4 and 5.5).

use super::close::{self, Violation, NOT_UTF8, PROTOCOL_ERROR, TOO_BIG};
use super::frame::{self, Head, Opcode};
use crate::dialect::Type;

/// A complete message or control frame from the server.
#[derive(Debug, PartialEq, Eq)]
pub enum Event<'a> {
    /// Text is not checked yet (`check_text`): an exact echo needs no check
    Message {
        kind: Type,
        body: &'a [u8],
        is_compressed: bool,
    },
    Ping(&'a [u8]),
    Pong(&'a [u8]),
    /// The code, `close::NO_CODE` if there is none, and the reason
    Close(u16, &'a str),
}

/// The frames so far of a fragmented message.
#[derive(Debug, Default)]
pub struct Fragments {
    kind: Option<Type>,
    is_compressed: bool,
    body: Vec<u8>,
    /// `body` is the message of the last event, which the caller may still read. The next frame clears it
    is_given: bool,
}

/// Reads the next event from the front of `bytes`; `None` if more bytes are needed.
/// `fragments`: the connection's, created at its first fragmented message; `max_b`: maximum length of a message;
/// `deflates`: compression was agreed on.
/// Returns how many bytes were consumed, and the event. Consumes frames that complete no message, too.
#[inline]
pub fn next<'a>(
    bytes: &'a [u8],
    fragments: &'a mut Option<Box<Fragments>>,
    max_b: usize,
    deflates: bool,
) -> Result<(usize, Option<Event<'a>>), Violation> {
    let mut at = 0;
    loop {
        let Some(head) = frame::read_head(&bytes[at..], max_b, deflates)? else { return Ok((at, None)) };
        let body_at = at + head.head_b;
        let Some(body) = bytes.get(body_at..body_at + head.body_b) else { return Ok((at, None)) };
        at = body_at + head.body_b;
        if let Some(event) = read_control(head, body)? {
            return Ok((at, Some(event)));
        }
        let is_whole = head.is_final && head.opcode != Opcode::Continuation;
        if is_whole && fragments.as_ref().is_none_or(|fragments| fragments.is_idle()) {
            let kind = type_of(head.opcode);
            return Ok((at, Some(Event::Message { kind, body, is_compressed: head.is_compressed })));
        }
        let collected = fragments.get_or_insert_default();
        if collected.add(head, body, max_b)? {
            break;
        }
    }
    let collected = fragments.as_mut().expect("just filled");
    let kind = collected.kind.take().expect("a message that ended has begun");
    collected.is_given = true;
    Ok((at, Some(Event::Message { kind, body: &collected.body, is_compressed: collected.is_compressed })))
}

/// Length of the frame at the front, as far as known. Reading again is pointless with fewer bytes.
pub fn wanted_b(bytes: &[u8], max_b: usize) -> usize {
    match frame::read_head(bytes, max_b, true) {
        Ok(Some(head)) => head.head_b + head.body_b,
        _ => bytes.len() + 1,
    }
}

impl Fragments {
    fn is_idle(&self) -> bool {
        self.kind.is_none()
    }

    /// Adds a data frame. Returns whether it completes the message.
    fn add(&mut self, head: Head, body: &[u8], max_b: usize) -> Result<bool, Violation> {
        if self.is_given {
            self.body = Vec::new();
            self.is_given = false;
        }
        match (head.opcode, self.kind) {
            (Opcode::Continuation, None) => return refuse("a continuation of nothing"),
            (Opcode::Continuation, Some(_)) => {}
            (_, Some(_)) => return refuse("a message began within another"),
            (opcode, None) => {
                self.kind = Some(type_of(opcode));
                self.is_compressed = head.is_compressed;
            }
        }
        if self.body.len() + body.len() > max_b {
            let reason = format!("a message of more than the {max_b} bytes allowed");
            return Err(Violation::new(TOO_BIG, reason));
        }
        self.body.extend_from_slice(body);
        Ok(head.is_final)
    }
}

fn read_control(head: Head, body: &[u8]) -> Result<Option<Event<'_>>, Violation> {
    Ok(match head.opcode {
        Opcode::Ping => Some(Event::Ping(body)),
        Opcode::Pong => Some(Event::Pong(body)),
        Opcode::Close => {
            let (code, reason) = close::read(body)?;
            Some(Event::Close(code, reason))
        }
        _ => None,
    })
}

fn type_of(opcode: Opcode) -> Type {
    if opcode == Opcode::Text {
        Type::Text
    } else {
        Type::Binary
    }
}

/// Text must be UTF-8 (section 8.1).
#[inline]
pub fn check_text(kind: Type, body: &[u8]) -> Result<(), Violation> {
    if kind == Type::Text && std::str::from_utf8(body).is_err() {
        return Err(Violation::new(NOT_UTF8, "text that is not UTF-8"));
    }
    Ok(())
}

fn refuse<T>(reason: &str) -> Result<T, Violation> {
    Err(Violation::new(PROTOCOL_ERROR, reason))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAX_B: usize = 1 << 16;

    /// All events in some bytes, as text.
    fn events(bytes: &[u8]) -> Result<Vec<String>, u16> {
        let (mut fragments, mut at, mut told) = (None, 0, Vec::new());
        loop {
            let (taken, event) =
                next(&bytes[at..], &mut fragments, MAX_B, false).map_err(|violation| violation.code)?;
            at += taken;
            if let Some(Event::Message { kind, body, .. }) = event {
                check_text(kind, body).map_err(|violation| violation.code)?;
            }
            match event {
                Some(event) => told.push(tell(&event)),
                None => return Ok(told),
            }
        }
    }

    fn tell(event: &Event) -> String {
        match event {
            Event::Message { kind, body, .. } => format!("{kind:?} {}", String::from_utf8_lossy(body)),
            Event::Ping(body) => format!("ping {}", String::from_utf8_lossy(body)),
            Event::Pong(body) => format!("pong {}", String::from_utf8_lossy(body)).trim_end().into(),
            Event::Close(code, reason) => format!("close {code} {reason}").trim_end().into(),
        }
    }

    #[test]
    fn several_messages_come_in_one_read() {
        assert_eq!(events(b"\x81\x02ab\x82\x01c\x8a\x00").unwrap(), ["Text ab", "Binary c", "pong"]);
    }

    #[test]
    fn fragments_make_one_message_with_control_frames_between_them() {
        let bytes = b"\x01\x01a\x89\x01p\x00\x01b\x80\x01c\x81\x01d";
        assert_eq!(events(bytes).unwrap(), ["ping p", "Text abc", "Text d"]);
    }

    #[test]
    fn a_character_may_be_cut_by_a_fragment() {
        assert_eq!(events(b"\x01\x01\xc3\x80\x01\xa4").unwrap(), ["Text \u{e4}"]);
    }

    #[test]
    fn two_fragmented_messages_do_not_mix() {
        assert_eq!(events(b"\x01\x01a\x80\x00\x02\x01b\x80\x01c").unwrap(), ["Text a", "Binary bc"]);
    }

    #[test]
    fn a_message_that_is_not_all_there_is_none() {
        let whole = b"\x81\x03abc";
        for end in 0..whole.len() {
            assert!(events(&whole[..end]).unwrap().is_empty());
        }
    }

    #[test]
    fn messages_that_the_rfc_forbids_are_refused() {
        assert_eq!(events(b"\x80\x01a"), Err(PROTOCOL_ERROR), "a continuation of nothing");
        assert_eq!(events(b"\x01\x01a\x81\x01b"), Err(PROTOCOL_ERROR), "a message within another");
        assert_eq!(events(b"\x81\x01\xff"), Err(NOT_UTF8), "text that is not UTF-8");
        assert_eq!(events(b"\x01\x01\xff\x80\x00"), Err(NOT_UTF8), "fragmented text that is not UTF-8");
    }

    #[test]
    fn fragments_over_the_limit_are_too_big() {
        let mut bytes = vec![0x02, 126, 0xff, 0xff];
        bytes.extend(vec![0; 0xffff]);
        bytes.extend([0x80, 2, 0, 0]);
        assert_eq!(events(&bytes), Err(TOO_BIG));
    }

    #[test]
    fn the_bytes_wanted_are_those_of_the_frame_at_the_front() {
        assert_eq!(wanted_b(b"\x81", MAX_B), 2);
        assert_eq!(wanted_b(b"\x81\x7e\x01\x00", MAX_B), 4 + 256);
    }
}
