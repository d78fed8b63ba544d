//! What a server sends of itself, twice, changed or too early: each is counted as what it is, and moves no other number.

mod support;

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use support::{frame, make_load, run, run_while, run_with, serve, Frame, Peer, Run};
use swarm::arrivals::Process;
use swarm::config::{Config, Reconnect};
use swarm::dialect::Behaviour;
use swarm::message::payload::Size;

const TEXT: u8 = 0x81;
const BINARY: u8 = 0x82;
const PING: u8 = 0x89;
const PONG: u8 = 0x8a;
const CLOSE_1000: &[u8] = b"\x88\x02\x03\xe8";
const PAYLOAD_B: usize = 20;

/// Answers each message with what is made of it, and of how many came before.
fn answering(answer: impl Fn(&[u8], usize) -> Vec<u8> + Send + Sync + Clone + 'static) -> u16 {
    serve(move |mut peer| {
        peer.upgrade();
        answer_all(&mut peer, &answer);
    })
}

fn answer_all(peer: &mut Peer, answer: &impl Fn(&[u8], usize) -> Vec<u8>) {
    let mut count = 0;
    while let Some(Frame { body, .. }) = peer.read_frame().filter(|frame| frame.opcode < 8) {
        peer.write(&answer(&body, count));
        count += 1;
    }
}

/// Of an echo: sent, received, wrong, duplicate, out of order, unasked.
fn counts(run: &Run) -> [u64; 6] {
    let window = run.tally.window;
    [window.sent, window.received, window.wrong, window.duplicate, window.out_of_order, window.unasked]
}

fn changed(body: &[u8], at: usize) -> Vec<u8> {
    let mut body = body.to_vec();
    body[at] = b'#';
    body
}

#[test]
fn each_hostile_answer_is_counted_as_what_it_is() {
    type Answer = fn(&[u8], usize) -> Vec<u8>;
    // of n messages: what comes of them
    type Counts = fn(u64) -> [u64; 6];
    let all_wrong: Counts = |n| [n, n, n, 0, 0, 0];
    let none_answered_all_unasked: Counts = |n| [n, 0, 0, 0, 0, n];
    let cases: [(&str, Answer, Counts); 15] = [
        ("right", |body, _| frame(TEXT, body), |n| [n, n, 0, 0, 0, 0]),
        ("twice", |body, _| frame(TEXT, body).repeat(2), |n| [n, n, 0, n, 0, 0]),
        ("a wrong byte", |body, _| frame(TEXT, &changed(body, 15)), all_wrong),
        ("a wrong last byte", |body, _| frame(TEXT, &changed(body, PAYLOAD_B - 1)), all_wrong),
        ("a wrong byte in its number", |body, _| frame(TEXT, &changed(body, 3)), all_wrong),
        ("cut", |body, _| frame(TEXT, &body[..12]), all_wrong),
        ("with more behind it", |body, _| frame(TEXT, &[body, b"more"].concat()), all_wrong),
        ("binary for text", |body, _| frame(BINARY, body), all_wrong),
        ("other words of its length", |_, _| frame(TEXT, b"{\"tick\":1234567890.}"), none_answered_all_unasked),
        ("an empty message", |_, _| frame(TEXT, b""), none_answered_all_unasked),
        ("one letter", |_, _| frame(TEXT, b"a"), none_answered_all_unasked),
        ("a number that was not sent", |body, _| frame(TEXT, &[b"aaapaaaa", &body[8..]].concat()), all_wrong),
        ("a pong in its place", |body, _| frame(PONG, body), |n| [n, 0, 0, 0, 0, 0]),
        ("words before it", |body, _| [frame(TEXT, b"hello"), frame(TEXT, body)].concat(), |n| [n, n, 0, 0, 0, n]),
        ("words after it", |body, _| [frame(TEXT, body), frame(TEXT, b"aaaaaaaa")].concat(), |n| [n, n, 0, 0, 0, n]),
    ];
    std::thread::scope(|scope| {
        for (name, answer, expected) in cases {
            scope.spawn(move || {
                let run = run(answering(answer));
                assert!(run.tally.window.sent > 0, "{name}");
                assert_eq!(counts(&run), expected(run.tally.window.sent), "{name}");
            });
        }
    });
}

