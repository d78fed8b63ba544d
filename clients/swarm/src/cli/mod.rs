//! The command line, outside the suite.

use crate::arrivals::Process;
use crate::config::url::Url;
use crate::config::{self, Config, Reconnect};
use crate::dialect::by_name::NAMES;
use crate::dialect::{Behaviour, Type};
use crate::message::payload::{Distribution, Size, Spec};
use clap::{Parser, ValueEnum};
use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

/// Load for WebSocket servers: sent on schedule, recorded from the time each message was due.
#[derive(Parser, Debug)]
#[command(version, after_help = EXAMPLES, max_term_width = 110)]
pub struct Arguments {
    /// ws://host:port[/path] or tcp://host:port; or the JSON file of clients/CONTRACT.md, with no option
    pub target: String,

    /// Connections
    #[arg(short, long, default_value_t = 100, help_heading = "Load")]
    pub connections: u32,
    /// Messages a second of each connection, sent whether or not answers come (open loop)
    #[arg(short, long, value_name = "HZ", conflicts_with = "outstanding", help_heading = "Load")]
    pub rate: Option<f64>,
    /// How open-loop messages arrive [default: constant]
    #[arg(long, requires = "rate", help_heading = "Load")]
    pub arrivals: Option<Arrivals>,
    /// Messages that each connection keeps out (closed loop); 1 when there is no --rate
    #[arg(short = 'k', long, value_name = "K", help_heading = "Load")]
    pub outstanding: Option<u32>,
    /// Open loop: a message that falls due with so many out on its connection waits; 0 for no bound
    #[arg(long, value_name = "K", default_value_t = 0, help_heading = "Load")]
    pub max_outstanding: u32,
    /// Open loop: what falls due so shortly after other messages waits for it to pass, and goes out with more; 0s for never
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "100us", help_heading = "Load")]
    pub coalesce: Duration,
    /// The window that is measured, after all connections were due; whole seconds
    #[arg(short, long, value_parser = duration, default_value = "10s", help_heading = "Load")]
    pub duration: Duration,
    /// Payload in bytes: 20, uniform:MIN,MAX, exponential:MEAN,MAX or lognormal:MEDIAN,SIGMA,MAX
    #[arg(short, long, value_parser = size, default_value = "20", help_heading = "Load")]
    pub size: Size,
    /// Binary payloads
    #[arg(long, help_heading = "Load")]
    pub binary: bool,
    /// What messages are, and their answers
    #[arg(long, default_value = "echo", help_heading = "Load")]
    pub behaviour: Behaviour,
    /// What is spoken [default: websocket, or tcp after tcp://]
    #[arg(long, value_parser = clap::builder::PossibleValuesParser::new(NAMES), help_heading = "Load")]
    pub dialect: Option<String>,
    /// Seed of intervals, phases and payloads
    #[arg(long, default_value_t = 1, help_heading = "Load")]
    pub seed: u32,

    /// Connections opened a second
    #[arg(long, value_name = "HZ", default_value_t = 2000.0, help_heading = "Connections")]
    pub connect_rate: f64,
    /// Handshakes under way at a time
    #[arg(long, value_name = "N", default_value_t = config::default_max_connecting(), help_heading = "Connections")]
    pub max_connecting: u32,
    /// A handshake that takes longer has timed out
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "30s", help_heading = "Connections")]
    pub connect_timeout: Duration,
    /// Connections closed and opened again a second, in the window
    #[arg(long, value_name = "HZ", default_value_t = 0.0, help_heading = "Connections")]
    pub churn: f64,
    /// What the server dropped is opened again after DELAY and up to JITTER more, until it is up: 1s or 1s,500ms
    #[arg(long, value_name = "DELAY[,JITTER]", value_parser = reconnect, help_heading = "Connections")]
    pub reconnect: Option<Reconnect>,
    /// Addresses to connect from, in turn: A,B or A-B [default: the kernel's choice, on loopback as many as are needed]
    #[arg(long, value_name = "ADDRESSES", value_parser = addresses, default_value = "", hide_default_value = true, help_heading = "Connections")]
    pub local: Addresses,

    /// Warm-up before the start, in closed loop over a few connections; not recorded
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "0s", help_heading = "Time")]
    pub warmup: Duration,
    /// Between the last connection and the window; whole seconds
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "1s", help_heading = "Time")]
    pub settle: Duration,
    /// How long to wait for the last answers
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "1s", help_heading = "Time")]
    pub drain: Duration,
    /// A send later than this after its time is late
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "1ms", help_heading = "Time")]
    pub late: Duration,
    /// When to start, by the wall clock, so that many hosts start together: 2026-11-21T10:00:00Z or Unix seconds
    #[arg(long, value_name = "TIME", value_parser = wall_time, help_heading = "Time")]
    pub start_at: Option<SystemTime>,

    /// Threads, an event loop each
    #[arg(short, long, default_value_t = 1, help_heading = "Generator")]
    pub threads: u32,
    /// Processes: where one has too few descriptors
    #[arg(long, default_value_t = 1, help_heading = "Generator")]
    pub processes: u32,
    /// A folder for the records: intervals.tsv, latency.hlog, service.hlog, connect.hlog, summary.json
    #[arg(short, long, value_name = "FOLDER", help_heading = "Output")]
    pub out: Option<PathBuf>,
    /// Record the messages of each connection too: connections.tsv
    #[arg(long, requires = "out", help_heading = "Output")]
    pub record_connections: bool,
    /// No progress
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,
}

