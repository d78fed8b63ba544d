//! The configuration of clients/CONTRACT.md.

pub mod address;
pub mod check;
pub mod client;
pub mod request;

pub mod url;

use crate::arrivals::Process;
use crate::dialect::{Behaviour, Type};
use crate::input;
use crate::message::data::Data;
use crate::message::own::Own;
use crate::message::payload::{Size, Spec};
use crate::message::template::Template;
use crate::secrets::{is_secret, secrets_in, Secrets};
use crate::tls::options::{Tls, Version};
use crate::websocket::deflate::Offer;
use client::Client;
use request::Request;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

/// Longest time, s: four months, and far from any overflow.
pub const MOST_S: f64 = 1e7;

/// All keys of CONTRACT.md.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    pub url: String,
    #[serde(default = "default_dialect")]
    pub dialect: String,
    /// Folder for the records; `None`: write none
    pub out: Option<PathBuf>,
    pub behaviour: Behaviour,
    pub processes: u32,
    #[serde(default = "one")]
    pub threads: u32,
    pub connections: u32,
    pub connect_rate_hz: f64,
    /// Delay of the first connection, as a fraction of the interval between two, so that several hosts take turns
    #[serde(default)]
    pub connect_phase: f64,
    pub warmup_s: f64,
    pub ramp_s: u32,
    pub settle_s: u32,
    pub hold_s: f64,
    /// Default: closed, one outstanding. `idle` needs none
    #[serde(default = "one_at_a_time")]
    pub arrivals: Process,
    #[serde(default = "no_payload")]
    pub payload: Spec,
    pub seed: u32,
    pub late_ms: f64,
    pub drain_s: f64,
    /// Concurrent handshakes, over all threads. Too many overflow the listener's queue and cost seconds of SYN retries
    #[serde(default = "default_max_connecting")]
    pub max_connecting: u32,
    /// Time-out of a handshake
    #[serde(default = "default_connect_timeout_s")]
    pub connect_timeout_s: f64,
    /// Connections closed and reopened per second, over all threads
    #[serde(default)]
    pub churn_hz: f64,
    /// Open loop: a message waits while this many are outstanding on its connection; 0: no limit
    #[serde(default)]
    pub max_outstanding: u32,
    /// Open loop: messages due within this time after a wake-up go out together at its end, each slightly late. At high
    /// rates this makes batches: waking a sleeping server for each message would cost more than anything else
    #[serde(default = "default_coalesce_us")]
    pub coalesce_us: f64,
    /// Reopen connections that the server dropped, or refused when churn reopened them; `None`: never
    #[serde(default)]
    pub reconnect: Option<Reconnect>,
    /// Write connections.tsv
    #[serde(default)]
    pub record_connections: bool,
    /// Send only what `probe` lines on standard input ask for (crew/probes.rs)
    #[serde(default)]
    pub probes: bool,
    /// Connect to the addresses of the server's name in turn; otherwise to the one that took the last connection
    #[serde(default)]
    pub all_addresses: bool,
    /// Local addresses to connect from, in turn; empty: the kernel chooses
    #[serde(default)]
    pub local_addresses: Vec<IpAddr>,
    /// A version, `1.2` or `1.3`, or an object with all options
    #[serde(default, deserialize_with = "tls_or_its_version")]
    pub tls: Tls,
    /// The contract's key; `Config::read` moves it into `tls`
    #[serde(default, skip_serializing)]
    pub ca: Option<PathBuf>,
    #[serde(default)]
    pub client: Client,
    /// With the behaviour `own`: what to send, and how to read the service's messages
    #[serde(default)]
    pub messages: Option<Own>,
    #[serde(default)]
    pub request: Request,
    /// CSV file with a row for each connection; its values stand for `{{data:COLUMN}}` in the URL, headers and messages
    #[serde(default)]
    pub data: Option<PathBuf>,
    /// permessage-deflate to offer; `None`: none
    #[serde(default)]
    pub deflate: Option<Offer>,
    /// For the forked client; ignored here
    #[serde(default, skip_serializing)]
    pub library: Option<serde_json::Value>,
    #[serde(default, skip_serializing)]
    pub library_settings: Option<serde_json::Value>,
}

/// When to retry after a drop or a failed attempt: after `delay_ms` plus a random time up to `jitter_ms`. After each
/// failed attempt the delay is multiplied by `factor`, up to `max_ms`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reconnect {
    pub delay_ms: f64,
    #[serde(default)]
    pub jitter_ms: f64,
    #[serde(default = "constant_delay")]
    pub factor: f64,
    #[serde(default = "longest_delay_ms")]
    pub max_ms: f64,
}

