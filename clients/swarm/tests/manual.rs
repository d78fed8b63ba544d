//! Each command of MANUAL.md does what it says, against a server that does what its recipe says.

mod support;

use rcgen::{CertificateParams, KeyPair};
use rustls::pki_types::PrivateKeyDer;
use rustls::ServerConfig;
use serde_json::{json, Value};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::Arc;
use std::time::Duration;
use support::{frame, serve, serve_secured, Peer};
use swarm::clock;

const MANUAL: &str = include_str!("../MANUAL.md");

/// The blocks of the manual that begin with such a line, without their fences.
fn blocks(fence: &str) -> Vec<(&'static str, &'static str)> {
    let after = MANUAL.split("\n```").skip(1).step_by(2);
    let blocks = after.filter_map(|block| block.split_once('\n'));
    blocks.filter_map(|(head, body)| Some((head.strip_prefix(fence)?.trim(), body))).collect()
}

/// What every recipe's server is, by the path that is asked for.
fn serve_recipe(peer: Peer) {
    static OPENED: AtomicU64 = AtomicU64::new(0);
    let mut peer = peer;
    let head = peer.read_head().unwrap_or_default();
    let target = head.split(' ').nth(1).unwrap_or_default().to_string();
    let mut headers = String::new();
    if head.contains("permessage-deflate") {
        // neither side keeps a window: what was compressed once is a message again, as it is
        headers +=
            "Sec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover; client_no_context_takeover\r\n";
    }
    if head.contains("Sec-WebSocket-Protocol: chat.v2") {
        for line in ["Origin: https://app.example", "Cookie: session=1", "X-Tenant: 7", "Authorization: Bearer s3cret"]
        {
            assert!(head.contains(&format!("{line}\r\n")), "{line}: {head}");
        }
        headers += "Sec-WebSocket-Protocol: chat.v2\r\n";
    }
    if let Some((user, room)) = target.strip_prefix("/users/").and_then(|rest| rest.split_once("?room=")) {
        assert!(room.parse::<u32>().is_ok_and(|room| room < 5), "{target}");
        assert!(head.contains(&format!("Authorization: Bearer t-{user}\r\n")), "{head}");
    }
    peer.answer_upgrade(&head, &headers);
    match target.split('?').next().unwrap_or_default() {
        "/json" => serve_each(&mut peer, |said| vec![json!({"news": 1}), json!({"re": said["id"]})]),
        "/room" => serve_room(&mut peer),
        "/socket.io/" => serve_socket_io(&mut peer),
        "/drops" => echo(&mut peer, if OPENED.fetch_add(1, Relaxed) < 4 { 5 } else { u32::MAX }),
        _ => echo(&mut peer, u32::MAX),
    }
}

/// Up to so many messages.
fn echo(peer: &mut Peer, mut most: u32) {
    while let Some(read) = peer.read_frame().filter(|read| read.opcode != 8 && most > 0) {
        most -= 1;
        let first = if read.is_compressed { 0xc0 } else { 0x80 };
        peer.write(&frame(first | if read.opcode == 9 { 10 } else { read.opcode }, &read.body));
    }
}

fn hear(peer: &mut Peer) -> Option<Value> {
    let read = peer.read_frame().filter(|read| read.opcode == 1)?;
    Some(serde_json::from_slice(&read.body).expect("a client's message is JSON"))
}

fn say(peer: &mut Peer, value: &Value) -> bool {
    peer.write(&frame(0x81, value.to_string().as_bytes()))
}

fn serve_each(peer: &mut Peer, answer: impl Fn(Value) -> Vec<Value>) {
    while let Some(said) = hear(peer) {
        answer(said).iter().for_each(|value| {
            say(peer, value);
        });
    }
}

