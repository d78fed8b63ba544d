//! A name with several addresses: each has its turn (RFC 8305).

mod support;

use socket2::{Domain, Protocol, Socket, Type};
use std::net::{SocketAddr, TcpListener};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::Arc;
use std::time::{Duration, Instant};
use support::{echo, make_load, serve, serve_at, Echo, Peer, Run};
use swarm::config::Config;

/// An address that answers no call: its queue is full, and nobody accepts. It is so until this is dropped.
struct Blackhole {
    address: SocketAddr,
    listener: Option<TcpListener>,
    queued: Vec<Socket>,
}

fn dig(address: SocketAddr) -> Blackhole {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, Some(Protocol::TCP)).unwrap();
    socket.bind(&address.into()).unwrap();
    socket.listen(0).unwrap();
    let fill = |_| {
        let caller = Socket::new(Domain::IPV4, Type::STREAM.nonblocking(), Some(Protocol::TCP)).unwrap();
        let _ = caller.connect(&address.into()); // in progress
        caller
    };
    let queued = (0..4).map(fill).collect();
    std::thread::sleep(Duration::from_millis(20)); // until the queue has them
    Blackhole { address, listener: Some(socket.into()), queued }
}

impl Blackhole {
    /// From now on it is a server.
    fn open(mut self) {
        self.queued.clear();
        let listener = self.listener.take().unwrap();
        std::thread::spawn(move || {
            for tcp in listener.incoming().map_while(Result::ok) {
                std::thread::spawn(move || Echo::default().serve(Peer::of(tcp)));
            }
        });
    }
}

fn run_at(port: u16, addresses: &[SocketAddr], change: impl FnOnce(&mut Config)) -> Run {
    let mut load = make_load(port, |config| {
        config.connections = 3;
        config.drain_s = 10.0; // it ends as soon as all is there
        change(config);
    });
    load.url.addresses = addresses.iter().map(|address| (*address).into()).collect();
    let (tally, _) = swarm::worker::run(&load, 0).unwrap();
    Run { tally }
}

fn at(host: &str, port: u16) -> SocketAddr {
    format!("{host}:{port}").parse().unwrap()
}

#[test]
fn addresses_that_refuse_are_passed_over_and_all_are_named_where_none_answers() {
    let port = serve(echo);
    let run = run_at(port, &[at("127.0.0.2", port), at("127.0.0.1", port)], |_| {});
    assert_eq!((run.tally.connections.opened, run.tally.connections.failed_remote), (3, 0), "{}", run.errors());
    assert_eq!((run.errors().as_str(), run.missing()), ("{}", 0));
    let none = run_at(port, &[at("127.0.0.2", port), at("127.0.0.3", port)], |_| {});
    assert_eq!((none.tally.connections.opened, none.tally.connections.refused), (0, 3), "each once");
    for words in [format!("refused (os error 111) at 127.0.0.2:{port}, "), format!("at 127.0.0.3:{port}")] {
        assert!(none.errors().contains(&words), "{words}: {}", none.errors());
    }
}

#[test]
fn all_addresses_have_their_share_of_the_connections_if_they_are_wanted() {
    let taken: [_; 2] = std::array::from_fn(|_| Arc::new(AtomicUsize::new(0)));
    let [one, other] = taken.clone().map(|taken| {
        move |peer: Peer| {
            taken.fetch_add(1, Relaxed);
            echo(peer);
        }
    });
    let port = serve_at("127.0.0.1", one);
    let listener = TcpListener::bind(("127.0.0.2", port)).unwrap();
    std::thread::spawn(move || {
        for tcp in listener.incoming().map_while(Result::ok) {
            let other = other.clone();
            std::thread::spawn(move || other(Peer::of(tcp)));
        }
    });
    let addresses = [at("127.0.0.1", port), at("127.0.0.2", port), at("127.0.0.3", port)]; // nobody listens at the last
    let run = run_at(port, &addresses, |config| {
        config.all_addresses = true;
        config.connections = 9;
    });
    assert_eq!((run.tally.connections.opened, run.missing()), (9, 0), "{}", run.errors());
    assert_eq!(taken.map(|taken| taken.load(Relaxed)), [6, 3], "those of the last go on to the first");
}

#[test]
fn an_address_that_swallows_calls_costs_a_quarter_of_a_second_and_only_the_first_connection() {
    let port = serve(echo);
    let hole = dig(at("127.0.0.4", port));
    let began = Instant::now();
    let run = run_at(port, &[hole.address, at("127.0.0.1", port)], |config| {
        config.connect_timeout_s = 600.0;
        config.max_connecting = 1; // one after the other: the second knows what the first found
    });
    assert_eq!((run.tally.connections.opened, run.tally.connections.failed_remote), (3, 0), "{}", run.errors());
    let tcp_us = run.tally.seconds.iter().flat_map(|second| {
        let each: Vec<_> = second.connect.tcp.to_histogram().iter_recorded().map(|at| at.value_iterated_to()).collect();
        each
    });
    let slow = tcp_us.filter(|tcp_us| *tcp_us >= 250_000).count();
    assert_eq!(slow, 1, "the first gave it its head start, and the others went to the one that answers");
    assert!(began.elapsed() < Duration::from_secs(300), "a bound on liveness, not a measure");
}

#[test]
fn the_first_address_may_answer_after_the_second_was_called_in_vain() {
    let port = serve(echo);
    let hole = dig(at("127.0.0.5", port));
    let first = hole.address;
    let opened = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(600));
        hole.open();
    });
    let run = run_at(port, &[first, at("127.0.0.6", port)], |config| config.hold_s = 4.0);
    opened.join().unwrap();
    assert_eq!((run.tally.connections.opened, run.tally.connections.failed_remote), (3, 0), "{}", run.errors());
    assert_eq!(run.missing(), 0);
}

#[test]
fn addresses_that_all_swallow_calls_have_one_time_together_and_are_all_named() {
    let port = serve(echo);
    let holes = ["127.0.0.7", "127.0.0.8"].map(|host| dig(at(host, port)));
    let run = run_at(port, &holes.each_ref().map(|hole| hole.address), |config| config.connect_timeout_s = 0.6);
    assert_eq!((run.tally.connections.opened, run.tally.connections.timed_out), (0, 3), "{}", run.errors());
    for hole in &holes {
        assert!(run.errors().contains(&format!("no handshake in time at {}", hole.address)), "{}", run.errors());
    }
}

#[test]
fn families_take_turns() {
    let url = swarm::config::url::Url::parse("ws://localhost:7").unwrap();
    let families: Vec<_> = url.addresses.iter().map(|address| address.to_string().starts_with('[')).collect();
    assert_eq!(families, [false, true]);
}