const EXAMPLES: &str = "Examples:
  swarm ws://127.0.0.1:9000 -c 1000 -r 10 -d 30s        10,000 messages a second, open loop
  swarm ws://127.0.0.1:9000 -c 100 -k 16                as fast as the server answers, 16 out each
  swarm ws://127.0.0.1:9000 -c 15000 --behaviour idle   connections that do nothing
  swarm ws://127.0.0.1:9000 --dialect socket.io-5 --behaviour pingpong -r 1

Load only hosts that you may load. Ctrl-C ends a run early and still reports it.";

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Arrivals {
    /// Every 1/HZ seconds, from a random phase
    Constant,
    /// Exponential gaps of mean 1/HZ
    Poisson,
    /// One interval up to 2/HZ seconds for each connection, as in the thesis's listing A.1
    UniformInterval,
}

/// A list that the command line gives in one word.
#[derive(Clone, Debug, Default)]
pub struct Addresses(pub Vec<IpAddr>);

impl Arguments {
    /// The configuration that the options make, checked.
    /// Errors: everything that is wrong, a line each.
    pub fn to_config(&self) -> Result<Config, Vec<String>> {
        let whole_s = |option: &str, duration: Duration| match duration.subsec_nanos() {
            0 => Ok(duration.as_secs() as u32),
            _ => Err(vec![format!("--{option} is {duration:?}; use whole seconds")]),
        };
        let arrivals = match (self.rate, self.arrivals) {
            (None, _) => Process::Closed { outstanding: self.outstanding.unwrap_or(1) },
            (Some(hz), None | Some(Arrivals::Constant)) => Process::Constant { period_ms: 1e3 / hz },
            (Some(hz), Some(Arrivals::Poisson)) => Process::Poisson { rate_hz: hz },
            (Some(hz), Some(Arrivals::UniformInterval)) => Process::UniformInterval { max_ms: 2e3 / hz },
        };
        let is_tcp = Url::parse(&self.target).is_ok_and(|url| url.is_tcp);
        let config = Config {
            url: self.target.clone(),
            dialect: self.dialect.clone().unwrap_or(if is_tcp { "tcp" } else { "websocket" }.into()),
            out: self.out.clone(),
            behaviour: self.behaviour,
            processes: self.processes,
            threads: self.threads,
            connections: self.connections,
            connect_rate_hz: self.connect_rate,
            warmup_s: self.warmup.as_secs_f64(),
            ramp_s: (f64::from(self.connections) / self.connect_rate).ceil() as u32,
            settle_s: whole_s("settle", self.settle)?,
            hold_s: whole_s("duration", self.duration)?,
            arrivals,
            payload: Spec { kind: if self.binary { Type::Binary } else { Type::Text }, bytes: self.size },
            seed: self.seed,
            late_ms: self.late.as_secs_f64() * 1e3,
            drain_s: self.drain.as_secs_f64(),
            max_connecting: self.max_connecting,
            connect_timeout_s: self.connect_timeout.as_secs_f64(),
            churn_hz: self.churn,
            max_outstanding: self.max_outstanding,
            coalesce_us: self.coalesce.as_secs_f64() * 1e6,
            local_addresses: self.local.0.clone(),
            reconnect: self.reconnect,
            record_connections: self.record_connections,
            probes: false,
            library: None,
            library_settings: None,
        };
        match config.problems() {
            wrong if wrong.is_empty() => Ok(config),
            wrong => Err(wrong),
        }
    }
}

fn duration(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds
        .map_or_else(|| humantime::parse_duration(text).map_err(|error| format!("{error}; write 30s, 500ms or 2m")), Ok)
}

fn reconnect(text: &str) -> Result<Reconnect, String> {
    let ms = |text: &str| duration(text).map(|time| time.as_secs_f64() * 1e3);
    let (delay, jitter) = text.split_once(',').unwrap_or((text, "0"));
    Ok(Reconnect { delay_ms: ms(delay)?, jitter_ms: ms(jitter)? })
}

fn wall_time(text: &str) -> Result<SystemTime, String> {
    let unix = text.parse::<f64>().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    match unix {
        Some(since) => Ok(SystemTime::UNIX_EPOCH + since),
        None => humantime::parse_rfc3339(text)
            .map_err(|error| format!("{error}; write 2026-11-21T10:00:00Z or Unix seconds")),
    }
}