fn serve_room(peer: &mut Peer) {
    let joined = hear(peer).unwrap();
    assert_eq!((joined["room"].as_str(), joined["type"].as_str()), (Some("lobby"), Some("join")));
    say(peer, &json!({"type": "joined"}));
    while say(peer, &json!({"type": "news", "at": clock::wall_ns() / 1_000_000})) {
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn serve_socket_io(peer: &mut Peer) {
    peer.write(&frame(0x81, br#"0{"sid":"a","upgrades":[],"pingInterval":25000,"pingTimeout":20000,"maxPayload":1}"#));
    while let Some(read) = peer.read_frame().filter(|read| read.opcode == 1) {
        match std::str::from_utf8(&read.body).unwrap() {
            "40" => {
                peer.write(&frame(0x81, br#"40{"sid":"b"}"#));
            }
            "41" => {}
            event => {
                let (id, _) = event.strip_prefix("42").unwrap().split_once("[\"say\",").unwrap();
                peer.write(&frame(0x81, format!("43{id}[]").as_bytes()));
            }
        }
    }
}

/// Its certificate is its own authority.
fn make_server(folder: &Path) -> Arc<ServerConfig> {
    let key = KeyPair::generate().unwrap();
    let certificate = CertificateParams::new(vec!["localhost".into()]).unwrap().self_signed(&key).unwrap();
    std::fs::write(folder.join("ca.pem"), certificate.pem()).unwrap();
    let builder = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()));
    let builder = builder.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
    let key = PrivateKeyDer::Pkcs8(key.serialize_der().into());
    Arc::new(builder.with_single_cert(vec![certificate.der().clone()], key).unwrap())
}

/// Makes the files of the recipes. Returns their folder.
fn prepare() -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("manual-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for (name, text) in blocks("json").into_iter().chain(blocks("csv")) {
        std::fs::write(folder.join(name), format!("{text}\n")).unwrap();
    }
    std::fs::write(folder.join("token.txt"), "s3cret\n").unwrap();
    folder
}

#[test]
fn every_recipe_works() {
    let folder = prepare();
    let (plain, secured) = (serve(serve_recipe), serve_secured(make_server(&folder), serve_recipe));
    let bin = Path::new(env!("CARGO_BIN_EXE_swarm")).parent().unwrap().display().to_string();
    let text: Vec<_> = blocks("sh").into_iter().map(|(_, text)| text.replace("\\\n", "")).collect();
    let commands: Vec<_> = text.iter().flat_map(|text| text.lines()).collect();
    assert!(commands.len() >= 10 && MANUAL.matches("\n## ").count() >= 10);
    let check = |command: &str| {
        let line = command.replace(":9000", &format!(":{plain}")).replace(":9443", &format!(":{secured}"));
        let path = format!("{bin}:{}", std::env::var("PATH").unwrap_or_default());
        let ended = Command::new("sh").args(["-c", &line]).current_dir(&folder).env("PATH", path).output().unwrap();
        let told = String::from_utf8_lossy(&ended.stdout).into_owned() + &String::from_utf8_lossy(&ended.stderr);
        assert!(ended.status.success() && told.contains(" 0 wrong answers"), "{command}:\n{told}");
        assert!(
            !told.contains("s3cret") && !told.contains("t-ada") && !told.contains("broke the protocol"),
            "{command}:\n{told}"
        );
        for (option, words) in EXPECTED {
            assert!(!command.contains(option) || told.contains(words), "{command}: {words}:\n{told}");
        }
    };
    std::thread::scope(|scope| commands.iter().for_each(|command| drop(scope.spawn(|| check(command)))));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn help_shows_three_of_the_recipes() {
    let help = Command::new(env!("CARGO_BIN_EXE_swarm")).arg("--help").output().unwrap();
    let help = String::from_utf8_lossy(&help.stdout).into_owned();
    let shown: Vec<_> = help.lines().map(str::trim).collect();
    let recipes = blocks("sh").into_iter().filter(|(_, text)| text.lines().any(|line| shown.contains(&line))).count();
    assert_eq!(recipes, 3, "{help}");
}

/// What the report says where an option is given.
const EXPECTED: [(&str, &str); 8] = [
    ("wss://", "TLS 1.3 "),
    ("--insecure", "certificates NOT verified"),
    ("--deflate", "server_no_context_takeover; client_no_context_takeover"),
    ("--sent-at", "delivery "),
    ("--answer", " 0 missing"),
    ("--stop-reading", "answers that slow readers had not read"),
    ("--ping", "pings answered"),
    ("--reconnect", "the last back "),
];
