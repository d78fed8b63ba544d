//! Servers that drop connections, and are back later, or not: what was lost meanwhile is counted, and the schedule goes on.

mod support;

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use support::{echo, frame, run_with, serve, Peer, Run};
use swarm::arrivals::Process;
use swarm::config::{Config, Reconnect};
use swarm::dialect::Behaviour;
use swarm::tally::counts::Connections;

const DELAY_MS: f64 = 150.0;

/// A server that gives the connection of each number, from 0, to a function of its own.
fn serve_numbered(each: impl Fn(usize, Peer) + Send + Sync + Clone + 'static) -> u16 {
    let accepted = Arc::new(AtomicUsize::new(0));
    serve(move |peer| each(accepted.fetch_add(1, SeqCst), peer))
}

fn drop_at_first_message(mut peer: Peer) {
    peer.upgrade();
    peer.read_frame();
}

fn run_reconnecting(port: u16, change: impl FnOnce(&mut Config)) -> Run {
    run_with(port, |config| {
        config.reconnect = Some(Reconnect { delay_ms: DELAY_MS, jitter_ms: 0.0, factor: 1.0, max_ms: 1e7 });
        config.arrivals = Process::Constant { period_ms: 20.0 };
        change(config);
    })
}

/// At the end of the last second, by intervals.tsv.
fn connected_at_end(run: &Run) -> i64 {
    run.tally.seconds.iter().map(|second| second.row.connected).sum()
}

#[test]
fn what_the_server_drops_is_opened_again_and_the_schedule_keeps_its_phase() {
    let port = serve_numbered(|number, peer| if number == 0 { drop_at_first_message(peer) } else { echo(peer) });
    let run = run_reconnecting(port, |_| {});
    let (window, connections) = (run.tally.window, run.tally.connections);
    assert_eq!((connections.dropped_remote, connections.reconnected, connections.opened), (1, 1, 2));
    assert_eq!((run.tally.up_now(), run.tally.gone_now(), connected_at_end(&run)), (1, 0, 1));
    assert!(connections.reconnect_max_us >= Some(DELAY_MS as u64 * 1000), "never before its time: {connections:?}");
    assert_eq!(window.due, 50, "one each 20 ms, whatever happens");
    assert!(window.unsent_remote >= 5 && window.received > 0, "{window:?}");
    assert_eq!(window.sent + window.unsent_remote + window.unsent_local, window.due);
    assert_eq!((run.missing(), window.wrong), (1, 0), "the message at which it was dropped");
}

#[test]
fn attempts_that_fail_are_repeated_and_are_no_failed_connections() {
    let port = serve_numbered(|number, mut peer| match number {
        0 => drop_at_first_message(peer),
        1 | 2 => peer.refuse("HTTP/1.1 503 Busy\r\n\r\n"),
        _ => echo(peer),
    });
    let run = run_reconnecting(port, |_| {});
    let Connections { reconnected, reconnect_attempts_failed, failed_remote, reconnect_max_us, .. } =
        run.tally.connections;
    assert_eq!((reconnected, reconnect_attempts_failed, failed_remote), (1, 2, 0));
    assert!(reconnect_max_us >= Some(3 * DELAY_MS as u64 * 1000), "from the drop, over all attempts");
    assert_eq!(run.tally.seconds[0].reconnect.to_histogram().len(), 1, "filed under the second of the drop");
    assert!(run.errors().contains("HTTP 503"), "{}", run.errors());
}

#[test]
fn a_server_that_does_not_come_back_leaves_connections_gone_and_holds_up_nothing() {
    let port = serve_numbered(|number, mut peer| match number {
        0 => drop_at_first_message(peer),
        _ => peer.refuse("HTTP/1.1 503 Busy\r\n\r\n"),
    });
    let run = run_reconnecting(port, |_| {});
    let connections = run.tally.connections;
    assert_eq!((connections.reconnected, connections.reconnect_max_us, connections.failed_remote), (0, None, 0));
    assert_eq!((run.tally.gone_now(), run.tally.up_now(), connected_at_end(&run)), (1, 0, 0));
    assert!(connections.reconnect_attempts_failed > 1, "{connections:?}");
}

#[test]
fn without_being_asked_to_it_does_not_come_back() {
    let run = run_with(serve_numbered(|_, peer| drop_at_first_message(peer)), |_| {});
    assert_eq!((run.drops(), run.tally.connections.opened, run.tally.gone_now()), (1, 1, 1));
}

#[test]
fn a_connection_that_never_was_up_has_failed_and_is_not_tried_again() {
    let run = run_reconnecting(serve(|mut peer| peer.refuse("HTTP/1.1 503 Busy\r\n\r\n")), |_| {});
    let Connections { failed_remote, reconnect_attempts_failed, .. } = run.tally.connections;
    assert_eq!((failed_remote, reconnect_attempts_failed), (1, 0));
}

