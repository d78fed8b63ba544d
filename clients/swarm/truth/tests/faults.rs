//! Each fault, exact to the message: what a client sees, and what the server counts.

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::CertificateDer;
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;
use tungstenite::protocol::frame::coding::CloseCode;
use tungstenite::stream::MaybeTlsStream;
use tungstenite::{Error, Message, WebSocket};

type Client = WebSocket<MaybeTlsStream<TcpStream>>;

/// The server. It ends with the test, when its standard input closes.
struct Server {
    child: Child,
    output: BufReader<ChildStdout>,
    port: u64,
}

impl Server {
    fn start(arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_truth-server"))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("truth-server starts");
        let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
        let ready = read_json(&mut output, "ready ");
        assert_eq!(ready["pid"], child.id());
        Self { port: ready["port"].as_u64().expect("a port"), child, output }
    }

    fn connect(&self) -> Client {
        tungstenite::connect(format!("ws://127.0.0.1:{}", self.port)).expect("a connection").0
    }

    /// Ends it, and returns its counts.
    fn stop(mut self) -> serde_json::Value {
        drop(self.child.stdin.take());
        let counts = read_json(&mut self.output, "");
        assert!(self.child.wait().expect("an end").success());
        counts
    }
}

#[test]
fn over_tls_it_does_the_same_with_a_certificate_that_it_wrote() {
    let file = std::env::temp_dir().join(format!("truth-{}.pem", std::process::id()));
    let server = Server::start(&["--tls", file.to_str().unwrap(), "--drop", "2"]);
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(&file).unwrap()).unwrap();
    std::fs::remove_file(&file).unwrap();
    let builder = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()));
    let builder = builder.with_safe_default_protocol_versions().unwrap().with_root_certificates(roots);
    let name = "127.0.0.1".try_into().unwrap();
    let session = ClientConnection::new(Arc::new(builder.with_no_client_auth()), name).unwrap();
    let stream = StreamOwned::new(session, TcpStream::connect(("127.0.0.1", server.port as u16)).unwrap());
    let (mut client, _) = tungstenite::client("wss://127.0.0.1", stream).unwrap();
    for number in 1..=3 {
        client.send(Message::text(format!("{number}"))).unwrap();
    }
    let answers = [(); 2].map(|()| client.read().unwrap().into_text().unwrap().to_string());
    assert_eq!(answers, ["1", "3"]);
    drop(client);
    assert_eq!(server.stop()["dropped"], 1);
}

fn read_json(output: &mut impl BufRead, prefix: &str) -> serde_json::Value {
    let mut line = String::new();
    output.read_line(&mut line).expect("a line");
    serde_json::from_str(line.strip_prefix(prefix).expect("the prefix")).expect("JSON")
}

fn send_numbered(client: &mut Client, numbers: std::ops::RangeInclusive<u32>) {
    for number in numbers {
        client.send(Message::text(format!("{number:08}-abc"))).expect("it is sent");
    }
}

/// Sends "end" and reads until its answer comes. By then all earlier messages have been answered.
fn read_numbers(client: &mut Client) -> Vec<String> {
    client.send(Message::text("end")).expect("it is sent");
    let mut texts = Vec::new();
    loop {
        match client.read().expect("an answer").into_text().expect("text").as_str() {
            "end" => return texts,
            text => texts.push(text.to_owned()),
        }
    }
}

fn name(numbers: impl IntoIterator<Item = u32>) -> Vec<String> {
    numbers.into_iter().map(|number| format!("{number:08}-abc")).collect()
}

#[test]
fn without_a_fault_text_and_binary_come_back_as_they_went() {
    let server = Server::start(&[]);
    let mut client = server.connect();
    for message in [Message::text("h\u{e9}llo"), Message::binary(vec![0, 255, 7])] {
        client.send(message.clone()).expect("it is sent");
        assert_eq!(client.read().expect("an answer"), message);
    }
    let counts = server.stop();
    assert_eq!((&counts["received"], &counts["answered"]), (&2.into(), &2.into()));
}

#[test]
fn every_nth_message_of_all_connections_is_dropped() {
    let server = Server::start(&["--drop", "10"]);
    let (mut first, mut second) = (server.connect(), server.connect());
    send_numbered(&mut first, 1..=14);
    assert_eq!(read_numbers(&mut first), name((1..=14).filter(|number| *number != 10)));
    send_numbered(&mut second, 16..=24); // 15 was "end"
    assert_eq!(read_numbers(&mut second), name((16..=24).filter(|number| *number != 20)));
    let counts = server.stop();
    assert_eq!((&counts["received"], &counts["answered"], &counts["dropped"]), (&25.into(), &23.into(), &2.into()));
}

