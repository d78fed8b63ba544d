//! As the harness starts it, with a file.

use super::support::{echo, serve};
use super::{output, swarm, text, Folder};
use std::io::{BufRead, BufReader, Write};
use std::process::Child;
use std::time::{Duration, Instant};

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
        long["hold_s"] = 600.into();
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
    long["hold_s"] = 600.into();
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
    let deadline = Instant::now() + Duration::from_secs(120);
    while pids.iter().any(is_alive) {
        assert!(Instant::now() < deadline, "a load process outlived its parent");
        std::thread::sleep(Duration::from_millis(20));
    }
}
