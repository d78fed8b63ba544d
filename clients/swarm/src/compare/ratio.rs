//! The ratio of two quantities that vary from run to run.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// Fewest runs per side for an interval, as everywhere in the suite.
pub const RUNS_MIN: usize = 3;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio {
    pub ratio: f64,
    /// 95 %; `None` with too few runs
    pub interval: Option<(f64, f64)>,
}

/// Geometric mean; `None` if empty, or if a value is not above 0.
pub fn mean(values: &[f64]) -> Option<f64> {
    Some(logs(values)?.mean.exp())
}

/// Ratio of B's geometric mean to A's, with Welch's interval of the logarithms (B. L. Welch, Biometrika 34, 1947).
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

/// The 97.5 % quantile of Student's t.
fn t(freedom: f64) -> f64 {
    StudentsT::new(0.0, 1.0, freedom).expect("degrees of freedom are above 0").inverse_cdf(0.975)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_of_three_runs_has_the_interval_of_welch() {
        // scipy, on the logarithms: 3.0167 degrees of freedom
        let found = ratio(&[10.0, 11.0, 12.0], &[20.0, 22.0, 21.0]).unwrap();
        assert!((found.ratio - 1.9129).abs() < 1e-3, "{found:?}");
        let (from, to) = found.interval.unwrap();
        assert!((from - 1.584342).abs() < 1e-5 && (to - 2.309669).abs() < 1e-5, "{found:?}");
    }

    #[test]
    fn students_t_is_that_of_scipy_at_any_degrees_of_freedom() {
        // scipy.stats.t.ppf(0.975, [1, 2, 3.5, 30, 1000])
        let known = [(1.0, 12.706205), (2.0, 4.302653), (3.5, 2.940089), (30.0, 2.042272), (1000.0, 1.962339)];
        for (freedom, quantile) in known {
            assert!((t(freedom) - quantile).abs() < 1e-5, "{freedom}: {}", t(freedom));
        }
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
