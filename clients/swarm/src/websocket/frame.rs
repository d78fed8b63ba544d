//! Frames: RFC 6455, section 5.2.

use super::close::{Violation, PROTOCOL_ERROR, TOO_BIG};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opcode {
    Continuation = 0,
    Text = 1,
    Binary = 2,
    Close = 8,
    Ping = 9,
    Pong = 10,
}

impl Opcode {
    fn of(bits: u8) -> Option<Self> {
        Some(match bits {
            0 => Self::Continuation,
            1 => Self::Text,
            2 => Self::Binary,
            8 => Self::Close,
            9 => Self::Ping,
            10 => Self::Pong,
            _ => return None,
        })
    }

    pub fn is_control(self) -> bool {
        self as u8 >= 8
    }
}

/// Maximum body of a control frame (section 5.5).
pub const CONTROL_MAX_B: usize = 125;

/// Maximum head of a masked frame.
pub const HEAD_MAX_B: usize = 14;

const FINAL: u8 = 0x80;
/// RSV1 in a message's first frame: the message is compressed (RFC 7692, section 6).
const COMPRESSED: u8 = 0x40;
const RESERVED: u8 = 0x70;
const MASKED: u8 = 0x80;
const LENGTH_16: u8 = 126;
const LENGTH_64: u8 = 127;

/// Appends one whole frame, masked (section 5.3).
/// `mask` must be new for each frame, and unpredictable to the server.
#[inline]
pub fn write(out: &mut Vec<u8>, opcode: Opcode, body: &[u8], mask: u32) {
    write_head(out, opcode, body.len(), mask);
    write_masked(out, body, mask);
}

/// Appends the head of a frame. The masked body must follow. Returns its offset.
#[inline]
pub fn write_head(out: &mut Vec<u8>, opcode: Opcode, body_b: usize, mask: u32) -> usize {
    write_head_of(out, FINAL | opcode as u8, body_b, mask)
}

/// Appends one whole frame with a compressed message.
pub fn write_compressed(out: &mut Vec<u8>, opcode: Opcode, body: &[u8], mask: u32) {
    write_head_of(out, FINAL | COMPRESSED | opcode as u8, body.len(), mask);
    write_masked(out, body, mask);
}

#[inline]
fn write_head_of(out: &mut Vec<u8>, first: u8, body_b: usize, mask: u32) -> usize {
    let [m0, m1, m2, m3] = mask.to_ne_bytes();
    match body_b {
        0..=125 => out.extend_from_slice(&[first, MASKED | body_b as u8, m0, m1, m2, m3]),
        126..=65535 => {
            let [l0, l1] = (body_b as u16).to_be_bytes();
            out.extend_from_slice(&[first, MASKED | LENGTH_16, l0, l1, m0, m1, m2, m3]);
        }
        _ => {
            out.extend_from_slice(&[first, MASKED | LENGTH_64]);
            out.extend_from_slice(&(body_b as u64).to_be_bytes());
            out.extend_from_slice(&[m0, m1, m2, m3]);
        }
    }
    out.len()
}

/// Appends a masked body. `mask` is in native byte order. Copies and masks in one pass: to copy first, and then read
/// the copy in pieces of another size, stalls the processor for longer than all the rest takes.
#[inline]
pub fn write_masked(out: &mut Vec<u8>, body: &[u8], mask: u32) {
    let wide = u64::from(mask) | u64::from(mask) << 32;
    let at = out.len();
    out.resize(at + body.len(), 0);
    let (words, rest) = body.as_chunks::<8>();
    let (masked_words, masked_rest) = out[at..].as_chunks_mut::<8>();
    for (masked, word) in masked_words.iter_mut().zip(words) {
        *masked = (u64::from_ne_bytes(*word) ^ wide).to_ne_bytes();
    }
    let (fours, rest) = rest.as_chunks::<4>();
    let (masked_fours, masked_rest) = masked_rest.as_chunks_mut::<4>();
    for (masked, four) in masked_fours.iter_mut().zip(fours) {
        *masked = (u32::from_ne_bytes(*four) ^ mask).to_ne_bytes();
    }
    for ((masked, byte), key) in masked_rest.iter_mut().zip(rest).zip(mask.to_ne_bytes()) {
        *masked = byte ^ key;
    }
}

/// The head of a frame from the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    pub is_final: bool,
    pub is_compressed: bool,
    pub opcode: Opcode,
    pub head_b: usize,
    pub body_b: usize,
}

/// Reads the head of a server's frame; `None` if more bytes are needed.
/// `deflates`: compression was agreed on.
/// Errors: what section 5 forbids, and bodies longer than `max_b`.
#[inline]
pub fn read_head(bytes: &[u8], max_b: usize, deflates: bool) -> Result<Option<Head>, Violation> {
    let [first, second, rest @ ..] = bytes else { return Ok(None) };
    let Some(opcode) = Opcode::of(first & 0x0f) else {
        return refuse(format!("unknown opcode {}", first & 0x0f));
    };
    let is_compressed = first & RESERVED == COMPRESSED && deflates;
    if first & RESERVED != 0 && (!is_compressed || !matches!(opcode, Opcode::Text | Opcode::Binary)) {
        return refuse("reserved bits are set that were not agreed on");
    }
    if second & MASKED != 0 {
        return refuse("a server's frame is masked");
    }
    let is_final = first & FINAL != 0;
    if opcode.is_control() && (!is_final || usize::from(*second) > CONTROL_MAX_B) {
        return refuse("a control frame is fragmented or longer than 125 bytes");
    }
    let Some((length_b, body_b)) = read_length(*second, rest)? else { return Ok(None) };
    if body_b > max_b as u64 {
        return Err(Violation::new(TOO_BIG, format!("a frame of {body_b} bytes, more than the {max_b} allowed")));
    }
    Ok(Some(Head { is_final, is_compressed, opcode, head_b: 2 + length_b, body_b: body_b as usize }))
}

