//! What a run writes, and two of them compared.

use super::support::{echo, serve};
use super::{output, text, Folder};
use std::process::Output;

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
    report["warnings"] = serde_json::json!([]); // of a machine that is busy
    report["connections"]["opened"] = 33.into(); // some of the 20 opened again
    for (folder, factor) in [(&a, 1), (&b, 2)] {
        for (run, p50) in [98, 100, 102].into_iter().enumerate() {
            report["latency"]["p50_us"] = (p50 * factor).into();
            std::fs::write(folder.0.join(format!("{run}.json")), report.to_string()).unwrap();
        }
    }
    let [a, b] = [&a, &b].map(|folder| folder.0.to_str().unwrap());
    let several = text(&output(&["compare", a, b]).stdout);
    assert!(several.contains("0.100        0.200   2.000 [1.911, 2.093]"), "{several}");
    assert!(several.lines().any(|line| line.split_whitespace().eq(["not", "opened", "0", "0"])), "{several}");
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
        (&["compare", path], "Usage: swarm compare <A> <B>"),
        (&["compare", path, path, "--fast"], "Usage: swarm compare <A> <B>"),
    ] {
        let ended = output(arguments);
        let told = text(&ended.stderr);
        assert!(told.starts_with("error: ") && told.contains(words), "{words}: {told}");
        assert_eq!(ended.status.code(), Some(64));
    }
}