fn size(text: &str) -> Result<Size, String> {
    const EXPECTED: &str = "write 20, uniform:MIN,MAX, exponential:MEAN,MAX or lognormal:MEDIAN,SIGMA,MAX";
    let expected = || EXPECTED.to_string();
    let Some((kind, rest)) = text.split_once(':') else {
        return text.parse().map(Size::Fixed).map_err(|_| expected());
    };
    let numbers: Vec<f64> = rest.split(',').map(str::parse).collect::<Result<_, _>>().map_err(|_| expected())?;
    Ok(Size::Drawn(match (kind, numbers.as_slice()) {
        ("uniform", [min, max]) => Distribution::Uniform { min: *min as u32, max: *max as u32 },
        ("exponential", [mean, max]) => Distribution::Exponential { mean: *mean, max: *max as u32 },
        ("lognormal", [median, sigma, max]) => {
            Distribution::Lognormal { median: *median, sigma: *sigma, max: *max as u32 }
        }
        _ => return Err(expected()),
    }))
}

/// Most addresses of a range.
const RANGE_MAX: u32 = 1024;

fn addresses(text: &str) -> Result<Addresses, String> {
    let parse =
        |part: &str| part.trim().parse::<IpAddr>().map_err(|error| format!("{part:?}: {error}; write A,B or A-B"));
    if let Some((from, to)) = text.split_once('-') {
        let (IpAddr::V4(from), IpAddr::V4(to)) = (parse(from)?, parse(to)?) else {
            return Err("a range is of IPv4 addresses; write them one by one".into());
        };
        let (from, to) = (u32::from(from), u32::from(to));
        if from > to || to - from >= RANGE_MAX {
            return Err(format!("a range goes up, by less than {RANGE_MAX} addresses; write 127.0.0.1-127.0.0.4"));
        }
        return Ok(Addresses((from..=to).map(|address| IpAddr::V4(Ipv4Addr::from(address))).collect()));
    }
    text.split(',').filter(|part| !part.is_empty()).map(parse).collect::<Result<_, _>>().map(Addresses)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    fn config(options: &str) -> Result<Config, Vec<String>> {
        Arguments::try_parse_from(format!("swarm {options}").split_whitespace()).unwrap().to_config()
    }

    #[test]
    fn the_options_are_sound() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn a_rate_makes_an_open_loop_and_none_a_closed_one() {
        let open = config("ws://127.0.0.1:9 -c 1000 -r 10 -d 30s").unwrap();
        assert_eq!((open.arrivals, open.hold_s), (Process::Constant { period_ms: 100.0 }, 30));
        assert_eq!(config("ws://127.0.0.1:9 -k 16").unwrap().arrivals, Process::Closed { outstanding: 16 });
        assert_eq!(config("ws://127.0.0.1:9").unwrap().arrivals, Process::Closed { outstanding: 1 });
    }

    #[test]
    fn the_scheme_chooses_the_dialect() {
        assert_eq!(config("tcp://127.0.0.1:9").unwrap().dialect, "tcp");
        assert_eq!(config("ws://127.0.0.1:9").unwrap().dialect, "websocket");
    }

    #[test]
    fn sizes_may_be_drawn() {
        assert_eq!(size("20"), Ok(Size::Fixed(20)));
        assert_eq!(size("uniform:1,9"), Ok(Size::Drawn(Distribution::Uniform { min: 1, max: 9 })));
        assert!(size("gamma:1").unwrap_err().starts_with("write 20"));
    }

    #[test]
    fn reconnect_is_a_delay_and_perhaps_a_jitter() {
        let parsed = |options| config(options).unwrap().reconnect;
        assert_eq!(parsed("ws://127.0.0.1:9"), None);
        assert_eq!(parsed("ws://127.0.0.1:9 --reconnect 1s"), Some(Reconnect { delay_ms: 1000.0, jitter_ms: 0.0 }));
        assert_eq!(
            parsed("ws://127.0.0.1:9 --reconnect 1s,500ms"),
            Some(Reconnect { delay_ms: 1000.0, jitter_ms: 500.0 })
        );
        assert!(reconnect("soon").unwrap_err().contains("write 30s"));
    }

    #[test]
    fn addresses_are_a_list_or_a_range() {
        assert_eq!(addresses("127.0.0.1-127.0.0.4").unwrap().0.len(), 4);
        assert_eq!(addresses("127.0.0.1,127.0.0.9").unwrap().0.len(), 2);
        assert!(addresses("127.0.0.9-127.0.0.1").unwrap_err().contains("goes up"));
    }

    #[test]
    fn a_part_of_a_second_is_no_window() {
        assert_eq!(config("ws://127.0.0.1:9 -d 500ms").unwrap_err(), ["--duration is 500ms; use whole seconds"]);
    }
}