/// Returns the size of the extended length field, and the length.
#[inline]
fn read_length(short: u8, rest: &[u8]) -> Result<Option<(usize, u64)>, Violation> {
    let (length_b, body_b, least) = match short {
        LENGTH_16 => match rest.first_chunk() {
            Some(bytes) => (2, u64::from(u16::from_be_bytes(*bytes)), 126),
            None => return Ok(None),
        },
        LENGTH_64 => match rest.first_chunk() {
            Some(bytes) => (8, u64::from_be_bytes(*bytes), 65536),
            None => return Ok(None),
        },
        _ => return Ok(Some((0, u64::from(short)))),
    };
    if body_b < least {
        return refuse("a length is not written in the fewest bytes");
    }
    if body_b >> 63 != 0 {
        return refuse("a length has its highest bit set");
    }
    Ok(Some((length_b, body_b)))
}

fn refuse<T>(reason: impl Into<String>) -> Result<T, Violation> {
    Err(Violation::new(PROTOCOL_ERROR, reason))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAX_B: usize = 1 << 20;

    /// The example of section 5.7.
    #[test]
    fn a_masked_hello_is_that_of_the_rfc() {
        let mut out = Vec::new();
        write(&mut out, Opcode::Text, b"Hello", u32::from_ne_bytes([0x37, 0xfa, 0x21, 0x3d]));
        assert_eq!(out, [0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58]);
    }

    #[test]
    fn lengths_are_written_in_the_fewest_bytes() {
        for (body_b, head_b) in [(0, 6), (125, 6), (126, 8), (65535, 8), (65536, 14)] {
            let mut out = Vec::new();
            write(&mut out, Opcode::Binary, &vec![0; body_b], 1);
            assert_eq!(out.len(), head_b + body_b);
        }
    }

    #[test]
    fn every_byte_is_masked_at_any_length() {
        for length in 0..40 {
            let body: Vec<u8> = (0..length).collect();
            let mut masked = vec![9];
            write_masked(&mut masked, &body, 0x1234_5678);
            for (at, byte) in masked[1..].iter().enumerate() {
                assert_eq!(*byte, body[at] ^ 0x1234_5678u32.to_ne_bytes()[at % 4]);
            }
            assert_eq!(masked.len(), 1 + body.len());
        }
    }

    #[test]
    fn a_head_that_is_not_all_there_needs_more() {
        for bytes in [&[][..], &[0x81], &[0x81, 126], &[0x81, 126, 1], &[0x82, 127, 0, 0, 0, 0, 0, 1, 0]] {
            assert_eq!(read_head(bytes, MAX_B, false), Ok(None), "{bytes:?}");
        }
    }

    #[test]
    fn heads_of_every_length_are_read() {
        let read = |bytes: &[u8]| read_head(bytes, MAX_B, false).unwrap().map(|head| (head.head_b, head.body_b));
        assert_eq!(read(&[0x81, 125]), Some((2, 125)));
        assert_eq!(read(&[0x81, 126, 0, 126]), Some((4, 126)));
        assert_eq!(read(&[0x81, 127, 0, 0, 0, 0, 0, 1, 0, 0]), Some((10, 65536)));
    }

    #[test]
    fn what_the_rfc_forbids_is_refused() {
        let forbidden: [(&[u8], &str); 10] = [
            (&[0xc1, 0], "reserved bit 1"),
            (&[0xa1, 0], "reserved bit 2"),
            (&[0x91, 0], "reserved bit 3"),
            (&[0x83, 0], "an unknown opcode"),
            (&[0x8b, 0], "an unknown control opcode"),
            (&[0x81, 0x80], "a masked frame"),
            (&[0x09, 0], "a fragmented ping"),
            (&[0x89, 126, 0, 126], "a long ping"),
            (&[0x81, 126, 0, 125], "a length in too many bytes"),
            (&[0x81, 127, 0x80, 0, 0, 0, 0, 0, 0, 0], "a length with its highest bit set"),
        ];
        for (bytes, what) in forbidden {
            assert_eq!(read_head(bytes, MAX_B, false).unwrap_err().code, PROTOCOL_ERROR, "{what}");
        }
    }

    #[test]
    fn a_frame_over_the_limit_is_too_big() {
        assert_eq!(read_head(&[0x81, 127, 0, 0, 0, 0, 0, 0x20, 0, 0], MAX_B, false).unwrap_err().code, TOO_BIG);
    }

    #[test]
    fn a_compressed_message_is_known_where_it_was_agreed_on_and_nowhere_else() {
        assert!(read_head(&[0xc1, 0], MAX_B, true).unwrap().unwrap().is_compressed);
        assert!(!read_head(&[0x81, 0], MAX_B, true).unwrap().unwrap().is_compressed);
        for (bytes, deflates) in [([0xc1, 0], false), ([0xc9, 0], true), ([0xc0, 0], true), ([0xe1, 0], true)] {
            assert_eq!(read_head(&bytes, MAX_B, deflates).unwrap_err().code, PROTOCOL_ERROR, "{bytes:?}");
        }
    }
}
