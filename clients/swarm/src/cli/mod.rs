//! The command line, outside the suite.

mod client;
mod messages;
mod naming;
mod request;
mod tls;
pub mod values;

use crate::arrivals::Process;
use crate::config::url::Url;
use crate::config::{Config, Reconnect};
use crate::dialect::by_name::NAMES;
use crate::dialect::{Behaviour, Type};
use crate::message::payload::{Size, Spec};
use clap::{Parser, ValueEnum};
use client::ClientOptions;
use messages::MessageOptions;
use naming::name_option;
use request::RequestOptions;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};
use tls::TlsOptions;
use values::{addresses, count, duration, message_rate, number, rate, reconnect, size, wall_time, Addresses};

/// Load for WebSocket servers: sent on schedule, recorded from the time each message was due.
#[derive(Parser, Debug)]
#[command(version = VERSION, after_help = EXAMPLES, max_term_width = 110)]
pub struct Arguments {
    /// ws://host:port[/path], wss://host:port[/path], unix:/path/to/socket[:/path], tcp://host:port or tls://host:port; or the JSON file of clients/CONTRACT.md, with no option
    pub target: String,

    /// Connections
    #[arg(short, long, value_parser = count, allow_negative_numbers = true, default_value = "100", help_heading = "Load")]
    pub connections: u32,
    /// Messages a second of each connection, sent whether or not answers come (open loop)
    #[arg(short, long, value_name = "HZ", value_parser = message_rate, allow_negative_numbers = true, conflicts_with = "outstanding", help_heading = "Load")]
    pub rate: Option<f64>,
    /// How open-loop messages arrive [default: constant]
    #[arg(long, requires = "rate", help_heading = "Load")]
    pub arrivals: Option<Arrivals>,
    /// Messages that each connection keeps out (closed loop); 1 when there is no --rate
    #[arg(short = 'k', long, value_name = "K", value_parser = count, allow_negative_numbers = true, help_heading = "Load")]
    pub outstanding: Option<u32>,
    /// Open loop: at most K unanswered on a connection, later messages wait; 0 for no bound
    #[arg(long, value_name = "K", allow_negative_numbers = true, default_value_t = 0, help_heading = "Load")]
    pub max_outstanding: u32,
    /// Open loop: delay a message by up to TIME, to send it together with others; 0s for never
    /// [default: 100us]
    #[arg(long, value_name = "TIME", value_parser = duration, requires = "rate", help_heading = "Load")]
    pub coalesce: Option<Duration>,
    /// The window that is measured, after all connections were due
    #[arg(short, long, value_parser = duration, allow_negative_numbers = true, default_value = "10s", help_heading = "Load")]
    pub duration: Duration,
    /// Payload in bytes: 20, uniform:MIN,MAX, exponential:MEAN,MAX or lognormal:MEDIAN,SIGMA,MAX [default: 20]
    #[arg(short, long, value_parser = size, allow_negative_numbers = true, help_heading = "Load")]
    pub size: Option<Size>,
    /// Binary payloads
    #[arg(long, help_heading = "Load")]
    pub binary: bool,
    /// What messages are, and their answers
    #[arg(long, default_value = "echo", help_heading = "Load")]
    pub behaviour: Behaviour,
    /// What is spoken [default: websocket, or tcp after tcp:// and tls://]
    #[arg(long, value_parser = clap::builder::PossibleValuesParser::new(NAMES), help_heading = "Load")]
    pub dialect: Option<String>,
    /// Seed of intervals, phases and payloads
    #[arg(long, allow_negative_numbers = true, default_value_t = 1, help_heading = "Load")]
    pub seed: u32,

