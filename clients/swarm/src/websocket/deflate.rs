//! Message compression: permessage-deflate, RFC 7692.

use super::close::{Violation, NOT_UTF8, TOO_BIG};
use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};
use serde::{Deserialize, Serialize};
use std::fmt;

const NAME: &str = "permessage-deflate";
const SERVER_FORGETS: &str = "server_no_context_takeover";
const CLIENT_FORGETS: &str = "client_no_context_takeover";
const SERVER_BITS: &str = "server_max_window_bits";
const CLIENT_BITS: &str = "client_max_window_bits";
/// Section 7.2.1: the end of each message, which is not sent.
const TAIL: [u8; 4] = [0, 0, 0xff, 0xff];
/// zlib has no window of 256 bytes. With 512 it looks back at most 250, which a peer with 256 can decompress.
const LEAST_BITS: u8 = 9;
const MOST_BITS: u8 = 15;
/// Initial room for output.
const ROOM_B: usize = 1024;

/// The offer, with the parameter names of the RFC.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Offer {
    /// Asks the server to reset its window for each message
    pub server_no_context_takeover: bool,
    /// This side resets its window for each message
    pub client_no_context_takeover: bool,
    /// Window sizes as powers of two, 8 to 15; `None`: the server chooses
    pub server_max_window_bits: Option<u8>,
    pub client_max_window_bits: Option<u8>,
    /// Compression level of this side, 1 to 9
    pub level: u8,
}

impl Default for Offer {
    fn default() -> Self {
        Self {
            server_no_context_takeover: false,
            client_no_context_takeover: false,
            server_max_window_bits: None,
            client_max_window_bits: None,
            level: 6,
        }
    }
}

impl Offer {
    /// The value of Sec-WebSocket-Extensions.
    pub fn header(&self) -> String {
        let mut parts = vec![NAME.to_string()];
        parts.extend(self.server_no_context_takeover.then(|| SERVER_FORGETS.into()));
        parts.extend(self.client_no_context_takeover.then(|| CLIENT_FORGETS.into()));
        parts.extend(self.server_max_window_bits.map(|bits| format!("{SERVER_BITS}={bits}")));
        // without a value: any window the server chooses is fine (section 7.1.2.2)
        parts.push(self.client_max_window_bits.map_or(CLIENT_BITS.into(), |bits| format!("{CLIENT_BITS}={bits}")));
        parts.join("; ")
    }

    /// Reads the server's answer, the value of Sec-WebSocket-Extensions.
    /// Errors: why the answer is invalid (sections 7.1.1 to 7.1.3), for people.
    pub fn read(&self, answer: &str) -> Result<Agreed, String> {
        let wrong = |what: &str| Err(format!("{answer:?} was agreed to: {what}"));
        let mut parts = answer.split(';').map(str::trim);
        if parts.next() != Some(NAME) {
            return wrong("it was not asked for");
        }
        let mut agreed = Agreed { level: self.level, ..Agreed::default() };
        let mut seen = Vec::new();
        for part in parts {
            let (name, value) = part.split_once('=').map_or((part, None), |(name, value)| (name, Some(value)));
            let value = value.map(|value| value.trim_matches('"'));
            if seen.contains(&name) {
                return wrong(&format!("{name} is there twice"));
            }
            seen.push(name);
            let bits = value.and_then(bits_of);
            match (name, value, bits) {
                (SERVER_FORGETS, None, _) => agreed.server_forgets = true,
                (CLIENT_FORGETS, None, _) => agreed.client_forgets = true,
                (SERVER_BITS, Some(_), Some(bits)) => agreed.server_bits = bits,
                (CLIENT_BITS, Some(_), Some(bits)) => agreed.client_bits = bits,
                _ => return wrong(&format!("{part:?} is no parameter of it")),
            }
        }
        if agreed.server_bits > self.server_max_window_bits.unwrap_or(MOST_BITS) {
            return wrong(&format!("{SERVER_BITS} is more than was asked for"));
        }
        if self.server_no_context_takeover && !agreed.server_forgets {
            return wrong(&format!("{SERVER_FORGETS} was asked for"));
        }
        agreed.client_forgets |= self.client_no_context_takeover;
        agreed.client_bits = agreed.client_bits.min(self.client_max_window_bits.unwrap_or(MOST_BITS));
        Ok(agreed)
    }
}

