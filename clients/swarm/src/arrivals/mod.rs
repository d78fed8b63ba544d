//! When a connection intends to send: the arrival processes of clients/CONTRACT.md, pure functions of the draws.

pub mod stage;
pub mod staircase;

use crate::clock::NS_PER_MS;
use crate::random::Draws;
use serde::{Deserialize, Serialize};
use staircase::{Climb, Staircase};

/// An arrival process, per connection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Process {
    /// Listing A.1 of the thesis: one interval of `round(u * max_ms)` ms, drawn once
    UniformInterval { max_ms: f64 },
    /// Every `period_ms`, from a random phase
    Constant { period_ms: f64 },
    /// Exponential gaps with mean 1 / `rate_hz_per_connection`
    Poisson {
        #[serde(rename = "rate_hz_per_connection", alias = "rate_hz")]
        rate_hz: f64,
    },
    /// Closed loop: this many messages are outstanding at any time
    Closed { outstanding: u32 },
    /// Exponential gaps whose mean changes in steps
    Staircase(Staircase),
    /// All connections send `messages` at once, at whole periods after the start
    Bursts {
        period_ms: f64,
        #[serde(default = "one")]
        messages: u32,
    },
}

const fn one() -> u32 {
    1
}

/// The send times of one connection.
#[derive(Clone, Debug)]
pub enum Arrivals {
    Interval {
        ns: u64,
        phase_ns: u64,
    },
    Poisson {
        mean_us: f64,
        draws: Draws,
    },
    Staircase(Climb),
    /// `left`: messages left in the current burst
    Bursts {
        ns: u64,
        start_ns: u64,
        messages: u32,
        left: u32,
    },
    Never,
}

impl Process {
    /// The arrivals of one connection. `connection`: its index over all processes; `start_ns`: start of the load.
    pub fn arrivals(&self, seed: u32, connection: u32, start_ns: u64) -> Arrivals {
        let mut draws = Draws::new(seed, connection);
        match *self {
            // a timer of 0 ms runs every 1 ms in Node
            Self::UniformInterval { max_ms } => {
                let ns = (draws.draw() * max_ms).round().max(1.0) as u64 * NS_PER_MS;
                Arrivals::Interval { ns, phase_ns: ns }
            }
            Self::Constant { period_ms } => {
                let ns = period_ms * NS_PER_MS as f64;
                Arrivals::Interval { ns: (ns as u64).max(1), phase_ns: (draws.draw() * ns) as u64 }
            }
            Self::Poisson { rate_hz } => Arrivals::Poisson { mean_us: 1e6 / rate_hz, draws },
            Self::Closed { .. } => Arrivals::Never,
            Self::Staircase(ref staircase) => Arrivals::Staircase(staircase.climb(draws, start_ns)),
            Self::Bursts { period_ms, messages } => {
                let ns = (period_ms * NS_PER_MS as f64) as u64;
                Arrivals::Bursts { ns: ns.max(1), start_ns, messages, left: 0 }
            }
        }
    }

    /// Messages outstanding on each connection; 0 for open-loop processes.
    pub fn outstanding(&self) -> u32 {
        match *self {
            Self::Closed { outstanding } => outstanding,
            _ => 0,
        }
    }

    /// Mean rate of a connection, messages per second; `None` for a closed loop.
    pub fn rate_hz(&self) -> Option<f64> {
        match *self {
            // the listing's true mean rate is E[1 / round(u max)], a harmonic sum
            Self::UniformInterval { max_ms } => {
                let steps = max_ms.floor() as u64;
                let share = |ms: u64| if ms == 0 || ms as f64 == max_ms { 0.5 } else { 1.0 } / max_ms;
                Some((0..=steps).map(|ms| share(ms) * 1e3 / ms.max(1) as f64).sum())
            }
            Self::Constant { period_ms } => Some(1e3 / period_ms),
            Self::Poisson { rate_hz } => Some(rate_hz),
            Self::Closed { .. } => None,
            Self::Staircase(ref staircase) => Some(staircase.mean_hz()),
            Self::Bursts { period_ms, messages } => Some(f64::from(messages) * 1e3 / period_ms),
        }
    }
}

