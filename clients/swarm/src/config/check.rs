//! Validation of a configuration.

use super::request::Request;
use super::url::Url;
use super::{Config, Reconnect, MOST_S};
use crate::arrivals::Process;
use crate::dialect::{by_name, Behaviour, Type};
use crate::message::own::ACK;
use crate::message::payload::{Distribution, Size, MAX_B};
use crate::message::stamp::TIMES_B;
use crate::tls::options::Tls;
use crate::tls::Terms;
use crate::websocket::close::may_be_sent;
use std::path::Path;

/// A broadcast's payload holds its number and two times.
const BROADCAST_MIN_B: u32 = TIMES_B as u32;
/// Shortest delay between reconnection attempts: a server that is down refuses at once, and must not be hammered.
const RECONNECT_MIN_MS: f64 = 1.0;
/// Upper bound of values without one of their own.
const MOST: f64 = MOST_S;
const RATE_MAX: f64 = 1e9;
/// Of a connection with random gaps: they are whole microseconds.
const RANDOM_RATE_MAX: f64 = 1e6;
const THREADS_MAX: u32 = 1024;
const PROCESSES_MAX: u32 = 1024;
/// Descriptors of the process itself: standard streams, event queues, libraries.
const DESCRIPTORS_OF_ITS_OWN: u64 = 32;

impl Config {
    /// All problems, each `<what, with the value>; <next step>`.
    pub fn problems(&self) -> Vec<String> {
        let mut wrong = Vec::new();
        let mut expect = |holds: bool, otherwise: String| {
            if !holds {
                wrong.push(otherwise);
            }
        };
        let parsed = Url::parse_via(&self.url, self.request.proxy.as_deref());
        expect(parsed.is_ok(), parsed.as_ref().err().cloned().unwrap_or_default());
        let is_callable = parsed.clone().is_ok_and(|mut url| url.keep_family(&self.local_addresses));
        expect(
            parsed.is_err() || is_callable,
            format!("local_addresses {:?} can not call url {}; use addresses of one family, IPv4 or IPv6, that the server has", self.local_addresses, self.shown_url()),
        );
        self.request.problems().into_iter().for_each(|problem| expect(false, problem));
        self.check_numbers(&mut expect);
        self.check_reconnect(&mut expect);
        let is_tcp = parsed.as_ref().is_ok_and(|url| url.is_tcp);
        let told = format!(
            "dialect is {}, and url is {}: tcp is spoken to tcp:// and tls:// alone; correct one",
            self.dialect,
            self.shown_url()
        );
        expect(parsed.is_err() || is_tcp == (self.dialect == "tcp"), told);
        let out = self.out.as_deref();
        expect(
            out.is_none_or(Path::is_dir),
            format!("out is {:?}; set it to an existing folder", out.unwrap_or(Path::new(""))),
        );
        self.check_tls(parsed.as_ref().ok(), &mut expect);
        self.check_deflate(&mut expect);
        self.check_client(&mut expect);
        self.check_turns(&mut expect);
        self.check_request(&mut expect);
        self.check_own(&mut expect);
        self.check_load(&mut expect);
        self.check_ramp(&mut expect);
        self.check_descriptors(&mut expect);
        wrong
    }

