//! Clients that read slowly or not at all, ping, close in their own way, and come back with patience.

mod support;

use serde_json::json;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use support::{echo, frame, make_load, run_until_answered, serve, Peer, Run};
use swarm::arrivals::Process;
use swarm::config::client::Client;
use swarm::config::Config;
use swarm::dialect::Behaviour;
use swarm::message::own::Own;
use swarm::message::payload::Size;

fn run(port: u16, change: impl FnOnce(&mut Config)) -> Run {
    let (tally, _) = swarm::worker::run(&make_load(port, change), 0).unwrap();
    Run { tally }
}

#[test]
fn a_slow_reader_reads_as_fast_as_it_was_told() {
    // far more than it can read, and than the kernel holds for it
    let port = serve(|mut peer: Peer| {
        peer.upgrade();
        let message = frame(0x82, &[7; 8192]);
        while peer.write(&message) {}
    });
    const RATE_B_S: f64 = 400_000.0;
    let run = run(port, |config| {
        (config.behaviour, config.messages) = (Behaviour::Own, Some(Own { subscribe: true, ..Own::default() }));
        config.client = Client { read_rate_b_s: RATE_B_S, ..Client::default() };
    });
    let tally = &run.tally;
    let read_b = 8192.0 * (tally.early.subscribed + tally.window.subscribed + tally.subscribed_after) as f64;
    // a second, and half of one of the drain, and what was there when it opened
    assert!((0.6 * RATE_B_S..3.0 * RATE_B_S).contains(&read_b), "{read_b} B");
    assert_eq!(run.violations(), 0, "{}", run.errors());
}

#[test]
fn who_stops_to_read_counts_apart_and_the_others_are_answered() {
    let port = serve(echo);
    let run = run(port, |config| {
        config.connections = 10;
        config.client = Client { stop_reading: 0.3, ..Client::default() };
    });
    let window = &run.tally.window;
    assert_eq!(window.received + window.unread, window.sent, "{window:?}");
    assert!(window.unread >= 24 && window.received >= 56 && run.drops() == 0, "{window:?} {}", run.errors());
}

#[test]
fn what_a_slow_reader_has_not_read_by_the_end_is_unread_and_not_missing() {
    let port = serve(echo);
    let run = run(port, |config| {
        config.payload.bytes = Size::Fixed(1000);
        config.client = Client { read_rate_b_s: 2_000.0, ..Client::default() };
    });
    let window = &run.tally.window;
    assert!(window.unread > 0 && window.received > 0, "{window:?} {}", run.errors());
    assert_eq!(window.received + window.unread, window.sent, "{window:?}");
}

#[test]
fn a_server_that_does_not_answer_a_slow_reader_leaves_messages_missing() {
    let port = serve(|mut peer: Peer| {
        peer.upgrade();
        peer.wait_for_end();
    });
    let run = run(port, |config| config.client = Client { read_rate_b_s: 2_000.0, ..Client::default() });
    let window = &run.tally.window;
    assert_eq!((window.unread, window.received, window.sent > 0), (0, 0, true), "{window:?}");
}

#[test]
fn a_server_that_gives_up_who_does_not_read_is_told() {
    let port = serve(|mut peer: Peer| {
        peer.upgrade();
        peer.read_frame();
    });
    let run = run(port, |config| config.client = Client { stop_reading: 1.0, ..Client::default() });
    assert!(run.errors().contains("the server ended a connection that does not read"), "{}", run.errors());
}

#[test]
fn pings_are_sent_and_their_pongs_timed() {
    let port = serve(|mut peer: Peer| {
        peer.upgrade();
        while let Some(read) = peer.read_frame().filter(|read| read.opcode != 8) {
            if read.opcode == 9 {
                std::thread::sleep(Duration::from_millis(5));
                peer.write(&frame(0x8a, b"of something else"));
                peer.write(&frame(0x8a, &read.body));
            }
        }
    });
    let run = run(port, |config| {
        config.behaviour = Behaviour::Idle;
        config.client = Client { ping_every_ms: 50.0, ..Client::default() };
    });
    let connections = &run.tally.connections;
    assert!(connections.pings >= 10 && connections.pongs == connections.pings, "{connections:?}");
    let least_us = run.tally.seconds.iter().map(|second| second.ping.to_histogram()).filter(|ping| !ping.is_empty());
    assert!(least_us.map(|ping| ping.min()).min().unwrap() >= 4_900);
}