#[test]
fn every_nth_connection_is_closed_after_its_third_message() {
    let server = Server::start(&["--close", "2"]);
    let mut clients: Vec<Client> = (0..5).map(|_| server.connect()).collect();
    for (index, client) in clients.iter_mut().enumerate() {
        send_numbered(client, 1..=5);
        if (index + 1) % 2 != 0 {
            assert_eq!(read_numbers(client), name(1..=5));
            continue;
        }
        assert_eq!((0..3).map(|_| client.read().expect("an answer").to_string()).collect::<Vec<_>>(), name(1..=3));
        let Message::Close(Some(frame)) = client.read().expect("a close") else { panic!("no close") };
        assert_eq!(frame.code, CloseCode::Away);
        assert!(matches!(client.read(), Err(Error::ConnectionClosed)));
    }
    let counts = server.stop();
    assert_eq!((&counts["closed"], &counts["answered"]), (&2.into(), &(3 * 6 + 2 * 3).into()));
}

#[test]
fn every_nth_answer_is_sent_twice() {
    let server = Server::start(&["--duplicate", "4"]);
    let mut client = server.connect();
    send_numbered(&mut client, 1..=9);
    assert_eq!(read_numbers(&mut client), name([1, 2, 3, 4, 4, 5, 6, 7, 8, 8, 9]));
    let counts = server.stop();
    assert_eq!((&counts["answered"], &counts["duplicated"]), (&10.into(), &2.into()));
}

#[test]
fn every_nth_answer_is_sent_after_the_next_of_its_connection() {
    let server = Server::start(&["--reorder", "5"]);
    let (mut client, mut other) = (server.connect(), server.connect());
    send_numbered(&mut client, 1..=5);
    for expected in name(1..=4) {
        assert_eq!(client.read().expect("an answer").to_string(), expected);
    }
    send_numbered(&mut other, 1..=1);
    assert_eq!(read_numbers(&mut other), name([1])); // the fifth waits for its own connection
    send_numbered(&mut client, 6..=8);
    assert_eq!(read_numbers(&mut client), name([6, 5, 7])); // 8 is the tenth in total: it waits for "end"
    assert_eq!(client.read().expect("an answer").to_string(), "00000008-abc");
    let counts = server.stop();
    assert_eq!((&counts["answered"], &counts["reordered"]), (&11.into(), &2.into()));
}

#[test]
fn an_answer_after_which_none_follows_is_held_for_ever() {
    let server = Server::start(&["--reorder", "3"]);
    let mut client = server.connect();
    send_numbered(&mut client, 1..=3);
    for expected in name(1..=2) {
        assert_eq!(client.read().expect("an answer").to_string(), expected);
    }
    client.send(Message::Ping("".into())).expect("it is sent");
    assert!(matches!(client.read(), Ok(Message::Pong(_)))); // so the third was read
    let counts = server.stop();
    assert_eq!((&counts["received"], &counts["answered"], &counts["reordered"]), (&3.into(), &2.into(), &0.into()));
}

#[test]
fn every_nth_answer_differs_past_its_eighth_byte() {
    let server = Server::start(&["--corrupt", "5"]);
    let mut client = server.connect();
    send_numbered(&mut client, 1..=9);
    let texts = read_numbers(&mut client);
    let differing: Vec<_> = texts.iter().filter(|text| !text.ends_with("-abc")).collect();
    assert_eq!(differing, ["00000005-abb"]);
    let counts = server.stop();
    assert_eq!((&counts["answered"], &counts["corrupted"]), (&10.into(), &1.into()));
    // "end" is too short
}

#[test]
fn a_delayed_answer_is_the_answer_and_all_come_in_order() {
    let server = Server::start(&["--delay", "5ms"]);
    let mut client = server.connect();
    send_numbered(&mut client, 1..=20);
    assert_eq!(read_numbers(&mut client), name(1..=20));
    assert_eq!(server.stop()["answered"], 21);
}

#[test]
fn a_stall_is_counted_when_something_waited_for_it() {
    let server = Server::start(&["--stall", "50ms", "--every", "100ms", "--stall-from", "0"]);
    let mut client = server.connect();
    for _ in 0..20 {
        send_numbered(&mut client, 1..=1);
        assert_eq!(read_numbers(&mut client), name([1]));
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let counts = server.stop();
    assert!(counts["stalls"].as_u64() > Some(0), "{counts}");
    assert_eq!(counts["answered"], 40);
}

#[test]
fn what_can_not_be_asked_for_is_refused_in_one_line() {
    let refusals = [
        (vec!["--drop", "0"], "--drop"),
        (vec!["--stall", "1s"], "--every"),
        (vec!["--stall", "1s", "--every", "1s"], "not shorter"),
        (vec!["--address", "0.0.0.0"], "loopback"),
    ];
    for (arguments, word) in refusals {
        let output = Command::new(env!("CARGO_BIN_EXE_truth-server")).args(arguments).output().expect("it runs");
        let error = String::from_utf8(output.stderr).expect("text");
        assert_eq!(output.status.code(), Some(64), "{error}");
        assert!(
            error.starts_with("error: truth-server: ") && error.contains(word) && error.lines().count() == 1,
            "{error}"
        );
    }
}
