//! The request for the upgrade, the ways that it takes, and its refusal.

mod support;

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use support::{make_load, run_until_answered, run_with, serve, Echo, Peer, Run};
use swarm::config::request::Request;
use swarm::config::Config;

/// The request that a load with these settings makes, of a server that agrees and echoes.
fn request_of(change: impl FnOnce(&mut Config)) -> String {
    let seen = Arc::new(Mutex::new(String::new()));
    let told = seen.clone();
    let port = serve(move |mut peer: Peer| {
        *told.lock().unwrap() = peer.upgrade_saying("");
        Echo::default().serve_open(peer);
    });
    let run = run_until_answered(1, port, change);
    assert_eq!(run.missing(), 0, "{}", run.errors());
    let request = seen.lock().unwrap().clone();
    request
}

#[test]
fn headers_host_and_token_are_in_the_request() {
    let token = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("token-{}", std::process::id()));
    std::fs::write(&token, "s3cret\n").unwrap();
    let headers = [("X-One", "1"), ("Host", "chat.example"), ("Origin", "https://a.example")];
    let headers = headers.map(|(name, value)| (name.to_string(), value.to_string())).to_vec();
    let request = request_of(|config| {
        config.request = Request { headers, bearer_file: Some(token.clone()), ..Request::default() };
    });
    std::fs::remove_file(token).unwrap();
    for line in ["X-One: 1", "Host: chat.example", "Origin: https://a.example", "Authorization: Bearer s3cret"] {
        assert_eq!(request.lines().filter(|found| *found == line).count(), 1, "{line}: {request}");
    }
    assert_eq!(request.matches("Host: ").count(), 1);
}

/// A load whose connections are the users of a file, which is gone once the load is made.
fn load_of_users(port: u16, change: impl FnOnce(&mut Config)) -> swarm::load::Load {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let name = format!("users-{}-{}.csv", std::process::id(), NUMBER.fetch_add(1, Relaxed));
    let users = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&users, "my user,token\nada & co,t-ada-lovelace\nbob,t-bob-the-builder\n").unwrap();
    let load = make_load(port, |config| {
        config.url += "/of/{{ data:my user }}?n={{connection%2}}";
        config.request.headers = vec![("Authorization".into(), "Bearer {{data:token}}".into())];
        config.data = Some(users.clone());
        config.connections = 3;
        change(config);
    });
    std::fs::remove_file(users).unwrap();
    load
}

#[test]
fn each_connection_asks_with_its_own_row_of_a_file() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let told = seen.clone();
    let port = serve(move |mut peer: Peer| {
        let head = peer.upgrade_saying("");
        let token = head.lines().find(|line| line.starts_with("Authorization: ")).unwrap_or_default();
        told.lock().unwrap().push(format!("{} {token}", head.split(' ').nth(1).unwrap_or_default()));
        Echo::default().serve_open(peer);
    });
    let load = load_of_users(port, |_| {});
    assert_eq!(load.config.problems().len(), 1, "the file is gone: {:?}", load.config.problems());
    let (tally, _) = swarm::worker::run(&load, 0).unwrap();
    assert_eq!((tally.connections.opened, Run { tally }.total_wrong()), (3, 0));
    let mut seen = seen.lock().unwrap().clone();
    seen.sort();
    let ada = "/of/ada%20%26%20co?n=0 Authorization: Bearer t-ada-lovelace";
    assert_eq!(seen, [ada, ada, "/of/bob?n=1 Authorization: Bearer t-bob-the-builder"]);
}

#[test]
fn a_token_of_a_file_is_masked_where_the_server_repeats_it() {
    let port = serve(|mut peer: Peer| peer.refuse("HTTP/1.1 401 unknown: t-ada-lovelace or t-bob-the-builder\r\n\r\n"));
    let load = load_of_users(port, |config| config.connections = 2);
    let (tally, _) = swarm::worker::run(&load, 0).unwrap();
    let errors = Run { tally }.errors();
    assert!(errors.contains("401 unknown: *** or t-bob-the-builder"), "{errors}");
    assert!(
        errors.contains("401 unknown: t-ada-lovelace or ***"),
        "each is a secret of its own connection's: {errors}"
    );
}

