//! A ratio of two numbers that vary from run to run.

/// So many runs of each are the least that an interval is made of, as everywhere in the suite.
pub const RUNS_MIN: usize = 3;
/// Student's t at 0.975, for 1 to 30 degrees of freedom; beyond, the last is a little too wide.
const T: [f64; 30] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
    2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
];

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio {
    pub ratio: f64,
    /// of 95 %; `None` where there are too few runs
    pub interval: Option<(f64, f64)>,
}

/// Geometric mean; `None` where a value is not above 0.
pub fn mean(values: &[f64]) -> Option<f64> {
    Some(logs(values)?.mean.exp())
}

/// Of B's geometric mean to A's, with Welch's interval (B. L. Welch, Biometrika 34, 1947) of the logarithms.
pub fn ratio(a: &[f64], b: &[f64]) -> Option<Ratio> {
    let (a, b) = (logs(a)?, logs(b)?);
    let difference = b.mean - a.mean;
    let interval = (a.count >= RUNS_MIN && b.count >= RUNS_MIN).then(|| {
        let half = t(a.freedom_with(&b)) * (a.error2 + b.error2).sqrt();
        ((difference - half).exp(), (difference + half).exp())
    });
    Some(Ratio { ratio: difference.exp(), interval })
}

struct Logs {
    count: usize,
    mean: f64,
    /// squared standard error of the mean
    error2: f64,
}

fn logs(values: &[f64]) -> Option<Logs> {
    if values.is_empty() || !values.iter().all(|value| *value > 0.0) {
        return None;
    }
    let count = values.len();
    let logs: Vec<f64> = values.iter().map(|value| value.ln()).collect();
    let mean = logs.iter().sum::<f64>() / count as f64;
    let squares: f64 = logs.iter().map(|log| (log - mean).powi(2)).sum();
    Some(Logs { count, mean, error2: squares / (count.max(2) - 1) as f64 / count as f64 })
}

impl Logs {
    /// Degrees of freedom (Welch and Satterthwaite).
    fn freedom_with(&self, other: &Self) -> f64 {
        let part = |logs: &Self| logs.error2.powi(2) / (logs.count - 1) as f64;
        let parts = part(self) + part(other);
        if parts > 0.0 {
            (self.error2 + other.error2).powi(2) / parts
        } else {
            1.0
        }
    }
}

fn t(freedom: f64) -> f64 {
    T[(freedom as usize).clamp(1, T.len()) - 1]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_of_three_runs_has_the_interval_of_welch() {
        // R: t.test(log(c(20, 22, 21)), log(c(10, 11, 12))), exp of both
        let found = ratio(&[10.0, 11.0, 12.0], &[20.0, 22.0, 21.0]).unwrap();
        assert!((found.ratio - 1.9129).abs() < 1e-3, "{found:?}");
        let (from, to) = found.interval.unwrap();
        assert!(from > 1.5 && from < found.ratio && to > found.ratio && to < 2.4, "{found:?}");
    }

    #[test]
    fn fewer_runs_have_a_ratio_and_no_interval() {
        assert_eq!(ratio(&[2.0], &[3.0]).unwrap().interval, None);
        assert_eq!(ratio(&[2.0, 2.0, 2.0], &[3.0, 3.0]).unwrap().interval, None);
        assert_eq!(
            ratio(&[2.0, 2.0, 2.0], &[4.0, 4.0, 4.0]).unwrap().interval.map(|(from, _)| from.round()),
            Some(2.0)
        );
    }

    #[test]
    fn of_nothing_or_of_what_is_not_above_it_there_is_no_ratio() {
        assert_eq!((ratio(&[], &[1.0]), ratio(&[0.0], &[1.0]), mean(&[])), (None, None, None));
    }
}
