//! Answers a client's frames (RFC 6455). Data frames go back unmasked and otherwise unchanged. A ping is answered by a
//! pong, a close by a close. UTF-8 is not checked.

/// Maximum payload of a frame; a larger one is answered by close code 1009.
const FRAME_B_MAX: usize = 16 << 20;
/// Bytes by which an answer may exceed its input: a close with a code may answer a head of two bytes.
const SPARE_B: usize = 8;

const FIN: u8 = 0x80;
const RESERVED: u8 = 0x70;
/// RSV1: RFC 7692, section 6.
const COMPRESSED: u8 = 0x40;
const MASKED: u8 = 0x80;

// Opcodes (RFC 6455, section 5.2)
const CONTINUATION: u8 = 0x0;
const BINARY: u8 = 0x2;
const CLOSE: u8 = 0x8;
const PING: u8 = 0x9;
const PONG: u8 = 0xA;

// Close codes (RFC 6455, section 7.4.1)
const PROTOCOL_ERROR: u16 = 1002;
const TOO_BIG: u16 = 1009;

/// The result of `Frames::answer`.
#[derive(Debug, Default, PartialEq)]
pub struct Progress {
    /// Bytes of input that were answered. The rest is an incomplete frame.
    pub consumed: usize,
    /// Bytes of the output that were written.
    pub written: usize,
    /// Payload bytes of data frames among them.
    pub payload_b: u64,
    /// Length of the incomplete frame, if its head is complete; otherwise 0.
    pub wanted: usize,
    /// Whether the connection ends.
    pub end: bool,
}

/// The frames of one connection.
#[derive(Default)]
pub struct Frames {
    /// Inside a fragmented message.
    in_message: bool,
    /// Compression was agreed on, so RSV1 is allowed in a message's first frame.
    pub deflates: bool,
}

/// The head of a frame (RFC 6455, section 5.2).
struct Head {
    first: u8,
    mask: [u8; 4],
    /// Bytes of the head itself, the mask included.
    head_b: usize,
    payload_b: usize,
}

impl Frames {
    /// Answer each whole frame of `input` into `output`, which grows as needed.
    pub fn answer(&mut self, input: &[u8], output: &mut Vec<u8>) -> Progress {
        if output.len() < input.len() + SPARE_B {
            output.resize(input.len() + SPARE_B, 0);
        }
        let mut progress = Progress::default();
        while !progress.end {
            let rest = &input[progress.consumed..];
            match self.check(rest) {
                Ok(None) => break,
                Ok(Some(head)) if rest.len() < head.head_b + head.payload_b => {
                    progress.wanted = head.head_b + head.payload_b;
                    break;
                }
                Ok(Some(head)) => self.answer_frame(&head, rest, output, &mut progress),
                Err(code) => end_with(code, output, &mut progress),
            }
        }
        progress
    }

    /// Read the head at the beginning of `bytes`, if it is complete. Errors: the close code to answer with.
    fn check(&self, bytes: &[u8]) -> Result<Option<Head>, u16> {
        let &[first, second, ..] = bytes else { return Ok(None) };
        let opcode = first & 0x0F;
        let sound = match opcode {
            CONTINUATION => self.in_message,
            1..=BINARY => !self.in_message,
            CLOSE..=PONG => first & FIN != 0 && second & !MASKED <= 125, // RFC 6455, section 5.5
            _ => false,
        };
        let reserved = if self.deflates && matches!(opcode, 1..=BINARY) { RESERVED & !COMPRESSED } else { RESERVED };
        if !sound || first & reserved != 0 || second & MASKED == 0 {
            return Err(PROTOCOL_ERROR);
        }
        read_head(first, second, bytes)
    }

    fn answer_frame(&mut self, head: &Head, bytes: &[u8], output: &mut [u8], progress: &mut Progress) {
        let opcode = head.first & 0x0F;
        let payload = &bytes[head.head_b..head.head_b + head.payload_b];
        progress.consumed += head.head_b + head.payload_b;
        let first = match opcode {
            PONG => return,
            PING => FIN | PONG,
            _ => head.first,
        };
        progress.written += write_frame(first, payload, head.mask, &mut output[progress.written..]);
        match opcode {
            CLOSE => progress.end = true,
            PING => {}
            _ => {
                self.in_message = head.first & FIN == 0;
                progress.payload_b += payload.len() as u64;
            }
        }
    }
}

/// Read a head. Lengths 126 and 127 announce a length of 16 or 64 bits. The mask follows.
fn read_head(first: u8, second: u8, bytes: &[u8]) -> Result<Option<Head>, u16> {
    let extended_b = match second & !MASKED {
        127 => 8,
        126 => 2,
        _ => 0,
    };
    let head_b = 2 + extended_b + 4;
    if bytes.len() < head_b {
        return Ok(None);
    }
    let extended = bytes[2..2 + extended_b].iter().fold(0_u64, |length, &byte| length << 8 | u64::from(byte));
    let length = if extended_b == 0 { u64::from(second & !MASKED) } else { extended };
    let payload_b = usize::try_from(length).ok().filter(|&length| length <= FRAME_B_MAX).ok_or(TOO_BIG)?;
    let mask = [bytes[head_b - 4], bytes[head_b - 3], bytes[head_b - 2], bytes[head_b - 1]];
    Ok(Some(Head { first, mask, head_b, payload_b }))
}

/// Write an unmasked frame. Returns its length, at most that of the client's frame.
fn write_frame(first: u8, payload: &[u8], mask: [u8; 4], output: &mut [u8]) -> usize {
    output[0] = first;
    let head_b = match payload.len() {
        length @ 0..=125 => {
            output[1] = length as u8;
            2
        }
        length @ 126..=0xFFFF => {
            output[1] = 126;
            output[2..4].copy_from_slice(&(length as u16).to_be_bytes());
            4
        }
        length => {
            output[1] = 127;
            output[2..10].copy_from_slice(&(length as u64).to_be_bytes());
            10
        }
    };
    unmask(payload, mask, &mut output[head_b..head_b + payload.len()]);
    head_b + payload.len()
}

/// Remove the mask (RFC 6455, section 5.3), eight bytes at a time.
fn unmask(from: &[u8], mask: [u8; 4], to: &mut [u8]) {
    let [a, b, c, d] = mask;
    let wide = u64::from_ne_bytes([a, b, c, d, a, b, c, d]);
    let (words, tail) = from.as_chunks::<8>();
    let (words_to, tail_to) = to.as_chunks_mut::<8>();
    for (word, word_to) in words.iter().zip(words_to) {
        *word_to = (u64::from_ne_bytes(*word) ^ wide).to_ne_bytes();
    }
    for (index, (byte, byte_to)) in tail.iter().zip(tail_to).enumerate() {
        *byte_to = byte ^ mask[index % 4];
    }
}

fn end_with(code: u16, output: &mut [u8], progress: &mut Progress) {
    let [high, low] = code.to_be_bytes();
    output[progress.written..progress.written + 4].copy_from_slice(&[FIN | CLOSE, 2, high, low]);
    progress.written += 4;
    progress.end = true;
}

#[cfg(test)]
mod tests;