#[test]
fn a_subprotocol_is_agreed_on() {
    let port = serve(|mut peer: Peer| {
        let head = peer.upgrade_saying("Sec-WebSocket-Protocol: v2\r\n");
        assert!(head.contains("Sec-WebSocket-Protocol: v1, v2\r\n"), "{head}");
        Echo::default().serve_open(peer);
    });
    let subprotocols = ["v1", "v2"].map(str::to_string).to_vec();
    let run = run_until_answered(1, port, |config| config.request = Request { subprotocols, ..Request::default() });
    assert_eq!(run.missing(), 0, "{}", run.errors());
}

#[test]
fn a_server_that_takes_none_of_the_subprotocols_is_refused_as_a_browser_does() {
    let request = Request { subprotocols: vec!["v1".into()], ..Request::default() };
    let run = run_in_vain(serve(support::echo), |config| config.request = request);
    assert!(run.errors().contains("agreed to no subprotocol"), "{}", run.errors());
}

fn run_in_vain(port: u16, change: impl FnOnce(&mut Config)) -> Run {
    let (tally, _) = swarm::worker::run(&make_load(port, change), 0).unwrap();
    assert_eq!(tally.connections.opened, 0);
    Run { tally }
}

#[test]
fn refusals_are_counted_by_status_with_what_the_server_says() {
    for (response, status, words) in [
        ("HTTP/1.1 503 Busy\r\nRetry-After: 7\r\n\r\n", 503, "HTTP 503 Busy"),
        ("HTTP/1.1 301 Moved\r\nLocation: /there\r\n\r\n", 301, "HTTP 301 Moved"),
        ("HTTP/1.1 429 Too Many\r\n\r\n", 429, "HTTP 429 Too Many"),
    ] {
        let run = run_in_vain(serve(move |mut peer: Peer| peer.refuse(response)), |config| config.connections = 3);
        assert!(run.errors().contains(words), "{}", run.errors());
        let refused = &run.tally.refusals.0[&status];
        assert_eq!((refused.count, run.tally.refusals.0.len()), (3, 1));
        assert_eq!(refused.retry_after.len() + refused.locations.len(), usize::from(status != 429));
    }
}

/// Passes bytes on, both ways, until one side ends.
fn pass_on(mut from: TcpStream, mut to: TcpStream) {
    let (mut back_from, mut back_to) = (to.try_clone().unwrap(), from.try_clone().unwrap());
    let back = std::thread::spawn(move || {
        let _ = std::io::copy(&mut back_from, &mut back_to);
        let _ = back_to.shutdown(std::net::Shutdown::Write);
    });
    let _ = std::io::copy(&mut from, &mut to);
    let _ = to.shutdown(std::net::Shutdown::Write);
    back.join().unwrap();
}

/// A proxy that answers CONNECT with a status (and with what stands below it), or hangs up if that is empty, and passes on where it is
/// 200. Returns its port.
fn serve_proxy(status: &'static str) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            std::thread::spawn(move || {
                let mut head = Vec::new();
                while !head.ends_with(b"\r\n\r\n") {
                    let mut byte = [0];
                    stream.read_exact(&mut byte).unwrap();
                    head.push(byte[0]);
                }
                let head = String::from_utf8(head).unwrap();
                let to = head.strip_prefix("CONNECT ").and_then(|rest| rest.split(' ').next()).unwrap().to_string();
                if status.is_empty() {
                    return;
                }
                let (status, more) = status.split_once('\n').unwrap_or((status, ""));
                stream.write_all(format!("HTTP/1.1 {status}\r\nVia: test\r\n\r\n{more}").as_bytes()).unwrap();
                if status.starts_with("200") {
                    pass_on(stream, TcpStream::connect(to).unwrap());
                }
            });
        }
    });
    port
}

fn through(proxy: u16) -> impl FnOnce(&mut Config) {
    move |config| {
        config.request = Request { proxy: Some(format!("http://127.0.0.1:{proxy}")), ..Request::default() };
        config.connections = 3;
    }
}