#[test]
fn a_ping_that_waits_through_a_stall_is_timed_from_when_it_was_due() {
    let port = serve(|mut peer: Peer| {
        peer.upgrade();
        std::thread::sleep(Duration::from_millis(400));
        while let Some(read) = peer.read_frame().filter(|read| read.opcode == 9) {
            peer.write(&frame(0x8a, &read.body));
        }
    });
    let run = run(port, |config| {
        config.behaviour = Behaviour::Idle;
        config.client = Client { ping_every_ms: 50.0, ..Client::default() };
    });
    let slow = run.tally.seconds.iter().map(|second| second.ping.to_histogram());
    let slow: u64 = slow
        .map(|ping| {
            ping.iter_recorded()
                .filter(|at| at.value_iterated_to() > 100_000)
                .map(|at| at.count_at_value())
                .sum::<u64>()
        })
        .sum();
    assert!(slow >= 4, "those of 50 to 300 ms: {slow}, {:?}", run.tally.connections);
}

/// How a server sees clients end: the code of the close frame, or none.
fn ends_of(client: Client) -> Vec<Option<u16>> {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let told = seen.clone();
    let port = serve(move |mut peer: Peer| {
        peer.upgrade();
        let end = loop {
            match peer.read_frame() {
                Some(read) if read.opcode == 8 => break Some(u16::from_be_bytes([read.body[0], read.body[1]])),
                Some(read) => drop(peer.write(&frame(0x81, &read.body))),
                None => break None,
            }
        };
        told.lock().unwrap().push(end);
    });
    let run = run_until_answered(3, port, |config| config.client = client);
    assert_eq!((run.missing(), run.drops()), (0, 0), "{}", run.errors());
    std::thread::sleep(Duration::from_millis(100));
    let ends = seen.lock().unwrap().clone();
    ends
}

#[test]
fn connections_end_as_they_were_told_to() {
    assert_eq!(ends_of(Client::default()), [Some(1000)]);
    assert_eq!(ends_of(Client { close_code: 4001, ..Client::default() }), [Some(4001)]);
    assert_eq!(ends_of(Client { abort: true, ..Client::default() }), [None]);
}

#[test]
fn the_time_between_attempts_grows_and_recovery_is_told() {
    let (attempts, begun) = (Arc::new(Mutex::new(Vec::new())), Instant::now());
    let (told, count) = (attempts.clone(), Arc::new(AtomicU64::new(0)));
    let port = serve(move |mut peer: Peer| {
        told.lock().unwrap().push(begun.elapsed());
        match count.fetch_add(1, Relaxed) {
            0 => {
                peer.upgrade();
                peer.read_frame(); // and it drops the connection
            }
            1..=4 => peer.refuse("HTTP/1.1 503 Busy\r\n\r\n"),
            _ => echo(peer),
        }
    });
    let run = run_until_answered(3, port, |config| {
        config.reconnect = serde_json::from_value(json!({"delay_ms": 20.0, "factor": 2.0, "max_ms": 100.0})).unwrap();
    });
    let times = attempts.lock().unwrap().clone();
    let gaps_ms: Vec<_> = times.windows(2).skip(1).map(|pair| (pair[1] - pair[0]).as_millis()).collect();
    // 40, 80, 100, 100: the first, of 20, is counted from the drop
    assert!(gaps_ms.iter().zip([40, 80, 100, 100]).all(|(gap, least)| *gap + 1 >= least), "{gaps_ms:?}");
    assert!(gaps_ms[3] < 400, "no longer than the most: {gaps_ms:?}");
    assert_eq!(run.tally.refusals.0[&503].count, 4);
    assert!(run.tally.recovery_ns().unwrap() >= 330_000_000, "{:?}", run.tally.recovery_ns());
}

#[test]
fn slow_readers_that_churn_read_no_faster() {
    const RATE_B_S: f64 = 20_000.0;
    let run = run(serve(echo), |config| {
        config.connections = 4;
        config.churn_hz = 8.0;
        config.payload.bytes = Size::Fixed(1000);
        config.arrivals = Process::Constant { period_ms: 10.0 };
        config.client = Client { read_rate_b_s: RATE_B_S, ..Client::default() };
    });
    let window = run.tally.window;
    let read_b = 1000.0 * window.received as f64;
    assert!(run.tally.connections.churned >= 4, "{:?}", run.tally.connections);
    // each of the four is offered 100 kB a second for a second, and may take a fifth of that, also while it waits for its end
    assert!((0.5..2.5).contains(&(read_b / (4.0 * RATE_B_S))), "{read_b} B {window:?}");
    assert_eq!(window.due, window.sent + window.unsent_local + window.unsent_remote, "{window:?}");
}

#[test]
fn stopped_readers_that_churn_close_at_once_and_count_no_answer_twice() {
    let run = run(serve(echo), |config| {
        config.connections = 4;
        config.churn_hz = 10.0;
        config.client = Client { stop_reading: 1.0, ..Client::default() };
    });
    let window = run.tally.window;
    assert!(run.tally.connections.churned >= 5, "{:?}", run.tally.connections);
    assert!(window.received == 0 && window.unread == window.sent, "{window:?}");
}
