//! A service's own messages: a chat in JSON that answers, tells the others, and answers late, twice or not at all.

mod support;

use serde_json::{json, Value};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use support::{frame, make_load, run_until_answered, serve, Peer, Run};
use swarm::clock;
use swarm::config::Config;
use swarm::dialect::Behaviour;
use swarm::message::own::{Own, Ready, SentAt, Step, Unit};
use swarm::tally::Tally;

/// A file that is gone with the test.
struct File(PathBuf);

impl File {
    fn new(text: &str) -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let name = format!("own-{}-{}.json", std::process::id(), NUMBER.fetch_add(1, Relaxed));
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::write(&path, text).unwrap();
        Self(path)
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

const CHAT: &str = r#"{"type":"say","data":{"id":{{id}},"from":"{{connection}}","text":"{{random:30}}"}}"#;

fn say(peer: &mut Peer, value: &Value) {
    peer.write(&frame(0x81, value.to_string().as_bytes()));
}

/// The next message of a client; `None` when it closes.
fn hear(peer: &mut Peer) -> Option<Value> {
    let read = peer.read_frame().filter(|read| read.opcode == 1)?;
    Some(serde_json::from_slice(&read.body).expect("a client's message is JSON"))
}

/// Answers each message as `answer` says.
fn serve_chat(answer: impl Fn(&mut Peer, Value) + Send + Sync + Clone + 'static) -> u16 {
    serve(move |mut peer: Peer| {
        peer.upgrade();
        while let Some(said) = hear(&mut peer) {
            answer(&mut peer, said);
        }
    })
}

fn chat(file: &File) -> Own {
    Own { message: Some(file.0.clone()), answer: Some("/ok/id".into()), ..Own::default() }
}

fn send(file: &File) -> Step<PathBuf> {
    Step::Send(file.0.clone())
}

/// Waits for a message of this type.
fn wait_for(value: &str) -> Step<PathBuf> {
    Step::Await(Ready { pointer: "/type".into(), value: value.into() })
}

fn with(own: Own) -> impl FnOnce(&mut Config) {
    move |config| {
        config.behaviour = Behaviour::Own;
        config.messages = Some(own);
        config.connections = 3;
    }
}

/// Where something is subscribed to, the whole drain is waited for: it must have an end.
fn run_for_a_second(port: u16, change: impl FnOnce(&mut Config)) -> Run {
    let (tally, _) = swarm::worker::run(&make_load(port, change), 0).unwrap();
    Run { tally }
}

fn subscribed(tally: &Tally) -> u64 {
    tally.early.subscribed + tally.window.subscribed + tally.subscribed_after
}

fn counts(run: &Run) -> (u64, u64, u64, u64) {
    (run.missing(), run.total_wrong(), run.total_unasked(), run.drops())
}

#[test]
fn answers_are_known_by_their_ids_in_whatever_order_they_come() {
    let port = serve(|mut peer: Peer| {
        peer.upgrade();
        let mut held: Option<Value> = None;
        while let Some(said) = hear(&mut peer) {
            match held.take() {
                None => held = Some(said),
                Some(first) => {
                    say(&mut peer, &json!({"ok": {"id": said["data"]["id"]}}));
                    say(&mut peer, &json!({"ok": {"id": first["data"]["id"].to_string()}}));
                }
            }
        }
    });
    let file = File::new(CHAT);
    let own = chat(&file);
    // for a while, and not until so many are answered: the server may hold one for ever
    let run = run_for_a_second(port, |config| {
        with(own)(config);
        config.arrivals = serde_json::from_value(json!({"kind": "closed", "outstanding": 4})).unwrap();
    });
    assert_eq!((run.total_wrong(), run.total_unasked(), run.drops()), (0, 0, 0), "{}", run.errors());
    assert!(run.tally.window.out_of_order >= 20, "{:?}", run.tally.window);
}

#[test]
fn what_is_told_to_the_others_is_never_an_answer() {
    // each message is answered, after one with the id of another connection's, one that is no JSON, and one without an id
    let port = serve_chat(|peer, said| {
        let id = said["data"]["id"].as_u64().unwrap();
        say(peer, &json!({"ok": {"id": id + 1}}));
        peer.write(&frame(0x81, b"no JSON"));
        say(peer, &json!({"tick": id}));
        say(peer, &json!({"ok": {"id": id}}));
    });
    let file = File::new(CHAT);
    let run = run_until_answered(15, port, with(chat(&file)));
    let answered = run.tally.early.received + run.tally.window.received;
    assert_eq!((run.missing(), run.total_wrong(), run.drops()), (0, 0, 0), "{}", run.errors());
    assert_eq!(run.total_unasked(), 3 * answered);
}

#[test]
fn an_answer_that_comes_twice_is_counted_once() {
    let port = serve_chat(|peer, said| {
        (0..2).for_each(|_| say(peer, &json!({"ok": {"id": said["data"]["id"]}})));
    });
    let file = File::new(CHAT);
    let run = run_until_answered(15, port, with(chat(&file)));
    assert_eq!(counts(&run), (0, 0, 0, 0), "{}", run.errors());
    assert!(run.tally.window.duplicate >= 12, "{:?}", run.tally.window);
}

#[test]
fn every_id_of_a_load_is_another_one_also_after_a_drop() {
    let seen = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let ids = seen.clone();
    let port = serve(move |mut peer: Peer| {
        peer.upgrade();
        for _ in 0..3 {
            let Some(said) = hear(&mut peer) else { return };
            ids.lock().unwrap().push(said["data"]["id"].as_u64().unwrap());
            say(&mut peer, &json!({"ok": {"id": said["data"]["id"]}}));
        }
    });
    let file = File::new(CHAT);
    let own = chat(&file);
    let run = run_until_answered(20, port, |config| {
        with(own)(config);
        config.reconnect = serde_json::from_value(json!({"delay_ms": 5.0})).unwrap();
    });
    assert!(run.tally.connections.reconnected > 1);
    let mut ids = seen.lock().unwrap().clone();
    let all = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), all);
}