    fn check_numbers(&self, expect: &mut dyn FnMut(bool, String)) {
        let least = [("processes", self.processes), ("threads", self.threads), ("connections", self.connections)];
        for (key, value) in least.into_iter().chain([("max_connecting", self.max_connecting)]) {
            expect(value >= 1, format!("{key} is {value}; set it to a whole number from 1"));
        }
        let positive = [
            ("hold_s", self.hold_s, MOST),
            ("connect_rate_hz", self.connect_rate_hz, RATE_MAX),
            ("connect_timeout_s", self.connect_timeout_s, MOST),
        ];
        for (key, value, most) in positive {
            expect(
                value > 0.0 && value <= most,
                format!("{key} is {value}; set it to a number above 0, {most} at most"),
            );
        }
        let phase = self.connect_phase;
        expect((0.0..1.0).contains(&phase), format!("connect_phase is {phase}; set it to a number from 0, below 1"));
        let times = [
            ("warmup_s", self.warmup_s),
            ("late_ms", self.late_ms),
            ("drain_s", self.drain_s),
            ("churn_hz", self.churn_hz),
            ("coalesce_us", self.coalesce_us),
        ];
        for (key, value) in times {
            expect((0.0..=MOST).contains(&value), format!("{key} is {value}; set it to a number from 0 to {MOST}"));
        }
        let is_held = self.arrivals.outstanding() == 0 && self.coalesce_us > self.late_ms * 1e3;
        expect(
            !is_held || self.late_ms.is_nan(),
            format!(
                "coalesce_us is {}, more than {} ms, after which a send is late: what it holds back would be; lower it, or raise late_ms",
                self.coalesce_us, self.late_ms
            ),
        );
        for (key, value) in [("ramp_s", self.ramp_s), ("settle_s", self.settle_s)] {
            expect(f64::from(value) <= MOST, format!("{key} is {value}; set it to {MOST} at most"));
        }
        for (key, value, most) in [("threads", self.threads, THREADS_MAX), ("processes", self.processes, PROCESSES_MAX)]
        {
            expect(value <= most, format!("{key} is {value}; set it to a whole number from 1 to {most}"));
        }
    }

    /// Each thread of each process has a turn of its own to connect.
    fn check_turns(&self, expect: &mut dyn FnMut(bool, String)) {
        let (all, most) = (u64::from(self.threads) * u64::from(self.processes), self.max_connecting);
        expect(
            u64::from(most) >= all.min(self.connections.into()),
            format!(
                "max_connecting is {most}, for {all} threads in all: some could not connect; set it to {all} or more"
            ),
        );
    }

    fn check_reconnect(&self, expect: &mut dyn FnMut(bool, String)) {
        let Some(Reconnect { delay_ms, jitter_ms, factor, max_ms }) = self.reconnect else { return };
        for (key, value, least) in [
            ("delay_ms", delay_ms, RECONNECT_MIN_MS),
            ("jitter_ms", jitter_ms, 0.0),
            ("factor", factor, 1.0),
            ("max_ms", max_ms, delay_ms.max(RECONNECT_MIN_MS)),
        ] {
            expect(
                (least..=MOST).contains(&value),
                format!("reconnect.{key} is {value}; set it to a number from {least} to {MOST}"),
            );
        }
    }

    fn check_tls(&self, url: Option<&Url>, expect: &mut dyn FnMut(bool, String)) {
        let Some(url) = url else { return };
        if url.is_tls {
            let terms = Terms::new(&self.tls, &url.host, 0);
            expect(terms.is_ok(), terms.err().unwrap_or_default());
        } else {
            let told =
                format!("tls: nothing is secured at {}; use wss://, or leave TLS's options out", self.shown_url());
            expect(self.tls == Tls::default(), told);
        }
    }

    fn check_client(&self, expect: &mut dyn FnMut(bool, String)) {
        let client = &self.client;
        for (key, value, most) in [
            ("read_rate_b_s", client.read_rate_b_s, RATE_MAX),
            ("stop_reading", client.stop_reading, 1.0),
            ("ping_every_ms", client.ping_every_ms, MOST),
        ] {
            expect(
                (0.0..=most).contains(&value),
                format!("client.{key} is {value}; set it to a number from 0 to {most}"),
            );
        }
        let share = client.stop_reading;
        let stop = f64::from(self.connections) * share + 1e-9;
        expect(
            share <= 0.0 || share.is_nan() || stop >= 1.0,
            format!("client.stop_reading is {share}, none of {} connections; raise it, or open more", self.connections),
        );
        let code = client.close_code;
        expect(may_be_sent(code), format!("client.close_code is {code}; set it to 1000, 1001, or 3000 to 4999"));
        let is_framed = self.dialect != "tcp";
        expect(is_framed || client.ping_every_ms == 0.0, "client.ping_every_ms: tcp:// has no pings; use ws://".into());
    }

    fn check_request(&self, expect: &mut dyn FnMut(bool, String)) {
        let none = Request { proxy: self.request.proxy.clone(), ..Request::default() };
        expect(
            self.dialect != "tcp" || self.request == none,
            "request: tcp:// and tls:// send none; leave out its headers, or use ws://".into(),
        );
    }

