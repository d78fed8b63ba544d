//! The histograms of a load, each over its seconds, and the percentiles that have enough samples.

use super::summary::Done;
use crate::tally::second::Second;
use crate::tally::sketch::Sketch;
use hdrhistogram::Histogram;

pub const PERCENTILES: [f64; 5] = [50.0, 90.0, 99.0, 99.9, 99.99];
/// A percentile is reported only with at least this many samples beyond it, as everywhere in the suite.
const SAMPLES_BEYOND: f64 = 10.0;

/// Name of a series, its histogram in us, and what it measures.
pub type Times = (&'static str, Histogram<u64>, &'static str);

/// All series of a load; a histogram may be empty.
pub fn times_of(done: &Done) -> [Times; 7] {
    let from_s = done.config.lead_s() as usize;
    let window = done.tally.seconds.get(from_s..).unwrap_or_default();
    let all = &done.tally.seconds;
    [
        ("latency", merge(window, |second| &second.latency), "from the time a message was due"),
        ("service", merge(window, |second| &second.service), "from the time it was sent"),
        ("delivery", merge(window, |second| &second.delivery), "of a subscription, from the time it carries"),
        ("ping", merge(all, |second| &second.ping), "from a ping of --ping to its pong"),
        ("connect", merge(all, |second| &second.connect.whole), "from the call to the dialect's word"),
        ("connect_tls", merge(all, |second| &second.connect.tls), "of it the handshake of TLS"),
        ("reconnect", merge(all, |second| &second.reconnect), "from the drop until it was up again"),
    ]
}

fn merge(seconds: &[Second], part: fn(&Second) -> &Sketch) -> Histogram<u64> {
    let mut merged = Sketch::default().to_histogram();
    seconds.iter().for_each(|second| part(second).add_to(&mut merged));
    merged
}

/// The percentile; `None` if too few samples lie beyond it.
pub fn percentile_us(times: &Histogram<u64>, percentile: f64) -> Option<u64> {
    let beyond = times.len() as f64 * (1.0 - percentile / 100.0);
    (beyond >= SAMPLES_BEYOND - 1e-6).then(|| times.value_at_percentile(percentile))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_without_enough_samples_is_not_told() {
        let mut times = Sketch::default().to_histogram();
        times.record_n(1000, 999).unwrap();
        assert_eq!(percentile_us(&times, 90.0), Some(1000));
        assert_eq!(percentile_us(&times, 99.0), None);
    }
}
