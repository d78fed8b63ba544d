//! permessage-deflate against a server that does its own by zlib.

mod support;

use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress};
use support::{frame, load, make_load, run_until_answered, serve, Peer, Run};
use swarm::config::Config;
use swarm::message::payload::Size;
use swarm::websocket::deflate::Offer;

/// An echo server that compresses as it was told, and insists on it.
#[derive(Clone)]
struct Server {
    answer: &'static str,
    /// of the client's messages
    client_bits: u8,
    client_forgets: bool,
    server_forgets: bool,
    /// 0: no fragments
    fragment_b: usize,
}

impl Default for Server {
    fn default() -> Self {
        let (client_bits, client_forgets, server_forgets, fragment_b) = (15, false, false, 0);
        Self { answer: "permessage-deflate", client_bits, client_forgets, server_forgets, fragment_b }
    }
}

impl Server {
    fn serve(self, mut peer: Peer) {
        peer.upgrade_saying(&format!("Sec-WebSocket-Extensions: {}\r\n", self.answer));
        // zlib has no window of 256 bytes; the test of the module has one
        let mut into = Decompress::new_with_window_bits(false, self.client_bits.max(9));
        let mut out = Compress::new(Compression::fast(), false);
        while let Some(read) = peer.read_frame().filter(|read| read.opcode != 8) {
            if read.opcode == 10 {
                continue; // the answer to a ping
            }
            assert!(read.is_compressed, "a message that is not compressed");
            let body = inflate(&mut into, &[&read.body[..], &[0, 0, 0xff, 0xff]].concat());
            if self.client_forgets {
                into.reset(false);
            }
            let mut compressed = deflate(&mut out, &body);
            compressed.truncate(compressed.len() - 4);
            if self.server_forgets {
                out.reset();
            }
            self.write(&mut peer, read.opcode, &compressed);
        }
    }

    fn write(&self, peer: &mut Peer, opcode: u8, body: &[u8]) {
        if self.fragment_b == 0 {
            peer.write(&frame(0xc0 | opcode, body));
            return;
        }
        let count = body.chunks(self.fragment_b).count();
        for (at, part) in body.chunks(self.fragment_b).enumerate() {
            let first = if at == 0 { 0x40 | opcode } else { 0 };
            peer.write(&frame(first | if at + 1 == count { 0x80 } else { 0 }, part));
            peer.write(&frame(0x89, b"a ping between"));
        }
    }
}

fn inflate(by: &mut Decompress, bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(1 << 20);
    by.decompress_vec(bytes, &mut out, FlushDecompress::Sync).expect("the client's messages decompress");
    out
}

fn deflate(by: &mut Compress, bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(1 << 20);
    by.compress_vec(bytes, &mut out, FlushCompress::Sync).unwrap();
    out
}

fn offering(offer: Offer) -> impl FnOnce(&mut Config) {
    |config| config.deflate = Some(offer)
}

fn run(server: Server, offer: Offer, bytes: u32) -> Run {
    let port = serve(move |peer: Peer| server.clone().serve(peer));
    run_until_answered(20, port, |config| {
        offering(offer)(config);
        config.connections = 2;
        config.payload.bytes = Size::Fixed(bytes);
        config.arrivals = serde_json::from_value(serde_json::json!({"kind": "closed", "outstanding": 3})).unwrap();
    })
}

fn expect_whole(run: &Run, agreed: &str) {
    assert_eq!((run.missing(), run.total_wrong(), run.drops(), run.total_unasked()), (0, 0, 0, 0), "{}", run.errors());
    let told = &run.tally.deflate;
    assert_eq!(told.agreed.keys().collect::<Vec<_>>(), [agreed]);
    assert_eq!((told.agreed[agreed], told.declined), (2, 0));
    assert!(told.sent_b >= 20 && told.received_b > 0 && told.saved_b() != 0, "{told:?}");
}

#[test]
fn messages_come_back_with_windows_that_are_kept() {
    for bytes in [1, 20, 1000, 100_000] {
        expect_whole(
            &run(Server::default(), Offer::default(), bytes),
            "server_max_window_bits=15; client_max_window_bits=15",
        );
    }
}

#[test]
fn both_sides_may_forget_their_windows() {
    let answer = "permessage-deflate; client_no_context_takeover; server_no_context_takeover";
    let server = Server { answer, client_forgets: true, server_forgets: true, ..Server::default() };
    let told =
        "server_max_window_bits=15; client_max_window_bits=15; server_no_context_takeover; client_no_context_takeover";
    expect_whole(&run(server, Offer::default(), 5000), told);
}

