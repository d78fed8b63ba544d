//! Validation of a configuration.

use super::client::Client;
use super::request::Request;
use super::url::Url;
use super::{Config, Reconnect, MOST_S};
use crate::arrivals::Process;
use crate::dialect::{by_name, Behaviour, Type};
use crate::message::data::Data;
use crate::message::own::ACK;
use crate::message::payload::{Distribution, Size, MAX_B};
use crate::message::stamp::TIMES_B;
use crate::message::template::Template;
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
/// Of one connection: more than any thread sends, and random gaps are whole microseconds.
pub const MESSAGE_RATE_MAX: f64 = 1e6;
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
            format!("local_addresses {:?} are of another family than url {}; use addresses of one family, IPv4 or IPv6, that the server has", self.local_addresses, self.shown_url()),
        );
        let data = self.read_data();
        expect(data.is_ok(), data.as_ref().err().cloned().unwrap_or_default());
        if let Ok(data) = &data {
            self.request.problems(data).into_iter().for_each(|problem| expect(false, problem));
            self.check_places(data, parsed.as_ref().ok(), &mut expect);
        }
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
        self.check_own(data.as_ref().ok(), &mut expect);
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
            let terms = Terms::new(&self.tls, &url.host, 0, url.is_tcp);
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
        let is_usual = code == Client::default().close_code;
        expect(is_framed || is_usual, "client.close_code: tcp:// has no close frames; use ws://".into());
    }

    fn check_request(&self, expect: &mut dyn FnMut(bool, String)) {
        let none = Request { proxy: self.request.proxy.clone(), ..Request::default() };
        expect(
            self.dialect != "tcp" || self.request == none,
            "request: tcp:// and tls:// send none; leave out its headers, or use ws://".into(),
        );
    }

    /// What is in the URL, and whether anything is made of the file.
    fn check_places(&self, data: &Data, url: Option<&Url>, expect: &mut dyn FnMut(bool, String)) {
        let Some(url) = url else { return };
        let target = url.target.as_deref().unwrap_or_default();
        let target = Template::parse_request(target, data);
        let told = target.as_ref().err().cloned().unwrap_or_default();
        expect(target.is_ok(), format!("url is {:?}: {told}", self.shown_url()));
        let messages = self.messages.as_ref().map(|own| own.read(data)).transpose();
        let (Ok(target), Ok(headers), Ok(host), Ok(messages)) =
            (target, self.request.lines(data), self.request.host(data), messages)
        else {
            return;
        };
        let mut request = [target, headers].into_iter().chain(host);
        let is_used = request.any(|part| part.columns().next().is_some())
            || messages.is_some_and(|messages| messages.columns().next().is_some());
        expect(
            is_used || !data.is_given(),
            "data: nothing is made of it; write {{data:COLUMN}} into the URL, a header or a message".into(),
        );
    }

    fn check_own(&self, data: Option<&Data>, expect: &mut dyn FnMut(bool, String)) {
        let is_own = self.behaviour == Behaviour::Own;
        expect(
            is_own == self.messages.is_some(),
            "messages and the behaviour own go together; give both or none".into(),
        );
        let Some(messages) = &self.messages else { return };
        let problems = data.map_or(Vec::new(), |data| messages.problems(data)); // those of the file are told first
        problems.into_iter().for_each(|problem| expect(false, problem));
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
            expect(self.has_answers(), "probes: this behaviour has no answers; use echo, pingpong or json-ping".into());
        }
        let is_waited_for = self.arrivals.outstanding() == 0 && self.has_answers();
        expect(
            self.max_outstanding == 0 || is_waited_for,
            "max_outstanding: only in an open loop whose messages are answered does one wait; leave it out".into(),
        );
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

    fn has_answers(&self) -> bool {
        match self.behaviour {
            Behaviour::Idle | Behaviour::Broadcast => false,
            Behaviour::Own => self.messages.as_ref().is_some_and(|own| own.answer.is_some()),
            _ => true,
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
            staircase.problems(MESSAGE_RATE_MAX).into_iter().for_each(|problem| expect(false, problem));
            return;
        }
    };
    let (least, most) = match arrivals {
        Process::Poisson { .. } => (1.0 / MOST, MESSAGE_RATE_MAX),
        Process::Closed { .. } | Process::Bursts { messages: 0, .. } => (1.0, f64::from(u32::MAX)),
        _ => (1e3 / MESSAGE_RATE_MAX, RATE_MAX),
    };
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
mod tests;
