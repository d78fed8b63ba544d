//! `swarm compare`: two results side by side, each of one or several runs.

mod ratio;
mod runs;

use crate::report::numbers::ms;
use ratio::{mean, ratio, Ratio, RUNS_MIN};
use runs::Run;
use serde_json::Value;
use std::fmt::Write;
use std::path::Path;

/// A row of the table: name, value in a report, and format. A count is summed over the runs and has no ratio.
struct Row {
    name: &'static str,
    value: fn(&Value) -> Option<f64>,
    tell: fn(f64) -> String,
    is_count: bool,
}

const fn time(name: &'static str, value: fn(&Value) -> Option<f64>) -> Row {
    Row { name, value, tell: ms, is_count: false }
}

const fn count(name: &'static str, value: fn(&Value) -> Option<f64>) -> Row {
    Row { name, value, tell: |number| format!("{number}"), is_count: true }
}

const ROWS: [Row; 13] = [
    Row { name: "answered/s", value: answered_hz, tell: |hz| format!("{hz:.1}"), is_count: false },
    time("latency mean, ms", |report| report["latency"]["mean_us"].as_f64()),
    time("latency p50, ms", |report| report["latency"]["p50_us"].as_f64()),
    time("latency p90, ms", |report| report["latency"]["p90_us"].as_f64()),
    time("latency p99, ms", |report| report["latency"]["p99_us"].as_f64()),
    time("latency p99.9, ms", |report| report["latency"]["p99.9_us"].as_f64()),
    time("service p50, ms", |report| report["service"]["p50_us"].as_f64()),
    time("service p99, ms", |report| report["service"]["p99_us"].as_f64()),
    time("connect p50, ms", |report| report["connect"]["p50_us"].as_f64()),
    // not asked less opened: those that reconnect open more than once
    count("not opened", |report| {
        let connections = &report["connections"];
        Some(connections["failed_local"].as_f64()? + connections["failed_remote"].as_f64()?)
    }),
    count("dropped", |report| report["connections"]["dropped_remote"].as_f64()),
    count("missing", |report| report["window"]["missing"].as_f64()),
    count("wrong", |report| report["window"]["wrong"].as_f64()),
];

fn answered_hz(report: &Value) -> Option<f64> {
    Some(report["window"]["received"].as_f64()? / report["hold_s"].as_f64()?)
}

/// The comparison as text. Errors: `<where>: <what>; <next step>`.
pub fn compose(a: &Path, b: &Path) -> Result<String, String> {
    let sides = [runs::read(a)?, runs::read(b)?];
    let mut out = String::new();
    write_all(&mut out, &sides).expect("a string takes all");
    Ok(out)
}

fn write_all(out: &mut String, sides: &[Vec<Run>; 2]) -> std::fmt::Result {
    for (letter, runs) in ["A", "B"].into_iter().zip(sides) {
        let url = runs[0].report["load"]["url"].as_str().unwrap_or_default();
        writeln!(out, "{letter}  {url}, {} run(s), {} first", runs.len(), runs[0].path.display())?;
    }
    writeln!(out, "\n{:<18} {:>12} {:>12}   B / A", "", "A", "B")?;
    for row in &ROWS {
        write_row(out, row, sides)?;
    }
    let has_intervals = sides.iter().all(|runs| runs.len() >= RUNS_MIN);
    let means = if has_intervals {
        "Values are geometric means over the runs; in brackets stands a 95 % interval of the ratio (Welch's, of logarithms)."
    } else {
        "No intervals: with fewer than three runs of each nobody knows how far the next one would differ."
    };
    writeln!(out, "\n{means}\nCounts are sums over the runs.")?;
    warnings(sides).iter().try_for_each(|warning| writeln!(out, "warning: {warning}"))
}

fn write_row(out: &mut String, row: &Row, sides: &[Vec<Run>; 2]) -> std::fmt::Result {
    let [a, b] = sides.each_ref().map(|runs| values_of(row, runs));
    if row.is_count {
        let [a, b] = [a, b].map(|values| values.map_or("-".into(), |values| (row.tell)(values.iter().sum())));
        return writeln!(out, "{:<18} {a:>12} {b:>12}", row.name);
    }
    let told = |values: &Option<Vec<f64>>| values.as_deref().and_then(mean).map_or("-".into(), row.tell);
    let quotient = a.as_deref().zip(b.as_deref()).and_then(|(a, b)| ratio(a, b)).map_or("-".into(), tell);
    writeln!(out, "{:<18} {:>12} {:>12}   {quotient}", row.name, told(&a), told(&b))
}

/// `None` if any run lacks the value: a mean over the rest would not cover the same runs.
fn values_of(row: &Row, runs: &[Run]) -> Option<Vec<f64>> {
    runs.iter().map(|run| (row.value)(&run.report)).collect()
}

fn tell(Ratio { ratio, interval }: Ratio) -> String {
    match interval {
        Some((from, to)) => format!("{ratio:.3} [{from:.3}, {to:.3}]"),
        None => format!("{ratio:.3}"),
    }
}

/// Reasons why the two results can't be compared fairly.
fn warnings(sides: &[Vec<Run>; 2]) -> Vec<String> {
    let first = &sides[0][0];
    let all = || sides.iter().flatten();
    let mut warnings: Vec<String> = all()
        .filter_map(|run| {
            let keys = differing_keys(&first.report["load"], &run.report["load"]);
            let told = || {
                format!("{} was another load than {}: {}", run.path.display(), first.path.display(), keys.join(", "))
            };
            (!keys.is_empty()).then(told)
        })
        .collect();
    let stopped = all().filter(|run| run.report["was_stopped"] == true);
    warnings.extend(stopped.map(|run| format!("{} was stopped early", run.path.display())));
    let is_warned = |run: &&Run| run.report["warnings"].as_array().is_some_and(|warnings| !warnings.is_empty());
    let doubtful = all().filter(is_warned);
    warnings.extend(doubtful.map(|run| format!("{}: the generator may have been the bottleneck", run.path.display())));
    warnings
}

/// Keys in which two loads may differ: target, seed, and output.
const FREE: [&str; 4] = ["url", "seed", "out", "record_connections"];

fn differing_keys(one: &Value, other: &Value) -> Vec<String> {
    let keys = one.as_object().into_iter().flatten().map(|(key, _)| key);
    let differing = keys.filter(|key| !FREE.contains(&key.as_str()) && one[key.as_str()] != other[key.as_str()]);
    differing.map(|key| format!("{key} {} and {}", one[key.as_str()], other[key.as_str()])).collect()
}
