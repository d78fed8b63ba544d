//! A load, worked out: what all threads of a process share.

use crate::arrivals::stage::Stage;
use crate::arrivals::Process;
use crate::clock::{self, ns_of_s, NS_PER_MS, NS_PER_US};
use crate::config::url::Url;
use crate::config::Config;
use crate::dialect::Behaviour;
use crate::tally::coarse::Coarse;
use crate::tally::probed::Probed;
use crate::tally::times::Timing;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::Mutex;

/// What a person watches while it runs.
#[derive(Debug, Default)]
pub struct Live {
    pub connected: AtomicU64,
    pub due: AtomicU64,
    pub sent: AtomicU64,
    pub received: AtomicU64,
    /// of the messages that fell due in the last whole second, those that were answered shortly after it
    pub latency: Mutex<Coarse>,
    /// with `probes`: of the last one, until it is taken
    pub probed: Mutex<Option<Probed>>,
}

pub struct Load {
    pub config: Config,
    pub url: Url,
    /// which of the configuration's processes this is, from 0
    pub process: u32,
    pub timing: Timing,
    pub coalesce_ns: u64,
    pub live: Vec<Live>,
    /// with `probes`: the arrivals as they are now
    pub stage: Stage,
    /// asked to end early, and to wait no longer for what is still out
    pub stop: AtomicBool,
    pub cut: AtomicBool,
}

impl Load {
    /// `start_ns`: CLOCK_MONOTONIC. Errors: as `Url::parse`.
    pub fn new(config: Config, process: u32, start_ns: u64) -> Result<Self, String> {
        let second = |seconds: u32| ns_of_s(f64::from(seconds));
        let window_from_ns = start_ns + second(config.ramp_s + config.settle_s);
        let timing = Timing {
            start_ns,
            window_from_ns,
            end_ns: window_from_ns + second(config.hold_s),
            late_ns: (config.late_ms * NS_PER_MS as f64) as u64,
        };
        let live = (0..config.threads).map(|_| Live::default()).collect();
        let mut url = Url::parse_via(&config.url, config.request.proxy.as_deref())?;
        url.keep_family(&config.local_addresses);
        let coalesce_ns = (config.coalesce_us * NS_PER_US as f64) as u64;
        let (stage, stop, cut) = (Stage::default(), AtomicBool::new(false), AtomicBool::new(false));
        Ok(Self { url, process, timing, coalesce_ns, live, stage, stop, cut, config })
    }

    /// Ends the load before its time. Asked again, or when the load is over, it ends the wait for the last answers.
    pub fn end_early(&self) {
        if self.stop.swap(true, Relaxed) || clock::now_ns() >= self.timing.end_ns {
            self.cut.store(true, Relaxed);
        }
    }

    /// A few connections in closed loop until shortly before `start_ns`, so that both sides' just-in-time compilers see
    /// the code that is measured; `None` when there is no time, or nothing to exchange.
    pub fn warm_up(config: &Config, start_ns: u64) -> Option<Self> {
        let now_ns = clock::now_ns();
        let until_ns = start_ns.saturating_sub(WARM_UP_QUIET_NS);
        let has_answers = !matches!(config.behaviour, Behaviour::Idle | Behaviour::Broadcast | Behaviour::Own);
        if config.warmup_s <= 0.0 || !has_answers || until_ns <= now_ns {
            return None;
        }
        let config = Config {
            connections: WARM_UP_CONNECTIONS,
            connect_rate_hz: 1e9,
            arrivals: Process::Closed { outstanding: 1 },
            processes: 1,
            threads: 1,
            churn_hz: 0.0,
            reconnect: None,
            probes: false,
            record_connections: false,
            drain_s: 0.0,
            ..config.clone()
        };
        let mut load = Self::new(config, 0, now_ns).ok()?;
        load.timing = Timing { start_ns: now_ns, window_from_ns: now_ns, end_ns: until_ns, ..load.timing };
        Some(load)
    }

    /// The connections of one thread, by their numbers over all processes: k is in process k modulo their number.
    pub fn connections_of(&self, thread: u32) -> impl Iterator<Item = u32> {
        let Config { processes, threads, connections, .. } = self.config;
        (self.process + processes * thread..connections).step_by((processes * threads) as usize)
    }

    /// The share of something that one thread has.
    pub fn share(&self, of_all: f64) -> f64 {
        of_all / f64::from(self.config.processes * self.config.threads)
    }
}

/// As in the forked client: enough to keep a server busy, few enough to be gone at once.
const WARM_UP_CONNECTIONS: u32 = 8;
/// Between the last exchange and the start: time for the connections to close.
const WARM_UP_QUIET_NS: u64 = 150 * NS_PER_MS;
