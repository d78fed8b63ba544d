//! Servers that break RFC 6455, or stop, or answer byte by byte: each is handled, or counted as what it is.

mod support;

use support::{echo, run, run_until_answered, run_with, serve, serve_bytes, Echo, Run};
use swarm::arrivals::Process;
use swarm::dialect::Behaviour;
use swarm::message::payload::Size;

/// A server that answers the first message of each connection with these bytes, and then waits.
fn answered_with(bytes: &'static [u8]) -> Run {
    run(serve(move |mut peer| {
        peer.upgrade();
        if peer.read_frame().is_some() {
            peer.write(bytes);
            peer.wait_for_end();
        }
    }))
}

#[test]
fn an_echo_comes_back_whole() {
    let run = run(serve(echo));
    assert!(run.tally.window.received > 0);
    assert_eq!((run.tally.window.wrong, run.missing(), run.drops()), (0, 0, 0));
}

#[test]
fn an_echo_byte_by_byte_comes_back_whole() {
    let run = run(serve(|peer| Echo { bytes_a_write: 1, ..Echo::default() }.serve(peer)));
    assert!(run.tally.window.received > 0);
    assert_eq!((run.tally.window.wrong, run.missing(), run.drops()), (0, 0, 0));
}

#[test]
fn an_echo_in_fragments_with_pings_between_them_comes_back_whole_and_the_pings_are_answered() {
    let run = run(serve(|peer| Echo { fragment_b: 3, pings: true, ..Echo::default() }.serve(peer)));
    assert!(run.tally.window.received > 0);
    assert_eq!((run.tally.window.wrong, run.missing(), run.drops()), (0, 0, 0));
    assert_eq!(run.violations(), 0);
}