#[test]
fn answers_that_overtake_each_other_are_out_of_order_and_right() {
    let held = Arc::new(Mutex::new(Vec::new()));
    let run = run(answering(move |body, count| {
        let mut held = held.lock().unwrap();
        held.insert(0, frame(TEXT, body));
        if count % 2 == 0 {
            Vec::new()
        } else {
            std::mem::take(&mut *held).concat()
        }
    }));
    let [sent, received, wrong, duplicate, out_of_order, unasked] = counts(&run);
    assert!(received > 0 && sent - received <= 1, "{:?}", counts(&run));
    assert_eq!([wrong, duplicate, unasked, out_of_order], [0, 0, 0, received / 2]);
}

#[test]
fn a_broadcast_that_comes_again_is_a_duplicate_also_behind_later_ones() {
    let held = Arc::new(Mutex::new(Vec::new()));
    let run = run_with(
        answering(move |body, _| {
            let mut held = held.lock().unwrap();
            held.push(frame(TEXT, body));
            // of three: the second first, and the first once more at their end
            if held.len() < 3 {
                return Vec::new();
            }
            let [first, second, third] = std::mem::take(&mut *held).try_into().unwrap();
            [second, first.clone(), third, first].concat()
        }),
        |config| {
            (config.connections, config.behaviour) = (1, Behaviour::Broadcast);
            config.payload.bytes = Size::Fixed(64);
        },
    );
    let [sent, received, wrong, duplicate, out_of_order, unasked] = counts(&run);
    let times = received / 3;
    assert!(times > 0 && sent - received <= 2 && received % 3 <= 2, "{:?}", counts(&run));
    assert_eq!([wrong, unasked], [0, 0]);
    assert!(duplicate.abs_diff(times) <= 1 && out_of_order.abs_diff(times) <= 1, "{:?}", counts(&run));
}

fn pings(config: &mut Config) {
    config.behaviour = Behaviour::PingPong;
    // so far apart that no pong of one is late enough to answer the next
    config.arrivals = Process::Constant { period_ms: 300.0 };
}