impl Arrivals {
    /// When a connection that is due at `due_ns` sends its first message; `None`: never.
    pub fn first(&mut self, due_ns: u64) -> Option<u64> {
        match self {
            Self::Interval { phase_ns, .. } => Some(due_ns + *phase_ns),
            _ => self.next(due_ns),
        }
    }

    /// When to send after the message intended at `intended_ns`; `None`: never.
    pub fn next(&mut self, intended_ns: u64) -> Option<u64> {
        match self {
            Self::Interval { ns, .. } => Some(intended_ns + *ns),
            // whole us, as in the forked client: the last bits of a logarithm differ between libraries
            Self::Poisson { mean_us, draws } => {
                Some(intended_ns + (-(1.0 - draws.draw()).ln() * *mean_us).round() as u64 * 1_000)
            }
            Self::Staircase(climb) => climb.next(intended_ns),
            Self::Bursts { left, .. } if *left > 0 => {
                *left -= 1;
                Some(intended_ns)
            }
            Self::Bursts { ns, start_ns, messages, left } => {
                *left = messages.saturating_sub(1);
                Some(*start_ns + (intended_ns.saturating_sub(*start_ns) / *ns + 1) * *ns)
            }
            Self::Never => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(process: Process, count: usize) -> Vec<u64> {
        let mut arrivals = process.arrivals(1, 0, 0);
        let first = arrivals.first(0);
        std::iter::successors(first, |time| arrivals.next(*time)).take(count).collect()
    }

    #[test]
    fn the_listings_interval_is_drawn_once_and_is_whole_ms() {
        let times = times(Process::UniformInterval { max_ms: 5000.0 }, 3);
        assert_eq!(times[0] % NS_PER_MS, 0);
        assert_eq!([times[1], times[2]], [2 * times[0], 3 * times[0]]);
    }

    #[test]
    fn bursts_are_whole_periods_since_the_start_whenever_a_connection_is_due() {
        let mut arrivals = Process::Bursts { period_ms: 1000.0, messages: 2 }.arrivals(1, 7, 500);
        let first = arrivals.first(500 + 2_300 * NS_PER_MS);
        let times: Vec<_> = std::iter::successors(first, |time| arrivals.next(*time)).take(4).collect();
        assert_eq!(times, [3, 3, 4, 4].map(|period| 500 + period * 1000 * NS_PER_MS));
    }

    #[test]
    fn an_interval_of_nothing_is_a_ms() {
        assert_eq!(times(Process::UniformInterval { max_ms: 0.1 }, 2), [NS_PER_MS, 2 * NS_PER_MS]);
    }

    #[test]
    fn a_constant_process_begins_within_its_first_period() {
        let times = times(Process::Constant { period_ms: 2500.0 }, 2);
        assert!(times[0] < 2500 * NS_PER_MS);
        assert_eq!(times[1] - times[0], 2500 * NS_PER_MS);
    }

    #[test]
    fn a_poisson_process_has_its_rate() {
        let times = times(Process::Poisson { rate_hz: 100.0 }, 10_000);
        let rate_hz = 10_000.0 / (times[9_999] as f64 / 1e9);
        assert!((rate_hz / 100.0 - 1.0).abs() < 0.05, "{rate_hz}");
    }

    #[test]
    fn a_closed_process_has_no_times() {
        assert!(times(Process::Closed { outstanding: 1 }, 1).is_empty());
    }

    #[test]
    fn the_listings_rate_is_the_mean_over_its_draws() {
        let process = Process::UniformInterval { max_ms: 5000.0 };
        let drawn = |k| match process.arrivals(1, k, 0) {
            Arrivals::Interval { ns, .. } => 1e9 / ns as f64,
            _ => 0.0,
        };
        let mean = (0..1_000_000).map(drawn).sum::<f64>() / 1e6;
        assert!((mean / process.rate_hz().unwrap() - 1.0).abs() < 0.05, "{mean}");
    }
}
