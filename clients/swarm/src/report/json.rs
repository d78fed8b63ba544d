//! The report for programs (`--json`): the keys of summary.json, the configured load, and percentiles.

use super::latencies::{percentile_us, times_of, PERCENTILES};
use super::notes;
use super::summary::Done;
use hdrhistogram::Histogram;
use serde_json::{json, Map, Value};

pub fn compose(done: &Done) -> Value {
    let mut report = done.to_json();
    report["load"] = json!(done.config);
    report["load"]["url"] = done.config.shown_url().into();
    report["load"]["request"] = json!(done.config.request.without_secrets());
    report["was_stopped"] = done.was_stopped.into();
    report["notes"] = json!(notes::find(done));
    for (name, times, _) in times_of(done) {
        report[name] = to_json(&times);
    }
    report
}

/// Null for an empty histogram. A percentile with too few samples beyond it is null.
fn to_json(times: &Histogram<u64>) -> Value {
    if times.is_empty() {
        return Value::Null;
    }
    let mut object = Map::new();
    object.insert("count".into(), times.len().into());
    object.insert("mean_us".into(), times.mean().into());
    for percentile in PERCENTILES {
        object.insert(format!("p{percentile}_us"), percentile_us(times, percentile).into());
    }
    object.insert("max_us".into(), times.max().into());
    object.into()
}