#[test]
fn a_proxy_leads_to_the_server() {
    let run = run_until_answered(6, serve(support::echo), through(serve_proxy("200 Connection established")));
    assert_eq!((run.missing(), run.total_wrong(), run.drops()), (0, 0, 0), "{}", run.errors());
    assert_eq!(run.tally.connections.opened, 3);
}

#[test]
fn a_proxy_that_refuses_is_told() {
    let run = run_in_vain(9, through(serve_proxy("407 Proxy Authentication Required")));
    assert!(run.errors().contains("the proxy refused: HTTP 407 Proxy Authentication Required"), "{}", run.errors());
}

#[test]
fn what_a_proxy_adds_to_its_answer_is_not_taken_for_the_servers() {
    let run = run_in_vain(serve(support::echo), through(serve_proxy("200 OK\nHTTP/1.1 403 No\r\n\r\n")));
    assert!(run.errors().contains("the proxy refused: 19 bytes follow its answer"), "{}", run.errors());
}

#[test]
fn a_proxy_that_hangs_up_is_silent_or_is_not_there_is_named_in_the_error() {
    let run = run_in_vain(9, through(serve_proxy("")));
    assert!(run.errors().contains("the proxy refused: it closed the connection without an answer"), "{}", run.errors());
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let run = run_in_vain(9, through(free));
    assert!(run.errors().contains("the proxy: Connection refused"), "{}", run.errors());
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let run = run_in_vain(9, |config| {
        through(silent.local_addr().unwrap().port())(config);
        config.connect_timeout_s = 0.2;
    });
    assert!(run.errors().contains("the proxy: no answer to CONNECT in time"), "{}", run.errors());
    assert_eq!(run.tally.connections.timed_out, 3);
}

/// Passes a connection on to a port, both ways.
fn pass_to(mut from: UnixStream, port: u16) {
    let mut to = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let (mut back_from, mut back_to) = (to.try_clone().unwrap(), from.try_clone().unwrap());
    std::thread::spawn(move || {
        let _ = std::io::copy(&mut back_from, &mut back_to);
        let _ = back_to.shutdown(std::net::Shutdown::Both);
    });
    std::thread::spawn(move || std::io::copy(&mut from, &mut to));
}

#[test]
fn a_socket_of_this_host_is_spoken_to_as_any_other() {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("swarm-{}.sock", std::process::id()));
    let (listener, port) = (UnixListener::bind(&path).unwrap(), serve(support::echo));
    std::thread::spawn(move || {
        listener.incoming().map_while(Result::ok).for_each(|from| pass_to(from, port));
    });
    let url = format!("unix:{}:/chat", path.display());
    let run = run_until_answered(6, 9, |config| (config.url, config.connections) = (url, 2));
    std::fs::remove_file(path).unwrap();
    assert_eq!((run.missing(), run.total_wrong(), run.tally.connections.opened), (0, 0, 2), "{}", run.errors());
}

#[test]
fn connections_beyond_the_queue_of_a_local_socket_wait_for_room_in_it() {
    let path =
        std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("swarm-full-{}.sock", std::process::id()));
    let socket = socket2::Socket::new(socket2::Domain::UNIX, socket2::Type::STREAM, None).unwrap();
    socket.bind(&socket2::SockAddr::unix(&path).unwrap()).unwrap();
    socket.listen(1).unwrap();
    let (listener, port) = (UnixListener::from(std::os::fd::OwnedFd::from(socket)), serve(support::echo));
    std::thread::spawn(move || {
        for from in listener.incoming().map_while(Result::ok) {
            std::thread::sleep(Duration::from_millis(20));
            pass_to(from, port);
        }
    });
    let url = format!("unix:{}:/chat", path.display());
    let run = run_with(9, |config| {
        (config.url, config.connections, config.connect_rate_hz) = (url, 10, 10_000.0);
        config.drain_s = 30.0; // it ends as soon as all is there
    });
    std::fs::remove_file(path).unwrap();
    let connections = run.tally.connections;
    assert_eq!((connections.opened, connections.failed_remote), (10, 0), "{}", run.errors());
}