    fn check_own(&self, expect: &mut dyn FnMut(bool, String)) {
        let is_own = self.behaviour == Behaviour::Own;
        expect(
            is_own == self.messages.is_some(),
            "messages and the behaviour own go together; give both or none".into(),
        );
        let Some(messages) = &self.messages else { return };
        messages.problems().into_iter().for_each(|problem| expect(false, problem));
        expect(
            messages.message.is_none() || messages.answer.is_some() || self.arrivals.outstanding() == 0,
            "arrivals.kind is closed, and nothing is answered without --answer; use an open one".into(),
        );
        expect(
            messages.answer.as_deref() != Some(ACK) || self.dialect.starts_with("socket.io"),
            format!(
                "messages.answer: {} has no acknowledgements; give the JSON pointer to an answer's id",
                self.dialect
            ),
        );
    }

    fn check_deflate(&self, expect: &mut dyn FnMut(bool, String)) {
        let Some(offer) = &self.deflate else { return };
        expect(self.dialect != "tcp", "deflate: tcp:// has no messages to compress; use ws://, or leave it out".into());
        for (key, bits) in [
            ("server_max_window_bits", offer.server_max_window_bits),
            ("client_max_window_bits", offer.client_max_window_bits),
        ] {
            let bits = bits.unwrap_or(15);
            expect((8..=15).contains(&bits), format!("deflate.{key} is {bits}; set it to 8 to 15"));
        }
        let level = offer.level;
        expect((1..=9).contains(&level), format!("deflate.level is {level}; set it to 1 to 9"));
    }

    fn check_load(&self, expect: &mut dyn FnMut(bool, String)) {
        match by_name::create(&self.dialect, self.behaviour) {
            Ok(dialect) => {
                let carries = match self.behaviour {
                    Behaviour::Own => dialect.is_binary() && dialect.before_own().is_none_or(str::is_empty),
                    _ => dialect.is_binary() || !self.has_payload(),
                };
                let is_carried = self.payload.kind == Type::Text || carries;
                expect(is_carried, format!("payload.type is binary, which {} does not carry; use text", self.dialect));
            }
            Err(problem) => expect(false, problem),
        }
        if self.behaviour != Behaviour::Idle {
            check_arrivals(&self.arrivals, expect);
        }
        if self.probes {
            expect(
                self.processes == 1,
                format!("processes is {}: probes are made by one; set it to 1", self.processes),
            );
            let has_answers = !matches!(self.behaviour, Behaviour::Idle | Behaviour::Broadcast);
            expect(has_answers, "probes: this behaviour has no answers; use echo, pingpong or json-ping".into());
        }
        if self.has_payload() {
            check_size(self.payload.bytes, expect);
        }
        if self.behaviour == Behaviour::Broadcast {
            expect(self.churn_hz == 0.0, "churn_hz: a broadcast counts on who is up; set it to 0".into());
            let is_fit = matches!(self.payload.bytes, Size::Fixed(bytes) if bytes >= BROADCAST_MIN_B);
            expect(
                is_fit,
                format!("payload.bytes: a broadcast carries its times; use a fixed size from {BROADCAST_MIN_B}"),
            );
            expect(
                self.arrivals.outstanding() == 0,
                "arrivals.kind is closed, and nobody answers a broadcast; use an open one".into(),
            );
        }
    }

    fn has_payload(&self) -> bool {
        matches!(self.behaviour, Behaviour::Echo | Behaviour::Broadcast)
    }

    /// The last connection must be due before the load ends.
    fn check_ramp(&self, expect: &mut dyn FnMut(bool, String)) {
        let last_s = (f64::from(self.connections.saturating_sub(1)) + self.connect_phase) / self.connect_rate_hz;
        let end_s = self.load_s();
        let Self { connections, connect_rate_hz, .. } = self;
        expect(
            last_s < end_s,
            format!("connection {connections} would be due at {last_s} s, after the end at {end_s} s; raise connect_rate_hz ({connect_rate_hz})"),
        );
    }

