//! The frame codec and the handshake against arbitrary bytes, and against whole conversations cut in any way.

mod support;

use proptest::collection::vec;
use proptest::prelude::*;
use swarm::dialect::Type;
use swarm::websocket::handshake::Asked;
use swarm::websocket::reader::{self, Event, Fragments};
use swarm::websocket::{close, frame, handshake};

const MAX_B: usize = 1 << 17;

/// What a server said, told apart from how its bytes were cut.
#[derive(Clone, Debug, PartialEq)]
enum Said {
    Message(Type, Vec<u8>),
    Ping(Vec<u8>),
    Pong,
    Close(u16),
    Violation(u16),
}

/// Reads bytes as a connection does: piece by piece, keeping what is no whole frame yet.
fn read(pieces: &[Vec<u8>]) -> Vec<Said> {
    let (mut input, mut fragments, mut said) = (Vec::new(), None::<Box<Fragments>>, Vec::new());
    for piece in pieces {
        input.extend_from_slice(piece);
        let mut at = 0;
        loop {
            match reader::next(&input[at..], &mut fragments, MAX_B, false) {
                Ok((taken, event)) => {
                    assert!(taken <= input.len() - at, "no more is taken than there is");
                    at += taken;
                    match event {
                        Some(event) => said.push(own(&event)),
                        None => break,
                    }
                }
                Err(violation) => {
                    said.push(Said::Violation(violation.code));
                    return said;
                }
            }
        }
        input.drain(..at);
        assert!(input.is_empty() || reader::wanted_b(&input, MAX_B) > input.len(), "a whole frame is left lying");
    }
    said
}

fn own(event: &Event) -> Said {
    match event {
        Event::Message { kind, body, .. } => Said::Message(*kind, body.to_vec()),
        Event::Ping(body) => Said::Ping(body.to_vec()),
        Event::Pong(_) => Said::Pong,
        Event::Close(code, _) => Said::Close(*code),
    }
}

/// A frame as a server sends it.
fn frame_of(is_final: bool, opcode: u8, body: &[u8]) -> Vec<u8> {
    support::frame(if is_final { 0x80 | opcode } else { opcode }, body)
}

/// A message in fragments, perhaps with pings between them, and what must be read from it.
fn conversation() -> impl Strategy<Value = (Vec<u8>, Vec<Said>)> {
    let body = prop_oneof![vec(any::<u8>(), 0..300), vec(any::<u8>(), 65_530..65_540)];
    let message = (any::<bool>(), body, 1..5usize, any::<bool>());
    vec(message, 0..6).prop_map(|messages| {
        let (mut bytes, mut expected) = (Vec::new(), Vec::new());
        for (is_text, body, parts, pings) in messages {
            let (opcode, kind) = if is_text { (1, Type::Text) } else { (2, Type::Binary) };
            let part_b = body.len().div_ceil(parts).max(1);
            let pieces: Vec<_> = if body.is_empty() { vec![&body[..]] } else { body.chunks(part_b).collect() };
            for (at, piece) in pieces.iter().enumerate() {
                bytes.extend(frame_of(at + 1 == pieces.len(), if at == 0 { opcode } else { 0 }, piece));
                if pings && at + 1 < pieces.len() {
                    bytes.extend(frame_of(true, 9, b"p"));
                    expected.push(Said::Ping(b"p".to_vec()));
                }
            }
            expected.push(Said::Message(kind, body));
        }
        (bytes, expected)
    })
}

/// Cuts bytes into pieces at the places given.
fn cut(bytes: &[u8], places: &[prop::sample::Index]) -> Vec<Vec<u8>> {
    let mut places: Vec<usize> = places.iter().map(|place| place.index(bytes.len() + 1)).collect();
    places.extend([0, bytes.len()]);
    places.sort_unstable();
    places.windows(2).map(|ends| bytes[ends[0]..ends[1]].to_vec()).collect()
}

proptest! {
    #[test]
    fn arbitrary_bytes_are_read_or_refused(pieces in vec(vec(any::<u8>(), 0..200), 0..20)) {
        read(&pieces);
    }

    #[test]
    fn bytes_that_look_like_frames_are_read_or_refused(frames in vec((any::<bool>(), 0..16u8, 0..3u8, vec(any::<u8>(), 0..140)), 0..20)) {
        let bytes = frames.iter().flat_map(|(is_final, opcode, reserved, body)| {
            let mut bytes = frame_of(*is_final, *opcode, body);
            bytes[0] |= if *reserved == 0 { 0x40 } else { 0 };
            bytes
        }).collect::<Vec<_>>();
        read(&[bytes]);
    }

    #[test]
    fn a_conversation_reads_the_same_however_it_is_cut((bytes, expected) in conversation(), places in vec(any::<prop::sample::Index>(), 0..12)) {
        prop_assert_eq!(read(&cut(&bytes, &places)), expected);
    }

    #[test]
    fn a_conversation_with_a_byte_changed_is_read_or_refused((mut bytes, _) in conversation(), place in any::<prop::sample::Index>(), value in any::<u8>()) {
        if !bytes.is_empty() {
            let at = place.index(bytes.len());
            bytes[at] = value;
        }
        read(&[bytes]);
    }

    #[test]
    fn what_is_written_is_a_masked_frame_of_the_same_body(body in vec(any::<u8>(), 0..70_000), mask in any::<u32>()) {
        let mut out = Vec::new();
        frame::write(&mut out, frame::Opcode::Binary, &body, mask);
        prop_assert_eq!(out[0], 0x82);
        prop_assert!(out[1] & 0x80 != 0);
        let masked = &out[out.len() - body.len()..];
        let keys = mask.to_ne_bytes();
        let unmasked: Vec<u8> = masked.iter().enumerate().map(|(at, byte)| byte ^ keys[at % 4]).collect();
        prop_assert_eq!(unmasked, body);
    }

    #[test]
    fn an_arbitrary_response_to_the_handshake_is_agreed_to_or_refused(bytes in vec(any::<u8>(), 0..600)) {
        let _ = handshake::read(&bytes, "dGhlIHNhbXBsZSBub25jZQ==", &Asked::default());
    }

    #[test]
    fn a_response_with_a_byte_changed_is_never_agreed_to_with_another_key(place in any::<prop::sample::Index>(), value in any::<u8>()) {
        let key = "dGhlIHNhbXBsZSBub25jZQ==";
        let right = format!("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {}\r\n\r\n", handshake::accept(key));
        let mut bytes = right.clone().into_bytes();
        let at = place.index(bytes.len());
        bytes[at] = value;
        let in_key = right.find("Sec-WebSocket-Accept: ").unwrap() + 22;
        let is_key_changed = (in_key..in_key + 28).contains(&at) && bytes != right.as_bytes();
        prop_assert!(!is_key_changed || !matches!(handshake::read(&bytes, key, &Asked::default()), Ok(Some(_))));
    }

    #[test]
    fn the_body_of_a_close_frame_is_read_or_refused(body in vec(any::<u8>(), 0..125)) {
        if let Ok((code, _)) = close::read(&body) {
            prop_assert!(code == close::NO_CODE || close::may_be_sent(code));
        }
    }
}
