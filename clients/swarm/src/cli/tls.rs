//! Options of TLS.

use crate::tls::options::{Tls, Version};
use clap::Args;
use std::path::PathBuf;

#[derive(Args, Debug)]
#[command(next_help_heading = "TLS (wss://)")]
pub struct TlsOptions {
    /// Authorities to trust, PEM [default: those of the system]
    #[arg(long, value_name = "FILE", conflicts_with = "insecure")]
    pub ca: Option<PathBuf>,
    /// Take any certificate; the report says so
    #[arg(long)]
    pub insecure: bool,
    /// The client's own certificate, PEM
    #[arg(long, value_name = "FILE", requires = "key")]
    pub cert: Option<PathBuf>,
    /// The private key of --cert, PEM
    #[arg(long, value_name = "FILE", requires = "cert")]
    pub key: Option<PathBuf>,
    /// Name to ask for (SNI) and to verify [default: the host of the URL]
    #[arg(long, value_name = "NAME")]
    pub server_name: Option<String>,
    /// The one version to speak [default: 1.3, or 1.2 where the server has no other]
    #[arg(long, value_name = "VERSION")]
    pub tls_version: Option<Version>,
    /// Resume sessions, of any connection of the same thread [default: each handshake is a whole one]
    #[arg(long)]
    pub resume: bool,
}

impl TlsOptions {
    pub fn to_config(&self) -> Tls {
        Tls {
            ca: self.ca.clone(),
            insecure: self.insecure,
            cert: self.cert.clone(),
            key: self.key.clone(),
            server_name: self.server_name.clone(),
            version: self.tls_version,
            resume: self.resume,
        }
    }
}