#[test]
fn a_connection_may_be_dropped_again_and_again() {
    let run = run_reconnecting(serve(drop_at_first_message), |config| {
        config.reconnect = Some(Reconnect { delay_ms: 50.0, jitter_ms: 0.0, factor: 1.0, max_ms: 1e7 })
    });
    let Connections { opened, dropped_remote, reconnected, .. } = run.tally.connections;
    assert!(reconnected > 2 && opened == 1 + reconnected, "{:?}", run.tally.connections);
    assert_eq!(run.tally.gone_now(), dropped_remote - reconnected);
}

#[test]
fn jitter_spreads_the_returns_of_connections_that_were_dropped_together() {
    let port = serve_numbered(|number, mut peer| {
        peer.upgrade();
        if number >= 20 {
            peer.wait_for_end();
        }
    });
    let run = run_reconnecting(port, |config| {
        config.connections = 20;
        config.behaviour = Behaviour::Idle;
        config.reconnect = Some(Reconnect { delay_ms: 100.0, jitter_ms: 400.0, factor: 1.0, max_ms: 1e7 });
    });
    let away_us = run.tally.seconds[0].reconnect.to_histogram();
    assert_eq!((away_us.len(), run.tally.up_now()), (20, 20));
    assert!(away_us.min() >= 99_000 && away_us.max() > 300_000, "{} to {} us", away_us.min(), away_us.max());
}

#[test]
fn in_a_closed_loop_messages_go_out_again_as_soon_as_it_is_back() {
    let port = serve_numbered(|number, peer| if number == 0 { drop_at_first_message(peer) } else { echo(peer) });
    let run = run_reconnecting(port, |config| config.arrivals = Process::Closed { outstanding: 3 });
    assert_eq!(run.tally.connections.reconnected, 1);
    assert!(run.tally.window.received > 0);
    assert_eq!(run.missing(), 3, "what was out when it was dropped");
}

#[test]
fn numbers_of_a_broadcast_go_on_so_that_who_receives_it_sees_none_twice() {
    let numbers = Arc::new(Mutex::new(Vec::new()));
    let seen = numbers.clone();
    let port = serve_numbered(move |number, mut peer| {
        peer.upgrade();
        while let Some(frame) = peer.read_frame().filter(|frame| frame.opcode == 1) {
            seen.lock().unwrap().push(swarm::message::number::read(&frame.body[..8]).unwrap());
            if number == 0 {
                return;
            }
        }
    });
    let run = run_reconnecting(port, |config| {
        config.behaviour = Behaviour::Broadcast;
        config.payload.bytes = swarm::message::payload::Size::Fixed(40);
    });
    let numbers = numbers.lock().unwrap();
    assert_eq!(run.tally.connections.reconnected, 1);
    assert!(numbers.len() > 2 && numbers.is_sorted_by(|one, next| one < next), "{numbers:?}");
}

#[test]
fn what_falls_due_while_a_slow_server_accepts_again_is_the_servers_doing() {
    let run = run_with(
        serve_numbered(|number, peer| {
            if number > 0 {
                std::thread::sleep(Duration::from_millis(300));
            }
            echo(peer);
        }),
        |config| {
            config.churn_hz = 2.0;
            config.drain_s = 30.0; // it ends as soon as all is there
            config.arrivals = Process::Constant { period_ms: 5.0 };
        },
    );
    let window = run.tally.window;
    assert!(window.unsent_remote >= 50, "300 ms of 5 ms: {window:?}");
    assert!(window.unsent_local < window.unsent_remote / 2, "{window:?} {}", run.errors());
}

#[test]
fn what_the_server_does_not_take_when_churn_reopens_it_is_tried_again() {
    let port = serve_numbered(|number, mut peer| match number {
        1 => peer.refuse("HTTP/1.1 503 Busy\r\n\r\n"),
        _ => echo(peer),
    });
    let run = run_reconnecting(port, |config| (config.churn_hz, config.hold_s) = (2.0, 3.0));
    let Connections { churned, not_reopened, failed_remote, dropped_remote, reconnected, .. } = run.tally.connections;
    assert_eq!((not_reopened, failed_remote, dropped_remote, reconnected), (1, 1, 0, 1), "{}", run.errors());
    assert!(churned >= 2 && run.tally.gone_now() == 0, "churn goes on: {:?}", run.tally.connections);
    assert!(run.tally.connections.reconnect_max_us >= Some(DELAY_MS as u64 * 1000), "{:?}", run.tally.connections);
    let window = run.tally.window;
    assert_eq!(window.sent + window.unsent_remote + window.unsent_local, window.due, "{window:?}");
}

#[test]
fn the_delay_begins_at_the_close_frame_also_where_the_server_leaves_tcp_open() {
    let run = run_reconnecting(
        serve_numbered(|number, mut peer| {
            if number > 0 {
                return echo(peer);
            }
            peer.upgrade();
            peer.write(&frame(0x88, &1001u16.to_be_bytes()));
            std::thread::sleep(Duration::from_secs(600)); // longer than the load
        }),
        |_| {},
    );
    let away_us = run.tally.connections.reconnect_max_us.unwrap();
    assert!(away_us < 800_000, "not a second more than the delay of {DELAY_MS} ms: {away_us}");
}