fn bits_of(value: &str) -> Option<u8> {
    let is_plain = value.bytes().all(|byte| byte.is_ascii_digit()) && !value.starts_with('0');
    value.parse().ok().filter(|bits| is_plain && (8..=MOST_BITS).contains(bits))
}

/// The agreed parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Agreed {
    pub server_forgets: bool,
    pub client_forgets: bool,
    pub server_bits: u8,
    pub client_bits: u8,
    level: u8,
}

impl Default for Agreed {
    fn default() -> Self {
        Self { server_forgets: false, client_forgets: false, server_bits: MOST_BITS, client_bits: MOST_BITS, level: 6 }
    }
}

/// For a report: both windows, and who resets its window for each message.
impl fmt::Display for Agreed {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        let Self { server_bits, client_bits, .. } = self;
        write!(out, "{SERVER_BITS}={server_bits}; {CLIENT_BITS}={client_bits}")?;
        for (forgets, name) in [(self.server_forgets, SERVER_FORGETS), (self.client_forgets, CLIENT_FORGETS)] {
            if forgets {
                write!(out, "; {name}")?;
            }
        }
        Ok(())
    }
}

/// The two directions of a connection. Without context takeover a direction uses the thread's state (`Forgetful`).
pub struct Deflate {
    agreed: Agreed,
    out: Option<Compress>,
    into: Option<Decompress>,
}

/// State without context takeover, one per window size, shared by all connections of a thread.
#[derive(Default)]
pub struct Forgetful {
    out: Vec<(u8, Compress)>,
    into: Vec<(u8, Decompress)>,
}

impl Deflate {
    pub fn new(agreed: Agreed) -> Self {
        Self {
            agreed,
            out: (!agreed.client_forgets).then(|| compressor(agreed)),
            into: (!agreed.server_forgets).then(|| decompressor(agreed)),
        }
    }

    /// Compresses a message and appends it.
    pub fn compress(&mut self, message: &[u8], out: &mut Vec<u8>, forgetful: &mut Forgetful) {
        if message.is_empty() {
            return out.push(0); // section 7.2.3.6; a second flush in a row writes nothing
        }
        let by = match &mut self.out {
            Some(own) => own,
            None => {
                let agreed = self.agreed;
                let shared = of_bits(&mut forgetful.out, agreed.client_bits, || compressor(agreed));
                shared.reset();
                shared
            }
        };
        let from = by.total_in();
        loop {
            let taken = (by.total_in() - from) as usize;
            out.reserve(ROOM_B.max((message.len() - taken) / 2));
            let compressed = by.compress_vec(&message[taken..], out, FlushCompress::Sync);
            compressed.expect("a flush in a stream that does not end");
            let is_all_in = (by.total_in() - from) as usize == message.len();
            if is_all_in && out.len() < out.capacity() {
                break;
            }
        }
        debug_assert!(out.ends_with(&TAIL));
        out.truncate(out.len() - TAIL.len());
    }

    /// Decompresses a message and appends it. Errors: invalid data, or more than `max_b` bytes.
    pub fn decompress(
        &mut self,
        message: &[u8],
        out: &mut Vec<u8>,
        max_b: usize,
        forgetful: &mut Forgetful,
    ) -> Result<(), Violation> {
        let by = match &mut self.into {
            Some(own) => own,
            None => {
                let agreed = self.agreed;
                let shared = of_bits(&mut forgetful.into, agreed.server_bits, || decompressor(agreed));
                shared.reset(false);
                shared
            }
        };
        for part in [message, &TAIL] {
            inflate(by, part, out, max_b)?;
        }
        Ok(())
    }
}

fn inflate(by: &mut Decompress, part: &[u8], out: &mut Vec<u8>, max_b: usize) -> Result<(), Violation> {
    let mut at = 0;
    loop {
        out.reserve(ROOM_B.max(2 * (part.len() - at)).min(max_b + 1));
        let from = by.total_in();
        let status = by.decompress_vec(&part[at..], out, FlushDecompress::Sync);
        at += (by.total_in() - from) as usize;
        if out.len() > max_b {
            return Err(Violation::new(
                TOO_BIG,
                format!("a compressed message of more than the {max_b} bytes allowed"),
            ));
        }
        match status {
            Err(_) => return Err(Violation::new(NOT_UTF8, "a message that does not decompress")),
            // section 7.2.3.5: a message may end the stream; the next one starts a new stream
            Ok(Status::StreamEnd) => by.reset(false),
            Ok(_) if at == part.len() && out.len() < out.capacity() => return Ok(()),
            Ok(_) => {}
        }
    }
}

