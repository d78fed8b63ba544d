//! The program as a person and as the harness start it.

#[allow(dead_code)]
mod support;

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
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
        (&["wss://127.0.0.1:80"], "use ws://"),
        (&["http://127.0.0.1:80"], "use ws://127.0.0.1:80"),
        (&["ws://127.0.0.1:9", "-c", "0"], "'--connections <CONNECTIONS>': write a whole number from 1"),
        (&["ws://127.0.0.1:9", "-r", "0"], "'--rate <HZ>': write a number a second above 0"),
        (&["ws://127.0.0.1:9", "-r", "-1"], "'--rate <HZ>': write a number a second above 0"),
        (&["ws://127.0.0.1:9", "-s", "99999999"], "'--size <SIZE>': write 1 to 67108864 bytes"),
        (&["ws://127.0.0.1:9", "-s", "gamma:3"], "uniform:MIN,MAX"),
        (&["ws://127.0.0.1:9", "-d", "1500ms"], "use whole seconds"),
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
    for (port, code, words) in [
        (serve(echo), 0, ""),
        (serve(wrong), 1, " answers were wrong; see that "),
        (serve(mute), 1, " messages was answered; see that "),
        (nobody, 1, "none of 2 connections opened (Connection refused"),
    ] {
        for output_as in ["--quiet", "--json"] {
            let url = format!("ws://127.0.0.1:{port}");
            let ended =
                output(&[&url, "-c", "2", "-r", "20", "-d", "1s", "--settle", "0s", "--drain", "0.2", output_as]);
            let told = text(&ended.stderr);
            assert_eq!(ended.status.code(), Some(code), "{words}: {told}");
            assert!(told.contains(words) && told.lines().count() <= 1, "{words}: {told}");
            assert!(!ended.stdout.is_empty(), "the result is told all the same");
        }
    }
}

#[test]
fn nothing_to_answer_is_no_failure() {
    let url = format!("ws://127.0.0.1:{}", serve(echo));
    let ended = output(&[&url, "-c", "2", "--behaviour", "idle", "-d", "1s", "--settle", "0s"]);
    assert!(ended.status.success(), "{}", text(&ended.stderr));
}

/// Runs a load of 2,000 messages. Returns what it writes.
fn report(out: &Folder, arguments: &[&str]) -> Output {
    let url = format!("ws://127.0.0.1:{}", serve(echo));
    let folder = out.0.to_str().unwrap();
    let fixed = [&url, "-c", "20", "-r", "50", "-d", "2s", "--drain", "30s", "--out", folder];
    let ended = output(&[&fixed[..], arguments].concat());
    assert!(ended.status.success(), "{}", text(&ended.stderr));
    ended
}

#[test]
fn as_json_the_result_has_its_load_its_counts_and_percentiles_where_enough_samples_are() {
    let out = Folder::new("json");
    let ended = report(&out, &["--json"]);
    let told: serde_json::Value = serde_json::from_slice(&ended.stdout).unwrap();
    assert_eq!((&told["client"], &told["load"]["connections"]), (&"swarm".into(), &20.into()));
    let latency = &told["latency"];
    assert_eq!(told["window"]["received"], latency["count"], "{told}");
    let [p50, p90] = ["p50_us", "p90_us"].map(|name| latency[name].as_u64().unwrap());
    assert!(p50 > 0 && p50 <= p90, "{told}");
    assert!(latency["p99.9_us"].is_null(), "of 2,000 messages 2 lie beyond");
    assert!(told["reconnect"].is_null(), "none was dropped");
    let left: serde_json::Value = serde_json::from_slice(&std::fs::read(out.0.join("report.json")).unwrap()).unwrap();
    assert_eq!(left, told);
}

#[test]
fn two_results_are_compared_and_intervals_need_several_runs_of_each() {
    let out = Folder::new("compare");
    report(&out, &[]);
    let one = out.0.to_str().unwrap();
    let single = text(&output(&["compare", one, one]).stdout);
    assert!(
        single.contains("latency p50, ms") && single.contains("1.000\n") && single.contains("No intervals"),
        "{single}"
    );
    let [a, b] = ["a", "b"].map(|name| Folder::new(&format!("compare-{name}")));
    let mut report: serde_json::Value =
        serde_json::from_slice(&std::fs::read(out.0.join("report.json")).unwrap()).unwrap();
    report["doubts"] = serde_json::json!([]); // of a machine that is busy
    for (folder, factor) in [(&a, 1), (&b, 2)] {
        for (run, p50) in [98, 100, 102].into_iter().enumerate() {
            report["latency"]["p50_us"] = (p50 * factor).into();
            std::fs::write(folder.0.join(format!("{run}.json")), report.to_string()).unwrap();
        }
    }
    let [a, b] = [&a, &b].map(|folder| folder.0.to_str().unwrap());
    let several = text(&output(&["compare", a, b]).stdout);
    assert!(several.contains("0.100        0.200   2.000 [1.911, 2.093]"), "{several}");
    assert!(!several.contains("warning"), "{several}");
    report["load"]["connections"] = 11.into();
    std::fs::write(std::path::Path::new(b).join("0.json"), report.to_string()).unwrap();
    let other = text(&output(&["compare", a, b]).stdout);
    assert!(other.contains("was another load than") && other.contains("connections 20 and 11"), "{other}");
}

