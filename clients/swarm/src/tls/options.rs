//! What a load says of TLS.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// How `wss://` is spoken.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Tls {
    /// PEM file of the authorities to trust; `None`: those of the system
    pub ca: Option<PathBuf>,
    /// Any certificate is taken
    pub insecure: bool,
    /// PEM files of the client's own certificate, and of its private key
    pub cert: Option<PathBuf>,
    pub key: Option<PathBuf>,
    /// Name to ask for and to verify; `None`: the host of the URL
    pub server_name: Option<String>,
    /// The one version to speak; `None`: 1.3 or 1.2, as the server likes
    pub version: Option<Version>,
    /// Sessions are resumed, as by clients that come back. Otherwise each handshake is a whole one.
    pub resume: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
pub enum Version {
    #[serde(rename = "1.2")]
    #[value(name = "1.2")]
    Tls12,
    #[serde(rename = "1.3")]
    #[value(name = "1.3")]
    Tls13,
}
