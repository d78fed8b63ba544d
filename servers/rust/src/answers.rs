//! The answers of dialects without events (../CONTRACT.md, Behaviours), `None` if the message is no ping.

use serde_json::Value;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

static PINGS: AtomicU64 = AtomicU64::new(0);

/// The `pingpong`, with a count of this process's pings, as in listing A.2 of the thesis.
pub fn answer_ping(text: &str) -> Option<String> {
    is_ping(text, "event").then(|| {
        let count = PINGS.fetch_add(1, Ordering::Relaxed) + 1;
        format!(r#"{{"event":"pong","data":{count}}}"#)
    })
}

/// The `json-ping`, with the time of this server's clock in whole Unix seconds.
pub fn answer_json_ping(text: &str) -> Option<String> {
    is_ping(text, "data").then(|| {
        let now_s = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        format!(r#"{{"data":"pong","timestamp":{now_s}}}"#)
    })
}

/// Text that is not JSON is another dialect: do not answer, but do not close either.
fn is_ping(text: &str, key: &str) -> bool {
    serde_json::from_str::<Value>(text).is_ok_and(|message| message[key] == "ping")
}
