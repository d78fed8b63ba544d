//! What a load that came to nothing, or to less than it seems, tells a person and a script.

use super::support::{frame, serve, Echo, Peer};
use super::{interrupt, output, swarm, text};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::Arc;
use std::time::{Duration, Instant};

const CLOSE_4401: &[u8] = b"\x88\x02\x11\x31";
const SHORT: [&str; 6] = ["-d", "1s", "--settle", "0s", "--drain", "0.2"];

fn told(port: u16, arguments: &[&str]) -> (Option<i32>, String, String) {
    let url = format!("ws://127.0.0.1:{port}");
    let ended = output(&[&[&url[..]][..], &SHORT, arguments].concat());
    (ended.status.code(), text(&ended.stdout), text(&ended.stderr))
}

/// A server, the options of two connections to it, and what the one line of the error says.
type Case = (fn(Peer), &'static [&'static str], &'static str);

/// Each load ends with exit code 1.
fn check_failures(cases: &[Case]) {
    std::thread::scope(|scope| {
        for &(server, arguments, words) in cases {
            scope.spawn(move || {
                let (code, out, error) = told(serve(server), &[&["-c", "2"][..], arguments].concat());
                assert_eq!(code, Some(1), "{arguments:?}: {out}{error}");
                assert!(error.contains(words) && error.lines().count() == 1, "{arguments:?}: {error}");
            });
        }
    });
}

#[test]
fn readers_that_are_too_slow_are_not_the_servers_fault() {
    let slow = ["-r", "20", "-s", "1000", "--read-rate", "200"];
    let (code, out, error) = told(serve(|peer| Echo::default().serve(peer)), &slow);
    assert_eq!(code, Some(1), "{out}{error}");
    assert!(error.contains("raise --read-rate") && out.contains("unread"), "{out}{error}");
}