    /// Connections opened a second
    #[arg(long, value_name = "HZ", value_parser = rate, allow_negative_numbers = true, default_value = "2000", help_heading = "Connections")]
    pub connect_rate: f64,
    /// Handshakes under way at a time
    #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true, default_value = MAX_CONNECTING, help_heading = "Connections")]
    pub max_connecting: u32,
    /// A handshake that takes longer has timed out
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "30s", help_heading = "Connections")]
    pub connect_timeout: Duration,
    /// Connections closed and opened again a second, in the window. What falls due meanwhile is not sent
    #[arg(long, value_name = "HZ", value_parser = number, allow_negative_numbers = true, default_value = "0", help_heading = "Connections")]
    pub churn: f64,
    /// What the server dropped, or refused when --churn reopened it, is opened again after DELAY and up to JITTER more,
    /// until it is up: 1s or 1s,500ms. With xFACTOR each failed attempt multiplies the delay, up to MAX:
    /// 1s,500ms,x2,30s
    #[arg(long, value_name = "DELAY[,JITTER[,xFACTOR,MAX]]", value_parser = reconnect, help_heading = "Connections")]
    pub reconnect: Option<Reconnect>,
    /// Connect to all addresses of the server's name, in turn [default: the one that took the last connection]
    #[arg(long, help_heading = "Connections")]
    pub all_addresses: bool,
    /// Addresses to connect from, in turn: A,B or A-B [default: the kernel's choice; for 127.0.0.1 as many as are needed]
    #[arg(long, value_name = "ADDRESSES", value_parser = addresses, default_value = "", hide_default_value = true, help_heading = "Connections")]
    pub local: Addresses,

    /// A CSV file with a row for each connection, in turn if there are fewer rows. {{data:COLUMN}} stands for its value in
    /// the URL's path and query, headers, --message and --on-open; there {{connection}} and {{connection%N}} need no file
    #[arg(long, value_name = "FILE", help_heading = "Connections")]
    pub data: Option<PathBuf>,

    #[command(flatten)]
    pub messages: MessageOptions,
    #[command(flatten)]
    pub client: ClientOptions,
    #[command(flatten)]
    pub request: RequestOptions,
    #[command(flatten)]
    pub tls: TlsOptions,

    /// Warm-up before the start, in closed loop over a few connections (the first of --data); not recorded. None with messages of your own,
    /// idle or broadcast
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "0s", help_heading = "Time")]
    pub warmup: Duration,
    /// At least so long between the time when the last connection is due and the window, which begins with a whole
    /// second of the run
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "1s", help_heading = "Time")]
    pub settle: Duration,
    /// How long to wait for the last answers; what comes later is missing
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "1s", help_heading = "Time")]
    pub drain: Duration,
    /// A send later than this after its time is late
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "1ms", help_heading = "Time")]
    pub late: Duration,
    /// When to start, by the wall clock, so that many hosts start together: 2026-11-21T10:00:00Z or Unix seconds
    #[arg(long, value_name = "TIME", value_parser = wall_time, help_heading = "Time")]
    pub start_at: Option<SystemTime>,

    /// Threads, an event loop each
    #[arg(short, long, value_parser = count, allow_negative_numbers = true, default_value = "1", help_heading = "Generator")]
    pub threads: u32,
    /// Processes: where one has too few descriptors
    #[arg(long, value_parser = count, allow_negative_numbers = true, default_value = "1", help_heading = "Generator")]
    pub processes: u32,
    /// An existing folder for the records: intervals.tsv, latency.hlog, service.hlog, connect.hlog, summary.json, report.json
    #[arg(short, long, value_name = "FOLDER", help_heading = "Output")]
    pub out: Option<PathBuf>,
    /// Record the messages of each connection too: connections.tsv
    #[arg(long, requires = "out", help_heading = "Output")]
    pub record_connections: bool,
    /// The result as JSON, with percentiles, on standard output in the place of the text
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// No progress
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,
}

/// Version and features. All builds have the same features.
const VERSION: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    " (commit ",
    env!("SWARM_COMMIT"),
    "; TLS 1.2 and 1.3 by rustls with ring, permessage-deflate by zlib-rs)"
);