pub fn constant_delay() -> f64 {
    1.0
}

pub fn longest_delay_ms() -> f64 {
    MOST_S
}

fn default_dialect() -> String {
    "websocket".into()
}

fn one() -> u32 {
    1
}

fn one_at_a_time() -> Process {
    Process::Closed { outstanding: 1 }
}

fn no_payload() -> Spec {
    Spec { kind: Type::Text, bytes: Size::Fixed(20) }
}

/// Below 128, the backlog of many listeners.
pub fn default_max_connecting() -> u32 {
    100
}

pub fn default_coalesce_us() -> f64 {
    100.0
}

pub fn default_connect_timeout_s() -> f64 {
    30.0
}

/// The contract gives only the version.
fn tls_or_its_version<'de, D: serde::Deserializer<'de>>(given: D) -> Result<Tls, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Given {
        Version(Version),
        Options(Tls),
    }
    Ok(match Given::deserialize(given)? {
        Given::Version(version) => Tls { version: Some(version), ..Tls::default() },
        Given::Options(tls) => tls,
    })
}

/// serde names a range by its Rust type; a user needs the numbers.
fn explain(error: &serde_json::Error) -> String {
    error.to_string().replace("expected u32", &format!("expected a whole number from 0 to {}", u32::MAX))
}

impl Config {
    /// The URL, as a report may show it.
    pub fn shown_url(&self) -> String {
        url::hide_secrets(&self.url)
    }

    /// Errors: `data` can't be used, `<what, with the value>; <next step>`.
    pub fn read_data(&self) -> Result<Data, String> {
        self.data.as_deref().map_or_else(|| Ok(Data::default()), Data::read)
    }

    /// All secrets that the server is sent by every connection.
    pub fn secrets(&self) -> Secrets {
        let (headers, bare) = self.secret_texts();
        Secrets::new(headers, bare)
    }

    /// The columns of `data` whose values are secret: by their names, or by what they stand in.
    pub fn secret_columns(&self, data: &Data) -> Vec<usize> {
        let query = self.url.split_once('?').map_or("", |(_, query)| query);
        let parameters = query.split('&').filter_map(|parameter| parameter.split_once('='));
        // as they are: decoded, a place may be none
        let parameters = parameters.filter(|(name, _)| is_secret(name)).map(|(_, value)| value.to_string());
        let (headers, bare) = self.secret_texts();
        let texts = headers.into_iter().chain(bare).chain(parameters);
        let templates = texts.filter_map(|text| Template::parse(&text, data).ok());
        let used: HashSet<_> = templates.flat_map(|template| template.columns().collect::<Vec<_>>()).collect();
        let named = data.columns().enumerate();
        named.filter(|(at, name)| used.contains(at) || is_secret(name)).map(|(at, _)| at).collect()
    }

    /// Values of secret headers, and what is secret from end to end; with places for `data`.
    fn secret_texts(&self) -> (Vec<String>, Vec<String>) {
        let query = self.url.split_once('?').map_or("", |(_, query)| query);
        let decoded = ::url::form_urlencoded::parse(query.as_bytes());
        let parameters = decoded.filter(|(name, _)| is_secret(name)).map(|(_, value)| value.into_owned());
        let files = self.messages.iter().flat_map(Own::files);
        let said = files.filter_map(|file| input::read(file).ok()).flat_map(|text| secrets_in(&text));
        (self.request.secrets(), parameters.chain(said).collect())
    }

    /// Seconds from the start to the window.
    pub fn lead_s(&self) -> u32 {
        self.ramp_s.saturating_add(self.settle_s)
    }

    /// Seconds from the start to the end of the window.
    pub fn load_s(&self) -> f64 {
        f64::from(self.lead_s()) + self.hold_s
    }

    /// Reads the JSON file of the contract.
    /// Errors: one line per problem, `<where>: <what, with the value>; <next step>`.
    pub fn read(path: &Path) -> Result<Self, Vec<String>> {
        let place = url::hide_secrets(&path.display().to_string());
        let text = std::fs::read_to_string(path)
            .map_err(|error| vec![format!("{place}: {error}; give the path of a JSON file, or a URL")])?;
        let mut reader = serde_json::Deserializer::from_str(&text);
        let mut config: Self = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
            vec![format!("{place}: {}: {}; see clients/CONTRACT.md", error.path(), explain(error.inner()))]
        })?;
        config.tls.ca = config.ca.take().or(config.tls.ca);
        let wrong = config.problems();
        if wrong.is_empty() {
            Ok(config)
        } else {
            Err(wrong.into_iter().map(|problem| format!("{place}: {problem}")).collect())
        }
    }
}
