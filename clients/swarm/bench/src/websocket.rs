//! The server's side of a WebSocket: the upgrade, then frames. Incomplete input is kept until more comes.

use crate::connection::{Answer, Conversation};
use crate::frames::{Frames, Progress};
use crate::upgrade::{answer_request, Upgrade};

/// Minimum room for a read behind the kept bytes.
const ROOM_B: usize = 4 << 10;

/// A WebSocket that echoes.
#[derive(Default)]
pub struct WebSocket {
    upgraded: bool,
    frames: Frames,
    kept: Vec<u8>,
    /// Length of the incomplete frame, if known; otherwise 0.
    wanted: usize,
}

impl Conversation for WebSocket {
    fn restore(&self, input: &mut Vec<u8>) -> usize {
        let needed = self.wanted.max(self.kept.len() + ROOM_B);
        if input.len() < needed {
            input.resize(needed, 0);
        }
        input[..self.kept.len()].copy_from_slice(&self.kept);
        self.kept.len()
    }

    fn answer<'b>(&mut self, input: &'b [u8], output: &'b mut Vec<u8>) -> Answer<'b> {
        let Progress { consumed, written, payload_b, wanted, end } = match self.upgraded {
            true => self.frames.answer(input, output),
            false => self.upgrade(input, output),
        };
        self.wanted = wanted;
        self.kept.clear();
        self.kept.extend_from_slice(&input[consumed..]);
        Answer { bytes: &output[..written], payload_b, end }
    }
}

impl WebSocket {
    /// Answer the upgrade. Clients send frames only after the answer, so none are expected behind the request.
    fn upgrade(&mut self, input: &[u8], output: &mut Vec<u8>) -> Progress {
        let (answer, request_b, end) = match answer_request(input) {
            Upgrade::Begun => return Progress::default(),
            Upgrade::Accepted { answer, request_b, deflates } => {
                self.frames.deflates = deflates;
                (answer, request_b, false)
            }
            Upgrade::Refused { answer } => (answer, input.len(), true),
        };
        self.upgraded = !end;
        if output.len() < answer.len() {
            output.resize(answer.len(), 0);
        }
        output[..answer.len()].copy_from_slice(answer.as_bytes());
        Progress { consumed: request_b, written: answer.len(), end, ..Progress::default() }
    }
}