#[test]
fn what_can_not_be_compared_is_told_with_its_place_and_the_next_step() {
    let empty = Folder::new("compare-nothing");
    let path = empty.0.to_str().unwrap();
    for (arguments, words) in [
        (&["compare", "/nowhere.json", path][..], "/nowhere.json: No such file"),
        (&["compare", path, path], "holds no report; put files there"),
        (&["compare", "/dev/null", path], "/dev/null: no report of swarm; write one with"),
        (&["compare", path], "<B>"),
    ] {
        let ended = output(arguments);
        let told = text(&ended.stderr);
        assert!(told.starts_with("error: ") && told.contains(words), "{words}: {told}");
        assert_eq!(ended.status.code(), Some(64));
    }
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
        let url = format!("ws://127.0.0.1:{}", serve(echo));
        let child = swarm(&[&url, "-c", "4", "-r", "50", "-d", "60s", "--settle", "0s", "--processes", processes])
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(2500));
        let began = Instant::now();
        interrupt(&child);
        let ended = child.wait_with_output().unwrap();
        assert!(began.elapsed() < Duration::from_secs(5));
        assert!(text(&ended.stdout).contains("stopped early"), "{} {}", text(&ended.stdout), text(&ended.stderr));
        assert!(text(&ended.stdout).contains("4 opened of 4"), "{}", text(&ended.stdout));
    }
}

