//! The program as a person and as the harness start it.

mod edges;
mod failures;
mod hostile;
mod ports;
mod reports;
mod suite;
#[path = "../support/mod.rs"]
mod support;

use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::Arc;
use std::time::{Duration, Instant};
use support::{echo, serve, Echo};

fn swarm(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_swarm"));
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn output(arguments: &[&str]) -> Output {
    swarm(arguments).output().expect("it starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A folder of its own, removed with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("swarm-test-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_url_is_enough_and_the_result_is_a_table_and_a_histogram() {
    let url = format!("ws://127.0.0.1:{}", serve(echo));
    let ended = output(&[&url, "-c", "4", "-r", "50", "-d", "1s", "--settle", "0s"]);
    let told = text(&ended.stdout);
    assert!(ended.status.success(), "{}", text(&ended.stderr));
    for words in ["4 opened of 4", "200 sent", "200 answered", "0 missing", "p99", "latency below, ms", "of a core"] {
        assert!(told.contains(words), "{words}: {told}");
    }
}

#[test]
fn help_names_every_option_and_shows_examples() {
    let told = text(&output(&["--help"]).stdout);
    for words in [
        "--connections",
        "--rate",
        "--outstanding",
        "--churn",
        "--reconnect",
        "--record-connections",
        "--start-at",
        "--json",
        "swarm compare",
        "Exit codes:",
        "Examples:",
        "[default: 10s]",
    ] {
        assert!(told.contains(words), "{words}");
    }
}

#[test]
fn what_is_wrong_gets_an_error_with_its_value_and_the_next_step() {
    let wrong: [(&[&str], &str); 11] = [
        (&["127.0.0.1:80"], "give the path of a JSON file, or a URL"),
        (&["https://127.0.0.1:80"], "use wss://127.0.0.1:80"),
        (&["http://127.0.0.1:80"], "use ws://127.0.0.1:80"),
        (&["ws://127.0.0.1:9", "-c", "0"], "'--connections <CONNECTIONS>': write a whole number from 1"),
        (&["ws://127.0.0.1:9", "-r", "0"], "'--rate <HZ>': write a number a second above 0"),
        (&["ws://127.0.0.1:9", "-r", "-1"], "'--rate <HZ>': write a number a second above 0"),
        (&["ws://127.0.0.1:9", "-s", "99999999"], "'--size <SIZE>': write 1 to 67108864 bytes"),
        (&["ws://127.0.0.1:9", "-s", "gamma:3"], "uniform:MIN,MAX"),
        (&["ws://127.0.0.1:9", "-d", "0s"], "--duration (s) is 0; set it to a number above 0"),
        (&["ws://127.0.0.1:9", "--out", "/nowhere"], "--out is \"/nowhere\"; set it to an existing folder"),
        (&["ws://127.0.0.1:9", "--dialect", "socketcluster-20", "--binary"], "use text"),
    ];
    for (arguments, words) in wrong {
        let ended = output(arguments);
        let told = text(&ended.stderr);
        assert!(told.contains(words) && told.starts_with("error: "), "{words}: {told}");
        assert_eq!(ended.status.code(), Some(64), "{told}");
    }
}

/// Against a server that is there, one that answers nothing right, one that answers nothing, and none.
#[test]
fn the_exit_code_says_whether_anything_worked() {
    let wrong = |peer| Echo { flips_type: true, ..Echo::default() }.serve(peer);
    let mute = |mut peer: support::Peer| {
        peer.upgrade();
        peer.wait_for_end();
    };
    let nobody = 9; // a free port of the range that tests are given may be another's by then
    let servers = [
        (serve(echo), 0, ""),
        (serve(wrong), 1, " answers were wrong; see that "),
        (serve(mute), 1, " messages was answered; see that "),
        (nobody, 1, "none of 2 connections opened (Connection refused"),
    ];
    let check = |(port, code, words): (u16, i32, &str), output_as: &str| {
        let url = format!("ws://127.0.0.1:{port}");
        let ended = output(&[&url, "-c", "2", "-r", "20", "-d", "1s", "--settle", "0s", "--drain", "0.2", output_as]);
        let told = text(&ended.stderr);
        assert_eq!(ended.status.code(), Some(code), "{words}: {told}");
        assert!(told.contains(words) && told.lines().count() <= 1, "{words}: {told}");
        assert!(!ended.stdout.is_empty(), "the result is told all the same");
    };
    std::thread::scope(|scope| {
        for server in servers {
            ["--quiet", "--json"].into_iter().for_each(|output_as| drop(scope.spawn(move || check(server, output_as))));
        }
    });
}

#[test]
fn nothing_to_answer_is_no_failure() {
    let url = format!("ws://127.0.0.1:{}", serve(echo));
    let ended = output(&[&url, "-c", "2", "--behaviour", "idle", "-d", "1s", "--settle", "0s"]);
    assert!(ended.status.success(), "{}", text(&ended.stderr));
}

#[test]
fn a_start_in_the_past_is_refused_and_one_to_come_is_waited_for() {
    let url = format!("ws://127.0.0.1:{}", serve(echo));
    assert!(text(&output(&[&url, "--start-at", "2014-08-21T10:00:00Z"]).stderr).contains("ago; use a time to come"));
    let began = Instant::now();
    let in_a_second = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs_f64() + 1.0;
    let ended = output(&[&url, "-c", "1", "-d", "1", "--settle", "0", "--start-at", &in_a_second.to_string()]);
    assert!(ended.status.success(), "{}", text(&ended.stderr));
    assert!(began.elapsed() > Duration::from_millis(1900));
}

#[test]
fn an_interrupt_ends_the_run_and_reports_it() {
    for processes in ["1", "2"] {
        let upgraded = Arc::new(AtomicUsize::new(0));
        let count = upgraded.clone();
        let url = format!(
            "ws://127.0.0.1:{}",
            serve(move |mut peer| {
                peer.upgrade();
                count.fetch_add(1, SeqCst);
                Echo::default().serve_open(peer);
            })
        );
        let mut child = swarm(&[&url, "-c", "4", "-r", "50", "-d", "600s", "--settle", "0s", "--processes", processes])
            .spawn()
            .unwrap();
        while upgraded.load(SeqCst) < 4 {
            assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
            std::thread::sleep(Duration::from_millis(20));
        }
        std::thread::sleep(Duration::from_millis(2500)); // until its window has begun
        let began = Instant::now();
        interrupt(&child);
        let ended = child.wait_with_output().unwrap();
        assert!(began.elapsed() < Duration::from_secs(120), "a bound on liveness, not a measure");
        assert!(text(&ended.stdout).contains("stopped early"), "{} {}", text(&ended.stdout), text(&ended.stderr));
        assert!(text(&ended.stdout).contains("4 opened of 4"), "{}", text(&ended.stdout));
    }
}

fn interrupt(child: &Child) {
    let pid = rustix::process::Pid::from_child(child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
}