#[test]
fn of_pongs_those_are_wrong_that_answer_a_ping_in_another_form_and_the_rest_is_unasked() {
    type Answer = fn(usize) -> Vec<u8>;
    // received, wrong and unasked of n pings
    type Counts = fn(u64) -> [u64; 3];
    fn pong_of(count: usize) -> String {
        format!(r#"{{"event":"pong","data":{count}}}"#)
    }
    let cases: [(&str, Answer, Counts); 6] = [
        ("right", |count| frame(TEXT, pong_of(count + 1).as_bytes()), |n| [n, 0, 0]),
        ("twice", |count| frame(TEXT, pong_of(count + 1).as_bytes()).repeat(2), |n| [n, 0, n]),
        ("always the same count", |_| frame(TEXT, pong_of(7).as_bytes()), |n| [n, n - 1, 0]),
        ("without a count", |_| frame(TEXT, br#"{"event":"pong"}"#), |n| [n, n, 0]),
        ("binary for text", |count| frame(BINARY, pong_of(count + 1).as_bytes()), |n| [n, n, 0]),
        ("other words", |_| frame(TEXT, br#"{"tick":1}"#), |n| [0, 0, n]),
    ];
    std::thread::scope(|scope| {
        for (name, answer, expected) in cases {
            scope.spawn(move || {
                let run = run_with(answering(move |_, count| answer(count)), pings);
                let window = run.tally.window;
                assert!(window.sent > 0, "{name}");
                assert_eq!([window.received, window.wrong, window.unasked], expected(window.sent), "{name}");
            });
        }
    });
}

#[test]
fn what_comes_with_the_upgrade_answers_no_message_that_was_not_sent() {
    let pong = frame(TEXT, br#"{"event":"pong","data":1}"#);
    let first_echo = frame(TEXT, b"aaaaaaaa");
    for (behaviour, greeting) in [(Behaviour::PingPong, pong), (Behaviour::Echo, first_echo)] {
        let port = serve(move |mut peer| {
            peer.upgrade_with(&greeting);
            peer.wait_for_end();
        });
        let run = run_with(port, |config| {
            config.behaviour = behaviour;
            config.payload.bytes = Size::Fixed(8);
            config.arrivals = Process::Closed { outstanding: 1 };
        });
        let mut all = run.tally.early;
        all.add(&run.tally.window);
        assert_eq!([all.sent, all.received, all.wrong, all.duplicate, all.unasked], [1, 0, 0, 0, 1], "{behaviour:?}");
    }
}

#[test]
fn a_greeting_of_an_idle_connection_is_no_wrong_answer() {
    let run = run_with(
        serve(|mut peer| {
            peer.upgrade_with(&frame(TEXT, b"welcome"));
            peer.wait_for_end();
        }),
        |config| {
            (config.connections, config.behaviour) = (10, Behaviour::Idle);
        },
    );
    assert_eq!((run.total_unasked(), run.total_wrong(), run.drops()), (10, 0, 0));
}

#[test]
fn a_ticker_beside_slow_echoes_moves_neither_latency_nor_duplicates() {
    const DELAY: Duration = Duration::from_millis(50);
    let ticking = answering(|body, _| {
        let mut bytes = frame(TEXT, br#"{"tick":1}"#);
        std::thread::sleep(DELAY);
        bytes.extend(frame(TEXT, body));
        bytes.extend(frame(TEXT, br#"{"tick":1}"#));
        bytes
    });
    let run = run_with(ticking, |config| config.drain_s = 60.0); // it ends as soon as all is there
    let [sent, received, wrong, duplicate, out_of_order, unasked] = counts(&run);
    assert!(received > 0 && run.tally.window.service_sum_ns >= u128::from(received) * DELAY.as_nanos());
    assert_eq!([received, wrong, duplicate, out_of_order, unasked], [sent, 0, 0, 0, 2 * sent]);
}

#[test]
fn no_more_are_answered_than_were_sent_by_a_peer_that_stops_reading() {
    let run = run_with(
        serve(|mut peer| {
            peer.upgrade();
            for _ in 0..20 {
                if let Some(asked) = peer.read_frame() {
                    peer.write(&frame(TEXT, &asked.body));
                }
            }
            std::thread::sleep(Duration::from_secs(600)); // longer than the load
        }),
        |config| {
            config.payload.bytes = Size::Fixed(50_000);
            config.arrivals = Process::Closed { outstanding: 300 };
        },
    );
    let mut all = run.tally.early;
    all.add(&run.tally.window);
    assert_eq!((all.received, all.due), (20, 320));
    assert!(all.sent >= 20 && all.sent < 320, "what the sockets hold, and no more: {all:?}");
    assert_eq!(all.sent + all.unsent_remote, all.due, "{all:?}");
}

#[test]
fn what_counts_as_unsent_at_the_close_goes_out_no_more() {
    let (tell, told) = std::sync::mpsc::channel();
    let port = serve(move |mut peer| {
        peer.upgrade();
        std::thread::sleep(Duration::from_millis(2000)); // it reads on in the second in which swarm closes
        let messages = std::iter::from_fn(|| peer.read_frame()).take_while(|frame| frame.opcode != 8).count();
        let _ = tell.send(messages as u64);
    });
    let run = run_with(port, |config| {
        config.payload.bytes = Size::Fixed(50_000);
        config.arrivals = Process::Closed { outstanding: 300 };
    });
    let window = run.tally.window;
    let arrived = told.recv_timeout(Duration::from_secs(60)).unwrap();
    assert!(window.unsent_remote > 0, "the sockets hold less than 15 MB: {window:?}");
    assert!((window.sent..=window.sent + 1).contains(&arrived), "one was under way: {arrived} {window:?}");
}

#[test]
fn what_falls_due_while_an_upgrade_is_never_answered_is_the_servers_doing() {
    let run = run_with(serve(|mut peer| peer.wait_for_end()), |config| config.connect_timeout_s = 0.5);
    let window = run.tally.window;
    assert_eq!((window.unsent_local, window.unsent_remote), (0, window.due), "{window:?}");
}

/// Serves one connection, which tells whether the client ended TCP before the server did.
fn ended_first(close: impl Fn(&mut Peer) + Send + Sync + Clone + 'static, change: fn(&mut Config)) -> Vec<bool> {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let told = seen.clone();
    run_with(
        serve(move |mut peer| {
            peer.upgrade();
            close(&mut peer);
            let is_first = peer.is_ended_within(Duration::from_millis(50));
            told.lock().unwrap().push(is_first);
        }),
        change,
    );
    let seen = seen.lock().unwrap();
    seen.clone()
}

#[test]
fn the_server_ends_tcp_first_whoever_closes() {
    let answers_close = |peer: &mut Peer| {
        answer_all(peer, &|body, _| frame(TEXT, body));
        peer.write(CLOSE_1000);
    };
    let closes = |peer: &mut Peer| {
        peer.write(CLOSE_1000);
        while peer.read_frame().is_some_and(|frame| frame.opcode < 8) {}
        peer.write(&frame(TEXT, b"said after the close"));
    };
    assert_eq!(ended_first(answers_close, |_| {}), [false]);
    assert_eq!(ended_first(closes, |_| {}), [false]);
    let churned = ended_first(answers_close, |config| config.churn_hz = 4.0);
    assert!(churned.len() > 1 && !churned.contains(&true), "{churned:?}");
    let returned = Arc::new(AtomicBool::new(false));
    let drops_once = move |peer: &mut Peer| {
        if returned.swap(true, SeqCst) {
            answers_close(peer);
        }
    };
    let came_back = ended_first(drops_once, |config| {
        config.reconnect = Some(Reconnect { delay_ms: 50.0, jitter_ms: 0.0, factor: 1.0, max_ms: 1e7 });
    });
    assert_eq!(came_back, [false, false], "the first was dropped by the server");
}

#[test]
fn a_close_is_counted_once_and_what_is_said_after_it_is_not() {
    let run = run(serve(|mut peer| {
        peer.upgrade();
        if let Some(asked) = peer.read_frame() {
            peer.write(&[CLOSE_1000, &frame(TEXT, &asked.body), b"\xff\xff"].concat());
            std::thread::sleep(Duration::from_millis(50));
            peer.write(b"\xff\xffnonsense");
            peer.wait_for_end();
        }
    }));
    let window = run.tally.window;
    assert_eq!((run.drops(), run.tally.closed_by_peer.get(&1000), run.violations()), (1, Some(&1), 0));
    assert_eq!((window.sent, window.received, window.unasked), (1, 0, 0), "{}", run.errors());
    assert_eq!(window.due, window.sent + window.unsent_remote, "{window:?}");
}

#[test]
fn a_reset_and_a_half_closed_connection_are_drops() {
    let reset = run(serve(|mut peer| {
        peer.upgrade();
        if peer.read_frame().is_some() {
            peer.write(b"\x81\x14half");
            peer.reset();
        }
    }));
    assert_eq!((reset.drops(), reset.tally.closed_by_peer.get(&1006)), (1, Some(&1)), "{}", reset.errors());
    let half = run(serve(|mut peer| {
        peer.upgrade();
        peer.end_writing();
        peer.wait_for_end();
    }));
    assert_eq!((half.drops(), half.tally.closed_by_peer.get(&1006)), (1, Some(&1)), "{}", half.errors());
}

#[test]
fn pongs_do_not_pile_up_for_a_server_that_pings_and_does_not_read() {
    const PINGS: u32 = 400_000; // 50 MB of them
    const HELD_MAX_B: usize = 25_000_000; // of both sockets' buffers, and what is not of them
    let is_over = Arc::new(AtomicBool::new(false));
    let pongs = Arc::new(Mutex::new((0, 0)));
    let (done, told) = (is_over.clone(), pongs.clone());
    let port = serve(move |mut peer| {
        peer.upgrade();
        for number in 0..PINGS {
            peer.write(&frame(PING, format!("{number:0>120}").as_bytes()));
        }
        let (mut bytes, mut last) = (0, 0);
        while last + 1 < PINGS {
            let Some(pong) = peer.read_frame() else { break };
            bytes += pong.body.len();
            last = String::from_utf8(pong.body).unwrap().parse().unwrap();
        }
        *told.lock().unwrap() = (bytes, last);
        done.store(true, SeqCst);
        peer.wait_for_end();
    });
    let load = make_load(port, |config| (config.behaviour, config.hold_s) = (Behaviour::Idle, 3600.0));
    let began = Instant::now();
    run_while(&load, || !is_over.load(SeqCst) && began.elapsed() < Duration::from_secs(300));
    let (bytes, last) = *pongs.lock().unwrap();
    assert_eq!(last, PINGS - 1, "the last ping is answered");
    assert!(bytes < HELD_MAX_B, "{bytes} bytes of pongs were kept");
}