fn interrupt(child: &Child) {
    let pid = rustix::process::Pid::from_child(child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
}

/// What the harness writes for it.
fn config(port: u16, out: &Folder, processes: u32) -> serde_json::Value {
    serde_json::json!({
        "url": format!("ws://127.0.0.1:{port}"), "dialect": "websocket", "out": out.0, "behaviour": "echo", "processes": processes,
        "connections": 4, "connect_rate_hz": 100, "warmup_s": 0.3, "ramp_s": 1, "settle_s": 0, "hold_s": 1,
        "arrivals": {"kind": "constant", "period_ms": 20}, "payload": {"type": "text", "bytes": 20}, "seed": 1, "late_ms": 5, "drain_s": 1
    })
}

/// Says `go` a second ahead once it is ready. Returns the ready line.
fn start_in_suite(child: &mut Child) -> String {
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let start_us = swarm::clock::now_ns() / 1000 + 700_000;
    writeln!(child.stdin.as_mut().unwrap(), "go {start_us}").unwrap();
    line
}

#[test]
fn in_the_suite_it_obeys_the_contract_of_a_client() {
    for processes in [1, 2] {
        let out = Folder::new(&format!("suite-{processes}"));
        let path = out.0.join("client.json");
        std::fs::write(&path, config(serve(echo), &out, processes).to_string()).unwrap();
        let mut child = swarm(&[path.to_str().unwrap()]).spawn().unwrap();
        let ready = start_in_suite(&mut child);
        assert!(ready.starts_with("ready {") && ready.contains(r#""client":"swarm""#), "{ready}");
        assert_eq!(ready.matches(r#""role":"client""#).count(), processes as usize);
        assert!(child.wait().unwrap().success());
        let summary: serde_json::Value =
            serde_json::from_slice(&std::fs::read(out.0.join("summary.json")).unwrap()).unwrap();
        assert_eq!((&summary["window"]["due"], &summary["window"]["missing"]), (&200.into(), &0.into()), "{summary}");
        assert_eq!(summary["connections"]["opened"], 4, "the warm-up is not recorded");
        for name in ["intervals.tsv", "latency.hlog", "service.hlog", "connect.hlog"] {
            assert!(out.0.join(name).metadata().unwrap().len() > 0, "{name}");
        }
        let left: Vec<_> = std::fs::read_dir(&out.0).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert!(!left.iter().any(|name| name.to_string_lossy().ends_with(".tmp")), "{left:?}");
    }
}

#[test]
fn while_it_runs_it_tells_its_counts_and_two_percentiles() {
    for processes in [1, 2] {
        let out = Folder::new(&format!("live-{processes}"));
        let path = out.0.join("client.json");
        let mut long = config(serve(echo), &out, processes);
        long["hold_s"] = 60.into();
        std::fs::write(&path, long.to_string()).unwrap();
        let mut child = swarm(&[path.to_str().unwrap()]).spawn().unwrap();
        start_in_suite(&mut child);
        let lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        let read = |line: String| serde_json::from_str(line.strip_prefix("second ").expect("no other line")).unwrap();
        let told: Vec<serde_json::Value> = lines.map(read).take(4).collect();
        let number = |second: usize, name: &str| told[second][name].as_f64().unwrap_or(-1.0);
        for (before, after) in [(0, 1), (1, 2), (2, 3)] {
            for name in ["t_s", "due", "sent", "received"] {
                assert!(number(before, name) < number(after, name), "{name}: {told:?}");
            }
        }
        assert_eq!(number(3, "connected"), 4.0);
        assert!(
            number(3, "latency_p50_us") >= 0.0 && number(3, "latency_p50_us") <= number(3, "latency_p99_us"),
            "{told:?}"
        );
        child.kill().unwrap();
        child.wait().unwrap();
    }
}

#[test]
fn the_messages_of_each_connection_are_recorded_where_it_is_asked_for() {
    for (processes, threads) in [(1, 1), (1, 2), (2, 2)] {
        let out = Folder::new(&format!("connections-{processes}-{threads}"));
        let path = out.0.join("client.json");
        let mut asked = config(serve(echo), &out, processes);
        asked["threads"] = threads.into();
        asked["arrivals"] = serde_json::json!({ "kind": "uniform-interval", "max_ms": 100 });
        asked["record_connections"] = true.into();
        asked["reconnect"] = serde_json::json!({ "delay_ms": 100, "jitter_ms": 10 });
        std::fs::write(&path, asked.to_string()).unwrap();
        let mut child = swarm(&[path.to_str().unwrap()]).spawn().unwrap();
        start_in_suite(&mut child);
        assert!(child.wait().unwrap().success());
        let read = |name: &str| std::fs::read_to_string(out.0.join(name)).unwrap();
        let table = read("connections.tsv");
        let (head, lines) = table.split_once('\n').unwrap();
        assert_eq!(head, "connection\tdue\tsent\treceived");
        let rows: Vec<Vec<u64>> =
            lines.lines().map(|line| line.split('\t').map(|cell| cell.parse().unwrap()).collect()).collect();
        assert_eq!(rows.iter().map(|row| row[0]).collect::<Vec<_>>(), [0, 1, 2, 3]);
        let summary: serde_json::Value = serde_json::from_str(&read("summary.json")).unwrap();
        for (column, name) in [(1, "due"), (2, "sent"), (3, "received")] {
            let sum: u64 = rows.iter().map(|row| row[column]).sum();
            assert_eq!(summary["window"][name], sum, "{name}: {table}");
        }
        assert!(rows.iter().any(|row| row[1] != rows[0][1]), "each has an interval of its own: {table}");
        assert_eq!(summary["connections"]["reconnect_max_us"], serde_json::Value::Null);
        assert_eq!(summary["connections"]["gone_at_end"], 0);
        assert!(read("reconnect.hlog").starts_with("#[Histogram log"));
    }
}

#[test]
fn every_error_of_a_configuration_is_told_with_the_file() {
    let out = Folder::new("errors");
    let path = out.0.join("client.json");
    let mut wrong = config(9, &out, 1);
    wrong["connections"] = 0.into();
    wrong["hold_s"] = 0.into();
    std::fs::write(&path, wrong.to_string()).unwrap();
    let ended = output(&[path.to_str().unwrap()]);
    let told = text(&ended.stderr);
    assert_eq!(ended.status.code(), Some(64));
    assert!(told.contains("client.json: connections is 0") && told.contains("hold_s is 0"), "{told}");
}

#[test]
fn load_processes_end_with_the_one_that_started_them() {
    let out = Folder::new("orphans");
    let path = out.0.join("client.json");
    let mut long = config(serve(echo), &out, 2);
    long["hold_s"] = 60.into();
    std::fs::write(&path, long.to_string()).unwrap();
    let mut child = swarm(&[path.to_str().unwrap()]).spawn().unwrap();
    let ready = start_in_suite(&mut child);
    let pids: Vec<u32> =
        ready.split(r#""pid":"#).skip(1).filter_map(|part| part.split([',', '}']).next()?.parse().ok()).collect();
    assert_eq!(pids.len(), 3, "{ready}");
    std::thread::sleep(Duration::from_millis(1500));
    child.kill().unwrap();
    child.wait().unwrap();
    let is_alive =
        |pid: &u32| std::fs::read_to_string(format!("/proc/{pid}/cmdline")).is_ok_and(|line| line.contains("swarm"));
    let deadline = Instant::now() + Duration::from_secs(5);
    while pids.iter().any(is_alive) {
        assert!(Instant::now() < deadline, "a load process outlived its parent");
        std::thread::sleep(Duration::from_millis(20));
    }
}
