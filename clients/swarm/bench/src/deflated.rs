//! The minimal permessage-deflate client: it decompresses each answer and compresses the next message. Without context
//! takeover, a server can just send back what came.

use std::cell::RefCell;
use std::sync::OnceLock;

use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress};

use crate::connection::{Answer, Conversation};

/// Ends each compressed message, not sent: RFC 7692, section 7.2.1.
const TAIL: [u8; 4] = [0, 0, 0xff, 0xff];
/// Maximum growth of a message by compression.
const SPARE_B: usize = 64;

static MESSAGE: OnceLock<Message> = OnceLock::new();

struct Message {
    plain: Vec<u8>,
    compressed: Vec<u8>,
}

thread_local! {
    static LIBRARY: RefCell<(Compress, Decompress)> =
        RefCell::new((Compress::new(Compression::default(), false), Decompress::new(false)));
}

/// Makes the one message of this process, `bytes` pseudo-random letters. Returns it compressed.
pub fn make_message(bytes: usize) -> &'static [u8] {
    let message = MESSAGE.get_or_init(|| {
        // any letters without a pattern will do: Knuth's multiplicative hash
        let letter = |at: usize| b'a' + ((at as u32).wrapping_mul(2_654_435_761) >> 24) as u8 % 26;
        let plain: Vec<u8> = (0..bytes).map(letter).collect();
        let mut compressed = Vec::new();
        LIBRARY.with_borrow_mut(|(compress, _)| add_compressed(compress, &plain, &mut compressed));
        Message { plain, compressed }
    });
    &message.compressed
}

fn add_compressed(compress: &mut Compress, plain: &[u8], out: &mut Vec<u8>) {
    compress.reset();
    out.reserve(plain.len() + SPARE_B);
    compress.compress_vec(plain, out, FlushCompress::Sync).expect("there is room");
    out.truncate(out.len() - TAIL.len());
}

/// The client's side. Each answer equals the message.
#[derive(Default)]
pub struct Deflated {
    kept: Vec<u8>,
}

impl Conversation for Deflated {
    fn restore(&self, input: &mut Vec<u8>) -> usize {
        input[..self.kept.len()].copy_from_slice(&self.kept);
        self.kept.len()
    }

    fn answer<'b>(&mut self, input: &'b [u8], output: &'b mut Vec<u8>) -> Answer<'b> {
        let message = MESSAGE.get().expect("a message is made before the first is sent");
        let whole = input.chunks_exact(message.compressed.len());
        self.kept.clear();
        self.kept.extend_from_slice(whole.remainder());
        output.clear();
        let mut payload_b = 0;
        LIBRARY.with_borrow_mut(|(compress, decompress)| {
            let mut plain = Vec::with_capacity(message.plain.len() + SPARE_B);
            for compressed in whole {
                plain.clear();
                decompress.reset(false);
                for part in [compressed, &TAIL] {
                    decompress
                        .decompress_vec(part, &mut plain, FlushDecompress::Sync)
                        .expect("what was sent comes back");
                }
                assert!(plain == message.plain, "what was sent comes back");
                payload_b += plain.len() as u64;
                add_compressed(compress, &plain, output);
            }
        });
        Answer { bytes: output, payload_b, end: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_back_is_sent_again_in_whatever_pieces_it_comes() {
        let message = make_message(20);
        let wire = message.repeat(5);
        let (mut deflated, mut out, mut sent, mut payload_b) = (Deflated::default(), Vec::new(), Vec::new(), 0);
        let mut input = vec![0; 1024];
        for piece in wire.chunks(7) {
            let kept = deflated.restore(&mut input);
            input[kept..kept + piece.len()].copy_from_slice(piece);
            let answer = deflated.answer(&input[..kept + piece.len()], &mut out);
            sent.extend_from_slice(answer.bytes);
            payload_b += answer.payload_b;
        }
        assert_eq!((sent, payload_b), (wire, 100));
    }
}