    fn check_descriptors(&self, expect: &mut dyn FnMut(bool, String)) {
        let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile).maximum.unwrap_or(u64::MAX);
        let problem = self.descriptor_problem(limit);
        expect(problem.is_none(), problem.unwrap_or_default());
    }

    /// `limit`: open files per process.
    fn descriptor_problem(&self, limit: u64) -> Option<String> {
        // a thread has an event queue and a timer, and reads /proc
        let own = DESCRIPTORS_OF_ITS_OWN + 3 * u64::from(self.threads);
        let connections = u64::from(self.connections);
        let needed = connections.div_ceil(u64::from(self.processes.max(1))) + own;
        // two pipes for each process
        let of_parent = |processes: u64| if processes == 1 { 0 } else { DESCRIPTORS_OF_ITS_OWN + 2 * processes };
        let needed = needed.max(of_parent(u64::from(self.processes)));
        if needed <= limit {
            return None;
        }
        let enough = connections.div_ceil(limit.saturating_sub(own).max(1));
        let helps = limit > own && enough <= u64::from(PROCESSES_MAX) && of_parent(enough) <= limit;
        let split = if helps { format!("set processes to {enough}, or ") } else { String::new() };
        let Self { processes, .. } = self;
        Some(format!(
            "connections is {connections}: over {processes} process(es) they need {needed} descriptors in one of them, \
             and its hard limit of open files (ulimit -Hn) is {limit}; {split}raise it as root: ulimit -n {needed}"
        ))
    }
}

pub fn check_arrivals(arrivals: &Process, expect: &mut dyn FnMut(bool, String)) {
    let (key, value) = match *arrivals {
        Process::UniformInterval { max_ms } => ("max_ms", max_ms),
        Process::Constant { period_ms } => ("period_ms", period_ms),
        Process::Bursts { messages: 0, .. } => ("messages", 0.0),
        Process::Bursts { period_ms, .. } => ("period_ms", period_ms),
        Process::Poisson { rate_hz } => ("rate_hz_per_connection", rate_hz),
        Process::Closed { outstanding } => ("outstanding", f64::from(outstanding)),
        Process::Staircase(ref staircase) => {
            staircase.problems(RANDOM_RATE_MAX).into_iter().for_each(|problem| expect(false, problem));
            return;
        }
    };
    let most = if matches!(arrivals, Process::Poisson { .. }) { RANDOM_RATE_MAX } else { RATE_MAX };
    let least = 1.0 / MOST;
    expect(
        (least..=most).contains(&value),
        format!("arrivals.{key} is {value}; set it to a number from {least} to {most}"),
    );
}

