//! A staircase: the rate changes in steps while the connections stay open, to measure cost per message over the rate.

use crate::clock::NS_PER_US;
use crate::random::Draws;
use serde::{Deserialize, Serialize};

/// One step of a staircase, per connection.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// messages a second; 0: nothing falls due
    #[serde(rename = "rate_hz_per_connection", alias = "rate_hz")]
    pub rate_hz: f64,
    /// messages fall due only at multiples of this, so that several connections send together; 0: at any time
    #[serde(default)]
    pub grid_ms: f64,
}

/// Consecutive steps. Nothing falls due before the first or after the last.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Staircase {
    /// start of the first step, after the start of the load
    pub from_s: f64,
    /// length of each step
    pub step_s: f64,
    pub steps: Vec<Step>,
}

/// The send times of one connection: exponential gaps whose mean changes from step to step.
#[derive(Clone, Debug)]
pub struct Climb {
    staircase: Staircase,
    draws: Draws,
    start_ns: u64,
    /// end of the last gap, µs since the start, before rounding up to the grid
    at_us: f64,
}

impl Staircase {
    pub fn climb(&self, draws: Draws, start_ns: u64) -> Climb {
        Climb { staircase: self.clone(), draws, start_ns, at_us: self.from_s * 1e6 }
    }

    /// Mean rate over all steps, messages per second.
    pub fn mean_hz(&self) -> f64 {
        self.steps.iter().map(|step| step.rate_hz).sum::<f64>() / self.steps.len().max(1) as f64
    }

    /// All problems, one line each.
    pub fn problems(&self, rate_max: f64) -> Vec<String> {
        let is_length = |value: f64| value.is_finite() && value >= 0.0;
        let mut found = Vec::new();
        let mut expect = |holds: bool, text: String| found.extend((!holds).then_some(text));
        expect(is_length(self.from_s), format!("arrivals.from_s is {}; set it to a number from 0", self.from_s));
        expect(self.step_s > 0.0, format!("arrivals.step_s is {}; set it to a number above 0", self.step_s));
        expect(!self.steps.is_empty(), "arrivals.steps is empty; give one step at least".into());
        for (index, Step { rate_hz, grid_ms }) in self.steps.iter().enumerate() {
            let at = format!("arrivals.steps.{index}");
            expect(
                (0.0..=rate_max).contains(rate_hz),
                format!("{at}.rate_hz_per_connection is {rate_hz}; set it to a number from 0 to {rate_max}"),
            );
            expect(is_length(*grid_ms), format!("{at}.grid_ms is {grid_ms}; set it to a number from 0"));
        }
        found
    }
}

impl Climb {
    /// The next send time; `None` after the last step. `due_ns`: the previous one, or when the connection is due.
    pub fn next(&mut self, due_ns: u64) -> Option<u64> {
        let since_us = due_ns.saturating_sub(self.start_ns) as f64 / NS_PER_US as f64;
        // the grid delays a message beyond the end of its gap; the next gap begins at the end of the last gap
        let (from_us, step_us) = (self.staircase.from_s * 1e6, self.staircase.step_s * 1e6);
        let mut at_us = if since_us < from_us { from_us } else { self.at_us };
        let mut left = -(1.0 - self.draws.draw()).ln();
        loop {
            let number = ((at_us - from_us) / step_us).floor() as usize;
            let Step { rate_hz, grid_ms } = *self.staircase.steps.get(number)?;
            let ends_us = from_us + (number + 1) as f64 * step_us;
            let passes = rate_hz / 1e6 * (ends_us - at_us);
            if left < passes {
                self.at_us = (at_us + left / rate_hz * 1e6).round();
                return Some(self.start_ns + on_grid_us(self.at_us, grid_ms * 1e3) as u64 * NS_PER_US);
            }
            left -= passes;
            at_us = ends_us;
        }
    }
}

fn on_grid_us(time_us: f64, grid_us: f64) -> f64 {
    if grid_us > 0.0 {
        (time_us / grid_us).ceil() * grid_us
    } else {
        time_us
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START_NS: u64 = 7_000_000_000;

    fn step(rate_hz: f64, grid_ms: f64) -> Step {
        Step { rate_hz, grid_ms }
    }

    fn times_s(steps: &[Step]) -> Vec<f64> {
        let staircase = Staircase { from_s: 2.0, step_s: 10.0, steps: steps.into() };
        let mut climb = staircase.climb(Draws::new(1, 0), START_NS);
        let first = climb.next(START_NS);
        std::iter::successors(first, |time| climb.next(*time)).map(|ns| (ns - START_NS) as f64 / 1e9).collect()
    }

    #[test]
    fn each_step_has_its_rate_and_a_step_of_nothing_has_none() {
        let times = times_s(&[step(100.0, 0.0), step(0.0, 0.0), step(400.0, 0.0)]);
        let count = |from: f64, to: f64| times.iter().filter(|time| (from..to).contains(*time)).count() as f64;
        assert!((count(2.0, 12.0) / 1000.0 - 1.0).abs() < 0.15, "{}", count(2.0, 12.0));
        assert_eq!(count(12.0, 22.0), 0.0);
        assert!((count(22.0, 32.0) / 4000.0 - 1.0).abs() < 0.1, "{}", count(22.0, 32.0));
        assert!(times.iter().all(|time| (2.0..32.0).contains(time)));
    }

    #[test]
    fn on_a_grid_messages_fall_due_together_and_as_often() {
        let times = times_s(&[step(100.0, 50.0)]);
        assert!(times.iter().all(|time| ((time * 20.0).round() - time * 20.0).abs() < 1e-6));
        assert!((times.len() as f64 / 1000.0 - 1.0).abs() < 0.15, "{}", times.len());
    }

    #[test]
    fn the_forked_client_has_the_same_times() {
        // test/unit/clients-arrivals.test.js expects the same times from clients/forked/arrivals.cjs
        let staircase = Staircase { from_s: 1.0, step_s: 1.0, steps: [step(2.0, 0.0), step(4.0, 10.0)].into() };
        let mut climb = staircase.climb(Draws::new(20141121, 7), 0);
        let first = climb.next(0);
        let times: Vec<_> = std::iter::successors(first, |time| climb.next(*time)).map(|ns| ns / 1000).collect();
        assert_eq!(times, [1_037_927, 1_598_158, 1_887_801, 2_010_000, 2_920_000]);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        let wrong = Staircase { from_s: 0.0, step_s: 0.0, steps: [step(-1.0, 0.0)].into() };
        assert_eq!(wrong.problems(10.0).len(), 2);
        assert!(wrong.problems(10.0)[1].starts_with("arrivals.steps.0.rate_hz_per_connection is -1;"));
    }
}
