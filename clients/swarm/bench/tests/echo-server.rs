//! Tests the echo server as a process, over sockets.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread;
use std::time::Duration;

const REQUEST: &[u8] = b"GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
    Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n";
/// "Hello" masked, and the answer (RFC 6455, section 5.7).
const HELLO: &[u8] = &[0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58];
const HELLO_BACK: &[u8] = b"\x81\x05Hello";

struct Server {
    child: Child,
    output: BufReader<ChildStdout>,
    port: u16,
}

impl Server {
    fn start(protocol: &str) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_echo-server"))
            .args(["127.0.0.1", "0", "--protocol", protocol])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        assert!(line.starts_with("ready {"), "{line}");
        let port = line.split("\"port\":").nth(1).unwrap().split(',').next().unwrap().parse().unwrap();
        Server { child, output, port }
    }

    fn connect(&self) -> TcpStream {
        let socket = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        socket.set_nodelay(true).unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        socket
    }

    fn upgrade(&self) -> TcpStream {
        let mut socket = self.connect();
        socket.write_all(REQUEST).unwrap();
        assert!(read_head(&mut socket).starts_with(b"HTTP/1.1 101 "));
        socket
    }

    /// Close its standard input. Returns the rest of its output.
    fn stop(mut self) -> String {
        drop(self.child.stdin.take());
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).unwrap();
        assert!(self.child.wait().unwrap().success());
        rest
    }
}

fn read_exactly(socket: &mut TcpStream, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    socket.read_exact(&mut bytes).unwrap();
    bytes
}

/// Reads the head of an HTTP response.
fn read_head(socket: &mut TcpStream) -> Vec<u8> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.extend(read_exactly(socket, 1));
    }
    head
}

fn some_bytes(length: usize) -> Vec<u8> {
    (0..length).map(|index| (index * 7 % 251) as u8).collect()
}

#[test]
fn it_ends_when_its_input_closes_and_says_what_it_did() {
    let server = Server::start("tcp");
    let mut socket = server.connect();
    socket.write_all(b"hello").unwrap();
    assert_eq!(read_exactly(&mut socket, 5), b"hello");
    assert_eq!(server.stop(), "done {\"connections\":1,\"payload_b\":5}\n");
}

#[test]
fn a_peer_that_does_not_read_gets_all_of_it_later() {
    let server = Server::start("tcp");
    let (mut socket, payload) = (server.connect(), some_bytes(20 << 20));
    let (mut sender, sent) = (socket.try_clone().unwrap(), payload.clone());
    let sending = thread::spawn(move || sender.write_all(&sent).unwrap());
    thread::sleep(Duration::from_millis(300)); // until the buffers in both directions are full
    assert_eq!(read_exactly(&mut socket, payload.len()), payload);
    sending.join().unwrap();
    server.stop();
}

#[test]
fn what_comes_with_the_end_of_the_stream_is_answered_before_it_closes() {
    let server = Server::start("websocket");
    let mut socket = server.upgrade();
    socket.write_all(HELLO).unwrap();
    socket.shutdown(Shutdown::Write).unwrap();
    let mut answer = Vec::new();
    socket.read_to_end(&mut answer).unwrap();
    assert_eq!(answer, HELLO_BACK);
    server.stop();
}

#[test]
fn a_request_and_frames_may_come_byte_by_byte() {
    let server = Server::start("websocket");
    let mut socket = server.connect();
    REQUEST.iter().for_each(|byte| socket.write_all(&[*byte]).unwrap());
    assert!(read_head(&mut socket).starts_with(b"HTTP/1.1 101 "));
    HELLO.iter().for_each(|byte| socket.write_all(&[*byte]).unwrap());
    assert_eq!(read_exactly(&mut socket, HELLO_BACK.len()), HELLO_BACK);
    server.stop();
}

#[test]
fn a_frame_larger_than_any_buffer_goes_back_whole() {
    let server = Server::start("websocket");
    let (mut socket, payload) = (server.upgrade(), some_bytes(1 << 20));
    let length = (payload.len() as u64).to_be_bytes();
    let frame = [&[0x82, 0xFF], &length[..], &[0; 4], &payload].concat(); // a mask of zeros
    socket.write_all(&frame).unwrap();
    let back = read_exactly(&mut socket, 10 + payload.len());
    assert_eq!(back[..10], [&[0x82, 127], &length[..]].concat());
    assert_eq!(back[10..], payload);
    server.stop();
}

#[test]
fn a_reset_ends_its_own_connection_alone() {
    let server = Server::start("websocket");
    let (mut stays, goes) = (server.upgrade(), server.upgrade());
    socket2::SockRef::from(&goes).set_linger(Some(Duration::ZERO)).unwrap();
    drop(goes);
    stays.write_all(HELLO).unwrap();
    assert_eq!(read_exactly(&mut stays, HELLO_BACK.len()), HELLO_BACK);
    server.stop();
}
