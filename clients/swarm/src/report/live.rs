//! The line printed each second while a load runs (clients/CONTRACT.md, While it runs).

use crate::clock::{NS_PER_MS, NS_PER_S};
use crate::crew::progress::Progress;
use serde_json::json;

/// Delay after each whole second, until all threads have published the last one.
const AFTER_NS: u64 = 350 * NS_PER_MS;

pub struct Seconds {
    start_ns: u64,
    next_ns: u64,
}

impl Seconds {
    pub fn new(start_ns: u64) -> Self {
        Self { start_ns, next_ns: start_ns + AFTER_NS }
    }

    /// The line, if one is due.
    pub fn line(&mut self, now_ns: u64, progress: impl FnOnce() -> Progress) -> Option<String> {
        if now_ns < self.next_ns {
            return None;
        }
        self.next_ns += ((now_ns - self.next_ns) / NS_PER_S + 1) * NS_PER_S; // skip missed seconds
        let Progress { connected, due, sent, received, latency } = progress();
        let t_s = (now_ns - self.start_ns) / NS_PER_MS;
        let mut told = json!({
            "t_s": t_s as f64 / 1e3, "connected": connected, "due": due, "sent": sent, "received": received,
        });
        for (name, percent) in [("latency_p50_us", 50.0), ("latency_p99_us", 99.0)] {
            if let Some(value_us) = latency.percentile(percent) {
                told[name] = value_us.into();
            }
        }
        Some(format!("second {told}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_due_once_a_second_and_one_that_was_missed_is_not_made_up_for() {
        let mut seconds = Seconds::new(10 * NS_PER_S);
        let mut told_at = |ms: u64| seconds.line(10 * NS_PER_S + ms * NS_PER_MS, Progress::default).is_some();
        let times_ms = [0, 349, 350, 1000, 1351, 1400, 4800, 5200, 5351];
        assert_eq!(times_ms.map(&mut told_at), [false, false, true, false, true, false, true, false, true]);
    }

    #[test]
    fn it_tells_counts_and_two_percentiles_where_there_were_answers() {
        let mut progress = Progress { connected: 3, due: 9, sent: 8, received: 7, ..Progress::default() };
        let line = |progress: &Progress| Seconds::new(0).line(1_350_400_000, || progress.clone()).unwrap();
        assert_eq!(line(&progress), r#"second {"connected":3,"due":9,"received":7,"sent":8,"t_s":1.35}"#);
        progress.latency.record_n(20, 99);
        progress.latency.record_n(63, 1);
        assert!(line(&progress).contains(r#""latency_p50_us":20,"latency_p99_us":20,"#), "{}", line(&progress));
    }
}