#[test]
fn what_the_rfc_forbids_ends_the_connection_and_is_told() {
    let forbidden: [(&'static [u8], &str); 9] = [
        (b"\xc1\x00", "reserved bits"),
        (b"\x83\x00", "unknown opcode"),
        (b"\x81\x80\x00\x00\x00\x00", "masked"),
        (b"\x80\x00", "continuation of nothing"),
        (b"\x01\x00\x81\x00", "within another"),
        (b"\x09\x00", "control frame"),
        (b"\x81\x7e\x00\x01", "fewest bytes"),
        (b"\x88\x01\x03", "close frame of one byte"),
        (b"\x88\x02\x03\xed", "close code 1005"),
    ];
    std::thread::scope(|scope| {
        for (bytes, words) in forbidden {
            scope.spawn(move || {
                let run = answered_with(bytes);
                assert!(run.errors().contains(words), "{words}: {}", run.errors());
                assert_eq!(run.drops(), 1, "{words}");
                assert_eq!(run.missing(), 1, "{words}: the message went out, and nothing came back");
            });
        }
    });
}

#[test]
fn text_that_is_not_utf8_ends_the_connection_with_1007() {
    let closes = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let seen = closes.clone();
    let run = run(serve(move |mut peer| {
        peer.upgrade();
        if peer.read_frame().is_some() {
            peer.write(b"\x81\x01\xff");
            seen.lock().unwrap().extend(std::iter::from_fn(|| peer.read_frame()).last());
        }
    }));
    assert!(run.errors().contains("not UTF-8"), "{}", run.errors());
    let close = closes.lock().unwrap().pop().expect("a close frame came");
    assert_eq!((close.opcode, close.body), (8, 1007u16.to_be_bytes().to_vec()));
}

#[test]
fn a_frame_without_end_is_refused_rather_than_waited_for() {
    let run = answered_with(b"\x82\x7f\x00\x00\x00\x10\x00\x00\x00\x00");
    assert!(run.errors().contains("68719476736 bytes"), "{}", run.errors());
}

#[test]
fn a_server_that_stops_half_way_through_a_frame_is_waited_for_and_the_answer_is_missing() {
    let run = answered_with(b"\x81\x14half");
    assert_eq!((run.missing(), run.drops(), run.tally.window.received), (run.tally.window.sent, 0, 0));
}

#[test]
fn a_connection_that_ends_in_the_middle_of_a_frame_is_1006() {
    let run = run(serve(|mut peer| {
        peer.upgrade();
        if peer.read_frame().is_some() {
            peer.write(b"\x81\x14half");
        }
    }));
    assert_eq!((run.drops(), run.tally.closed_by_peer.get(&1006)), (1, Some(&1)));
}

#[test]
fn an_end_that_comes_together_with_data_is_seen_even_by_who_sends_nothing() {
    let server = serve(|mut peer| {
        peer.upgrade();
        std::thread::sleep(std::time::Duration::from_millis(100));
        peer.write(b"\x81\x14half");
    });
    let run = run_with(server, |config| config.behaviour = Behaviour::Idle);
    assert_eq!((run.drops(), run.tally.closed_by_peer.get(&1006)), (1, Some(&1)));
}

#[test]
fn a_close_frame_is_counted_by_its_code_and_answered() {
    for (bytes, code) in [(&b"\x88\x02\x03\xe9"[..], 1001), (b"\x88\x02\x0f\xa0", 4000), (b"\x88\x00", 1005)] {
        let run = answered_with(bytes);
        assert_eq!(run.tally.closed_by_peer.get(&code), Some(&1), "{code}");
        assert_eq!((run.drops(), run.missing()), (1, 1));
    }
}

#[test]
fn words_that_are_no_echo_answer_nothing_whenever_they_come() {
    let late = answered_with(b"\x81\x05hello");
    let window = late.tally.window;
    assert_eq!((window.unasked, window.wrong, window.received, late.missing()), (1, 0, 0, window.sent));
    let early = run(serve(|mut peer| {
        peer.upgrade();
        peer.write(b"\x81\x05hello");
        Echo::default().serve_open(peer);
    }));
    assert_eq!((early.total_unasked(), early.total_wrong(), early.missing()), (1, 0, 0));
}

#[test]
fn an_echo_of_the_other_type_is_wrong() {
    let run = run(serve(|peer| Echo { flips_type: true, ..Echo::default() }.serve(peer)));
    assert!(run.tally.window.received > 0);
    assert_eq!(run.tally.window.wrong, run.tally.window.received);
}

#[test]
fn a_wrong_accept_key_is_a_failed_connection() {
    let run = run(serve(|mut peer| {
        peer.refuse("HTTP/1.1 101 x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: AAAA\r\n\r\n")
    }));
    assert!(run.errors().contains("accept key"), "{}", run.errors());
    assert_eq!((run.tally.connections.failed_remote, run.tally.connections.opened), (1, 0));
}

#[test]
fn an_http_error_is_a_failed_connection_with_its_status() {
    let run = run(serve(|mut peer| peer.refuse("HTTP/1.1 503 Busy\r\n\r\n")));
    assert!(run.errors().contains("HTTP 503 Busy"), "{}", run.errors());
}

#[test]
fn a_handshake_byte_by_byte_succeeds() {
    let run = run(serve(|peer| Echo { slow_upgrade: true, ..Echo::default() }.serve(peer)));
    assert_eq!((run.tally.connections.opened, run.missing()), (1, 0));
}

#[test]
fn a_handshake_that_never_comes_has_timed_out() {
    let run = run_with(serve(|mut peer| peer.wait_for_end()), |config| config.connect_timeout_s = 0.3);
    assert_eq!((run.tally.connections.timed_out, run.tally.connections.failed_remote), (1, 1));
}

#[test]
fn a_port_where_nothing_listens_refuses() {
    let port = { std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port() };
    let run = run(port);
    assert_eq!((run.tally.connections.refused, run.tally.connections.failed_remote), (1, 1));
}

#[test]
fn interim_responses_before_the_upgrade_are_skipped() {
    let run = run(serve(|mut peer| {
        peer.write(b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n");
        echo(peer);
    }));
    assert_eq!((run.tally.connections.opened, run.missing()), (1, 0), "{}", run.errors());
}

#[test]
fn messages_of_every_length_form_come_back_whole() {
    // the longest takes more than one read
    std::thread::scope(|scope| {
        for bytes in [1, 5, 125, 126, 65_535, 65_536, 300_000] {
            scope.spawn(move || {
                let run = run_until_answered(10, serve(echo), |config| {
                    config.payload.bytes = Size::Fixed(bytes);
                    config.arrivals = Process::Closed { outstanding: 3 };
                });
                assert!(run.tally.window.received >= 10, "{bytes}");
                assert_eq!(
                    (run.tally.window.wrong, run.missing(), run.drops()),
                    (0, 0, 0),
                    "{bytes}: {}",
                    run.errors()
                );
            });
        }
    });
}

#[test]
fn a_server_that_does_not_read_makes_sends_late_and_loses_none() {
    let run = run_with(serve(|peer| Echo { pause_ms: 1500, ..Echo::default() }.serve(peer)), |config| {
        config.payload.bytes = Size::Fixed(500_000);
        config.arrivals = Process::Constant { period_ms: 40.0 };
        config.settle_s = 1; // what falls due before the connection is up is due and not sent
        config.drain_s = 30.0; // it ends as soon as all is there
    });
    let window = run.tally.window;
    assert!(
        window.late_remote > window.late / 2,
        "most of it is the server's doing, whatever else keeps this machine busy: {window:?}"
    );
    assert_eq!((window.sent, run.missing(), window.wrong), (window.due, 0, 0), "{window:?} {}", run.errors());
    let means = |sum_ns: u128| sum_ns as f64 / window.received as f64;
    assert!(means(window.latency_sum_ns) > means(window.service_sum_ns));
}

#[test]
fn connections_that_churn_are_no_drops_and_lose_no_message() {
    let run = run_with(serve(echo), |config| {
        config.connections = 10;
        config.churn_hz = 20.0;
        config.drain_s = 30.0; // it ends as soon as all is there
        config.arrivals = Process::Poisson { rate_hz: 50.0 };
    });
    let connections = run.tally.connections;
    assert!((1..=20).contains(&connections.churned), "{connections:?}");
    let returned = connections.opened - 10; // who retires as the load ends does not come back
    assert!(returned <= connections.churned && returned + 10 >= connections.churned, "{connections:?}");
    assert_eq!((run.drops(), run.missing(), run.tally.window.wrong), (0, 0, 0));
}

#[test]
fn what_falls_due_between_two_connections_of_churn_is_counted() {
    let due = |churn_hz: f64| {
        let run = run_with(serve(echo), |config| {
            config.connections = 4;
            config.churn_hz = churn_hz;
            config.drain_s = 30.0; // it ends as soon as all is there
            config.arrivals = Process::Constant { period_ms: 100.0 };
        });
        let window = run.tally.window;
        assert_eq!(window.due, window.sent + window.unsent_local + window.unsent_remote, "{window:?} {}", run.errors());
        window.due
    };
    assert_eq!(due(20.0), due(0.0));
}

#[test]
fn connections_without_websocket_churn_too() {
    let run = run_with(serve_bytes(), |config| {
        config.url = config.url.replace("ws:", "tcp:");
        config.dialect = "tcp".into();
        config.connections = 10;
        config.churn_hz = 20.0;
        config.drain_s = 30.0; // it ends as soon as all is there
        config.arrivals = Process::Poisson { rate_hz: 50.0 };
    });
    let connections = run.tally.connections;
    assert!((1..=20).contains(&connections.churned), "{connections:?}");
    let returned = connections.opened - 10;
    assert!(returned <= connections.churned && returned + 10 >= connections.churned, "{connections:?}");
    assert_eq!((run.drops(), run.missing(), run.tally.window.wrong), (0, 0, 0));
}

#[test]
fn a_server_that_never_stops_sending_holds_up_nothing() {
    let began = std::time::Instant::now();
    let run = run(serve(|mut peer| {
        peer.upgrade();
        let flood = b"\x8a\x00".repeat(500_000); // pongs that nobody asked for, which are allowed
        while peer.write(&flood) {}
    }));
    assert!(began.elapsed().as_secs_f64() < 120.0, "a bound on liveness, not a measure");
    assert_eq!((run.tally.connections.opened, run.tally.window.received), (1, 0));
}

#[test]
fn no_more_handshakes_are_under_way_than_allowed() {
    let (now, most) = (
        std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0)),
        std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0)),
    );
    let (count, peak) = (now.clone(), most.clone());
    let port = serve(move |mut peer| {
        use std::sync::atomic::Ordering::SeqCst;
        peak.fetch_max(count.fetch_add(1, SeqCst) + 1, SeqCst);
        std::thread::sleep(std::time::Duration::from_millis(20));
        count.fetch_sub(1, SeqCst);
        peer.upgrade();
        Echo::default().serve_open(peer);
    });
    let run = run_with(port, |config| {
        config.connections = 40;
        config.connect_rate_hz = 1e6;
        config.max_connecting = 4;
        config.behaviour = Behaviour::Idle;
    });
    assert_eq!(run.tally.connections.opened, 40);
    assert!(most.load(std::sync::atomic::Ordering::SeqCst) <= 4);
}

#[test]
fn a_server_that_never_answers_or_closes_does_not_hold_up_the_end() {
    let began = std::time::Instant::now();
    run(serve(|mut peer| {
        peer.upgrade();
        peer.wait_for_end();
    }));
    assert!(began.elapsed().as_secs_f64() < 120.0, "a bound on liveness, not a measure");
}
