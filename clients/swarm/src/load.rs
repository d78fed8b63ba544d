//! A load, shared by all threads of a process.

use crate::arrivals::stage::Stage;
use crate::arrivals::Process;
use crate::clock::{self, ns_of_s, NS_PER_MS, NS_PER_US};
use crate::config::url::Url;
use crate::config::Config;
use crate::dialect::Behaviour;
use crate::message::data::Data;
use crate::secrets::Secrets;
use crate::tally::coarse::Coarse;
use crate::tally::probed::Probed;
use crate::tally::times::Timing;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Mutex};

/// Progress of one thread, for a person who watches.
#[derive(Debug, Default)]
pub struct Live {
    pub connected: AtomicU64,
    pub due: AtomicU64,
    pub sent: AtomicU64,
    pub received: AtomicU64,
    /// of messages due in the last whole second and answered within 200 ms of its end
    pub latency: Mutex<Coarse>,
    /// with `probes`: result of the last probe, until it is taken
    pub probed: Mutex<Option<Probed>>,
}

pub struct Load {
    pub config: Config,
    pub url: Url,
    /// what the server is sent and no report shows
    pub secrets: Secrets,
    /// what each connection has a row of
    pub data: Data,
    /// columns of `data` with more secrets
    secret_columns: Vec<usize>,
    /// index of this process among those of the configuration, from 0
    pub process: u32,
    pub timing: Timing,
    pub coalesce_ns: u64,
    pub live: Vec<Live>,
    /// with `probes`: the current arrivals
    pub stage: Stage,
    /// end the load early, and the warm-up before it
    pub stop: Arc<AtomicBool>,
    /// stop waiting for outstanding answers
    pub cut: AtomicBool,
}

impl Load {
    /// `start_ns`: CLOCK_MONOTONIC. Errors: as `Url::parse` and `Config::read_data`.
    pub fn new(config: Config, process: u32, start_ns: u64) -> Result<Self, String> {
        let window_from_ns = start_ns + ns_of_s(f64::from(config.lead_s()));
        let timing = Timing {
            start_ns,
            window_from_ns,
            end_ns: window_from_ns + ns_of_s(config.hold_s),
            late_ns: (config.late_ms * NS_PER_MS as f64) as u64,
        };
        let live = (0..config.threads).map(|_| Live::default()).collect();
        let mut url = Url::parse_via(&config.url, config.request.proxy.as_deref())?;
        if !url.keep_family(&config.local_addresses) {
            return Err(format!(
                "{} has no address of the family of {:?}; see what its name resolves to",
                url.host, config.local_addresses
            ));
        }
        let coalesce_ns = (config.coalesce_us * NS_PER_US as f64) as u64;
        let (secrets, data) = (config.secrets(), config.read_data()?);
        let secret_columns = config.secret_columns(&data);
        let (stage, stop, cut) = (Stage::default(), Arc::default(), AtomicBool::new(false));
        Ok(Self { url, secrets, data, secret_columns, process, timing, coalesce_ns, live, stage, stop, cut, config })
    }

    /// The server's words to a connection, with all that is secret masked; of a file, what this connection has.
    pub fn hide_secrets(&self, text: &str, connection: u32) -> String {
        let values = self.secret_columns.iter().map(|column| self.data.value(connection, *column).to_string());
        Secrets::new(Vec::new(), values.collect()).hide(&self.secrets.hide(text))
    }

    /// Stops the load early. A second call, or a call after the end of the load, stops the wait for the last answers.
    pub fn end_early(&self) {
        if self.stop.swap(true, Relaxed) || clock::now_ns() >= self.timing.end_ns {
            self.cut.store(true, Relaxed);
        }
    }

    /// The warm-up: a few connections in closed loop until shortly before the start, so that the server's JIT compiler
    /// has seen the code before it is measured. `None` if there is no time left, or the behaviour has no answers.
    pub fn warm_up(&self) -> Option<Self> {
        let Self { config, timing, stop, .. } = self;
        let now_ns = clock::now_ns();
        let until_ns = timing.start_ns.saturating_sub(WARM_UP_QUIET_NS);
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
        load.stop = stop.clone();
        Some(load)
    }

    /// Indices of one thread's connections, counted over all processes. Connection k is in process k mod `processes`.
    pub fn connections_of(&self, thread: u32) -> impl Iterator<Item = u32> {
        let Config { processes, threads, connections, .. } = self.config;
        (self.process + processes * thread..connections).step_by((processes * threads) as usize)
    }

    /// One thread's part of a whole number, so that all parts add up to it.
    pub fn part(&self, whole: u32, thread: u32) -> u32 {
        let Config { processes, threads, .. } = self.config;
        let (all, at) = (processes * threads, self.process + processes * thread);
        whole / all + u32::from(at < whole % all)
    }

    /// One thread's equal share of a total.
    pub fn share(&self, of_all: f64) -> f64 {
        of_all / f64::from(self.config.processes * self.config.threads)
    }
}

/// As in the forked client: enough to keep a server busy, few enough to close at once.
const WARM_UP_CONNECTIONS: u32 = 8;
/// From the end of the warm-up to the start, for its connections to close.
const WARM_UP_QUIET_NS: u64 = 150 * NS_PER_MS;
