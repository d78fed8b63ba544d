//! The latencies of a second in few buckets, accurate to about 3 %. For live progress only, never for records.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Leading bits that are kept of a value.
const BITS: u32 = 6;

/// Counts by the lower bound of their bucket, us.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coarse(BTreeMap<u64, u64>);

impl Coarse {
    pub fn record_n(&mut self, value_us: u64, count: u64) {
        let shift = (64 - value_us.leading_zeros()).saturating_sub(BITS);
        *self.0.entry(value_us >> shift << shift).or_default() += count;
    }

    pub fn add(&mut self, other: &Self) {
        other.0.iter().for_each(|(value_us, count)| *self.0.entry(*value_us).or_default() += count);
    }

    /// Lower bound of the percentile's bucket; `None` if there are no values.
    pub fn percentile(&self, percent: f64) -> Option<u64> {
        let wanted = self.0.values().sum::<u64>() as f64 * percent / 100.0;
        let mut seen = 0;
        let reaches = |(_, count): &(&u64, &u64)| {
            seen += **count;
            seen as f64 >= wanted
        };
        self.0.iter().find(reaches).map(|(value_us, _)| *value_us)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coarse(values: impl Iterator<Item = u64>) -> Coarse {
        let mut coarse = Coarse::default();
        values.for_each(|value| coarse.record_n(value, 1));
        coarse
    }

    #[test]
    fn percentiles_are_told_within_three_percent_in_few_numbers() {
        let coarse = coarse(1..=100_000);
        assert!(coarse.0.len() < 500, "{}", coarse.0.len());
        for percent in [1.0, 50.0, 99.0, 100.0] {
            let (told, true_us) = (coarse.percentile(percent).unwrap() as f64, percent * 1000.0);
            assert!(told <= true_us && told >= true_us * 0.968, "p{percent}: {told}");
        }
    }

    #[test]
    fn those_of_two_threads_add_up_and_nothing_has_no_percentile() {
        let mut one = coarse([10, 10, 20].into_iter());
        one.add(&coarse([5000].into_iter()));
        assert_eq!(
            (one.percentile(50.0), one.percentile(75.0), one.percentile(99.0)),
            (Some(10), Some(20), Some(4992))
        );
        assert_eq!(Coarse::default().percentile(50.0), None);
    }
}