const EXAMPLES: &str = "Examples:
  swarm ws://127.0.0.1:9000 -c 1000 -r 10 -d 30s        10,000 messages a second, open loop
  swarm ws://127.0.0.1:9000 -c 100 -k 16                as fast as the server answers, 16 out each
  swarm ws://127.0.0.1:9000 -c 15000 --behaviour idle   connections that do nothing
  swarm wss://localhost:9443/echo --ca ca.pem -c 10 -r 10 -d 2s
                                                        over TLS
  swarm ws://localhost:9000/json --message say.json --answer /re -c 10 -r 10 -d 2s
                                                        JSON of your own, with {{id}} in it and in its answer
  swarm ws://localhost:9000/drops -c 10 -r 10 -d 3s --reconnect 100ms,50ms,x2,2s
                                                        through a restart: who comes back, and when
  swarm ws://127.0.0.1:9000 --dialect socket.io-5 --behaviour pingpong -r 1
  swarm ws://127.0.0.1:9000 -r 10 --json > a.json       for a program, or for:
  swarm compare a.json b.json                           two results side by side (swarm compare --help)

Exit codes: 0 measured; 1 nothing connected, no connection stayed open (of a load without answers, or by this host's fault), no message fell due, nothing came that was asked for, or every answer was wrong; 64 bad input; 70 the system refused something (a thread, a file), or internal error; 130 a second Ctrl-C.
Recipes: clients/swarm/MANUAL.md. Load only hosts that you may load. Ctrl-C ends a run early and still reports it.";

/// `swarm compare`.
#[derive(Parser, Debug)]
#[command(name = "swarm compare", bin_name = "swarm compare", after_help = COMPARE_EXAMPLES, max_term_width = 110)]
pub struct Compare {
    /// A file that --json wrote, a folder of --out, or a folder of several of these, runs of the same
    pub a: PathBuf,
    /// What it is held against: ratios are of B to A
    pub b: PathBuf,
}

const COMPARE_EXAMPLES: &str = "Examples:
  swarm URL -r 10 --json > a.json; swarm OTHER -r 10 --json > b.json; swarm compare a.json b.json
  for run in 1 2 3 4 5; do for one in a b; do swarm \"$(cat $one.url)\" -r 10 --json > $one/$run.json; done; done; swarm compare a b

Ratios have intervals from three runs of each on: one run says nothing of how far the next would differ.";

const COALESCE: Duration = Duration::from_micros(100);
/// Length of a payload, where no --size is given.
const SIZE: Size = Size::Fixed(20);
/// Same as `config::default_max_connecting`.
const MAX_CONNECTING: &str = "100";

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Arrivals {
    /// Every 1/HZ seconds, from a random phase
    Constant,
    /// Exponential gaps of mean 1/HZ
    Poisson,
    /// One interval up to 2/HZ seconds for each connection, as in the thesis's listing A.1: in the mean several times HZ
    /// messages a second
    UniformInterval,
}

impl Arguments {
    /// The configuration, checked.
    /// Errors: one line per problem.
    pub fn to_config(&self) -> Result<Config, Vec<String>> {
        let opening_s = f64::from(self.connections) / self.connect_rate;
        let ramp_s = opening_s.ceil() as u32;
        // The window begins with a second of intervals.tsv, so the time to settle is rounded up.
        let lead_s = (opening_s + self.settle.as_secs_f64()).ceil() as u32;
        let arrivals = match (self.rate, self.arrivals) {
            (None, _) => Process::Closed { outstanding: self.outstanding.unwrap_or(1) },
            (Some(hz), None | Some(Arrivals::Constant)) => Process::Constant { period_ms: 1e3 / hz },
            (Some(hz), Some(Arrivals::Poisson)) => Process::Poisson { rate_hz: hz },
            (Some(hz), Some(Arrivals::UniformInterval)) => Process::UniformInterval { max_ms: 2e3 / hz },
        };
        let proxy = self.request.proxy.as_deref();
        let is_tcp = Url::parse_via(&self.target, proxy).is_ok_and(|url| url.is_tcp);
        let messages = self.messages.to_config();
        let config = Config {
            url: self.target.clone(),
            dialect: self.dialect.clone().unwrap_or(if is_tcp { "tcp" } else { "websocket" }.into()),
            out: self.out.clone(),
            behaviour: if messages.is_some() { Behaviour::Own } else { self.behaviour },
            messages,
            client: self.client.to_config(),
            processes: self.processes,
            threads: self.threads,
            connections: self.connections,
            connect_rate_hz: self.connect_rate,
            connect_phase: 0.0,
            warmup_s: self.warmup.as_secs_f64(),
            ramp_s,
            settle_s: lead_s - ramp_s,
            hold_s: self.duration.as_secs_f64(),
            arrivals,
            payload: Spec {
                kind: if self.binary { Type::Binary } else { Type::Text },
                bytes: self.size.unwrap_or(SIZE),
            },
            seed: self.seed,
            late_ms: self.late.as_secs_f64() * 1e3,
            drain_s: self.drain.as_secs_f64(),
            max_connecting: self.max_connecting,
            connect_timeout_s: self.connect_timeout.as_secs_f64(),
            churn_hz: self.churn,
            max_outstanding: self.max_outstanding,
            coalesce_us: self.coalesce.unwrap_or(COALESCE).as_secs_f64() * 1e6,
            all_addresses: self.all_addresses,
            local_addresses: self.local.0.clone(),
            reconnect: self.reconnect,
            record_connections: self.record_connections,
            probes: false,
            tls: self.tls.to_config(),
            ca: None,
            request: self.request.to_config(),
            data: self.data.clone(),
            deflate: self.request.deflate.clone(),
            library: None,
            library_settings: None,
        };
        let is_silent = config.messages.as_ref().is_some_and(|own| own.message.is_none());
        let given = self.rate.map(|_| "--rate").or(self.outstanding.map(|_| "--outstanding"));
        let unsent = given.and_then(|option| match config.behaviour {
            Behaviour::Idle => {
                Some(format!("{option}: idle connections send nothing; leave it out, or --behaviour idle"))
            }
            _ if is_silent => {
                Some(format!("{option}: nothing says what to send; add --message FILE, or leave {option} out"))
            }
            _ => None,
        });
        let has_own = matches!(config.behaviour, Behaviour::PingPong | Behaviour::JsonPing | Behaviour::Idle);
        let given = self.size.map(|_| "--size").or(self.binary.then_some("--binary")).filter(|_| has_own);
        let in_vain =
            given.map(|option| format!("{option}: what this --behaviour sends is fixed; leave it out, or --behaviour"));
        let problems = config.problems();
        let wrong: Vec<_> = problems.iter().map(|problem| name_option(problem)).chain(unsent).chain(in_vain).collect();
        if wrong.is_empty() {
            Ok(config)
        } else {
            Err(wrong)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::own::Step;
    use clap::CommandFactory;

    fn config(options: &str) -> Result<Config, Vec<String>> {
        Arguments::try_parse_from(format!("swarm {options}").split_whitespace()).unwrap().to_config()
    }

    #[test]
    fn a_rate_without_anything_to_send_is_refused() {
        let told = config("ws://127.0.0.1:9 --subscribe -r 10").unwrap_err();
        assert_eq!(told, ["--rate: nothing says what to send; add --message FILE, or leave --rate out"]);
        let told = config("ws://127.0.0.1:9 --subscribe -k 2").unwrap_err();
        assert!(told.iter().any(|line| line.starts_with("--outstanding: nothing says what to send")), "{told:?}");
        assert!(config("ws://127.0.0.1:9 --subscribe").is_ok());
        let told = config("ws://127.0.0.1:9 --behaviour idle -r 10").unwrap_err();
        assert_eq!(told, ["--rate: idle connections send nothing; leave it out, or --behaviour idle"]);
        assert!(config("ws://127.0.0.1:9 --behaviour idle").is_ok());
    }

    #[test]
    fn a_size_of_messages_that_have_their_own_is_refused() {
        let told = config("ws://127.0.0.1:9 --behaviour pingpong -s 100 -r 1").unwrap_err();
        assert_eq!(told, ["--size: what this --behaviour sends is fixed; leave it out, or --behaviour"]);
        assert!(config("ws://127.0.0.1:9 --behaviour json-ping --binary").unwrap_err()[0].contains("--binary"));
        assert!(config("ws://127.0.0.1:9 --behaviour pingpong -r 1").is_ok());
        assert_eq!(config("ws://127.0.0.1:9").unwrap().payload.bytes, Size::Fixed(20));
    }

    #[test]
    fn a_request_has_one_header_of_cookies() {
        let headers = |given: [&str; 4]| {
            let all = ["swarm", "ws://127.0.0.1:9"].into_iter().chain(given);
            Arguments::try_parse_from(all).unwrap().to_config().map(|config| config.request.headers)
        };
        let both = headers(["-H", "cookie: a=1", "--cookie", "b=2"]).unwrap();
        assert_eq!(both, [("Cookie".to_string(), "a=1; b=2".to_string())]);
        assert!(headers(["--subprotocol", "v1", "--subprotocol", "v1"]).unwrap_err()[0]
            .starts_with("--subprotocol: \"v1\" stands twice"));
    }

    #[test]
    fn what_is_held_back_needs_a_schedule() {
        let parsed = Arguments::try_parse_from(["swarm", "ws://127.0.0.1:9", "--coalesce", "1ms"]);
        assert!(parsed.unwrap_err().to_string().contains("--rate"));
        let config = config("ws://127.0.0.1:9 -r 1").unwrap();
        assert_eq!(config.coalesce_us, 100.0);
    }

    #[test]
    fn what_is_said_and_awaited_first_keeps_the_order_of_the_command_line() {
        let given = "--ready /type=hello --on-open Cargo.toml --on-open build.rs --ready /type=joined";
        let opening = config(&format!("ws://127.0.0.1:9 --subscribe {given}")).unwrap().messages.unwrap().opening;
        let told = opening.iter().map(|step| match step {
            Step::Send(file) => file.display().to_string(),
            Step::Await(ready) => ready.value.clone(),
        });
        assert_eq!(told.collect::<Vec<_>>(), ["hello", "Cargo.toml", "build.rs", "joined"]);
    }

    #[test]
    fn the_options_are_sound() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn a_rate_makes_an_open_loop_and_none_a_closed_one() {
        let open = config("ws://127.0.0.1:9 -c 1000 -r 10 -d 30s").unwrap();
        assert_eq!((open.arrivals, open.hold_s), (Process::Constant { period_ms: 100.0 }, 30.0));
        assert_eq!(config("ws://127.0.0.1:9 -k 16").unwrap().arrivals, Process::Closed { outstanding: 16 });
        assert_eq!(config("ws://127.0.0.1:9").unwrap().arrivals, Process::Closed { outstanding: 1 });
    }

    #[test]
    fn the_scheme_chooses_the_dialect() {
        assert_eq!(config("tcp://127.0.0.1:9").unwrap().dialect, "tcp");
        assert_eq!(config("ws://127.0.0.1:9").unwrap().dialect, "websocket");
    }

    #[test]
    fn reconnect_is_a_delay_and_perhaps_a_jitter() {
        let parsed = |options| config(options).unwrap().reconnect;
        assert_eq!(parsed("ws://127.0.0.1:9"), None);
        assert_eq!(
            parsed("ws://127.0.0.1:9 --reconnect 1s"),
            Some(Reconnect { delay_ms: 1000.0, jitter_ms: 0.0, factor: 1.0, max_ms: 1e7 })
        );
        assert_eq!(
            parsed("ws://127.0.0.1:9 --reconnect 1s,500ms"),
            Some(Reconnect { delay_ms: 1000.0, jitter_ms: 500.0, factor: 1.0, max_ms: 1e7 })
        );
        assert_eq!(
            parsed("ws://127.0.0.1:9 --reconnect 1s,0s,x2,30s"),
            Some(Reconnect { delay_ms: 1000.0, jitter_ms: 0.0, factor: 2.0, max_ms: 30_000.0 })
        );
    }

    #[test]
    fn a_window_may_have_a_part_of_a_second_and_begins_with_a_whole_one() {
        let times = |options: &str| {
            let config = config(&format!("ws://127.0.0.1:9 {options}")).unwrap();
            (config.ramp_s, config.settle_s, config.hold_s)
        };
        assert_eq!(times("-d 1.5s"), (1, 1, 1.5));
        assert_eq!(times("-d 500ms --settle 0s"), (1, 0, 0.5));
        assert_eq!(times("-c 1000 --connect-rate 1000 --settle 1.5s"), (1, 2, 10.0));
        assert_eq!(times("-c 100 --connect-rate 1000 --settle 1.5s"), (1, 1, 10.0), "0.1 + 1.5 s, rounded up");
    }

    #[test]
    fn a_problem_names_the_option_and_not_the_key_of_a_file() {
        assert!(config("ws://127.0.0.1:9 -d 0s").unwrap_err()[0].starts_with("--duration (s) is 0; "));
        assert!(config("http://127.0.0.1:9").unwrap_err()[0].starts_with("URL is \"http://127.0.0.1:9\""));
        assert!(config("ws://127.0.0.1:9 --behaviour broadcast -s 64").unwrap_err()[0]
            .starts_with("--outstanding, or no --rate"));
        let slow = config("ws://127.0.0.1:9 --connect-rate 1e-6").unwrap_err();
        assert!(slow[0].starts_with("--connections / --connect-rate (s) is 100000000; set it to 10000000"), "{slow:?}");
        assert!(
            config("ws://127.0.0.1:9 -r 1 --coalesce 11s").unwrap_err()[0].starts_with("--coalesce (us) is 11000000; ")
        );
        assert!(config("ws://127.0.0.1:9 -c 90000000").unwrap_err()[0].starts_with("--connections is 90000000"));
    }

    #[test]
    fn an_option_that_can_not_be_is_refused_with_its_name_its_value_and_what_to_write() {
        for (options, words) in [
            ("-r 0", "'0' for '--rate <HZ>': write a number a second above 0"),
            ("-r -1", "'-1' for '--rate <HZ>': write a number a second above 0"),
            ("-r inf", "'inf' for '--rate <HZ>': write a number a second above 0"),
            ("-r 1e7", "'1e7' for '--rate <HZ>': write a number a second above 0, up to 1000000"),
            ("-c -5", "'-5' for '--connections <CONNECTIONS>': write a whole number from 1"),
            ("-s 0", "'0' for '--size <SIZE>': write 1 to 67108864"),
            ("-s 67108865", "'67108865' for '--size <SIZE>': write 1 to 67108864"),
            ("-s 99999999999999", "'99999999999999' for '--size <SIZE>': write 1 to 67108864"),
            ("-s uniform:1,67108865", "'uniform:1,67108865' for '--size <SIZE>': write 1 to 67108864"),
            ("-d -3", "'-3' for '--duration <DURATION>': write 30s, 500ms or 2m"),
            (
                "-d 4294967297s",
                "'4294967297s' for '--duration <DURATION>': write 30s, 500ms or 2m, from 0s to 10000000s",
            ),
            ("--settle 4294967296s", "'4294967296s' for '--settle <TIME>': write 30s"),
            ("--warmup 10000001s", "'10000001s' for '--warmup <TIME>': write 30s"),
            ("--drain 10000001s", "'10000001s' for '--drain <TIME>': write 30s"),
            ("--late 10000001s", "'10000001s' for '--late <TIME>': write 30s"),
            ("--coalesce 10000001s", "'10000001s' for '--coalesce <TIME>': write 30s"),
            ("--connect-timeout 10000001s", "'10000001s' for '--connect-timeout <TIME>': write 30s"),
            ("--reconnect 1s,10000001s", "'1s,10000001s' for '--reconnect <DELAY[,JITTER[,xFACTOR,MAX]]>': write 30s"),
            ("--start-at 1e19", "'1e19' for '--start-at <TIME>': that is later than the clock can tell"),
            ("--seed 4294967296", "'4294967296' for '--seed <SEED>': 4294967296 is not in 0..=4294967295"),
            (
                "-c 4294967296",
                "'4294967296' for '--connections <CONNECTIONS>': write a whole number from 1 to 4294967295",
            ),
            ("--connect-rate 0", "'0' for '--connect-rate <HZ>': write a number a second above 0"),
            ("--churn -1", "'-1' for '--churn <HZ>': write a number a second from 0"),
        ] {
            let given = format!("swarm ws://127.0.0.1:9 {options}");
            let told = Arguments::try_parse_from(given.split_whitespace()).unwrap_err().to_string();
            assert!(told.contains(words), "{options}: {told}");
        }
    }
}
