//! TLS by rustls' unbuffered API: decrypts records in the buffer of a read, and encrypts into the buffer of a write.

pub mod options;
mod session;
mod tickets;
mod trust;

pub use session::Session;

use options::{Tls, Version};
use rustls::client::Resumption;
use rustls::crypto::{ring, CryptoProvider};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{PrivateKeyDer, ServerName};
use rustls::version::{TLS12, TLS13};
use rustls::{ClientConfig, ConfigBuilder, SupportedProtocolVersion, WantsVerifier};
use std::sync::Arc;
use tickets::Tickets;

/// Only HTTP/1.1: WebSocket over HTTP/2 (RFC 8441) is not supported. Without WebSocket there is no HTTP to agree on.
const ALPN: &[u8] = b"http/1.1";
/// TLS configuration shared by all sessions of a thread.
pub struct Terms {
    config: Arc<ClientConfig>,
    name: ServerName<'static>,
}

impl Terms {
    /// `host`: the URL's; `connections`: how many can resume a session at the same time; `is_tcp`: without WebSocket.
    /// Errors: what is wrong with a file or a name, `<what, with the value>; <next step>`.
    pub fn new(tls: &Tls, host: &str, connections: usize, is_tcp: bool) -> Result<Self, String> {
        let given = tls.server_name.as_deref().unwrap_or(host.trim_matches(['[', ']']));
        let name = ServerName::try_from(given.to_string())
            .map_err(|error| format!("tls.server_name is {given:?}: {error}; use the name in the certificate"))?;
        let provider = Arc::new(ring::default_provider());
        let builder = ClientConfig::builder_with_provider(provider.clone())
            .with_protocol_versions(versions(tls.version))
            .map_err(|error| format!("tls.version: {error}; use another"))?;
        let mut config = authenticate(tls, builder, &provider)?;
        config.alpn_protocols = if is_tcp { Vec::new() } else { vec![ALPN.to_vec()] };
        config.resumption = match tls.resume {
            true => Resumption::store(Arc::new(Tickets::new(connections))),
            false => Resumption::disabled(),
        };
        Ok(Self { config: Arc::new(config), name })
    }

    /// Begins a session.
    pub fn begin(&self) -> Result<Session, rustls::Error> {
        Session::new(self.config.clone(), self.name.clone())
    }
}

fn versions(version: Option<Version>) -> &'static [&'static SupportedProtocolVersion] {
    static BOTH: [&SupportedProtocolVersion; 2] = [&TLS13, &TLS12];
    match version {
        None => &BOTH,
        Some(Version::Tls13) => &BOTH[..1],
        Some(Version::Tls12) => &BOTH[1..],
    }
}

/// Sets the trusted authorities and the client's own certificate.
fn authenticate(
    tls: &Tls,
    builder: ConfigBuilder<ClientConfig, WantsVerifier>,
    provider: &Arc<CryptoProvider>,
) -> Result<ClientConfig, String> {
    let builder = match tls.insecure {
        true => builder.dangerous().with_custom_certificate_verifier(trust::anyone(provider)),
        false => builder.with_root_certificates(trust::authorities(tls.ca.as_deref())?),
    };
    match (&tls.cert, &tls.key) {
        (None, None) => Ok(builder.with_no_client_auth()),
        (Some(cert), Some(key)) => {
            let chain = trust::read_certificates("tls.cert", cert)?;
            let own = PrivateKeyDer::from_pem_file(key)
                .map_err(|error| format!("tls.key {key:?}: {error}; give a private key in PEM"))?;
            builder
                .with_client_auth_cert(chain, own)
                .map_err(|error| format!("tls.cert {cert:?} with tls.key {key:?}: {error}; give the two of one pair"))
        }
        _ => Err("tls.cert and tls.key are one pair, and one is missing; give both".into()),
    }
}