fn compressor(agreed: Agreed) -> Compress {
    Compress::new_with_window_bits(Compression::new(agreed.level.into()), false, agreed.client_bits.max(LEAST_BITS))
}

fn decompressor(agreed: Agreed) -> Decompress {
    Decompress::new_with_window_bits(false, agreed.server_bits.max(LEAST_BITS))
}

fn of_bits<T>(all: &mut Vec<(u8, T)>, bits: u8, make: impl FnOnce() -> T) -> &mut T {
    let at = all.iter().position(|(known, _)| *known == bits).unwrap_or_else(|| {
        all.push((bits, make()));
        all.len() - 1
    });
    &mut all[at].1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agreed(answer: &str) -> Agreed {
        Offer::default().read(answer).unwrap()
    }

    fn decompress(deflate: &mut Deflate, bytes: &[u8]) -> Result<Vec<u8>, Violation> {
        let mut out = Vec::new();
        deflate.decompress(bytes, &mut out, 1 << 20, &mut Forgetful::default()).map(|()| out)
    }

    /// Section 7.2.3.1 and 7.2.3.2.
    #[test]
    fn the_examples_of_the_rfc_are_read() {
        let mut deflate = Deflate::new(agreed(NAME));
        let first = [0xf2, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00];
        let second = [0xf2, 0x00, 0x11, 0x00, 0x00];
        assert_eq!(decompress(&mut deflate, &first).unwrap(), b"Hello");
        assert_eq!(decompress(&mut deflate, &second).unwrap(), b"Hello", "by the window");
        let stored = [0x00, 0x05, 0x00, 0xfa, 0xff, 0x48, 0x65, 0x6c, 0x6c, 0x6f, 0x00];
        assert_eq!(decompress(&mut deflate, &stored).unwrap(), b"Hello", "section 7.2.3.3");
        let last = [0xf3, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00, 0x00];
        assert_eq!(decompress(&mut deflate, &last).unwrap(), b"Hello", "section 7.2.3.4");
    }

    #[test]
    fn what_goes_out_comes_back_with_every_window_with_and_without_takeover() {
        let words: Vec<u8> = (0..20_000u32).flat_map(|at| (at % 977 * at % 89).to_string().into_bytes()).collect();
        for bits in 8..=15 {
            for forgets in ["", "; client_no_context_takeover; server_no_context_takeover"] {
                let answer = format!("{NAME}; client_max_window_bits={bits}; server_max_window_bits={bits}{forgets}");
                let (mut forgetful, mut deflate) = (Forgetful::default(), Deflate::new(agreed(&answer)));
                for message in [&words[..], b"", b"a", &words[..300]] {
                    let (mut wire, mut back) = (Vec::new(), Vec::new());
                    deflate.compress(message, &mut wire, &mut forgetful);
                    deflate.decompress(&wire, &mut back, 1 << 20, &mut forgetful).unwrap();
                    assert!(back == message, "{answer}: {} bytes", message.len());
                }
            }
        }
    }

    /// Reads like a peer that keeps `window_b` bytes and no more. `None`: a distance went beyond them.
    fn read_within(window_b: usize, mut wire: &[u8]) -> Option<Vec<u8>> {
        use miniz_oxide::inflate::core::{decompress, inflate_flags::TINFL_FLAG_HAS_MORE_INPUT, DecompressorOxide};
        use miniz_oxide::inflate::TINFLStatus::{HasMoreOutput, NeedsMoreInput};
        let (mut peer, mut window, mut plain) = (DecompressorOxide::new(), vec![0; window_b], Vec::new());
        loop {
            let at = plain.len() % window_b;
            let (status, read, written) = decompress(&mut peer, wire, &mut window, at, TINFL_FLAG_HAS_MORE_INPUT);
            plain.extend_from_slice(&window[at..at + written]);
            wire = &wire[read..];
            match status {
                HasMoreOutput => {}
                NeedsMoreInput => return Some(plain),
                _ => return None,
            }
        }
    }

    /// zlib can't be asked for a window of 256 bytes (LEAST_BITS).
    #[test]
    fn a_peer_with_a_window_of_256_bytes_can_read_what_goes_out() {
        let words: Vec<u8> = (0..20_000u32).flat_map(|at| (at % 977 * at % 89).to_string().into_bytes()).collect();
        let written = |bits: u8| {
            let mut deflate = Deflate::new(agreed(&format!("{NAME}; client_max_window_bits={bits}")));
            let mut wire = Vec::new();
            deflate.compress(&words, &mut wire, &mut Forgetful::default());
            wire
        };
        assert!(read_within(256, &written(8)).is_some_and(|plain| plain == words));
        assert_eq!(read_within(256, &written(10)), None, "the reader has no more than 256 bytes");
    }

    #[test]
    fn a_window_makes_the_second_message_shorter_and_none_does_not() {
        for (answer, is_shorter) in [(NAME.to_string(), true), (format!("{NAME}; {CLIENT_FORGETS}"), false)] {
            let (mut forgetful, mut deflate) = (Forgetful::default(), Deflate::new(agreed(&answer)));
            let lengths = [(); 2].map(|()| {
                let mut wire = Vec::new();
                deflate.compress(b"the quick brown fox jumps over the lazy dog", &mut wire, &mut forgetful);
                wire.len()
            });
            assert_eq!(lengths[1] < lengths[0], is_shorter, "{answer}: {lengths:?}");
        }
    }

    #[test]
    fn a_message_that_swells_beyond_the_limit_is_too_big() {
        let mut deflate = Deflate::new(agreed(NAME));
        let mut wire = Vec::new();
        deflate.compress(&vec![0; 1 << 20], &mut wire, &mut Forgetful::default());
        let mut out = Vec::new();
        let refused = deflate.decompress(&wire, &mut out, 1000, &mut Forgetful::default()).unwrap_err();
        assert_eq!(refused.code, TOO_BIG);
        assert!(out.capacity() < 1 << 16, "{}", out.capacity());
    }

    #[test]
    fn what_is_no_deflate_is_refused() {
        assert!(decompress(&mut Deflate::new(agreed(NAME)), b"\xff\xff\xff\xff").is_err());
    }

    #[test]
    fn the_offer_is_in_the_words_of_the_rfc() {
        assert_eq!(Offer::default().header(), "permessage-deflate; client_max_window_bits");
        let all = Offer {
            server_no_context_takeover: true,
            client_no_context_takeover: true,
            server_max_window_bits: Some(9),
            client_max_window_bits: Some(10),
            level: 1,
        };
        assert_eq!(all.header(), "permessage-deflate; server_no_context_takeover; client_no_context_takeover; server_max_window_bits=9; client_max_window_bits=10");
    }

    #[test]
    fn an_answer_is_checked_against_the_offer() {
        let offer = Offer { server_max_window_bits: Some(10), server_no_context_takeover: true, ..Offer::default() };
        let read = |answer: &str| offer.read(answer).map_err(|told| told.rsplit(": ").next().unwrap().to_string());
        let right = read("permessage-deflate; server_no_context_takeover; server_max_window_bits=\"9\"").unwrap();
        assert_eq!((right.server_bits, right.server_forgets, right.client_bits), (9, true, 15));
        for (answer, words) in [
            ("permessage-foo", "it was not asked for"),
            ("permessage-deflate", "server_max_window_bits is more than was asked for"),
            ("permessage-deflate; server_max_window_bits=9", "server_no_context_takeover was asked for"),
            ("permessage-deflate; server_max_window_bits=7", "\"server_max_window_bits=7\" is no parameter of it"),
            ("permessage-deflate; client_max_window_bits", "\"client_max_window_bits\" is no parameter of it"),
            ("permessage-deflate; client_max_window_bits=016", "\"client_max_window_bits=016\" is no parameter of it"),
            ("permessage-deflate; a=b", "\"a=b\" is no parameter of it"),
            (
                "permessage-deflate; client_no_context_takeover; client_no_context_takeover",
                "client_no_context_takeover is there twice",
            ),
        ] {
            assert_eq!(read(answer).unwrap_err(), words, "{answer}");
        }
    }
}