#[test]
fn a_window_in_which_nothing_was_answered_is_a_failure_and_says_why() {
    fn closes(mut peer: Peer) {
        peer.upgrade();
        peer.write(CLOSE_4401);
        peer.wait_for_end();
    }
    fn says_why(mut peer: Peer) {
        peer.upgrade();
        peer.write(b"\x88\x0f\x03\xf0token\nexpired");
        peer.wait_for_end();
    }
    fn closes_at_once(mut peer: Peer) {
        peer.upgrade_with(CLOSE_4401);
        peer.wait_for_end();
    }
    fn is_no_websocket(mut peer: Peer) {
        peer.upgrade_with(b"0\r\n\r\n");
        peer.wait_for_end();
    }
    fn never_reads(mut peer: Peer) {
        peer.upgrade();
        std::thread::sleep(Duration::from_secs(600));
    }
    fn ticks(mut peer: Peer) {
        peer.upgrade();
        while peer.write(&frame(0x81, br#"{"tick":1}"#)) {
            std::thread::sleep(Duration::from_millis(20));
        }
    }
    let cases: [Case; 10] = [
        (says_why, &["-k", "3"], "the server closed the connection (1008 token expired)"),
        (closes, &["-r", "20"], "the server closed the connection (4401)); see why the server ends connections"),
        (closes, &["-k", "3"], "(4401)"),
        (closes, &["--behaviour", "idle"], "connections stayed open (the server closed the connection (4401))"),
        (closes_at_once, &["-k", "3"], "(4401)"),
        (is_no_websocket, &["-k", "3"], "the server broke the protocol"),
        (never_reads, &["-k", "300", "-s", "50000"], "as the server did not read); see that the server reads"),
        (ticks, &["-r", "20"], "messages came that answer none); see that the server has this --behaviour"),
        (ticks, &["-k", "2", "--behaviour", "pingpong"], "messages came that answer none)"),
        (closes, &["-r", "20", "--behaviour", "broadcast", "-s", "64"], "(4401)"),
    ];
    check_failures(&cases);
}

#[test]
fn a_load_that_listens_and_hears_nothing_in_its_window_is_a_failure() {
    fn greets_and_closes(mut peer: Peer) {
        peer.upgrade_with(&[&frame(0x81, br#"{"type":"error"}"#)[..], CLOSE_4401].concat());
        peer.wait_for_end();
    }
    fn greets(mut peer: Peer) {
        peer.upgrade_with(&frame(0x81, br#"{"type":"hello"}"#));
        peer.wait_for_end();
    }
    fn is_mute(mut peer: Peer) {
        peer.upgrade();
        peer.wait_for_end();
    }
    let cases: [Case; 6] = [
        (greets_and_closes, &["--subscribe"], "connections stayed open (the server closed the connection (4401))"),
        (greets_and_closes, &["--subscribe", "--reconnect", "50ms"], "(4401)"),
        // the window begins 2.5 s after the second greeting, also on a busy machine
        (
            greets,
            &["--subscribe", "--connect-rate", "0.4"],
            "nothing came in the window of what was subscribed to (2 before it)",
        ),
        (is_mute, &["--subscribe"], "nothing came of what was subscribed to; see that --on-open says"),
        (is_mute, &["--behaviour", "idle", "--ping", "200ms"], "pings was answered; see that the server answers pings"),
        (greets, &["--ready", "/type=joined", "--connect-timeout", "0.3s"], "(no message came with /type=joined); see"),
    ];
    check_failures(&cases);
}

#[test]
fn a_subscription_without_a_readable_time_says_so() {
    let port = serve(|mut peer| {
        peer.upgrade();
        while peer.write(&frame(0x81, br#"{"at":1.8e9,"day":"2026-11-28"}"#)) {
            std::thread::sleep(Duration::from_millis(20));
        }
    });
    for (sent_at, words) in [
        ("/day", "without a Unix time in us at /day"),
        ("/at,ms", "without a Unix time in ms at /at"),
        ("/nowhere,s", "without a Unix time in s at /nowhere"),
    ] {
        let (code, out, error) = told(port, &["-c", "2", "--subscribe", "--sent-at", sent_at]);
        assert_eq!(code, Some(0), "{error}");
        assert!(out.contains(words) && !out.contains("delivery"), "{sent_at}: {out}");
    }
}

#[test]
fn a_time_to_come_is_no_latency_of_0() {
    let port = serve(|mut peer| {
        peer.upgrade();
        loop {
            let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
            let event = format!(r#"{{"at":{}}}"#, now.as_millis() + 500);
            if !peer.write(&frame(0x81, event.as_bytes())) {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    });
    let (code, out, error) = told(port, &["-c", "2", "--subscribe", "--sent-at", "/at,ms"]);
    assert_eq!(code, Some(0), "{error}");
    assert!(out.contains("at /at, or with one to come") && !out.contains("delivery"), "{out}");
}

#[test]
fn a_greeting_is_no_failure_and_is_told_though_it_came_before_the_window() {
    let port = serve(|mut peer| {
        peer.upgrade_with(&frame(0x81, b"welcome"));
        Echo::default().serve_open(peer);
    });
    for arguments in [&["--behaviour", "idle"][..], &["-r", "20"]] {
        let (code, out, error) = told(port, &[&["-c", "10"][..], arguments].concat());
        assert_eq!(code, Some(0), "{error}");
        assert!(out.contains("0 wrong answers, 10 messages that nobody asked for"), "{out}");
    }
}

#[test]
fn what_was_due_and_never_sent_is_told() {
    let port = serve(|mut peer| {
        peer.upgrade();
        for _ in 0..75 {
            // into the window, which begins after 50
            let Some(asked) = peer.read_frame() else { return };
            peer.write(&frame(0x81, &asked.body));
        }
        peer.write(CLOSE_4401);
        peer.wait_for_end();
    });
    let (code, out, error) = told(port, &["-c", "1", "-r", "50"]);
    assert_eq!(code, Some(0), "some were answered: {error}");
    assert!(out.contains(" due and never sent") && !out.contains(" 0 due and never sent"), "{out}");
}

#[test]
fn a_server_that_never_answers_an_upgrade_is_not_taken_for_a_slow_generator() {
    let port = serve(|mut peer| peer.wait_for_end());
    let (code, out, error) = told(port, &["-c", "2", "-r", "20", "--connect-timeout", "0.3s"]);
    assert_eq!(code, Some(1), "{error}");
    assert!(error.contains("none of 2 connections opened (no handshake in time)"), "{error}");
    assert!(!out.contains("due was not sent"), "{out}");
}

#[test]
fn where_answers_stop_before_the_window_the_reason_is_told() {
    let port = serve(|mut peer| {
        peer.upgrade();
        let begin = Instant::now();
        while begin.elapsed() < Duration::from_millis(200) {
            let Some(got) = peer.read_frame() else { return };
            peer.write(&frame(0x80 | got.opcode, &got.body));
        }
        peer.wait_for_end();
    });
    let url = format!("ws://127.0.0.1:{port}");
    let ended = output(&[&url, "-c", "1", "-k", "1", "--settle", "1s", "-d", "1s", "--drain", "0.2s"]);
    assert_eq!(ended.status.code(), Some(1));
    let error = text(&ended.stderr);
    assert!(error.contains("nothing was answered in the window (an earlier answer was still out)"), "{error}");
}

#[test]
fn an_interrupt_ends_the_wait_for_the_last_answers() {
    let check = |processes: &str| {
        let port = serve(|mut peer| {
            peer.upgrade();
            peer.wait_for_end();
        });
        let url = format!("ws://127.0.0.1:{port}");
        let load =
            [&url, "-c", "2", "-r", "20", "-d", "1s", "--settle", "0s", "--drain", "3600", "--processes", processes];
        let child = swarm(&load).spawn().unwrap();
        std::thread::sleep(Duration::from_secs(3)); // into the drain
        let began = Instant::now();
        interrupt(&child);
        let ended = child.wait_with_output().unwrap();
        assert!(began.elapsed() < Duration::from_secs(120), "a bound on liveness, not a measure");
        assert_eq!(ended.status.code(), Some(1), "the result is told, and says that nothing was answered");
        let told = text(&ended.stdout);
        assert!(told.contains("2 opened of 2") && !told.contains("stopped early"), "the window was whole: {told}");
    };
    std::thread::scope(|scope| {
        ["1", "2"].into_iter().for_each(|processes| drop(scope.spawn(move || check(processes))))
    });
}

#[test]
fn an_interrupt_ends_the_warm_up() {
    let upgraded = Arc::new(AtomicUsize::new(0));
    let count = upgraded.clone();
    let port = serve(move |mut peer| {
        peer.upgrade();
        count.fetch_add(1, SeqCst);
        Echo::default().serve_open(peer);
    });
    let url = format!("ws://127.0.0.1:{port}");
    let mut child = swarm(&[&url, "-c", "1", "--warmup", "3600s", "-d", "1s"]).spawn().unwrap();
    while upgraded.load(SeqCst) == 0 {
        assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
        std::thread::sleep(Duration::from_millis(20));
    }
    let began = Instant::now();
    interrupt(&child);
    let ended = child.wait_with_output().unwrap();
    assert!(began.elapsed() < Duration::from_secs(120), "a bound on liveness, not a measure");
    assert!(text(&ended.stdout).contains("stopped early"), "{} {}", text(&ended.stdout), text(&ended.stderr));
    assert!(text(&ended.stderr).contains("it was stopped before a connection was up"), "{}", text(&ended.stderr));
}

#[test]
fn a_load_in_which_nothing_falls_due_is_a_failure() {
    let (code, out, error) = told(serve(|peer| Echo::default().serve(peer)), &["-c", "1", "-r", "0.001"]);
    assert_eq!(code, Some(1), "{out}{error}");
    assert!(error.contains("no message fell due; raise --rate"), "{error}");
}

#[test]
fn a_window_in_which_nothing_falls_due_is_a_failure_whatever_came_before() {
    let url = format!("ws://127.0.0.1:{}", serve(|peer| Echo::default().serve(peer)));
    let ended = output(&[&url, "-c", "2", "-r", "10", "-d", "1ms", "--settle", "0s"]);
    assert_eq!(ended.status.code(), Some(1), "{}", text(&ended.stdout));
    let error = text(&ended.stderr);
    assert!(error.contains("no message fell due in the window; raise --rate, or make it longer"), "{error}");
}

#[test]
fn who_is_thrown_out_at_the_login_is_told_to_see_to_it() {
    let folder = std::env::temp_dir().join(format!("swarm-login-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let login = folder.join("login.json");
    std::fs::write(&login, r#"{"type":"login","password":"sesame-1"}"#).unwrap();
    let port = serve(|mut peer| {
        peer.upgrade();
        peer.read_frame();
        peer.write(&frame(0x88, b"\x11\x31bad login sesame-1"));
    });
    let login = login.display().to_string();
    let (code, out, error) = told(port, &["-c", "1", "--on-open", &login, "--ready", "/ok=1", "--subscribe"]);
    assert_eq!(code, Some(1), "{out}{error}");
    assert!(error.contains("bad login ***") && error.contains("it may want a login, another path"), "{error}");
    assert!(!out.contains("sesame"), "{out}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_path_that_is_not_there_is_told() {
    let refuse = "HTTP/1.1 404 Not Found\r\nLocation: /x?session_token=abcdefgh\r\nContent-Length: 0\r\n\r\n";
    let (code, out, error) = told(serve(move |mut peer| peer.refuse(refuse)), &["-c", "1", "-r", "5"]);
    assert_eq!(code, Some(1), "{out}{error}");
    assert!(error.contains("name the path at which the service takes WebSocket"), "{error}");
    assert!(!format!("{out}{error}").contains("abcdefgh"), "{out}{error}");
}

#[test]
fn who_waits_for_answers_that_never_come_does_not_blame_the_servers_reading() {
    let port = serve(|mut peer| {
        peer.upgrade();
        peer.wait_for_end();
    });
    let (code, out, error) = told(port, &["-c", "1", "-r", "20", "--max-outstanding", "3"]);
    assert_eq!(code, Some(1), "{out}{error}");
    assert!(error.contains("held back by --max-outstanding") && !error.contains("did not read"), "{error}");
}

#[test]
fn records_are_of_one_run() {
    let folder = std::env::temp_dir().join(format!("swarm-again-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let out = folder.display().to_string();
    let port = serve(|peer| Echo::default().serve(peer));
    for (more, is_there) in [(Some("--record-connections"), true), (None, false)] {
        let given = ["-c", "1", "-r", "20", "-o", &out].into_iter().chain(more).collect::<Vec<_>>();
        let (code, text, error) = told(port, &given);
        assert_eq!(code, Some(0), "{text}{error}");
        assert_eq!(folder.join("connections.tsv").exists(), is_there);
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_connection_that_waits_in_vain_for_its_first_message_says_that_it_closes() {
    let closed = Arc::new(AtomicUsize::new(0));
    let counted = closed.clone();
    let port = serve(move |mut peer| {
        peer.upgrade();
        let says_so = peer.read_frame().is_some_and(|frame| frame.opcode == 8 && frame.body == [0x03, 0xe8]);
        counted.fetch_add(usize::from(says_so), SeqCst);
        peer.wait_for_end();
    });
    let (code, ..) = told(port, &["-c", "2", "--subscribe", "--ready", "/type=joined", "--connect-timeout", "0.3s"]);
    let began = Instant::now();
    while closed.load(SeqCst) < 2 && began.elapsed() < Duration::from_secs(30) {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!((code, closed.load(SeqCst)), (Some(1), 2));
}