fn check_size(size: Size, expect: &mut dyn FnMut(bool, String)) {
    let max = size.max();
    expect((1..=MAX_B).contains(&max), format!("payload.bytes is up to {max}; set it to a number from 1 to {MAX_B}"));
    let parameter = match size {
        Size::Drawn(Distribution::Uniform { min, max }) if min > max || min == 0 => Some(format!("{min}..{max}")),
        Size::Drawn(Distribution::Exponential { mean, .. }) if !(mean > 0.0 && mean.is_finite()) => {
            Some(mean.to_string())
        }
        Size::Drawn(Distribution::Lognormal { median, sigma, .. })
            if !(median > 0.0 && median.is_finite() && sigma >= 0.0 && sigma.is_finite()) =>
        {
            Some(format!("{median}, {sigma}"))
        }
        _ => None,
    };
    let told = parameter.clone().unwrap_or_default();
    expect(parameter.is_none(), format!("payload.bytes has the impossible parameter {told}; correct it"));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::client::Client;
    use crate::message::own::Own;
    use crate::message::payload::Spec;

    fn config() -> Config {
        serde_json::from_value(serde_json::json!({
            "url": "ws://127.0.0.1:9", "behaviour": "echo", "processes": 1, "connections": 10, "connect_rate_hz": 10.0,
            "warmup_s": 0, "ramp_s": 1, "settle_s": 0, "hold_s": 1, "arrivals": {"kind": "poisson", "rate_hz_per_connection": 1.0},
            "payload": {"type": "text", "bytes": 20}, "seed": 1, "late_ms": 1, "drain_s": 1
        }))
        .unwrap()
    }

    #[test]
    fn a_right_configuration_has_no_problems() {
        assert_eq!(config().problems(), Vec::<String>::new());
    }

    #[test]
    fn all_that_is_wrong_is_told_at_once_with_its_value() {
        let wrong = Config { connections: 0, connect_rate_hz: -1.0, connect_phase: 1.0, late_ms: -2.0, ..config() };
        let problems = wrong.problems();
        for word in ["connections is 0", "connect_rate_hz is -1", "connect_phase is 1", "late_ms is -2"] {
            assert!(problems.iter().any(|problem| problem.contains(word)), "{word}: {problems:?}");
        }
    }

    #[test]
    fn a_share_of_slow_readers_that_is_no_connection_is_refused() {
        let slow =
            |stop_reading| Config { client: Client { stop_reading, ..Client::default() }, connections: 4, ..config() };
        assert_eq!(slow(0.25).problems(), Vec::<String>::new());
        let told = "client.stop_reading is 0.1, none of 4 connections; raise it, or open more";
        assert!(slow(0.1).problems().iter().any(|problem| problem.contains(told)), "{:?}", slow(0.1).problems());
    }

    #[test]
    fn every_time_has_a_greatest_value_and_beyond_it_is_refused_with_the_range() {
        let edge = Config { drain_s: MOST_S, late_ms: MOST, coalesce_us: MOST, connect_timeout_s: MOST, ..config() };
        assert_eq!(edge.problems(), Vec::<String>::new());
        let beyond = Config {
            warmup_s: 1e8,
            ramp_s: u32::MAX,
            settle_s: u32::MAX,
            hold_s: f64::INFINITY,
            drain_s: f64::NAN,
            late_ms: f64::INFINITY,
            coalesce_us: -1.0,
            connect_timeout_s: 1e8,
            threads: u32::MAX,
            processes: u32::MAX,
            churn_hz: 1e8,
            ..config()
        };
        let problems = beyond.problems();
        for (words, range) in [
            ("warmup_s is 100000000", "from 0 to 10000000"),
            ("ramp_s is 4294967295", "10000000 at most"),
            ("settle_s is 4294967295", "10000000 at most"),
            ("hold_s is inf", "10000000 at most"),
            ("drain_s is NaN", "from 0 to 10000000"),
            ("late_ms is inf", "from 0 to 10000000"),
            ("coalesce_us is -1", "from 0 to 10000000"),
            ("connect_timeout_s is 100000000", "10000000 at most"),
            ("threads is 4294967295", "from 1 to 1024"),
            ("processes is 4294967295", "from 1 to 1024"),
            ("churn_hz is 100000000", "from 0 to 10000000"),
        ] {
            let is_told = problems.iter().any(|problem| problem.starts_with(words) && problem.contains(range));
            assert!(is_told, "{words}: {problems:?}");
        }
    }

    #[test]
    fn to_reconnect_without_a_pause_is_refused() {
        let reconnect = Some(Reconnect { delay_ms: 0.0, jitter_ms: -1.0, factor: 1.0, max_ms: 10.0 });
        let problems = Config { reconnect, ..config() }.problems();
        assert!(problems[0].contains("reconnect.delay_ms is 0") && problems[1].contains("reconnect.jitter_ms is -1"));
    }

    #[test]
    fn probes_without_answers_or_by_several_processes_are_refused() {
        assert_eq!(Config { probes: true, ..config() }.problems(), Vec::<String>::new());
        let problems = Config { probes: true, processes: 2, behaviour: Behaviour::Idle, ..config() }.problems();
        assert!(problems[0].contains("processes is 2") && problems[1].contains("no answers"), "{problems:?}");
    }

    #[test]
    fn local_addresses_of_another_family_than_the_server_are_refused() {
        let local_addresses = vec!["::1".parse().unwrap()];
        let problems = Config { local_addresses, ..config() }.problems();
        assert!(problems[0].starts_with("local_addresses [::1] can not call url"), "{problems:?}");
    }

    #[test]
    fn a_ramp_that_is_too_slow_is_refused() {
        assert!(Config { connect_rate_hz: 1.0, ..config() }.problems()[0].contains("raise connect_rate_hz"));
    }

    #[test]
    fn more_connections_than_descriptors_are_refused() {
        let config = Config { connections: u32::MAX, connect_rate_hz: 1e12, ..config() };
        assert!(config.problems().iter().any(|problem| problem.contains("descriptors")), "{:?}", config.problems());
    }

    #[test]
    fn more_processes_are_advised_where_they_help_and_only_there() {
        let problem =
            |connections, processes, limit| Config { connections, processes, ..config() }.descriptor_problem(limit);
        assert_eq!(problem(29, 1, 64), None);
        let few = problem(400, 1, 64).unwrap();
        assert!(few.contains("need 435 descriptors") && few.contains("(ulimit -Hn) is 64;"), "{few}");
        assert!(few.contains("set processes to 14, or raise it as root: ulimit -n 435"), "{few}");
        assert_eq!(problem(400, 14, 64), None, "the advice is enough");
        let many = problem(1000, 1, 64).unwrap();
        assert!(!many.contains("processes to"), "35 processes need 102 descriptors for their pipes: {many}");
        assert!(problem(1000, 35, 64).unwrap().contains("need 102 descriptors"));
        assert!(!problem(10, 1, 20).unwrap().contains("processes to"));
    }

    #[test]
    fn random_gaps_are_whole_microseconds_so_their_rate_has_a_bound() {
        let problems = |rate_hz| Config { arrivals: Process::Poisson { rate_hz }, ..config() }.problems();
        assert_eq!(problems(1e6), Vec::<String>::new());
        assert!(problems(1e8)[0].starts_with("arrivals.rate_hz_per_connection is 100000000; set it to a number from"));
        let even = Config { arrivals: Process::Constant { period_ms: 1e-5 }, ..config() };
        assert_eq!(even.problems(), Vec::<String>::new(), "others may be faster");
    }

    #[test]
    fn what_is_held_back_until_it_is_late_is_refused_where_messages_have_a_time() {
        let held = Config { coalesce_us: 3000.0, late_ms: 1.0, ..config() };
        assert!(held.problems()[0].starts_with("coalesce_us is 3000, more than 1 ms, after which a send is late"));
        assert_eq!(Config { late_ms: 3.0, ..held.clone() }.problems(), Vec::<String>::new());
        assert_eq!(Config { arrivals: Process::Closed { outstanding: 1 }, ..held }.problems(), Vec::<String>::new());
    }

    #[test]
    fn each_thread_has_a_turn_to_connect() {
        let config = Config { threads: 4, max_connecting: 3, ..config() };
        assert!(
            config.problems()[0].starts_with("max_connecting is 3, for 4 threads in all"),
            "{:?}",
            config.problems()
        );
        assert_eq!(
            Config { connections: 3, ..config }.problems(),
            Vec::<String>::new(),
            "no thread without one has a connection"
        );
    }

    #[test]
    fn headers_are_refused_where_no_request_is_sent() {
        let headers = vec![("X-Tenant".to_string(), "7".to_string())];
        let request = Request { headers, ..Request::default() };
        let config = Config { url: "tcp://127.0.0.1:9".into(), dialect: "tcp".into(), request, ..config() };
        assert!(config.problems()[0].starts_with("request: tcp:// and tls:// send none"), "{:?}", config.problems());
        assert_eq!(Config { request: Request::default(), ..config }.problems(), Vec::<String>::new());
    }

    #[test]
    fn acknowledgements_are_of_socket_io_alone() {
        let problems = |dialect: &str| {
            let messages = Some(Own { answer: Some(ACK.into()), ..Own::default() });
            let config = Config { dialect: dialect.into(), behaviour: Behaviour::Own, messages, ..config() };
            config.problems().join(" | ")
        };
        assert!(
            problems("websocket").contains("messages.answer: websocket has no acknowledgements; give the JSON pointer")
        );
        assert!(!problems("socket.io-5").contains("acknowledgements"));
    }

    #[test]
    fn a_dialect_that_cannot_carry_the_load_is_refused() {
        let payload = Spec { kind: Type::Binary, bytes: Size::Fixed(20) };
        let config = Config { dialect: "socketcluster-14".into(), payload, ..config() };
        assert!(config.problems()[0].contains("use text"));
        assert!(Config { dialect: "carrier pigeon".into(), ..config }.problems()[0].contains("unknown"));
    }
}