#[test]
fn a_subscription_is_counted_apart_with_its_latency() {
    let port = serve_chat(|peer, said| {
        let sent_us = clock::wall_ns() / 1000 - 25_000;
        say(peer, &json!({"news": {"at": sent_us as f64 / 1000.0}}));
        say(peer, &json!({"news": {}}));
        say(peer, &json!({"ok": {"id": said["data"]["id"]}}));
    });
    let file = File::new(CHAT);
    let sent_at = Some(SentAt { pointer: "/news/at".into(), unit: Unit::Ms });
    let run = run_for_a_second(port, with(Own { subscribe: true, sent_at, ..chat(&file) }));
    assert_eq!(counts(&run), (0, 0, 0, 0), "{}", run.errors());
    let answered = run.tally.early.received + run.tally.window.received;
    assert_eq!(subscribed(&run.tally), 2 * answered);
    let times = run.tally.seconds.iter().map(|second| second.delivery.to_histogram());
    let (count, least_us) = times.fold((0, u64::MAX), |(count, least), histogram| {
        (count + histogram.len(), if histogram.is_empty() { least } else { least.min(histogram.min()) })
    });
    assert!(count == answered && least_us >= 24_900, "{count} of {answered}, {least_us} us");
}

#[test]
fn what_is_said_first_goes_out_in_turn_and_the_word_of_the_service_is_waited_for() {
    let port = serve(|mut peer: Peer| {
        peer.upgrade();
        say(&mut peer, &json!({"type": "hello"}));
        assert_eq!(hear(&mut peer).unwrap(), json!({"login": "me"}));
        let joined = hear(&mut peer).unwrap();
        assert_eq!(joined["join"], "room");
        std::thread::sleep(std::time::Duration::from_millis(30));
        say(&mut peer, &json!({"type": "joined", "as": joined["as"]}));
        while let Some(said) = hear(&mut peer) {
            assert_eq!(said["data"]["from"], joined["as"].to_string(), "the connection's number is the same");
            say(&mut peer, &json!({"ok": {"id": said["data"]["id"]}}));
        }
    });
    let (file, first) = (File::new(CHAT), File::new("{\"join\":\"room\",\"as\":{{connection}}}\n"));
    let login = File::new("{\"login\":\"me\"}\n");
    let own = Own { opening: vec![send(&login), send(&first), wait_for("joined")], ..chat(&file) };
    let run = run_until_answered(15, port, with(own));
    assert_eq!((run.missing(), run.total_wrong(), run.drops()), (0, 0, 0), "{}", run.errors());
    assert_eq!((run.total_unasked(), run.tally.connections.opened), (3, 3), "the hello answers nothing");
}

#[test]
fn a_connection_logs_in_and_speaks_by_its_row_of_a_file() {
    let port = serve(|mut peer: Peer| {
        peer.upgrade();
        let login = hear(&mut peer).unwrap();
        say(&mut peer, &json!({"type": "welcome"}));
        while let Some(said) = hear(&mut peer) {
            let user = said["user"].as_str().unwrap_or_default();
            assert!(login["token"] == format!("t-{user}") && ["ada", "bob"].contains(&user), "{login} {said}");
            say(&mut peer, &json!({"ok": {"id": said["id"]}}));
        }
    });
    let users = File::new("user,token\nada,t-ada\nbob,t-bob\n");
    let (login, file) =
        (File::new("{\"token\":\"{{data:token}}\"}"), File::new("{\"id\":{{id}},\"user\":\"{{data:user}}\"}"));
    let own = Own { opening: vec![send(&login), wait_for("welcome")], ..chat(&file) };
    let run = run_until_answered(15, port, |config| {
        with(own)(config);
        config.data = Some(users.0.clone());
    });
    assert_eq!(counts(&run), (0, 0, 0, 0), "{}", run.errors());
    assert_eq!(run.tally.connections.opened, 3);
}

