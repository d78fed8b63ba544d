//! The TLS options of a load.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Options for `wss://` and `tls://`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Tls {
    /// PEM file of the authorities to trust; `None`: those of the system
    pub ca: Option<PathBuf>,
    /// Accept any certificate
    pub insecure: bool,
    /// PEM files of the client's own certificate and private key
    pub cert: Option<PathBuf>,
    pub key: Option<PathBuf>,
    /// Name for SNI and verification; `None`: the URL's host
    pub server_name: Option<String>,
    /// The only version to offer; `None`: 1.3 and 1.2
    pub version: Option<Version>,
    /// Resume sessions, like returning clients. Otherwise each handshake is a full one.
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
