//! A histogram that becomes small once few values are added.
//!
//! A latency is filed under the second in which its message was *intended*. Its answer may come much later, so no
//! second is ever closed. Past seconds keep their counts as a sorted list, some kilobytes instead of a hundred.

use super::coarse::Coarse;
use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};

/// Significant decimal digits, as in all logs of the suite.
pub const DIGITS: u8 = 3;
/// Values below 2^11 are exact with three digits: 2^11 is the first power of two above 2 * 10^3.
const EXACT_BITS: u32 = 11;
/// Late values are appended unsorted until the list has twice its last tidy length plus this.
const SLACK: usize = 1024;

/// Values in us.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Sketch {
    #[serde(skip)]
    dense: Option<Box<Histogram<u32>>>,
    counts: Vec<(u64, u32)>,
    /// length of `counts` after it was last shortened
    tidy: usize,
}

impl Sketch {
    /// A sketch that expects many values.
    pub fn dense() -> Self {
        let histogram = Histogram::new(DIGITS).expect("three digits are possible");
        Self { dense: Some(Box::new(histogram)), ..Self::default() }
    }

    pub fn record(&mut self, value_us: u64) {
        self.record_n(value_us, 1);
    }

    #[inline]
    pub fn record_n(&mut self, value_us: u64, count: u32) {
        match &mut self.dense {
            Some(histogram) => histogram.record_n(value_us, count).expect("it grows as it needs to"),
            None => self.record_late(value_us, count),
        }
    }

    fn record_late(&mut self, value_us: u64, count: u32) {
        self.counts.push((round_down(value_us), count));
        if self.counts.len() > 2 * self.tidy + SLACK {
            self.shorten();
        }
    }

    fn shorten(&mut self) {
        self.counts.sort_unstable();
        self.counts.dedup_by(|next, kept| {
            let is_same = next.0 == kept.0;
            kept.1 += if is_same { next.1 } else { 0 };
            is_same
        });
        self.tidy = self.counts.len();
    }

    /// Makes it small, because few more values will come.
    pub fn freeze(&mut self) {
        if let Some(histogram) = self.dense.take() {
            let recorded = histogram.iter_recorded();
            self.counts.extend(recorded.map(|value| (value.value_iterated_to(), value.count_at_value())));
            self.shorten();
        }
    }

    /// Adds the values of another sketch.
    pub fn add(&mut self, mut other: Self) {
        self.freeze();
        other.freeze();
        self.counts.append(&mut other.counts);
        self.shorten();
    }

    /// Adds its values to a histogram.
    pub fn add_to(&self, histogram: &mut Histogram<u64>) {
        if let Some(dense) = &self.dense {
            let recorded = dense.iter_recorded();
            recorded.for_each(|value| add(histogram, value.value_iterated_to(), value.count_at_value()));
        }
        self.counts.iter().for_each(|(value, count)| add(histogram, *value, *count));
    }

    /// Its values in fewer buckets.
    pub fn coarse(&self) -> Coarse {
        let mut coarse = Coarse::default();
        if let Some(dense) = &self.dense {
            let recorded = dense.iter_recorded();
            recorded.for_each(|value| coarse.record_n(value.value_iterated_to(), u64::from(value.count_at_value())));
        }
        self.counts.iter().for_each(|(value, count)| coarse.record_n(*value, u64::from(*count)));
        coarse
    }

    pub fn to_histogram(&self) -> Histogram<u64> {
        let mut histogram = Histogram::new(DIGITS).expect("three digits are possible");
        self.add_to(&mut histogram);
        histogram
    }
}

fn add(histogram: &mut Histogram<u64>, value: u64, count: u32) {
    histogram.record_n(value, u64::from(count)).expect("it grows as it needs to");
}

/// Lower bound of the value's bucket in a histogram of three digits.
fn round_down(value: u64) -> u64 {
    let shift = (64 - value.leading_zeros()).saturating_sub(EXACT_BITS);
    value >> shift << shift
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values() -> impl Iterator<Item = u64> {
        (0..20_000u64).map(|at| at * at % 1_000_003)
    }

    fn counts_of(histogram: &Histogram<u64>) -> Vec<(u64, u64)> {
        histogram.iter_recorded().map(|value| (value.value_iterated_to(), value.count_at_value())).collect()
    }

    fn direct() -> Histogram<u64> {
        let mut histogram = Histogram::new(DIGITS).unwrap();
        values().for_each(|value| histogram.record(value).unwrap());
        histogram
    }

    #[test]
    fn dense_late_and_frozen_values_make_the_same_histogram() {
        let (mut dense, mut late, mut mixed) = (Sketch::dense(), Sketch::default(), Sketch::dense());
        values().for_each(|value| {
            dense.record(value);
            late.record(value);
        });
        values().take(10_000).for_each(|value| mixed.record(value));
        mixed.freeze();
        values().skip(10_000).for_each(|value| mixed.record(value));
        for sketch in [dense, late, mixed] {
            assert_eq!(counts_of(&sketch.to_histogram()), counts_of(&direct()));
        }
    }

    #[test]
    fn two_sketches_add_up() {
        let (mut one, mut other) = (Sketch::dense(), Sketch::default());
        values().take(5_000).for_each(|value| one.record(value));
        values().skip(5_000).for_each(|value| other.record(value));
        one.add(other);
        assert_eq!(counts_of(&one.to_histogram()), counts_of(&direct()));
    }

    #[test]
    fn a_frozen_sketch_stays_short_whatever_comes_late() {
        let mut sketch = Sketch::default();
        (0..1_000_000u64).for_each(|at| sketch.record(at % 100));
        assert!(sketch.counts.len() <= 3 * SLACK);
    }
}