#[test]
fn a_login_is_answered_before_a_room_is_joined() {
    let port = serve(|mut peer: Peer| {
        peer.upgrade();
        std::thread::sleep(std::time::Duration::from_millis(20));
        say(&mut peer, &json!({"type": "hello"}));
        assert_eq!(hear(&mut peer).unwrap(), json!({"login": "me"}));
        peer.expect_silence(std::time::Duration::from_millis(50));
        say(&mut peer, &json!({"type": "welcome"}));
        assert_eq!(hear(&mut peer).unwrap(), json!({"join": "room"}));
        while let Some(said) = hear(&mut peer) {
            say(&mut peer, &json!({"ok": {"id": said["data"]["id"]}}));
        }
    });
    let (file, login, join) = (File::new(CHAT), File::new("{\"login\":\"me\"}"), File::new("{\"join\":\"room\"}"));
    let opening = vec![wait_for("hello"), send(&login), wait_for("welcome"), send(&join)];
    let run = run_until_answered(15, port, with(Own { opening, ..chat(&file) }));
    assert_eq!((run.missing(), run.total_wrong(), run.drops()), (0, 0, 0), "{}", run.errors());
    assert_eq!((run.total_unasked(), run.tally.connections.opened), (0, 3));
}

#[test]
fn a_word_that_never_comes_is_no_handshake() {
    let port = serve_chat(|_, _| {});
    let first = File::new("{}");
    let own = Own { opening: vec![send(&first), wait_for("joined")], subscribe: true, ..Own::default() };
    let load = make_load(port, |config| {
        with(own)(config);
        config.arrivals = serde_json::from_value(json!({"kind": "constant", "period_ms": 100.0})).unwrap();
        config.connect_timeout_s = 0.1;
    });
    let (tally, _) = swarm::worker::run(&load, 0).unwrap();
    assert_eq!((tally.connections.timed_out, tally.connections.opened), (3, 0));
}

#[test]
fn who_only_listens_sends_nothing() {
    let port = serve(|mut peer: Peer| {
        peer.upgrade();
        (0..10).for_each(|at| say(&mut peer, &json!({"tick": at})));
        assert!(hear(&mut peer).is_none(), "nothing but the close frame comes");
    });
    let load = make_load(port, with(Own { subscribe: true, ..Own::default() }));
    let (tally, _) = swarm::worker::run(&load, 0).unwrap();
    assert_eq!((subscribed(&tally), tally.window.sent, tally.window.due), (30, 0, 0));
}

#[test]
fn what_comes_in_the_drain_is_not_of_the_window() {
    let port = serve(|mut peer: Peer| {
        peer.upgrade();
        while peer.write(&frame(0x81, br#"{"tick":1}"#)) {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
    });
    let run = run_for_a_second(port, |config| {
        with(Own { subscribe: true, ..Own::default() })(config);
        config.drain_s = 1.0;
    });
    let (window, after) = (run.tally.window.subscribed, run.tally.subscribed_after);
    assert!(window > 0 && after > 0, "{window} and {after}");
    assert_eq!(run.tally.window.unasked, 0);
}

#[test]
fn events_of_socket_io_are_acknowledged_by_number() {
    let port = serve(|mut peer: Peer| {
        peer.upgrade();
        peer.write(&frame(
            0x81,
            br#"0{"sid":"a","upgrades":[],"pingInterval":25000,"pingTimeout":20000,"maxPayload":1}"#,
        ));
        assert_eq!(peer.read_frame().unwrap().body, b"40");
        peer.write(&frame(0x81, br#"40{"sid":"b"}"#));
        while let Some(read) = peer.read_frame().filter(|read| read.opcode == 1) {
            let Some(event) = std::str::from_utf8(&read.body).unwrap().strip_prefix("42") else { return };
            let (id, event) = event.split_at(event.find('[').unwrap());
            assert_eq!(event, r#"["say","hi"]"#);
            peer.write(&frame(0x81, br#"42["news",1]"#));
            peer.write(&frame(0x81, format!("43{id}[\"ok\"]").as_bytes()));
        }
    });
    let file = File::new(r#"{{id}}["say","hi"]"#);
    let own = Own { message: Some(file.0.clone()), answer: Some("ack".into()), subscribe: true, ..Own::default() };
    let run = run_for_a_second(port, |config| {
        with(own)(config);
        config.dialect = "socket.io-5".into();
    });
    assert_eq!(counts(&run), (0, 0, 0, 0), "{}", run.errors());
    assert!(run.tally.window.subscribed > 10);
}

#[test]
fn what_is_said_first_is_compressed_like_the_load() {
    let (tell, told) = std::sync::mpsc::channel();
    let port = serve(move |mut peer: Peer| {
        peer.upgrade_saying("Sec-WebSocket-Extensions: permessage-deflate\r\n");
        let _ = tell.send(peer.read_frame().map(|first| first.is_compressed)); // who asked may have seen enough
        peer.wait_for_end();
    });
    let (file, first) = (File::new(CHAT), File::new("{\"join\":\"room\"}\n"));
    let own = Own { opening: vec![send(&first)], ..chat(&file) };
    run_for_a_second(port, |config| {
        with(own)(config);
        config.deflate = Some(Default::default());
    });
    assert_eq!(told.recv().unwrap(), Some(true));
}