#[test]
fn a_client_that_said_that_it_forgets_does_so() {
    let server = Server { client_forgets: true, ..Server::default() };
    let offer = Offer { client_no_context_takeover: true, ..Offer::default() };
    let told = "server_max_window_bits=15; client_max_window_bits=15; client_no_context_takeover";
    expect_whole(&run(server, offer, 300), told);
}

#[test]
fn every_window_of_the_client_is_kept_to() {
    for (client_bits, answer) in [
        (8, "permessage-deflate; client_max_window_bits=8"),
        (9, "permessage-deflate; client_max_window_bits=9"),
        (12, "permessage-deflate; client_max_window_bits=12"),
    ] {
        let server = Server { answer, client_bits, ..Server::default() };
        let told = format!("server_max_window_bits=15; client_max_window_bits={client_bits}");
        expect_whole(&run(server, Offer::default(), 70_000), &told);
    }
}

#[test]
fn a_compressed_message_in_fragments_with_pings_between_them_is_put_together() {
    let server = Server { fragment_b: 100, ..Server::default() };
    expect_whole(&run(server, Offer::default(), 1000), "server_max_window_bits=15; client_max_window_bits=15");
}

#[test]
fn a_server_that_does_not_compress_is_counted_and_its_answers_are() {
    let port = serve(support::echo);
    let run = run_until_answered(5, port, offering(Offer::default()));
    assert_eq!((run.tally.deflate.declined, run.missing(), run.total_wrong()), (1, 0, 0));
    assert!(run.tally.deflate.agreed.is_empty());
}

/// What a load to such a server says went wrong.
fn errors(serve_it: impl Fn(&mut Peer) + Send + Sync + Clone + 'static) -> String {
    let port = serve(move |mut peer: Peer| {
        serve_it(&mut peer);
        peer.wait_for_end();
    });
    let load = make_load(port, offering(Offer::default()));
    let (tally, _) = swarm::worker::run(&load, 0).unwrap();
    format!("{:?}", tally.errors)
}

#[test]
fn what_breaks_the_agreement_ends_the_connection_and_is_told() {
    let agreed = |peer: &mut Peer| drop(peer.upgrade_saying("Sec-WebSocket-Extensions: permessage-deflate\r\n"));
    let says = |bytes: &'static [u8]| {
        move |peer: &mut Peer| {
            agreed(peer);
            peer.write(bytes);
        }
    };
    let garbage = errors(says(b"\xc2\x04\xff\xff\xff\xff"));
    assert!(garbage.contains("a message that does not decompress"), "{garbage}");
    let ping = errors(says(b"\xc9\x00"));
    assert!(ping.contains("reserved bits are set that were not agreed on"), "{ping}");
    let continued = errors(says(b"\x42\x01a\xc0\x01b"));
    assert!(continued.contains("reserved bits are set that were not agreed on"), "{continued}");
    let unagreed = errors(|peer: &mut Peer| {
        peer.upgrade();
        peer.write(b"\xc1\x00");
    });
    assert!(unagreed.contains("reserved bits are set that were not agreed on"), "{unagreed}");
    let strange =
        errors(|peer: &mut Peer| drop(peer.upgrade_saying("Sec-WebSocket-Extensions: permessage-snappy\r\n")));
    assert!(strange.contains("permessage-snappy") && strange.contains("it was not asked for"), "{strange}");
}

#[test]
fn a_message_cut_short_is_a_wrong_answer_or_a_violation_and_never_a_right_one() {
    let port = serve(|mut peer: Peer| {
        peer.upgrade_saying("Sec-WebSocket-Extensions: permessage-deflate\r\n");
        while let Some(read) = peer.read_frame().filter(|read| read.opcode != 8) {
            peer.write(&frame(0xc0 | read.opcode, &read.body[..read.body.len() / 2]));
        }
    });
    let load = make_load(port, |config| {
        offering(Offer::default())(config);
        config.payload.bytes = Size::Fixed(1000);
    });
    let (tally, _) = swarm::worker::run(&load, 0).unwrap();
    assert_eq!(tally.window.received, tally.window.wrong, "{:?} {:?}", tally.window, tally.errors);
}

#[test]
fn what_can_not_be_offered_is_refused() {
    let offer = Offer { client_max_window_bits: Some(7), level: 0, ..Offer::default() };
    let problems = Config { deflate: Some(offer), ..load(9) }.problems();
    assert!(problems[0].starts_with("deflate.client_max_window_bits is 7; set it to 8"), "{problems:?}");
    assert!(problems[1].starts_with("deflate.level is 0; "), "{problems:?}");
}
