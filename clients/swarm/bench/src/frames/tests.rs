use super::*;

const TEXT: u8 = 0x1;
const MASK: [u8; 4] = [0x37, 0xfa, 0x21, 0x3d];

fn from_client(first: u8, payload: &[u8]) -> Vec<u8> {
    let mut frame = head(first, MASKED, payload.len());
    frame.extend(MASK);
    frame.extend(payload.iter().enumerate().map(|(index, byte)| byte ^ MASK[index % 4]));
    frame
}

fn from_server(first: u8, payload: &[u8]) -> Vec<u8> {
    [head(first, 0, payload.len()), payload.to_vec()].concat()
}

fn head(first: u8, masked: u8, length: usize) -> Vec<u8> {
    match length {
        0..=125 => vec![first, masked | length as u8],
        126..=0xFFFF => [vec![first, masked | 126], (length as u16).to_be_bytes().to_vec()].concat(),
        _ => [vec![first, masked | 127], (length as u64).to_be_bytes().to_vec()].concat(),
    }
}

fn some_bytes(length: usize) -> Vec<u8> {
    (0..length).map(|index| (index * 7 % 251) as u8).collect()
}

/// The answers to `input` in chunks of `chunk` bytes, and whether the connection ended.
fn answer_in_chunks(input: &[u8], chunk: usize) -> (Vec<u8>, bool) {
    let (mut frames, mut kept, mut said, mut output) = (Frames::default(), Vec::new(), Vec::new(), Vec::new());
    for came in input.chunks(chunk) {
        kept.extend_from_slice(came);
        let progress = frames.answer(&kept, &mut output);
        said.extend_from_slice(&output[..progress.written]);
        kept.drain(..progress.consumed);
        if progress.end {
            return (said, true);
        }
    }
    assert!(kept.is_empty(), "{} bytes were never answered", kept.len());
    (said, false)
}

#[test]
fn the_example_of_the_rfc_is_unmasked() {
    // RFC 6455, section 5.7: "Hello" masked with 37 fa 21 3d
    let input = [0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58];
    assert_eq!(answer_in_chunks(&input, 64), (b"\x81\x05Hello".to_vec(), false));
}

#[test]
fn every_form_of_length_goes_back_shortest() {
    for length in [0, 1, 7, 8, 9, 20, 125, 126, 127, 0xFFFF, 0x1_0000, 0x1_0001] {
        let payload = some_bytes(length);
        let answer = answer_in_chunks(&from_client(FIN | BINARY, &payload), usize::MAX);
        assert_eq!(answer, (from_server(FIN | BINARY, &payload), false), "{length} bytes");
    }
}

#[test]
fn frames_that_come_byte_by_byte_are_answered_whole() {
    for length in [0, 20, 125, 126, 4000] {
        let input = [from_client(FIN | TEXT, &some_bytes(length)), from_client(FIN | BINARY, b"next")].concat();
        let expected = [from_server(FIN | TEXT, &some_bytes(length)), from_server(FIN | BINARY, b"next")].concat();
        assert_eq!(answer_in_chunks(&input, 1), (expected, false), "{length} bytes");
    }
}

#[test]
fn the_largest_head_may_be_cut_anywhere() {
    let frame = from_client(FIN | BINARY, &some_bytes(0x1_0000));
    for cut in 1..16 {
        let (mut frames, mut output) = (Frames::default(), Vec::new());
        let begun = frames.answer(&frame[..cut], &mut output);
        assert_eq!((begun.consumed, begun.written, begun.end), (0, 0, false), "cut after {cut}");
        assert_eq!(begun.wanted, if cut < 14 { 0 } else { frame.len() }, "cut after {cut}");
        assert_eq!(frames.answer(&frame, &mut output).consumed, frame.len());
    }
}

#[test]
fn several_frames_of_one_read_are_answered_by_one_write() {
    let payloads: Vec<_> = (0..40).map(some_bytes).collect();
    let input: Vec<u8> = payloads.iter().flat_map(|payload| from_client(FIN | TEXT, payload)).collect();
    let expected: Vec<u8> = payloads.iter().flat_map(|payload| from_server(FIN | TEXT, payload)).collect();
    let mut output = Vec::new();
    let progress = Frames::default().answer(&input, &mut output);
    assert_eq!(&output[..progress.written], &expected);
    assert_eq!((progress.consumed, progress.payload_b), (input.len(), (0..40).sum()));
    for chunk in 1..50 {
        assert_eq!(answer_in_chunks(&input, chunk), (expected.clone(), false), "{chunk} bytes at a time");
    }
}

#[test]
fn fragments_go_back_as_they_came_with_a_pong_between_them() {
    let input = [
        from_client(TEXT, b"one "),
        from_client(FIN | PING, b"are you there"),
        from_client(CONTINUATION, b"two "),
        from_client(FIN | CONTINUATION, b"three"),
        from_client(FIN | TEXT, b"whole"),
    ];
    let expected = [
        from_server(TEXT, b"one "),
        from_server(FIN | PONG, b"are you there"),
        from_server(CONTINUATION, b"two "),
        from_server(FIN | CONTINUATION, b"three"),
        from_server(FIN | TEXT, b"whole"),
    ];
    assert_eq!(answer_in_chunks(&input.concat(), 5), (expected.concat(), false));
}

#[test]
fn a_pong_is_not_answered() {
    assert_eq!(answer_in_chunks(&from_client(FIN | PONG, b"here"), 64), (Vec::new(), false));
}

#[test]
fn a_close_is_answered_with_its_own_code_and_nothing_after_it() {
    let close = [0x03, 0xE8, b'b', b'y', b'e'];
    let input = [from_client(FIN | CLOSE, &close), from_client(FIN | TEXT, b"too late")].concat();
    assert_eq!(answer_in_chunks(&input, 64), (from_server(FIN | CLOSE, &close), true));
}

#[test]
fn what_a_client_must_not_send_is_answered_by_a_close_with_1002() {
    let expected = (vec![FIN | CLOSE, 2, 0x03, 0xEA], true);
    let offences = [
        ("no mask", from_server(FIN | TEXT, b"bare")),
        ("a reserved bit", from_client(FIN | 0x40 | TEXT, b"compressed")),
        ("a reserved opcode", from_client(FIN | 0x3, b"")),
        ("a reserved control opcode", from_client(FIN | 0xB, b"")),
        ("a continuation of nothing", from_client(FIN | CONTINUATION, b"")),
        ("a ping in fragments", from_client(PING, b"")),
        ("a ping of 126 bytes", from_client(FIN | PING, &some_bytes(126))),
    ];
    for (offence, input) in offences {
        assert_eq!(answer_in_chunks(&input, 64), expected, "{offence}");
    }
    let (said, end) = answer_in_chunks(&[from_client(TEXT, b"a"), from_client(TEXT, b"b")].concat(), 64);
    assert_eq!((&said[3..], end), (expected.0.as_slice(), true), "a message within a message");
}

#[test]
fn a_frame_beyond_the_largest_is_answered_by_a_close_with_1009() {
    let heads = [head(FIN | BINARY, MASKED, FRAME_B_MAX + 1), head(FIN | BINARY, MASKED, usize::MAX)];
    for mut head in heads {
        head.extend(MASK);
        assert_eq!(answer_in_chunks(&head, 64), (vec![FIN | CLOSE, 2, 0x03, 0xF1], true));
    }
}
